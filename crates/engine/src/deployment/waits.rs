//! What a run notes of its waits, and which of its parts a stop ends at once.

use std::time::Duration;

use hangar_plan::deployment::{DeploymentWork, RowTarget, Sight};
use hangar_plan::operation::{Failure, FailureKind};
use hangar_plan::record::OperationRecord;
use hangar_plan::{Timestamp, WaitReason, Waiting};

use super::{Course, Stopped};

/// Notes why the run itself waits, and when it goes on.
pub(super) fn of_run(
    work: &mut DeploymentWork,
    failure: &Failure,
    now: Timestamp,
    after: Duration,
) {
    let before = work.waiting.take();
    work.waiting = Some(again(before.as_ref(), failure, now, Some(now.after(after))));
}

/// Notes why a row could not be started. Returns how it ends, if the run is being stopped and certainly nothing
/// was started for the row.
pub(super) fn put_off(
    work: &mut DeploymentWork,
    index: usize,
    failure: Option<Failure>,
    now: Timestamp,
) -> Option<Sight> {
    let row = work.rows.get_mut(index)?;
    let failure = failure?;
    let before = row.waiting.take();
    row.waiting = Some(again(before.as_ref(), &failure, now, None));
    let nothing_started =
        matches!(row.target, RowTarget::Existing { .. }) || failure.code == "Conflict";
    (work.cancel_requested && nothing_started).then(stopped)
}

/// Stops a part that only waits for AWS, if the run is being stopped: no call of it can be under way, so that
/// there is nothing to follow to its end.
pub(super) async fn stop_idle(
    course: &Course<'_>,
    record: &OperationRecord,
) -> Result<(), Stopped> {
    let is_idle = record.resource().is_some_and(|work| work.operation.waits_without_a_call());
    if course.work.cancel_requested && is_idle && !record.is_stop_wanted() {
        course.shared.store.operation_cancel(record.id()).await?;
    }
    Ok(())
}

fn again(
    before: Option<&Waiting>,
    failure: &Failure,
    now: Timestamp,
    retry_at: Option<Timestamp>,
) -> Waiting {
    let reason = WaitReason::of_failure(failure);
    let same = before.filter(|before| before.code == reason.code);
    let (since, attempts) = same.map_or((now, 0), |before| (before.since, before.attempts));
    reason.since(since, retry_at, attempts.saturating_add(1))
}

fn stopped() -> Sight {
    let failure = Failure {
        kind: FailureKind::Canceled,
        code: "OperationCanceled".to_owned(),
        message: "stopped on request before anything was changed".to_owned(),
        findings: Vec::new(),
    };
    Sight::Failed { failure, place: None }
}
