//! Names: unknown, read-only, deprecated, missing.

use hangar_schema::{Purpose, Source};
use serde_json::{Value, json};

use super::{outline, said, said_of_file, said_of_type, small, with};

#[test]
fn an_unknown_property_is_refused_with_the_near_name() {
    insta::assert_snapshot!(
        said_of_type("AWS::EC2::VPC", &json!({"CidrBlok": "10.0.0.0/16", "Tags": [{"Key": "a", "Valeu": "b"}]})),
        @r"
    error[SCHEMA0101]: the property `CidrBlok` does not exist in the schema @/CidrBlok (did you mean `CidrBlock`?)
    error[SCHEMA0101]: the property `Tags/0/Valeu` does not exist in the schema @/Tags/0/Valeu (did you mean `Value`?)
    "
    );
}

#[test]
fn an_unknown_property_that_is_valid_elsewhere_is_sent_there() {
    let schema = small(&json!({
        "Tags": {"type": "array"},
        "Config": {"type": "object", "additionalProperties": false, "properties": {"Retention": {"type": "integer"}}},
    }));
    insta::assert_snapshot!(
        said_of_file(&schema, &json!({"Config": {"Tags": []}, "Retention": 3, "Zzz": 1})),
        @r"
    error[SCHEMA0101]: the property `Config/Tags` does not exist in the schema @/Config/Tags (`Tags` is a property at `/Tags`; move it there)
    error[SCHEMA0101]: the property `Retention` does not exist in the schema @/Retention (`Retention` is a property at `/Config/Retention`; move it there)
    error[SCHEMA0101]: the property `Zzz` does not exist in the schema @/Zzz (remove it, or use `Tags`)
    "
    );
}

#[test]
fn a_name_is_unknown_only_where_no_alternative_allows_it() {
    let open = json!({"type": "object", "properties": {"B": {}}});
    let closed = |name: &str| json!({"type": "object", "additionalProperties": false, "properties": {name: {}}});
    let cases = [
        (json!({"anyOf": [closed("A"), closed("B")]}), json!({"A": 1}), 0),
        (json!({"anyOf": [closed("A"), closed("B")]}), json!({"B": 1}), 0),
        (json!({"anyOf": [closed("A"), closed("B")]}), json!({"C": 1}), 1),
        (json!({"anyOf": [closed("A"), open]}), json!({"Cccc": 1}), 0),
        (json!({"allOf": [closed("A"), {"required": ["A"]}]}), json!({"A": 1}), 0),
        (json!({"allOf": [closed("A"), {"required": ["A"]}]}), json!({"A": 1, "C": 1}), 1),
        // Beside a `$ref` nothing counts.
        (
            json!({"$ref": "#/definitions/Closed", "additionalProperties": false}),
            json!({"D": 1}),
            0,
        ),
        (json!({"$ref": "#/definitions/Closed", "type": "object"}), json!({"E": 1}), 1),
        // Read strictly, the object below takes nothing at all.
        (
            json!({"additionalProperties": false, "oneOf": [{"properties": {"X": {}}, "required": ["X"]}]}),
            json!({"X": 1}),
            0,
        ),
        (
            json!({"additionalProperties": false, "patternProperties": {"^k[0-9]$": {}}}),
            json!({"k1": 1}),
            0,
        ),
        (
            json!({"additionalProperties": false, "patternProperties": {"^k[0-9]$": {}}}),
            json!({"x1": 1}),
            1,
        ),
        (json!({"type": "object"}), json!({"anything": 1}), 0),
        (json!({}), json!({"anything": {"at": "all"}}), 0),
    ];
    for (inner, value, errors) in cases {
        let schema =
            with(small(&json!({"P": inner})), &json!({"definitions": {"Closed": closed("D")}}));
        let found = outline(&schema, Source::Aws, &json!({"P": value}), Purpose::Desired);
        let count = found.iter().filter(|line| line.starts_with("error")).count();
        assert_eq!(count, errors, "{inner} {value}: {found:?}");
    }
}

#[test]
fn a_key_that_a_doubtful_pattern_misses_is_a_warning() {
    for pattern in ["^(?i)k+$", "(", "^a++$"] {
        let map = json!({"type": "object", "additionalProperties": false, "patternProperties": {pattern: {}}});
        let found = super::property(&map, &json!({"1": 1}));
        assert!(found.iter().all(|line| line.starts_with("warning")), "{pattern}: {found:?}");
    }
}

#[test]
fn a_slip_in_an_open_object_is_a_warning_and_another_name_is_nothing() {
    let open = json!({"type": "object", "properties": {"Version": {}}});
    assert_eq!(super::property(&open, &json!({"Versoin": 1})), ["warning SCHEMA0101 /P/Versoin"]);
    assert!(super::property(&open, &json!({"Other": 1})).is_empty());
}

#[test]
fn a_read_only_value_is_refused_as_desired_and_allowed_once_merged() {
    let schema = with(
        small(&json!({
            "Arn": {"type": "string", "pattern": "^arn:"},
            "List": {"type": "array", "items": {"type": "object", "properties": {"Id": {"type": "string"}, "Name": {"type": "string"}}}},
            "Both": {"type": "string"},
        })),
        &json!({
            "readOnlyProperties": ["/properties/Arn", "/properties/List/*/Id", "/properties/Both"],
            "createOnlyProperties": ["/properties/Both"],
            "required": ["Arn"],
        }),
    );
    let document =
        json!({"Arn": 7, "List": [{"Name": "a"}, {"Id": "x", "Name": "b"}], "Both": "b"});
    assert_eq!(
        outline(&schema, Source::Aws, &document, Purpose::Desired),
        ["error SCHEMA0102 /Arn", "error SCHEMA0102 /List/1/Id"]
    );
    assert!(outline(&schema, Source::Aws, &document, Purpose::Merged).is_empty());
    let nulls = json!({"Arn": null, "List": [{"Id": null}]});
    assert!(outline(&schema, Source::Aws, &nulls, Purpose::Desired).is_empty());
}

#[test]
fn what_can_be_set_inside_a_read_only_object_is_not_refused() {
    let schema = with(
        small(&json!({"Endpoint": {"type": "object", "properties": {
            "Port": {"type": "integer"}, "Address": {"type": "string"}}}})),
        &json!({
            "readOnlyProperties": ["/properties/Endpoint"],
            "createOnlyProperties": ["/properties/Endpoint/Port"],
        }),
    );
    let document = json!({"Endpoint": {"Port": 1, "Address": "a"}});
    assert_eq!(
        outline(&schema, Source::Aws, &document, Purpose::Desired),
        ["error SCHEMA0102 /Endpoint/Address"]
    );
}

#[test]
fn a_required_member_is_demanded_only_from_who_can_give_it() {
    let schema = with(
        small(&json!({
            "Name": {"type": "string"},
            "Id": {"type": "string"},
            "Secret": {"type": "string"},
            "Status": {"type": "object", "additionalProperties": false, "properties": {"Code": {}}},
            "Inner": {"type": "object", "required": ["Need"], "properties": {"Need": {"type": "string"}}},
        })),
        &json!({
            "required": ["Name", "Id", "Secret", "Status", "Inner"],
            "readOnlyProperties": ["/properties/Id", "/properties/Status/Code"],
            "writeOnlyProperties": ["/properties/Secret"],
        }),
    );
    let said_for = |document: &Value, purpose| {
        let schema = hangar_schema::TypeSchema::compile(&schema, Source::Aws).unwrap();
        said(&schema, document, purpose)
    };
    insta::assert_snapshot!(said_for(&json!({"Name": null, "Inner": {}}), Purpose::Desired), @r"
    error[SCHEMA0103]: the properties document lacks the required property `Name` @ (add `Name`)
    error[SCHEMA0103]: the properties document lacks the required property `Secret` @ (add `Secret`)
    error[SCHEMA0103]: `Inner` lacks the required property `Need` @/Inner (add `Need`)
    ");
    insta::assert_snapshot!(said_for(&json!({}), Purpose::Merged), @r"
    error[SCHEMA0103]: the properties document lacks the required property `Name` @ (add `Name`)
    error[SCHEMA0103]: the properties document lacks the required property `Inner` @ (add `Inner`)
    ");
}

#[test]
fn a_misspelled_required_property_is_one_mistake() {
    let schema = with(small(&json!({"Name": {"type": "string"}})), &json!({"required": ["Name"]}));
    let found = outline(&schema, Source::Aws, &json!({"Nmae": "a"}), Purpose::Desired);
    assert_eq!(found, ["error SCHEMA0101 /Nmae"]);
}

#[test]
fn a_deprecated_property_is_a_warning() {
    let schema = with(
        small(&json!({"Old": {"type": "object"}})),
        &json!({"deprecatedProperties": ["/properties/Old"]}),
    );
    insta::assert_snapshot!(said_of_file(&schema, &json!({"Old": {"a": 1}})), @"warning[SCHEMA0117]: `Old` is deprecated @/Old (AWS still accepts it; see the type's documentation for its replacement)");
}

#[test]
fn a_dependency_is_demanded_where_its_cause_is_stated() {
    let schema = with(
        small(&json!({"A": {}, "B": {}, "C": {"type": "string"}})),
        &json!({"dependencies": {"A": ["B"], "C": {"required": ["B"]}}}),
    );
    let found = |document| outline(&schema, Source::Aws, &document, Purpose::Desired);
    assert!(found(json!({"B": 1})).is_empty());
    assert!(found(json!({"A": null})).is_empty());
    assert_eq!(found(json!({"A": 1})), ["error SCHEMA0113 "]);
    assert_eq!(found(json!({"C": "x"})), ["error SCHEMA0103 "]);
    let lint = outline(&schema, Source::CfnLint, &json!({"A": 1}), Purpose::Desired);
    assert_eq!(lint, ["warning SCHEMA0113 "]);
}

#[test]
fn a_cfn_lint_schema_still_proves_structure() {
    let schema = with(
        small(&json!({"A": {"type": "array"}, "Id": {"type": "string"}, "N": {"type": "string"}})),
        &json!({"required": ["N"], "readOnlyProperties": ["/properties/Id"]}),
    );
    let found = outline(
        &schema,
        Source::CfnLint,
        &json!({"A": 1, "Id": "x", "Unknown": 1}),
        Purpose::Desired,
    );
    assert_eq!(
        found,
        [
            "error SCHEMA0103 ",
            "error SCHEMA0104 /A",
            "error SCHEMA0102 /Id",
            "error SCHEMA0101 /Unknown"
        ]
    );
}

#[test]
fn an_intrinsic_is_a_plain_object() {
    insta::assert_snapshot!(said_of_type("AWS::EC2::VPC", &json!({"CidrBlock": {"Ref": "X"}})), @"error[SCHEMA0104]: `CidrBlock`: expected a string, found an object @/CidrBlock (write a string)");
}

#[test]
fn what_live_shows_of_create_only_values_is_no_error_once_merged() {
    let schema = with(
        small(
            &json!({"Made": {"type": "object", "additionalProperties": false, "required": ["Need"],
            "properties": {"Need": {"type": "string"}, "Kind": {"type": "string", "enum": ["a"]}}}}),
        ),
        &json!({"createOnlyProperties": ["/properties/Made"]}),
    );
    let document = json!({"Made": {"Kind": "A", "Extra": 1}});
    for (purpose, severity) in [(Purpose::Desired, "error"), (Purpose::Merged, "warning")] {
        let found = outline(&schema, Source::Aws, &document, purpose);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().all(|line| line.starts_with(severity)), "{purpose:?} {found:?}");
    }
}

#[test]
fn what_lies_in_a_read_only_array_of_a_create_only_object_is_refused() {
    let peer = crate::verdict::bundled("AWS::EC2::TransitGatewayConnectPeer");
    let document = json!({"TransitGatewayAttachmentId": "t", "ConnectPeerConfiguration": {
        "PeerAddress": "1.1.1.1", "InsideCidrBlocks": ["169.254.6.0/29"],
        "BgpConfigurations": [{"TransitGatewayAsn": 1, "PeerAsn": 2}]}});
    let found = hangar_schema::validate(&peer, &document, Purpose::Desired);
    let errors: Vec<_> = found.iter().filter(|one| one.is_error()).collect();
    let pointer = "/ConnectPeerConfiguration/BgpConfigurations/0/TransitGatewayAsn";
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].pointer.as_deref(), Some(pointer));
}
