//! Enumerations and patterns that cfn-lint states and AWS's own schema does not.

use serde_json::{Map, Value};

/// The keywords that are taken over.
const KEYWORDS: [&str; 3] = ["enum", "enumCaseInsensitive", "pattern"];

/// The keywords of which one says enough: what AWS states itself is not added to.
const OF_AWS: [&str; 3] = ["enum", "const", "pattern"];

/// What `cfn_lint` adds to `schema`, by JSON pointer into `schema`.
///
/// Both are walked by the same names. A place that only one of them has is left out, and so is one that refers to a
/// definition: cfn-lint moves some definitions, and then a limit would land at another place.
pub(crate) fn advice(schema: &Value, cfn_lint: &Value) -> Map<String, Value> {
    let mut advice = Map::new();
    for keyword in ["definitions", "properties"] {
        walk(
            &schema[keyword],
            &cfn_lint[keyword],
            &format!("/{keyword}"),
            Holds::Names,
            &mut advice,
        );
    }
    advice
}

/// What the members of an object are.
#[derive(Clone, Copy)]
enum Holds {
    /// Schemas under names that are no keywords.
    Names,
    /// Keywords of one schema.
    Keywords,
}

fn walk(
    schema: &Value,
    cfn_lint: &Value,
    pointer: &str,
    holds: Holds,
    advice: &mut Map<String, Value>,
) {
    let (Value::Object(own), Value::Object(other)) = (schema, cfn_lint) else { return };
    if let Holds::Keywords = holds
        && let Some(limits) = added(own, other)
    {
        advice.insert(pointer.to_owned(), limits);
    }
    for (name, inner) in own {
        let Some(found) = other.get(name) else { continue };
        let next = match (holds, name.as_str()) {
            (Holds::Names, _) | (Holds::Keywords, "items" | "additionalProperties") => {
                Holds::Keywords
            }
            (Holds::Keywords, "properties" | "patternProperties") => Holds::Names,
            _ => continue,
        };
        let segment = name.replace('~', "~0").replace('/', "~1");
        walk(inner, found, &format!("{pointer}/{segment}"), next, advice);
    }
}

/// The limits that only cfn-lint states, for values that are texts.
fn added(own: &Map<String, Value>, other: &Map<String, Value>) -> Option<Value> {
    let is_text = own.get("type").is_some_and(|kind| kind == "string");
    if !is_text || OF_AWS.iter().any(|keyword| own.contains_key(*keyword)) {
        return None;
    }
    let is_texts = |value: &Value| match value {
        Value::Array(values) => values.iter().all(Value::is_string),
        other => other.is_string(),
    };
    let limits: Map<String, Value> = KEYWORDS
        .iter()
        .filter_map(|keyword| Some((*keyword, other.get(*keyword)?)))
        .filter(|(_, value)| is_texts(value))
        .map(|(keyword, value)| (keyword.to_owned(), value.clone()))
        .collect();
    (!limits.is_empty()).then_some(Value::Object(limits))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_aws_does_not_state_is_added() {
        let text = |extra: Value| {
            let mut schema = json!({"type": "string"});
            schema.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            schema
        };
        let raw = json!({
            "properties": {
                "Mode": text(json!({})), "Name": text(json!({"pattern": "a"})),
                "Moved": {"$ref": "#/definitions/D"}, "Count": {"type": "integer"},
            },
            "definitions": {"D": {"type": "object", "properties": {"a/b": text(json!({}))}}},
        });
        let lint = json!({
            "properties": {
                "Mode": text(json!({"enum": ["A"], "maxLength": 3})),
                "Name": text(json!({"pattern": "b"})),
                "Moved": text(json!({"enum": ["A"]})), "Count": {"enum": [1]}, "New": {"enum": ["A"]},
            },
            "definitions": {"D": {"properties": {"a/b": text(json!({"pattern": "^x$"}))}}},
        });
        assert_eq!(
            Value::Object(advice(&raw, &lint)),
            json!({
                "/definitions/D/properties/a~1b": {"pattern": "^x$"},
                "/properties/Mode": {"enum": ["A"]},
            })
        );
    }
}
