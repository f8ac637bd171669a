//! What is said when a call is wrong: the argument, what it is, and what it must be.

use serde_json::json;

use super::*;

#[test]
fn a_wrong_argument_is_named_with_what_it_is_and_must_be() {
    for (name, arguments, at, expected) in [
        (
            "split",
            json!([1, ","]),
            Some(0),
            "`text` (argument 1 of `split`) is an int, but must be a string",
        ),
        (
            "split",
            json!(["a", [",", " ", 1]]),
            Some(1),
            "`delimiter` (argument 2 of `split`) holds an int, but must be a string or an array of strings",
        ),
        ("split", json!(["a"]), None, "`split` takes 2 arguments, but got 1"),
        ("padLeft", json!(["a"]), None, "`padLeft` takes 2 to 3 arguments, but got 1"),
        ("guid", json!([]), None, "`guid` takes at least 1 argument, but got 0"),
        (
            "guid",
            json!(["a", null]),
            Some(1),
            "`texts` (argument 2 of `guid`) is null, but must be a string",
        ),
        (
            "toLower",
            json!([null]),
            Some(0),
            "`text` (argument 1 of `toLower`) is null, but must be a string",
        ),
        (
            "substring",
            json!(["1234567890", 0, 11]),
            Some(2),
            "`length` (argument 3 of `substring`) is 11, but must be from 0 to 10",
        ),
        (
            "substring",
            json!(["abc", -1]),
            Some(1),
            "`start` (argument 2 of `substring`) is -1, but must be from 0 to 3",
        ),
        (
            "replace",
            json!(["a", "", "b"]),
            Some(1),
            "`old` (argument 2 of `replace`) is empty, but must have at least one character",
        ),
        (
            "padLeft",
            json!(["a", 5, "xy"]),
            Some(2),
            "`character` (argument 3 of `padLeft`) is 'xy', but must be exactly one character",
        ),
        (
            "concat",
            json!(["a", []]),
            Some(1),
            "`values` (argument 2 of `concat`) is an array, but must be a string, or all must be arrays",
        ),
        (
            "concat",
            json!([[], "a"]),
            Some(1),
            "`values` (argument 2 of `concat`) is a string, but must be an array",
        ),
        (
            "union",
            json!([{}, []]),
            Some(1),
            "`others` (argument 2 of `union`) is an array, but must be an object",
        ),
        (
            "length",
            json!([null]),
            Some(0),
            "`value` (argument 1 of `length`) is null, but must be a string, an array or an object",
        ),
        (
            "int",
            json!(["4x"]),
            Some(0),
            "`value` (argument 1 of `int`) is '4x', but must be the text of a whole number of 64 bits",
        ),
        (
            "bool",
            json!(["yes"]),
            Some(0),
            "`value` (argument 1 of `bool`) is 'yes', but must be 'true' or 'false'",
        ),
        (
            "range",
            json!([0, 10_001]),
            Some(1),
            "`count` (argument 2 of `range`) is 10001, but must be from 0 to 10000",
        ),
        (
            "range",
            json!([2_147_483_647, 1]),
            Some(0),
            "`start` (argument 1 of `range`) is 2147483647, but must be such that the range ends by 2147483647",
        ),
        (
            "min",
            json!([[]]),
            Some(0),
            "`numbers` (argument 1 of `min`) is empty, but must have at least one int",
        ),
        (
            "max",
            json!([["a"]]),
            Some(0),
            "`numbers` (argument 1 of `max`) holds a string, but must be an array of ints",
        ),
        (
            "format",
            json!(["{1}", 1]),
            Some(0),
            "`format` (argument 1 of `format`) has a hole `{1}`, but there are 1 values",
        ),
        (
            "format",
            json!(["{0:C}", 1]),
            Some(0),
            "`format` (argument 1 of `format`) has a format `C`, which is not supported",
        ),
        (
            "json",
            json!(["{"]),
            Some(0),
            "`text` (argument 1 of `json`) is no JSON: it ends too early at line 1, column 1",
        ),
        (
            "base64ToString",
            json!(["!"]),
            Some(0),
            "`text` (argument 1 of `base64ToString`) is no base64",
        ),
        (
            "cidrSubnet",
            json!(["10.0.0.0/16", 8, 0]),
            Some(1),
            "`prefix` (argument 2 of `cidrSubnet`) is 8, but must be from 16 to 32",
        ),
        (
            "cidrSubnet",
            json!(["10.0.0.0/16", 24, 256]),
            Some(2),
            "`index` (argument 3 of `cidrSubnet`) is 256, but must be from 0 to 255",
        ),
        (
            "cidrHost",
            json!(["10.0.0.0/16x", 0]),
            Some(0),
            "`network` (argument 1 of `cidrHost`) is '10.0.0.0/16x', but must be a range of addresses such as '10.0.0.0/16'",
        ),
        (
            "dateTimeAdd",
            json!(["2020-01-01", "P9999Y"]),
            Some(1),
            "`duration` (argument 2 of `dateTimeAdd`) leads outside of the years 1 to 9999",
        ),
        ("loadTextContent", json!(["none.txt"]), Some(0), "no file none.txt"),
        (
            "loadTextContent",
            json!(["latin.txt"]),
            Some(0),
            "`path` (argument 1 of `loadTextContent`) names a file that is no text in utf-8",
        ),
        (
            "loadTextContent",
            json!(["long.txt"]),
            Some(0),
            "`path` (argument 1 of `loadTextContent`) names a file of more than 131072 characters",
        ),
        (
            "loadFileAsBase64",
            json!(["long.txt"]),
            Some(0),
            "`path` (argument 1 of `loadFileAsBase64`) names a file of more than 98304 bytes",
        ),
        (
            "loadJsonContent",
            json!(["a.json", "$..d"]),
            Some(1),
            "`jsonPath` (argument 2 of `loadJsonContent`) has steps that are not supported yet",
        ),
        (
            "loadYamlContent",
            json!(["a.yaml"]),
            Some(0),
            "`path` (argument 1 of `loadYamlContent`) names a file that is no YAML: a key is written twice at line 2",
        ),
        (
            "loadDirectoryFileInfo",
            json!([".", "*.none"]),
            Some(0),
            "`path` (argument 1 of `loadDirectoryFileInfo`) names a folder that is not there, or has no file like `*.none`",
        ),
        (
            "subscription",
            json!([]),
            None,
            "`subscription` asks for something of Azure, and the template is not deployed there",
        ),
        (
            "aws.availabilityZones",
            json!([4]),
            Some(0),
            "`count` (argument 1 of `availabilityZones`) is 4, but must be from 1 to 3",
        ),
        ("fail", json!(["no such size"]), None, "no such size"),
    ] {
        let fault = evaluated(name, &arguments).expect_err(name);
        let Fault::Wrong { argument, message, .. } = &fault else { panic!("{name}: inside") };
        assert_eq!((*argument, message.as_str()), (at, expected));
    }
}

#[test]
fn a_long_text_is_cut_in_a_message() {
    let fault = call("int", [Value::string("é".repeat(5000))]).unwrap_err();
    assert!(message(&fault).chars().count() < 250);
}

#[test]
fn without_an_account_a_deployment_says_how_to_give_one() {
    let mut context = context();
    (context.inputs.account, context.inputs.region) = (None, None);
    for (name, flag) in [
        ("aws.accountId", "--aws-account"),
        ("aws.region", "--aws-region"),
        ("aws.partition", "--aws-region"),
        ("aws.availabilityZones", "--aws-region"),
    ] {
        let fault = call_in(&context, name, []).unwrap_err();
        assert!(matches!(&fault, Fault::Wrong { hint: Some(hint), .. } if hint.contains(flag)));
    }
}
