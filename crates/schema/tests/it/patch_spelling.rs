//! Values that are equal but spelled otherwise.

use hangar_schema::TypeSchema;
use serde_json::{Value, json};

use crate::verdict::{add, bundled, noop, schema, update, verdict};

fn thing() -> TypeSchema {
    schema(json!({"properties": {
        "Number": {"type": "number"}, "Port": {"type": ["integer", "string"]}, "Flag": {"type": "boolean"},
        "Text": {"type": "string"}, "Document": {"type": ["object", "string"]}, "Policy": {"type": "object"}
    }}))
}

#[test]
fn the_same_value_in_another_spelling_is_no_difference() {
    let cases: Vec<(&str, Value, Value)> = vec![
        ("Number", json!(1), json!(1.0)),
        ("Number", json!("8080"), json!(8080)),
        ("Port", json!(80), json!("80")),
        ("Flag", json!("true"), json!(true)),
        ("Text", json!(r#"{"a": 1, "b": [2]}"#), json!(r#"{"b":[2],"a":1}"#)),
        ("Document", json!({"a": 1}), json!(r#"{"a": 1}"#)),
        ("Document", json!(r#"{"a": 1}"#), json!({"a": 1})),
        (
            "Policy",
            json!({"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "s3:GetObject", "Principal": "*", "Resource": "*"}}),
            json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": ["S3:GetObject"], "Principal": {"AWS": "*"}, "Resource": ["*"]}]}),
        ),
    ];
    for (name, live, desired) in cases {
        assert_eq!(
            verdict(&thing(), json!({name: live}), json!({name: desired}), None),
            noop(),
            "{name} {live} {desired}"
        );
    }
}

#[test]
fn a_spelling_counts_only_where_the_schema_knows_the_type() {
    for (live, desired) in
        [(json!("5"), json!(5)), (json!("true"), json!(true)), (json!("a"), json!("A"))]
    {
        let verdict = verdict(&thing(), json!({"Text": live}), json!({"Text": desired}), None);
        assert_eq!(verdict, update(json!([add("/Text", desired)])));
    }
}

#[test]
fn a_policy_that_differs_is_written_whole() {
    let policy = |action: &str| json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": "*"}]});
    assert_eq!(
        verdict(&thing(), json!({"Policy": policy("a:b")}), json!({"Policy": policy("a:c")}), None),
        update(json!([add("/Policy", policy("a:c"))]))
    );
}

#[test]
fn the_trust_policy_of_a_role_is_compared_by_meaning() {
    let role = bundled("AWS::IAM::Role");
    let live = json!({"AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::123456789012:root"}, "Action": "sts:AssumeRole"}]}});
    let desired = json!({"AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"AWS": ["123456789012"]}, "Action": ["sts:AssumeRole"]}]}});
    assert_eq!(verdict(&role, live, desired, None), noop());
}

#[test]
fn a_property_transform_proves_equality() {
    let schema = schema(json!({
        "properties": {"Name": {"type": "string"}, "Kms": {"type": "string"}, "Other": {"type": "string"}},
        "createOnlyProperties": ["/properties/Other"],
        "propertyTransform": {
            "/properties/Name": "$lowercase(Name)",
            "/properties/Kms": "$join([\"arn:.+?:kms:.+?:.+?:key\\/\", Kms])",
            "/properties/Other": "$unheardOf(Other)"
        }
    }));
    assert_eq!(verdict(&schema, json!({"Name": "abc"}), json!({"Name": "ABC"}), None), noop());
    assert_eq!(
        verdict(
            &schema,
            json!({"Kms": "arn:aws:kms:us-east-1:1:key/k"}),
            json!({"Kms": "k"}),
            None
        ),
        noop()
    );
    assert_eq!(
        verdict(&schema, json!({"Name": "abd"}), json!({"Name": "ABC"}), None),
        update(json!([add("/Name", json!("ABC"))]))
    );
    // What cannot be evaluated proves nothing, but does not ask for a replacement for ever.
    assert_eq!(
        verdict(&schema, json!({"Other": "x"}), json!({"Other": "y"}), json!({"Other": "y"})),
        noop()
    );
}

#[test]
fn a_transform_that_fits_anything_does_not_hide_a_change() {
    let schema = schema(json!({
        "properties": {"Place": {"type": "string"}},
        "propertyTransform": {"/properties/Place": "\"^[a-z-]+$\""}
    }));
    let place = |name: &str| json!({"Place": name});
    assert_eq!(verdict(&schema, place("as-stored"), place("x"), place("x")), noop());
    assert_eq!(
        verdict(&schema, place("as-stored"), place("y"), place("x")),
        update(json!([add("/Place", json!("y"))]))
    );
}
