//! What a caller is told of a template that is wrong, of a run that is in the way, and of one that ended badly.

use hangar_diag::{Diagnostic, position_of};
use hangar_engine::DeploymentRefused;
use hangar_plan::deployment::{Row, RowState, SourcePlace};
use hangar_plan::operation::{Ending, Failure, Finding, OperationId};
use hangar_plan::record::{OperationRecord, Work};
use hangar_template::source::{Problem, Sources};
use serde_json::{Value, json};

use super::{detail, of_failure, of_refusal};
use crate::error::{ApiError, Code, Detail, Info};

/// How many problems are told one by one: a refusal of a template that is no template stays short.
const TOLD: usize = 200;

/// The answer for a run that is not accepted.
pub(crate) fn of_deployment(refused: &DeploymentRefused, sources: &Sources) -> ApiError {
    match refused {
        DeploymentRefused::Template(problems) => of_template(problems, sources),
        DeploymentRefused::Running(id) => running(*id),
        DeploymentRefused::For(failure) => of_refusal(failure),
    }
}

/// The answer for any operation that ended badly; nothing where it did not.
pub(crate) fn of_ending(record: &OperationRecord) -> Option<ApiError> {
    match record.ending()? {
        Ending::Succeeded(_) => None,
        Ending::Failed(failure) | Ending::Canceled(failure) => Some(match &record.work {
            Work::Deployment(work) => of_run(failure, &work.rows),
            Work::Resource(_) | Work::Group(_) | Work::Recipe(_) => of_failure(failure),
        }),
    }
}

/// The answer for a run that ended badly: what it tells of its resources comes with why, and where that is.
pub(crate) fn of_run(failure: &Failure, rows: &[Row]) -> ApiError {
    let plain = Failure { findings: Vec::new(), ..failure.clone() };
    failure
        .findings
        .iter()
        .fold(of_failure(&plain), |error, finding| error.with_detail(of_finding(finding, rows)))
}

fn of_finding(finding: &Finding, rows: &[Row]) -> Detail {
    let failed = rows.iter().find(|row| row.address == finding.path);
    match failed.map(|row| (row, &row.state)) {
        // A run that began nothing leaves the rows of the one before it: what failed then is not why this did.
        Some((row, RowState::Failed { failure, place, .. })) if failure.code == finding.code => {
            Detail {
                details: failure.findings.iter().map(detail).collect(),
                info: place.as_ref().or(row.place.as_ref()).map(span_of).into_iter().collect(),
                ..detail(finding)
            }
        }
        _ => detail(finding),
    }
}

/// What is told of one resource that failed.
pub(crate) fn of_row(failure: &Failure, place: Option<&SourcePlace>) -> Value {
    let error = of_failure(failure);
    match place {
        Some(place) => error.with_target(target_of(place)).with_info(span_of(place)).value(),
        None => error.value(),
    }
}

fn running(id: OperationId) -> ApiError {
    let message = format!(
        "operation `{id}` is running this deployment; wait for it to end, or stop it with `cancel`"
    );
    let info = Info { kind: "Operation", info: json!({ "id": id.to_string() }) };
    ApiError::new(Code::DeploymentRunning, message).with_info(info)
}

fn of_template(problems: &[Problem], sources: &Sources) -> ApiError {
    let count = problems.iter().filter(|problem| problem.is_error()).count();
    // What stops it comes first, in the order it was found.
    let errors = problems.iter().filter(|problem| problem.is_error());
    let others = problems.iter().filter(|problem| !problem.is_error());
    let details: Vec<Detail> =
        errors.chain(others).take(TOLD).map(|problem| of_problem(problem, sources)).collect();
    let message = match details.first() {
        None => String::from("the template is not valid; nothing was started"),
        Some(first) => {
            let mistakes = if count == 1 { "error" } else { "errors" };
            let place = first.target.as_deref().unwrap_or_default();
            let first = &first.message;
            format!("the template has {count} {mistakes}, so nothing was started; {place}: {first}")
        }
    };
    details.into_iter().fold(ApiError::new(Code::InvalidTemplate, message), ApiError::with_detail)
}

fn of_problem(problem: &Problem, sources: &Sources) -> Detail {
    let Problem { file, diagnostic } = problem;
    let Diagnostic { code, severity, message, labels, hints, .. } = diagnostic;
    let target = match (diagnostic.span(), sources.text(file)) {
        (Some(span), Some(text)) => {
            let at = position_of(text, span.start);
            format!("{file}({},{})", at.line, at.column)
        }
        _ => file.to_string(),
    };
    let labels: Vec<Value> = labels
        .iter()
        .map(|it| json!({ "start": it.span.start, "end": it.span.end, "text": it.text }))
        .collect();
    let info = json!({
        "severity": severity.as_str(), "file": &**file, "labels": labels, "hints": hints,
    });
    Detail {
        code: code.as_str().to_owned(),
        message: message.clone(),
        target: Some(target),
        info: vec![Info { kind: SOURCE_SPAN, info }],
        ..Detail::default()
    }
}

/// A place as compilers write it, and editors read it.
fn target_of(place: &SourcePlace) -> String {
    format!("{}({},{})", place.file, place.line, place.column)
}

fn span_of(place: &SourcePlace) -> Info {
    let label = json!({ "start": place.start, "end": place.end, "text": "" });
    let info = json!({ "severity": "error", "file": place.file, "labels": [label], "hints": [] });
    Info { kind: SOURCE_SPAN, info }
}

const SOURCE_SPAN: &str = "SourceSpan";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::deployment::tests::{failed_row, waiting_row};
    use hangar_diag::Span;
    use hangar_plan::operation::FailureKind;

    fn problem(diagnostic: Diagnostic) -> Problem {
        Problem { file: "main.bicep".into(), diagnostic }
    }

    #[test]
    fn each_problem_of_a_template_is_a_detail_with_its_place_and_errors_come_first() {
        let sources = Sources::of("main.bicep", "// é\nparam x oops\n".as_bytes());
        let code = hangar_diag::Code::new;
        let warned = Diagnostic::warning(code("BCP081"), "odd");
        let wrong = Diagnostic::error(code("BCP302"), "no such type")
            .at(Span::new(14, 18), "here")
            .hint("did you mean `object`?");
        let refused = DeploymentRefused::Template(vec![problem(warned), problem(wrong)]);
        let error = of_deployment(&refused, &sources);
        assert_eq!(error.status(), 400);
        assert_eq!(
            error.value(),
            json!({
                "code": "InvalidTemplate",
                "message": "the template has 1 error, so nothing was started; main.bicep(2,9): no such type",
                "details": [
                    {"code": "BCP302", "message": "no such type", "target": "main.bicep(2,9)",
                        "additionalInfo": [{"type": "SourceSpan", "info": {
                            "severity": "error", "file": "main.bicep",
                            "labels": [{"start": 14, "end": 18, "text": "here"}],
                            "hints": ["did you mean `object`?"]}}]},
                    {"code": "BCP081", "message": "odd", "target": "main.bicep",
                        "additionalInfo": [{"type": "SourceSpan", "info": {
                            "severity": "warning", "file": "main.bicep", "labels": [], "hints": []}}]},
                ],
            })
        );
    }

    #[test]
    fn a_template_that_is_no_template_is_not_told_byte_by_byte() {
        let wrong =
            Diagnostic::error(hangar_diag::Code::new("BCP001"), "odd").at(Span::byte(0), "");
        let refused = DeploymentRefused::Template(vec![problem(wrong); 100_000]);
        let error = of_deployment(&refused, &Sources::of("main.bicep", "x".as_bytes()));
        assert_eq!(error.value()["details"].as_array().unwrap().len(), TOLD);
        assert!(error.message().contains("has 100000 errors"), "{}", error.message());
    }

    #[test]
    fn a_run_in_the_way_is_named() {
        let id = OperationId::from_u128(7);
        let error = of_deployment(&DeploymentRefused::Running(id), &Sources::default());
        assert_eq!((error.status().as_u16(), error.code()), (409, "DeploymentRunning"));
        assert!(error.message().contains(&id.to_string()));
        assert_eq!(
            error.value()["additionalInfo"],
            json!([{"type": "Operation", "info": {"id": id.to_string()}}])
        );
    }

    #[test]
    fn a_run_that_failed_tells_of_each_resource_why_and_where_and_no_client_repeats_it() {
        let rows = [failed_row("vpc"), waiting_row("net", &[0])];
        let finding = |path: &str| Finding {
            code: "InvalidProperties".into(),
            path: path.into(),
            message: "no".into(),
        };
        let failure = Failure {
            kind: FailureKind::Provider,
            code: "DeploymentFailed".into(),
            message: "1 of 2 resources failed".into(),
            findings: vec![finding("vpc"), finding("elsewhere")],
        };
        let error = of_run(&failure, &rows);
        assert_eq!(error.status(), 409);
        assert_eq!(
            error.value()["details"],
            json!([
                {"code": "InvalidProperties", "message": "no", "target": "vpc",
                    "details": [{"code": "SCHEMA0101", "message": "what", "target": "/Cidr"}],
                    "additionalInfo": [{"type": "SourceSpan", "info": {"severity": "error",
                        "file": "main.bicep", "labels": [{"start": 30, "end": 34, "text": ""}],
                        "hints": []}}]},
                {"code": "InvalidProperties", "message": "no", "target": "elsewhere"},
            ])
        );
    }
}
