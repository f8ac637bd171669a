//! The beginning of a run that is held to a plan: it looks at everything first, and goes on only if that is what was planned.
//!
//! Invariant: nothing is begun, and nobody manages anything more, before the look is over and what each row is held to is
//! committed. Cut off before that, whoever drives the run next looks again.

use std::time::Duration;

use hangar_plan::deployment::{Found, Holding, differences, output_differences, scope_difference};
use hangar_plan::operation::{Ending, Failure, FailureKind, Finding, PLAN_MOVED};
use serde_json::Value;

use super::outputs::outputs;
use super::plan::{SEAL, Surveyed, end, survey};
use super::prepared::Prepared;
use super::{Course, Next, Stopped, unsealed};
use crate::plural::resources;
use crate::submit::managed_with;

/// Looks, and goes on or ends; says when the run is due again where it does not go on.
pub(super) async fn verify(course: &mut Course<'_>) -> Result<Option<Option<Duration>>, Stopped> {
    let sealed = match survey(course).await? {
        Surveyed::Not(again_in) => return Ok(Some(again_in)),
        Surveyed::All(sealed) => sealed,
    };
    let Some(planned) = course.prepared.charter.plan.clone() else {
        let failure = not_held();
        return Ok(Some(end(course, Ending::Failed(failure), None).await?));
    };
    let about = course.work.deployment.id().to_ascii_lowercase();
    let is_sealed =
        |seal: &String| course.shared.keys.is_plan_mac_of(seal, &about, SEAL, &sealed.content);
    let holds = planned.seal.as_ref().is_none_or(is_sealed);
    let findings = if planned.seal.is_some() {
        let last = course.shared.store.deployment_find(&course.work.deployment).await?;
        let last = last.as_ref().and_then(|last| last.outputs.as_ref());
        // Where there would be none, that is told by itself.
        let told = outputs(&course.prepared, sealed.timeless.as_ref(), last).unwrap_or_default();
        let mut findings: Vec<Finding> = Vec::new();
        findings.extend(scope_difference(&planned, course.prepared.charter.scope.as_ref()));
        findings.extend(differences(&planned, &sealed.found));
        findings.extend(output_differences(&planned, &told));
        findings
    } else {
        unsealed::differences(course, &planned, &sealed.found).await?
    };
    let refused = moved(findings, holds)
        .or_else(|| would_fail(&sealed.found, course.prepared.charter.leave().replace));
    if let Some(failure) = refused {
        return Ok(Some(end(course, Ending::Failed(failure), None).await?));
    }
    course.prepared.forget_looks();
    let group = course.work.deployment.group.clone();
    let kept = course.shared.store.deployment_find(&course.work.deployment).await?;
    let mut work = course.work.clone();
    work.holding = Holding::Verified;
    work.tries = 0;
    for (row, plan) in work.rows.iter_mut().zip(sealed.rows) {
        row.plan = plan;
    }
    let next = match kept.filter(|kept| kept.operation == work.id) {
        None => Next::GoOn,
        Some(mut kept) => {
            let of_template: Vec<_> =
                work.rows.iter().filter(|row| !row.is_removal()).cloned().collect();
            let managed = managed_with(Some(&kept), &of_template, &group);
            kept.holdings.managed = Some(managed);
            let Prepared { charter, deployment, .. } = &*course.prepared;
            let defaults = charter.defaults.after(&deployment.moments());
            if !defaults.is_empty() {
                let sealed = defaults.seal_for_record(&course.shared.keys, &kept.name);
                kept.kept_defaults = Some(sealed);
            }
            Next::Verified(Box::new(kept))
        }
    };
    let message = format!("compared {} with the plan: no difference", resources(work.rows.len()));
    course.commit(work, next, Some(message)).await?;
    Ok(None)
}

/// Why what was found is not what was planned; `holds` tells whether the seal of the plan is of it. What was told counts
/// also where it is: people have read that, and not the seal.
fn moved(mut findings: Vec<Finding>, holds: bool) -> Option<Failure> {
    if !holds && findings.is_empty() {
        findings.push(Finding {
            code: PLAN_MOVED.to_owned(),
            path: String::new(),
            message: HIDDEN.to_owned(),
        });
    }
    if findings.is_empty() {
        return None;
    }
    let first = findings.first().map(|it| match it.path.as_str() {
        "" => it.message.clone(),
        path => format!("{path}: {}", it.message),
    });
    let first = first.unwrap_or_default();
    let count = findings.len();
    let message = match count {
        1 => format!(
            "the deployment differs from the plan, so nothing was done; {first}; plan again"
        ),
        count => format!(
            "the deployment differs from the plan in {count} places, so nothing was done; {first}; \
             plan again"
        ),
    };
    Some(Failure { kind: FailureKind::Conflict, code: PLAN_MOVED.to_owned(), message, findings })
}

/// What differs where all that is told is the same.
const HIDDEN: &str = "a secret value differs, or a part of the plan that is not shown";

/// A plan that says of itself that it would fail is not begun.
fn would_fail(found: &[Found], may_replace: bool) -> Option<Failure> {
    let action =
        |found: &Found| found.change.get("action").and_then(Value::as_str).map(str::to_owned);
    let findings: Vec<Finding> = found
        .iter()
        .filter_map(|it| {
            let why = match action(it).as_deref() {
                Some("refused") => it.change.get("reason").and_then(Value::as_str)?,
                Some("replace") if !may_replace => {
                    "the change requires a new resource; plan again with replacement allowed"
                }
                _ => return None,
            };
            let address = it.change.get("address").and_then(Value::as_str).unwrap_or_default();
            Some(Finding {
                code: WOULD_FAIL.to_owned(),
                path: address.to_owned(),
                message: why.to_owned(),
            })
        })
        .collect();
    let first = findings.first()?;
    let message = format!(
        "{} of the planned resources would fail, so nothing was done; {}: {}",
        findings.len(),
        first.path,
        first.message
    );
    Some(Failure { kind: FailureKind::Conflict, code: WOULD_FAIL.to_owned(), message, findings })
}

/// The code of a plan that cannot be applied as it is.
const WOULD_FAIL: &str = "PlanWouldFail";

/// The plan went with the envelope.
fn not_held() -> Failure {
    let message =
        "the stored plan of the run cannot be decrypted; nothing was done; deploy it again";
    super::prepared::internal("DocumentLost", message)
}
