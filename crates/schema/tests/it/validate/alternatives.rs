//! `oneOf`, `anyOf` and `allOf`.

use hangar_schema::{Purpose, Source};
use serde_json::{Value, json};

use super::{outline, property, said_of_file, said_of_type, small};

fn one_of(branches: &Value) -> Value {
    json!({"type": "object", "properties": {"A": {"type": "string"}, "B": {"type": "string"}, "C": {}}, "oneOf": branches})
}

/// A union as most public types write it: one closed object for each member.
fn union() -> Value {
    json!({"type": "object", "oneOf": [
        {"type": "object", "additionalProperties": false, "required": ["S3"],
         "properties": {"S3": {"type": "object", "required": ["Bucket"], "properties": {"Bucket": {"type": "string"}, "Size": {"type": "integer"}, "Kind": {"enum": ["x"]}}}}},
        {"type": "object", "additionalProperties": false, "required": ["Http"],
         "properties": {"Http": {"type": "object", "properties": {"Url": {"type": "string"}}}}},
    ]})
}

#[test]
fn exactly_one_group_of_members_is_wanted() {
    let choice = one_of(&json!([{"required": ["A"]}, {"required": ["B", "C"]}]));
    assert!(property(&choice, &json!({"A": "a"})).is_empty());
    assert!(property(&choice, &json!({"B": "b", "C": 1})).is_empty());
    // A part of the other group does not make it whole.
    assert!(property(&choice, &json!({"A": "a", "B": "b"})).is_empty());
    assert!(property(&choice, &json!({"A": "a", "B": "b", "C": null})).is_empty());
    let schema = small(&json!({"P": choice}));
    insta::assert_snapshot!(
        [json!({}), json!({"B": "b"}), json!({"A": "a", "B": "b", "C": 1})]
            .map(|value| said_of_file(&schema, &json!({"P": value})))
            .join("\n"),
        @r"
    error[SCHEMA0114]: `P` sets none of `A`, `B` with `C` @/P (set exactly one of `A`, `B` with `C`)
    error[SCHEMA0114]: `P` sets `B`, but the schema expects exactly one of `A`, `B` with `C` @/P (set exactly one of `A`, `B` with `C`)
    error[SCHEMA0115]: `P` sets all of `A`, `B` with `C`, but the schema allows exactly one @/P (set exactly one of `A`, `B` with `C`)
    "
    );
}

#[test]
fn several_fitting_alternatives_are_an_error_only_for_distinct_groups_of_a_desired_document() {
    let both = json!({"P": {"A": "a", "B": "b"}});
    let cases = [
        (json!([{"required": ["A"]}, {"required": ["B"]}]), Purpose::Desired, "error"),
        (json!([{"required": ["A"]}, {"required": ["B"]}]), Purpose::Merged, "warning"),
        (json!([{"required": ["A"]}, {"required": ["A", "B"]}]), Purpose::Desired, "warning"),
        (
            json!([{"required": ["A"]}, {"required": ["B"], "properties": {"B": {}}}]),
            Purpose::Desired,
            "warning",
        ),
    ];
    for (branches, purpose, severity) in cases {
        let schema = small(&json!({"P": one_of(&branches)}));
        let found = outline(&schema, Source::Aws, &both, purpose);
        assert_eq!(found, [format!("{severity} SCHEMA0115 /P")], "{branches}");
    }
    let careless = one_of(&json!([{"required": ["A"]}, {}]));
    assert!(property(&careless, &json!({"A": "a", "B": "b"})).is_empty());
}

#[test]
fn a_union_wants_one_member_and_shows_what_is_wrong_inside_it() {
    assert!(property(&union(), &json!({"S3": {"Bucket": "b"}})).is_empty());
    assert!(property(&union(), &json!({"S3": {"Bucket": "b"}, "Http": null})).is_empty());
    let schema = small(&json!({"P": union()}));
    insta::assert_snapshot!(
        [
            json!({}),
            json!({"S3": {"Bucket": "b"}, "Http": {}}),
            json!({"S3": {"Size": "x", "Kind": "y"}}),
            json!({"S3": {"Bucket": "b"}, "Ftp": {}}),
            json!("text"),
        ]
        .map(|value| said_of_file(&schema, &json!({"P": value})))
        .join("\n"),
        @r"
    error[SCHEMA0114]: `P` sets none of `S3`, `Http` @/P (set exactly one of `S3`, `Http`)
    error[SCHEMA0114]: `P` sets `S3` and `Http`, but the schema expects exactly one of `S3`, `Http` @/P (set exactly one of `S3`, `Http`)
    error[SCHEMA0103]: `P/S3` lacks the required property `Bucket` @/P/S3 (add `Bucket`)
    error[SCHEMA0105]: `P/S3/Kind` is `y`, which is not an allowed value @/P/S3/Kind (did you mean `x`?; use `x`)
    error[SCHEMA0104]: `P/S3/Size`: expected an integer, found a string @/P/S3/Size (write it as an integer, without quotes)
    error[SCHEMA0101]: the property `P/Ftp` does not exist in the schema @/P/Ftp (remove it, or use `Http`)
    error[SCHEMA0104]: `P`: expected an object, found a string @/P (write an object)
    "
    );
}

#[test]
fn a_mixture_that_live_shows_is_a_warning() {
    let schema = small(&json!({"P": union()}));
    let mixture = json!({"P": {"S3": {"Bucket": "b"}, "Http": {}}});
    let found = outline(&schema, Source::Aws, &mixture, Purpose::Merged);
    assert!(!found.is_empty() && found.iter().all(|line| line.starts_with("warning")), "{found:?}");
}

#[test]
fn a_closed_alternative_inside_an_object_that_names_more_refuses_nothing_for_sure() {
    // Read strictly, `Name` could never be stated.
    let careless = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {"Name": {}, "A": {}, "B": {}},
        "oneOf": [
            {"additionalProperties": false, "properties": {"A": {}}, "required": ["A"]},
            {"additionalProperties": false, "properties": {"B": {}}, "required": ["B"]},
        ],
    });
    let found = property(&careless, &json!({"Name": 1, "A": 1}));
    assert!(found.iter().all(|line| line.starts_with("warning")), "{found:?}");
}

#[test]
fn a_doubtful_alternative_is_not_refused() {
    let branches =
        json!({"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^(?i)a+$"}]});
    let found = property(&branches, &json!("b"));
    assert_eq!(found, ["warning SCHEMA0106 /P"]);
    let number = json!({"anyOf": [{"type": "integer"}, {"type": "array"}]});
    assert_eq!(property(&number, &json!("5")), ["warning SCHEMA0104 /P"]);
}

#[test]
fn alternatives_by_type_give_one_message() {
    let schema = small(&json!({"P": {"anyOf": [{"type": "object"}, {"type": "array"}]}}));
    insta::assert_snapshot!(said_of_file(&schema, &json!({"P": "text"})), @"error[SCHEMA0104]: `P`: expected an array or object, found a string @/P (write an array or object)");
}

#[test]
fn any_of_takes_several_and_wants_one() {
    let any = json!({"type": "object", "properties": {"A": {}, "B": {}}, "anyOf": [{"required": ["A"]}, {"required": ["B"]}]});
    assert!(property(&any, &json!({"A": 1, "B": 1})).is_empty());
    let schema = small(&json!({"P": any}));
    insta::assert_snapshot!(said_of_file(&schema, &json!({"P": {}})), @"error[SCHEMA0114]: `P` sets none of `A`, `B` @/P (set at least one of `A`, `B`)");
}

#[test]
fn all_of_applies_every_part() {
    let all = json!({"allOf": [{"type": "string", "minLength": 3}, {"pattern": "^a"}]});
    assert!(property(&all, &json!("abc")).is_empty());
    assert_eq!(property(&all, &json!("b")), ["error SCHEMA0107 /P", "error SCHEMA0106 /P"]);
}

#[test]
fn an_alternative_that_requires_what_aws_sets_is_not_demanded() {
    let schema = super::with(
        small(&json!({"A": {"type": "string"}, "Id": {"type": "string"}})),
        &json!({"oneOf": [{"required": ["A"]}, {"required": ["Id"]}], "readOnlyProperties": ["/properties/Id"]}),
    );
    for document in [json!({}), json!({"A": "a"})] {
        assert!(
            outline(&schema, Source::Aws, &document, Purpose::Desired).is_empty(),
            "{document}"
        );
    }
}

#[test]
fn an_image_builder_wants_one_image() {
    let base = json!({"Name": "n", "InstanceType": "stream.standard.medium"});
    let with = |names: &[&str]| {
        let mut document = base.clone();
        for name in names {
            document[*name] = json!("arn:aws:appstream:us-east-1:123456789012:image/x");
        }
        document
    };
    insta::assert_snapshot!(
        [with(&[]), with(&["ImageArn"]), with(&["ImageArn", "ImageName"])]
            .map(|document| said_of_type("AWS::AppStream::ImageBuilder", &document))
            .join("\n--\n"),
        @r"
    error[SCHEMA0114]: the properties document sets none of `ImageName`, `ImageArn` @ (set exactly one of `ImageName`, `ImageArn`)
    --

    --
    error[SCHEMA0115]: the properties document sets all of `ImageName`, `ImageArn`, but the schema allows exactly one @ (set exactly one of `ImageName`, `ImageArn`)
    "
    );
}
