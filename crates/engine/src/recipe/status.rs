//! What the state of a recipe holds: its resources by id, and its result. Nothing here makes a finished run fail
//! but a result that its author got wrong.

use std::collections::BTreeMap;
use std::sync::Arc;

use hangar_manifest::output_resources::{self, Ask, Confidence};
use hangar_manifest::recipe::result::{self, OutputValue, RecipeResult, ResultError};
use hangar_manifest::state::{self, State};
use hangar_plan::operation::{Failure, FailureKind};
use hangar_plan::record::{AwsScope, CloudControlLink, OutputResource, RecipeName, RecipeStatus};
use hangar_store::Reader;
use hangar_store::keys::{Keys, Secret};
use serde_json::{Map, Value};

use super::state::{SMALL, current};
use super::{Course, Stopped, failure};

/// What a state holds, and what of it is its author's mistake.
pub(super) struct Read {
    pub(super) status: RecipeStatus,
    pub(super) wrong: Option<Failure>,
}

/// Reads the current state of a course's recipe.
pub(super) async fn read(course: &Course<'_>) -> Result<Read, Stopped> {
    let shared = course.shared;
    let group = shared.store.group_find(&course.recipe.name.group).await?;
    let scope = group.and_then(|it| it.aws_scope).or_else(|| shared.config.default_scope.clone());
    let content = current(&*shared.store, &shared.keys, &course.recipe.name).await;
    let content = match content {
        Ok(Some(content)) => content,
        Ok(None) => {
            let has_state = course.recipe.status.has_state;
            let status = RecipeStatus { has_state, ..RecipeStatus::default() };
            return Ok(Read { status, wrong: None });
        }
        Err(failure) => {
            let before = course.recipe.status.clone();
            return Ok(Read {
                status: RecipeStatus { has_state: true, ..before },
                wrong: Some(failure),
            });
        }
    };
    if content.expose().len() < SMALL {
        return Ok(of_content(&content, scope.as_ref()));
    }
    let before = course.recipe.status.clone();
    let read = tokio::task::spawn_blocking(move || of_content(&content, scope.as_ref())).await;
    Ok(read.unwrap_or_else(|error| {
        let message = format!("the state could not be read: {error}");
        Read { status: before, wrong: Some(failure(FailureKind::Internal, "StateUnread", message)) }
    }))
}

/// What a state holds.
fn of_content(content: &Secret<Vec<u8>>, scope: Option<&AwsScope>) -> Read {
    let mut status = RecipeStatus { has_state: true, ..RecipeStatus::default() };
    let state = match state::read(content.expose()) {
        Ok(state) => state,
        Err(error) => {
            status.warnings.push(format!("the state cannot be parsed: {error}"));
            return Read { status, wrong: None };
        }
    };
    let (mut result, wrong) = match result::read(&outputs_of(&state)) {
        Ok(result) => (result, None),
        Err(error) => (RecipeResult::default(), Some(invalid(&error))),
    };
    result.resources.retain(|id| {
        let is_one = id.starts_with('/');
        if !is_one {
            let warning =
                format!("`{id}` in `result.resources` is not an id: it does not start with `/`");
            status.warnings.push(warning);
        }
        is_one
    });
    let (account, region) =
        (scope.map(|it| it.account.to_string()), scope.map(|it| it.region.to_string()));
    let report = output_resources::report(
        &state,
        &Ask {
            aws_account: account.as_deref(),
            aws_region: region.as_deref(),
            all_providers: false,
            declared: &result.resources,
        },
    );
    status.resources = resources(&report);
    status.warnings.extend(result.warnings);
    status.warnings.extend(report.warnings.iter().map(told));
    status.secrets = result.secrets.keys().cloned().collect();
    status.values = Some(Value::Object(result.values));
    Read { status, wrong }
}

fn outputs_of(state: &State<'_>) -> BTreeMap<String, OutputValue> {
    let outputs = state.outputs.iter();
    outputs
        .map(|output| {
            let value = output.value.value().unwrap_or_default();
            let sensitive = output.sensitive;
            (output.name.to_string(), OutputValue { value, sensitive })
        })
        .collect()
}

fn invalid(error: &ResultError) -> Failure {
    let message = format!(
        "{error}; the created resources are kept; fix the recipe's `result` and deploy again"
    );
    failure(FailureKind::Invalid, "InvalidRecipeOutputs", message)
}

const fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Likely => "likely",
        Confidence::High => "high",
        Confidence::Exact => "exact",
    }
}

fn told(warning: &output_resources::ReportedWarning) -> String {
    match &warning.address {
        Some(address) => format!("{address}: {}", warning.message),
        None => warning.message.clone(),
    }
}

/// The ids of a report, each with the first instance that has it.
fn resources(report: &output_resources::Report) -> Vec<OutputResource> {
    let named = report.resources.iter();
    named
        .map(|id| {
            let same = |it: &&output_resources::Reported| {
                it.id.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(id))
            };
            let instance = report.instances.iter().find(same);
            let link = instance.and_then(|it| it.cloud_control.as_ref());
            OutputResource {
                id: id.clone(),
                address: instance.map(|it| it.address.clone()),
                terraform_type: instance.map(|it| it.type_name.clone()),
                provider: instance.map(|it| it.provider.clone()),
                cloud_control: link.map(|link| CloudControlLink {
                    type_name: link.type_name.clone(),
                    identifier: link.identifier.clone(),
                    confidence: confidence(link.confidence).to_owned(),
                    id: link.id.clone(),
                }),
            }
        })
        .collect()
}

/// The secrets of a recipe's result, which are only in its state.
pub(crate) async fn secrets_of(
    reader: &dyn Reader,
    keys: &Arc<Keys>,
    recipe: &RecipeName,
) -> Result<Map<String, Value>, Failure> {
    let Some(content) = current(reader, keys, recipe).await? else { return Ok(Map::new()) };
    let state = state::read(content.expose())
        .map_err(|error| failure(FailureKind::Internal, "StateUnread", error.to_string()))?;
    match result::read(&outputs_of(&state)) {
        Ok(result) => Ok(result.secrets),
        Err(error) => Err(invalid(&error)),
    }
}
