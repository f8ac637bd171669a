//! Cases that broke a law once, each as small as it could be made.

use hangar_schema::{Outcome, Source, TypeSchema};
use serde_json::{Value, json};

use super::check::{diff, told};

/// A type with one property `Place`; below it `Ro` is read-only, `Co` create-only, `Wo` write-only
/// and `Old` deprecated, directly or in elements.
fn type_with(place: &Value) -> TypeSchema {
    let pointers = |name: &str| {
        ["", "/*", "/*/*"].map(|step| format!("/properties/Place{step}/{name}")).to_vec()
    };
    let schema = json!({
        "typeName": "Test::World::Example",
        "properties": {"Place": place},
        "readOnlyProperties": pointers("Ro"),
        "createOnlyProperties": pointers("Co"),
        "writeOnlyProperties": pointers("Wo"),
        "deprecatedProperties": pointers("Old"),
        "handlers": {"create": {}, "read": {}, "update": {}, "delete": {}}
    });
    TypeSchema::compile(&schema, Source::File).unwrap()
}

fn object() -> Value {
    let text = json!({"type": "string"});
    json!({"type": "object", "properties": {
        "A": text, "B": text, "Ro": text, "Co": text, "Wo": text, "Old": text,
        "List": {"type": "array", "insertionOrder": false, "items": {"type": "integer"}}
    }})
}

fn unordered() -> Value {
    json!({"type": "array", "insertionOrder": false, "items": object()})
}

fn ordered() -> Value {
    json!({"type": "array", "insertionOrder": true, "items": object()})
}

#[track_caller]
fn expect(place: &Value, live: Value, applied: Value, desired: Value, outcome: Outcome) {
    let schema = type_with(place);
    let wrap = |value: Value| {
        if value.is_null() { json!({}) } else { json!({"Place": value}) }
    };
    let (live, applied, desired) = (wrap(live), wrap(applied), wrap(desired));
    let patch = diff(&schema, &live, &desired, Some(&applied)).unwrap();
    assert_eq!(patch.outcome, outcome, "{}", told(&patch));
}

#[test]
fn a_deprecated_member_of_an_element_that_live_does_not_return_is_no_difference() {
    let stated = json!([{"A": "0", "Old": "1"}]);
    expect(&unordered(), json!([{"A": "0"}]), stated.clone(), stated, Outcome::Noop);
}

#[test]
fn the_order_of_a_deprecated_array_that_live_does_not_return_means_nothing() {
    let schema = TypeSchema::compile(
        &json!({
            "typeName": "Test::World::Example",
            "properties": {
                "Old": {"type": "array", "insertionOrder": false, "items": {"type": "string"}},
                "Fixed": {"type": "array", "insertionOrder": false, "items": {"type": "string"}}
            },
            "createOnlyProperties": ["/properties/Fixed"],
            "deprecatedProperties": ["/properties/Old"]
        }),
        Source::File,
    )
    .unwrap();
    for name in ["Old", "Fixed"] {
        let (applied, desired) = (json!({name: ["a", "b"]}), json!({name: ["b", "a"]}));
        let patch = diff(&schema, &json!({}), &desired, Some(&applied)).unwrap();
        assert_eq!(patch.outcome, Outcome::Noop, "{}", told(&patch));
    }
}

#[test]
fn an_unstated_create_only_value_of_an_ordered_element_is_not_lost() {
    let schema = type_with(&ordered());
    let live = json!({"Place": [{"A": "0", "Co": "1", "Ro": "2"}]});
    let (applied, desired) = (json!({"Place": [{"A": "0"}]}), json!({"Place": [{"A": "1"}]}));
    let patch = diff(&schema, &live, &desired, Some(&applied)).unwrap();
    let reached = hangar_schema::target(&live, &patch);
    assert_eq!(reached["Place"][0]["Co"], "1", "{}", told(&patch));
}

#[test]
fn a_key_that_leaves_a_map_goes_at_once_with_its_read_only_values() {
    let map = json!({"type": "object", "patternProperties": {".+": object()}});
    let live = json!({"c": {"A": "0", "Ro": "0"}});
    expect(&map, live.clone(), json!({"c": {"A": "0"}}), json!({}), Outcome::Update);
    expect(&map, live.clone(), json!({"c": {}}), json!({}), Outcome::Update);
    let schema = type_with(&map);
    let live = json!({"Place": live});
    let patch =
        diff(&schema, &live, &json!({"Place": {}}), Some(&json!({"Place": {"c": {}}}))).unwrap();
    let reached = hangar_schema::target(&live, &patch);
    expect(&map, reached["Place"].clone(), json!({}), json!({}), Outcome::Noop);
}

#[test]
fn an_unordered_array_inside_an_element_does_not_rename_its_secrets() {
    expect(
        &unordered(),
        json!([{"List": [1, 2]}]),
        json!([{"List": [1, 2], "Wo": "0"}]),
        json!([{"List": [2, 1], "Wo": "0"}]),
        Outcome::Noop,
    );
}

#[test]
fn an_element_that_live_lacks_comes_with_its_create_only_member() {
    let stated = json!([{"A": "0", "Co": "1"}]);
    for place in [ordered(), unordered()] {
        expect(&place, json!([]), stated.clone(), stated.clone(), Outcome::ReplaceRequired);
    }
}

#[test]
fn an_element_is_not_taken_by_one_that_has_another_to_go_to() {
    let stated = json!([{"B": "1", "List": [1, 2]}, {"List": [2, 1], "A": "1"}]);
    expect(
        &unordered(),
        json!([{"B": "1", "List": [2, 1]}, {"B": "1", "List": [1, 2], "A": "1"}]),
        stated.clone(),
        stated,
        Outcome::Noop,
    );
}

#[test]
fn a_new_element_that_states_little_does_not_take_the_element_of_one_that_states_more() {
    expect(
        &unordered(),
        json!([{"A": "0", "B": "0", "Co": "1", "List": [1, 2]}]),
        json!([{"A": "0", "B": "0", "Co": "1", "List": [2, 1]}]),
        json!([{"A": "0", "B": "0", "Co": "1", "List": [2, 1]}, {"A": "0"}]),
        Outcome::Update,
    );
}

#[test]
fn arrays_in_arrays_keep_their_secrets() {
    let schema = type_with(&json!({"type": "array", "items": unordered()}));
    let live = json!({"Place": [[{"Ro": "0"}]]});
    let desired = json!({"Place": [[{"A": "1"}], [{"Wo": "0"}]]});
    let patch = diff(&schema, &live, &desired, Some(&json!({}))).unwrap();
    let reached = hangar_schema::target(&live, &patch);
    assert_eq!(reached["Place"][1][0]["Wo"], "0", "{}", told(&patch));
}

#[test]
fn an_equal_element_is_given_up_where_another_can_go_nowhere_else() {
    let stated = json!([{}, {"List": []}]);
    expect(&unordered(), json!([{"List": [1]}, {}]), stated.clone(), stated, Outcome::Noop);
}

#[test]
fn a_transform_that_fits_every_value_does_not_hide_a_change() {
    let lag = hangar_schema::Catalog::bundled().get("AWS::DirectConnect::Lag").unwrap();
    let (applied, desired) = (json!({"Location": "EqDC2"}), json!({"Location": "EqDA1"}));
    let patch = diff(&lag, &applied, &desired, Some(&applied)).unwrap();
    assert_eq!(patch.outcome, Outcome::ReplaceRequired, "{}", told(&patch));
}

#[test]
fn a_hidden_scalar_is_a_secret_whatever_is_create_only_below_it() {
    let schema = TypeSchema::compile(
        &json!({
            "typeName": "Test::World::Example",
            "properties": {"Place": {"type": ["object", "string"]}},
            "writeOnlyProperties": ["/properties/Place"],
            "createOnlyProperties": ["/properties/Place/Co"]
        }),
        Source::File,
    )
    .unwrap();
    let stated = json!({"Place": "x"});
    assert_eq!(hangar_schema::without_secrets(&schema, &stated), json!({}));
    let patch = diff(&schema, &json!({}), &stated, Some(&stated)).unwrap();
    assert_eq!(patch.outcome, Outcome::Noop, "{}", told(&patch));
}

#[test]
fn a_create_and_write_only_value_that_changes_is_seen_though_live_lacks_its_object() {
    let schema = TypeSchema::compile(
        &json!({
            "typeName": "Test::World::Example",
            "properties": {"Place": {"type": "object", "properties": {"Wo": {"type": "string"}}}},
            "writeOnlyProperties": ["/properties/Place/Wo"],
            "createOnlyProperties": ["/properties/Place"]
        }),
        Source::File,
    )
    .unwrap();
    let (applied, desired) = (json!({"Place": {"Wo": "0"}}), json!({"Place": {"Wo": "1"}}));
    let patch = diff(&schema, &json!({}), &desired, Some(&applied)).unwrap();
    assert_eq!(patch.outcome, Outcome::ReplaceRequired, "{}", told(&patch));
}

#[test]
fn an_object_of_which_only_arrays_of_secrets_are_stated_may_be_absent_from_live() {
    let secrets = json!({"type": "array", "items": {"type": "object", "properties": {
        "Wo": {"type": "string"}
    }}});
    let place = json!({"type": "object", "properties": {"List": secrets}});
    let schema = TypeSchema::compile(
        &json!({
            "typeName": "Test::World::Example",
            "properties": {"Place": place, "Grid": {"type": "array", "items": secrets}},
            "writeOnlyProperties": ["/properties/Place/List/*/Wo", "/properties/Grid/*/*/Wo"]
        }),
        Source::File,
    )
    .unwrap();
    for stated in [json!({"Place": {"List": [{"Wo": "0"}]}}), json!({"Grid": [[{"Wo": "0"}]]})] {
        let patch = diff(&schema, &json!({}), &stated, Some(&stated)).unwrap();
        assert_eq!(patch.outcome, Outcome::Noop, "{}", told(&patch));
    }
}

#[test]
fn a_dot_at_the_end_of_a_pointer_names_nothing() {
    let schema = TypeSchema::compile(
        &json!({
            "typeName": "Test::World::Example",
            "properties": {"Place": {}},
            "readOnlyProperties": ["/properties/Place.", "/properties/Place./A"]
        }),
        Source::File,
    )
    .unwrap();
    let texts: Vec<String> = schema.lists().read_only.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["/Place", "/Place/A"]);
}
