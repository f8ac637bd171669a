//! Drives an operation on a group: looks, writes down what was decided, does it, and lets go until the
//! next look.
//!
//! Invariant: nothing is begun before the decision to begin it is committed.

mod clear;
mod look;

use std::sync::Arc;
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::group::{GroupTask, GroupWork};
use hangar_plan::record::{OperationRecord, Work};
use hangar_store::{
    Commit, DeploymentChange, GroupChange, Lease, OperationFilter, RecipeChange, ReferenceChange,
    StoreError,
};

use crate::drive::{self, Stopped};
use crate::engine::Shared;

/// One operation on a group while it is driven.
struct Course<'a> {
    shared: &'a Arc<Shared>,
    work: GroupWork,
    record: OperationRecord,
}

/// What becomes of an operation with a commit.
enum Next {
    /// Its worker goes on.
    GoOn,
    /// Its worker lets go, and somebody looks again after a while.
    LookAfter(Duration),
    /// It has ended; what becomes of the group.
    End(GroupChange),
}

/// Drives an operation on a group; says when it is due again.
pub(crate) async fn drive(
    shared: &Arc<Shared>,
    work: GroupWork,
    record: OperationRecord,
) -> Option<Duration> {
    let (id, task) = (work.id, work.task);
    if work.cancel_requested
        && let Err(error) = stop_children(shared, &work).await
    {
        tracing::error!(operation.id = %id, %error, "cannot cancel the child operations");
    }
    let mut course = Course { shared, work, record };
    let driven = match task {
        GroupTask::Delete => clear::run(&mut course).await,
        GroupTask::Drift { .. } => look::run(&mut course).await,
    };
    drive::due_after(shared, course.record, driven).await
}

/// How many parts are asked to stop at once; the next look asks more.
const STOPPED_AT_ONCE: usize = 100;

/// Asks what a stopped operation has begun to stop as well: a call that hangs at AWS would hold the whole
/// group. Each is followed to its end all the same.
async fn stop_children(shared: &Shared, work: &GroupWork) -> Result<(), StoreError> {
    let filter =
        OperationFilter { parent: Some(work.id), running: true, ..OperationFilter::default() };
    for child in shared.store.operation_list(&filter, None, STOPPED_AT_ONCE).await? {
        if !child.is_stop_wanted() {
            shared.store.operation_cancel(child.id()).await?;
        }
    }
    Ok(())
}

impl Course<'_> {
    async fn now(&self) -> Result<Timestamp, StoreError> {
        self.shared.store.now().await
    }

    /// Writes what is true now; says when it is due again, where its worker lets go.
    async fn commit(
        &mut self,
        work: GroupWork,
        next: Next,
        message: Option<String>,
    ) -> Result<Option<Duration>, Stopped> {
        let now = self.now().await?;
        let mut record = self.record.clone();
        record.work = Work::Group(Box::new(work.clone()));
        record.updated_at = now;
        let mut group = GroupChange::Keep;
        let (lease, due_at, again_in) = match next {
            Next::GoOn => (Lease::Keep, Some(now), None),
            Next::LookAfter(span) => (Lease::Release, Some(now.after(span)), Some(span)),
            Next::End(change) => {
                group = change;
                record.ended_at = Some(now);
                (Lease::Release, None, None)
            }
        };
        record.due_at = due_at;
        let reference = ReferenceChange::Keep;
        let commit = Commit {
            record: record.clone(),
            reference,
            deployment: DeploymentChange::Keep,
            recipe: RecipeChange::Keep,
            group,
            lease,
            message: message.clone(),
        };
        let committed = drive::write(self.shared, commit).await?;
        self.record = record;
        self.record.version = committed.version;
        self.work = work;
        self.work.cancel_requested |= committed.cancel_requested;
        if let Some(message) = message {
            tracing::info!(
                operation.id = %self.work.id,
                operation.kind = self.work.task.as_str(),
                resource.id = self.work.group.id(),
                lease.epoch = self.record.epoch.0,
                "{message}"
            );
        }
        if let Some(ending) = &self.work.ending {
            drive::count_end(self.shared, self.work.task.as_str(), ending);
        }
        Ok(again_in)
    }
}
