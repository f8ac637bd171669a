//! Deletes a group: reads what is left in it, asks what may go next, and begins that.
//!
//! Recipes go first: what they made may hang on what references stand for. Each of both is deleted by an
//! operation whose name follows from the deletion, its turn and the reference. So a reference tells by itself whether this turn's operation works on it or has ended, and
//! one that is begun twice, by a worker that lost its lease, begins once.

use std::collections::HashMap;
use std::time::Duration;

use hangar_plan::group::{GroupWork, Member, Standing, sweep};
use hangar_plan::operation::{Ending, EntryState, Failure, FailureKind, Finding, OperationId};
use hangar_plan::record::{RecipeName, RecipeRecord, Subject};
use hangar_store::{
    CommitError, GroupChange, ReferenceFilter, ReferenceOutline, ReferencePosition, StoreError,
};
use tokio::time::Instant;

use super::{Course, Next, Stopped};
use crate::ask::{Ask, Condition, DeleteMode, Parent, RecipeAsk, Submission};
use crate::hash::sha256;
use crate::submit;

/// References that are read at once.
const PAGE: usize = 500;

/// How long after its decision a deletion may be begun: another worker may have the lease by then.
const BEGIN_WITHIN: Duration = Duration::from_secs(5);

/// When it looks again where the end was refused.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Drives the deletion of a group until it has to wait.
pub(super) async fn run(course: &mut Course<'_>) -> Result<Option<Duration>, Stopped> {
    loop {
        let (things, members) = read(course).await?;
        let decided = sweep(&course.work, &members, course.now().await?);
        if let Some(ending) = &decided.work.ending {
            let change = match ending {
                Ending::Succeeded(_) => GroupChange::Remove,
                Ending::Failed(_) | Ending::Canceled(_) => GroupChange::Reopen,
            };
            let before = course.work.clone();
            // A run that outlived its group would go on in the next one of that name.
            if change == GroupChange::Remove && has_runs(course).await? {
                return course.commit(before, Next::LookAfter(LOOK_AGAIN), None).await;
            }
            return match course.commit(decided.work, Next::End(change), decided.message).await {
                Err(Stopped::Commit(CommitError::NotEmpty(id))) => {
                    tracing::warn!(resource.id = id, "found a resource when removing the group");
                    course.commit(before, Next::LookAfter(LOOK_AGAIN), None).await
                }
                other => other,
            };
        }
        if course.shared.is_stopping() {
            let work = course.work.clone();
            return course.commit(work, Next::LookAfter(Duration::ZERO), None).await;
        }
        if decided.launch.is_empty() && !decided.look_after.is_zero() {
            let next = Next::LookAfter(decided.look_after);
            return course.commit(decided.work, next, decided.message).await;
        }
        course.commit(decided.work, Next::GoOn, decided.message).await?;
        if decided.launch.is_empty() || course.work.cancel_requested {
            continue;
        }
        let chosen = decided.launch.iter().filter_map(|index| things.get(*index));
        let turned_away = begin(course, chosen).await;
        let mut work = course.work.clone();
        work.clearing.turned_away.extend(turned_away);
        return course.commit(work, Next::LookAfter(decided.look_after), None).await;
    }
}

/// Whether runs of templates in the group have not ended; they are asked to. None begins in a group that is closed.
async fn has_runs(course: &Course<'_>) -> Result<bool, StoreError> {
    let (store, group) = (&course.shared.store, &course.work.group);
    let mut after: Option<String> = None;
    let mut found = false;
    loop {
        let page = store.deployment_list(group, after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(found) };
        after = Some(last.name.name.to_ascii_lowercase());
        for deployment in page.iter().filter(|it| it.ending.is_none()) {
            let Some(run) = store.operation_find(deployment.operation).await? else { continue };
            found |= !run.is_ended();
            if !run.is_ended() && !run.is_stop_wanted() {
                store.operation_cancel(run.id()).await?;
            }
        }
    }
}

/// Something of the group that is to go.
enum Thing {
    Reference(Subject),
    Recipe(RecipeName),
}

/// All that is left: references without their documents, and recipes.
async fn read(course: &Course<'_>) -> Result<(Vec<Thing>, Vec<Member>), StoreError> {
    let (mut things, mut members) = read_references(course).await?;
    let below: Vec<String> = members.iter().map(|it| it.id.clone()).collect();
    let mut after: Option<String> = None;
    loop {
        let group = &course.work.group;
        let page = course.shared.store.recipe_list(group, after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok((things, members)) };
        after = Some(last.name.name.to_ascii_lowercase());
        for recipe in page {
            let (id, depends_on) = (recipe.name.id(), below.clone());
            let turned_away = course.work.clearing.turned_away.iter().find(|it| it.path == id);
            let standing = recipe_standing(&course.work, &recipe, turned_away);
            members.push(Member { id, depends_on, unsettled: false, standing });
            things.push(Thing::Recipe(recipe.name));
        }
    }
}

/// How a recipe stands in this turn.
fn recipe_standing(
    work: &GroupWork,
    recipe: &RecipeRecord,
    turned_away: Option<&Finding>,
) -> Standing {
    let own = child(work, &recipe.name.id());
    match (&recipe.ending, turned_away) {
        (None, _) => Standing::Busy,
        (Some(_), Some(Finding { code, message, .. })) => {
            Standing::Refused { code: code.clone(), message: message.clone() }
        }
        (Some(Ending::Failed(failure) | Ending::Canceled(failure)), None)
            if recipe.operation == own =>
        {
            Standing::Refused { code: failure.code.clone(), message: failure.message.clone() }
        }
        (Some(_), None) => Standing::Free,
    }
}

/// All references that are left, without their documents.
async fn read_references(course: &Course<'_>) -> Result<(Vec<Thing>, Vec<Member>), StoreError> {
    let work = &course.work;
    let turned_away: HashMap<&str, &Finding> =
        work.clearing.turned_away.iter().map(|it| (it.path.as_str(), it)).collect();
    let filter = ReferenceFilter { group: Some(work.group.clone()), ..ReferenceFilter::default() };
    let mut after: Option<ReferencePosition> = None;
    let (mut things, mut members) = (Vec::new(), Vec::new());
    loop {
        let page =
            course.shared.store.reference_outline_list(&filter, after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok((things, members)) };
        after = Some(ReferencePosition {
            group: last.name.group.key(),
            type_key: last.name.type_key(),
            alias: last.name.alias_key(),
        });
        for reference in page {
            let id = reference.name.id();
            let standing = standing(work, &reference, turned_away.get(id.as_str()).copied());
            let ReferenceOutline { name, scope, entry, depends_on, .. } = reference;
            let unsettled = !entry.unsettled.is_empty() || entry.state == EntryState::Unknown;
            members.push(Member { id, depends_on, unsettled, standing });
            let subject = Subject::new(scope, name.type_name.clone(), Some(name));
            things.push(Thing::Reference(subject));
        }
    }
}

/// How a reference stands in this turn.
fn standing(
    work: &GroupWork,
    reference: &ReferenceOutline,
    turned_away: Option<&Finding>,
) -> Standing {
    if reference.entry.operation.is_some() {
        return Standing::Busy;
    }
    if let Some(Finding { code, message, .. }) = turned_away {
        return Standing::Refused { code: code.clone(), message: message.clone() };
    }
    let own = child(work, &reference.name.key());
    match &reference.last_operation {
        Some((id, Ending::Failed(failure) | Ending::Canceled(failure))) if *id == own => {
            let (code, message) = (failure.code.clone(), failure.message.clone());
            Standing::Refused { code, message }
        }
        Some((id, Ending::Succeeded(_))) if *id == own => Standing::Refused {
            code: "ReferenceLeft".to_owned(),
            message: "its deletion succeeded, but the reference still exists".to_owned(),
        },
        _ => Standing::Free,
    }
}

/// Begins deletions; gives back what was refused at once.
async fn begin(course: &Course<'_>, things: impl Iterator<Item = &Thing>) -> Vec<Finding> {
    let begun = Instant::now();
    let mut turned_away = Vec::new();
    for thing in things {
        if begun.elapsed() > BEGIN_WITHIN || course.shared.is_stopping() {
            break;
        }
        let Err((path, failure)) = submitted(course, thing).await else { continue };
        let passing = match failure.kind {
            // Ours: a store that is away, a stop.
            FailureKind::Unavailable | FailureKind::Throttled => true,
            FailureKind::NotFound => failure.code == "ResourceNotFound",
            // A write by id holds the resource; what it is waited for ends.
            FailureKind::Conflict => failure.code == "Conflict",
            _ => false,
        };
        if !passing {
            let (code, message) = (failure.code, failure.message);
            turned_away.push(Finding { code, path, message });
        }
    }
    turned_away
}

/// Begins the deletion of one thing, or says why it is not begun, with the thing's id.
async fn submitted(course: &Course<'_>, thing: &Thing) -> Result<(), (String, Failure)> {
    let parent = Some(Parent::Deletion(course.work.id));
    let correlation_id = course.record.correlation_id.clone();
    match thing {
        Thing::Reference(subject) => {
            let Some(name) = &subject.reference else { return Ok(()) };
            let ask = Ask::Delete { identifier: None, mode: DeleteMode::ByOwnership };
            let submission = Submission {
                parent,
                id: Some(child(&course.work, &name.key())),
                correlation_id,
                ..Submission::new(subject.clone(), ask)
            };
            let begun = submit::submit(course.shared, submission).await;
            begun.map(drop).map_err(|failure| (name.id(), failure))
        }
        Thing::Recipe(name) => {
            let ask = RecipeAsk {
                name: name.clone(),
                terms: None,
                parent,
                hold: None,
                id: Some(child(&course.work, &name.id())),
                condition: Condition::None,
                repeatability: None,
                correlation_id,
            };
            let begun = submit::submit_recipe(course.shared, ask).await;
            begun.map(drop).map_err(|failure| (name.id(), failure))
        }
    }
}

/// The name of the operation that deletes a reference or a recipe in this turn: a UUID of version 7, of when the
/// turn began.
fn child(work: &GroupWork, reference_key: &str) -> OperationId {
    let hash = sha256(&format!("{}/{}/{reference_key}", work.id, work.turn()));
    let bits = hash.get(..32).and_then(|digits| u128::from_str_radix(digits, 16).ok());
    OperationId::of_parts(work.clearing.round_at, bits.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use hangar_plan::Timestamp;
    use hangar_plan::group::{GroupTask, Phase};
    use hangar_plan::record::GroupName;

    use super::*;

    #[test]
    fn a_reference_has_one_child_a_turn_and_its_id_is_a_uuid_of_version_seven() {
        let group = GroupName { plane: "local".to_owned(), group: "team".to_owned() };
        let at = Timestamp::from_micros(1_794_744_812_354_000);
        let id = OperationId::from_u128(1);
        let mut work = GroupWork::new(id, group, GroupTask::Delete, at);
        work.clearing.round_at = at;
        let first = child(&work, "a");
        assert_eq!(first, child(&work, "a"));
        assert_ne!(first, child(&work, "b"));
        work.clearing.phase = Phase::Clear;
        let second = child(&work, "a");
        work.round = 2;
        assert!(first != second && second != child(&work, "a"));
        let uuid = uuid::Uuid::from_u128(first.as_u128());
        assert_eq!(uuid.get_version_num(), 7);
        assert_eq!(uuid.get_variant(), uuid::Variant::RFC4122);
        let (seconds, nanos) = uuid.get_timestamp().unwrap().to_unix();
        assert_eq!((seconds, nanos), (1_794_744_812, 354_000_000));
    }
}
