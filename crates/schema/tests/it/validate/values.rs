//! Values: types, listed values, texts, sizes.

use hangar_schema::{Purpose, Source, TypeSchema, validate};
use serde_json::{Value, json};

use crate::verdict::bundled;

use super::{outline, property, said_of_file, small, with};

fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Checks a table of (schema, value, expected severity and code or nothing).
fn check(cases: &[(Value, Value, &str)]) {
    for (schema, value, expected) in cases {
        let found = property(schema, value);
        let expected: Vec<String> =
            expected.split_terminator(',').map(|it| format!("{it} /P")).collect();
        assert_eq!(found, expected, "{schema} {value}");
    }
}

#[test]
fn a_type_is_checked_and_what_aws_converts_is_a_warning() {
    let of = |kind: &str| json!({"type": kind});
    check(&[
        (of("integer"), json!(1), ""),
        (of("integer"), number("1.0"), ""),
        (of("integer"), number("1e3"), ""),
        (of("integer"), json!(1.5), "error SCHEMA0104"),
        (of("integer"), json!("80"), "warning SCHEMA0104"),
        (of("integer"), json!("1.5"), "error SCHEMA0104"),
        (of("integer"), json!("x"), "error SCHEMA0104"),
        (of("number"), json!("1.5"), "warning SCHEMA0104"),
        (of("number"), json!(true), "error SCHEMA0104"),
        (of("boolean"), json!("true"), "warning SCHEMA0104"),
        (of("boolean"), json!("False"), "warning SCHEMA0104"),
        (of("boolean"), json!("yes"), "error SCHEMA0104"),
        (of("boolean"), json!(1), "error SCHEMA0104"),
        (of("string"), json!(80), "error SCHEMA0104"),
        (of("string"), json!(true), "error SCHEMA0104"),
        (of("string"), json!({}), "error SCHEMA0104"),
        (of("string"), json!(["a"]), "error SCHEMA0104"),
        (of("object"), json!("{\"a\": 1}"), "warning SCHEMA0104"),
        (of("object"), json!("{"), "error SCHEMA0104"),
        (of("object"), json!("[]"), "error SCHEMA0104"),
        (of("object"), json!([]), "error SCHEMA0104"),
        (of("array"), json!("[]"), "error SCHEMA0104"),
        (of("array"), json!({}), "error SCHEMA0104"),
        (json!({"type": ["object", "string"]}), json!({"any": 1}), ""),
        (json!({"type": ["object", "string"]}), json!("text"), ""),
        (json!({"type": ["object", "string"]}), json!([]), "error SCHEMA0104"),
        (json!({}), json!([1, {"a": null}]), ""),
    ]);
}

#[test]
fn null_is_not_stated_as_a_member_and_is_a_value_as_an_element() {
    let list = json!({"type": "array", "items": {"type": "string"}});
    check(&[
        (json!({"type": "string", "enum": ["a"]}), json!(null), ""),
        (list.clone(), json!(null), ""),
        (json!({"type": "array"}), json!([null]), ""),
        (json!({"type": "object", "minProperties": 1}), json!({"a": null}), "error SCHEMA0110"),
        (json!({"type": "object", "maxProperties": 0}), json!({"a": null}), ""),
    ]);
    assert_eq!(property(&list, &json!(["a", null])), ["error SCHEMA0104 /P/1"]);
}

#[test]
fn limits_are_exact() {
    check(&[
        (json!({"minimum": 1}), json!(1), ""),
        (json!({"minimum": 1}), number("0.99999999999999999999"), "error SCHEMA0111"),
        (
            json!({"maximum": 9_007_199_254_740_992_u64}),
            number("9007199254740993"),
            "error SCHEMA0111",
        ),
        (json!({"exclusiveMinimum": 0}), json!(0), "error SCHEMA0111"),
        (json!({"exclusiveMaximum": 5}), json!(5), "error SCHEMA0111"),
        // The form of draft 4, which says nothing by itself.
        (json!({"minimum": 0, "exclusiveMinimum": true}), json!(0), ""),
        (json!({"multipleOf": number("0.1")}), number("0.3"), ""),
        (json!({"multipleOf": 64}), json!(100), "error SCHEMA0112"),
        (json!({"multipleOf": 0}), json!(100), ""),
        (json!({"type": "string", "minLength": 2}), json!("é"), "error SCHEMA0107"),
        (json!({"type": "string", "maxLength": 1}), json!("é"), ""),
        (json!({"type": "string", "minimum": 5}), json!("a"), ""),
        (json!({"minItems": 1}), json!([]), "error SCHEMA0108"),
        (json!({"maxItems": 1}), json!([1, 2]), "error SCHEMA0108"),
        (json!({"minProperties": 1}), json!({}), "error SCHEMA0110"),
    ]);
}

#[test]
fn a_length_on_which_ways_of_counting_differ_is_a_warning() {
    check(&[
        (json!({"maxLength": 1}), json!("😀"), "warning SCHEMA0107"),
        (json!({"minLength": 2}), json!("😀"), "warning SCHEMA0107"),
        (json!({"maxLength": 1}), json!("😀😀"), "error SCHEMA0107"),
    ]);
}

#[test]
fn equal_items_are_refused_where_all_must_differ() {
    let set = json!({"type": "array", "uniqueItems": true});
    assert!(property(&set, &json!([1, "1", [1], {"a": 1}, {"a": 2}])).is_empty());
    assert!(property(&set, &number("[1, 1.0]")).is_empty());
    assert_eq!(property(&set, &json!(["a", "b", "a"])), ["error SCHEMA0109 /P/2"]);
    assert!(property(&json!({"type": "array"}), &json!([1, 1])).is_empty());
}

#[test]
fn a_listed_value_is_wanted_and_the_nearest_proposed() {
    check(&[
        (json!({"enum": ["a", 1]}), number("1.0"), ""),
        (json!({"enum": [true]}), json!(false), "warning SCHEMA0105"),
        (json!({"enum": ["1", "2"]}), json!(3), "warning SCHEMA0105"),
        (json!({"const": "x"}), json!("y"), "error SCHEMA0105"),
    ]);
    let schema = small(&json!({"P": {"type": "string", "enum": ["default", "dedicated", "host"]}}));
    insta::assert_snapshot!(
        [json!("dedicatd"), json!("HOST"), json!("zzz")]
            .map(|value| said_of_file(&schema, &json!({"P": value})))
            .join("\n"),
        @r"
    error[SCHEMA0105]: `P` is `dedicatd`, which is not an allowed value @/P (did you mean `dedicated`?; use one of `default`, `dedicated` or `host`)
    error[SCHEMA0105]: `P` is `HOST`, which is not an allowed value @/P (write `host`: the value is case-sensitive; use one of `default`, `dedicated` or `host`)
    error[SCHEMA0105]: `P` is `zzz`, which is not an allowed value @/P (use one of `default`, `dedicated` or `host`)
    "
    );
}

#[test]
fn a_pattern_refuses_for_sure_only_where_dialects_agree() {
    check(&[
        (json!({"pattern": "^vpc-[0-9a-f]+$"}), json!("vpc-1"), ""),
        (json!({"pattern": "^vpc-[0-9a-f]+$"}), json!("subnet-1"), "error SCHEMA0106"),
        (json!({"pattern": "b"}), json!("abc"), ""),
        (json!({"pattern": "("}), json!("x"), ""),
        (json!({"pattern": "^(?i)a+$"}), json!("b"), "warning SCHEMA0106"),
    ]);
}

#[test]
fn a_format_is_never_more_than_a_warning() {
    check(&[
        (json!({"format": "date-time"}), json!("2024-01-01T00:00:00Z"), ""),
        (json!({"format": "date-time"}), json!("yesterday"), "warning SCHEMA0116"),
        (json!({"format": "uri"}), json!("no uri"), "warning SCHEMA0116"),
        (json!({"format": "int64"}), json!(5), ""),
        (json!({"format": "what"}), json!("5"), ""),
    ]);
}

#[test]
fn limits_of_cfn_lint_are_warnings() {
    let cases = [
        (json!({"enum": ["a"]}), json!("b")),
        (json!({"pattern": "^a$"}), json!("b")),
        (json!({"maxLength": 1}), json!("bb")),
        (json!({"minimum": 1}), json!(0)),
        (json!({"multipleOf": 2}), json!(1)),
        (json!({"maxItems": 0}), json!([1])),
        (json!({"uniqueItems": true}), json!([1, 1])),
        (json!({"oneOf": [{"required": ["A"]}, {"required": ["B"]}]}), json!({})),
        (json!({"anyOf": [{"type": "string"}, {"type": "array"}]}), json!({})),
    ];
    for (schema, value) in cases {
        let schema = small(&json!({"P": schema}));
        let document = json!({"P": value});
        let found = outline(&schema, Source::CfnLint, &document, Purpose::Desired);
        assert_eq!(found.len(), 1, "{schema}: {found:?}");
        assert!(found[0].starts_with("warning"), "{schema}: {found:?}");
        let found = outline(&schema, Source::File, &document, Purpose::Desired);
        assert!(found[0].starts_with("error"), "{schema}: {found:?}");
    }
}

#[test]
fn what_stands_beside_a_reference_is_a_warning_and_a_type_there_counts_for_nothing() {
    let schema = with(
        small(&json!({"P": {"$ref": "#/definitions/Text", "maxLength": 1, "type": "array"}})),
        &json!({"definitions": {"Text": {"type": "string"}}}),
    );
    let found = outline(&schema, Source::Aws, &json!({"P": "long"}), Purpose::Desired);
    assert_eq!(found, ["warning SCHEMA0107 /P"]);
    let cluster = bundled("AWS::MemoryDB::Cluster");
    let stated = |network: &str| json!({"ClusterName": "c", "ACLName": "a", "NodeType": "n", "DataTiering": "true", "NetworkType": network});
    assert!(validate(&cluster, &stated("ipv4"), Purpose::Desired).is_empty());
    let found = validate(&cluster, &stated("ipv5"), Purpose::Desired);
    assert_eq!(found.len(), 1);
    assert!(found[0].is_error());
}

#[test]
fn a_null_member_must_have_a_name_that_is_known() {
    let vpc = bundled("AWS::EC2::VPC");
    let found =
        validate(&vpc, &json!({"Nope": null, "VpcId": null, "CidrBlock": null}), Purpose::Desired);
    let pointers: Vec<_> = found.iter().map(|one| one.pointer.as_deref().unwrap()).collect();
    assert_eq!(pointers, ["/Nope"]);
}

#[test]
fn a_wrong_type_hides_what_lies_in_the_value() {
    let schema =
        json!({"type": "string", "minLength": 3, "properties": {"A": {"type": "integer"}}});
    assert_eq!(property(&schema, &json!({"A": "x"})), ["error SCHEMA0104 /P"]);
}

#[test]
fn a_hidden_value_is_never_shown() {
    let schema = with(
        small(
            &json!({"Password": {"type": "string", "pattern": "^[a-z]+$", "enum": ["x"], "minLength": 50}}),
        ),
        &json!({"writeOnlyProperties": ["/properties/Password"]}),
    );
    let schema = TypeSchema::compile(&schema, Source::Aws).unwrap();
    let found = validate(&schema, &json!({"Password": "HUNTER2"}), Purpose::Desired);
    assert_eq!(found.len(), 3);
    assert!(!format!("{found:?}").contains("HUNTER2"));
}

#[test]
fn messages_name_the_value_and_hints_say_what_to_do() {
    let schema = small(&json!({
        "Count": {"type": "integer", "minimum": 1},
        "Flag": {"type": "boolean"},
        "Items": {"type": "array", "maxItems": 1, "uniqueItems": true},
        "Name": {"type": "string", "minLength": 5, "pattern": "^[a-z]+$"},
        "Step": {"type": "number", "multipleOf": 5},
        "When": {"type": "string", "format": "date-time"},
    }));
    let document = json!({
        "Count": 0, "Flag": "true", "Items": [1, 1], "Name": "A1", "Step": 7, "When": "now",
    });
    insta::assert_snapshot!(said_of_file(&schema, &document), @r"
    error[SCHEMA0111]: `Count` is `0`, but the schema allows at least 1 @/Count (write a number that is at least 1)
    warning[SCHEMA0104]: `Flag`: expected a boolean, found a string @/Flag (write it as a boolean, without quotes)
    error[SCHEMA0108]: `Items` has 2 items, but the schema allows at most 1 @/Items (change it to have at most 1)
    error[SCHEMA0109]: `Items/1` equals item 0 of an array whose items must differ @/Items/1 (remove one of them)
    error[SCHEMA0107]: `Name` has 2 characters, but the schema allows at least 5 @/Name (change it to have at least 5)
    error[SCHEMA0106]: `Name` is `A1`, which does not match the pattern `^[a-z]+$` @/Name (write a value that matches the pattern)
    error[SCHEMA0112]: `Step` is `7`, which is not a multiple of 5 @/Step (write a multiple of 5)
    warning[SCHEMA0116]: `When` is `now`, which does not look like a `date-time` @/When (check that the value is a `date-time`)
    ");
}
