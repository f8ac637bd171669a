//! What validation says of documents, rule by rule.

mod alternatives;
mod catalog;
mod holes;
mod names;
mod places;
mod values;

use hangar_schema::{Catalog, Purpose, Source, TypeSchema, validate};
use serde_json::{Value, json};

/// A small type with these properties, closed as every public type is.
fn small(properties: &Value) -> Value {
    json!({
        "typeName": "Test::Small::Type",
        "additionalProperties": false,
        "properties": properties,
    })
}

/// Adds keywords to the top level of a schema.
fn with(mut schema: Value, keywords: &Value) -> Value {
    for (keyword, value) in keywords.as_object().unwrap() {
        schema[keyword] = value.clone();
    }
    schema
}

/// What is said of a document, a line for each diagnostic: its pointer and its first hint too.
fn said(schema: &TypeSchema, document: &Value, purpose: Purpose) -> String {
    let lines: Vec<String> = validate(schema, document, purpose)
        .iter()
        .map(|it| format!("{it} @{} ({})", it.pointer.as_deref().unwrap(), it.hints.join("; ")))
        .collect();
    lines.join("\n")
}

fn said_of_file(schema: &Value, document: &Value) -> String {
    let schema = TypeSchema::compile(schema, Source::File).unwrap();
    said(&schema, document, Purpose::Desired)
}

fn said_of_type(name: &str, document: &Value) -> String {
    let schema = Catalog::bundled().get(name).unwrap();
    said(&schema, document, Purpose::Desired)
}

/// The shortest form: severity and code of each diagnostic, with its pointer.
fn outline(schema: &Value, source: Source, document: &Value, purpose: Purpose) -> Vec<String> {
    let schema = TypeSchema::compile(schema, source).unwrap();
    validate(&schema, document, purpose)
        .iter()
        .map(|it| {
            format!("{} {} {}", it.severity.as_str(), it.code, it.pointer.as_deref().unwrap())
        })
        .collect()
}

/// The outline for a single property `P` with this schema and this value.
fn property(schema: &Value, value: &Value) -> Vec<String> {
    let schema = small(&json!({"P": schema}));
    outline(&schema, Source::Aws, &json!({"P": value}), Purpose::Desired)
}
