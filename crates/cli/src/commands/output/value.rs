//! Outputs as the API stores them, and as scripts read them.

use serde_json::{Map, Value};

use crate::render::printable;

/// The value of an output.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum OutputValue {
    Known(Value),
    /// An output that is secret as a whole: only its type is stored.
    Secret,
}

/// Reads the outputs of a deployment, in the order in which they are stored.
pub(super) fn parse_outputs(outputs: &Map<String, Value>) -> Vec<(String, OutputValue)> {
    let parse = |output: &Value| match output.get("value") {
        Some(value) if !is_secure(output) => OutputValue::Known(value.clone()),
        _ => OutputValue::Secret,
    };
    outputs.iter().map(|(name, output)| (name.clone(), parse(output))).collect()
}

fn is_secure(output: &Value) -> bool {
    let kind = output.get("type").and_then(Value::as_str).unwrap_or_default();
    kind.to_ascii_lowercase().starts_with("secure")
}

/// Returns a value as a script reads it: a string without quotes, anything else as JSON.
pub(super) fn raw_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// Returns a line `key = value` for each output.
pub(super) fn lines(outputs: &[(String, OutputValue)]) -> Vec<String> {
    let value = |value: &OutputValue| match value {
        OutputValue::Known(value) => raw_text(value),
        OutputValue::Secret => "«secret»".to_owned(),
    };
    let line = |(name, found): &(String, OutputValue)| {
        format!("{} = {}", printable(name), printable(&value(found)))
    };
    outputs.iter().map(line).collect()
}

/// Returns all outputs as one object; a secret is null.
pub(super) fn to_object(outputs: &[(String, OutputValue)]) -> Map<String, Value> {
    let value = |value: &OutputValue| match value {
        OutputValue::Known(value) => value.clone(),
        OutputValue::Secret => Value::Null,
    };
    outputs.iter().map(|(name, found)| (name.clone(), value(found))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn outputs_are_lines_and_an_object_without_secrets() {
        let stored = json!({
            "a": {"type": "string", "value": "two\nlines"},
            "b": {"type": "array", "value": [1, "x"]},
            "c": {"type": "securestring"},
            "d": {"type": "secureObject", "value": {"p": 1}},
            "e": {"type": "string", "value": ""},
        });
        let outputs = parse_outputs(stored.as_object().unwrap());
        let expected = ["a = two\\nlines", "b = [1,\"x\"]", "c = «secret»", "d = «secret»", "e = "];
        assert_eq!(lines(&outputs), expected);
        let object = json!({"a": "two\nlines", "b": [1, "x"], "c": null, "d": null, "e": ""});
        assert_eq!(Value::Object(to_object(&outputs)), object);
    }
}
