//! How often AWS is asked: once for a stack, its resources and each resource, whatever the manifests repeat.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::rig::Rig;

const STACKS: usize = 10;

/// Asserts that just these calls were made.
fn assert_calls(rig: &Rig, expected: &[(&str, usize)]) {
    let expected: BTreeMap<String, u64> =
        expected.iter().map(|(name, count)| ((*name).to_owned(), *count as u64)).collect();
    assert_eq!(rig.calls(), expected);
}

fn deploy_each(rig: &Rig, template: &Value) {
    let names: Vec<String> = (0..STACKS).map(|at| format!("stack{at}")).collect();
    let all: Vec<(&str, &Value)> = names.iter().map(|name| (name.as_str(), template)).collect();
    rig.deploy(&all);
    rig.forget_calls();
}

fn resources(each: impl Iterator<Item = (String, Value)>) -> Value {
    json!({"Resources": each.collect::<Map<_, _>>()})
}

/// A manifest with a reference in each line.
fn manifest(references: &[String]) -> String {
    let lines = references.iter().enumerate().map(|(at, it)| format!("  k{at}: \"{it}\"\n"));
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: many\ndata:\n{}",
        lines.collect::<String>()
    )
}

#[test]
fn a_hundred_values_of_ten_stacks_cost_two_calls_a_stack_and_one_a_resource() {
    let rig = Rig::new();
    let bucket = |at| (format!("Bucket{at}"), json!({"Type": "AWS::S3::Bucket"}));
    deploy_each(&rig, &resources((0..5).map(bucket)));
    let mut references = Vec::new();
    for stack in 0..STACKS {
        for bucket in 0..5 {
            for attribute in ["Arn", "DomainName"] {
                references.push(format!("${{cfn:stack{stack}/Bucket{bucket}#{attribute}}}"));
            }
        }
    }
    assert_eq!(references.len(), 100);
    let text = rig.resolved(&manifest(&references), &[]);
    assert_eq!(text.matches("arn:aws:s3:::stack").count(), 50, "{text}");
    let calls =
        [("DescribeStacks", STACKS), ("ListStackResources", STACKS), ("GetResource", 5 * STACKS)];
    assert_calls(&rig, &calls);
    println!("counted: 100 values of 10 stacks, 50 resources: {:?}", rig.calls());
}

#[test]
fn a_composite_identifier_costs_one_call_more_a_stack() {
    let rig = Rig::new();
    let api = (
        "Api".to_owned(),
        json!({"Type": "AWS::ApiGateway::RestApi", "Properties": {"Name": "api"}}),
    );
    let stage = |at| {
        let properties =
            json!({"RestApiId": {"Ref": "Api"}, "StageName": format!("v{at}"), "Description": "d"});
        (format!("Stage{at}"), json!({"Type": "AWS::ApiGateway::Stage", "Properties": properties}))
    };
    deploy_each(&rig, &resources((0..5).map(stage).chain([api])));
    let mut references = Vec::new();
    for stack in 0..STACKS {
        for stage in 0..5 {
            for attribute in ["StageName", "Description"] {
                references.push(format!("${{cfn:stack{stack}/Stage{stage}#{attribute}}}"));
            }
        }
    }
    rig.resolved(&manifest(&references), &[]);
    let calls = [
        ("DescribeStacks", STACKS),
        ("ListStackResources", STACKS),
        ("GetTemplate", STACKS),
        ("GetResource", 5 * STACKS),
    ];
    assert_calls(&rig, &calls);
    println!("counted: 100 values of 10 stacks, 50 composite resources: {:?}", rig.calls());
}

#[test]
fn outputs_and_refs_read_no_resource() {
    let rig = Rig::new();
    let mut template =
        resources([("Bucket".to_owned(), json!({"Type": "AWS::S3::Bucket"}))].into_iter());
    template["Outputs"] = json!({"Name": {"Value": {"Ref": "Bucket"}}});
    deploy_each(&rig, &template);
    let outputs: Vec<String> = (0..STACKS).map(|at| format!("${{cfn:stack{at}/Name}}")).collect();
    rig.resolved(&manifest(&outputs), &[]);
    assert_calls(&rig, &[("DescribeStacks", STACKS)]);
    rig.forget_calls();
    let refs: Vec<String> = (0..STACKS).map(|at| format!("${{cfn:stack{at}/Bucket}}")).collect();
    rig.resolved(&manifest(&refs), &[]);
    assert_calls(&rig, &[("DescribeStacks", STACKS), ("ListStackResources", STACKS)]);
}

#[test]
fn ten_uses_of_one_value_cost_as_much_as_one() {
    let rig = Rig::new();
    let bucket = ("Bucket".to_owned(), json!({"Type": "AWS::S3::Bucket"}));
    rig.deploy(&[("one", &resources([bucket].into_iter()))]);
    rig.forget_calls();
    let same = vec!["${cfn:one/Bucket#Arn}".to_owned(); 10];
    rig.resolved(&manifest(&same), &[]);
    assert_calls(&rig, &[("DescribeStacks", 1), ("ListStackResources", 1), ("GetResource", 1)]);
}

#[test]
fn a_declared_output_saves_the_read_of_its_resource() {
    let rig = Rig::new();
    let queue = |at| (format!("Queue{at}"), json!({"Type": "AWS::SQS::Queue"}));
    let mut template = resources((0..20).map(queue));
    let attributes = ["Arn", "QueueName", "QueueUrl"];
    let each = || (0..20).flat_map(|at| attributes.map(|attribute| (at, attribute)));
    let output = |(at, attribute): (usize, &str)| {
        let value = json!({"Fn::GetAtt": [format!("Queue{at}"), attribute]});
        (format!("O{at}{attribute}"), json!({"Value": value}))
    };
    template["Outputs"] = each().map(output).collect::<Map<_, _>>().into();
    rig.deploy(&[("Shop", &template)]);
    rig.forget_calls();
    let references: Vec<String> =
        each().map(|(at, attribute)| format!("${{cfn:Shop/Queue{at}#{attribute}}}")).collect();
    let text = rig.resolved(&manifest(&references), &[]);
    assert_eq!(text.matches("arn:aws:sqs:us-east-1:000000000000:Shop-Queue").count(), 20, "{text}");
    assert_calls(&rig, &[("DescribeStacks", 1), ("ListStackResources", 1), ("GetTemplate", 1)]);
}

#[test]
fn a_rate_limit_is_waited_for_until_all_values_are_there() {
    let rig = Rig::new();
    let bucket = |at| (format!("Bucket{at}"), json!({"Type": "AWS::S3::Bucket"}));
    rig.deploy(&[("Shop", &resources((0..10).map(bucket)))]);
    rig.control("POST", "settings", &json!({"rate": 2}));
    let references: Vec<String> =
        (0..10).map(|at| format!("${{cfn:Shop/Bucket{at}#Arn}}")).collect();
    let text = rig.resolved(&manifest(&references), &[]);
    assert_eq!(text.matches("arn:aws:s3:::shop-bucket").count(), 10, "{text}");
}
