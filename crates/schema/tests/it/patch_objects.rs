//! Ownership of members, nested classes, removals, maps.

use hangar_schema::{Inputs, TypeSchema, patch};
use serde_json::json;

use crate::verdict::{
    add, bundled, diff, noop, remove, replace, rules_at, schema, update, verdict,
};

fn thing() -> TypeSchema {
    schema(json!({
        "properties": {
            "Name": {"type": "string"},
            "Size": {"type": "integer"},
            "Flag": {"type": "boolean"},
            "Box": {"type": "object", "additionalProperties": false, "properties": {
                "Given": {"type": "string"}, "Other": {"type": "string"},
                "Made": {"type": "string"}, "Fixed": {"type": "string"},
                "Inner": {"type": "object", "properties": {"Made": {"type": "string"}, "Leaf": {"type": "string"}}}
            }},
            "Plain": {"type": "object", "properties": {"A": {"type": "string"}, "B": {"type": "string"}}},
            "Labels": {"type": "object", "patternProperties": {".+": {"type": "string"}}},
            "Free": {"type": "object"},
            "Maybe": {"type": "string"},
            "Old": {"type": "string"}
        },
        "readOnlyProperties": ["/properties/Box/Made", "/properties/Box/Inner/Made"],
        "createOnlyProperties": ["/properties/Name", "/properties/Box/Fixed"],
        "conditionalCreateOnlyProperties": ["/properties/Maybe"],
        "deprecatedProperties": ["/properties/Old"]
    }))
}

#[test]
fn a_stated_member_is_set_and_an_unstated_one_is_left_alone() {
    let live = json!({"Size": 1, "Flag": true});
    assert_eq!(
        verdict(&thing(), live.clone(), json!({"Size": 2}), None),
        update(json!([add("/Size", json!(2))]))
    );
    assert_eq!(verdict(&thing(), live, json!({"Size": 1}), None), noop());
}

#[test]
fn a_member_that_was_applied_and_is_no_longer_stated_is_removed() {
    let verdict = verdict(
        &thing(),
        json!({"Size": 1, "Flag": true}),
        json!({"Size": 1}),
        json!({"Size": 1, "Flag": true}),
    );
    assert_eq!(verdict, update(json!([remove("/Flag")])));
}

#[test]
fn null_means_remove_whether_it_was_stated_before_or_not() {
    assert_eq!(
        verdict(&thing(), json!({"Flag": true}), json!({"Flag": null}), None),
        update(json!([remove("/Flag")]))
    );
    assert_eq!(verdict(&thing(), json!({}), json!({"Flag": null}), None), noop());
    assert_eq!(verdict(&thing(), json!({"Flag": null}), json!({"Flag": null}), None), noop());
}

#[test]
fn null_inside_an_object_removes_that_member_only() {
    let live = json!({"Plain": {"A": "a", "B": "b"}});
    assert_eq!(
        verdict(&thing(), live, json!({"Plain": {"A": null}}), None),
        update(json!([remove("/Plain/A")]))
    );
}

#[test]
fn a_removal_takes_the_highest_member_whole() {
    let live = json!({"Plain": {"A": "a", "B": "filled in by the service"}});
    assert_eq!(
        verdict(&thing(), live, json!({}), json!({"Plain": {"A": "a"}})),
        update(json!([remove("/Plain")]))
    );
}

#[test]
fn a_removal_spares_what_is_read_only_or_create_only_below_it() {
    let live = json!({"Box": {"Given": "g", "Other": "filled in", "Made": "m", "Fixed": "f"}});
    let applied = json!({"Box": {"Given": "g", "Fixed": "f"}});
    assert_eq!(verdict(&thing(), live, json!({}), applied), update(json!([remove("/Box/Given")])));
}

#[test]
fn nested_read_only_values_are_kept_from_live() {
    let live = json!({"Box": {"Given": "g", "Made": "m", "Inner": {"Made": "n", "Leaf": "x"}}});
    let desired = json!({"Box": {"Given": "g", "Inner": {"Leaf": "y"}}});
    assert_eq!(
        verdict(&thing(), live, desired, None),
        update(json!([add("/Box/Inner/Leaf", json!("y"))]))
    );
}

#[test]
fn a_read_only_value_equal_to_live_is_dropped_and_a_different_one_is_an_error_with_its_pointer() {
    let live = json!({"Box": {"Made": "m", "Inner": {"Made": "n"}}});
    let same = json!({"Box": {"Made": "m", "Inner": {"Made": "n"}}});
    assert_eq!(verdict(&thing(), live.clone(), same, None), noop());
    let other = json!({"Box": {"Made": "x", "Inner": {"Made": "y"}}});
    let problems =
        patch(&thing(), &Inputs { live: &live, desired: &other, applied: None }).unwrap_err();
    let pointers: Vec<_> =
        problems.iter().map(|problem| problem.pointer.as_deref().unwrap()).collect();
    assert_eq!(pointers, ["/Box/Inner/Made", "/Box/Made"]);
}

#[test]
fn a_read_only_value_that_live_lacks_is_an_error() {
    let desired = json!({"Box": {"Made": "x"}});
    let problems = patch(&thing(), &Inputs { live: &json!({}), desired: &desired, applied: None })
        .unwrap_err();
    assert_eq!(problems[0].pointer.as_deref(), Some("/Box/Made"));
}

#[test]
fn a_changed_create_only_value_requires_replacement_and_gives_no_operation() {
    let live = json!({"Name": "a", "Size": 1});
    assert_eq!(verdict(&thing(), live, json!({"Name": "b", "Size": 2}), None), replace(&["/Name"]));
    let nested = json!({"Box": {"Fixed": "f", "Given": "g"}});
    assert_eq!(
        verdict(&thing(), nested, json!({"Box": {"Fixed": "x"}}), None),
        replace(&["/Box/Fixed"])
    );
}

#[test]
fn an_unstated_create_only_value_is_kept_from_live() {
    let live = json!({"Name": "a", "Size": 1});
    assert_eq!(verdict(&thing(), live.clone(), json!({"Size": 1}), None), noop());
    assert_eq!(
        verdict(&thing(), live, json!({"Size": 1}), json!({"Name": "a", "Size": 1})),
        noop()
    );
}

#[test]
fn a_create_only_value_that_live_does_not_return_is_compared_with_applied() {
    assert_eq!(verdict(&thing(), json!({}), json!({"Name": "a"}), json!({"Name": "a"})), noop());
    assert_eq!(
        verdict(&thing(), json!({}), json!({"Name": "b"}), json!({"Name": "a"})),
        replace(&["/Name"])
    );
    assert_eq!(verdict(&thing(), json!({}), json!({"Name": "a"}), None), replace(&["/Name"]));
}

#[test]
fn an_object_with_a_create_only_member_cannot_be_added() {
    assert_eq!(
        verdict(&thing(), json!({}), json!({"Box": {"Fixed": "f", "Given": "g"}}), None),
        replace(&["/Box/Fixed"])
    );
    assert_eq!(
        verdict(&thing(), json!({}), json!({"Box": {"Given": "g"}}), None),
        update(json!([add("/Box", json!({"Given": "g"}))]))
    );
}

#[test]
fn a_conditional_create_only_change_is_tried_and_marked() {
    let patch = diff(&thing(), &json!({"Maybe": "a"}), &json!({"Maybe": "b"}), None);
    assert_eq!(patch.to_json(), json!([add("/Maybe", json!("b"))]));
    assert_eq!(patch.may_replace().collect::<Vec<_>>(), ["/Maybe"]);
}

#[test]
fn a_deprecated_member_that_live_does_not_return_is_compared_with_applied() {
    assert_eq!(verdict(&thing(), json!({}), json!({"Old": "a"}), json!({"Old": "a"})), noop());
    assert_eq!(
        verdict(&thing(), json!({}), json!({"Old": "b"}), json!({"Old": "a"})),
        update(json!([add("/Old", json!("b"))]))
    );
    assert_eq!(
        verdict(&thing(), json!({}), json!({"Old": "a"}), None),
        update(json!([add("/Old", json!("a"))]))
    );
}

#[test]
fn a_map_that_is_stated_is_owned_whole() {
    let live = json!({"Labels": {"a": "1", "only/live": "2"}});
    assert_eq!(
        verdict(&thing(), live.clone(), json!({"Labels": {"a": "1", "b~/c": "3"}}), None),
        update(json!([add("/Labels/b~0~1c", json!("3")), remove("/Labels/only~1live")]))
    );
    assert_eq!(verdict(&thing(), live.clone(), json!({}), None), noop());
    assert_eq!(
        verdict(&thing(), live, json!({}), json!({"Labels": {"a": "1"}})),
        update(json!([remove("/Labels")]))
    );
}

#[test]
fn an_empty_map_equals_an_absent_one_and_an_empty_object_with_members_is_a_value() {
    assert_eq!(verdict(&thing(), json!({}), json!({"Labels": {}, "Free": {}}), None), noop());
    assert_eq!(
        verdict(&thing(), json!({"Labels": {}}), json!({}), json!({"Labels": {"a": "1"}})),
        noop()
    );
    assert_eq!(
        verdict(&thing(), json!({}), json!({"Plain": {}}), None),
        update(json!([add("/Plain", json!({}))]))
    );
    assert_eq!(verdict(&thing(), json!({"Plain": {}}), json!({"Plain": {}}), None), noop());
}

#[test]
fn a_free_form_object_is_owned_whole_at_every_depth() {
    let live = json!({"Free": {"a": {"x": 1, "y": 2}, "b": [1]}});
    assert_eq!(
        verdict(&thing(), live, json!({"Free": {"a": {"x": 1, "z": 3}, "b": [1]}}), None),
        update(json!([add("/Free/a/z", json!(3)), remove("/Free/a/y")]))
    );
}

#[test]
fn an_object_where_live_has_a_scalar_is_written_whole() {
    assert_eq!(
        verdict(&thing(), json!({"Plain": "text"}), json!({"Plain": {"A": "a"}}), None),
        update(json!([add("/Plain", json!({"A": "a"}))]))
    );
}

#[test]
fn a_type_without_update_handler_is_immutable() {
    let fixed = schema(
        json!({"properties": {"A": {"type": "string"}}, "handlers": {"create": {}, "read": {}}}),
    );
    assert_eq!(verdict(&fixed, json!({"A": "1"}), json!({"A": "2"}), None), replace(&["/A"]));
    assert_eq!(verdict(&fixed, json!({"A": "1"}), json!({"A": "1"}), None), noop());
}

#[test]
fn a_type_without_read_handler_is_compared_with_applied() {
    let blind = schema(
        json!({"properties": {"A": {"type": "string"}}, "handlers": {"create": {}, "update": {}}}),
    );
    assert_eq!(verdict(&blind, json!({}), json!({"A": "1"}), json!({"A": "1"})), noop());
    assert_eq!(
        verdict(&blind, json!({}), json!({"A": "2"}), json!({"A": "1"})),
        update(json!([add("/A", json!("2"))]))
    );
}

#[test]
fn a_type_without_handlers_is_refused_by_name() {
    let schema = bundled("AMZN::SDC::Deployment");
    assert!(schema.handlers().is_empty());
    let problems = patch(&schema, &Inputs { live: &json!({}), desired: &json!({}), applied: None })
        .unwrap_err();
    assert!(problems[0].message.contains(schema.name()));
}

#[test]
fn where_the_service_ignores_a_removal_its_default_is_written() {
    let role = bundled("AWS::IAM::Role");
    let live = json!({"RoleName": "r", "MaxSessionDuration": 7200});
    let applied = json!({"MaxSessionDuration": 7200});
    assert_eq!(
        verdict(&role, live, json!({}), applied.clone()),
        update(json!([add("/MaxSessionDuration", json!(3600))]))
    );
    assert_eq!(verdict(&role, json!({"MaxSessionDuration": 3600}), json!({}), applied), noop());
}

#[test]
fn every_suppressed_difference_is_explained() {
    let live = json!({"Name": "a", "Size": 1, "Box": {"Made": "m"}});
    let patch = diff(&thing(), &live, &json!({"Box": {}}), None);
    assert_eq!(rules_at(&patch, "/Name"), ["create-only-kept"]);
    assert_eq!(rules_at(&patch, "/Size"), ["not-stated"]);
    assert_eq!(rules_at(&patch, "/Box/Made"), ["read-only-kept"]);
}

#[test]
fn numbers_are_exact() {
    let live = json!({"Size": 9_007_199_254_740_992_u64});
    let desired = json!({"Size": 9_007_199_254_740_993_u64});
    assert_eq!(
        verdict(&thing(), live, desired, None),
        update(json!([add("/Size", json!(9_007_199_254_740_993_u64))]))
    );
    let huge: serde_json::Value =
        serde_json::from_str(r#"{"Size": 123456789012345678901234567890}"#).unwrap();
    let patch = diff(&thing(), &json!({}), &huge, None);
    assert!(patch.to_json().to_string().contains("123456789012345678901234567890"));
}

#[test]
fn documents_that_are_no_objects_are_refused() {
    let list = json!([1]);
    let problems =
        patch(&thing(), &Inputs { live: &list, desired: &list, applied: Some(&list) }).unwrap_err();
    assert_eq!(problems.len(), 3);
}

#[test]
fn what_live_does_not_return_is_compared_with_applied_whatever_the_order() {
    let schema = schema(json!({
        "properties": {"Old": {"type": "array", "insertionOrder": false, "items": {"type": "string"}}},
        "deprecatedProperties": ["/properties/Old"]
    }));
    assert_eq!(
        verdict(&schema, json!({}), json!({"Old": ["b", "a"]}), json!({"Old": ["a", "b"]})),
        noop()
    );
}
