//! Results of recipes.

use std::collections::BTreeMap;

use hangar_manifest::recipe::result::{OutputValue, RecipeResult, ResultError, read};
use serde_json::{Value, json};

fn of(value: Value) -> Result<RecipeResult, ResultError> {
    read(&BTreeMap::from([("result".to_owned(), OutputValue { value, sensitive: true })]))
}

#[test]
fn a_result_has_resources_values_and_secrets() {
    let read = of(json!({
        "resources": ["/a/B", "/c", "/A/b", ""],
        "values": {"host": "h", "port": 1, "both": "v"},
        "secrets": {"password": "hunter2", "both": "s"},
    }))
    .unwrap();
    assert_eq!(read.resources, ["/a/B", "/c"]);
    assert_eq!(Value::Object(read.values.clone()), json!({"host": "h", "port": 1}));
    assert_eq!(Value::Object(read.secrets.clone()), json!({"password": "hunter2", "both": "s"}));
    assert_eq!(read.warnings.len(), 2);
    assert!(!format!("{read:?}").contains("hunter2"));
}

#[test]
fn missing_and_null_members_are_empty() {
    assert_eq!(of(json!({})), Ok(RecipeResult::default()));
    let nulls = json!({"resources": null, "values": null, "secrets": null});
    assert_eq!(of(nulls), Ok(RecipeResult::default()));
}

#[test]
fn anything_else_is_told() {
    for (given, told) in [
        (
            json!(null),
            "the output `result` is null; it must be an object of `resources`, `values` and `secrets`",
        ),
        (
            json!(["x"]),
            "the output `result` is a list; it must be an object of `resources`, `values` and `secrets`",
        ),
        (
            json!({"value": {}, "secret": {}}),
            "the output `result` has `secret`, `value`; only `resources`, `values` and `secrets` are allowed",
        ),
        (
            json!({"resources": ["/a", {}]}),
            "`resources[1]` of the output `result` is an object, not an id",
        ),
        (
            json!({"resources": "/a"}),
            "`resources` of the output `result` is a string, not a list of ids",
        ),
        (
            json!({"secrets": ["hunter2"]}),
            "`secrets` of the output `result` is a list, not an object",
        ),
    ] {
        assert_eq!(of(given).unwrap_err().to_string(), told);
    }
}

#[test]
fn without_a_result_outputs_are_values_or_secrets() {
    let output = |value, sensitive| OutputValue { value, sensitive };
    let outputs = BTreeMap::from([
        ("host".to_owned(), output(json!("h"), false)),
        ("password".to_owned(), output(json!("hunter2"), true)),
    ]);
    let read = read(&outputs).unwrap();
    assert_eq!(Value::Object(read.values), json!({"host": "h"}));
    assert_eq!(Value::Object(read.secrets), json!({"password": "hunter2"}));
    assert!(!format!("{outputs:?}").contains("hunter2"));
}
