//! How references in memory change outside of any operation.

use std::sync::Arc;

use hangar_plan::record::{Reference, ReferenceName, Version};

use super::state::State;
use crate::{ReferenceError, ReferencePosition, ReferenceWrite, rules};

impl State {
    pub(super) fn amend(&mut self, write: ReferenceWrite) -> Result<Version, ReferenceError> {
        let at = rules::position(&write.reference.name);
        let present = self.find_to_amend(&at, write.seen)?;
        let amended = rules::amended(write.reference, &present);
        Ok(self.save_reference(amended, Some(present.version)))
    }

    pub(super) fn rename(
        &mut self,
        name: &ReferenceName,
        alias: &str,
        seen: Version,
    ) -> Result<Reference, ReferenceError> {
        let from = rules::position(name);
        let present = self.find_to_amend(&from, Some(seen))?;
        rules::may_rename(&present.entry)?;
        if present.name.alias == alias {
            return Ok(present);
        }
        let renamed = rules::renamed(&present, alias);
        let to = rules::position(&renamed.name);
        let mut dependants = Vec::new();
        if to != from {
            if let Some(holder) = self.references.get(&to) {
                return Err(ReferenceError::Taken(holder.name.id()));
            }
            dependants = self.following(&present.name, &renamed.name)?;
        }

        let at = present.managed_by.as_ref().map(rules::deployment_position);
        let manager = at.as_ref().and_then(|at| self.deployment(at));
        if let (Some(at), Some(manager)) = (at, manager)
            && let Some(following) =
                rules::deployment_following(&manager, &present.name, &renamed.name)?
        {
            self.deployments.insert(at, Arc::new(following));
        }
        self.remove_reference(&from);
        self.save_reference(renamed.clone(), Some(present.version));
        for dependant in dependants {
            let seen = dependant.version;
            self.save_reference(dependant, Some(seen));
        }
        Ok(renamed)
    }

    /// The reference at a place, if it may be written by one who saw it at version `seen`.
    fn find_to_amend(
        &self,
        at: &ReferencePosition,
        seen: Option<Version>,
    ) -> Result<Reference, ReferenceError> {
        let group = self.groups.get(&at.group).map(|group| group.state);
        rules::may_amend(self.present(at), group, seen)?;
        self.reference(at).ok_or(ReferenceError::Absent)
    }

    /// The references of the group that depend on one that is renamed, as they are then. One that an
    /// operation works on cannot follow: its worker writes it as it saw it.
    fn following(
        &self,
        old: &ReferenceName,
        new: &ReferenceName,
    ) -> Result<Vec<Reference>, ReferenceError> {
        let mut following = Vec::new();
        for dependant in self.references_in(&old.group.key()) {
            let Some(depends_on) = rules::followed(&dependant.depends_on, old, new) else {
                continue;
            };
            let at = rules::position(&dependant.name);
            if at == rules::position(old) {
                continue;
            }
            if let Some(holder) = self.present(&at).and_then(|it| it.locked_by) {
                return Err(ReferenceError::Busy(holder));
            }
            following.push(Reference { depends_on, ..Reference::clone(dependant) });
        }
        Ok(following)
    }
}
