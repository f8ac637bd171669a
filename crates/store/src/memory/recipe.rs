//! Recipes in memory.

use std::ops::Bound;
use std::sync::Arc;

use hangar_plan::operation::OperationId;
use hangar_plan::record::RecipeRecord;

use super::state::State;
use crate::rules::{self, RecipePosition, RecipeStep};
use crate::{RecipeChange, RecipeWrite, ReserveError};

impl State {
    pub(super) fn recipe(&self, at: &RecipePosition) -> Option<RecipeRecord> {
        self.recipes.get(at).map(|it| RecipeRecord::clone(it))
    }

    pub(super) fn recipes_after(
        &self,
        group: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Vec<RecipeRecord> {
        let place = |name: &str| RecipePosition { group: group.to_owned(), name: name.into() };
        let start = after.map_or(Bound::Included(place("")), |name| Bound::Excluded(place(name)));
        let from = self.recipes.range((start, Bound::Unbounded));
        let of_group = from.take_while(|(at, _)| at.group == group).take(limit);
        of_group
            .map(|(_, it)| RecipeRecord { sealed: Vec::new(), ..RecipeRecord::clone(it) })
            .collect()
    }

    /// The id of one recipe that is in a group after a step, which is not done yet.
    pub(super) fn recipe_left_in(&self, group: &str, step: &RecipeStep) -> Option<String> {
        let going = match step {
            RecipeStep::Remove(at) => Some(at),
            RecipeStep::Stay | RecipeStep::Put(_) => None,
        };
        let start = RecipePosition { group: group.to_owned(), name: String::new() };
        let mut of_group = self.recipes.range(start..).take_while(|(at, _)| at.group == group);
        of_group.find(|(at, _)| Some(*at) != going).map(|(_, it)| it.name.id())
    }

    pub(super) fn check_recipe(&self, write: Option<&RecipeWrite>) -> Result<(), ReserveError> {
        let Some(write) = write else { return Ok(()) };
        let present = self.recipes.get(&rules::recipe_position(&write.record.name));
        rules::may_run(write.seen, present.map(|it| it.version))
    }

    /// Writes a recipe of which a run begins, which the caller has checked.
    pub(super) fn begin_recipe(&mut self, write: Option<RecipeWrite>) {
        let Some(write) = write else { return };
        let at = rules::recipe_position(&write.record.name);
        let begun = rules::recipe_begun(&write, self.recipes.get(&at).map(AsRef::as_ref));
        self.recipes.insert(at, Arc::new(begun));
    }

    /// What a step of a run does with its recipe.
    pub(super) fn recipe_step(&self, change: &RecipeChange, by: OperationId) -> RecipeStep {
        let at = rules::recipe_of(change).map(rules::recipe_position);
        let present = at.and_then(|at| self.recipes.get(&at)).map(AsRef::as_ref);
        rules::recipe_stepped(change, present, by)
    }

    /// Does with a recipe what a step says.
    pub(super) fn step_recipe(&mut self, step: RecipeStep) {
        match step {
            RecipeStep::Stay => {}
            RecipeStep::Put(kept) => {
                self.recipes.insert(rules::recipe_position(&kept.name), Arc::new(*kept));
            }
            RecipeStep::Remove(at) => {
                self.recipes.remove(&at);
                self.forget_state(&at);
            }
        }
    }
}
