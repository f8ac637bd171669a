//! What bodies hold.

mod deployment;
mod recipe;

use hangar_plan::WaitCode;
use serde_json::{Map, Value, json};

/// Where a schema is told.
pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// All schemas.
pub(super) fn all() -> Value {
    let mut all = Map::new();
    let named = [
        shared(),
        planes(),
        credentials(),
        groups(),
        references(),
        deployment::all(),
        recipe::all(),
        resources(),
        operations(),
    ];
    for (name, schema) in named.into_iter().flatten() {
        all.insert(name.to_owned(), schema);
    }
    Value::Object(all)
}

type Named = Vec<(&'static str, Value)>;

fn text() -> Value {
    json!({ "type": "string" })
}

fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

fn texts() -> Value {
    json!({ "type": "array", "items": text() })
}

/// Anything that a type's schema allows.
fn any_object() -> Value {
    json!({ "type": "object", "additionalProperties": true })
}

fn object(required: &[&str], properties: Value) -> Value {
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties);
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    Value::Object(schema)
}

/// A body of a request: what it does not name is refused.
fn closed(required: &[&str], properties: Value) -> Value {
    let mut schema = object(required, properties);
    schema["additionalProperties"] = false.into();
    schema
}

fn list(of: &str) -> Value {
    let values = json!({ "type": "array", "items": reference(of) });
    object(
        &["value"],
        json!({ "value": values, "nextLink": { "type": "string", "format": "uri" } }),
    )
}

fn tags() -> Value {
    json!({
        "type": "object", "maxProperties": 50,
        "additionalProperties": { "type": "string", "maxLength": 256 },
    })
}

fn nullable(mut schema: Value) -> Value {
    schema["nullable"] = true.into();
    schema
}

/// Properties with ARM's own among them.
fn with_state() -> Value {
    let mut schema = object(
        &["provisioningState"],
        json!({ "provisioningState": reference("ProvisioningState") }),
    );
    schema["additionalProperties"] = true.into();
    schema
}

fn shared() -> Named {
    let info = object(&["type", "info"], json!({ "type": text(), "info": any_object() }));
    let error = object(
        &["code", "message"],
        json!({
            "code": text(), "message": text(), "target": text(),
            "details": { "type": "array", "items": reference("ErrorBody") },
            "additionalInfo": { "type": "array", "items": info },
        }),
    );
    vec![
        ("Error", object(&["error"], json!({ "error": reference("ErrorBody") }))),
        ("ErrorBody", error),
        ("Nothing", closed(&[], json!({}))),
        ("OpenApi", any_object()),
        ("Result", any_object()),
        (
            "Discovery",
            object(
                &["kind", "apiVersion", "groupVersion", "resources"],
                json!({
                    "kind": text(), "apiVersion": text(), "groupVersion": text(),
                    "resources": { "type": "array", "items": any_object() },
                }),
            ),
        ),
        (
            "Health",
            object(
                &["status", "instance", "version"],
                json!({
                    "status": { "type": "string", "enum": ["ok", "unavailable"] },
                    "instance": text(), "version": text(), "error": reference("ErrorBody"),
                }),
            ),
        ),
        (
            "ProvisioningState",
            json!({
                "type": "string",
                "enum": ["Accepted", "Running", "Creating", "Updating", "Deleting", "Succeeded", "Failed", "Canceled"],
            }),
        ),
        (
            "SystemData",
            object(
                &["createdAt", "lastModifiedAt"],
                json!({ "createdAt": time(), "lastModifiedAt": time() }),
            ),
        ),
    ]
}

fn planes() -> Named {
    let shown = json!({
        "id": text(), "name": text(),
        "type": { "type": "string", "enum": ["System.AWS/planes", "System.Radius/planes"] },
        "location": text(), "tags": tags(), "etag": text(),
        "properties": with_state(), "systemData": reference("SystemData"),
    });
    let required = ["id", "name", "type", "etag", "properties"];
    let written = json!({ "location": text(), "tags": tags(), "properties": any_object() });
    let changed = json!({
        "location": nullable(text()), "tags": nullable(tags()), "properties": nullable(any_object()),
    });
    vec![
        ("Plane", object(&required, shown)),
        ("PlaneList", list("Plane")),
        ("PlaneWrite", closed(&[], written)),
        ("PlaneChange", closed(&[], changed)),
    ]
}

fn credentials() -> Named {
    let kind =
        json!({ "type": "string", "enum": ["AccessKey", "IRSA", "WebIdentity", "AssumeRole"] });
    let storage = object(&["kind"], json!({ "kind": { "type": "string", "enum": ["Internal"] } }));
    let mut properties = json!({
        "kind": kind, "storage": storage, "accessKeyId": text(), "roleARN": text(),
        "tokenFile": text(), "externalId": text(), "sessionName": text(),
    });
    let mut seen = properties.clone();
    seen["provisioningState"] = reference("ProvisioningState");
    let shown = json!({
        "id": text(), "name": text(),
        "type": { "type": "string", "enum": ["System.AWS/credentials"] },
        "location": text(), "tags": tags(), "etag": text(),
        "properties": object(&["kind", "storage", "provisioningState"], seen),
        "systemData": reference("SystemData"),
    });
    let secret = json!({ "type": "string", "format": "password", "writeOnly": true });
    properties["secretAccessKey"] = secret.clone();
    properties["sessionToken"] = secret;
    let written = json!({
        "location": text(), "tags": tags(), "properties": closed(&["kind"], properties),
    });
    let required = ["id", "name", "type", "etag", "properties", "systemData"];
    vec![
        ("Credential", object(&required, shown)),
        ("CredentialList", list("Credential")),
        ("CredentialWrite", closed(&["properties"], written)),
    ]
}

fn groups() -> Named {
    let mut shown = json!({
        "id": text(), "name": text(),
        "type": { "type": "string", "enum": ["System.Resources/resourceGroups"] },
        "location": text(), "tags": tags(), "etag": text(),
        "properties": with_state(), "systemData": reference("SystemData"),
    });
    let required = ["id", "name", "type", "etag", "properties", "systemData"];
    let group = object(&required, shown.clone());
    shown["resources"] = json!({ "type": "array", "items": reference("GroupResource") });
    shown["resourcesNextLink"] = json!({ "type": "string", "format": "uri" });
    let aws = closed(&[], json!({ "scope": text() }));
    let mut providers = object(&[], json!({ "aws": aws }));
    providers["additionalProperties"] = true.into();
    let mut properties = object(&[], json!({ "providers": providers }));
    properties["additionalProperties"] = true.into();
    let written = json!({ "location": text(), "tags": tags(), "properties": properties });
    let changed = json!({
        "location": nullable(text()), "tags": nullable(tags()), "properties": nullable(any_object()),
    });
    vec![
        ("Group", group),
        ("GroupShown", object(&[&required[..], &["resources"]].concat(), shown)),
        ("GroupList", list("Group")),
        ("GroupWrite", closed(&[], written)),
        ("GroupChange", closed(&[], changed)),
        (
            "DriftAsk",
            closed(&[], json!({ "repair": { "type": "boolean" }, "prune": { "type": "boolean" } })),
        ),
    ]
}

fn references() -> Named {
    let maps_to = object(&["scope"], json!({ "scope": text(), "primaryIdentifier": text() }));
    let difference = object(
        &["path"],
        json!({
            "path": text(), "keyed": text(), "applied": {}, "live": {},
            "secret": { "type": "boolean" },
        }),
    );
    let drift = object(
        &["state", "paths", "checkedAt"],
        json!({
            "state": { "type": "string", "enum": ["InSync", "Drifted", "Missing", "Unknown"] },
            "paths": texts(), "differences": { "type": "array", "items": difference },
            "reason": text(), "checkedAt": time(),
        }),
    );
    let unsettled = object(
        &["operation", "attempt"],
        json!({ "operation": text(), "attempt": { "type": "integer" }, "sentAt": time() }),
    );
    let learned = object(
        &["path", "learnedAt"],
        json!({
            "path": text(), "sent": {}, "seen": {}, "secret": { "type": "boolean" }, "learnedAt": time(),
        }),
    );
    let last = object(
        &["id", "status"],
        json!({ "id": text(), "status": reference("ProvisioningState"), "error": reference("ErrorBody") }),
    );
    let shown = json!({
        "id": text(), "name": text(), "type": text(), "etag": text(), "mapsTo": maps_to,
        "ownedResource": { "type": "boolean" }, "properties": with_state(),
        "observedAt": time(), "appliedProperties": any_object(), "secretPaths": texts(),
        "state": { "type": "string", "enum": ["reserved", "ready", "failed", "unknown", "missing"] },
        "retiring": texts(), "dependsOn": texts(), "managedBy": text(), "drift": drift,
        "learned": { "type": "array", "items": learned },
        "unsettled": { "type": "array", "items": unsettled },
        "operation": text(), "lastOperation": last, "systemData": reference("SystemData"),
    });
    let required = [
        "id",
        "name",
        "type",
        "etag",
        "mapsTo",
        "ownedResource",
        "properties",
        "state",
        "retiring",
        "dependsOn",
        "systemData",
    ];
    let identifier = json!({ "oneOf": [
        { "type": "string", "minLength": 1 },
        { "type": "object", "minProperties": 1, "additionalProperties": text() },
    ] });
    let named = closed(&[], json!({ "scope": text(), "primaryIdentifier": identifier }));
    let written = json!({
        "properties": any_object(), "mapsTo": named, "ownedResource": { "type": "boolean" },
        "secretPaths": texts(), "replace": { "type": "string", "enum": ["allow"] },
        "adopt": { "type": "boolean" }, "dependsOn": texts(),
    });
    let changed = json!({
        "properties": any_object(), "ownedResource": { "type": "boolean" }, "secretPaths": texts(),
        "dependsOn": texts(),
    });
    let alias = json!({ "type": "string", "minLength": 1, "maxLength": 260 });
    vec![
        ("Reference", object(&required, shown)),
        ("ReferenceList", list("Reference")),
        ("ReferenceWrite", closed(&[], written)),
        ("ReferenceChange", closed(&[], changed)),
        ("RenameAsk", closed(&["alias"], json!({ "alias": alias }))),
        ("UnlearnAsk", closed(&[], json!({ "path": text() }))),
    ]
}

fn resources() -> Named {
    let shown = json!({
        "id": text(), "name": text(), "type": text(), "properties": with_state(),
        "alias": text(), "trackedBy": text(),
    });
    let written = json!({ "properties": any_object(), "secretPaths": texts() });
    let by = json!({ "properties": any_object(), "trackedBy": text(), "alias": text() });
    let mut put = by.clone();
    put["secretPaths"] = texts();
    put["replace"] = json!({ "type": "string", "enum": ["allow"] });
    put["adopt"] = json!({ "type": "boolean" });
    put["dependsOn"] = texts();
    vec![
        ("Resource", object(&["type", "properties"], shown)),
        ("ResourceList", list("Resource")),
        ("ResourceWrite", closed(&["properties"], written)),
        ("ActionGet", closed(&[], by)),
        ("ActionPut", closed(&["properties"], put)),
    ]
}

fn operations() -> Named {
    let count = || json!({ "type": "integer", "minimum": 0 });
    let names = [
        "done",
        "inSync",
        "drifted",
        "missing",
        "unknown",
        "repaired",
        "recreated",
        "pruned",
        "refused",
    ];
    let counts: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), count())).collect();
    let attempt = object(
        &["number", "verb", "outcome"],
        json!({
            "number": { "type": "integer" },
            "verb": { "type": "string", "enum": ["create", "update", "delete"] },
            "requestToken": text(), "outcome": text(),
        }),
    );
    let event = object(
        &["sequence", "at", "message"],
        json!({
            "sequence": { "type": "integer" }, "at": time(), "message": text(),
            "waiting": reference("Waiting"),
        }),
    );
    let success = object(
        &["outcome", "convergence", "notEffective"],
        json!({
            "outcome": text(), "notEffective": texts(), "identifier": text(),
            "convergence": {
                "type": "string", "enum": ["converged", "accepted-not-effective", "unverified"],
            },
        }),
    );
    let shown = json!({
        "id": text(), "name": text(), "status": reference("ProvisioningState"),
        "startTime": time(), "endTime": time(),
        "percentComplete": { "type": "integer", "minimum": 0, "maximum": 100 },
        "kind": {
            "type": "string",
            "enum": [
                "put", "delete", "unlink", "import", "delete-group", "drift", "deploy", "plan",
                "deploy-recipe", "delete-recipe",
            ],
        },
        "resourceType": text(), "resourceId": text(), "reference": text(), "parent": text(),
        "counts": object(&names, Value::Object(counts)), "properties": success,
        "waiting": reference("Waiting"),
        "error": reference("ErrorBody"), "attempts": { "type": "array", "items": attempt },
        "stage": recipe::stage(), "rows": recipe::rows(), "unlisted": count(), "summary": recipe::summary(),
        "events": { "type": "array", "items": event }, "warnings": texts(),
        "calls": object(&["writes", "polls", "reads"], json!({
            "writes": count(), "polls": count(), "reads": count(),
        })),
    });
    let required = [
        "id",
        "name",
        "status",
        "startTime",
        "percentComplete",
        "kind",
        "resourceType",
        "attempts",
        "calls",
        "warnings",
    ];
    vec![
        ("Operation", object(&required, shown)),
        ("OperationList", list("Operation")),
        ("Waiting", waiting()),
    ]
}

fn waiting() -> Value {
    let codes = WaitCode::ALL.map(WaitCode::as_str);
    object(
        &["code", "message", "since", "attempts"],
        json!({
            "code": { "type": "string", "enum": codes }, "message": text(), "since": time(),
            "retryAt": time(), "attempts": { "type": "integer", "minimum": 0 },
        }),
    )
}
