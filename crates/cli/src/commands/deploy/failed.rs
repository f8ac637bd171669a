//! Why a deployment was refused or failed, each part shown where it stands in the template.

use hangar_diag::{Diagnostic, Label, Span};
use hangar_template::deployment::{Body, NothingKnown, Written};

use super::args::Prepared;
use crate::client::arm_error::{ArmDetail, Refusal};
use crate::client::deployment::{Deployment, Row, RowState};
use crate::client::scope_mismatch::ScopeMismatch;
use crate::codes;
use crate::failure::{Cause, Failure, Report};
use crate::template::files::Files;

/// A template that the server refuses.
pub(crate) fn refused(refusal: &Refusal, doing: &str, files: &Files) -> Failure {
    let mut refusal = refusal.clone();
    let parts = refusal.error.details.clone();
    if refusal.is("InvalidTemplate") && !parts.is_empty() {
        // The mistakes themselves follow, each at its place.
        refusal.error.message = first_clause(&refusal.error.message).to_owned();
    }
    refusal.explain_in(doing, |_| parts.iter().map(|part| placed(part, files)).collect())
}

/// One part, in its file if it says which.
fn placed(part: &ArmDetail, files: &Files) -> Report {
    match part.source_span() {
        Some(place) => Report {
            source: Some(files.source_of(&place.file)),
            diagnostics: vec![part.to_diagnostic_at(&place)],
        },
        None => Report { source: None, diagnostics: vec![part.to_diagnostic()] },
    }
}

/// A run that failed.
pub(super) fn run(deployment: &Deployment, doing: &str, prepared: &Prepared) -> Failure {
    let properties = &deployment.properties;
    let rows = &properties.resources;
    let failed: Vec<&Row> = rows.iter().filter(|row| row.state == RowState::Failed).collect();
    let error = properties.error.clone().unwrap_or_default();
    let what = match failed.as_slice() {
        [] => error.message.trim_end_matches('.').to_owned(),
        [one] => format!("{} failed", one.address),
        many => format!("{} of {} resources failed", many.len(), rows.len()),
    };
    let main = Diagnostic::error(codes::DEPLOYMENT_FAILED, format!("{doing}: {what}"))
        .hint("fix the error and deploy again; finished resources are not touched");
    let mut reports = vec![Report { source: None, diagnostics: vec![main] }];
    if failed.is_empty() {
        reports.extend(error.details.iter().map(|part| placed(part, &prepared.files)));
    } else {
        reports.extend(failed.into_iter().map(|row| of_row(row, &error.details, prepared)));
    }
    let code = if error.code.is_empty() { "DeploymentFailed".to_owned() } else { error.code };
    Failure::Answered { cause: Cause { status: None, code, target: None }, reports }
}

/// Why a resource failed, at the place that is to blame, or else where it is declared.
fn of_row(row: &Row, details: &[ArmDetail], prepared: &Prepared) -> Report {
    let detail = details.iter().find(|detail| detail.target.as_deref() == Some(&row.address));
    let error = row.error.clone().unwrap_or_default();
    let (code, message) = match detail {
        Some(detail) if error.message.is_empty() => (&detail.code, &detail.message),
        _ => (&error.code, &error.message),
    };
    let what = format!("{} `{}`: {} ({code})", row.type_name, row.address, clause(code, message));
    let mut diagnostic = Diagnostic::error(codes::RESOURCE_FAILED, what);
    let file = match (of_properties(row, &error.details, prepared), detail) {
        (Some((file, labels)), _) => {
            diagnostic.labels = labels;
            Some(file)
        }
        (None, detail) => {
            diagnostic.hints = error.details.iter().map(in_words).collect();
            at_its_place(row, detail, &mut diagnostic)
        }
    };
    diagnostic.hints.extend(way_out(code).map(str::to_owned));
    if code == "ScopeMismatch" {
        diagnostic.hints.extend(ScopeMismatch::parse(message).map(|mismatch| mismatch.hint()));
    }
    if let Some(operation) = &row.operation {
        diagnostic.hints.push(format!("`hangar operation show {operation}` shows what was tried"));
    }
    let source = file.map(|file| prepared.files.source_of(&file));
    Report { source, diagnostics: vec![diagnostic] }
}

/// What happened, without what others can do about it: who deploys has other means.
pub(super) fn clause(code: &str, message: &str) -> String {
    let message = match code {
        "ReplaceRequired" | "NotOwned" => first_clause(message),
        "ScopeMismatch" => match ScopeMismatch::parse(message) {
            Some(mismatch) => return mismatch.message(),
            None => message,
        },
        _ => message,
    };
    message.trim().trim_end_matches('.').to_owned()
}

fn first_clause(message: &str) -> &str {
    message.split(';').next().unwrap_or(message)
}

/// What who deploys can do about it.
fn way_out(code: &str) -> Option<&'static str> {
    match code {
        "ReplaceRequired" => Some(
            "restore the old values, or deploy with --replace to create a new resource and delete the old one",
        ),
        "NotOwned" => Some(
            "an imported resource is not replaced: restore the old values, or import it again with --owned (`hangar \
             resource import TYPE IDENTIFIER --alias ALIAS --owned`) and deploy again",
        ),
        "AlreadyExists" => Some(
            "a resource with this name exists and has no alias: deploy with --adopt to adopt it and apply the \
             properties",
        ),
        "ManagedElsewhere" => Some(
            "remove it from one of the two templates, or deploy with --take-over to manage it with this deployment",
        ),
        _ => None,
    }
}

/// What is said of a single property, where it has no place to be shown at.
fn in_words(part: &ArmDetail) -> String {
    match part.target.as_deref() {
        Some(target) if !target.is_empty() => format!("{target}: {}", part.message),
        _ => part.message.clone(),
    }
}

/// The properties that are to blame, where the template states them; nothing where one of them has no place.
fn of_properties(
    row: &Row,
    details: &[ArmDetail],
    prepared: &Prepared,
) -> Option<(String, Vec<Label>)> {
    let index = prepared.deployment.nodes().iter().position(|node| *node.address == row.address)?;
    let body = prepared.deployment.body(index, &NothingKnown).ok()?;
    let mut file = None;
    let mut labels = Vec::new();
    for detail in details {
        let written = written(&body, detail.target.as_deref()?)?;
        let in_file = file.get_or_insert_with(|| written.value.file.to_string());
        if **in_file != *written.value.file {
            return None;
        }
        labels.push(Label { span: written.value.span, text: detail.message.clone() });
    }
    Some((file?, labels))
}

/// Where a property is written, or else the nearest thing around it; not all of them at once.
fn written<'a>(body: &'a Body, pointer: &str) -> Option<&'a Written> {
    let mut pointer = pointer;
    while !pointer.is_empty() {
        if let Some(written) = body.places.get(pointer) {
            return Some(written);
        }
        pointer = pointer.rsplit_once('/')?.0;
    }
    None
}

/// Puts a diagnostic where the server says, or else where the resource is declared; says in which file that is.
fn at_its_place(
    row: &Row,
    detail: Option<&ArmDetail>,
    diagnostic: &mut Diagnostic,
) -> Option<String> {
    if let Some((detail, place)) = detail.and_then(|detail| Some((detail, detail.source_span()?))) {
        let at = detail.to_diagnostic_at(&place);
        if !at.labels.is_empty() {
            diagnostic.labels = at.labels;
            diagnostic.hints.extend(at.hints);
            return Some(place.file);
        }
    }
    let place = row.source.as_ref()?;
    diagnostic.labels =
        vec![Label { span: Span::new(place.start, place.end), text: String::new() }];
    Some(place.file.clone())
}
