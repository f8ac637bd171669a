//! What becomes of secrets: results that tell of them are secret, and no message holds one.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const CANARY: &str = "canary";

fn secret() -> Value {
    Value::string(CANARY).tainted(true)
}

fn members(name: &str, value: Value) -> Value {
    Value::object(crate::value::Members::from([(name.into(), value)]))
}

#[test]
fn a_secret_argument_makes_the_result_secret() {
    for (name, arguments) in [
        ("toUpper", vec![secret()]),
        ("concat", vec![Value::string("a"), secret()]),
        ("split", vec![secret(), Value::string("n")]),
        ("first", vec![secret()]),
        ("length", vec![secret()]),
        ("array", vec![secret()]),
        ("uniqueString", vec![secret()]),
        ("union", vec![members("a", secret()).tainted(true), members("b", Value::NULL)]),
    ] {
        assert!(call(name, arguments).unwrap().secret, "{name}");
    }
}

#[test]
fn a_secret_part_is_in_what_is_computed_from_it() {
    let list = Value::array(vec![Value::string("a"), secret()]);
    for (name, arguments) in [
        ("join", vec![list.clone(), Value::string(",")]),
        ("string", vec![list.clone()]),
        ("format", vec![Value::string("{0}"), list.clone()]),
        ("contains", vec![list.clone(), Value::string("b")]),
        ("split", vec![Value::string("abc"), list.clone()]),
    ] {
        assert!(call(name, arguments).unwrap().secret, "{name}");
    }
}

#[test]
fn a_secret_part_that_is_moved_takes_only_itself_along() {
    let list = Value::array(vec![Value::string("a"), secret()]);
    for name in ["concat", "union", "intersection"] {
        let result = call(name, [list.clone(), list.clone()]).unwrap();
        assert!(!result.secret && result.holds_secret(), "{name}");
    }
    let merged = call("union", [members("a", secret()), members("b", Value::int(1))]).unwrap();
    let Data::Object(merged) = &merged.data else { panic!("no object") };
    assert!(merged["a"].secret && !merged["b"].secret);
    // That the other one was left out tells that they are the same.
    let both = Value::array(vec![Value::string(CANARY)]);
    let union = call("union", [both, Value::array(vec![secret()])]).unwrap();
    assert!(union.holds_secret());
    let nested =
        call("flatten", [Value::array(vec![Value::array(vec![Value::int(1)]).tainted(true)])]);
    assert!(nested.unwrap().holds_secret());
}

#[test]
fn what_waits_is_secret_if_anything_is() {
    let unknown = Value::unknown(Some(Kind::String), Because::Moment);
    let list = Value::array(vec![unknown, secret()]);
    let text = call("join", [list, Value::string(",")]).unwrap();
    assert!(text.is_unknown().is_some() && text.secret);
}

#[test]
fn a_lambda_knows_that_an_item_is_of_a_secret_list() {
    let parts = call("split", [secret(), Value::string("n")]).unwrap();
    let object = members("a", Value::string(CANARY)).tainted(true);
    for (name, value) in [("map", parts.clone()), ("filter", parts), ("mapValues", object)] {
        let lambda = |values: &[Value]| {
            let known = values[0].secret.then(|| Value::bool(true));
            known.ok_or_else(|| Fault::call("it does not know"))
        };
        let arguments = vec![Argument::Value(value), Argument::Lambda(&lambda)];
        let result = function(name).call(Call { arguments, context: &context() });
        assert!(result.is_ok_and(|it| it.secret), "{name}");
    }
}

#[test]
fn no_message_holds_a_secret() {
    for (name, arguments) in [
        ("int", vec![secret()]),
        ("bool", vec![secret()]),
        ("json", vec![secret()]),
        ("fail", vec![secret()]),
        ("cidrHost", vec![secret(), Value::int(0)]),
        ("padLeft", vec![Value::string("a"), Value::int(5), secret()]),
        ("format", vec![Value::string("{0:canary}").tainted(true), Value::int(1)]),
        ("format", vec![Value::string("{0").tainted(true), Value::int(1)]),
        ("buildUri", vec![members(CANARY, Value::NULL).tainted(true)]),
        ("loadJsonContent", vec![Value::string("a.json"), secret()]),
        ("dateTimeToEpoch", vec![secret()]),
    ] {
        let fault = call(name, arguments).unwrap_err();
        assert!(!format!("{fault:?}").contains(CANARY), "{name}: {fault:?}");
    }
}

proptest! {
    #[test]
    fn no_function_tells_a_secret(index in 0..all().count(), count in 0_usize..4) {
        let function = all().nth(index).unwrap();
        let context = context();
        for values in [
            vec![secret(); count],
            vec![Value::from_json(&json!([CANARY, {CANARY: CANARY}]), true); count],
            vec![Value::array(vec![secret(), Value::int(3)]); count],
            vec![members("a", secret()); count],
        ] {
            let arguments = values.iter().cloned().map(Argument::Value).collect();
            match function.call(Call { arguments, context: &context }) {
                Ok(value) => prop_assert!(!format!("{value:?}").contains(CANARY), "{}", function.name),
                Err(fault) => prop_assert!(!format!("{fault:?}").contains(CANARY), "{fault:?}"),
            }
        }
    }
}
