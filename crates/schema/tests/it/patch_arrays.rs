//! Arrays: order, identity, ownership inside elements, hidden tags, attributes.

use hangar_schema::TypeSchema;
use serde_json::{Value, json};

use crate::verdict::{
    add, bundled, diff, noop, remove, replace, rules_at, schema, update, verdict,
};

fn lists() -> TypeSchema {
    let element = json!({"type": "object", "additionalProperties": false, "properties": {
        "Name": {"type": "string"}, "Value": {"type": "string"}, "Port": {"type": "integer"},
        "Made": {"type": "string"}, "Fixed": {"type": "string"},
        "Ports": {"type": "array", "insertionOrder": false, "items": {"type": "integer"}}
    }});
    schema(json!({
        "definitions": {"Element": element},
        "properties": {
            "Set": {"type": "array", "insertionOrder": false, "items": {"type": "string"}},
            "List": {"type": "array", "items": {"type": "string"}},
            "Bag": {"type": "array", "insertionOrder": false, "items": {"$ref": "#/definitions/Element"}},
            "Rows": {"type": "array", "items": {"$ref": "#/definitions/Element"}},
            "Settings": {"type": "array", "arrayType": "AttributeList", "insertionOrder": false, "items": {
                "type": "object", "properties": {"Key": {"type": "string"}, "Value": {"type": "string"}}}},
            "Tags": {"type": "array", "items": {"type": "object", "properties": {"Key": {"type": "string"}, "Value": {"type": "string"}}}}
        },
        "readOnlyProperties": ["/properties/Bag/*/Made", "/properties/Rows/*/Made"],
        "createOnlyProperties": ["/properties/Bag/*/Fixed"]
    }))
}

fn array(name: &str, live: Value, desired: Value, applied: Option<Value>) -> Value {
    let wrap = |value: Value| json!({ name: value });
    verdict(&lists(), wrap(live), wrap(desired), applied.map(wrap))
}

#[test]
fn an_unordered_array_is_compared_as_a_multiset() {
    assert_eq!(array("Set", json!(["a", "b"]), json!(["b", "a"]), None), noop());
    assert_eq!(
        array("Set", json!(["a", "b"]), json!(["b", "b"]), None),
        update(json!([add("/Set", json!(["b", "b"]))]))
    );
    assert_eq!(
        array("Set", json!(["a", "b", "c"]), json!(["b", "a"]), None),
        update(json!([add("/Set", json!(["b", "a"]))]))
    );
}

#[test]
fn an_ordered_array_is_compared_in_order() {
    assert_eq!(
        array("List", json!(["a", "b"]), json!(["b", "a"]), None),
        update(json!([add("/List", json!(["b", "a"]))]))
    );
    assert_eq!(array("List", json!(["a", "b"]), json!(["a", "b"]), None), noop());
}

#[test]
fn an_empty_array_equals_an_absent_one() {
    let schema = lists();
    assert_eq!(verdict(&schema, json!({}), json!({"Set": []}), None), noop());
    assert_eq!(verdict(&schema, json!({"Set": []}), json!({}), json!({"Set": ["a"]})), noop());
    assert_eq!(
        verdict(&schema, json!({"Set": ["a"]}), json!({"Set": []}), None),
        update(json!([add("/Set", json!([]))]))
    );
    assert_eq!(
        verdict(&schema, json!({"Set": ["a"]}), json!({}), json!({"Set": ["a"]})),
        update(json!([remove("/Set")]))
    );
}

#[test]
fn elements_are_matched_by_key_and_keep_what_live_has_beside() {
    let live = json!([{"Name": "a", "Value": "1", "Port": 80, "Made": "x"}, {"Name": "b", "Value": "2", "Made": "y"}]);
    let desired = json!([{"Name": "b", "Value": "3"}, {"Name": "a", "Value": "1"}]);
    assert_eq!(
        array("Bag", live, desired, None),
        update(json!([add(
            "/Bag",
            json!([
                {"Name": "b", "Value": "3", "Made": "y"},
                {"Name": "a", "Value": "1", "Port": 80, "Made": "x"}
            ])
        )]))
    );
}

#[test]
fn a_member_that_the_service_filled_in_is_no_difference() {
    let live = json!([{"Value": "1", "Port": 80, "Made": "x"}, {"Value": "2", "Made": "y"}]);
    assert_eq!(array("Bag", live, json!([{"Value": "2"}, {"Value": "1"}]), None), noop());
}

#[test]
fn a_member_dropped_inside_an_element_goes() {
    let live = json!([{"Name": "a", "Value": "1", "Port": 80}]);
    assert_eq!(
        array(
            "Bag",
            live.clone(),
            json!([{"Name": "a", "Value": "1"}]),
            Some(json!([{"Name": "a", "Value": "1", "Port": 80}]))
        ),
        update(json!([add("/Bag", json!([{"Name": "a", "Value": "1"}]))]))
    );
    let unkeyed = json!([{"Value": "1", "Port": 80}]);
    assert_eq!(
        array("Bag", unkeyed.clone(), json!([{"Value": "1"}]), Some(unkeyed)),
        update(json!([add("/Bag", json!([{"Value": "1"}]))]))
    );
}

#[test]
fn elements_that_only_a_matching_can_tell_apart_are_matched() {
    // Each desired element fits one or both of the live ones; only one assignment serves all.
    let live = json!([{"Value": "1", "Port": 80}, {"Value": "1", "Port": 81}]);
    let desired = json!([{"Value": "1"}, {"Value": "1", "Port": 80}]);
    assert_eq!(array("Bag", live, desired, None), noop());
}

#[test]
fn unordered_arrays_inside_elements_are_compared_as_such() {
    let live = json!([{"Value": "1", "Ports": [1, 2]}, {"Value": "1", "Ports": [3, 4]}]);
    assert_eq!(
        array(
            "Bag",
            live,
            json!([{"Value": "1", "Ports": [4, 3]}, {"Value": "1", "Ports": [2, 1]}]),
            None
        ),
        noop()
    );
}

#[test]
fn an_unordered_object_array_is_never_addressed_by_index() {
    let live = json!([{"Name": "a", "Value": "1"}, {"Name": "b", "Value": "2"}]);
    let patch = diff(
        &lists(),
        &json!({"Bag": live}),
        &json!({"Bag": [{"Name": "a", "Value": "1"}, {"Name": "b", "Value": "9"}]}),
        None,
    );
    assert_eq!(patch.operations.len(), 1);
    assert_eq!(patch.operations[0].path(), "/Bag");
}

#[test]
fn an_ordered_object_array_keeps_read_only_children_by_place() {
    let live = json!([{"Value": "1", "Made": "x"}, {"Value": "2", "Made": "y"}]);
    assert_eq!(
        array("Rows", live, json!([{"Value": "1"}, {"Value": "3"}]), None),
        update(json!([add(
            "/Rows",
            json!([{"Value": "1", "Made": "x"}, {"Value": "3", "Made": "y"}])
        )]))
    );
}

#[test]
fn an_inserted_row_leaves_the_others_their_read_only_children() {
    let live = json!([{"Value": "1", "Made": "x"}, {"Value": "2", "Made": "y"}]);
    assert_eq!(
        array("Rows", live, json!([{"Value": "0"}, {"Value": "1"}, {"Value": "2"}]), None),
        update(json!([add(
            "/Rows",
            json!([{"Value": "0"}, {"Value": "1", "Made": "x"}, {"Value": "2", "Made": "y"}])
        )]))
    );
}

#[test]
fn an_element_that_comes_or_goes_with_a_create_only_member_requires_replacement() {
    let with = json!([{"Name": "a", "Fixed": "f"}]);
    assert_eq!(array("Bag", json!([]), with.clone(), None), replace(&["/Bag/0/Fixed"]));
    assert_eq!(array("Bag", with.clone(), json!([{"Name": "b"}]), None), replace(&["/Bag/0"]));
    assert_eq!(
        array("Bag", with.clone(), json!([{"Name": "a", "Fixed": "g"}]), None),
        replace(&["/Bag/0/Fixed"])
    );
    assert_eq!(array("Bag", with.clone(), json!([{"Name": "a"}]), None), noop());
    assert_eq!(
        array("Bag", with, json!([{"Name": "a"}, {"Name": "b"}]), None),
        update(json!([add("/Bag", json!([{"Name": "a", "Fixed": "f"}, {"Name": "b"}]))]))
    );
}

#[test]
fn tags_are_unordered_and_keyed_whatever_the_schema_says_and_hidden_ones_stay_hidden() {
    let live = json!([
        {"Key": "aws:cloudformation:stack-id", "Value": "s"}, {"Key": "b", "Value": "2"},
        {"Key": "hangar:operation", "Value": "0190"}, {"Key": "a", "Value": "1"}
    ]);
    let same = json!([{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]);
    assert_eq!(array("Tags", live.clone(), same.clone(), None), noop());
    let changed = json!([{"Key": "a", "Value": "9"}, {"Key": "b", "Value": "2"}]);
    assert_eq!(
        array("Tags", live.clone(), changed, None),
        update(json!([add(
            "/Tags",
            json!([
                {"Key": "a", "Value": "9"}, {"Key": "b", "Value": "2"},
                {"Key": "aws:cloudformation:stack-id", "Value": "s"},
                {"Key": "hangar:operation", "Value": "0190"}
            ])
        )]))
    );
    let schema = lists();
    assert_eq!(
        verdict(&schema, json!({"Tags": live}), json!({}), json!({"Tags": same})),
        update(json!([add(
            "/Tags",
            json!([
                {"Key": "aws:cloudformation:stack-id", "Value": "s"},
                {"Key": "hangar:operation", "Value": "0190"}
            ])
        )]))
    );
}

#[test]
fn hidden_tags_alone_are_no_tags() {
    let schema = lists();
    let live = json!({"Tags": [{"Key": "aws:x", "Value": "1"}, {"Key": "hangar:operation", "Value": "2"}]});
    assert_eq!(verdict(&schema, live.clone(), json!({"Tags": []}), None), noop());
    assert_eq!(
        verdict(&schema, live, json!({}), json!({"Tags": [{"Key": "a", "Value": "1"}]})),
        noop()
    );
}

#[test]
fn hidden_keys_of_a_tag_map_are_neither_compared_nor_removed() {
    let schema = schema(
        json!({"properties": {"Tags": {"type": "object", "patternProperties": {".*": {"type": "string"}}}}}),
    );
    let live = json!({"Tags": {"aws:x": "1", "hangar:operation": "2", "a": "1", "b": "2"}});
    assert_eq!(
        verdict(&schema, live.clone(), json!({"Tags": {"a": "1"}}), None),
        update(json!([remove("/Tags/b")]))
    );
    assert_eq!(
        verdict(&schema, live, json!({}), json!({"Tags": {"a": "1", "b": "2"}})),
        update(json!([remove("/Tags/a"), remove("/Tags/b")]))
    );
}

#[test]
fn only_attributes_that_were_stated_are_owned() {
    let live = json!([{"Key": "idle", "Value": "60"}, {"Key": "logs", "Value": "false"}, {"Key": "http2", "Value": "true"}]);
    assert_eq!(
        array("Settings", live.clone(), json!([{"Key": "logs", "Value": "false"}]), None),
        noop()
    );
    assert_eq!(
        array("Settings", live.clone(), json!([{"Key": "logs", "Value": "true"}]), None),
        update(json!([add(
            "/Settings",
            json!([
                {"Key": "logs", "Value": "true"}, {"Key": "idle", "Value": "60"}, {"Key": "http2", "Value": "true"}
            ])
        )]))
    );
    let applied = json!([{"Key": "logs", "Value": "false"}, {"Key": "idle", "Value": "60"}]);
    assert_eq!(
        array("Settings", live, json!([{"Key": "logs", "Value": "false"}]), Some(applied)),
        update(json!([add(
            "/Settings",
            json!([{"Key": "logs", "Value": "false"}, {"Key": "http2", "Value": "true"}])
        )]))
    );
}

#[test]
fn an_array_too_large_to_match_counts_as_changed_and_says_so() {
    // No key, and every element fits every other one only by spelling: the matching is needed.
    let elements = |text: bool| -> Value {
        (0..300)
            .map(|at| if text { json!({"Port": format!("{at}")}) } else { json!({"Port": at}) })
            .collect()
    };
    let patch =
        diff(&lists(), &json!({"Bag": elements(true)}), &json!({"Bag": elements(false)}), None);
    assert!(rules_at(&patch, "/Bag").contains(&"array-too-large"));
    let small = |text: bool| Value::Array(elements(text).as_array().unwrap()[..200].to_vec());
    assert_eq!(array("Bag", small(true), small(false), None), noop());
}

#[test]
fn an_override_makes_an_array_ordered_although_the_schema_says_otherwise() {
    let resolver = bundled("AWS::AppSync::Resolver");
    let functions = |names: [&str; 2]| json!({"PipelineConfig": {"Functions": names}});
    assert_eq!(
        verdict(&resolver, functions(["a", "b"]), functions(["b", "a"]), None),
        update(json!([add("/PipelineConfig/Functions", json!(["b", "a"]))]))
    );
}

#[test]
fn an_array_is_unordered_only_if_every_branch_says_so() {
    let schema = schema(json!({"properties": {"A": {"oneOf": [
        {"type": "array", "insertionOrder": false, "items": {"type": "string"}},
        {"type": "array", "items": {"type": "string"}}
    ]}}}));
    assert_eq!(
        verdict(&schema, json!({"A": ["x", "y"]}), json!({"A": ["y", "x"]}), None),
        update(json!([add("/A", json!(["y", "x"]))]))
    );
}

#[test]
fn a_deprecated_member_of_an_element_that_live_does_not_return_is_no_difference() {
    let schema = schema(json!({
        "properties": {"Pairs": {"type": "array", "insertionOrder": false, "items": {"type": "object",
            "properties": {"Old": {"type": "string"}, "Value": {"type": "string"}}}}},
        "deprecatedProperties": ["/properties/Pairs/*/Old"]
    }));
    let stated = json!({"Pairs": [{"Old": "a", "Value": "b"}]});
    assert_eq!(
        verdict(&schema, json!({"Pairs": [{"Value": "b"}]}), stated.clone(), stated),
        noop()
    );
}

#[test]
fn an_ordered_element_that_is_replaced_takes_its_create_only_member_along() {
    let schema = schema(json!({
        "properties": {"Rows": {"type": "array", "items": {"type": "object", "properties": {
            "Fixed": {"type": "string"}, "Value": {"type": "string"}}}}},
        "createOnlyProperties": ["/properties/Rows/*/Fixed"]
    }));
    let live = json!({"Rows": [{"Fixed": "f", "Value": "1"}]});
    assert_eq!(
        verdict(&schema, live.clone(), json!({"Rows": [{"Value": "2"}]}), None),
        replace(&["/Rows/0"])
    );
    assert_eq!(
        verdict(&schema, live, json!({"Rows": [{"Fixed": "f", "Value": "2"}]}), None),
        update(json!([add("/Rows", json!([{"Fixed": "f", "Value": "2"}]))]))
    );
}
