//! What stacks tell each other: exports by name, one of a name in each account and region.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Stack, Told};
use crate::core::place::Place;
use crate::core::time::Timestamp;
use crate::core::world::World;

impl World {
    /// The stacks of a place, gone ones too.
    pub(super) fn stacks_of(&self, place: &Place) -> impl Iterator<Item = &Arc<Stack>> {
        self.region(place).into_iter().flat_map(|region| region.stacks.values())
    }

    /// The stack that a caller means: by ARN, or by name where it is not gone.
    pub(super) fn find_stack(
        &self,
        place: &Place,
        named: &str,
        now: Timestamp,
    ) -> Option<&Arc<Stack>> {
        if named.starts_with("arn:") {
            return self.region(place)?.stacks.get(named);
        }
        self.stacks_of(place).find(|stack| stack.name == named && !stack.is_gone(now))
    }

    /// An export, with the stack that tells it.
    pub(super) fn export(
        &self,
        place: &Place,
        name: &str,
        now: Timestamp,
    ) -> Option<(&Arc<Stack>, &Told)> {
        self.exports(place, now).find(|(_, told)| told.export.as_deref() == Some(name))
    }

    /// All that is exported.
    pub(super) fn exports(
        &self,
        place: &Place,
        now: Timestamp,
    ) -> impl Iterator<Item = (&Arc<Stack>, &Told)> {
        self.stacks_of(place).filter(move |stack| !stack.is_gone(now)).flat_map(move |stack| {
            let told = stack.outputs_at(now).iter().filter(|told| told.export.is_some());
            told.map(move |told| (stack, told))
        })
    }

    /// The names of the stacks that use an export.
    pub(super) fn importers(&self, place: &Place, name: &str, now: Timestamp) -> BTreeSet<&str> {
        self.stacks_of(place)
            .filter(|stack| !stack.is_gone(now) && stack.imports.contains(name))
            .map(|stack| stack.name.as_str())
            .collect()
    }
}
