//! A recipe as callers see it: its last run, what came of it, how its Terraform state stands.

use hangar_ids::ResourceId;
use hangar_plan::Timestamp;
use hangar_plan::operation::Ending;
use hangar_plan::recipe::{RecipeTask, RecipeWork};
use hangar_plan::record::{
    OperationRecord, OutputResource, RecipeName, RecipeRecord, RecipeStatus, StateHead, StateLock,
    StateVersion,
};
use serde_json::{Map, Value, json};

use super::state::{recipe_state, record_word};
use super::time::rfc3339;
use crate::body::PROVISIONING_STATE;
use crate::etag::ETag;
use crate::failure;

const TYPE: &str = "Hangar.Recipes/recipes";

/// A recipe, with the steps of its last run while that is kept.
pub(crate) fn recipe(record: &RecipeRecord, work: Option<&RecipeWork>) -> Value {
    let mut properties = Map::new();
    let mut set = |name: &str, value: Value| drop(properties.insert(name.to_owned(), value));
    set(PROVISIONING_STATE, recipe_state(record).into());
    set("source", record.source.as_str().into());
    set("version", json!(record.source_version));
    set("parameters", record.parameters.clone());
    set("secretParameters", json!(record.secret_parameters));
    set("operation", record.operation.to_string().into());
    let task = match record.task {
        RecipeTask::Deploy => "deploy",
        RecipeTask::Delete => "delete",
    };
    set("task", task.into());
    set("startTime", rfc3339(record.started_at).into());
    if let Some(ended_at) = record.ended_at {
        set("endTime", rfc3339(ended_at).into());
    }
    match &record.ending {
        None => {}
        Some(Ending::Succeeded(success)) => set("outcome", success.kind.as_str().into()),
        Some(Ending::Failed(failure) | Ending::Canceled(failure)) => {
            set("error", failure::of_failure(failure).value());
        }
    }
    if let Some(deployment) = &record.managed_by {
        set("managedBy", deployment.id().into());
    }
    set("status", status(&record.status));
    if let Some(work) = work {
        properties.extend(steps(work));
    }
    let mut body = named(&record.name);
    body.insert("etag".into(), ETag::of_recipe(record).as_str().into());
    body.insert("properties".into(), Value::Object(properties));
    Value::Object(body)
}

fn named(name: &RecipeName) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("id".into(), name.id().into());
    body.insert("name".into(), name.name.as_str().into());
    body.insert("type".into(), TYPE.into());
    body
}

/// How far a run is, for a recipe and for its operation.
pub(super) fn steps(work: &RecipeWork) -> Map<String, Value> {
    let mut steps = Map::new();
    steps.insert("stage".into(), work.stage.as_str().into());
    steps.insert("rows".into(), json!(work.rows));
    if work.unlisted > 0 {
        steps.insert("unlisted".into(), work.unlisted.into());
    }
    if let Some(summary) = work.summary {
        steps.insert("summary".into(), json!(summary));
    }
    steps
}

fn status(status: &RecipeStatus) -> Value {
    let mut shown = json!({
        "outputResources": status.resources,
        "values": status.values.clone().unwrap_or_else(|| json!({})),
        "secrets": status.secrets,
        "warnings": status.warnings,
    });
    if let Some(tool) = &status.tool {
        shown["tool"] = tool.as_str().into();
    }
    shown
}

/// What is told of a run whose recipe was deleted since.
pub(crate) fn forgotten_recipe(record: &OperationRecord, work: &RecipeWork) -> Value {
    let mut properties = steps(work);
    properties.insert(PROVISIONING_STATE.into(), record_word(record).into());
    properties.insert("operation".into(), work.id.to_string().into());
    let mut body = named(&work.recipe);
    body.insert("properties".into(), Value::Object(properties));
    Value::Object(body)
}

/// A recipe among the resources of its group.
pub(crate) fn listed(record: &RecipeRecord) -> Value {
    let mut body = named(&record.name);
    body.insert("properties".into(), json!({ PROVISIONING_STATE: recipe_state(record) }));
    Value::Object(body)
}

/// What a recipe made, among the resources of its group.
pub(crate) fn made(recipe: &RecipeName, resource: &OutputResource) -> Value {
    let (type_text, name) = type_and_name(&resource.id);
    let mut body = Map::new();
    body.insert("id".into(), resource.id.as_str().into());
    body.insert("type".into(), type_text.into());
    body.insert("name".into(), name.into());
    body.insert("recipe".into(), recipe.id().into());
    if let Some(address) = &resource.address {
        body.insert("address".into(), address.as_str().into());
    }
    if let Some(link) = &resource.cloud_control {
        body.insert("cloudControl".into(), json!(link));
    }
    Value::Object(body)
}

/// What an id says; of one that is none of ours, its last two parts.
fn type_and_name(id: &str) -> (String, String) {
    if let Ok(parsed) = ResourceId::parse(id)
        && let (Some(type_text), Some(name)) = (parsed.resource_type(), parsed.name())
    {
        return (type_text, name.to_owned());
    }
    let mut parts = id.rsplit('/').filter(|part| !part.is_empty());
    let (name, type_text) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    (type_text.to_owned(), name.to_owned())
}

/// How the Terraform state of a recipe stands; nothing where there has never been one.
pub(crate) fn state(head: &StateHead, now: Timestamp) -> Option<Value> {
    if head.current.is_none() && head.lock.is_none() {
        return None;
    }
    let mut shown = Map::new();
    if let Some(current) = &head.current {
        shown.insert("version".into(), current.number.into());
        shown.insert("serial".into(), json!(current.serial));
        shown.insert("lineage".into(), json!(current.lineage));
        shown.insert("instances".into(), current.instances.into());
        shown.insert("size".into(), current.size.into());
        shown.insert("writtenAt".into(), rfc3339(current.written_at).into());
    }
    shown.insert("lock".into(), head.lock.as_ref().map_or(Value::Null, |it| lock(it, now)));
    Some(Value::Object(shown))
}

/// Who holds a state.
pub(crate) fn lock(lock: &StateLock, now: Timestamp) -> Value {
    let told = |name: &str| lock.info.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut shown = json!({
        "id": lock.id,
        "who": told("Who"),
        "operation": told("Operation"),
        "info": told("Info"),
        "takenAt": rfc3339(lock.taken_at),
        "ageSeconds": now.since(lock.taken_at).as_secs(),
    });
    if let Some(operation) = lock.operation {
        shown["hangarOperation"] = operation.to_string().into();
    }
    shown
}

/// One version of a state, without what is in it.
pub(crate) fn state_version(version: &StateVersion) -> Value {
    let mut shown = json!({
        "version": version.number,
        "serial": version.serial,
        "lineage": version.lineage,
        "instances": version.instances,
        "size": version.size,
        "digest": version.digest,
        "writtenAt": rfc3339(version.written_at),
        "stray": version.stray,
    });
    if let Some(operation) = version.operation {
        shown["operation"] = operation.to_string().into();
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_recipe_made_is_named_by_its_id_whoevers_it_is() {
        for (id, type_text, name) in [
            (
                "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.EC2/VPC/vpc-1",
                "AWS.EC2/VPC",
                "vpc-1",
            ),
            ("/planes/kubernetes/local/namespaces/n/providers/core/Secret/s", "core/Secret", "s"),
            ("arn:aws:s3:::bucket", "", "arn:aws:s3:::bucket"),
            ("x/y/z/", "y", "z"),
            ("", "", ""),
        ] {
            assert_eq!(type_and_name(id), (type_text.to_owned(), name.to_owned()), "{id}");
        }
    }

    #[test]
    fn a_lock_is_told_in_terraforms_words_and_ours() {
        let held = StateLock {
            id: "l".into(),
            info: json!({"ID": "l", "Who": "me@here", "Operation": "OperationTypeApply"}),
            taken_at: Timestamp::from_micros(0),
            operation: None,
        };
        assert_eq!(
            lock(&held, Timestamp::from_micros(90_000_000)),
            json!({"id": "l", "who": "me@here", "operation": "OperationTypeApply", "info": "",
                "takenAt": "1970-01-01T00:00:00Z", "ageSeconds": 90})
        );
        assert_eq!(state(&StateHead::default(), Timestamp::from_micros(0)), None);
    }
}
