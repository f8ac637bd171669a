//! What becomes of a recipe when a run is over: what the run left behind is taken in, its lock freed, and what the
//! state holds is told, also where the run failed.

use std::time::Duration;

use hangar_manifest::state;
use hangar_plan::operation::{
    Convergence, Ending, Failure, FailureKind, Finding, Success, SuccessKind,
};
use hangar_plan::recipe::{RecipeTask, RecipeWork, Stage};
use hangar_plan::record::{RecipeRecord, StateVersion};
use hangar_store::{RecipeChange, StateError, StoreError};

use super::follow::Outcome;
use super::runner::{Exit, RunId};
use super::state::{StateContent, StateRefused, write};
use super::status::{self, Read};
use super::{Course, Next, Stopped, failure};

/// Where Terraform leaves a state that it could not hand in.
pub(super) const LEFT_STATE: &str = "errored.tfstate";

/// How soon a run that met a lock is begun again.
const LOCK_AGAIN: Duration = Duration::from_secs(2);

/// A run is over and nobody heard its end: what it left is taken in, and it is no more.
pub(super) async fn recover(course: &mut Course<'_>) -> Result<(), Stopped> {
    let warnings = clear(course).await?;
    let run = course.run_id();
    let mut work = course.work.clone();
    let number = work.run.take().map_or(0, |it| it.number);
    work.stage = Stage::Waiting;
    let mut told = format!("run {number} is over; what it left was taken in");
    for warning in warnings {
        told = format!("{told}; {warning}");
    }
    course.commit(work, Next::GoOn, Some(told)).await?;
    discard(course, run).await;
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
            work.waiting_since.get_or_insert(course.now().await?);
            return course.commit(work, Next::LookAfter(LOCK_AGAIN), None).await;
        }
    }
    let mut warnings = clear(course).await?;
    warnings.extend(outcome.iter().flat_map(|it| it.warnings.iter().cloned()));
    let ending = match (refused, &outcome) {
        (Some(failure), _) => Ending::Failed(failure),
        (None, Some(outcome)) => ending(&course.work, outcome),
        (None, None) => canceled("it was stopped before Terraform changed anything"),
    };
    finish(course, ending, warnings).await
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
    let ended = course.commit(work, Next::End(change), Some(told)).await?;
    discard(course, run).await;
    Ok(ended)
}

fn told(ending: &Ending, recipe: &RecipeRecord, gone: bool) -> String {
    let resources = recipe.status.resources.len();
    match ending {
        Ending::Succeeded(success) if gone => success.kind.as_str().to_owned(),
        Ending::Succeeded(success) => {
            format!("{}; {resources} output resources", success.kind.as_str())
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
        tracing::warn!(error = failure.message, "left for the next start");
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
        _ if work.cancel_requested => {
            canceled("Terraform was stopped; what it had begun is finished and in its state")
        }
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
        ([], Exit::Unheard) => "Terraform was killed".to_owned(),
        ([], Exit::Code(code)) => format!("Terraform ended with {code}:\n{}", outcome.noise),
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

/// Takes in the state that a run could not hand in, and frees its lock; what is odd is told.
async fn clear(course: &Course<'_>) -> Result<Vec<String>, Stopped> {
    let mut warnings = Vec::new();
    let name = &course.recipe.name;
    let head = course.shared.store.state_head(name).await?;
    let lock = head.lock.filter(|lock| lock.operation == Some(course.work.id));
    let here = course.work.run.as_ref().is_some_and(|it| it.host == course.recipes.runner.host());
    if let Some(run) = course.run_id().filter(|_| here) {
        match course.recipes.runner.read(run, LEFT_STATE).await {
            Ok(Some(content)) => {
                let lock_id = lock.as_ref().map(|lock| lock.id.clone());
                let taken = take_in(course, content, head.current.as_ref(), lock_id).await?;
                warnings.extend(taken);
            }
            Ok(None) => {}
            Err(failure) => warnings.push(format!("{}: {}", failure.code, failure.message)),
        }
    }
    if let Some(lock) = lock {
        let freed = course.shared.store.state_unlock(name, Some(&lock.id)).await;
        // Any other refusal: somebody else freed it, and holds it by now.
        if let Err(StateError::Store(error)) = freed {
            return Err(Stopped::Store(error));
        }
    }
    Ok(warnings)
}

/// Keeps a state that a run could not hand in: as the current one where it is the next of its line, else beside it.
async fn take_in(
    course: &Course<'_>,
    content: Vec<u8>,
    current: Option<&StateVersion>,
    lock_id: Option<String>,
) -> Result<Option<String>, Stopped> {
    let next = is_next(&content, current);
    let operation = Some(course.work.id);
    let given = StateContent { content, lock_id, operation, stray: !next };
    match write(course.shared, &course.recipe.name, given).await {
        Ok(_) if next => Ok(None),
        Ok(kept) => Ok(Some(format!(
            "the run left a state that is not the next of its line; it is kept as version {}, beside the \
             current one",
            kept.number
        ))),
        Err(StateRefused::Store(StateError::Store(error))) => Err(Stopped::Store(error)),
        Err(StateRefused::Store(error)) => {
            Ok(Some(format!("the state of the run is lost: {error}")))
        }
        Err(StateRefused::Invalid(why)) => {
            Ok(Some(format!("what the run left is no state: {why}")))
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
