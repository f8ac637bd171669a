//! What becomes of values that are not known yet.

use serde_json::json;

use super::*;
use crate::deployment::MissingParameter;

fn unknown(kind: Kind) -> Value {
    Value::unknown(Some(kind), Because::Moment)
}

fn members(name: &str, value: Value) -> Value {
    Value::object(crate::value::Members::from([(name.into(), value)]))
}

#[test]
fn what_computes_waits_for_every_part() {
    let list = Value::array(vec![Value::string("a"), unknown(Kind::String)]);
    for (name, arguments) in [
        ("join", vec![list.clone(), Value::string(",")]),
        ("string", vec![list.clone()]),
        ("intersection", vec![list.clone(), list.clone()]),
        ("distinct", vec![list.clone()]),
        ("toLower", vec![unknown(Kind::String)]),
        ("format", vec![Value::string("{0}"), unknown(Kind::String)]),
        ("union", vec![list.clone(), list.clone()]),
        ("flatten", vec![Value::array(vec![unknown(Kind::Array)])]),
        ("shallowMerge", vec![Value::array(vec![unknown(Kind::Object)])]),
    ] {
        let result = call(name, arguments).unwrap();
        assert!(result.is_unknown().is_some(), "{name}");
        let kind = function(name).returns;
        assert!(kind.is_none() || result.kind() == kind, "{name}");
    }
}

#[test]
fn what_moves_only_waits_for_a_whole() {
    let list = Value::array(vec![Value::string("a"), unknown(Kind::String)]);
    assert_eq!(call("length", [list.clone()]).unwrap(), Value::int(2));
    assert_eq!(call("empty", [list.clone()]).unwrap(), Value::bool(false));
    assert_eq!(call("first", [list.clone()]).unwrap(), Value::string("a"));
    assert!(call("last", [list.clone()]).unwrap().is_unknown().is_some());
    let both = call("concat", [list.clone(), list]).unwrap();
    assert!(both.is_unknown().is_none() && both.first_unknown().is_some());
    let object = members("a", unknown(Kind::String));
    assert_eq!(call("objectKeys", [object.clone()]).unwrap().to_json(), Some(json!(["a"])));
    assert!(call("items", [object]).unwrap().is_unknown().is_none());
    let whole = call("length", [unknown(Kind::Array)]).unwrap();
    assert_eq!((whole.is_unknown().is_some(), whole.kind()), (true, Some(Kind::Int)));
}

#[test]
fn an_item_that_is_found_needs_no_more() {
    let list = Value::array(vec![unknown(Kind::String), Value::string("a")]);
    assert_eq!(call("contains", [list.clone(), Value::string("a")]).unwrap(), Value::bool(true));
    let in_vain = call("contains", [list, Value::string("b")]).unwrap();
    assert_eq!((in_vain.is_unknown().is_some(), in_vain.kind()), (true, Some(Kind::Bool)));
    let object = members("a", unknown(Kind::String));
    assert_eq!(call("contains", [object, Value::string("b")]).unwrap(), Value::bool(false));
}

#[test]
fn a_union_only_waits_where_objects_may_meet() {
    let object = |value| members("a", value);
    let inner = members("b", Value::int(1));
    let merged = |one: Value, other: Value| {
        let result = call("union", [object(one), object(other)]).unwrap();
        let Data::Object(members) = &result.data else { panic!("no object") };
        members["a"].clone()
    };
    assert_eq!(merged(unknown(Kind::Object), Value::int(1)), Value::int(1));
    assert_eq!(merged(unknown(Kind::String), inner.clone()), inner);
    assert!(merged(unknown(Kind::Object), inner.clone()).is_unknown().is_some());
    assert!(merged(inner, unknown(Kind::Object)).is_unknown().is_some());
}

#[test]
fn the_clock_and_new_names_are_not_known_before_a_deployment() {
    let mut context = context();
    (context.inputs.now, context.inputs.seed) = (None, None);
    (context.inputs.account, context.inputs.region) = (None, None);
    context.inputs.missing = MissingParameter::Unknown;
    for name in ["utcNow", "newGuid", "aws.accountId", "aws.region", "aws.availabilityZones"] {
        let result = call_in(&context, name, []).unwrap();
        assert!(result.is_unknown().is_some(), "{name}");
        assert_eq!(result.kind(), function(name).returns, "{name}");
    }
}
