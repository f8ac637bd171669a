//! What a run left behind: a state that it could not hand in, and a lock that it could not give back.

use hangar_manifest::state;
use hangar_plan::operation::OperationId;
use hangar_plan::record::{RecipeName, StateVersion};
use hangar_store::{StateError, StoreError};

use super::runner::RunId;
use super::state::{StateContent, StateRefused, write};
use super::{Recipes, Stopped};
use crate::engine::Shared;

/// Where Terraform leaves a state that it could not hand in.
pub(super) const LEFT_STATE: &str = "errored.tfstate";

/// Takes in the state that a run on this machine could not hand in, and frees the lock of its operation; what is odd
/// is told. The run is over.
pub(super) async fn take_in(
    shared: &Shared,
    recipes: &Recipes,
    name: &RecipeName,
    (operation, run): (OperationId, Option<RunId>),
) -> Result<Vec<String>, Stopped> {
    let mut warnings = Vec::new();
    let head = shared.store.state_head(name).await?;
    let lock = head.lock.filter(|lock| lock.operation == Some(operation));
    if let Some(run) = run {
        match recipes.runner.read(run, LEFT_STATE).await {
            Ok(Some(content)) => {
                let stray = !is_next(&content, head.current.as_ref());
                let lock_id = lock.as_ref().map(|lock| lock.id.clone());
                let operation = Some(operation);
                let given = StateContent { content, lock_id, operation, stray };
                warnings.extend(keep(shared, name, given).await?);
            }
            Ok(None) => {}
            // Nothing is given up that may be there.
            Err(failure) => return Err(StoreError::Unavailable(failure.message).into()),
        }
    }
    if let Some(lock) = lock {
        let freed = shared.store.state_unlock(name, Some(&lock.id)).await;
        // Any other refusal: somebody else freed it, and holds it by now.
        if let Err(StateError::Store(error)) = freed {
            return Err(Stopped::Store(error));
        }
    }
    Ok(warnings)
}

/// Keeps a state that a run could not hand in: as the current one where it is the next of its line, else beside it.
async fn keep(
    shared: &Shared,
    name: &RecipeName,
    given: StateContent,
) -> Result<Option<String>, Stopped> {
    let beside =
        StateContent { content: given.content.clone(), lock_id: None, stray: true, ..given };
    let mut stray = given.stray;
    let mut kept = write(shared, name, given).await;
    if let Err(StateRefused::Store(StateError::Locked(_) | StateError::LockLost)) = kept {
        // Somebody else has the state by now.
        stray = true;
        kept = write(shared, name, beside).await;
    }
    match kept {
        Ok(_) if !stray => Ok(None),
        Ok(kept) => Ok(Some(format!(
            "the run left a state that does not follow the current one; it is kept as version {}, \
             next to the current one",
            kept.number
        ))),
        Err(StateRefused::Store(StateError::Store(error))) => Err(Stopped::Store(error)),
        Err(StateRefused::Store(error)) => {
            Ok(Some(format!("the state of the run is lost: {error}")))
        }
        Err(StateRefused::Invalid(why)) => {
            Ok(Some(format!("the run left a file that is not a state: {why}")))
        }
    }
}

/// Whether a state follows the current one: of the same line, and later.
fn is_next(content: &[u8], current: Option<&StateVersion>) -> bool {
    let Ok(read) = state::read(content) else { return false };
    let Some(current) = current else { return true };
    let same_line =
        current.lineage.is_none() || read.lineage.as_deref() == current.lineage.as_deref();
    same_line && read.serial > current.serial
}
