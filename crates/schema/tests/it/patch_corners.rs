//! Corners where two rules meet, each once got wrong.

use hangar_schema::{Inputs, patch};
use serde_json::{Value, json};

use crate::verdict::{
    add, bundled, diff, noop, remove, replace, rules_at, schema, update, verdict,
};

#[test]
fn a_secret_is_sent_with_its_create_only_part() {
    let pipe = bundled("AWS::Pipes::Pipe");
    let stated = |description: &str, position: &str, batch: u32| {
        json!({"Name": "p", "RoleArn": "r", "Source": "s", "Target": "t", "Description": description,
            "SourceParameters": {"DynamoDBStreamParameters": {"StartingPosition": position, "BatchSize": batch}}})
    };
    let live =
        json!({"Name": "p", "RoleArn": "r", "Source": "s", "Target": "t", "Description": "a"});
    let parameters = |batch: u32| json!({"DynamoDBStreamParameters": {"StartingPosition": "LATEST", "BatchSize": batch}});
    let applied = stated("a", "LATEST", 5);
    assert_eq!(verdict(&pipe, live.clone(), applied.clone(), applied.clone()), noop());
    assert_eq!(
        verdict(&pipe, live.clone(), stated("b", "LATEST", 5), applied.clone()),
        update(json!([add("/Description", json!("b")), add("/SourceParameters", parameters(5))]))
    );
    assert_eq!(
        verdict(&pipe, live.clone(), stated("a", "LATEST", 6), applied.clone()),
        update(json!([add("/SourceParameters", parameters(6))]))
    );
    let reasons = verdict(&pipe, live, stated("a", "TRIM_HORIZON", 5), applied);
    assert_eq!(reasons, replace(&["/SourceParameters/DynamoDBStreamParameters/StartingPosition"]));
}

#[test]
fn a_key_that_the_service_rewrites_does_not_tell_elements_apart() {
    let bucket = bundled("AWS::S3::Bucket");
    let queue = |name: &str| {
        json!({"NotificationConfiguration": {"QueueConfigurations": [{"Event": "e", "Queue": "q",
            "Filter": {"S3Key": {"Rules": [{"Name": name, "Value": "v"}]}}}]}})
    };
    assert_eq!(verdict(&bucket, queue("Prefix"), queue("prefix"), None), noop());
}

#[test]
fn a_value_of_another_type_does_not_overwrite_what_is_protected() {
    let protected = |class: &str| {
        schema(json!({
            "properties": {"O": {"type": "object", "properties": {"X": {}, "P": {}}}},
            class: ["/properties/O/P"]
        }))
    };
    let live = json!({"O": {"P": "p", "X": "1"}});
    for desired in [json!({"O": "x"}), json!({"O": ["x"]})] {
        assert_eq!(
            verdict(&protected("createOnlyProperties"), live.clone(), desired.clone(), None),
            replace(&["/O"])
        );
        let inputs = Inputs { live: &live, desired: &desired, applied: None };
        let problems = patch(&protected("readOnlyProperties"), &inputs).unwrap_err();
        assert_eq!(problems[0].pointer.as_deref(), Some("/O"));
    }
}

#[test]
fn a_create_only_member_that_live_does_not_return_is_no_change_where_elements_are_known() {
    for (order, element) in [(true, "X"), (false, "Name"), (true, "Name")] {
        let rows = schema(json!({
            "properties": {"R": {"type": "array", "insertionOrder": order, "items": {"type": "object", "properties": {
                element: {"type": "string"}, "D": {"type": "object", "properties": {"Key": {"type": "string"}}}}}}},
            "createOnlyProperties": ["/properties/R/*/D"]
        }));
        let stated = json!({"R": [{element: "1", "D": {"Key": "a"}}]});
        let live = json!({"R": [{element: "1", "D": {}}]});
        assert_eq!(
            verdict(&rows, live.clone(), stated.clone(), stated.clone()),
            noop(),
            "{order} {element}"
        );
        let changed = json!({"R": [{element: "1", "D": {"Key": "b"}}]});
        assert_eq!(
            verdict(&rows, live, changed, stated),
            replace(&["/R/0/D/Key"]),
            "{order} {element}"
        );
    }
}

#[test]
fn read_only_values_deep_in_a_replaced_row_are_restored() {
    let rows = schema(json!({
        "properties": {"L": {"type": "array", "items": {"type": "object", "properties": {"N": {"type": "string"}, "V": {"type": "string"},
            "Sub": {"type": "array", "items": {"type": "object", "properties": {"P": {"type": "string"}, "Ro": {"type": "string"}}}}}}}},
        "readOnlyProperties": ["/properties/L/*/Sub/*/Ro"]
    }));
    let live = json!({"L": [{"N": "1", "V": "filled in", "Sub": [{"P": "p", "Ro": "b"}]}]});
    let desired = json!({"L": [{"N": "2", "Sub": [{"P": "p"}]}]});
    let patch = diff(&rows, &live, &desired, None);
    assert_eq!(
        patch.to_json(),
        json!([add("/L", json!([{"N": "2", "Sub": [{"P": "p", "Ro": "b"}]}]))])
    );
    assert!(rules_at(&patch, "/L/0/V").is_empty(), "what is dropped is not said to stay");
}

#[test]
fn a_read_only_value_inside_a_secret_is_refused() {
    let group = bundled("AWS::Athena::WorkGroup");
    let desired = json!({"Name": "w", "WorkGroupConfigurationUpdates": {"EngineVersion": {"EffectiveEngineVersion": "v3"}}});
    let inputs = Inputs { live: &json!({"Name": "w"}), desired: &desired, applied: None };
    let problems = patch(&group, &inputs).unwrap_err();
    let pointer = "/WorkGroupConfigurationUpdates/EngineVersion/EffectiveEngineVersion";
    assert_eq!(problems[0].pointer.as_deref(), Some(pointer));
}

#[test]
fn null_says_nothing_inside_a_secret() {
    let vault = schema(
        json!({"properties": {"W": {"type": "object"}}, "writeOnlyProperties": ["/properties/W"]}),
    );
    let desired = json!({"W": {"a": "1", "b": null}});
    assert_eq!(verdict(&vault, json!({}), desired.clone(), json!({"W": {"a": "1"}})), noop());
    assert_eq!(
        verdict(&vault, json!({}), desired, json!({"W": {"a": "1", "b": "2"}})),
        update(json!([add("/W", json!({"a": "1"}))]))
    );
}

#[test]
fn changed_lambda_code_is_sent_whole_even_where_live_shows_its_skeleton() {
    let function = bundled("AWS::Lambda::Function");
    let code = |key: &str| json!({"FunctionName": "f", "Role": "r", "Code": {"S3Bucket": "b", "S3Key": key}});
    let live = json!({"FunctionName": "f", "Role": "r", "Code": {}});
    assert_eq!(
        verdict(&function, live.clone(), code("k2"), code("k")),
        update(json!([add("/Code/S3Key", json!("k2")), add("/Code/S3Bucket", json!("b"))]))
    );
    assert_eq!(verdict(&function, live, code("k"), code("k")), noop());
}

#[test]
fn null_removes_an_object_at_once_though_its_arrays_hold_read_only_values() {
    let thing = schema(json!({
        "properties": {"S": {"type": "object", "properties": {"Z": {"type": "string"},
            "C": {"type": "array", "items": {"type": "object", "properties": {"B": {}, "X": {}}}}}}},
        "readOnlyProperties": ["/properties/S/C/*/B"]
    }));
    let live = json!({"S": {"C": [{"B": "b", "X": "1"}], "Z": "z"}});
    assert_eq!(verdict(&thing, live, json!({"S": null}), None), update(json!([remove("/S")])));
}

#[test]
fn an_empty_secret_object_settles() {
    let thing = schema(json!({
        "properties": {"P": {"type": "object", "properties": {"C": {"type": "string"}}}},
        "writeOnlyProperties": ["/properties/P"], "createOnlyProperties": ["/properties/P/C"]
    }));
    assert_eq!(verdict(&thing, json!({}), json!({"P": {}}), json!({"P": {}})), noop());
}

#[test]
fn null_takes_only_the_attributes_that_were_stated() {
    let group = bundled("AWS::ElasticLoadBalancingV2::TargetGroup");
    let attribute = |key: &str| json!({"Key": key, "Value": "1"});
    let live = json!({"TargetGroupAttributes": [attribute("a"), attribute("b")]});
    let applied = json!({"TargetGroupAttributes": [attribute("a")]});
    assert_eq!(
        verdict(&group, live, json!({"TargetGroupAttributes": null}), applied),
        update(json!([add("/TargetGroupAttributes", json!([attribute("b")]))]))
    );
}

#[test]
fn a_map_of_tags_goes_whole_whether_some_are_hidden_or_not() {
    let api = bundled("AWS::ApiGatewayV2::Api");
    let tags = |tags: Value| json!({"Tags": tags});
    let applied = tags(json!({"a": "1"}));
    assert_eq!(
        verdict(&api, tags(json!({"a": "1", "b": "2", "aws:x": "1"})), json!({}), applied.clone()),
        update(json!([remove("/Tags/a"), remove("/Tags/b")]))
    );
    assert_eq!(
        verdict(&api, tags(json!({"a": "1", "b": "2"})), json!({}), applied),
        update(json!([remove("/Tags")]))
    );
}

#[test]
fn a_removal_may_replace_too() {
    let thing = schema(json!({
        "properties": {"Cc": {"type": "string"}}, "conditionalCreateOnlyProperties": ["/properties/Cc"]
    }));
    let patch = diff(&thing, &json!({"Cc": "1"}), &json!({}), Some(&json!({"Cc": "1"})));
    assert_eq!(patch.may_replace().collect::<Vec<_>>(), ["/Cc"]);
}

#[test]
fn a_replacement_still_tells_what_else_differs() {
    let thing = schema(json!({
        "properties": {"A": {"type": "integer"}, "Co": {"type": "integer"}}, "createOnlyProperties": ["/properties/Co"]
    }));
    let patch = diff(&thing, &json!({"A": 1, "Co": 1}), &json!({"A": 2, "Co": 2}), None);
    assert!(patch.operations.is_empty());
    assert_eq!(rules_at(&patch, "/A"), ["set"]);
}

#[test]
fn null_on_a_create_only_value_asks_for_a_replacement() {
    let vpc = bundled("AWS::EC2::VPC");
    assert_eq!(
        verdict(&vpc, json!({"CidrBlock": "10.0.0.0/16"}), json!({"CidrBlock": null}), None),
        replace(&["/CidrBlock"])
    );
    assert_eq!(verdict(&vpc, json!({}), json!({"CidrBlock": null}), None), noop());
}

#[test]
fn an_insertion_is_no_reordering() {
    let thing =
        schema(json!({"properties": {"L": {"type": "array", "items": {"type": "string"}}}}));
    let patch = diff(&thing, &json!({"L": ["a", "b"]}), &json!({"L": ["x", "a", "b"]}), None);
    assert!(!rules_at(&patch, "/L").contains(&"reordered"));
    let patch = diff(&thing, &json!({"L": ["a", "b"]}), &json!({"L": ["b", "a"]}), None);
    assert!(rules_at(&patch, "/L").contains(&"reordered"));
}

#[test]
fn an_object_that_holds_only_empty_members_is_a_value_and_a_map_of_them_is_not() {
    let thing = schema(json!({"properties": {
        "D": {"type": "object", "properties": {"Key": {"type": "object", "patternProperties": {".*": {"type": "string"}}}}},
        "M": {"type": "object", "patternProperties": {".*": {"type": "object"}}}
    }}));
    let hollow = json!({"D": {"Key": {}}});
    assert_eq!(
        verdict(&thing, json!({}), hollow.clone(), hollow.clone()),
        update(json!([add("/D", json!({"Key": {}}))]))
    );
    assert_eq!(verdict(&thing, hollow.clone(), hollow.clone(), hollow), noop());
    assert_eq!(verdict(&thing, json!({}), json!({"M": {"a": {}}}), None), noop());
    assert_eq!(verdict(&thing, json!({"M": {}}), json!({"M": {"a": {}}}), None), noop());
}

#[test]
fn a_map_of_secrets_that_live_lacks_is_sent() {
    let thing = schema(json!({
        "properties": {"M": {"type": "object", "patternProperties": {".*": {"type": "object", "properties": {"W": {"type": "string"}}}}}},
        "writeOnlyProperties": ["/properties/M/*/W"]
    }));
    let stated = json!({"M": {"b": {"W": "1"}}});
    assert_eq!(
        verdict(&thing, json!({}), stated.clone(), json!({})),
        update(json!([add("/M", stated["M"].clone())]))
    );
    assert_eq!(verdict(&thing, json!({}), stated.clone(), stated), noop());
}
