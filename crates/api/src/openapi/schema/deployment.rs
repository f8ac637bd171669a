//! What the bodies of deployments hold.

use serde_json::{Value, json};

use super::{Named, any_object, closed, list, object, reference, text, texts, time};

pub(super) fn all() -> Named {
    vec![
        ("Deployment", shown()),
        ("DeploymentList", list("Deployment")),
        ("DeploymentResource", row()),
        ("DeploymentWrite", written()),
        ("WhatIf", what_if()),
        ("WhatIfChange", change()),
    ]
}

fn written() -> Value {
    let binary = closed(&["base64"], json!({ "base64": { "type": "string", "format": "byte" } }));
    let file = json!({ "oneOf": [text(), binary] });
    let parameter = closed(&["value"], json!({ "value": {} }));
    let scope = closed(&[], json!({ "scope": text() }));
    let aws = closed(&[], json!({ "value": scope }));
    // What `whatIf` told of a resource; only what it is compared by is looked at.
    let planned = object(&["address", "action"], json!({ "address": text(), "action": text() }));
    // Either Bicep, in files with the one to begin with, or ARM JSON.
    let mut properties = closed(
        &[],
        json!({
            "template": any_object(),
            "mode": { "type": "string", "enum": ["Incremental"] },
            "sources": { "type": "object", "minProperties": 1, "additionalProperties": file },
            "entry": text(), "templatePath": text(),
            "parameters": { "type": "object", "additionalProperties": parameter },
            "providerConfig": closed(&[], json!({ "aws": aws })),
            "replace": { "type": "string", "enum": ["allow"] },
            "adopt": { "type": "boolean" }, "skipUnsupported": { "type": "boolean" },
            "takeOver": { "type": "boolean" }, "refreshDefaults": { "type": "boolean" },
            "onRemove": { "type": "string", "enum": ["keep", "detach", "delete"] },
            "plan": closed(&["changes"], json!({
                "seal": text(), "freshSeal": text(), "keptDefaults": text(),
                "changes": { "type": "array", "items": planned },
            })),
        }),
    );
    properties["oneOf"] =
        json!([{ "required": ["sources", "entry"] }, { "required": ["template"] }]);
    closed(&["properties"], json!({ "properties": properties }))
}

fn shown() -> Value {
    let made = object(&["id"], json!({ "id": text() }));
    let properties = object(
        &["provisioningState", "operation", "timestamp", "outputResources", "resources"],
        json!({
            "provisioningState": reference("ProvisioningState"), "operation": text(),
            "timestamp": time(), "endedAt": time(), "templatePath": text(),
            "duration": { "type": "string", "format": "duration" }, "outputs": outputs(),
            "outputResources": { "type": "array", "items": made },
            "resources": { "type": "array", "items": reference("DeploymentResource") },
            "managedResources": { "type": "array", "items": member(json!({})) },
            "leftResources": { "type": "array", "items": member(json!({
                "identifier": text(), "managedBy": text(), "reason": text(),
                "fate": { "type": "string", "enum": ["kept", "taken over"] },
            })) },
            "detachedResources": {
                "type": "array", "items": member(json!({ "identifier": text() })),
            },
            "retiringResources": { "type": "array", "items": object(
                &["address", "identifier"], json!({ "address": text(), "identifier": text() }),
            ) },
            "error": reference("ErrorBody"),
            "waiting": reference("Waiting"),
        }),
    );
    object(
        &["id", "name", "type", "properties"],
        json!({
            "id": text(), "name": text(),
            "type": { "type": "string", "enum": ["Microsoft.Resources/deployments"] },
            "etag": text(), "properties": properties,
        }),
    )
}

/// Something that a deployment manages, or once did.
fn member(more: Value) -> Value {
    let mut members = json!({
        "address": text(), "type": text(), "alias": text(), "name": text(), "id": text(),
    });
    if let (Value::Object(members), Value::Object(more)) = (&mut members, more) {
        members.extend(more);
    }
    object(&["address", "type", "id"], members)
}

/// Outputs by name; a secure one has no value.
fn outputs() -> Value {
    let output = object(&["type"], json!({ "type": text(), "value": {} }));
    json!({ "type": "object", "additionalProperties": output })
}

fn source() -> Value {
    let number = || json!({ "type": "integer", "minimum": 0 });
    object(
        &["file", "line", "column", "start", "end"],
        json!({
            "file": text(), "line": number(), "column": number(), "start": number(),
            "end": number(),
        }),
    )
}

fn row() -> Value {
    let states = ["Waiting", "Running", "Succeeded", "Failed", "Skipped", "Canceled"];
    object(
        &["address", "type", "existing", "dependsOn", "state"],
        json!({
            "address": text(), "type": text(), "alias": text(), "name": text(),
            "existing": { "type": "boolean" },
            "id": text(), "scope": text(), "dependsOn": texts(),
            "state": { "type": "string", "enum": states }, "action": text(),
            "identifier": text(), "operation": text(), "startedAt": time(), "endedAt": time(),
            "waitsOn": texts(), "waiting": reference("Waiting"),
            "verb": { "type": "string", "enum": ["create", "update", "delete"] }, "because": text(), "error": reference("ErrorBody"),
            "source": source(), "left": { "type": "boolean" },
        }),
    )
}

fn what_if() -> Value {
    let properties = object(
        &["changes"],
        json!({
            "scope": text(),
            "seal": text(), "keptDefaults": text(),
            "needsReplace": { "type": "integer", "minimum": 0 },
            "outputs": { "type": "object", "additionalProperties": foretold_output() },
            "outputProblem": object(
                &["code", "message"],
                json!({ "code": text(), "message": text(), "source": source() }),
            ),
            "changes": { "type": "array", "items": reference("WhatIfChange") },
        }),
    );
    object(&["status", "properties"], json!({ "status": text(), "properties": properties }))
}

fn foretold_output() -> Value {
    let changes = ["create", "update", "delete", "no-op", "unknown"];
    object(
        &["type"],
        json!({
            "type": text(), "value": {}, "before": {}, "unknown": text(),
            "secret": { "type": "boolean" }, "change": { "type": "string", "enum": changes },
        }),
    )
}

/// A property that would change; one that is written whole has parts.
fn changed_property(parts: Option<Value>) -> Value {
    let mut members = json!({
        "path": text(), "keyed": text(), "before": {}, "after": {}, "unknown": text(),
        "secret": { "type": "boolean" }, "cause": text(), "reason": text(),
        "requiresReplacement": { "type": "boolean" }, "mayReplace": { "type": "boolean" },
        "source": source(),
    });
    if let Some(part) = parts {
        members["parts"] = json!({ "type": "array", "items": part });
    }
    object(&["path"], members)
}

fn change() -> Value {
    let actions = [
        "create",
        "adopt",
        "update",
        "replace",
        "run",
        "no-op",
        "read",
        "unknown",
        "refused",
        "keep",
        "detach",
        "delete",
        "taken-over",
    ];
    let changed = changed_property(Some(changed_property(None)));
    let note = json!({ "path": text(), "code": text(), "message": text() });
    let note = object(&["path", "code", "message"], note);
    object(
        &["address", "type", "existing", "action"],
        json!({
            "address": text(), "type": text(), "alias": text(), "name": text(),
            "existing": { "type": "boolean" },
            "id": text(), "scope": text(), "identifier": text(),
            "action": { "type": "string", "enum": actions },
            "changed": { "type": "array", "items": changed }, "reason": text(),
            "mayReplace": { "type": "boolean" }, "source": source(),
            "resourceChanges": { "type": "array", "items": resource_change() },
            "unlistedChanges": { "type": "integer", "minimum": 1 },
            "notes": { "type": "array", "items": note },
        }),
    )
}

/// What Terraform plans of one resource of a recipe.
fn resource_change() -> Value {
    let actions = ["create", "update", "replace", "delete", "forget"];
    object(
        &["address", "type", "action", "changed"],
        json!({
            "address": text(), "type": text(),
            "action": { "type": "string", "enum": actions },
            "changed": { "type": "array", "items": changed_property(None) },
        }),
    )
}
