//! Recipes: list, show, deploy, delete, stop a run, give out the secrets of a result.

use hangar_engine::RecipeAsk;
use hangar_plan::recipe::RecipeWork;
use hangar_plan::record::{GroupName, OperationRecord, RecipeName, RecipeRecord, Work};
use hangar_store::CancelAnswer;
use http::StatusCode;
use serde_json::{Value, json};

use super::lookup;
use crate::answer::Answer;
use crate::body::{self, RecipeBody};
use crate::error::{ApiError, Code};
use crate::etag::ETag;
use crate::failure::{of_refusal, of_store};
use crate::head::{Deed, View};
use crate::page::{self, PageAsk, SKIP_TOKEN, TOP};
use crate::render;
use crate::urls::with_version;
use crate::write;

pub(crate) async fn list(
    view: View<'_>,
    group: &GroupName,
    ask: &PageAsk,
) -> Result<Answer, ApiError> {
    let group = lookup::group(view.reads, group).await?.name;
    let list = format!("recipes {}", group.key());
    let after = ask.position(view.seal, &list)?;
    let after = after.map(String::from_utf8).transpose();
    let after =
        after.map_err(|_| ApiError::new(Code::InvalidSkipToken, "not a token of this list"))?;
    let found = lookup::recipes(view.reads, &group, after, ask.limit() + 1).await?;
    let mut shown = Vec::new();
    for record in found.iter().take(ask.limit()) {
        let run = lookup::find_operation(view.reads, record.operation).await?;
        shown.push(render::recipe(record, work_of(run.as_ref())));
    }
    let values = page::fitting(shown.into_iter());
    let next = (values.len() < found.len()).then(|| {
        let last = lookup::recipe_place(&found[values.len() - 1]);
        let token = view.seal.page_token(&list, last.as_bytes());
        let top = ask.limit().to_string();
        let mut parameters = with_version(view.version());
        parameters.extend([(TOP, top.as_str()), (SKIP_TOKEN, token.as_str())]);
        let id = format!("{}/providers/Hangar.Recipes/recipes", group.id());
        view.urls.of(&id, &parameters)
    });
    Ok(Answer::json(StatusCode::OK, page::list(values, next)))
}

/// A recipe with its last run, and how its state stands.
pub(crate) async fn show(view: View<'_>, name: &RecipeName) -> Result<Answer, ApiError> {
    let (record, run) = with_run(view, name).await?;
    let etag = ETag::of_recipe(&record);
    view.conditions()?.check_read(&etag)?;
    let store = view.reads.store();
    let head = store.state_head(&record.name).await.map_err(|error| of_store(&error))?;
    let now = store.now().await.map_err(|error| of_store(&error))?;
    let mut body = render::recipe(&record, work_of(run.as_ref()));
    if let Some(state) = render::state(&head, now) {
        body["properties"]["state"] = state;
    }
    Ok(Answer::json(StatusCode::OK, body).with_etag(&etag))
}

/// A recipe and its last run, of one instant: an end is written with what it leaves, so a recipe that was read before
/// the end of its run is read again.
async fn with_run(
    view: View<'_>,
    name: &RecipeName,
) -> Result<(RecipeRecord, Option<OperationRecord>), ApiError> {
    let record = lookup::recipe(view.reads, name).await?;
    let run = lookup::find_operation(view.reads, record.operation).await?;
    let is_over = run.as_ref().is_none_or(OperationRecord::is_ended);
    if record.ending.is_some() || !is_over {
        return Ok((record, run));
    }
    let record = lookup::recipe(view.reads, name).await?;
    let run = lookup::find_operation(view.reads, record.operation).await?;
    Ok((record, run))
}

fn work_of(run: Option<&OperationRecord>) -> Option<&RecipeWork> {
    match &run?.work {
        Work::Recipe(work) => Some(work),
        _ => None,
    }
}

pub(crate) async fn head(view: View<'_>, name: &RecipeName) -> Result<Answer, ApiError> {
    let record = lookup::recipe(view.reads, name).await?;
    Ok(Answer::empty(StatusCode::NO_CONTENT).with_etag(&ETag::of_recipe(&record)))
}

/// Makes it so.
pub(crate) async fn put(deed: &Deed<'_>, name: &RecipeName) -> Result<Answer, ApiError> {
    let view = deed.view;
    let condition = view.conditions()?.for_engine()?;
    let repeatability = deed.repeatability()?;
    let RecipeBody(terms) = RecipeBody::of(deed.body())?;
    let group = lookup::group(view.reads, &name.group).await?;
    let ask = RecipeAsk {
        name: RecipeName { group: group.name, name: name.name.clone() },
        terms: Some(terms),
        parent: None,
        hold: None,
        id: None,
        condition,
        repeatability,
        correlation_id: Some(view.head.correlation_id.clone()),
    };
    write::perform_recipe(deed, ask).await
}

/// Destroys what it made and forgets it; one that is not there is deleted already.
pub(crate) async fn delete(deed: &Deed<'_>, name: &RecipeName) -> Result<Answer, ApiError> {
    let view = deed.view;
    let condition = view.conditions()?.for_engine()?;
    let repeatability = deed.repeatability()?;
    let Some(existing) = lookup::find_recipe(view.reads, name).await? else {
        lookup::group(view.reads, &name.group).await?;
        return write::repeated_or_gone(deed, repeatability.as_ref()).await;
    };
    let ask = RecipeAsk {
        name: existing.name,
        terms: None,
        parent: None,
        hold: None,
        id: None,
        condition,
        repeatability,
        correlation_id: Some(view.head.correlation_id.clone()),
    };
    write::perform_recipe(deed, ask).await
}

/// Asks for a stop of the run that is under way: Terraform finishes what it has begun.
pub(crate) async fn cancel(deed: &Deed<'_>, name: &RecipeName) -> Result<Answer, ApiError> {
    let view = deed.view;
    view.conditions()?.refuse_because("a cancel accepts no condition")?;
    body::nothing(deed.body())?;
    let record = lookup::recipe(view.reads, name).await?;
    let ended = || {
        let message = format!("the last run of the recipe `{}` has ended", record.name.name);
        Err(ApiError::new(Code::NotRunning, message).with_target(record.name.id()))
    };
    if record.ending.is_some() {
        return ended();
    }
    let answer = deed.writes.cancel(record.operation).await;
    match answer.map_err(|error| of_store(&error))? {
        CancelAnswer::Noted(_) => Ok(Answer::empty(StatusCode::NO_CONTENT)),
        CancelAnswer::Ended(_) | CancelAnswer::NotFound => ended(),
    }
}

/// The secrets of a result, which nothing else shows.
pub(crate) async fn secrets(
    view: View<'_>,
    name: &RecipeName,
    body: Option<Value>,
) -> Result<Answer, ApiError> {
    body::nothing(body)?;
    let record = lookup::recipe(view.reads, name).await?;
    let secrets = view.reads.recipe_secrets(&record.name).await;
    let secrets = secrets.map_err(|failure| of_refusal(&failure))?;
    Ok(Answer::json(StatusCode::OK, json!({ "secrets": secrets })).with_no_store())
}
