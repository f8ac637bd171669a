//! Drives a deployment: looks at what was begun, writes down what begins next, begins it, and lets go until
//! the next look.
//!
//! Invariant: nothing is begun before the decision to begin it is committed.

mod begin;
mod changes;
mod envelope;
mod fresh_seal;
mod kept;
mod outputs;
mod plan;
mod prepared;
mod recipe;
mod remove;
mod run;
mod seal;
mod tidy;
mod unsealed;
mod verify;
mod waits;

use std::sync::Arc;
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::deployment::{DeploymentTask, DeploymentWork, Holding, Row, holdings_after};
use hangar_plan::operation::{Ending, Failure};
use hangar_plan::record::{DeploymentRecord, OperationRecord, Version, Work};
use hangar_store::{
    Commit, DeploymentChange, GroupChange, Lease, RecipeChange, ReferenceChange, StoreError,
};

pub use changes::plan_new_recipes;
pub(crate) use envelope::{Charter, Terms};
pub(crate) use fresh_seal::fresh_seal;
pub(crate) use kept::KeptDefaults;
pub(crate) use prepared::{Preparations, Prepared, row_target, source_place};

use crate::ask::{Hold, Reach};
use crate::drive::{self, Stopped};
use crate::engine::Shared;

/// One run while it is driven.
struct Course<'a> {
    shared: &'a Arc<Shared>,
    prepared: Arc<Prepared>,
    work: DeploymentWork,
    record: OperationRecord,
}

/// What becomes of a run with a commit.
enum Next {
    /// Its worker goes on.
    GoOn,
    /// Its worker lets go, and somebody looks again after a while.
    LookAfter(Duration),
    /// The plan that it is held to holds: its worker goes on, and it manages all that it names from now on.
    Verified(Box<DeploymentRecord>),
    /// It has ended.
    End,
}

/// Drives a run; says when it is due again.
pub(crate) async fn drive(
    shared: &Arc<Shared>,
    work: DeploymentWork,
    record: OperationRecord,
    envelope: Option<Vec<u8>>,
) -> Option<Duration> {
    let id = work.id;
    let kept = shared.preparations.find(id);
    let prepared = match kept {
        Some(prepared) => Ok(prepared),
        None => {
            Prepared::of(&shared.keys, &work, envelope.as_deref().unwrap_or_default()).map(Arc::new)
        }
    };
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(failure) => {
            let given_up = give_up(shared, work, record.clone(), failure).await;
            return drive::due_after(shared, record, given_up).await;
        }
    };
    shared.preparations.keep(id, prepared.clone());
    let mut course = Course { shared, prepared, work, record };
    let driven = match course.work.task {
        DeploymentTask::Deploy | DeploymentTask::Destroy => run::run(&mut course).await,
        DeploymentTask::Plan => plan::run(&mut course).await,
    };
    drive::due_after(shared, course.record, driven).await
}

/// Ends a run whose template cannot be had any more. What it has begun goes on by itself.
async fn give_up(
    shared: &Arc<Shared>,
    mut work: DeploymentWork,
    record: OperationRecord,
    failure: Failure,
) -> Result<Option<Duration>, Stopped> {
    let message = format!("failed: {}: {}", failure.code, failure.message);
    work.ending = Some(Ending::Failed(failure));
    commit(shared, &mut work.clone(), &mut record.clone(), work, Next::End, Some(message)).await
}

impl Course<'_> {
    async fn now(&self) -> Result<Timestamp, StoreError> {
        self.shared.store.now().await
    }

    /// What its parts say of the aliases that the template names. Held to a plan, one changes hands only where that was
    /// planned.
    fn takes(&self, row: &Row) -> Hold {
        let reach = match &row.plan {
            Some(plan) if plan.manager.is_none() => Reach::Free,
            _ => self.prepared.charter.leave().reach,
        };
        Hold::Take { by: self.work.deployment.clone(), reach }
    }

    /// Writes what is true now; says when it is due again, where its worker lets go.
    async fn commit(
        &mut self,
        work: DeploymentWork,
        next: Next,
        message: Option<String>,
    ) -> Result<Option<Duration>, Stopped> {
        commit(self.shared, &mut self.work, &mut self.record, work, next, message).await
    }
}

async fn commit(
    shared: &Shared,
    before: &mut DeploymentWork,
    kept: &mut OperationRecord,
    work: DeploymentWork,
    next: Next,
    message: Option<String>,
) -> Result<Option<Duration>, Stopped> {
    let now = shared.store.now().await?;
    let mut record = kept.clone();
    record.work = Work::Deployment(Box::new(work.clone()));
    record.updated_at = now;
    let mut deployment = DeploymentChange::Keep;
    let (lease, due_at, again_in) = match next {
        Next::GoOn => (Lease::Keep, Some(now), None),
        Next::Verified(record) => {
            deployment = DeploymentChange::Save(record);
            (Lease::Keep, Some(now), None)
        }
        Next::LookAfter(span) => (Lease::Release, Some(now.after(span)), Some(span)),
        Next::End => {
            record.ended_at = Some(now);
            deployment = match work.holding {
                Holding::Unverified => refused(shared, &work, now).await?,
                Holding::Free | Holding::Verified => after(&work, now),
            };
            (Lease::Release, None, None)
        }
    };
    record.due_at = due_at;
    let reference = ReferenceChange::Keep;
    let group = GroupChange::Keep;
    let commit = Commit {
        record: record.clone(),
        reference,
        group,
        deployment,
        recipe: RecipeChange::Keep,
        lease,
        message: message.clone(),
    };
    let committed = drive::write(shared, commit).await?;
    *kept = record;
    kept.version = committed.version;
    *before = work;
    before.cancel_requested |= committed.cancel_requested;
    if let Some(message) = message {
        tracing::info!(
            operation.id = %before.id,
            operation.kind = before.task.as_str(),
            resource.id = before.deployment.id(),
            lease.epoch = kept.epoch.0,
            "{message}"
        );
    }
    if let Some(ending) = &before.ending {
        shared.preparations.forget(before.id);
        drive::count_end(shared, before.task.as_str(), ending);
    }
    Ok(again_in)
}

/// What becomes of a deployment with the end of its run: one that was destroyed is forgotten when all of it is gone.
fn after(work: &DeploymentWork, now: Timestamp) -> DeploymentChange {
    match (work.task, &work.ending) {
        (DeploymentTask::Plan, _) => DeploymentChange::Keep,
        (DeploymentTask::Destroy, Some(Ending::Succeeded(_))) => {
            DeploymentChange::Remove(work.deployment.clone())
        }
        (DeploymentTask::Deploy | DeploymentTask::Destroy, _) => {
            DeploymentChange::Save(Box::new(ended(work, now)))
        }
    }
}

/// What stays of a deployment whose run began nothing: all that it was, with how this run ended.
async fn refused(
    shared: &Shared,
    work: &DeploymentWork,
    now: Timestamp,
) -> Result<DeploymentChange, StoreError> {
    let kept = shared.store.deployment_find(&work.deployment).await?;
    let Some(kept) = kept.filter(|kept| kept.operation == work.id) else {
        return Ok(DeploymentChange::Keep);
    };
    let (ended_at, ending) = (Some(now), work.ending.clone());
    Ok(DeploymentChange::Save(Box::new(DeploymentRecord { ended_at, ending, ..kept })))
}

/// What stays of a deployment when its run is over.
fn ended(work: &DeploymentWork, now: Timestamp) -> DeploymentRecord {
    DeploymentRecord {
        name: work.deployment.clone(),
        operation: work.id,
        started_at: work.started_at,
        ended_at: Some(now),
        ending: work.ending.clone(),
        rows: work.rows.clone(),
        outputs: work.result.clone(),
        holdings: holdings_after(work),
        template_path: None,
        kept_defaults: None,
        created_at: work.started_at,
        version: Version(0),
    }
}
