//! Looks through a group for drift: a few references at a time, in order, from where it was left.
//!
//! What is to be mended is written down with the place that was reached, and only then asked for: a crash
//! goes on from there, and mends nothing twice.

use std::sync::Arc;
use std::time::Duration;

use hangar_plan::WaitReason;
use hangar_plan::group::{Cursor, Mend, Origin, PATIENCE, Remedy, Tally};
use hangar_plan::operation::{Ending, Failure, FailureKind, SuccessKind};
use hangar_plan::record::{DriftState, GroupState, Reference, ReferenceName, Subject};
use hangar_plan::retry::{self, Wait};
use hangar_store::{GroupChange, ReferenceFilter, ReferencePosition, StoreError};
use tokio::task::JoinSet;

use super::{Course, Next, Stopped};
use crate::ask::{Ask, Condition, DeleteMode, Parent, Submission};
use crate::drift::{self, Looked};
use crate::engine::Shared;
use crate::plural::resources;
use crate::submit;

/// References that are read at once.
const AT_ONCE: usize = 8;

/// References that are mended at once; it reads no further while there are so many.
const MENDS: usize = 16;

/// So often it reads before it lets another operation have its turn.
const BATCHES: usize = 16;

/// How long it waits for a turn, and how soon and how late it looks at what is being mended.
const TURN: Duration = Duration::from_secs(1);
const SOON: Duration = Duration::from_millis(200);

/// Looks through a group until it has to wait.
pub(super) async fn run(course: &mut Course<'_>) -> Result<Option<Duration>, Stopped> {
    let shared = course.shared;
    let Ok(_turn) = shared.drifts.try_acquire() else {
        let work = course.work.clone();
        return course.commit(work, Next::LookAfter(TURN), None).await;
    };
    for _ in 0..BATCHES {
        if shared.is_stopping() {
            break;
        }
        if let Some(failure) = group_is_gone(course).await? {
            return end(course, Ending::Failed(failure)).await;
        }
        let mending = mend(course).await?;
        if course.work.cancel_requested {
            return match mending {
                0 => end(course, Ending::Canceled(stopped(&course.work.tally))).await,
                _ => wait(course).await,
            };
        }
        if mending >= MENDS {
            return wait(course).await;
        }
        let page = next_page(course).await?;
        if page.is_empty() && mending > 0 {
            return wait(course).await;
        }
        if page.is_empty() {
            return finish(course).await;
        }
        let (looked, failure) = look(shared, page).await;
        if let Some(again_in) = keep(course, looked, failure).await? {
            return Ok(again_in);
        }
    }
    let work = course.work.clone();
    course.commit(work, Next::LookAfter(Duration::ZERO), None).await
}

/// Why there is no group to look through any more.
async fn group_is_gone(course: &Course<'_>) -> Result<Option<Failure>, StoreError> {
    let group = course.shared.store.group_find(&course.work.group).await?;
    if group.is_some_and(|group| group.state == GroupState::Ready) {
        return Ok(None);
    }
    Ok(Some(Failure {
        kind: FailureKind::Conflict,
        code: "GroupDeleting".to_owned(),
        message: format!(
            "the group is being deleted; checked {}",
            resources(course.work.tally.done)
        ),
        findings: Vec::new(),
    }))
}

/// The references after the last one that was looked at.
async fn next_page(course: &Course<'_>) -> Result<Vec<ReferenceName>, StoreError> {
    let group = course.work.group.clone();
    let after = course.work.looking.cursor.as_ref().map(|cursor| ReferencePosition {
        group: group.key(),
        type_key: cursor.type_key.clone(),
        alias: cursor.alias.clone(),
    });
    let filter = ReferenceFilter { group: Some(group), ..ReferenceFilter::default() };
    let page = course.shared.store.reference_list(&filter, after.as_ref(), AT_ONCE).await?;
    Ok(page.into_iter().map(|reference| reference.name).collect())
}

/// What became of one look: none where the reference is gone.
type Answer = (ReferenceName, Option<Looked>);

/// Looks at all of them at once; gives, in order, those before the first that could not be looked at now,
/// and why that was.
async fn look(shared: &Arc<Shared>, names: Vec<ReferenceName>) -> (Vec<Answer>, Option<Failure>) {
    let mut looks = JoinSet::new();
    for (index, name) in names.into_iter().enumerate() {
        let shared = shared.clone();
        looks.spawn(async move {
            let looked = drift::look(&shared, &name, None).await;
            (index, name, looked)
        });
    }
    let mut answers = Vec::new();
    while let Some(answer) = looks.join_next().await {
        match answer {
            Ok(answer) => answers.push(answer),
            Err(error) => tracing::error!(%error, "a check task failed"),
        }
    }
    answers.sort_by_key(|(index, ..)| *index);
    let mut looked = Vec::new();
    for (_, name, answer) in answers {
        match answer {
            Ok(found) => looked.push((name, Some(found))),
            Err(failure) if drift::is_passing(&failure) => return (looked, Some(failure)),
            Err(failure) => {
                tracing::info!(
                    resource.id = name.id(),
                    code = failure.code,
                    "cannot check the resource"
                );
                looked.push((name, None));
            }
        }
    }
    (looked, None)
}

/// Writes down what was found and how far it got; says when to look again where the cloud is to be waited
/// for.
async fn keep(
    course: &mut Course<'_>,
    looked: Vec<Answer>,
    failure: Option<Failure>,
) -> Result<Option<Option<Duration>>, Stopped> {
    let now = course.now().await?;
    let dice = &course.shared.config.dice;
    let mut work = course.work.clone();
    if !looked.is_empty() {
        work.tries = 0;
        work.looking.waiting_since = None;
        work.waiting = None;
    }
    for (name, answer) in looked {
        let (type_key, alias) = (name.type_key(), name.alias_key());
        work.looking.cursor = Some(Cursor { type_key, alias });
        match answer {
            Some(Looked::Kept(reference)) => {
                let state = reference.drift.as_ref().map_or(DriftState::Unknown, |it| it.state);
                work.tally.count(state);
                let remedy = work.task.remedy(state, Origin::of(&reference));
                work.looking.mends.extend(remedy.map(|remedy| Mend {
                    operation: dice.new_id(now),
                    version: reference.version,
                    reference: name,
                    remedy,
                }));
            }
            // It is being written to: how it stands is not to be told now.
            Some(Looked::LeftAlone(_)) => work.tally.count(DriftState::Unknown),
            None => {}
        }
    }
    let Some(failure) = failure else {
        course.commit(work, Next::GoOn, None).await?;
        return Ok(None);
    };
    let since = *work.looking.waiting_since.get_or_insert(now);
    if now.since(since) > PATIENCE {
        return Ok(Some(end(course, Ending::Failed(failure)).await?));
    }
    let span = retry::span(Wait::Backoff, work.tries, work.id);
    work.tries = work.tries.saturating_add(1);
    let message = Some(format!("waiting: {}: {}", failure.code, failure.message));
    let reason = WaitReason::of_failure(&failure);
    work.waiting = Some(reason.since(since, Some(now.after(span)), work.tries));
    Ok(Some(course.commit(work, Next::LookAfter(span), message).await?))
}

/// Asks for what was decided on, and counts what has ended; gives how many are under way.
async fn mend(course: &mut Course<'_>) -> Result<usize, Stopped> {
    for mend in course.work.looking.mends.clone() {
        let found = course.shared.store.operation_find(mend.operation).await?;
        let came = match found {
            Some(record) => record.ending().map(of_ending),
            // What was not asked for yet is not asked for any more.
            None if course.work.cancel_requested => Some(Came::Nothing),
            None => ask(course, &mend).await?,
        };
        let Some(came) = came else { continue };
        let now = match (&came, mend.remedy) {
            (Came::Done, Remedy::Repair | Remedy::Recreate) => {
                look_again(course.shared, &mend.reference).await
            }
            _ => DriftState::Unknown,
        };
        let mut work = course.work.clone();
        work.looking.mends.retain(|it| it.operation != mend.operation);
        work.tries = 0;
        let message = count(&mut work.tally, &mend, came, now);
        course.commit(work, Next::GoOn, message).await?;
    }
    Ok(course.work.looking.mends.len())
}

/// A write forgets what was found before it: how a repaired one stands is found anew.
async fn look_again(shared: &Shared, name: &ReferenceName) -> DriftState {
    match drift::look(shared, name, None).await {
        Ok(Looked::Kept(reference)) => {
            reference.drift.as_ref().map_or(DriftState::Unknown, |drift| drift.state)
        }
        Ok(Looked::LeftAlone(_)) => DriftState::Unknown,
        Err(failure) => {
            tracing::info!(
                resource.id = name.id(),
                code = failure.code,
                "cannot check the resource again"
            );
            DriftState::Unknown
        }
    }
}

/// What came of mending one.
enum Came {
    Done,
    Refused {
        code: String,
        message: String,
    },
    /// What was gone is there again, and its reference stays; how it stands.
    Back(DriftState),
    Nothing,
}

fn of_ending(ending: &Ending) -> Came {
    match ending {
        Ending::Succeeded(_) => Came::Done,
        Ending::Failed(failure) | Ending::Canceled(failure) => refused(failure),
    }
}

fn refused(failure: &Failure) -> Came {
    Came::Refused { code: failure.code.clone(), message: failure.message.clone() }
}

/// Counts what came of one, and how it stands `now`.
fn count(tally: &mut Tally, mend: &Mend, came: Came, now: DriftState) -> Option<String> {
    let id = mend.reference.id();
    let found = mend.remedy.is_for();
    match (came, mend.remedy) {
        (Came::Nothing, _) => None,
        (Came::Back(now), _) => {
            tally.moved(found, now);
            Some(format!("{id} is not pruned: its resource exists again"))
        }
        (Came::Done, Remedy::Repair) => {
            tally.moved(found, now);
            tally.repaired += 1;
            Some(format!("repaired {id}"))
        }
        (Came::Done, Remedy::Recreate) => {
            tally.moved(found, now);
            tally.recreated += 1;
            Some(format!("recreated {id}"))
        }
        (Came::Done, Remedy::Prune) => {
            tally.left(found);
            tally.pruned += 1;
            Some(format!("pruned {id}"))
        }
        (Came::Refused { code, message }, remedy) => {
            tally.refused += 1;
            Some(format!("{} of {id} refused: {code}: {message}", remedy.as_str()))
        }
    }
}

/// Looks once more whether the resource of a reference is gone; says why the reference is kept where it is.
async fn may_be_pruned(shared: &Shared, reference: &Reference) -> Result<Option<Came>, Failure> {
    if !reference.entry.retiring.is_empty() {
        let left = reference.entry.retiring.join(", ");
        return Ok(Some(Came::Refused {
            code: "StillRetiring".to_owned(),
            message: format!(
                "{left} was replaced and is not deleted yet; put or delete the reference first"
            ),
        }));
    }
    if drift::is_gone(shared, reference).await? {
        return Ok(None);
    }
    let now = look_again(shared, &reference.name).await;
    Ok(Some(Came::Back(now)))
}

/// Asks for one operation; says what came of it where it did not begin.
async fn ask(course: &Course<'_>, mend: &Mend) -> Result<Option<Came>, StoreError> {
    let shared = course.shared;
    let found = shared.store.reference_find(&mend.reference).await?;
    let Some(reference) = found else { return Ok(Some(Came::Nothing)) };
    let (ask, condition) = match mend.remedy {
        Remedy::Repair | Remedy::Recreate => (Ask::Repair, Condition::None),
        Remedy::Prune => {
            match may_be_pruned(shared, &reference).await {
                Ok(None) => {}
                Ok(Some(kept)) => return Ok(Some(kept)),
                Err(failure) if drift::is_passing(&failure) => return Ok(None),
                Err(failure) => return Ok(Some(refused(&failure))),
            }
            // What moved since it was looked at is not forgotten.
            let unmoved = Condition::Unmoved(mend.version);
            (Ask::Delete { identifier: None, mode: DeleteMode::Detach }, unmoved)
        }
    };
    let Reference { scope, name, .. } = reference;
    let submission = Submission {
        parent: Some(Parent::Drift(course.work.id)),
        id: Some(mend.operation),
        condition,
        correlation_id: course.record.correlation_id.clone(),
        ..Submission::new(Subject::new(scope, name.type_name.clone(), Some(name)), ask)
    };
    match submit::submit(course.shared, submission).await {
        Ok(_) => Ok(None),
        Err(failure) if drift::is_passing(&failure) => Ok(None),
        Err(failure) => Ok(Some(refused(&failure))),
    }
}

/// Waits for what is being mended.
async fn wait(course: &mut Course<'_>) -> Result<Option<Duration>, Stopped> {
    let mut work = course.work.clone();
    let growth = i32::try_from(work.tries.min(8)).unwrap_or(8);
    work.tries = work.tries.saturating_add(1);
    let span = SOON.mul_f64(1.5f64.powi(growth)).min(TURN);
    course.commit(work, Next::LookAfter(span), None).await
}

async fn finish(course: &mut Course<'_>) -> Result<Option<Duration>, Stopped> {
    let mut work = course.work.clone();
    work.succeed(SuccessKind::Checked);
    let Tally { done, in_sync, drifted, missing, unknown, .. } = work.tally;
    let message = format!(
        "checked {done}: {in_sync} in sync, {drifted} drifted, {missing} missing, {unknown} unknown"
    );
    course.commit(work, Next::End(GroupChange::Keep), Some(message)).await
}

async fn end(course: &mut Course<'_>, ending: Ending) -> Result<Option<Duration>, Stopped> {
    let message = match &ending {
        Ending::Failed(failure) => Some(format!("failed: {}: {}", failure.code, failure.message)),
        Ending::Canceled(failure) => Some(format!("canceled: {}", failure.message)),
        Ending::Succeeded(_) => None,
    };
    let mut work = course.work.clone();
    work.ending = Some(ending);
    course.commit(work, Next::End(GroupChange::Keep), message).await
}

fn stopped(tally: &Tally) -> Failure {
    Failure {
        kind: FailureKind::Canceled,
        code: "OperationCanceled".to_owned(),
        message: format!("stopped on request; checked {}", resources(tally.done)),
        findings: Vec::new(),
    }
}
