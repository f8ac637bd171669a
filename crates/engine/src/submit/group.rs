//! The way in for operations on a group.

use hangar_plan::group::{GroupTask, GroupWork};
use hangar_plan::operation::{Failure, FailureKind};
use hangar_plan::record::{OperationRecord, Work};
use hangar_store::{GroupHold, Reservation, ReserveError};

use super::check::check_condition;
use super::refuse::{conflict, stopping};
use super::{DECISIONS, Refused, find_repeated};
use crate::ask::{Accepted, Condition, GroupAsk};
use crate::engine::Shared;
use crate::etag::etag_of_group;
use crate::read::unavailable;

/// Accepts an operation on a group, or says why not.
pub(crate) async fn submit(shared: &Shared, ask: GroupAsk) -> Result<Accepted, Failure> {
    if shared.is_stopping() {
        return Err(stopping());
    }
    for _ in 0..DECISIONS {
        if let Some(repeated) = find_repeated(shared, ask.repeatability.as_ref()).await? {
            return Ok(repeated);
        }
        match reserve(shared, &ask).await {
            Err(Refused::Stale | Refused::Repeated) => {}
            Err(Refused::For(failure)) => return Err(failure),
            Ok(accepted) => {
                tracing::info!(
                    operation.id = %accepted.record.id(),
                    resource.id = ask.group.id(),
                    operation.kind = accepted.record.kind(),
                    request.correlation = ask.correlation_id,
                    "accepted"
                );
                return Ok(accepted);
            }
        }
    }
    Err(conflict("Conflict", "the group is being changed by other requests; try again"))
}

async fn reserve(shared: &Shared, ask: &GroupAsk) -> Result<Accepted, Refused> {
    let now = shared.store.now().await?;
    let Some(group) = shared.store.group_find(&ask.group).await? else {
        return Err(Refused::For(no_group(ask)));
    };
    let found = Some((etag_of_group(&group), group.version));
    check_condition(&ask.condition, "group", found)?;
    let work = GroupWork::new(shared.config.dice.new_id(now), group.name.clone(), ask.task, now);
    let record = OperationRecord {
        repeatability: ask.repeatability.clone(),
        correlation_id: ask.correlation_id.clone(),
        ..OperationRecord::new(Work::Group(Box::new(work)), now)
    };
    let hold = match ask.task {
        GroupTask::Delete => {
            let seen = (ask.condition != Condition::None).then_some(group.version);
            GroupHold::Close(group.name, seen)
        }
        GroupTask::Drift { .. } => GroupHold::Open(group.name),
    };
    let reservation = Reservation {
        record: record.clone(),
        reference: None,
        deployment: None,
        recipe: None,
        group: Some(hold),
        resource_keys: Vec::new(),
        envelope: None,
        message: "accepted".to_owned(),
    };
    match shared.store.operation_reserve(reservation).await {
        Ok(()) => Ok(Accepted { record, existed: true, reference: None }),
        Err(ReserveError::Stale) => Err(Refused::Stale),
        Err(ReserveError::Repeated(_)) => Err(Refused::Repeated),
        Err(ReserveError::NoGroup) => Err(Refused::For(no_group(ask))),
        Err(ReserveError::GroupDeleting(by)) if ask.task == GroupTask::Delete => {
            let running = match by {
                Some(id) => shared.store.operation_find(id).await?,
                None => None,
            };
            // One that ended in this instant has opened or removed the group: decide again.
            let running = running.filter(|it| !it.is_ended()).ok_or(Refused::Stale)?;
            Ok(Accepted { record: running, existed: true, reference: None })
        }
        Err(ReserveError::GroupDeleting(_)) => Err(Refused::For(conflict(
            "GroupDeleting",
            "the group is being deleted; there is nothing to check",
        ))),
        Err(ReserveError::Store(error)) => Err(Refused::For(unavailable(&error.to_string()))),
        Err(
            error @ (ReserveError::Busy(_)
            | ReserveError::Mapped(_)
            | ReserveError::GroupReopened
            | ReserveError::NoPlane(_)),
        ) => Err(Refused::For(conflict("Conflict", &error.to_string()))),
    }
}

fn no_group(ask: &GroupAsk) -> Failure {
    Failure {
        kind: FailureKind::NotFound,
        code: "ResourceGroupNotFound".to_owned(),
        message: format!("there is no {}", ask.group.id()),
        findings: Vec::new(),
    }
}
