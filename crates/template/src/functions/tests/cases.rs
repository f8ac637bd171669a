//! What functions give, as their documentation has it: examples of its pages, and corner cases.

use serde_json::json;

use super::*;

/// `name(arguments)` comes to the result.
#[track_caller]
fn same(cases: &[(&str, Json, Json)]) {
    for (name, arguments, expected) in cases {
        let parameters = function(name).parameters;
        for (at, argument) in arguments.as_array().unwrap().iter().enumerate() {
            let kind = Value::from_json(argument, false).kind().unwrap();
            let parameter = parameters.get(at).or(parameters.last()).unwrap();
            // What is checked before a function is called refuses nothing that it takes.
            assert!(parameter.takes(kind), "{name}{arguments}: {} {kind}", parameter.wants);
        }
        match evaluated(name, arguments) {
            Ok(result) => assert_eq!(result, *expected, "{name}{arguments}"),
            Err(fault) => panic!("{name}{arguments}: {}", message(&fault)),
        }
    }
}

#[test]
fn text() {
    same(&[
        ("toLower", json!(["One Two Three"]), json!("one two three")),
        ("toUpper", json!(["One Two Three"]), json!("ONE TWO THREE")),
        ("toUpper", json!(["größe"]), json!("GRÖßE")),
        ("trim", json!(["    one two three   "]), json!("one two three")),
        ("padLeft", json!(["123", 10, "0"]), json!("0000000123")),
        ("padLeft", json!([13, 5]), json!("   13")),
        ("padLeft", json!(["long", 2]), json!("long")),
        ("replace", json!(["123-123-1234", "-", ""]), json!("1231231234")),
        ("replace", json!(["123-123-1234", "1234", "xxxx"]), json!("123-123-xxxx")),
        ("replace", json!(["aA", "a", "b"]), json!("bA")),
        ("split", json!(["one,two,three", ","]), json!(["one", "two", "three"])),
        ("split", json!(["one;two,three", [",", ";"]]), json!(["one", "two", "three"])),
        ("split", json!(["", ","]), json!([""])),
        ("split", json!([",a,", ","]), json!(["", "a", ""])),
        ("split", json!(["a==b=c", ["=", "=="]]), json!(["a", "", "b", "c"])),
        ("split", json!(["abc", ""]), json!(["abc"])),
        ("split", json!(["é,😀", ","]), json!(["é", "😀"])),
        ("join", json!([["one", "two", "three"], ";"]), json!("one;two;three")),
        ("join", json!([[1, true, "x"], ","]), json!("1,True,x")),
        ("join", json!([[], ","]), json!("")),
        ("substring", json!(["one two three", 4, 3]), json!("two")),
        ("substring", json!(["asdfasf", 3]), json!("fasf")),
        ("substring", json!(["abc", 3]), json!("")),
        ("substring", json!(["a😀b", 1, 2]), json!("😀")),
        ("startsWith", json!(["abcdef", "ab"]), json!(true)),
        ("startsWith", json!(["abcdef", "A"]), json!(true)),
        ("startsWith", json!(["abcdef", "e"]), json!(false)),
        ("endsWith", json!(["abcdef", "ef"]), json!(true)),
        ("endsWith", json!(["abcdef", "F"]), json!(true)),
        ("endsWith", json!(["abcdef", "e"]), json!(false)),
        ("like", json!(["abc", "abc"]), json!(true)),
        ("like", json!(["abcabc", "*abc"]), json!(true)),
        ("like", json!(["aXaYa", "a*a"]), json!(true)),
        ("like", json!(["", "***"]), json!(true)),
        ("like", json!(["a", "b"]), json!(false)),
        ("like", json!(["abc**def", "*def"]), json!(true)),
        ("like", json!(["aXbYa", "a*b*a"]), json!(true)),
        ("like", json!(["aba", "ab*ba"]), json!(false)),
        ("like", json!(["aXcYbZa", "a*b*c*a"]), json!(false)),
    ]);
}

#[test]
fn text_lists_and_objects_alike() {
    same(&[
        ("concat", json!(["prefix", "-", "x"]), json!("prefix-x")),
        ("concat", json!(["a", 1, true]), json!("a1True")),
        ("concat", json!([["1-1"], ["2-1", "2-2"]]), json!(["1-1", "2-1", "2-2"])),
        ("contains", json!(["OneTwoThree", "e"]), json!(true)),
        ("contains", json!(["OneTwoThree", "one"]), json!(false)),
        ("contains", json!([{"one": "a"}, "ONE"]), json!(true)),
        ("contains", json!([{"one": "a"}, "a"]), json!(false)),
        ("contains", json!([["one", 2], 2]), json!(true)),
        ("contains", json!([["one"], "One"]), json!(false)),
        ("contains", json!([[{"a": 1}], {"a": 1}]), json!(true)),
        ("empty", json!([[]]), json!(true)),
        ("empty", json!([{}]), json!(true)),
        ("empty", json!([""]), json!(true)),
        ("empty", json!([null]), json!(true)),
        ("empty", json!([[0]]), json!(false)),
        ("first", json!([["one", "two"]]), json!("one")),
        ("first", json!(["One Two"]), json!("O")),
        ("first", json!([[]]), json!(null)),
        ("first", json!([""]), json!("")),
        ("last", json!([["one", "two"]]), json!("two")),
        ("last", json!(["One Two 😀"]), json!("😀")),
        ("last", json!([[]]), json!(null)),
        ("length", json!([["one", "two"]]), json!(2)),
        ("length", json!(["One Two Three"]), json!(13)),
        ("length", json!(["😀"]), json!(2)),
        ("length", json!([{"a": 1, "b": {"c": 1}}]), json!(2)),
        ("skip", json!([["one", "two", "three"], 2]), json!(["three"])),
        ("skip", json!(["one two three", 4]), json!("two three")),
        ("skip", json!(["abc", -1]), json!("abc")),
        ("skip", json!([[1], 7]), json!([])),
        ("take", json!([["one", "two", "three"], 2]), json!(["one", "two"])),
        ("take", json!(["one two three", 2]), json!("on")),
        ("take", json!(["abc", i64::MAX]), json!("abc")),
        ("take", json!(["abc", i64::MIN]), json!("")),
        ("take", json!(["😀a", 1]), json!("😀")),
        ("skip", json!(["😀a", 1]), json!("a")),
        ("indexOf", json!(["test", "t"]), json!(0)),
        ("lastIndexOf", json!(["test", "t"]), json!(3)),
        ("indexOf", json!(["abcdef", "CD"]), json!(2)),
        ("lastIndexOf", json!(["abcdef", "AB"]), json!(0)),
        ("indexOf", json!(["abcdef", "z"]), json!(-1)),
        ("indexOf", json!(["abc", ""]), json!(0)),
        ("indexOf", json!(["😀b", "B"]), json!(2)),
        ("indexOf", json!([[1, "a", "a"], "a"]), json!(1)),
        ("lastIndexOf", json!([[1, "a", "a"], "a"]), json!(2)),
        ("indexOf", json!([[1], "a"]), json!(-1)),
    ]);
}

#[test]
fn lists_and_objects() {
    same(&[
        ("range", json!([5, 3]), json!([5, 6, 7])),
        ("range", json!([-1, 2]), json!([-1, 0])),
        ("range", json!([5, 0]), json!([])),
        ("min", json!([[0, 3, 2, 5, 4]]), json!(0)),
        ("min", json!([3, 2]), json!(2)),
        ("max", json!([[0, 3, 2, 5, 4]]), json!(5)),
        ("max", json!([7]), json!(7)),
        ("flatten", json!([[["a"], ["b", ["c"]], []]]), json!(["a", "b", ["c"]])),
        ("distinct", json!([["a", "b", "a", "c", "b"]]), json!(["a", "b", "c"])),
        ("distinct", json!([[{"a": 1}, {"a": 1}, {"b": 2}]]), json!([{"a": 1}, {"b": 2}])),
        (
            "union",
            json!([["one", "two", "three"], ["three", "four", "two"]]),
            json!(["one", "two", "three", "four"]),
        ),
        (
            "union",
            json!([{"one": "a", "three": "c1"}, {"three": "c2", "four": "d"}]),
            json!({"one": "a", "three": "c2", "four": "d"}),
        ),
        (
            "union",
            json!([
                {"property": {"one": "a", "three": "c1"}, "nestedArray": [1, 2]},
                {"property": {"three": "c2", "four": "d"}, "nestedArray": [3, 4]},
            ]),
            json!({"property": {"one": "a", "three": "c2", "four": "d"}, "nestedArray": [3, 4]}),
        ),
        (
            "union",
            json!([[["one", "two"], ["three"]], [["three"], ["four", "two"]]]),
            json!([["one", "two"], ["three"], ["four", "two"]]),
        ),
        ("union", json!([{"a": 1}, {"a": null}]), json!({"a": null})),
        (
            "intersection",
            json!([["one", "two", "three"], ["two", "three"]]),
            json!(["two", "three"]),
        ),
        (
            "intersection",
            json!([
                {"one": "a", "two": "b", "three": "c"},
                {"one": "a", "two": "z", "three": "c"},
            ]),
            json!({"one": "a", "three": "c"}),
        ),
        ("intersection", json!([[1, 2, 3], [2, 3, 4], [3]]), json!([3])),
        (
            "shallowMerge",
            json!([[{"a": {"x": 1}}, {"a": {"y": 2}, "b": 1}]]),
            json!({"a": {"y": 2}, "b": 1}),
        ),
        (
            "items",
            json!([{"b": 2, "a": {"c": 1}}]),
            json!([{"key": "a", "value": {"c": 1}}, {"key": "b", "value": 2}]),
        ),
        ("objectKeys", json!([{"b": 2, "a": 1}]), json!(["a", "b"])),
    ]);
}

#[test]
fn conversions() {
    same(&[
        ("any", json!([{"a": 1}]), json!({"a": 1})),
        ("array", json!([1]), json!([1])),
        ("array", json!([{"a": "b"}]), json!([{"a": "b"}])),
        ("array", json!([["efgh"]]), json!(["efgh"])),
        ("bool", json!(["true"]), json!(true)),
        ("bool", json!(["False"]), json!(false)),
        ("bool", json!([1]), json!(true)),
        ("bool", json!([0]), json!(false)),
        ("int", json!(["4"]), json!(4)),
        ("int", json!(["-9223372036854775808"]), json!(i64::MIN)),
        ("int", json!([4]), json!(4)),
        (
            "string",
            json!([{"valueA": 10, "valueB": "Example Text"}]),
            json!(r#"{"valueA":10,"valueB":"Example Text"}"#),
        ),
        ("string", json!([["a", true, null]]), json!(r#"["a",true,null]"#)),
        ("string", json!([5]), json!("5")),
        ("string", json!([true]), json!("True")),
        ("string", json!([null]), json!("")),
        ("json", json!(["null"]), json!(null)),
        ("json", json!(["{'a': 'b'}"]), json!({"a": "b"})),
        ("json", json!(["[1, 2]"]), json!([1, 2])),
        (
            "format",
            json!(["{0}, {1}. Formatted number: {2:N0}", "Hello", "User", 8_175_133]),
            json!("Hello, User. Formatted number: 8,175,133"),
        ),
        (
            "format",
            json!(["objectToFormat: {0}", {"prop": "value"}]),
            json!("objectToFormat: {'prop':'value'}"),
        ),
        ("format", json!(["{{{0}}} {0,4}|{0,-4}|{1}", 7, null]), json!("{7}    7|7   |")),
        ("format", json!(["{0} {0:D3} {1:D3}", 7, "x"]), json!("7 007 x")),
        ("format", json!(["plain"]), json!("plain")),
    ]);
    let exact = call("json", [Value::string("[0.50, 1e3, 123456789012345678901]")]).unwrap();
    let text = call("string", [exact]).unwrap();
    assert_eq!(text, Value::string("[0.50,1e+3,123456789012345678901]"));
}

#[test]
fn encodings_and_uris() {
    let place = "https://mystorage.example:8080/templates/nested.json?st=2025-05-09";
    same(&[
        ("base64", json!(["one, two, three"]), json!("b25lLCB0d28sIHRocmVl")),
        ("base64ToString", json!(["b25lLCB0d28sIHRocmVl"]), json!("one, two, three")),
        (
            "base64ToJson",
            json!(["eydvbmUnOiAnYScsICd0d28nOiAnYid9"]),
            json!({"one": "a", "two": "b"}),
        ),
        ("dataUri", json!(["Hello"]), json!("data:text/plain;charset=utf8;base64,SGVsbG8=")),
        ("dataUriToString", json!(["data:;base64,SGVsbG8sIFdvcmxkIQ=="]), json!("Hello, World!")),
        ("dataUriToString", json!(["data:text/plain,a%20b"]), json!("a b")),
        (
            "uri",
            json!(["http://contoso.org/firstpath", "myscript.sh"]),
            json!("http://contoso.org/myscript.sh"),
        ),
        (
            "uri",
            json!(["http://contoso.org/firstpath/", "myscript.sh"]),
            json!("http://contoso.org/firstpath/myscript.sh"),
        ),
        (
            "uri",
            json!(["http://contoso.org/firstpath/azuredeploy.json", "myscript.sh"]),
            json!("http://contoso.org/firstpath/myscript.sh"),
        ),
        (
            "uri",
            json!(["http://contoso.org/firstpath/azuredeploy.json/", "myscript.sh"]),
            json!("http://contoso.org/firstpath/azuredeploy.json/myscript.sh"),
        ),
        (
            "uriComponent",
            json!(["http://contoso.com/resources/nested/azuredeploy.json"]),
            json!("http%3A%2F%2Fcontoso.com%2Fresources%2Fnested%2Fazuredeploy.json"),
        ),
        (
            "uriComponentToString",
            json!(["http%3A%2F%2Fcontoso.com%2Fé"]),
            json!("http://contoso.com/é"),
        ),
        (
            "parseUri",
            json!([place]),
            json!({
                "scheme": "https", "host": "mystorage.example", "port": 8080,
                "path": "/templates/nested.json", "query": "?st=2025-05-09",
            }),
        ),
        (
            "parseUri",
            json!(["http://[::1]"]),
            json!({
                "scheme": "http", "host": "[::1]", "port": null, "path": "/", "query": "",
            }),
        ),
        (
            "buildUri",
            json!([{
                "scheme": "https", "host": "mystorage.example", "port": 8080,
                "path": "templates/nested.json", "query": "st=2025-05-09",
            }]),
            json!(place),
        ),
        ("buildUri", json!([{"scheme": "https", "host": "a", "port": null}]), json!("https://a/")),
    ]);
}

#[test]
fn addresses() {
    same(&[
        (
            "parseCidr",
            json!(["10.144.0.0/20"]),
            json!({
                "network": "10.144.0.0", "netmask": "255.255.240.0", "broadcast": "10.144.15.255",
                "firstUsable": "10.144.0.1", "lastUsable": "10.144.15.254", "cidr": 20,
            }),
        ),
        (
            "parseCidr",
            json!(["fdad:3236:5555::/48"]),
            json!({
                "network": "fdad:3236:5555::", "netmask": "ffff:ffff:ffff::",
                "firstUsable": "fdad:3236:5555::",
                "lastUsable": "fdad:3236:5555:ffff:ffff:ffff:ffff:ffff", "cidr": 48,
            }),
        ),
        ("cidrSubnet", json!(["10.144.0.0/20", 24, 0]), json!("10.144.0.0/24")),
        ("cidrSubnet", json!(["10.144.0.0/20", 24, 4]), json!("10.144.4.0/24")),
        ("cidrSubnet", json!(["10.144.9.9/20", 20, 0]), json!("10.144.0.0/20")),
        ("cidrSubnet", json!(["fdad:3236:5555::/48", 52, 4]), json!("fdad:3236:5555:4000::/52")),
        ("cidrHost", json!(["10.144.3.0/24", 0]), json!("10.144.3.1")),
        ("cidrHost", json!(["10.144.3.0/24", 253]), json!("10.144.3.254")),
        ("cidrHost", json!(["fdad:3236:5555:3000::/52", 4]), json!("fdad:3236:5555:3000::5")),
    ]);
}

#[test]
fn dates() {
    same(&[
        ("utcNow", json!([]), json!("20190305T175318Z")),
        ("utcNow", json!(["d"]), json!("03/05/2019")),
        ("utcNow", json!(["M d"]), json!("3 5")),
        ("utcNow", json!(["u"]), json!("2019-03-05 17:53:18Z")),
        ("utcNow", json!(["yyyy-MM-ddTHH:mm:ss.fff"]), json!("2019-03-05T17:53:18.500")),
        ("dateTimeAdd", json!(["2023-01-31 00:00:00Z", "P1M"]), json!("2023-03-02T00:00:00Z")),
        ("dateTimeAdd", json!(["2024-01-31 00:00:00Z", "P1M"]), json!("2024-03-01T00:00:00Z")),
        ("dateTimeAdd", json!(["2020-04-07 14:53:14Z", "P3Y", "u"]), json!("2023-04-07 14:53:14Z")),
        (
            "dateTimeAdd",
            json!(["2020-04-07 14:53:14Z", "-P9D", "u"]),
            json!("2020-03-29 14:53:14Z"),
        ),
        ("dateTimeAdd", json!(["20200407T145314Z", "PT1H"]), json!("2020-04-07T15:53:14Z")),
        ("dateTimeFromEpoch", json!([1_683_040_573]), json!("2023-05-02T15:16:13Z")),
        ("dateTimeFromEpoch", json!([-1]), json!("1969-12-31T23:59:59Z")),
        ("dateTimeToEpoch", json!(["2023-05-02T15:16:13Z"]), json!(1_683_040_573)),
    ]);
}

#[test]
fn files() {
    same(&[
        ("loadTextContent", json!(["a.txt"]), json!("grüße\r\n")),
        ("loadTextContent", json!(["latin.txt", "iso-8859-1"]), json!("grüße")),
        ("loadTextContent", json!(["wide.txt", "utf-16"]), json!("aü")),
        ("loadTextContent", json!(["big.txt", "utf-16BE"]), json!("aü")),
        ("loadFileAsBase64", json!(["latin.txt"]), json!("Z3L832U=")),
        ("loadJsonContent", json!(["a.json", "$.a[0]"]), json!(1)),
        ("loadJsonContent", json!(["a.json", "['b c']"]), json!({"d": null})),
        ("loadYamlContent", json!(["a.json", ".a[0]"]), json!(1)),
    ]);
    let exact = call("loadJsonContent", [Value::string("a.json"), Value::string(".a")]).unwrap();
    assert_eq!(call("string", [exact]).unwrap(), Value::string("[1,2.50]"));
}

#[test]
fn places() {
    same(&[
        (
            "resourceGroup",
            json!([]),
            json!({
                "id": "/planes/radius/local/resourceGroups/shop", "name": "shop",
                "type": "Microsoft.Resources/resourceGroups", "location": "eu-west-1",
                "tags": {"team": "blue"}, "properties": {"provisioningState": "Succeeded"},
            }),
        ),
        (
            "deployment",
            json!([]),
            json!({
                "name": "app", "location": "eu-west-1",
                "properties": {"mode": "Incremental", "template": {"contentVersion": "1.0.0.0"}},
            }),
        ),
        ("newGuid", json!([]), json!("b76a51fc-bd72-4a77-b9a2-3c29e7d2e551")),
        ("aws.accountId", json!([]), json!("123456789012")),
        ("aws.region", json!([]), json!("eu-west-1")),
        ("aws.partition", json!([]), json!("aws")),
        ("aws.availabilityZones", json!([]), json!(["eu-west-1a", "eu-west-1b", "eu-west-1c"])),
        ("aws.availabilityZones", json!([2]), json!(["eu-west-1a", "eu-west-1b"])),
        ("aws.arn", json!(["sqs", "jobs"]), json!("arn:aws:sqs:eu-west-1:123456789012:jobs")),
        ("aws.arn", json!(["s3", "logs", "", ""]), json!("arn:aws:s3:::logs")),
        ("aws.arn", json!(["iam", "role/x", ""]), json!("arn:aws:iam::123456789012:role/x")),
        (
            "aws.arn",
            json!(["sqs", "jobs", "cn-north-1", "1"]),
            json!("arn:aws-cn:sqs:cn-north-1:1:jobs"),
        ),
    ]);
    for (region, partition) in
        [("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov"), ("us-east-1", "aws")]
    {
        let mut context = context();
        context.inputs.region = Some(region.parse().unwrap());
        let found = call_in(&context, "aws.partition", []).unwrap();
        assert_eq!(found, Value::string(partition));
        let arguments = ["s3", "b", "", ""].map(Value::string);
        let arn = call_in(&context, "aws.arn", arguments).unwrap();
        assert_eq!(arn, Value::string(format!("arn:{partition}:s3:::b")));
    }
}
