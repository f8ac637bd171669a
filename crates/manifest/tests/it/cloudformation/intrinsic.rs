//! What expressions come to.

use hangar_manifest::cloudformation::intrinsic::{
    Fault, IntrinsicError, Lookup, Problem, Reference, StackOutput, evaluate, evaluate_condition,
    print, references,
};
use serde_json::{Value, json};

/// A small stack: one bucket, two parameters, one map.
struct Stack;

impl Lookup for Stack {
    type Stop = String;

    fn reference(&mut self, name: &str) -> Result<Value, String> {
        match name {
            "AWS::Region" => Ok(json!("eu-west-1")),
            "Bucket" => Ok(json!("storage-bucket")),
            "Count" => Ok(json!(3)),
            "Subnets" => Ok(json!(["a", "b"])),
            _ => Err(format!("no {name}")),
        }
    }

    fn attribute(&mut self, logical_id: &str, attribute: &str) -> Result<Value, String> {
        Ok(json!(format!("{logical_id}/{attribute}")))
    }

    fn import_value(&mut self, name: &str) -> Result<Value, String> {
        Ok(json!(format!("import of {name}")))
    }

    fn stack_output(&mut self, ask: &StackOutput) -> Result<Value, String> {
        let region = ask.region.as_deref().unwrap_or("here");
        Ok(json!(format!("{}.{} {region}", ask.stack_name, ask.output_name)))
    }

    fn availability_zones(&mut self, region: &str) -> Result<Value, String> {
        Ok(json!([format!("{region}a"), format!("{region}b")]))
    }

    fn mapping(&mut self, map: &str, top: &str, second: &str) -> Result<Option<Value>, String> {
        Ok((map == "Map" && top == "eu-west-1" && second == "ami").then(|| json!("ami-1")))
    }

    fn condition(&mut self, name: &str) -> Result<bool, String> {
        match name {
            "Yes" => Ok(true),
            "No" => Ok(false),
            _ => Err(format!("no condition {name}")),
        }
    }

    fn extension(&mut self, name: &str, argument: &Value) -> Result<Option<Value>, String> {
        Ok((name == "$ref").then(|| json!(format!("extension {argument}"))))
    }
}

fn value(expression: &Value) -> Value {
    evaluate(expression, &mut Stack).unwrap().unwrap()
}

fn wrong(expression: &Value) -> IntrinsicError {
    match evaluate(expression, &mut Stack) {
        Err(Fault::Wrong(error)) => error,
        other => panic!("{expression}: {other:?}"),
    }
}

#[test]
fn every_function_gives_its_value() {
    for (expression, expected) in [
        (json!({"Ref": "Bucket"}), json!("storage-bucket")),
        (json!({"Fn::GetAtt": "Bucket.Endpoint.Address"}), json!("Bucket/Endpoint.Address")),
        (json!({"Fn::GetAtt": ["Bucket", "Arn"]}), json!("Bucket/Arn")),
        (json!({"Fn::GetAtt": ["Bucket", {"Ref": "Count"}]}), json!("Bucket/3")),
        (json!({"Fn::Join": ["-", ["a", {"Ref": "Count"}, true]]}), json!("a-3-true")),
        (json!({"Fn::Join": [",", {"Ref": "Subnets"}]}), json!("a,b")),
        (json!({"Fn::Join": ["", ["a", {"Ref": "AWS::NoValue"}]]}), json!("a")),
        (
            json!({"Fn::Sub": "${Bucket}.${AWS::Region} ${Bucket.Arn} ${!Keep} ${"}),
            json!("storage-bucket.eu-west-1 Bucket/Arn ${Keep} ${"),
        ),
        (
            json!({"Fn::Sub": ["${a} ${Count}", {"a": {"Ref": "Bucket"}}]}),
            json!("storage-bucket 3"),
        ),
        (json!({"Fn::Select": [1, {"Ref": "Subnets"}]}), json!("b")),
        (json!({"Fn::Select": ["0", ["x", "y"]]}), json!("x")),
        (json!({"Fn::Split": ["-", "a-b--c"]}), json!(["a", "b", "", "c"])),
        (json!({"Fn::Select": [5, {"Fn::Split": [":", "a:b:c:d:e:f"]}]}), json!("f")),
        (json!({"Fn::ImportValue": {"Fn::Sub": "x-${Count}"}}), json!("import of x-3")),
        (json!({"Fn::GetStackOutput": {"StackName": "S", "OutputName": "O"}}), json!("S.O here")),
        (
            json!({"Fn::GetStackOutput": {
                "StackName": "S", "OutputName": "O", "Region": {"Ref": "AWS::Region"}
            }}),
            json!("S.O eu-west-1"),
        ),
        (json!({"Fn::FindInMap": ["Map", {"Ref": "AWS::Region"}, "ami"]}), json!("ami-1")),
        (json!({"Fn::FindInMap": ["Map", "x", "y", {"DefaultValue": 7}]}), json!(7)),
        (json!({"Fn::If": ["Yes", "a", {"Ref": "Missing"}]}), json!("a")),
        (json!({"a": {"Fn::If": ["No", 1, {"Ref": "AWS::NoValue"}]}, "b": 2}), json!({"b": 2})),
        (json!([1, {"Ref": "AWS::NoValue"}, 2]), json!([1, 2])),
        (json!({"Fn::Equals": [{"Ref": "Count"}, "3"]}), json!(true)),
        (
            json!({"Fn::And": [{"Condition": "Yes"}, {"Fn::Not": [{"Condition": "No"}]}]}),
            json!(true),
        ),
        (json!({"Fn::Or": [{"Condition": "No"}, {"Fn::Equals": ["a", "b"]}]}), json!(false)),
        (json!({"Fn::Base64": "any carnal pleas"}), json!("YW55IGNhcm5hbCBwbGVhcw==")),
        (json!({"Fn::Base64": "äb"}), json!("w6Ri")),
        (json!({"Fn::Cidr": ["10.0.0.0/16", "2", 8]}), json!(["10.0.0.0/24", "10.0.1.0/24"])),
        (json!({"Fn::GetAZs": ""}), json!(["eu-west-1a", "eu-west-1b"])),
        (json!({"Fn::GetAZs": {"Ref": "AWS::Region"}}), json!(["eu-west-1a", "eu-west-1b"])),
        (json!({"Fn::Length": [1, 2, {"Ref": "Count"}]}), json!(3)),
        (json!({"Fn::ToJsonString": {"a": {"Ref": "Count"}}}), json!("{\"a\":3}")),
        (json!({"$ref": {"x": 1}}), json!("extension {\"x\":1}")),
        (json!({"Condition": "Yes"}), json!({"Condition": "Yes"})),
        (json!({"Statement": {"a": [{"Ref": "Count"}]}}), json!({"Statement": {"a": [3]}})),
    ] {
        assert_eq!(value(&expression), expected, "{expression}");
    }
}

#[test]
fn numbers_keep_their_digits() {
    let expression: Value =
        serde_json::from_str(r#"{"Fn::Join": ["", [1.10, 12345678901234567890123]]}"#).unwrap();
    assert_eq!(value(&expression), json!("1.1012345678901234567890123"));
}

#[test]
fn nothing_is_left_of_no_value() {
    assert_eq!(evaluate(&json!({"Ref": "AWS::NoValue"}), &mut Stack), Ok(None));
}

#[test]
fn a_condition_may_name_another() {
    assert_eq!(evaluate_condition(&json!({"Condition": "Yes"}), &mut Stack), Ok(true));
    assert_eq!(
        evaluate_condition(&json!({"Fn::Not": [{"Condition": "Yes"}]}), &mut Stack),
        Ok(false)
    );
    assert!(evaluate_condition(&json!("perhaps"), &mut Stack).is_err());
}

#[test]
fn a_name_that_is_not_there_stops_with_the_callers_reason() {
    let expression = json!({"a": [{"Fn::Sub": "x ${Nowhere}"}]});
    assert_eq!(evaluate(&expression, &mut Stack), Err(Fault::Stop("no Nowhere".into())));
}

#[test]
fn what_is_wrong_is_told_with_its_function_and_place() {
    let error = wrong(&json!({"a/b": [0, {"Fn::Join": ["-", ["x", {"Fn::Select": [9, ["y"]]}]]}]}));
    assert_eq!(error.function, "Fn::Select");
    assert_eq!(error.pointer, "/a~1b/1/Fn::Join/1/1/Fn::Select");
    assert_eq!(
        error.to_string(),
        "Fn::Select at /a~1b/1/Fn::Join/1/1/Fn::Select: the list has no item 9; its length is 1"
    );
    for (expression, function) in [
        (json!({"Fn::Nothing": 1}), "Fn::Nothing"),
        (json!({"Fn::Transform": {"Name": "x"}}), "Fn::Transform"),
        (json!({"Fn::Contains": [["a"], "a"]}), "Fn::Contains"),
        (json!({"Fn::ForEach::Loop": []}), "Fn::ForEach::Loop"),
        (json!({"Ref": 1}), "Ref"),
        (json!({"Fn::GetAtt": "Bucket"}), "Fn::GetAtt"),
        (json!({"Fn::GetAtt": [1, "Arn"]}), "Fn::GetAtt"),
        (json!({"Fn::Join": ["", "text"]}), "Fn::Join"),
        (json!({"Fn::Join": ["", [["nested"]]]}), "Fn::Join"),
        (json!({"Fn::Join": [1, []]}), "Fn::Join"),
        (json!({"Fn::Sub": "${ Bucket}"}), "Fn::Sub"),
        (json!({"Fn::Sub": "${}"}), "Fn::Sub"),
        (json!({"Fn::Sub": "${Subnets}"}), "Fn::Sub"),
        (json!({"Fn::Sub": ["x", {}, 1]}), "Fn::Sub"),
        (json!({"Fn::Select": [-1, ["a"]]}), "Fn::Select"),
        (json!({"Fn::Split": ["", "a"]}), "Fn::Split"),
        (json!({"Fn::FindInMap": ["Map", "a", "b"]}), "Fn::FindInMap"),
        (json!({"Fn::GetStackOutput": {"StackName": "S"}}), "Fn::GetStackOutput"),
        (json!({"Fn::GetStackOutput": {"StackName": "S", "Other": 1}}), "Fn::GetStackOutput"),
        (json!({"Fn::Cidr": ["10.0.0.0/16", 300, 8]}), "Fn::Cidr"),
        (json!({"Fn::If": ["Yes", 1]}), "Fn::If"),
        (json!({"Fn::And": [{"Condition": "Yes"}]}), "Fn::And"),
        (json!({"Fn::Not": ["perhaps"]}), "Fn::Not"),
        (json!({"Fn::Length": "text"}), "Fn::Length"),
        (json!({"Fn::ToJsonString": "text"}), "Fn::ToJsonString"),
        (json!({"Fn::Join": ["", []], "beside": 1}), "Fn::Join"),
        (json!({"Fn::Base64": {"Ref": "AWS::NoValue"}}), "Fn::Base64"),
    ] {
        assert_eq!(wrong(&expression).function, function, "{expression}");
    }
}

#[test]
fn depth_and_size_are_bounded() {
    let mut deep = json!("x");
    for _ in 0..5_000 {
        deep = Value::Array(vec![deep]);
    }
    assert_eq!(wrong(&deep).problem, Problem::TooDeep);
    assert!(references(&deep).is_empty());
    assert!(print(&deep).chars().count() <= 240);
    // Dropping it by levels: the tree itself is deeper than a recursive drop may go on a small stack.
    while let Value::Array(mut items) = deep {
        deep = items.pop().unwrap();
    }

    // Every escape doubles the text.
    let mut long = json!(["\"\\"]);
    for _ in 0..40 {
        long = json!({"Fn::ToJsonString": [long]});
    }
    assert_eq!(wrong(&long).problem, Problem::TooLarge);

    let text = "y".repeat(1 << 20);
    let joined: Vec<Value> = (0..64).map(|_| json!({"Fn::Sub": ["${t}", {"t": text}]})).collect();
    assert_eq!(wrong(&json!(joined)).problem, Problem::TooLarge);
}

#[test]
fn names_are_found_wherever_they_stand() {
    let expression = json!({
        "a": {"Ref": "One"},
        "b": [{"Fn::GetAtt": ["Two", "Arn"]}, {"Fn::GetAtt": "Three.A.B"}],
        "c": {"Fn::Sub": ["${Four} ${Five.Arn} ${local} ${!Not} ${AWS::Region}", {
            "local": {"Fn::If": ["Yes", {"Ref": "Six"}, {"Ref": "AWS::NoValue"}]}
        }]},
        "d": {"Fn::GetAtt": ["Seven", {"Ref": "Eight"}]},
        "e": {"Fn::Join": ["", ["Ref", {"Fn::Sub": "${Nine}"}]]},
    });
    let found = references(&expression);
    let ids: Vec<&str> = found.iter().map(Reference::logical_id).collect();
    for name in ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"] {
        assert!(ids.contains(&name), "{name}");
    }
    assert_eq!(found.len(), 9, "{found:?}");
    assert!(found.contains(&Reference::Attribute {
        logical_id: "Three".into(),
        attribute: Some("A.B".into()),
    }));
    assert!(found.contains(&Reference::Attribute { logical_id: "Seven".into(), attribute: None }));
}

#[test]
fn expressions_print_on_one_short_line() {
    for (expression, printed) in [
        (json!({"Fn::GetAtt": ["Bucket83908E77", "Arn"]}), "Fn::GetAtt Bucket83908E77.Arn"),
        (json!({"Fn::GetAtt": ["B", {"Ref": "A"}]}), "Fn::GetAtt B.(Ref A)"),
        (json!({"Ref": "AWS::Region"}), "Ref AWS::Region"),
        (
            json!({"Fn::Join": ["-", ["pre", {"Ref": "X"}, "post"]]}),
            "Fn::Join \"-\" [pre, Ref X, post]",
        ),
        (json!({"Fn::Sub": "${A}\n"}), "Fn::Sub \"${A}\\n\""),
        (json!({"Fn::ImportValue": "x"}), "Fn::ImportValue x"),
        (json!({"a": 1, "b": [true, null]}), "{a: 1, b: [true, null]}"),
    ] {
        assert_eq!(print(&expression), printed);
    }
    let long = print(&json!({"Fn::Sub": "ä".repeat(10_000)}));
    assert_eq!(long.chars().count(), 240);
    assert!(long.ends_with('…'));
}
