//! Who may write the Terraform state of a recipe, and who may take and free its lock.

use hangar_plan::record::{StateLock, StateVersion};

use crate::error::StateError;
use crate::write::StateWrite;

/// How the state of a recipe stands, as one who wants to write or lock it must know it.
#[derive(Debug, Clone, Default)]
pub(crate) struct PresentState {
    /// Whether there is the recipe.
    pub(crate) has_recipe: bool,
    /// Who holds it.
    pub(crate) lock: Option<StateLock>,
    /// The highest number of all versions that are there. The newest always is: so no number comes twice.
    pub(crate) last: Option<u64>,
}

/// What asking for a lock comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Locking {
    /// It is taken.
    Taken,
    /// Who asks has it already: it stays as it was first taken.
    Held,
}

/// A version as it is kept, if its writer may write it.
pub(crate) fn state_written(
    write: &StateWrite,
    present: &PresentState,
) -> Result<StateVersion, StateError> {
    if !present.has_recipe {
        return Err(StateError::NoRecipe);
    }
    if !write.version.stray {
        may_write_state(present.lock.as_ref(), write.lock_id.as_deref())?;
    }
    let number = present.last.unwrap_or_default().saturating_add(1);
    Ok(StateVersion { number, ..write.version.clone() })
}

/// Whether one who says that he holds `lock_id` may make a version the current one.
fn may_write_state(held: Option<&StateLock>, lock_id: Option<&str>) -> Result<(), StateError> {
    match (held, lock_id) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(StateError::LockLost),
        (Some(held), Some(id)) if held.id == id => Ok(()),
        (Some(held), _) => Err(locked(held)),
    }
}

/// What becomes of the lock when somebody asks for it.
pub(crate) fn may_lock(present: &PresentState, wanted: &StateLock) -> Result<Locking, StateError> {
    if !present.has_recipe {
        return Err(StateError::NoRecipe);
    }
    match &present.lock {
        None => Ok(Locking::Taken),
        Some(held) if held.id == wanted.id => Ok(Locking::Held),
        Some(held) => Err(locked(held)),
    }
}

/// The lock that is freed for one who names `id`, or any where none is named; nothing where it is free.
pub(crate) fn may_unlock(
    present: PresentState,
    id: Option<&str>,
) -> Result<Option<StateLock>, StateError> {
    if !present.has_recipe {
        return Err(StateError::NoRecipe);
    }
    match present.lock {
        Some(held) if id.is_some_and(|id| id != held.id) => Err(locked(&held)),
        held => Ok(held),
    }
}

fn locked(held: &StateLock) -> StateError {
    StateError::Locked(Box::new(held.clone()))
}

#[cfg(test)]
mod tests {
    use hangar_plan::Timestamp;
    use hangar_plan::record::{GroupName, RecipeName};
    use serde_json::json;

    use super::*;

    fn lock(id: &str) -> StateLock {
        let taken_at = Timestamp::default();
        StateLock { id: id.to_owned(), info: json!({}), taken_at, operation: None }
    }

    fn present(held: Option<&str>, last: Option<u64>) -> PresentState {
        PresentState { has_recipe: true, lock: held.map(lock), last }
    }

    fn write(lock_id: Option<&str>, stray: bool) -> StateWrite {
        let group = GroupName { plane: "local".to_owned(), group: "team".to_owned() };
        StateWrite {
            recipe: RecipeName { group, name: "net".to_owned() },
            version: StateVersion {
                number: 40,
                serial: Some(3),
                lineage: None,
                instances: 1,
                size: 2,
                digest: String::new(),
                operation: None,
                written_at: Timestamp::default(),
                stray,
            },
            sealed: Vec::new(),
            lock_id: lock_id.map(str::to_owned),
        }
    }

    #[test]
    fn only_the_holder_writes_while_a_lock_is_held_and_nobody_with_one_that_is_gone() {
        let other = || Err(StateError::Locked(Box::new(lock("b"))));
        let cases = [
            (None, None, Ok(())),
            (None, Some("a"), Err(StateError::LockLost)),
            (Some("b"), None, other()),
            (Some("b"), Some("a"), other()),
            (Some("b"), Some("B"), other()),
            (Some("b"), Some("b"), Ok(())),
        ];
        for (held, named, expected) in cases {
            let answer = state_written(&write(named, false), &present(held, None)).map(drop);
            assert_eq!(answer, expected, "{held:?} {named:?}");
            let stray = state_written(&write(named, true), &present(held, None));
            assert!(stray.is_ok_and(|it| it.stray), "a stray one needs no lock");
        }
    }

    #[test]
    fn versions_count_on_from_the_highest() {
        for (last, number) in [(None, 1), (Some(1), 2), (Some(30), 31), (Some(u64::MAX), u64::MAX)]
        {
            let kept = state_written(&write(None, false), &present(None, last)).unwrap();
            assert_eq!(kept, StateVersion { number, ..write(None, false).version });
        }
    }

    #[test]
    fn a_lock_is_taken_once_and_freed_by_its_holder_or_by_force() {
        let other = StateError::Locked(Box::new(lock("b")));
        assert_eq!(may_lock(&present(None, None), &lock("a")), Ok(Locking::Taken));
        assert_eq!(may_lock(&present(Some("a"), None), &lock("a")), Ok(Locking::Held));
        assert_eq!(may_lock(&present(Some("b"), None), &lock("a")), Err(other.clone()));
        let cases = [
            (None, None, Ok(None)),
            (None, Some("a"), Ok(None)),
            (Some("b"), Some("a"), Err(other)),
            (Some("b"), Some("b"), Ok(Some(lock("b")))),
            (Some("b"), None, Ok(Some(lock("b")))),
        ];
        for (held, id, expected) in cases {
            assert_eq!(may_unlock(present(held, None), id), expected, "{held:?} {id:?}");
        }
    }

    #[test]
    fn nothing_is_done_to_the_state_of_a_recipe_that_is_not_there() {
        let gone = PresentState::default();
        for stray in [false, true] {
            assert_eq!(state_written(&write(None, stray), &gone), Err(StateError::NoRecipe));
        }
        assert_eq!(may_lock(&gone, &lock("a")), Err(StateError::NoRecipe));
        assert_eq!(may_unlock(gone, None), Err(StateError::NoRecipe));
    }
}
