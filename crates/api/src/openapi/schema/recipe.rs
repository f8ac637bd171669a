//! What the bodies of recipes and of their Terraform state hold.

use serde_json::{Value, json};

use super::{Named, any_object, closed, list, nullable, object, reference, text, texts, time};

pub(super) fn all() -> Named {
    vec![
        ("Recipe", shown()),
        ("RecipeList", list("Recipe")),
        ("RecipeWrite", written()),
        ("RecipeSecrets", object(&["secrets"], json!({ "secrets": any_object() }))),
        ("UnlockAsk", unlock()),
        ("Unlocked", object(&["lock"], json!({ "lock": nullable(lock()) }))),
        ("StateVersion", version()),
        ("StateVersions", versions()),
        ("TerraformState", any_object()),
        ("TerraformLock", terraform_lock()),
        ("GroupResource", group_resource()),
        ("GroupResourceList", list("GroupResource")),
    ]
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn kind() -> Value {
    json!({ "type": "string", "enum": ["Hangar.Recipes/recipes"] })
}

fn written() -> Value {
    let binary = closed(&["base64"], json!({ "base64": { "type": "string", "format": "byte" } }));
    let file = json!({ "oneOf": [text(), binary] });
    let properties = closed(
        &[],
        json!({
            "source": text(), "version": text(),
            "files": { "type": "object", "minProperties": 1, "additionalProperties": file },
            "label": text(), "parameters": any_object(), "secretParameters": texts(),
        }),
    );
    closed(&["properties"], json!({ "properties": properties }))
}

/// How far a run is; the same in its recipe and in its operation.
pub(super) fn stage() -> Value {
    let stages = ["waiting", "preparing", "applying", "stopping", "recording"];
    json!({ "type": "string", "enum": stages })
}

pub(super) fn rows() -> Value {
    let progress = json!({ "type": "string", "enum": ["planned", "running", "done", "failed"] });
    let row = object(
        &["address", "action", "progress"],
        json!({ "address": text(), "action": text(), "progress": progress }),
    );
    json!({ "type": "array", "items": row })
}

pub(super) fn summary() -> Value {
    let members = json!({ "add": count(), "change": count(), "remove": count() });
    object(&["add", "change", "remove"], members)
}

fn link() -> Value {
    object(
        &["typeName", "identifier", "confidence"],
        json!({ "typeName": text(), "identifier": text(), "confidence": text(), "id": text() }),
    )
}

fn shown() -> Value {
    let made = object(
        &["id"],
        json!({
            "id": text(), "address": text(), "terraformType": text(), "provider": text(),
            "cloudControl": link(),
        }),
    );
    let status = object(
        &["outputResources", "values", "secrets", "warnings"],
        json!({
            "outputResources": { "type": "array", "items": made }, "values": any_object(),
            "secrets": texts(), "warnings": texts(), "tool": text(),
        }),
    );
    let state = object(
        &["lock"],
        json!({
            "version": count(), "serial": nullable(count()), "lineage": nullable(text()),
            "instances": count(), "size": count(), "writtenAt": time(), "lock": nullable(lock()),
        }),
    );
    let properties = object(
        &["provisioningState", "operation"],
        json!({
            "provisioningState": reference("ProvisioningState"),
            "source": text(), "version": nullable(text()), "parameters": any_object(),
            "secretParameters": texts(), "operation": text(), "managedBy": text(),
            "task": { "type": "string", "enum": ["deploy", "delete"] },
            "startTime": time(), "endTime": time(), "error": reference("ErrorBody"),
            "outcome": text(), "stage": stage(), "rows": rows(), "unlisted": count(),
            "summary": summary(), "status": status, "state": state,
        }),
    );
    object(
        &["id", "name", "type", "properties"],
        json!({
            "id": text(), "name": text(), "type": kind(), "etag": text(),
            "properties": properties,
        }),
    )
}

fn lock() -> Value {
    object(
        &["id", "who", "operation", "info", "takenAt", "ageSeconds"],
        json!({
            "id": text(), "who": text(), "operation": text(), "info": text(), "takenAt": time(),
            "ageSeconds": count(), "hangarOperation": text(),
        }),
    )
}

fn version() -> Value {
    object(
        &["version", "serial", "lineage", "instances", "size", "digest", "writtenAt", "stray"],
        json!({
            "version": count(), "serial": nullable(count()), "lineage": nullable(text()),
            "instances": count(), "size": count(), "digest": text(), "writtenAt": time(),
            "operation": text(), "stray": { "type": "boolean" },
        }),
    )
}

fn versions() -> Value {
    let values = json!({ "type": "array", "items": reference("StateVersion") });
    object(
        &["value", "current", "lock"],
        json!({ "value": values, "current": nullable(count()), "lock": nullable(lock()) }),
    )
}

fn unlock() -> Value {
    closed(&[], json!({ "lockId": text(), "force": { "type": "boolean" } }))
}

/// A lock as Terraform tells of it; what it tells besides is kept.
fn terraform_lock() -> Value {
    let id = json!({ "type": "string", "minLength": 1, "maxLength": 256 });
    let mut schema = object(
        &["ID"],
        json!({
            "ID": id, "Operation": text(), "Info": text(), "Who": text(), "Version": text(),
            "Created": text(), "Path": text(),
        }),
    );
    schema["additionalProperties"] = true.into();
    schema
}

/// What is in a group: a reference, a recipe, or what a recipe made.
fn group_resource() -> Value {
    let recipe = object(
        &["id", "name", "type", "properties"],
        json!({
            "id": text(), "name": text(), "type": kind(),
            "properties": object(
                &["provisioningState"],
                json!({ "provisioningState": reference("ProvisioningState") }),
            ),
        }),
    );
    let made = object(
        &["id", "name", "type", "recipe"],
        json!({
            "id": text(), "name": text(), "type": text(), "recipe": text(), "address": text(),
            "cloudControl": link(),
        }),
    );
    json!({ "anyOf": [reference("Reference"), recipe, made] })
}
