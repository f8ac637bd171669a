//! Pointers, order, and places in the text.

use hangar_schema::{Purpose, Source, TypeSchema, json, locate, validate};
use serde_json::json;

use super::{outline, property, small, with};

#[test]
fn a_pointer_is_escaped_and_counts_elements() {
    let map = json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}});
    assert_eq!(property(&map, &json!({"a/b~c": ["x", []]})), ["error SCHEMA0104 /P/a~1b~0c/1"]);
}

#[test]
fn what_is_not_an_object_is_one_error_at_the_root() {
    let schema = with(small(&json!({"A": {}})), &json!({"type": "object", "required": ["A"]}));
    for document in [json!(null), json!([]), json!("x"), json!(7)] {
        let found = outline(&schema, Source::Aws, &document, Purpose::Desired);
        assert_eq!(found, ["error SCHEMA0104 "], "{document}");
    }
    let untyped = small(&json!({"A": {}}));
    let found = outline(&untyped, Source::Aws, &json!([]), Purpose::Desired);
    assert_eq!(found, ["error SCHEMA0104 "]);
}

#[test]
fn each_diagnostic_gets_its_place_in_the_text() {
    let schema = with(
        small(&json!({
            "Count": {"type": "integer"},
            "Inner": {"type": "object", "required": ["Need"], "properties": {"Need": {}}},
            "Id": {"type": "string"},
        })),
        &json!({"readOnlyProperties": ["/properties/Id"], "required": ["Top"]}),
    );
    let schema = TypeSchema::compile(&schema, Source::File).unwrap();
    let text = r#"{"Count": [], "Id": "x", "Inner": {"a": 1}, "Xyzzy": 2}"#;
    let document = json::read(text).unwrap();
    let mut found = validate(&schema, document.value(), Purpose::Desired);
    locate(&mut found, &document);
    let shown: Vec<String> = found
        .iter()
        .map(|it| {
            let span = it.span().unwrap();
            format!("{} {}", it.code, &text[span.start..span.end])
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
    SCHEMA0103 {
    SCHEMA0104 []
    SCHEMA0102 "Id"
    SCHEMA0103 "Inner"
    SCHEMA0101 "Xyzzy"
    "#);
}

#[test]
fn a_schema_that_refers_to_itself_is_walked_as_deep_as_the_document() {
    let schema = with(
        small(&json!({"P": {"$ref": "#/definitions/Tree"}, "Q": {"$ref": "#/definitions/Loop"}})),
        &json!({"definitions": {
            "Tree": {"type": "object", "additionalProperties": false, "properties": {
                "Left": {"$ref": "#/definitions/Tree"}, "Leaf": {"type": "integer"}}},
            "Loop": {"anyOf": [{"$ref": "#/definitions/Loop"}, {"type": "string"}], "allOf": [{"$ref": "#/definitions/Loop"}]},
        }}),
    );
    let mut tree = json!({"Leaf": "x"});
    for _ in 0..60 {
        tree = json!({"Left": tree});
    }
    let found = outline(&schema, Source::Aws, &json!({"P": tree, "Q": 1}), Purpose::Desired);
    let pointer = format!("/P{}/Leaf", "/Left".repeat(60));
    assert_eq!(found, [format!("error SCHEMA0104 {pointer}")]);
}

#[test]
fn work_that_would_grow_without_end_is_left_off_with_a_warning() {
    let branch = json!({"type": "object", "properties": {"N": {"$ref": "#/definitions/T"}}});
    let schema = with(
        small(&json!({"P": {"$ref": "#/definitions/T"}})),
        &json!({"definitions": {"T": {"anyOf": [branch, branch, branch, branch], "minProperties": 2}}}),
    );
    let mut deep = json!({});
    for _ in 0..100 {
        deep = json!({"N": deep});
    }
    let found = outline(&schema, Source::Aws, &json!({"P": deep}), Purpose::Desired);
    assert!(found.contains(&"warning SCHEMA0119 ".to_owned()), "{found:?}");
}

#[test]
fn a_document_too_deep_to_walk_does_not_overflow() {
    let schema = with(
        small(&json!({"P": {"$ref": "#/definitions/T"}})),
        &json!({"definitions": {"T": {"type": "array", "items": {"$ref": "#/definitions/T"}}}}),
    );
    let mut deep = json!(1);
    for _ in 0..2000 {
        deep = serde_json::Value::Array(vec![deep]);
    }
    let mut document = json!({});
    document["P"] = deep;
    let found = outline(&schema, Source::Aws, &document, Purpose::Desired);
    assert_eq!(found, ["warning SCHEMA0119 "]);
}
