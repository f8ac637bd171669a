//! What a table of patch cases needs: a schema in short hand, and the answer as one value.

#![allow(
    clippy::needless_pass_by_value,
    reason = "a table reads better with values than with references"
)]

use hangar_schema::{Catalog, Inputs, Patch, Source, TypeSchema, patch};
use serde_json::{Value, json};

/// Compiles an inline schema; `typeName` and `additionalProperties` are filled in.
pub(crate) fn schema(mut document: Value) -> TypeSchema {
    let members = document.as_object_mut().unwrap();
    members.entry("typeName").or_insert(json!("Test::Unit::Thing"));
    members.entry("additionalProperties").or_insert(json!(false));
    TypeSchema::compile(&document, Source::File).unwrap()
}

/// A type of the bundled catalog.
pub(crate) fn bundled(name: &str) -> TypeSchema {
    Catalog::bundled().get(name).unwrap()
}

pub(crate) fn diff(
    schema: &TypeSchema,
    live: &Value,
    desired: &Value,
    applied: Option<&Value>,
) -> Patch {
    patch(schema, &Inputs { live, desired, applied })
        .unwrap_or_else(|problems| panic!("refused: {problems:?}"))
}

/// The outcome in one word, the patch, and the paths of the reasons.
pub(crate) fn verdict(
    schema: &TypeSchema,
    live: Value,
    desired: Value,
    applied: impl Into<Option<Value>>,
) -> Value {
    let applied = applied.into();
    let patch = diff(schema, &live, &desired, applied.as_ref());
    let mut verdict = json!({"outcome": patch.outcome.as_str()});
    if !patch.operations.is_empty() {
        verdict["patch"] = patch.to_json();
    }
    if !patch.reasons.is_empty() {
        verdict["reasons"] = patch.reasons.iter().map(|reason| reason.path.clone()).collect();
    }
    verdict
}

pub(crate) fn noop() -> Value {
    json!({"outcome": "noop"})
}

pub(crate) fn update(operations: Value) -> Value {
    json!({"outcome": "update", "patch": operations})
}

pub(crate) fn replace(paths: &[&str]) -> Value {
    json!({"outcome": "replace-required", "reasons": paths})
}

/// `add` of one value.
pub(crate) fn add(path: &str, value: Value) -> Value {
    json!({"op": "add", "path": path, "value": value})
}

pub(crate) fn remove(path: &str) -> Value {
    json!({"op": "remove", "path": path})
}

/// The rules that explain a pointer, in order.
pub(crate) fn rules_at(patch: &Patch, path: &str) -> Vec<&'static str> {
    patch
        .explanations
        .iter()
        .filter(|explanation| explanation.path == path)
        .map(|explanation| explanation.rule.name())
        .collect()
}
