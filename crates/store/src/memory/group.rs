//! How groups in memory change.

use std::sync::Arc;

use hangar_plan::operation::OperationId;
use hangar_plan::record::{Group, GroupName, OperationRecord};

use super::state::State;
use crate::rules::{self, PresentGroup, RecipeStep};
use crate::{
    CommitError, Expect, GroupChange, GroupError, GroupHold, ReferenceChange, Reservation,
    ReserveError,
};

impl State {
    pub(super) fn put_group(&mut self, group: Group, expect: Expect) -> Result<Group, GroupError> {
        let plane = rules::plane_of_group(&group.name);
        if !self.planes.contains_key(&plane.key()) {
            return Err(GroupError::NoPlane(plane));
        }
        let present = self.groups.get(&group.name.key()).map(AsRef::as_ref);
        rules::may_put(present, expect)?;
        let group = rules::group_kept(group, present);
        self.write_group(group.clone());
        Ok(group)
    }

    /// Whether a group lets a new operation do what it is to do.
    pub(super) fn check_group(&self, reservation: &Reservation) -> Result<(), ReserveError> {
        match &reservation.group {
            None => Ok(()),
            Some(GroupHold::Open(name)) => rules::may_enter(self.present_group(name)),
            Some(GroupHold::Within(name)) => {
                rules::may_enter_within(self.present_group(name), reservation.record.parent)
            }
            Some(GroupHold::Close(name, seen)) => rules::may_close(self.present_group(name), *seen),
        }
    }

    pub(super) fn present_group(&self, name: &GroupName) -> Option<PresentGroup> {
        let group = self.groups.get(&name.key())?;
        let operation = group.operation;
        let runs = operation.is_some_and(|id| self.is_running(id));
        Some(PresentGroup { version: group.version, state: group.state, operation, runs })
    }

    /// Closes a group, if an operation is to, which the caller has checked.
    pub(super) fn close_group(&mut self, hold: Option<&GroupHold>, by: OperationId) {
        if let Some(GroupHold::Close(name, _)) = hold
            && let Some(group) = self.group(&name.key())
        {
            self.write_group(rules::closed(group, by));
        }
    }

    /// Whether the group that an operation closed may become what it is to, when its reference and its recipe
    /// have.
    pub(super) fn check_group_change(
        &self,
        record: &OperationRecord,
        change: GroupChange,
        reference: &ReferenceChange,
        recipe: &RecipeStep,
    ) -> Result<(), CommitError> {
        let group = self.group_closed_by(record);
        let Some(group) = group.filter(|_| change == GroupChange::Remove) else { return Ok(()) };
        let key = group.name.key();
        let removed = match reference {
            ReferenceChange::Save(write) if write.reference.name.group.key() == key => {
                return Err(CommitError::NotEmpty(write.reference.name.id()));
            }
            ReferenceChange::Keep | ReferenceChange::Save(_) => None,
            ReferenceChange::Remove { name, .. } => Some(rules::position(name)),
        };
        let mut held = self.references_in(&key);
        let held = held.find(|it| removed != Some(rules::position(&it.name)));
        match held.map(|it| it.name.id()).or_else(|| self.recipe_left_in(&key, recipe)) {
            Some(id) => Err(CommitError::NotEmpty(id)),
            None => Ok(()),
        }
    }

    /// Does with the group that an operation closed what is to become of it. One that it did not
    /// close is left.
    pub(super) fn change_group(&mut self, record: &OperationRecord, change: GroupChange) {
        let Some(group) = self.group_closed_by(record) else { return };
        match change {
            GroupChange::Keep => {}
            GroupChange::Reopen => self.write_group(rules::reopened(group)),
            GroupChange::Remove => {
                let key = group.name.key();
                self.remove_deployments(&key);
                self.groups.remove(&key);
            }
        }
    }

    fn group_closed_by(&self, record: &OperationRecord) -> Option<Group> {
        let group = self.group(&record.group()?.key())?;
        Some(group).filter(|it| rules::is_closed_by(it, record.id()))
    }

    fn write_group(&mut self, group: Group) {
        self.groups.insert(group.name.key(), Arc::new(group));
    }
}
