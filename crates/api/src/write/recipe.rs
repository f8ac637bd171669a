//! How a run of a recipe is performed and answered.

use hangar_engine::RecipeAsk;
use hangar_plan::operation::FailureKind;
use hangar_plan::recipe::RecipeWork;
use hangar_plan::record::OperationRecord;
use http::StatusCode;

use super::{Surface, follow};
use crate::answer::Answer;
use crate::error::ApiError;
use crate::etag::ETag;
use crate::failure::of_refusal;
use crate::handle::lookup;
use crate::head::{Deed, View};
use crate::render;

/// Submits a run of a recipe, waits as long as the caller wants, and answers.
pub(crate) async fn perform(deed: &Deed<'_>, ask: RecipeAsk) -> Result<Answer, ApiError> {
    let surface = if ask.terms.is_some() { Surface::Recipe } else { Surface::Delete };
    let accepted = match deed.writes.recipe_submit(ask).await {
        Ok(accepted) => accepted,
        // What is not there is deleted already.
        Err(failure) if surface == Surface::Delete && failure.kind == FailureKind::NotFound => {
            return Ok(Answer::empty(StatusCode::NO_CONTENT));
        }
        Err(failure) => return Err(of_refusal(&failure)),
    };
    follow(deed, accepted, &surface).await
}

/// What a run that ended well answers: the recipe as it is now.
pub(super) async fn ended(
    view: View<'_>,
    record: &OperationRecord,
    work: &RecipeWork,
) -> Result<Answer, ApiError> {
    let stored = lookup::find_recipe(view.reads, &work.recipe).await?;
    // Whoever asks on the result URL is told the same as who waited.
    let is_first = stored.as_ref().is_some_and(|it| it.created_at >= work.started_at);
    let status = if is_first { StatusCode::CREATED } else { StatusCode::OK };
    shown(view, status, record, work).await
}

/// What a run answers that has not ended: the recipe as far as it is.
pub(super) async fn under_way(
    view: View<'_>,
    status: StatusCode,
    record: &OperationRecord,
    work: &RecipeWork,
) -> Result<Answer, ApiError> {
    shown(view, status, record, work).await
}

async fn shown(
    view: View<'_>,
    status: StatusCode,
    record: &OperationRecord,
    work: &RecipeWork,
) -> Result<Answer, ApiError> {
    let Some(stored) = lookup::find_recipe(view.reads, &work.recipe).await? else {
        return Ok(Answer::json(status, render::forgotten_recipe(record, work)));
    };
    let etag = ETag::of_recipe(&stored);
    // What is told of its steps is of the recipe's last run.
    let work = Some(work).filter(|work| work.id == stored.operation);
    Ok(Answer::json(status, render::recipe(&stored, work)).with_etag(&etag))
}
