//! What a caller is told of a Terraform state that was not written, locked or unlocked.

use hangar_plan::record::RecipeName;
use hangar_store::StateError;

use super::of_store;
use crate::error::{ApiError, Code};
use crate::handle::lookup::no_recipe;

/// The answer where a state was not touched; who holds it is for the caller to say.
pub(crate) fn of_state(error: &StateError, recipe: &RecipeName) -> ApiError {
    match error {
        StateError::NoRecipe => no_recipe(recipe),
        StateError::Locked(lock) => {
            let message = format!("the state is locked by `{}`", lock.id);
            ApiError::new(Code::Conflict, message).with_target(recipe.id())
        }
        StateError::LockLost => ApiError::new(
            Code::Conflict,
            "another caller removed the lock of this write; nothing was written",
        )
        .with_target(recipe.id()),
        StateError::Store(error) => of_store(error),
    }
}
