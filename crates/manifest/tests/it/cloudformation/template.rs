//! Templates as a whole.

use hangar_manifest::cloudformation::template::{ParameterKind, Policy, Template};
use serde_json::{Value, json};

fn refused(tree: &Value) -> String {
    Template::read(tree).unwrap_err().to_string()
}

#[test]
fn every_section_is_read() {
    let template = Template::read(&json!({
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": "x",
        "Transform": "AWS::LanguageExtensions",
        "Metadata": {"a": 1},
        "Rules": {"CheckBootstrapVersion": {"Assertions": []}},
        "Parameters": {
            "Count": {"Type": "Number", "Default": 3, "AllowedValues": [3, "4"]},
            "Secret": {"Type": "String", "NoEcho": "true"},
            "Version": {"Type": "AWS::SSM::Parameter::Value<String>"},
            "Images": {"Type": "AWS::SSM::Parameter::Value<List<String>>"},
            "Subnets": {"Type": "List<AWS::EC2::Subnet::Id>"},
        },
        "Mappings": {"Map": {"eu": {"ami": "ami-1"}}},
        "Conditions": {"B": {"Fn::Not": [{"Condition": "C"}]}, "C": {"Fn::Equals": [1, 1]}},
        "Resources": {
            "Late": {
                "Type": "AWS::SNS::Topic", "DependsOn": "Middle", "Condition": "B",
                "DeletionPolicy": "Retain",
            },
            "Middle": {
                "Type": "AWS::SQS::Queue",
                "Properties": {"QueueName": {"Fn::Sub": "${Zero}-${Count}"}},
            },
            "Zero": {"Type": "AWS::S3::Bucket"},
        },
        "Outputs": {"Out": {"Value": {"Ref": "Zero"}, "Export": {"Name": "n"}}},
    }))
    .unwrap();
    assert_eq!(template.resource_order(|_| true).unwrap(), ["Zero", "Middle", "Late"]);
    assert_eq!(template.resource_order(|name| name != "Middle").unwrap(), ["Late", "Zero"]);
    assert_eq!(template.condition_order().unwrap(), ["C", "B"]);
    let kinds: Vec<(bool, bool)> = ["Count", "Version", "Images", "Subnets"]
        .map(|name| &template.parameters[name].kind)
        .map(|kind| (kind.is_ssm(), kind.is_list()))
        .into();
    assert_eq!(kinds, [(false, false), (true, false), (true, true), (false, true)]);
    assert_eq!(ParameterKind::parse("String"), ParameterKind::Single("String".into()));
    assert_eq!(template.parameters["Count"].default.as_deref(), Some("3"));
    assert_eq!(template.parameters["Count"].allowed_values, ["3", "4"]);
    assert!(template.parameters["Secret"].no_echo);
    assert_eq!(template.resources["Late"].deletion_policy, Policy::Retain);
    assert_eq!(template.mapping("Map", "eu", "ami"), Some(&json!("ami-1")));
    assert_eq!(template.outputs["Out"].export, Some(json!("n")));
}

#[test]
fn what_is_no_template_is_refused_with_the_reason() {
    let one = json!({"A": {"Type": "AWS::S3::Bucket"}});
    for (tree, words) in [
        (json!([]), "unsupported structure"),
        (json!({}), "At least one Resources member must be defined"),
        (json!({"Resources": {"A": {}}}), "must contain a Type member"),
        (json!({"Resources": {"a-b": {"Type": "x"}}}), "non alphanumeric"),
        (json!({"Resources": one, "Resource": {}}), "properties [Resource]"),
        (
            json!({"Resources": one, "Transform": "AWS::Serverless-2016-10-31"}),
            "AWS::Serverless-2016-10-31",
        ),
        (json!({"Resources": one, "Transform": {"Name": "AWS::Include"}}), "AWS::Include"),
        (json!({"Resources": one, "Outputs": {"O": {}}}), "must contain a Value"),
        (
            json!({"Resources": one, "Outputs": {"O": {"Value": {"Ref": "B"}}}}),
            "[B] in the Outputs block",
        ),
        (
            json!({"Resources": {"A": {"Type": "x", "DependsOn": "B"}}}),
            "[B] in the Resources block",
        ),
        (json!({"Resources": {"A": {"Type": "x", "Condition": "B"}}}), "condition B"),
        (
            json!({"Resources": {"A": {"Type": "x", "DeletionPolicy": "Keep"}}}),
            "DeletionPolicy Keep",
        ),
        (json!({"Resources": {"A": {"Type": "x", "Properties": []}}}), "[/Resources/A/Properties]"),
        (json!({"Resources": one, "Parameters": {"P": {}}}), "Type member"),
        (json!({"Resources": 1}), "[/Resources]"),
    ] {
        let message = refused(&tree);
        assert!(message.contains(words), "{tree}: {message}");
    }
}

#[test]
fn circles_are_refused_with_their_members() {
    let template = Template::read(&json!({
        "Conditions": {"C": {"Condition": "D"}, "D": {"Condition": "C"}},
        "Resources": {
            "A": {"Type": "x", "Properties": {"p": {"Fn::GetAtt": ["B", "Arn"]}}},
            "B": {"Type": "x", "DependsOn": ["A"]},
            "Free": {"Type": "x"},
        },
    }))
    .unwrap();
    let message = template.resource_order(|_| true).unwrap_err().to_string();
    assert_eq!(message, "Circular dependency between resources: [A, B]");
    assert!(template.condition_order().unwrap_err().to_string().contains("[C, D]"));
}
