//! Ends a run with another try at what its rows replaced and AWS refused to delete while others hung on it.
//!
//! Any write on an alias deletes what it has replaced; the smallest is to apply again what was applied. So no rule
//! of an operation changes for it, and what stays is tried again with the next write, whoever asks for that.

use std::time::Duration;

use hangar_plan::deployment::{Broom, DeploymentWork, Leftover, tidy};
use hangar_plan::operation::{Held, HeldDeed, OperationId};
use hangar_plan::record::{Reference, Subject};

use super::{Course, Next, Stopped};
use crate::ask::{Ask, Parent, Submission};
use crate::drift::is_passing;
use crate::submit::{self, child_of};

/// How long something is asked for again that was turned away for now.
const PATIENCE: Duration = Duration::from_mins(1);

/// How soon it looks again where nobody tells of an end.
const LOOK_AFTER: Duration = Duration::from_millis(500);

/// What was applied is applied again, and nothing else, where the run is held to a plan.
const TIDY: Held = Held { deed: HeldDeed::Tidy, identifier: None, marks: None };

/// What came of a look.
pub(super) enum Tidied {
    /// The round goes on: look again then.
    Waits(Option<Duration>),
    /// There is nothing more to do; this stays.
    Done(Vec<Leftover>),
}

/// Goes on with it until it has to wait; `work` is the run, of which every row is over.
pub(super) async fn go_on(
    course: &mut Course<'_>,
    mut work: DeploymentWork,
    mut message: Option<String>,
) -> Result<(DeploymentWork, Option<String>, Tidied), Stopped> {
    let untidy = if work.cancel_requested { Vec::new() } else { work.untidy() };
    if untidy.is_empty() && work.tidying.rows.is_empty() {
        return Ok((work, message, Tidied::Done(Vec::new())));
    }
    loop {
        let mut is_under_way = false;
        let mut left = Vec::new();
        for &index in &untidy {
            let Some(reference) = found(course, &work, index).await? else { continue };
            left.push((index, reference.entry.retiring.clone()));
        }
        for index in work.tidying.rows.clone() {
            is_under_way |= is_open(course, &work, index).await?;
        }
        let now = course.now().await?;
        match tidy(&work, &left, is_under_way, now) {
            Broom::Done(stays) => return Ok((work, message, Tidied::Done(stays))),
            Broom::Wait => {
                let next = Next::LookAfter(LOOK_AFTER);
                let again = course.commit(work.clone(), next, message.take()).await?;
                return Ok((work, None, Tidied::Waits(again)));
            }
            Broom::Begin(tidying) => {
                let told = match tidying.before {
                    1 => "deleting 1 replaced resource".to_owned(),
                    count => format!("deleting {count} replaced resources"),
                };
                let told = message.take().map_or(told.clone(), |it| format!("{it}; {told}"));
                work.tidying = tidying;
                course.commit(work.clone(), Next::GoOn, Some(told)).await?;
                work.cancel_requested |= course.work.cancel_requested;
            }
        }
    }
}

async fn found(
    course: &Course<'_>,
    work: &DeploymentWork,
    index: usize,
) -> Result<Option<Reference>, Stopped> {
    let row = work.rows.get(index);
    let Some(name) = row.and_then(|row| row.reference(&work.deployment.group)) else {
        return Ok(None);
    };
    Ok(course.shared.store.reference_find(&name).await?)
}

/// Whether a row's part of the round has not ended. One that was not asked for yet is asked for, under the name that
/// follows from run, round and row.
async fn is_open(
    course: &Course<'_>,
    work: &DeploymentWork,
    index: usize,
) -> Result<bool, Stopped> {
    let id = name_of(work, index);
    if let Some(record) = course.shared.store.operation_find(id).await? {
        return Ok(!record.is_ended());
    }
    let Some(reference) = found(course, work, index).await? else { return Ok(false) };
    let is_late = course.now().await?.since(work.tidying.round_at) > PATIENCE;
    if reference.entry.retiring.is_empty() || is_late || work.cancel_requested {
        return Ok(false);
    }
    let (scope, name) = (reference.scope, reference.name);
    let submission = Submission {
        parent: Some(Parent::Deployment(work.id)),
        held: work.rows.get(index).and_then(|row| row.plan.as_ref()).map(|_| TIDY),
        id: Some(id),
        correlation_id: course.record.correlation_id.clone(),
        ..Submission::new(Subject::new(scope, name.type_name.clone(), Some(name)), Ask::Tidy)
    };
    match submit::submit(course.shared, submission).await {
        Ok(_) => Ok(true),
        Err(failure) => Ok(is_passing(&failure) || failure.code == "Conflict"),
    }
}

fn name_of(work: &DeploymentWork, index: usize) -> OperationId {
    child_of(work.id, work.tidying.round_at, &format!("tidy/{}/{index}", work.tidying.round))
}
