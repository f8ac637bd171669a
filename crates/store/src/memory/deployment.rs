//! Deployments in memory, and how an operation makes the one that it is a part of due.

use std::ops::Bound;
use std::sync::Arc;

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use hangar_plan::record::DeploymentRecord;

use super::state::State;
use crate::rules::{self, DeploymentPosition, DeploymentStep};
use crate::{DeploymentChange, DeploymentWrite, ReserveError};

impl State {
    pub(super) fn deployment(&self, at: &DeploymentPosition) -> Option<DeploymentRecord> {
        self.deployments.get(at).map(|it| DeploymentRecord::clone(it))
    }

    pub(super) fn deployments_after(
        &self,
        group: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Vec<DeploymentRecord> {
        let place = |name: &str| DeploymentPosition { group: group.to_owned(), name: name.into() };
        let start = after.map_or(Bound::Included(place("")), |name| Bound::Excluded(place(name)));
        let from = self.deployments.range((start, Bound::Unbounded));
        let of_group = from.take_while(|(at, _)| at.group == group).take(limit);
        of_group.map(|(_, it)| DeploymentRecord::clone(it)).collect()
    }

    pub(super) fn check_deployment(
        &self,
        write: Option<&DeploymentWrite>,
    ) -> Result<(), ReserveError> {
        let Some(write) = write else { return Ok(()) };
        let present = self.deployments.get(&rules::deployment_position(&write.record.name));
        rules::may_deploy(write.seen, present.map(|it| it.version))
    }

    /// Writes a deployment of which a run begins, which the caller has checked.
    pub(super) fn begin_deployment(&mut self, write: Option<DeploymentWrite>) {
        let Some(write) = write else { return };
        let at = rules::deployment_position(&write.record.name);
        let present = self.deployments.get(&at).map(AsRef::as_ref);
        let begun = rules::deployment_begun(&write, present);
        self.deployments.insert(at, Arc::new(begun));
    }

    /// Writes a deployment with a step of its run.
    pub(super) fn step_deployment(&mut self, change: &DeploymentChange, by: OperationId) {
        let Some(name) = rules::deployment_of(change) else { return };
        let at = rules::deployment_position(name);
        let present = self.deployments.get(&at).map(AsRef::as_ref);
        match rules::deployment_stepped(change, present, by) {
            DeploymentStep::Stay => {}
            DeploymentStep::Put(kept) => drop(self.deployments.insert(at, Arc::new(*kept))),
            DeploymentStep::Remove(at) => drop(self.deployments.remove(&at)),
        }
    }

    pub(super) fn remove_deployments(&mut self, group: &str) {
        self.deployments.retain(|at, _| at.group != group);
    }

    /// Makes an operation due, of which a part has ended, if it has not ended itself.
    pub(super) fn wake(&mut self, id: OperationId, now: Timestamp) {
        let Some(kept) = self.operations.get_mut(&id) else { return };
        if kept.record.ended_at.is_none() {
            kept.woken = true;
            let record = Arc::make_mut(&mut kept.record);
            record.due_at = Some(rules::hastened(record.due_at, now));
        }
    }
}
