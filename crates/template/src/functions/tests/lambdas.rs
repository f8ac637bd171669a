//! Functions with lambdas, given lambdas written in Rust.

use serde_json::json;

use super::*;

fn with_lambdas(
    name: &str,
    values: impl IntoIterator<Item = Value>,
    lambdas: &[&Lambda<'_>],
) -> Result<Value, Fault> {
    let values = values.into_iter().map(Argument::Value);
    let arguments = values.chain(lambdas.iter().map(|it| Argument::Lambda(*it))).collect();
    function(name).call(Call { arguments, context: &context() })
}

fn list(document: &Json) -> Value {
    Value::from_json(document, false)
}

fn int(value: &Value) -> i64 {
    match value.data {
        Data::Int(number) => number,
        _ => panic!("{value:?} is no int"),
    }
}

#[test]
fn map_gives_the_item_and_its_index() {
    let lambda = |values: &[Value]| Ok(Value::int(int(&values[0]) * 10 + int(&values[1])));
    let mapped = with_lambdas("map", [list(&json!([5, 6]))], &[&lambda]).unwrap();
    assert_eq!(mapped, list(&json!([50, 61])));
}

#[test]
fn filter_keeps_what_is_true() {
    let lambda = |values: &[Value]| Ok(Value::bool(int(&values[0]) >= 5));
    let kept = with_lambdas("filter", [list(&json!([5, 3, 8]))], &[&lambda]).unwrap();
    assert_eq!(kept, list(&json!([5, 8])));
    let wrong = |_: &[Value]| Ok(Value::int(1));
    let fault = with_lambdas("filter", [list(&json!([1]))], &[&wrong]).unwrap_err();
    assert_eq!(
        message(&fault),
        "`lambda` (argument 2 of `filter`) must return a bool, but returns an int"
    );
}

#[test]
fn reduce_goes_on_from_the_initial_value() {
    let lambda = |values: &[Value]| Ok(Value::int(int(&values[0]) + int(&values[1])));
    let sum = with_lambdas("reduce", [list(&json!([5, 3, 2, 8])), Value::int(1)], &[&lambda]);
    assert_eq!(sum.unwrap(), Value::int(19));
    let none = with_lambdas("reduce", [list(&json!([])), Value::int(1)], &[&lambda]);
    assert_eq!(none.unwrap(), Value::int(1));
}

#[test]
fn sort_is_stable_and_bears_any_lambda() {
    let items: Vec<Value> = [31, 12, 22, 11, 32, 21].map(Value::int).to_vec();
    let by_tens = |values: &[Value]| Ok(Value::bool(int(&values[0]) / 10 < int(&values[1]) / 10));
    let sorted = with_lambdas("sort", [Value::array(items.clone())], &[&by_tens]).unwrap();
    assert_eq!(sorted, list(&json!([12, 11, 22, 21, 31, 32])));
    let or_equal = |values: &[Value]| Ok(Value::bool(int(&values[0]) / 10 <= int(&values[1]) / 10));
    let sorted = with_lambdas("sort", [Value::array(items)], &[&or_equal]).unwrap();
    assert_eq!(sorted, list(&json!([12, 11, 22, 21, 31, 32])));
    let many = Value::array((0..1000).map(Value::int).collect());
    for truth in [true, false] {
        let always = move |_: &[Value]| Ok(Value::bool(truth));
        let sorted = with_lambdas("sort", [many.clone()], &[&always]).unwrap();
        assert!(matches!(&sorted.data, Data::Array(items) if items.len() == 1000));
    }
}

#[test]
fn objects_are_made_of_lists() {
    let items = list(&json!([{"k": "a", "v": 1}, {"k": "b", "v": 2}, {"k": "a", "v": 3}]));
    let member = |name: &'static str| {
        move |values: &[Value]| match &values[0].data {
            Data::Object(members) => Ok(members[name].clone()),
            _ => panic!("no object"),
        }
    };
    let (key, value) = (member("k"), member("v"));
    let object = with_lambdas("toObject", [items.clone()], &[&key, &value]).unwrap();
    assert_eq!(object, list(&json!({"a": 3, "b": 2})));
    let groups = with_lambdas("groupBy", [items.clone()], &[&key, &value]).unwrap();
    assert_eq!(groups, list(&json!({"a": [1, 3], "b": [2]})));
    let whole = with_lambdas("groupBy", [items.clone()], &[&key]).unwrap();
    assert_eq!(whole.to_json().unwrap()["b"], json!([{"k": "b", "v": 2}]));
    let fault = with_lambdas("toObject", [items], &[&value]).unwrap_err();
    assert_eq!(
        message(&fault),
        "`key` (argument 2 of `toObject`) must return a string, but returns an int"
    );
    let double = |values: &[Value]| Ok(Value::int(int(&values[0]) * 2));
    let mapped = with_lambdas("mapValues", [list(&json!({"a": 1, "b": 2}))], &[&double]).unwrap();
    assert_eq!(mapped, list(&json!({"a": 2, "b": 4})));
}

#[test]
fn a_fault_inside_comes_out_as_it_is() {
    let lambda = |_: &[Value]| Err(Fault::Inner(Vec::new()));
    let fault = with_lambdas("map", [list(&json!([1]))], &[&lambda]).unwrap_err();
    assert_eq!(fault, Fault::Inner(Vec::new()));
    let fault = with_lambdas("sort", [list(&json!([1, 2]))], &[&lambda]).unwrap_err();
    assert_eq!(fault, Fault::Inner(Vec::new()));
}

#[test]
fn an_answer_that_is_not_known_leaves_the_shape_open() {
    let items = list(&json!([1, 2]));
    let unknown = |_: &[Value]| Ok(Value::unknown(Some(Kind::Bool), Because::Moment));
    for name in ["filter", "sort", "toObject", "groupBy"] {
        let result = with_lambdas(name, [items.clone()], &[&unknown]).unwrap();
        assert!(result.is_unknown().is_some(), "{name}");
        assert_eq!(result.kind(), function(name).returns, "{name}");
    }
    let mapped = with_lambdas("map", [items], &[&unknown]).unwrap();
    assert!(mapped.is_unknown().is_none() && mapped.first_unknown().is_some());
}

#[test]
fn an_answer_that_is_secret_makes_the_result_secret() {
    let items = list(&json!(["b", "a"]));
    let secret = |_: &[Value]| Ok(Value::bool(true).tainted(true));
    assert!(with_lambdas("filter", [items.clone()], &[&secret]).unwrap().secret);
    assert!(with_lambdas("sort", [items.clone()], &[&secret]).unwrap().secret);
    let key = |values: &[Value]| Ok(values[0].clone().tainted(true));
    assert!(with_lambdas("toObject", [items.clone()], &[&key]).unwrap().secret);
    assert!(with_lambdas("groupBy", [items], &[&key]).unwrap().secret);
}

#[test]
fn a_value_that_nests_ever_deeper_is_stopped() {
    let many = Value::array((0..10_000).map(Value::int).collect());
    let nest = |values: &[Value]| Ok(Value::array(vec![values[0].clone()]));
    let fault = with_lambdas("reduce", [many.clone(), Value::NULL], &[&nest]).unwrap_err();
    assert!(message(&fault).contains("nested too deep"), "{}", message(&fault));
    let double = |values: &[Value]| Ok(Value::array(vec![values[0].clone(); 2]));
    assert!(with_lambdas("reduce", [many, Value::NULL], &[&double]).is_err());
}

#[test]
fn a_lambda_is_wanted_where_it_is_wanted() {
    let fault = call("map", [list(&json!([])), Value::int(1)]).unwrap_err();
    assert_eq!(
        message(&fault),
        "`lambda` (argument 2 of `map`): expected a lambda, such as `x => x`, found an int"
    );
    let lambda = |_: &[Value]| Ok(Value::NULL);
    let fault = with_lambdas("length", [], &[&lambda]).unwrap_err();
    assert_eq!(
        message(&fault),
        "`value` (argument 1 of `length`): expected a value, found a lambda"
    );
}
