//! Declarations with one property changed, as a user could change it next.

use hangar_schema::{Purpose, TypeSchema, validate};
use serde_json::{Value, json};

use super::law::is_updatable;

/// The declaration with each updatable property changed or dropped, one at a time.
pub(super) fn one_at_a_time(schema: &TypeSchema, declared: &Value) -> Vec<Value> {
    let mistakes = mistakes(schema, declared);
    let is_sound = |changed: &Value| mistakes_count(schema, changed) <= mistakes;
    let mut found = Vec::new();
    let Some(members) = declared.as_object() else { return found };
    for (name, value) in members.iter().filter(|(name, _)| is_updatable(schema, name)) {
        let other = variants(value).into_iter().map(|other| {
            let mut changed = declared.clone();
            changed[name.as_str()] = other;
            changed
        });
        let mut dropped = declared.clone();
        if let Some(members) = dropped.as_object_mut() {
            members.remove(name);
        }
        found.extend(other.chain([dropped]).find(is_sound));
    }
    found
}

/// How many errors a declaration has already: a recording may be older than the schema.
fn mistakes(schema: &TypeSchema, declared: &Value) -> usize {
    mistakes_count(schema, declared)
}

fn mistakes_count(schema: &TypeSchema, document: &Value) -> usize {
    validate(schema, document, Purpose::Desired).iter().filter(|one| one.is_error()).count()
}

/// Other values in the place of one, the likeliest to be valid first.
fn variants(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(flag) => vec![json!(!flag)],
        Value::Number(number) => match number.as_i64() {
            Some(number) => vec![json!(number + 1), json!(number - 1)],
            None => Vec::new(),
        },
        Value::String(text) => {
            let mut found = vec![json!(format!("{text}x")), json!(format!("{text}1"))];
            found.extend(text.char_indices().nth(1).map(|(at, _)| json!(&text[at..])));
            found
        }
        Value::Array(items) if items.len() > 1 => vec![json!(items[1..])],
        Value::Array(items) => items
            .first()
            .map(|first| variants(first).into_iter().map(|other| json!([other])).collect())
            .unwrap_or_default(),
        Value::Object(members) => {
            let mut found = Vec::new();
            for (name, member) in members {
                for other in variants(member) {
                    let mut changed = members.clone();
                    changed.insert(name.clone(), other);
                    found.push(Value::Object(changed));
                }
            }
            found
        }
        Value::Null => Vec::new(),
    }
}
