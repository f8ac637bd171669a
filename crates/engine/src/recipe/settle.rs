//! What becomes of a recipe when a run is over: what the run left behind is taken in, its lock freed, and what the
//! state holds is told, also where the run failed.

use std::time::Duration;

use hangar_plan::operation::{
    Convergence, Ending, Failure, FailureKind, Finding, Success, SuccessKind,
};
use hangar_plan::recipe::{Progress, RUN_PATIENCE, RecipeTask, RecipeWork, Run, Stage, stopped};
use hangar_plan::record::RecipeRecord;
use hangar_plan::{WaitCode, WaitReason};
use hangar_store::{RecipeChange, StoreError};

use super::follow::Outcome;
use super::runner::{Exit, RunId};
use super::status::{self, Read};
use super::{Course, KeptTerms, Next, Stopped, failure, left};

/// How soon a run that met a lock is begun again.
const LOCK_AGAIN: Duration = Duration::from_secs(2);

/// A run is over and nobody heard its end: what it left is taken in, and it is no more.
pub(super) async fn recover(course: &mut Course<'_>) -> Result<(), Stopped> {
    let run = course.run_id();
    let mut work = course.work.clone();
    let elsewhere = work.run.take().filter(|it| it.host != course.recipes.runner.host());
    if let Some(elsewhere) = elsewhere {
        return write_off(course, elsewhere, work).await;
    }
    let changed = has_changed_something(course, run).await?;
    if changed {
        note_applied(course);
    }
    if let Some(run) = run.filter(|_| changed)
        && is_suspicious(course, run).await?
    {
        course.record.warnings.push(format!(
            "run {} ended without returning its state; if Terraform was killed, resources that it \
             created after its last save are unknown",
            run.number
        ));
    }
    let warnings = left_behind(course).await?;
    let number = run.map_or(0, |it| it.number);
    work.stage = Stage::Waiting;
    let mut told = format!("run {number} is over; its state and lock were recovered");
    for warning in warnings {
        told = format!("{told}; {warning}");
    }
    // Before it is told that it is over: what it left holds secrets, and is taken in.
    discard(course, run).await;
    let next = if changed { Next::GoOnWith(Box::new(course.recipe.clone())) } else { Next::GoOn };
    course.commit(work, next, Some(told)).await?;
    Ok(())
}

/// From now on it is this that a deletion has to destroy: what was never applied made nothing.
fn note_applied(course: &mut Course<'_>) {
    if course.work.task == RecipeTask::Deploy {
        let terms = &course.terms;
        let kept = KeptTerms { asked: terms.clone(), applied: Some(terms.clone()) };
        course.recipe.sealed = kept.seal(&course.shared.keys, &course.recipe.name);
    }
}

/// Whether a run whose end nobody heard began to change anything, by what it printed.
async fn has_changed_something(course: &Course<'_>, run: Option<RunId>) -> Result<bool, Stopped> {
    let Some(run) = run else { return Ok(false) };
    let look = course.recipes.runner.look(run, course.command(), 0).await;
    let look = look.map_err(|failure| Stopped::Store(StoreError::Unavailable(failure.message)))?;
    Ok(String::from_utf8_lossy(&look.printed).contains("\"apply_start\""))
}

/// Whether a run that changed something still has the lock and left no state: Terraform itself was killed.
async fn is_suspicious(course: &Course<'_>, run: RunId) -> Result<bool, Stopped> {
    let away = |failure: Failure| Stopped::Store(StoreError::Unavailable(failure.message));
    let head = course.shared.store.state_head(&course.recipe.name).await?;
    if head.lock.is_none_or(|lock| lock.operation != Some(course.work.id)) {
        return Ok(false);
    }
    let runner = &course.recipes.runner;
    Ok(runner.read(run, left::LEFT_STATE).await.map_err(away)?.is_none())
}

/// Writes off a run on another machine. From then on it is not let in; one that took the lock in that very instant
/// has begun, and is waited for all the same.
async fn write_off(course: &mut Course<'_>, run: Run, mut work: RecipeWork) -> Result<(), Stopped> {
    let now = course.now().await?;
    let patient = now.since(run.heard_at) <= RUN_PATIENCE;
    work.stage = Stage::Waiting;
    let told = format!("gave up run {} on another machine", run.number);
    course.commit(work.clone(), Next::GoOn, Some(told)).await?;
    let head = course.shared.store.state_head(&course.recipe.name).await?;
    let own = head.lock.filter(|lock| lock.operation == Some(course.work.id));
    match own {
        Some(_) if patient => {
            let told =
                format!("run {} has just started to change resources; waiting for it", run.number);
            work.run = Some(run);
            course.commit(work, Next::GoOn, Some(told)).await?;
        }
        Some(_) => drop(left_behind(course).await?),
        None => {}
    }
    Ok(())
}

/// Settles a run that ended, or that was not begun for a reason.
pub(super) async fn settle(
    course: &mut Course<'_>,
    refused: Option<Failure>,
    outcome: Option<Outcome>,
) -> Result<Option<Duration>, Stopped> {
    if let Some(outcome) = &outcome {
        if outcome.exit == Exit::Unheard && !outcome.own {
            // Nobody heard how it ended: it is run again, and finds what it made.
            recover(course).await?;
            let work = course.work.clone();
            return course.commit(work, Next::LookAfter(Duration::ZERO), None).await;
        }
        if met_a_lock(course, outcome).await? {
            recover(course).await?;
            let mut work = course.work.clone();
            let now = course.now().await?;
            let since = *work.waiting_since.get_or_insert(now);
            let reason = WaitReason::new(WaitCode::StateLocked, "the Terraform state is locked");
            work.waiting = Some(reason.since(since, Some(now.after(LOCK_AGAIN)), 0));
            return course.commit(work, Next::LookAfter(LOCK_AGAIN), None).await;
        }
    }
    if outcome.as_ref().is_some_and(|it| it.exit == Exit::Code(0)) || has_begun_a_row(&course.work)
    {
        note_applied(course);
    }
    let mut warnings = left_behind(course).await?;
    warnings.extend(outcome.iter().flat_map(|it| it.warnings.iter().cloned()));
    let ending = match (refused, &outcome) {
        (Some(failure), _) => Ending::Failed(failure),
        (None, Some(outcome)) => ending(&course.work, outcome),
        (None, None) if course.work.runs <= 1 => {
            canceled("stopped before Terraform changed anything")
        }
        (None, None) => canceled(stopped(&course.work)),
    };
    finish(course, ending, warnings).await
}

fn has_begun_a_row(work: &RecipeWork) -> bool {
    work.rows.iter().any(|row| row.progress != Progress::Planned)
}

/// Ends an operation that has no run.
pub(super) async fn end(
    course: &mut Course<'_>,
    ending: Ending,
) -> Result<Option<Duration>, Stopped> {
    finish(course, ending, Vec::new()).await
}

/// Reads what the state holds now, and ends the operation with it.
async fn finish(
    course: &mut Course<'_>,
    mut ending: Ending,
    warnings: Vec<String>,
) -> Result<Option<Duration>, Stopped> {
    let gone = course.work.task == RecipeTask::Delete && matches!(ending, Ending::Succeeded(_));
    let mut recipe = course.recipe.clone();
    if !gone {
        match status::read(course).await {
            Ok(Read { status, wrong }) => {
                let tool = course.recipe.status.tool.clone();
                recipe.status = status;
                recipe.status.tool = tool;
                if let (Some(wrong), Ending::Succeeded(_)) = (wrong, &ending) {
                    ending = Ending::Failed(wrong);
                }
            }
            Err(Stopped::Store(error)) => return Err(Stopped::Store(error)),
            Err(stopped) => return Err(stopped),
        }
        recipe.status.warnings.extend(warnings);
        recipe.status.warnings.extend(course.record.warnings.iter().cloned());
    }
    let now = course.now().await?;
    let run = course.run_id();
    let mut work = course.work.clone();
    (work.run, work.stage) = (None, Stage::Recording);
    let told = told(&ending, &recipe, gone);
    work.ending = Some(ending.clone());
    let change = if gone {
        RecipeChange::Remove(recipe.name.clone())
    } else {
        (recipe.ended_at, recipe.ending) = (Some(now), Some(ending));
        RecipeChange::Save(Box::new(recipe))
    };
    discard(course, run).await;
    course.commit(work, Next::End(change), Some(told)).await
}

fn told(ending: &Ending, recipe: &RecipeRecord, gone: bool) -> String {
    match ending {
        Ending::Succeeded(success) if gone => success.kind.as_str().to_owned(),
        Ending::Succeeded(success) => {
            let made = recipe.status.resources.len();
            let noun = if made == 1 { "output resource" } else { "output resources" };
            format!("{}; {made} {noun}", success.kind.as_str())
        }
        Ending::Failed(failure) => format!("failed: {}: {}", failure.code, failure.message),
        Ending::Canceled(failure) => format!("canceled: {}", failure.message),
    }
}

/// A run whose files cannot be removed is removed by the next start.
async fn discard(course: &Course<'_>, run: Option<RunId>) {
    if let Some(run) = run
        && let Err(failure) = course.recipes.runner.discard(run).await
    {
        tracing::warn!(
            error = failure.message,
            "cannot delete the files of a run; trying again at the next start"
        );
    }
}

/// How an operation ends whose run did.
fn ending(work: &RecipeWork, outcome: &Outcome) -> Ending {
    let succeeded = |kind| {
        let convergence = Convergence::Converged;
        Ending::Succeeded(Success { kind, convergence, not_effective: Vec::new() })
    };
    match (outcome.exit, work.task) {
        (Exit::Code(0), RecipeTask::Delete) => succeeded(SuccessKind::Deleted),
        (Exit::Code(0), RecipeTask::Deploy) => {
            let nothing = work.summary.is_some_and(hangar_plan::recipe::Summary::is_empty);
            succeeded(if nothing { SuccessKind::Noop } else { SuccessKind::Deployed })
        }
        _ if work.cancel_requested => canceled(
            "Terraform was stopped; changes that it had started are finished and in its state",
        ),
        _ => Ending::Failed(failed(work, outcome)),
    }
}

fn canceled(message: &str) -> Ending {
    Ending::Canceled(failure(FailureKind::Canceled, "OperationCanceled", message))
}

fn failed(work: &RecipeWork, outcome: &Outcome) -> Failure {
    let code = match work.task {
        RecipeTask::Deploy => "RecipeDeploymentFailed",
        RecipeTask::Delete => "RecipeDeletionFailed",
    };
    let message = match (outcome.errors.as_slice(), outcome.exit) {
        ([(_, only)], _) => only.clone(),
        ([(_, first), rest @ ..], _) => format!("{first} (and {} more)", rest.len()),
        ([], Exit::Unheard) => {
            "Terraform was killed; resources that it created after its last save are not in the \
             state; search for them before you deploy again"
                .to_owned()
        }
        ([], Exit::Code(code)) => format!("Terraform exited with code {code}: {}", outcome.noise),
    };
    let finding = |(address, text): &(Option<String>, String)| Finding {
        code: code.to_owned(),
        path: address.clone().unwrap_or_default(),
        message: text.clone(),
    };
    Failure {
        kind: FailureKind::Provider,
        code: code.to_owned(),
        message,
        findings: outcome.errors.iter().map(finding).collect(),
    }
}

/// Whether a run ended because somebody else held the lock.
async fn met_a_lock(course: &Course<'_>, outcome: &Outcome) -> Result<bool, StoreError> {
    let says = outcome.errors.iter().any(|(_, text)| text.contains("state lock"));
    if !says || outcome.exit == Exit::Code(0) || course.work.cancel_requested {
        return Ok(false);
    }
    let head = course.shared.store.state_head(&course.recipe.name).await?;
    Ok(head.lock.is_some_and(|lock| lock.operation != Some(course.work.id)))
}

/// Takes in what the run of a course left, if it was here, and frees its lock.
async fn left_behind(course: &Course<'_>) -> Result<Vec<String>, Stopped> {
    let here = course.work.run.as_ref().is_some_and(|it| it.host == course.recipes.runner.host());
    let run = course.run_id().filter(|_| here);
    left::take_in(course.shared, course.recipes, &course.recipe.name, (course.work.id, run)).await
}
