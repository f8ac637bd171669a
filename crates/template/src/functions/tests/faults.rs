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
            "`text` (argument 1 of `split`): expected a string, found an int",
        ),
        (
            "split",
            json!(["a", [",", " ", 1]]),
            Some(1),
            "`delimiter` (argument 2 of `split`) contains an int; expected a string or an array of strings",
        ),
        ("split", json!(["a"]), None, "`split` expects 2 arguments, found 1"),
        ("padLeft", json!(["a"]), None, "`padLeft` expects 2 to 3 arguments, found 1"),
        ("guid", json!([]), None, "`guid` expects at least 1 argument, found 0"),
        (
            "guid",
            json!(["a", null]),
            Some(1),
            "`texts` (argument 2 of `guid`): expected a string, found null",
        ),
        (
            "toLower",
            json!([null]),
            Some(0),
            "`text` (argument 1 of `toLower`): expected a string, found null",
        ),
        (
            "substring",
            json!(["1234567890", 0, 11]),
            Some(2),
            "`length` (argument 3 of `substring`): expected a number from 0 to 10, found 11",
        ),
        (
            "substring",
            json!(["abc", -1]),
            Some(1),
            "`start` (argument 2 of `substring`): expected a number from 0 to 3, found -1",
        ),
        (
            "replace",
            json!(["a", "", "b"]),
            Some(1),
            "`old` (argument 2 of `replace`) is empty; expected at least one character",
        ),
        (
            "padLeft",
            json!(["a", 5, "xy"]),
            Some(2),
            "`character` (argument 3 of `padLeft`): expected exactly one character, found 'xy'",
        ),
        (
            "concat",
            json!(["a", []]),
            Some(1),
            "`values` (argument 2 of `concat`): expected a string (or only arrays), found an array",
        ),
        (
            "concat",
            json!([[], "a"]),
            Some(1),
            "`values` (argument 2 of `concat`): expected an array, found a string",
        ),
        (
            "union",
            json!([{}, []]),
            Some(1),
            "`others` (argument 2 of `union`): expected an object, found an array",
        ),
        (
            "length",
            json!([null]),
            Some(0),
            "`value` (argument 1 of `length`): expected a string, an array or an object, found null",
        ),
        (
            "int",
            json!(["4x"]),
            Some(0),
            "`value` (argument 1 of `int`): expected a string with a whole number that fits in 64 bits, found '4x'",
        ),
        (
            "bool",
            json!(["yes"]),
            Some(0),
            "`value` (argument 1 of `bool`): expected 'true' or 'false', found 'yes'",
        ),
        (
            "range",
            json!([0, 10_001]),
            Some(1),
            "`count` (argument 2 of `range`): expected a number from 0 to 10000, found 10001",
        ),
        (
            "range",
            json!([2_147_483_647, 1]),
            Some(0),
            "`start` (argument 1 of `range`): expected a number for which the range ends at 2147483647 or before, found 2147483647",
        ),
        (
            "min",
            json!([[]]),
            Some(0),
            "`numbers` (argument 1 of `min`) is empty; expected at least one int",
        ),
        (
            "max",
            json!([["a"]]),
            Some(0),
            "`numbers` (argument 1 of `max`) contains a string; expected an array of ints",
        ),
        (
            "format",
            json!(["{1}", 1]),
            Some(0),
            "`format` (argument 1 of `format`) has the placeholder `{1}`, but the number of values is 1",
        ),
        (
            "format",
            json!(["{0:C}", 1]),
            Some(0),
            "`format` (argument 1 of `format`) has the format `C`, which is not supported",
        ),
        (
            "json",
            json!(["{"]),
            Some(0),
            "`text` (argument 1 of `json`) is not valid JSON: unexpected end at line 1, column 1",
        ),
        (
            "base64ToString",
            json!(["!"]),
            Some(0),
            "`text` (argument 1 of `base64ToString`) is not valid base64",
        ),
        (
            "cidrSubnet",
            json!(["10.0.0.0/16", 8, 0]),
            Some(1),
            "`prefix` (argument 2 of `cidrSubnet`): expected a number from 16 to 32, found 8",
        ),
        (
            "cidrSubnet",
            json!(["10.0.0.0/16", 24, 256]),
            Some(2),
            "`index` (argument 3 of `cidrSubnet`): expected a number from 0 to 255, found 256",
        ),
        (
            "cidrHost",
            json!(["10.0.0.0/16x", 0]),
            Some(0),
            "`network` (argument 1 of `cidrHost`): expected an address range such as '10.0.0.0/16', found '10.0.0.0/16x'",
        ),
        (
            "dateTimeAdd",
            json!(["2020-01-01", "P9999Y"]),
            Some(1),
            "`duration` (argument 2 of `dateTimeAdd`) results in a time outside the years 1 to 9999",
        ),
        ("loadTextContent", json!(["none.txt"]), Some(0), "no file none.txt"),
        (
            "loadTextContent",
            json!(["latin.txt"]),
            Some(0),
            "`path` (argument 1 of `loadTextContent`) is a file that is not utf-8 text",
        ),
        (
            "loadTextContent",
            json!(["long.txt"]),
            Some(0),
            "`path` (argument 1 of `loadTextContent`) is a file with more than 131072 characters",
        ),
        (
            "loadFileAsBase64",
            json!(["long.txt"]),
            Some(0),
            "`path` (argument 1 of `loadFileAsBase64`) is a file with more than 98304 bytes",
        ),
        (
            "loadJsonContent",
            json!(["a.json", "$..d"]),
            Some(1),
            "`jsonPath` (argument 2 of `loadJsonContent`) has segments that are not supported yet",
        ),
        (
            "loadYamlContent",
            json!(["a.yaml"]),
            Some(0),
            "`path` (argument 1 of `loadYamlContent`) is a file that is not valid YAML: a key appears twice at line 2",
        ),
        (
            "loadDirectoryFileInfo",
            json!([".", "*.none"]),
            Some(0),
            "`path` (argument 1 of `loadDirectoryFileInfo`) is a folder that was not found, or that has no file that matches `*.none`",
        ),
        (
            "subscription",
            json!([]),
            None,
            "`subscription` is available only in Azure, and Hangar does not deploy to Azure",
        ),
        (
            "aws.availabilityZones",
            json!([4]),
            Some(0),
            "`count` (argument 1 of `availabilityZones`): expected a number from 1 to 3, found 4",
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
