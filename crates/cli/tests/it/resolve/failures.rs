//! What cannot be resolved: exit 1, nothing printed, nothing written, and a message that says where and what to do.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::rig::Rig;

/// The question that most who meet a missing stack need.
const QUESTION: &str = "Are you sure you deployed the CDK stack";

fn storage() -> Value {
    json!({
        "Parameters": {"Password": {"Type": "String", "NoEcho": true, "Default": "hunter2"}},
        "Resources": {"Bucket83908E77": {"Type": "AWS::S3::Bucket"}},
        "Outputs": {"BucketName": {"Value": {"Ref": "Bucket83908E77"}}},
    })
}

fn rig() -> Rig {
    let rig = Rig::new();
    rig.deploy(&[("Storage", &storage())]);
    rig
}

fn manifest(reference: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: shop\nspec:\n  template:\n    \
         spec:\n      containers:\n      - name: web\n        env:\n        - name: BUCKET\n          value: {reference}\n"
    )
}

/// All files of a folder with their bytes.
fn content(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(dir).unwrap().map(Result::unwrap);
    entries
        .map(|it| (it.file_name().into_string().unwrap(), std::fs::read(it.path()).unwrap()))
        .collect()
}

/// What is said of a manifest with this reference, in whichever way it is to be resolved. Nothing changes.
fn fails(rig: &Rig, code: &str, reference: &str, arguments: &[&str]) -> String {
    rig.write("out/manifest.yaml", "as it was\n");
    rig.write("out/other.yaml", "other\n");
    let before = content(&rig.path().join("out"));
    let said = rig.refused(&manifest(reference), arguments);
    rig.refused(&manifest(reference), &[arguments, &["--out", "out", "--lock", "l.json"]].concat());
    assert_eq!(content(&rig.path().join("out")), before);
    assert!(!rig.path().join("l.json").exists());
    assert!(said.contains(&format!("error[{code}]")), "{said}");
    assert!(said.contains("web") && said.contains("Deployment"), "{said}");
    assert!(said.contains("/spec/template/spec/containers/0/env/0/value"), "{said}");
    assert!(said.contains("hint: "), "{said}");
    said
}

fn assert_says(said: &str, all: &[&str]) {
    for it in all {
        assert!(said.contains(it), "no `{it}` in:\n{said}");
    }
}

#[test]
fn a_missing_stack_is_refused_with_the_question() {
    let said = fails(&rig(), "REF0002", "${cfn:Nowhere/Bucket83908E77#Arn}", &[]);
    assert_says(&said, &["stack `Nowhere` does not exist", QUESTION]);
}

#[test]
fn a_missing_output_or_resource_is_refused_with_what_is_near() {
    let rig = rig();
    let said = fails(&rig, "REF0005", "${cfn:Storage/BuckeName}", &[]);
    assert_says(&said, &["stack `Storage`", "`BuckeName`", "did you mean `BucketName`?"]);
    let said = fails(&rig, "REF0005", "${cfn:Storage/Queue#Arn}", &[]);
    assert_says(&said, &["stack `Storage`", "`Queue`", QUESTION]);
}

#[test]
fn a_missing_attribute_is_refused_with_what_is_near() {
    let said = fails(&rig(), "REF0006", "${cfn:Storage/Bucket83908E77#Arnn}", &[]);
    assert_says(&said, &["AWS::S3::Bucket", "stack `Storage`", "did you mean `Arn`?"]);
}

#[test]
fn a_caller_who_may_not_ask_learns_the_permission() {
    let rig = rig();
    let denied = |operation: &str| {
        rig.fault(&json!({
            "operation": operation, "times": 1000, "effect": "exception",
            "exception": "AccessDeniedException", "message": "User is not authorized",
        }));
    };
    denied("GetResource");
    let said = fails(&rig, "REF0009", "${cfn:Storage/Bucket83908E77#Arn}", &[]);
    assert_says(&said, &["AWS::S3::Bucket", "not authorized", "cloudformation:GetResource"]);
    denied("DescribeStacks");
    let said = fails(&rig, "REF0009", "${cfn:Storage/BucketName}", &[]);
    assert_says(&said, &["stack `Storage`", "not authorized", "cloudformation:DescribeStacks"]);
}

#[test]
fn a_caller_who_was_turned_away_asks_again() {
    let rig = rig();
    for operation in ["DescribeStacks", "ListStackResources", "GetResource"] {
        rig.fault(&json!({
            "operation": operation, "times": 1, "effect": "exception", "exception": "ThrottlingException",
        }));
    }
    rig.forget_calls();
    let text = rig.resolved(&manifest("${cfn:Storage/Bucket83908E77#Arn}"), &[]);
    assert!(text.contains("value: arn:aws:s3:::storage-bucket83908e77-"), "{text}");
    let calls = rig.calls();
    assert_eq!((calls["DescribeStacks"], calls["GetResource"]), (2, 2), "{calls:?}");
}

#[test]
fn a_stack_that_is_being_made_is_refused_and_waited_for_when_told() {
    let rig = Rig::with(&["--latency", "1h..1h"]);
    rig.begin_stack("Slow", &storage());
    let said = fails(&rig, "REF0003", "${cfn:Slow/BucketName}", &[]);
    assert_says(&said, &["stack `Slow`", "CREATE_IN_PROGRESS", "--wait"]);
    // Waiting ends, too.
    let said = fails(&rig, "REF0003", "${cfn:Slow/BucketName}", &["--wait", "1s"]);
    assert_says(&said, &["stack `Slow`"]);
    rig.control("POST", "settings", &json!({"latency": "700ms..700ms"}));
    rig.begin_stack("Soon", &storage());
    let text = rig.resolved(&manifest("${cfn:Soon/BucketName}"), &["--wait", "60s"]);
    assert!(text.contains("value: soon-bucket83908e77-"), "{text}");
}

/// A template of which one resource cannot be made.
fn broken() -> Value {
    let mut template = storage();
    template["Resources"]["Table"] =
        json!({"Type": "AWS::DynamoDB::Table", "Properties": {"NoSuch": 1}});
    template
}

#[test]
fn a_stack_that_was_rolled_back_is_refused() {
    let rig = rig();
    assert!(!rig.try_deploy(&[("Broken", &broken())], &[]).status.success());
    let said = fails(&rig, "REF0004", "${cfn:Broken/BucketName}", &[]);
    assert_says(&said, &["stack `Broken`", "ROLLBACK_COMPLETE", "deploy it"]);
    assert!(!rig.try_deploy(&[("Storage", &broken())], &[]).status.success());
    let said = fails(&rig, "REF0004", "${cfn:Storage/BucketName}", &[]);
    assert_says(&said, &["stack `Storage`", "UPDATE_ROLLBACK_COMPLETE", "--allow-rolled-back"]);
    let text = rig.resolved(&manifest("${cfn:Storage/BucketName}"), &["--allow-rolled-back"]);
    assert!(text.contains("value: storage-bucket83908e77-"), "{text}");
}

#[test]
fn a_parameter_that_is_hidden_is_refused() {
    let said = fails(&rig(), "REF0012", "${cfn:Storage/Password}", &[]);
    assert_says(&said, &["parameter `Password` of stack `Storage`", "NoEcho"]);
    assert!(!said.contains("hunter2") && !said.contains("****"), "{said}");
}

#[test]
fn an_aws_that_cannot_be_reached_is_refused() {
    let rig = rig();
    rig.write("manifest.yaml", manifest("${cfn:Storage/BucketName}"));
    let nobody = ["resolve", "-f", "manifest.yaml", "--aws", "http://127.0.0.1:1", "--out", "out"];
    let output = rig.run(&nobody);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{said}");
    assert!(!rig.path().join("out").exists());
    assert_says(
        &said,
        &[
            "error[REF0010]",
            "stack `Storage`",
            "check that AWS is reachable from this machine",
            "--aws",
        ],
    );
}

#[test]
fn one_reference_that_fails_keeps_all_manifests_from_being_written() {
    let rig = rig();
    rig.write("in/good.yaml", manifest("${cfn:Storage/BucketName}"));
    rig.write("in/wrong.yaml", manifest("${cfn:Nowhere/BucketName}"));
    let output = rig.resolve(&["-f", "in", "--out", "out"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(!rig.path().join("out").exists());
    let output = rig.resolve(&["-f", "in/good.yaml", "--out", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(content(&rig.path().join("out")).len(), 1);
}
