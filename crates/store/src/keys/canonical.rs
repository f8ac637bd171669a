//! One run of bytes for each JSON value, for hashing: the same for the same value, another for any
//! other. `1.0` and `1` are the same value; so are two orders of an object's members.

use hangar_schema::number;
use serde_json::Value;

/// What is still to be written.
enum Item<'v> {
    Value(&'v Value),
    Name(&'v str),
}

/// The bytes of a value. Takes no stack for depth.
pub(super) fn encode(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut pending = vec![Item::Value(value)];
    while let Some(item) = pending.pop() {
        match item {
            Item::Name(name) => text(&mut bytes, b'k', name),
            Item::Value(Value::Null) => bytes.push(b'n'),
            Item::Value(Value::Bool(false)) => bytes.push(b'f'),
            Item::Value(Value::Bool(true)) => bytes.push(b't'),
            Item::Value(Value::Number(it)) => text(&mut bytes, b'#', &number::canonical(it)),
            Item::Value(Value::String(it)) => text(&mut bytes, b's', it),
            Item::Value(Value::Array(items)) => {
                length(&mut bytes, b'[', items.len());
                pending.extend(items.iter().rev().map(Item::Value));
            }
            Item::Value(Value::Object(members)) => {
                length(&mut bytes, b'{', members.len());
                // A map keeps whatever order a feature of its crate gives it.
                let mut members: Vec<(&String, &Value)> = members.iter().collect();
                members.sort_unstable_by_key(|(name, _)| *name);
                for (name, member) in members.into_iter().rev() {
                    pending.push(Item::Value(member));
                    pending.push(Item::Name(name));
                }
            }
        }
    }
    bytes
}

fn text(bytes: &mut Vec<u8>, kind: u8, text: &str) {
    length(bytes, kind, text.len());
    bytes.extend(text.as_bytes());
}

fn length(bytes: &mut Vec<u8>, kind: u8, length: usize) {
    bytes.push(kind);
    bytes.extend((length as u64).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use hangar_schema::same::same;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn number(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn different_values_have_different_bytes() {
        let values = [
            json!(null),
            json!(true),
            json!(false),
            json!(0),
            json!("0"),
            json!(""),
            json!([]),
            json!({}),
            json!([[], []]),
            json!([[[]]]),
            json!(["a", "b"]),
            json!(["ab"]),
            json!({"a": "b"}),
            json!({"a": {"b": 0}}),
            json!([{"a": 0}, {"b": 0}]),
            json!([{"a": 0, "b": 0}]),
            number("9007199254740993"),
            number("9007199254740992"),
        ];
        for (i, a) in values.iter().enumerate() {
            for (j, b) in values.iter().enumerate() {
                assert_eq!(encode(a) == encode(b), i == j, "{a} {b}");
            }
        }
    }

    #[test]
    fn a_value_of_any_depth_is_encoded() {
        let mut deep = json!(0);
        for _ in 0..100_000 {
            deep = Value::Array(vec![deep]);
        }
        assert_eq!(encode(&deep).len(), 100_000 * 9 + 10);
        // Dropping it does take stack for depth.
        std::mem::forget(deep);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let number = prop::sample::select(vec!["0", "-0.0", "1", "1.0", "10e-1", "0.1", "1e400"]);
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            number.prop_map(self::number),
            "[ab]{0,2}".prop_map(Value::String),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
                prop::collection::vec(("[ab]{0,1}", inner), 0..3)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn bytes_are_equal_exactly_when_values_are(a in any_value(), b in any_value()) {
            prop_assert_eq!(encode(&a) == encode(&b), same(&a, &b));
            prop_assert_eq!(encode(&a), encode(&a.clone()));
        }
    }
}
