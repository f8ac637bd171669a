//! Why a deployment was refused or failed, each part shown where it stands in the template.

use hangar_diag::{Diagnostic, Span};

use crate::client::arm_error::{ArmDetail, Refusal};
use crate::client::deployment::{Deployment, Row, RowState};
use crate::codes;
use crate::failure::{Cause, Failure, Report};
use crate::template::files::Files;

/// A template that the server refuses.
pub(crate) fn refused(refusal: &Refusal, doing: &str, files: &Files) -> Failure {
    let parts = refusal.error.details.clone();
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
pub(super) fn run(deployment: &Deployment, doing: &str, files: &Files) -> Failure {
    let properties = &deployment.properties;
    let rows = &properties.resources;
    let failed: Vec<&Row> = rows.iter().filter(|row| row.state == RowState::Failed).collect();
    let error = properties.error.clone().unwrap_or_default();
    let what = match failed.as_slice() {
        [] => error.message.trim_end_matches('.').to_owned(),
        [one] => format!("{} failed", one.address),
        many => format!("{} of {} resources failed", many.len(), rows.len()),
    };
    let more = match properties.operation {
        Some(id) => format!(
            "deploy again to go on with the rest; `hangar operation show {id}` tells what was tried"
        ),
        None => "deploy again to go on with the rest".to_owned(),
    };
    let main = Diagnostic::error(codes::DEPLOYMENT_FAILED, format!("{doing}: {what}")).hint(more);
    let mut reports = vec![Report { source: None, diagnostics: vec![main] }];
    if failed.is_empty() {
        reports.extend(error.details.iter().map(|part| placed(part, files)));
    } else {
        reports.extend(failed.into_iter().map(|row| of_row(row, &error.details, files)));
    }
    let code = if error.code.is_empty() { "DeploymentFailed".to_owned() } else { error.code };
    Failure::Answered { cause: Cause { status: None, code, target: None }, reports }
}

/// Why a resource failed, at the place that is to blame, or else where it is declared.
fn of_row(row: &Row, details: &[ArmDetail], files: &Files) -> Report {
    let detail = details.iter().find(|detail| detail.target.as_deref() == Some(&row.address));
    let error = row.error.clone().unwrap_or_default();
    let (code, message) = match detail {
        Some(detail) if error.message.is_empty() => (&detail.code, &detail.message),
        _ => (&error.code, &error.message),
    };
    let what = format!("{} ({})", message.trim_end_matches('.'), code);
    let mut diagnostic = Diagnostic::error(
        codes::RESOURCE_FAILED,
        format!("{} `{}`: {what}", row.type_name, row.address),
    );
    let mut file = None;
    if let Some(place) = detail.and_then(ArmDetail::source_span) {
        let at = detail.map(|detail| detail.to_diagnostic_at(&place));
        diagnostic.labels = at.as_ref().map(|at| at.labels.clone()).unwrap_or_default();
        diagnostic.hints = at.map(|at| at.hints).unwrap_or_default();
        file = Some(place.file).filter(|_| !diagnostic.labels.is_empty());
    }
    if let (None, Some(place)) = (&file, &row.source) {
        diagnostic = diagnostic.at(Span::new(place.start, place.end), "");
        file = Some(place.file.clone());
    }
    let part = |part: &ArmDetail| match part.target.as_deref() {
        Some(target) if !target.is_empty() => format!("{target}: {}", part.message),
        _ => part.message.clone(),
    };
    // What AWS or the schema says of single properties.
    let mut parts: Vec<String> = error.details.iter().map(part).collect();
    parts.append(&mut diagnostic.hints);
    diagnostic.hints = parts;
    if code == "ReplaceRequired" {
        let hint = "restore the old values, or deploy with --replace to have a new resource made and the old one deleted";
        diagnostic.hints.push(hint.to_owned());
    }
    if code == "AlreadyExists" {
        let hint = "no alias stands for what has the name: deploy with --adopt to take it in";
        diagnostic.hints.push(hint.to_owned());
    }
    if let Some(operation) = &row.operation {
        diagnostic.hints.push(format!("`hangar operation show {operation}` tells what was tried"));
    }
    let source = file.map(|file| files.source_of(&file));
    Report { source, diagnostics: vec![diagnostic] }
}
