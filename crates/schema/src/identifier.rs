//! The identifier of a resource from its properties, and from what a person types.

use hangar_diag::Diagnostic;
use hangar_ids::{Identifier, NamedIdentifier};
use serde_json::Value;

use crate::codes;
use crate::pointer::PropertyPointer;
use crate::type_schema::TypeSchema;

/// The primary identifier of a resource that has these properties, as Cloud Control spells it.
///
/// Strings are taken as they are, numbers and booleans as their text, parts joined with `|`. The
/// diagnostic names every part that is absent or not plain, and lists what the schema wants.
///
/// ```
/// # use hangar_schema::{Catalog, identifier_of};
/// # use serde_json::json;
/// let schema = Catalog::bundled().get("AWS::ApiGateway::Stage")?;
/// let identifier = identifier_of(&schema, &json!({"RestApiId": "a1", "StageName": "prod"}))?;
/// assert_eq!(identifier.as_str(), "a1|prod");
///
/// let refused = identifier_of(&schema, &json!({"RestApiId": "a1"})).unwrap_err();
/// assert_eq!(
///     refused.message,
///     "the properties of AWS::ApiGateway::Stage lack `/StageName`, which the identifier requires",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn identifier_of(schema: &TypeSchema, properties: &Value) -> Result<Identifier, Diagnostic> {
    if schema.primary_identifier().is_empty() {
        let message = format!("the schema of {} has no primary identifier", schema.name());
        return Err(Diagnostic::error(codes::NO_IDENTIFIER, message)
            .hint("resources of this type cannot be read, updated or deleted by identifier"));
    }
    joined(schema, schema.primary_identifier(), properties)
}

/// An additional identifier of a resource that has these properties: the set at `index` of
/// [`TypeSchema::additional_identifiers`].
pub fn additional_identifier_of(
    schema: &TypeSchema,
    index: usize,
    properties: &Value,
) -> Result<Identifier, Diagnostic> {
    let sets = schema.additional_identifiers();
    if let Some(set) = sets.get(index).filter(|set| !set.is_empty()) {
        return joined(schema, set, properties);
    }
    let message = format!("{} has no additional identifier {index}", schema.name());
    Err(Diagnostic::error(codes::NO_IDENTIFIER, message)
        .hint(format!("number of additional identifiers in the schema: {}", sets.len())))
}

/// Reads an identifier as a person types it: `a|b`, a JSON object or named fields, of the primary
/// or of an additional identifier.
///
/// A part is named by the last step of its pointer, or by the whole pointer where that would name
/// two parts of a set.
///
/// ```
/// # use hangar_schema::{Catalog, read_identifier};
/// let schema = Catalog::bundled().get("AWS::ApiGateway::Stage")?;
/// for text in ["a1|prod", r#"{"StageName": "prod", "RestApiId": "a1"}"#] {
///     assert_eq!(read_identifier(&schema, text)?.identifier.as_str(), "a1|prod");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_identifier(schema: &TypeSchema, text: &str) -> Result<NamedIdentifier, Diagnostic> {
    let primary = part_names(schema.primary_identifier());
    let additional: Vec<Vec<String>> =
        schema.additional_identifiers().iter().map(|set| part_names(set)).collect();
    let primary: Vec<&str> = primary.iter().map(String::as_str).collect();
    let additional: Vec<Vec<&str>> =
        additional.iter().map(|set| set.iter().map(String::as_str).collect()).collect();
    Identifier::read(text, &primary, &additional)
}

fn joined(
    schema: &TypeSchema,
    set: &[PropertyPointer],
    properties: &Value,
) -> Result<Identifier, Diagnostic> {
    let parts: Vec<Part> = set.iter().map(|pointer| part(pointer, properties)).collect();
    let mut texts = Vec::with_capacity(parts.len());
    let (mut absent, mut not_plain) = (Vec::new(), Vec::new());
    for (pointer, part) in set.iter().zip(parts) {
        match part {
            Part::Text(text) => texts.push(text),
            Part::Absent => absent.push(format!("`{pointer}`")),
            Part::NotPlain => not_plain.push(format!("`{pointer}`")),
        }
    }
    let wanted = set.iter().map(ToString::to_string).collect::<Vec<_>>().join("|");
    let wanted = format!("the identifier consists of `{wanted}`");
    if absent.is_empty() && not_plain.is_empty() {
        return Identifier::from_parts(&texts).map_err(|refused| refused.hint(wanted));
    }
    let mut clauses = Vec::new();
    if !absent.is_empty() {
        clauses.push(format!("lack {}", absent.join(" and ")));
    }
    if !not_plain.is_empty() {
        let names = not_plain.join(" and ");
        clauses.push(format!("have no string, number or boolean at {names}"));
    }
    let message = format!(
        "the properties of {} {}, which the identifier requires",
        schema.name(),
        clauses.join(" and ")
    );
    Err(Diagnostic::error(codes::IDENTIFIER_INCOMPLETE, message).pointer("").hint(wanted))
}

/// What a document has at one part of an identifier.
enum Part {
    Text(String),
    Absent,
    NotPlain,
}

fn part(pointer: &PropertyPointer, properties: &Value) -> Part {
    // A pointer that crosses an array names many values, and none of them.
    let Some(names) = pointer.member_names() else { return Part::NotPlain };
    let mut at = properties;
    for name in names {
        match at.get(name) {
            Some(next) => at = next,
            None => return Part::Absent,
        }
    }
    match at {
        Value::String(text) => Part::Text(text.clone()),
        Value::Number(number) => Part::Text(number.to_string()),
        Value::Bool(flag) => Part::Text(flag.to_string()),
        Value::Null => Part::Absent,
        Value::Array(_) | Value::Object(_) => Part::NotPlain,
    }
}

fn part_names(set: &[PropertyPointer]) -> Vec<String> {
    let lasts: Vec<Option<String>> = set.iter().map(last_name).collect();
    set.iter()
        .zip(&lasts)
        .map(|(pointer, last)| match last {
            Some(name) if lasts.iter().filter(|other| *other == last).count() == 1 => name.clone(),
            _ => pointer.to_string().trim_start_matches('/').to_owned(),
        })
        .collect()
}

fn last_name(pointer: &PropertyPointer) -> Option<String> {
    pointer.member_names()?.last().map(|name| (*name).to_owned())
}
