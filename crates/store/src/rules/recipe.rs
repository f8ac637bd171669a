//! When a run of a recipe may begin, and what is kept of it when it begins, moves and goes.
//!
//! What is sealed in a recipe that is there is never looked at: a store need not read it to decide.

use hangar_plan::operation::OperationId;
use hangar_plan::record::{RecipeName, RecipeRecord, Version};

use super::first_version;
use crate::error::ReserveError;
use crate::write::{RecipeChange, RecipeWrite};

/// Where a recipe stands in lists: (group, name) in the form that is compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RecipePosition {
    pub(crate) group: String,
    pub(crate) name: String,
}

/// Where a recipe stands in lists.
pub(crate) fn recipe_position(name: &RecipeName) -> RecipePosition {
    RecipePosition { group: name.group.key(), name: name.name.to_ascii_lowercase() }
}

/// What a step does with a recipe.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RecipeStep {
    /// It stays as it is.
    Stay,
    /// It is kept so.
    Put(Box<RecipeRecord>),
    /// It goes, with its lock and all versions of its state.
    Remove(RecipePosition),
}

/// Whether a recipe at version `present` may be run by one who saw `seen`.
pub(crate) fn may_run(seen: Option<Version>, present: Option<Version>) -> Result<(), ReserveError> {
    if seen == present { Ok(()) } else { Err(ReserveError::Stale) }
}

/// A recipe as it is kept when a run of it begins. As with deployments, one that is new begins at a version
/// that belongs to its operation: one that was deleted and made again never comes to a version that
/// somebody saw before.
pub(crate) fn recipe_begun(write: &RecipeWrite, present: Option<&RecipeRecord>) -> RecipeRecord {
    let record = write.record.clone();
    match present {
        Some(present) => over(record, present),
        None => RecipeRecord { version: first_version(record.operation), ..record },
    }
}

/// The recipe that a change is about, if it is about one.
pub(crate) fn recipe_of(change: &RecipeChange) -> Option<&RecipeName> {
    match change {
        RecipeChange::Keep => None,
        RecipeChange::Save(record) => Some(&record.name),
        RecipeChange::Remove(name) => Some(name),
    }
}

/// What a step of an operation does with a recipe: nothing where that is gone, or where a later run than this
/// one has taken its place.
pub(crate) fn recipe_stepped(
    change: &RecipeChange,
    present: Option<&RecipeRecord>,
    by: OperationId,
) -> RecipeStep {
    let Some(present) = present.filter(|it| it.operation == by) else { return RecipeStep::Stay };
    match change {
        RecipeChange::Keep => RecipeStep::Stay,
        RecipeChange::Save(record) => {
            let kept = over(RecipeRecord::clone(record), present);
            RecipeStep::Put(Box::new(RecipeRecord { operation: by, ..kept }))
        }
        RecipeChange::Remove(name) => RecipeStep::Remove(recipe_position(name)),
    }
}

fn over(record: RecipeRecord, present: &RecipeRecord) -> RecipeRecord {
    RecipeRecord {
        name: present.name.clone(),
        created_at: present.created_at,
        version: present.version.next(),
        ..record
    }
}

#[cfg(test)]
mod tests {
    use hangar_plan::Timestamp;
    use hangar_plan::recipe::RecipeTask;
    use hangar_plan::record::{GroupName, RecipeStatus};
    use serde_json::json;

    use super::*;

    const FIRST_RUN: OperationId = OperationId::from_u128(0x0100);
    const LATER_RUN: OperationId = OperationId::from_u128(0x0200);

    fn record(name: &str, operation: OperationId, at: i64) -> RecipeRecord {
        let group = GroupName { plane: "local".to_owned(), group: "Team".to_owned() };
        RecipeRecord {
            name: RecipeName { group, name: name.to_owned() },
            operation,
            task: RecipeTask::Deploy,
            started_at: Timestamp::from_micros(at),
            ended_at: None,
            ending: None,
            source: "./net".to_owned(),
            source_version: None,
            parameters: json!({}),
            secret_parameters: Vec::new(),
            status: RecipeStatus::default(),
            managed_by: None,
            sealed: format!("sealed at {at}").into_bytes(),
            created_at: Timestamp::from_micros(at),
            version: Version(77),
        }
    }

    #[test]
    fn a_run_begins_only_on_what_was_seen() {
        let seen = |version| Some(Version(version));
        let cases = [
            (None, None, Ok(())),
            (None, seen(1), Err(ReserveError::Stale)),
            (seen(1), None, Err(ReserveError::Stale)),
            (seen(1), seen(1), Ok(())),
            (seen(1), seen(2), Err(ReserveError::Stale)),
        ];
        for (seen, present, expected) in cases {
            assert_eq!(may_run(seen, present), expected, "{seen:?} {present:?}");
        }
    }

    #[test]
    fn what_was_first_stays_and_the_version_counts_on() {
        let write = |record| RecipeWrite { record, seen: None };
        let first = recipe_begun(&write(record("Net", FIRST_RUN, 1)), None);
        assert_eq!(first.version, Version(2), "by its operation");
        let again = recipe_begun(&write(record("NET", LATER_RUN, 2)), Some(&first));
        assert_eq!((again.name.name.as_str(), again.version), ("Net", Version(3)));
        assert_eq!(again.created_at, Timestamp::from_micros(1));
        assert_eq!((again.operation, again.started_at), (LATER_RUN, Timestamp::from_micros(2)));
        assert_eq!(again.sealed, b"sealed at 2");
        let at = recipe_position(&again.name);
        assert_eq!((at.group.as_str(), at.name.as_str()), ("local/team", "net"));
    }

    #[test]
    fn a_run_whose_place_was_taken_moves_nothing() {
        let present = record("Net", LATER_RUN, 1);
        let step = record("nET", FIRST_RUN, 9);
        let save = RecipeChange::Save(Box::new(step.clone()));
        let remove = RecipeChange::Remove(step.name.clone());
        for change in [&RecipeChange::Keep, &save, &remove] {
            assert_eq!(recipe_stepped(change, None, FIRST_RUN), RecipeStep::Stay);
            assert_eq!(recipe_stepped(change, Some(&present), FIRST_RUN), RecipeStep::Stay);
        }
        let kept = recipe_stepped(&RecipeChange::Keep, Some(&present), LATER_RUN);
        assert_eq!(kept, RecipeStep::Stay);
        let RecipeStep::Put(kept) = recipe_stepped(&save, Some(&present), LATER_RUN) else {
            panic!("it is its own")
        };
        assert_eq!((kept.operation, kept.name.name.as_str()), (LATER_RUN, "Net"));
        assert_eq!((kept.version, kept.created_at), (Version(78), present.created_at));
        assert_eq!((kept.started_at, kept.sealed), (step.started_at, step.sealed));
        let gone = recipe_stepped(&remove, Some(&present), LATER_RUN);
        assert_eq!(gone, RecipeStep::Remove(recipe_position(&present.name)));
    }
}
