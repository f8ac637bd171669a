//! The Terraform state of recipes in memory: who holds it, and its versions.

use std::sync::Arc;

use hangar_plan::record::{RecipeName, StateHead, StateLock, StateVersion};

use super::state::State;
use crate::rules::{self, Locking, PresentState, RecipePosition};
use crate::{KEPT_STATES, StateError, StateWrite, StoredState};

impl State {
    pub(super) fn terraform_head(&self, at: &RecipePosition) -> StateHead {
        let mut newest = self.terraform_versions(at);
        StateHead {
            lock: self.terraform_locks.get(at).map(|it| StateLock::clone(it)),
            current: newest.find(|it| !it.version.stray).map(|it| it.version.clone()),
        }
    }

    pub(super) fn terraform_list(&self, at: &RecipePosition) -> Vec<StateVersion> {
        self.terraform_versions(at).map(|it| it.version.clone()).collect()
    }

    pub(super) fn terraform_state(&self, at: &RecipePosition, number: u64) -> Option<StoredState> {
        self.terraform_states.get(&(at.clone(), number)).map(|it| StoredState::clone(it))
    }

    pub(super) fn write_terraform(
        &mut self,
        write: StateWrite,
    ) -> Result<StateVersion, StateError> {
        let at = rules::recipe_position(&write.recipe);
        let kept = rules::state_written(&write, &self.present_terraform(&at))?;
        let stored = StoredState { version: kept.clone(), sealed: write.sealed };
        self.terraform_states.insert((at.clone(), kept.number), Arc::new(stored));
        let of_its_kind = self.terraform_versions(&at).filter(|it| it.version.stray == kept.stray);
        let passed: Vec<u64> = of_its_kind.skip(KEPT_STATES).map(|it| it.version.number).collect();
        for number in passed {
            self.terraform_states.remove(&(at.clone(), number));
        }
        Ok(kept)
    }

    pub(super) fn lock_terraform(
        &mut self,
        recipe: &RecipeName,
        lock: &StateLock,
    ) -> Result<(), StateError> {
        let at = rules::recipe_position(recipe);
        if rules::may_lock(&self.present_terraform(&at), lock)? == Locking::Taken {
            self.terraform_locks.insert(at, Arc::new(lock.clone()));
        }
        Ok(())
    }

    pub(super) fn unlock_terraform(
        &mut self,
        recipe: &RecipeName,
        id: Option<&str>,
    ) -> Result<Option<StateLock>, StateError> {
        let at = rules::recipe_position(recipe);
        let freed = rules::may_unlock(self.present_terraform(&at), id)?;
        self.terraform_locks.remove(&at);
        Ok(freed)
    }

    /// Removes the lock and all versions of a recipe that goes.
    pub(super) fn forget_state(&mut self, at: &RecipePosition) {
        self.terraform_locks.remove(at);
        self.terraform_states.retain(|(of, _), _| of != at);
    }

    fn present_terraform(&self, at: &RecipePosition) -> PresentState {
        PresentState {
            has_recipe: self.recipes.contains_key(at),
            lock: self.terraform_locks.get(at).map(|it| StateLock::clone(it)),
            last: self.terraform_versions(at).next().map(|it| it.version.number),
        }
    }

    /// The versions of a recipe's state, newest first.
    fn terraform_versions(&self, at: &RecipePosition) -> impl Iterator<Item = &Arc<StoredState>> {
        let versions = self.terraform_states.range((at.clone(), 0)..=(at.clone(), u64::MAX));
        versions.rev().map(|(_, it)| it)
    }
}
