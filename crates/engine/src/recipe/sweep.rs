//! Looks through what runs have left on this machine. Another replica may have taken over their operations and sees
//! nothing of them: what they left is handed in from here, and what nobody needs any more is removed.

use std::time::Duration;

use hangar_plan::operation::Failure;
use hangar_plan::recipe::{RecipeWork, RunSight};
use hangar_plan::record::{OperationRecord, Work};

use super::left::{self, LEFT_STATE};
use super::runner::RunId;
use super::state::{StateContent, write};
use super::{Recipes, Stopped};
use crate::engine::Shared;

/// How often it looks.
const EVERY: Duration = Duration::from_secs(30);

/// Sees to every run that has left something here, now and then.
pub(crate) async fn run(shared: &Shared) {
    let Some(recipes) = &shared.config.recipes else { return };
    loop {
        sweep(shared, recipes).await;
        tokio::time::sleep(EVERY).await;
    }
}

async fn sweep(shared: &Shared, recipes: &Recipes) {
    let runs = match recipes.runner.runs().await {
        Ok(runs) => runs,
        Err(failure) => {
            tracing::warn!(error = failure.message, "cannot list the files of earlier runs");
            return;
        }
    };
    for run in runs.into_iter().filter(|run| !shared.recipe_runs.is_driven(*run)) {
        if let Err(failure) = see_to(shared, recipes, run).await {
            tracing::warn!(run = %run, error = failure.message, "cannot clean up a run now; trying again later");
        }
    }
}

async fn see_to(shared: &Shared, recipes: &Recipes, run: RunId) -> Result<(), Failure> {
    if recipes.runner.sight(run).await? == RunSight::Alive {
        return Ok(());
    }
    let Ok(found) = shared.store.operation_find(run.operation).await else { return Ok(()) };
    let work = found.as_ref().and_then(recipe_work);
    if let Some(work) = work.filter(|it| is_under_way(it, run)) {
        let known = (run.operation, Some(run));
        match left::take_in(shared, recipes, &work.recipe, known).await {
            Ok(_) => {}
            Err(Stopped::Store(error)) => {
                tracing::warn!(%error, "cannot clean up a run now; trying again later");
            }
            Err(Stopped::Commit(error)) => {
                tracing::warn!(%error, "cannot clean up a run now; trying again later");
            }
        }
        return Ok(());
    }
    if let (Some(content), Some(work)) = (recipes.runner.read(run, LEFT_STATE).await?, work) {
        let operation = Some(run.operation);
        let given = StateContent { content, lock_id: None, operation, stray: true };
        match write(shared, &work.recipe, given).await {
            Ok(kept) => tracing::warn!(
                resource.id = work.recipe.id(),
                version = kept.number,
                "an abandoned run left a state; it is kept next to the current one"
            ),
            // The recipe is gone, and what it made with it; or it is no state.
            Err(refused) => tracing::warn!(?refused, "the state that a run left was not kept"),
        }
    }
    recipes.runner.discard(run).await
}

fn recipe_work(record: &OperationRecord) -> Option<&RecipeWork> {
    match &record.work {
        Work::Recipe(work) => Some(work),
        _ => None,
    }
}

fn is_under_way(work: &RecipeWork, run: RunId) -> bool {
    work.ending.is_none() && work.run.as_ref().is_some_and(|it| it.number == run.number)
}
