//! Looks through what runs have left on this machine: what nobody follows any more is kept where it matters, and
//! removed.

use hangar_plan::operation::Failure;
use hangar_plan::recipe::RunSight;
use hangar_plan::record::{OperationRecord, Work};

use super::Recipes;
use super::runner::RunId;
use super::settle::LEFT_STATE;
use super::state::{StateContent, write};
use crate::engine::Shared;

/// Sees to every run that has left something here.
pub(crate) async fn sweep(shared: &Shared) {
    let Some(recipes) = &shared.config.recipes else { return };
    let runs = match recipes.runner.runs().await {
        Ok(runs) => runs,
        Err(failure) => {
            tracing::warn!(error = failure.message, "what runs have left is not looked at");
            return;
        }
    };
    for run in runs {
        if let Err(failure) = see_to(shared, recipes, run).await {
            tracing::warn!(run = %run, error = failure.message, "left for the next start");
        }
    }
}

async fn see_to(shared: &Shared, recipes: &Recipes, run: RunId) -> Result<(), Failure> {
    if recipes.runner.sight(run).await? == RunSight::Alive {
        return Ok(());
    }
    let Ok(found) = shared.store.operation_find(run.operation).await else { return Ok(()) };
    if found.as_ref().is_some_and(|it| is_under_way(it, run)) {
        return Ok(());
    }
    if let (Some(content), Some(Work::Recipe(work))) =
        (recipes.runner.read(run, LEFT_STATE).await?, found.map(|it| it.work))
    {
        let operation = Some(run.operation);
        let given = StateContent { content, lock_id: None, operation, stray: true };
        match write(shared, &work.recipe, given).await {
            Ok(kept) => tracing::warn!(
                resource.id = work.recipe.id(),
                version = kept.number,
                "a run that had been given up left a state; it is kept beside the current one"
            ),
            // The recipe is gone, and what it made with it; or it is no state.
            Err(refused) => tracing::warn!(?refused, "what a run left is not kept"),
        }
    }
    recipes.runner.discard(run).await
}

fn is_under_way(record: &OperationRecord, run: RunId) -> bool {
    match &record.work {
        Work::Recipe(work) => {
            work.ending.is_none() && work.run.as_ref().is_some_and(|it| it.number == run.number)
        }
        _ => false,
    }
}
