//! Structural equality of JSON values in which numbers compare by value, not by spelling.

use serde_json::Value;

use crate::number;

/// Whether two values are the same JSON: objects without order, arrays with it, `1` as `1.0`.
///
/// Takes no stack for depth.
///
/// ```
/// # use hangar_schema::same::same;
/// # use serde_json::json;
/// assert!(same(&json!({"a": [1], "b": null}), &json!({"b": null, "a": [1.0]})));
/// assert!(!same(&json!({"a": null}), &json!({})));
/// ```
pub fn same(a: &Value, b: &Value) -> bool {
    let mut pending = vec![(a, b)];
    while let Some(pair) = pending.pop() {
        match pair {
            (Value::Number(a), Value::Number(b)) if number::equal(a, b) => {}
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                pending.extend(a.iter().zip(b));
            }
            (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
                for (key, a) in a {
                    let Some(b) = b.get(key) else { return false };
                    pending.push((a, b));
                }
            }
            (Value::Null, Value::Null) => {}
            (Value::Bool(a), Value::Bool(b)) if a == b => {}
            (Value::String(a), Value::String(b)) if a == b => {}
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kinds_and_lengths_are_told_apart() {
        let values = [
            json!(null),
            json!(false),
            json!(0),
            json!(""),
            json!([]),
            json!({}),
            json!([0]),
            json!([0, 0]),
            json!({"a": 0}),
            json!({"b": 0}),
            json!({"a": 0, "b": 0}),
        ];
        for (i, a) in values.iter().enumerate() {
            for (j, b) in values.iter().enumerate() {
                assert_eq!(same(a, b), i == j, "{a} {b}");
            }
        }
    }
}
