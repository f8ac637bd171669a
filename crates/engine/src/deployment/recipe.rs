//! A recipe as a row of a run: asked for with the files that came with the template, read from its record, and
//! stopped with the run.

use std::collections::{BTreeMap, BTreeSet};

use hangar_plan::deployment::{Row, RowKind, Stating, stating};
use hangar_plan::operation::{Ending, Failure, FailureKind};
use hangar_plan::recipe::RecipeTask;
use hangar_plan::record::{GroupName, OperationRecord, RecipeRecord};
use hangar_template::deployment::{Resource, Secrets};
use hangar_template::recipe::{Module, Recipe};
use hangar_template::source::Sources;
use hangar_template::value::{Data, Value};
use serde_json::{Map, Value as Json, json};

use super::begin::{Failed, moved};
use super::prepared::{Prepared, internal, source_place};
use super::{Course, Stopped};
use crate::ask::{Condition, Parent, RecipeAsk};
use crate::engine::Shared;
use crate::read::unavailable;
use crate::recipe::{RecipeSource, RecipeTerms, directory, secrets_of};
use crate::submit;

/// How many ids of what it made are kept with a row; the recipe has all of them.
const MOST_MADE: usize = 1000;

/// Asks for a recipe to be run.
pub(super) async fn ask(course: &Course<'_>, index: usize, row: &Row) -> Result<(), Failed> {
    let Course { shared, prepared, work, .. } = course;
    if work.cancel_requested {
        let (kind, code) = (FailureKind::Canceled, "OperationCanceled".to_owned());
        let message = "stopped on request before it was started".to_owned();
        return Err(Failure { kind, code, message, findings: Vec::new() }.into());
    }
    let recipe = prepared.deployment.recipe(index, &prepared.sights());
    let recipe = recipe.map_err(|problems| Failed::of(&problems, prepared))?;
    let (Some(recipe), Some(name)) = (recipe, row.recipe(&work.deployment.group)) else {
        return Err(internal("RecipeUnknown", "the template has no such recipe").into());
    };
    if let Some(moved) = moved(course, row, &stated(&recipe)) {
        return Err(moved);
    }
    let ask = RecipeAsk {
        name,
        terms: Some(terms(&recipe, &prepared.sources)?),
        parent: Some(Parent::Deployment(work.id)),
        hold: Some(course.takes(row)),
        id: Some(row.operation),
        condition: Condition::default(),
        repeatability: None,
        correlation_id: course.record.correlation_id.clone(),
    };
    match submit::submit_recipe(shared, ask).await {
        Ok(_) => Ok(()),
        Err(failure) if failure.kind == FailureKind::Invalid => {
            let place = Some(source_place(&prepared.sources, &recipe.parameters_place));
            Err(Failed { failure, place })
        }
        Err(failure) => Err(failure.into()),
    }
}

/// What a recipe is run with, once all of it is known.
pub(super) fn terms(recipe: &Recipe, sources: &Sources) -> Result<RecipeTerms, Failure> {
    let not_known = |what: &str| {
        let message = format!("{what} is unknown although its dependencies are done");
        internal("ValueUnknown", &message)
    };
    let version = match recipe.version.as_ref().map(Value::to_json) {
        None => None,
        Some(Some(Json::String(text))) => Some(text),
        Some(_) => return Err(not_known("the version")),
    };
    let source = match &recipe.module {
        None => return Err(not_known("the source")),
        Some(Module::Directory { written, path }) => {
            RecipeSource::Files { label: written.to_string(), files: directory(sources, path) }
        }
        Some(Module::Remote(address)) => {
            RecipeSource::Remote { address: address.to_string(), version }
        }
    };
    let Stating { properties, unknown, .. } = stating(&recipe.parameters);
    if let Some((path, _)) = unknown.first() {
        return Err(not_known(&format!("the parameter {path}")));
    }
    let (Data::Object(members), Json::Object(parameters)) = (&recipe.parameters.data, properties)
    else {
        return Err(not_known("the value of `parameters`"));
    };
    let is_secret = |it: &&Value| recipe.parameters.secret || it.holds_secret();
    let secret = members.iter().filter(|(_, it)| is_secret(it)).map(|(name, _)| name.to_string());
    let secret_parameters: BTreeSet<String> = secret.collect();
    let parameters: BTreeMap<String, Json> = parameters.into_iter().collect();
    Ok(RecipeTerms { source, parameters, secret_parameters })
}

/// A recipe as a template sees it; nothing where there is none.
pub(super) async fn find(
    shared: &Shared,
    prepared: &Prepared,
    index: usize,
    row: &Row,
    group: &GroupName,
) -> Result<Option<Resource>, Failed> {
    let Some(name) = row.recipe(group) else { return Ok(None) };
    let found = shared.store.recipe_find(&name).await;
    let found = found.map_err(|error| unavailable(&error.to_string()))?;
    let Some(record) = found else { return Ok(None) };
    // Only a template that reads them has the state opened: it may be large.
    let mut secrets = None;
    if prepared.deployment.reads_secrets_of(index) {
        let found = secrets_of(&*shared.store, &shared.keys, &name).await?;
        secrets = Some(Secrets::new(Json::Object(found)));
    }
    let (id, name) = (record.name.id(), record.name.name.clone());
    let properties = properties(&record);
    Ok(Some(Resource { id, name, properties, changing: false, secrets }))
}

/// What a template can read of a recipe, as the API shows it.
fn properties(record: &RecipeRecord) -> Json {
    let status = &record.status;
    let state = match (&record.ending, record.task) {
        (None, RecipeTask::Deploy) => "Running",
        (None, RecipeTask::Delete) => "Deleting",
        (Some(Ending::Succeeded(_)), _) => "Succeeded",
        (Some(Ending::Failed(_)), _) => "Failed",
        (Some(Ending::Canceled(_)), _) => "Canceled",
    };
    let mut properties = json!({
        "provisioningState": state,
        "source": record.source,
        "parameters": record.parameters,
        "secretParameters": record.secret_parameters,
        "status": {
            "values": status.values.clone().unwrap_or_else(|| Json::Object(Map::new())),
            "outputResources": status.resources,
            "secrets": status.secrets,
            "warnings": status.warnings,
        },
    });
    if let Some(version) = &record.source_version {
        properties["version"] = version.as_str().into();
    }
    if let Some(tool) = &status.tool {
        properties["status"]["tool"] = tool.as_str().into();
    }
    properties
}

/// The ids of what a recipe's row made; none of other rows.
pub(super) async fn made(course: &Course<'_>, row: &Row) -> Result<Vec<String>, Stopped> {
    let Some(name) = row.recipe(&course.work.deployment.group) else { return Ok(Vec::new()) };
    let found = course.shared.store.recipe_find(&name).await?;
    let made = found.into_iter().flat_map(|record| record.status.resources);
    Ok(made.map(|resource| resource.id).take(MOST_MADE).collect())
}

/// Asks a recipe that is under way to stop where its run was: Terraform may take long, and stops in good order. It is
/// followed to its end all the same.
pub(super) async fn stop_with(
    course: &Course<'_>,
    row: &Row,
    record: &OperationRecord,
) -> Result<(), Stopped> {
    let is_wanted = course.work.cancel_requested && row.kind == RowKind::Recipe;
    if is_wanted && !record.is_ended() && !record.is_stop_wanted() {
        course.shared.store.operation_cancel(record.id()).await?;
    }
    Ok(())
}

/// What a recipe's body states of its module and parameters, as it may be told.
pub(super) fn stated(recipe: &Recipe) -> Stating {
    let source = match &recipe.module {
        Some(Module::Directory { written: source, .. } | Module::Remote(source)) => {
            Some(Value::string(source.clone()))
        }
        None => None,
    };
    let mut members = hangar_template::value::Members::new();
    members.extend(source.map(|it| ("source".into(), it)));
    members.extend(recipe.version.clone().map(|it| ("version".into(), it)));
    members.insert("parameters".into(), recipe.parameters.clone());
    stating(&Value::object(members))
}
