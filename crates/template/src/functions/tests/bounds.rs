//! That no call builds more than it may, and that each says so.

use super::*;

fn long() -> Value {
    Value::string("x".repeat(MOST_BYTES / 2 + 1))
}

#[test]
fn no_result_outgrows_its_bound() {
    let many = Value::array(vec![Value::int(1); MOST_ITEMS / 2 + 1]);
    for (name, arguments) in [
        ("concat", vec![long(), long()]),
        ("concat", vec![many.clone(), many.clone()]),
        ("join", vec![Value::array(vec![long(); MOST_ITEMS]), long()]),
        ("replace", vec![Value::string("a".repeat(1000)), Value::string("a"), long()]),
        ("replace", vec![long(), Value::string("x"), Value::string("xyz")]),
        ("padLeft", vec![Value::string(""), Value::int(i64::MAX)]),
        ("padLeft", vec![Value::string(""), Value::int(1 << 20), Value::string("é")]),
        ("split", vec![Value::string(",".repeat(MOST_ITEMS)), Value::string(",")]),
        ("format", vec![Value::string("{0}{0}{0}"), long()]),
        ("string", vec![Value::array(vec![long(); 3])]),
        ("base64", vec![Value::string("x".repeat(MOST_BYTES))]),
        ("uriComponent", vec![Value::string("é".repeat(MOST_BYTES / 4))]),
        ("flatten", vec![Value::array(vec![many.clone(); 3])]),
        ("dataUri", vec![Value::string("x".repeat(MOST_BYTES))]),
    ] {
        let fault = call(name, arguments).expect_err(name);
        let message = message(&fault);
        assert!(
            message.contains("more than") || message.contains("expected a number"),
            "{name}: {message}"
        );
    }
}

#[test]
fn a_document_with_too_many_items_is_refused() {
    let text = format!("[{}1]", "1,".repeat(MOST_ITEMS));
    assert!(call("json", [Value::string(text)]).is_err());
}

#[test]
fn arguments_with_too_many_parts_are_refused() {
    let mut value = Value::int(1);
    for _ in 0..64 {
        value = Value::array(vec![value.clone(), value]);
    }
    let fault = call("length", [value]).unwrap_err();
    assert!(message(&fault).contains("parts"), "{}", message(&fault));
    let mut value = Value::int(1);
    for _ in 0..1000 {
        value = Value::array(vec![value]);
    }
    let fault = call("first", [value]).unwrap_err();
    assert!(message(&fault).contains("nested more than 256 levels deep"), "{}", message(&fault));
}
