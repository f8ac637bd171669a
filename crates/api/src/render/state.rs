//! The words for how things are. Pollers compare them: three are terminal, and no other word may
//! contain `fail` or `succeeded`.

use hangar_plan::group::GroupTask;
use hangar_plan::operation::{Ending, EntryState, Kind, Operation, Stage, Verb};
use hangar_plan::recipe::{Progress, RecipeRow, RecipeTask, RecipeWork};
use hangar_plan::record::{DriftState, GroupState, OperationRecord, RecipeRecord, Reference, Work};

/// What a deployment under way is called.
pub(super) const RUNNING: &str = "Running";
const ACCEPTED: &str = "Accepted";
const CREATING: &str = "Creating";
const UPDATING: &str = "Updating";
pub(super) const DELETING: &str = "Deleting";
pub(crate) const SUCCEEDED: &str = "Succeeded";
pub(super) const FAILED: &str = "Failed";
pub(super) const CANCELED: &str = "Canceled";

/// How an operation is.
pub(crate) fn operation_word(operation: &Operation) -> &'static str {
    match &operation.ending {
        Some(ending) => ending_word(ending),
        None => match (operation.current().map(|attempt| attempt.verb), &operation.kind) {
            (Some(Verb::Create), _) => CREATING,
            (Some(Verb::Update), _) => UPDATING,
            (Some(Verb::Delete), _) | (None, Kind::Delete | Kind::Unlink) => DELETING,
            (None, Kind::Put | Kind::Import { .. }) => ACCEPTED,
        },
    }
}

/// How an operation of any kind is.
pub(crate) fn record_word(record: &OperationRecord) -> &'static str {
    match &record.work {
        Work::Resource(work) => operation_word(&work.operation),
        Work::Group(work) => match (&work.ending, work.task) {
            (Some(ending), _) => ending_word(ending),
            (None, GroupTask::Delete) => DELETING,
            (None, GroupTask::Drift { .. }) => UPDATING,
        },
        Work::Deployment(work) => work.ending.as_ref().map_or(RUNNING, ending_word),
        Work::Recipe(work) => match (&work.ending, work.task) {
            (Some(ending), _) => ending_word(ending),
            (None, RecipeTask::Delete) => DELETING,
            (None, RecipeTask::Deploy) => RUNNING,
        },
    }
}

/// How a recipe is.
pub(super) fn recipe_state(recipe: &RecipeRecord) -> &'static str {
    match (&recipe.ending, recipe.task) {
        (Some(ending), _) => ending_word(ending),
        (None, RecipeTask::Delete) => DELETING,
        (None, RecipeTask::Deploy) => RUNNING,
    }
}

/// How an operation ended.
pub(crate) fn ending_word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Succeeded(_) => SUCCEEDED,
        Ending::Failed(_) => FAILED,
        Ending::Canceled(_) => CANCELED,
    }
}

/// How far an operation is, as far as anybody can tell: a cloud says begun or done, and no more; a deployment
/// knows which of its resources are.
pub(crate) fn percent(record: &OperationRecord) -> u8 {
    if record.is_ended() {
        return 100;
    }
    match &record.work {
        Work::Resource(work) => match work.operation.stage {
            Stage::Poll | Stage::Verify { .. } => 50,
            _ => 0,
        },
        Work::Group(_) => 0,
        Work::Deployment(work) => super::deployment::percent(work),
        Work::Recipe(work) => recipe_percent(work),
    }
}

/// How many of the resources that a run changes are changed.
fn recipe_percent(work: &RecipeWork) -> u8 {
    let over = |row: &&RecipeRow| matches!(row.progress, Progress::Done | Progress::Failed);
    let done = work.rows.iter().filter(over).count();
    let all = work.rows.len().max(1);
    u8::try_from(done.min(all) * 99 / all).unwrap_or(99)
}

/// How a reference is: its running operation's word, else what the last write left.
pub(crate) fn reference_state(reference: &Reference, running: Option<&Operation>) -> &'static str {
    match (running, reference.entry.state, &reference.last_operation) {
        (Some(operation), _, _) if !operation.is_ended() => operation_word(operation),
        // Reserved by an operation that has since gone on.
        (_, EntryState::Reserved, _) if reference.entry.operation.is_some() => ACCEPTED,
        (_, EntryState::Failed | EntryState::Unknown | EntryState::Reserved, _)
        | (_, EntryState::Missing, Some((_, Ending::Failed(_)))) => FAILED,
        (_, EntryState::Ready | EntryState::Missing, _) => SUCCEEDED,
    }
}

/// How a group is.
pub(crate) fn group_state(state: GroupState) -> &'static str {
    match state {
        GroupState::Ready => SUCCEEDED,
        GroupState::Deleting => DELETING,
    }
}

/// How what an alias stands for is.
pub(crate) fn entry_word(state: EntryState) -> &'static str {
    match state {
        EntryState::Reserved => "reserved",
        EntryState::Ready => "ready",
        EntryState::Failed => "failed",
        EntryState::Unknown => "unknown",
        EntryState::Missing => "missing",
    }
}

/// How a resource stands to what was applied.
pub(crate) fn drift_word(state: DriftState) -> &'static str {
    match state {
        DriftState::InSync => "InSync",
        DriftState::Drifted => "Drifted",
        DriftState::Missing => "Missing",
        DriftState::Unknown => "Unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pollers_cannot_take_a_running_word_for_an_end() {
        for word in [RUNNING, ACCEPTED, CREATING, UPDATING, DELETING] {
            let word = word.to_lowercase();
            assert!(
                !word.contains("fail") && !word.contains("succeeded") && !word.contains("cancel")
            );
        }
        assert_eq!([SUCCEEDED, FAILED, CANCELED], ["Succeeded", "Failed", "Canceled"]);
    }
}
