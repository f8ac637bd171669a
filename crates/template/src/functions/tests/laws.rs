//! Laws that hold for any values, and that no call panics.

use proptest::prelude::*;

use super::*;
use crate::value::Members;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::NULL),
        any::<bool>().prop_map(Value::bool),
        (-3_i64..70).prop_map(Value::int),
        any::<i64>().prop_map(Value::int),
        Just(Value::plain(Data::Decimal("0.50".parse().unwrap()))),
        "[a-c,/.:%{}*0-9é😀 -]{0,8}".prop_map(Value::string),
        prop::sample::select(TEXTS).prop_map(Value::string),
        Just(Value::unknown(None, Because::Moment)),
    ];
    let tree = leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::array),
            prop::collection::btree_map("[abAB]{1,2}", inner, 0..4)
                .prop_map(|it| Value::object(it.into_iter().map(|(k, v)| (k.into(), v)).collect())),
        ]
    });
    (tree, prop::bool::weighted(0.1)).prop_map(|(value, secret)| value.tainted(secret))
}

/// Texts that mean something to some function.
const TEXTS: &[&str] =
    &["10.0.0.0/16", "::/0", "P1D", "u", "$.a", "a.json", "2020-01-01T00:00:00Z", "{0,3:D2}"];

fn known() -> impl Strategy<Value = Value> {
    value().prop_filter("known", |it| it.first_unknown().is_none())
}

fn object() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[abc]", known(), 0..4).prop_map(|it| {
        Value::object(it.into_iter().map(|(k, v)| (k.into(), v)).collect::<Members>())
    })
}

fn list() -> impl Strategy<Value = Value> {
    prop::collection::vec(known(), 0..5).prop_map(Value::array)
}

/// Equal but for who may see what.
fn same(a: &Value, b: &Value) -> bool {
    super::super::same::is_same(a, b)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_call_panics(values in prop::collection::vec(value(), 0..4)) {
        let context = context();
        let echo = |values: &[Value]| Ok(values[0].clone());
        for function in all() {
            let arguments = values.iter().cloned().map(Argument::Value).collect();
            let _ = function.call(Call { arguments, context: &context });
            if function.parameters.iter().any(|it| it.variables.is_some()) && !values.is_empty() {
                let lambdas = function.parameters.iter().enumerate().map(|(index, parameter)| {
                    match parameter.variables {
                        Some(_) => Argument::Lambda(&echo),
                        None => Argument::Value(values[index % values.len()].clone()),
                    }
                });
                let _ = function.call(Call { arguments: lambdas.collect(), context: &context });
            }
        }
    }

    #[test]
    fn a_secret_argument_never_comes_to_a_plain_result(values in prop::collection::vec(value(), 1..4)) {
        let context = context();
        for function in all() {
            let mut given: Vec<_> = values.clone();
            given[0].secret = true;
            let arguments = given.into_iter().map(Argument::Value).collect();
            if let Ok(result) = function.call(Call { arguments, context: &context }) {
                prop_assert!(result.secret, "{}", function.name);
            }
        }
    }

    #[test]
    fn a_result_is_of_the_kind_that_is_declared(values in prop::collection::vec(value(), 0..4)) {
        let context = context();
        for function in all() {
            let arguments = values.iter().cloned().map(Argument::Value).collect();
            if let (Ok(result), Some(kind)) =
                (function.call(Call { arguments, context: &context }), function.returns)
            {
                prop_assert_eq!(result.kind(), Some(kind), "{}", function.name);
            }
        }
    }

    #[test]
    fn a_union_has_each_item_once(a in list(), b in list()) {
        let union = call("union", [a.clone(), b.clone()]).unwrap();
        let twice = call("union", [union.clone(), b.clone()]).unwrap();
        prop_assert!(same(&union, &twice));
        let distinct = call("distinct", [call("concat", [a.clone(), b.clone()]).unwrap()]).unwrap();
        prop_assert!(same(&union, &distinct));
        let common = call("intersection", [a, b]).unwrap();
        prop_assert!(same(&call("intersection", [union, common.clone()]).unwrap(), &common));
    }

    #[test]
    fn a_union_of_objects_is_associative(a in object(), b in object(), c in object()) {
        let union = |a: &Value, b: &Value| call("union", [a.clone(), b.clone()]).unwrap();
        prop_assert!(same(&union(&a, &a), &a));
        let all = call("union", [a.clone(), b.clone(), c.clone()]).unwrap();
        prop_assert!(same(&union(&union(&a, &b), &c), &all));
    }

    #[test]
    fn a_text_is_what_is_taken_and_what_is_skipped(text: String, count in -2_i64..20) {
        let arguments = [Value::string(text.as_str()), Value::int(count)];
        let whole = call("concat", [call("take", arguments.clone()).unwrap(), call("skip", arguments).unwrap()]);
        prop_assert_eq!(whole.unwrap(), Value::string(text));
    }

    #[test]
    fn what_is_split_is_joined(text in "[a,]{0,12}") {
        let comma = Value::string(",");
        let parts = call("split", [Value::string(text.as_str()), comma.clone()]).unwrap();
        prop_assert_eq!(call("join", [parts, comma]).unwrap(), Value::string(text));
    }

    #[test]
    fn what_is_written_as_json_is_read_again(value in known()) {
        let text = call("string", [Value::array(vec![value.clone()])]).unwrap();
        let read = call("json", [text]).unwrap();
        prop_assert!(same(&read, &Value::array(vec![value])));
    }

    #[test]
    fn seconds_come_back(seconds in -62_135_596_800_i64..253_402_300_800) {
        let time = call("dateTimeFromEpoch", [Value::int(seconds)]).unwrap();
        prop_assert_eq!(call("dateTimeToEpoch", [time]).unwrap(), Value::int(seconds));
    }
}
