//! One cause is reported once, with the number of its places and the first of them; programs get every place.

use std::fmt::Write as _;
use std::process::Output;

use serde_json::{Map, Value, json};

use super::rig::Rig;

/// A manifest with a reference in each line.
fn manifest(name: &str, references: impl Iterator<Item = String>) -> String {
    let mut text = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata:\n");
    for (at, reference) in references.enumerate() {
        let _ = writeln!(text, "  k{at}: {reference}");
    }
    text
}

fn resolve(rig: &Rig, references: impl Iterator<Item = String>, flags: &[&str]) -> Output {
    rig.write("many.yaml", manifest("many", references));
    rig.run(&[&["resolve", "-f", "many.yaml"], flags].concat())
}

/// What is said of references that all fail for one cause; it is one block.
fn told_once(rig: &Rig, references: impl Iterator<Item = String>, flags: &[&str]) -> String {
    let output = resolve(rig, references, flags);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{said}");
    assert_eq!(said.matches("error[").count(), 1, "{said}");
    assert!(said.lines().count() < 20, "{said}");
    said
}

#[test]
fn a_missing_stack_is_reported_once_for_all_references_of_all_manifests() {
    let rig = Rig::new();
    let references =
        |from: usize| (from..from + 50).map(|at| format!("${{cfn:Nowhere/R{at}#Arn}}"));
    rig.write("in/a.yaml", manifest("a", references(0)));
    rig.write("in/b.yaml", manifest("b", references(50)));
    let output = rig.resolve(&["-f", "in"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.matches("error[REF0002]").count(), 1, "{said}");
    for part in [
        "stack `Nowhere` does not exist in account 000000000000",
        "(100 places)",
        "ConfigMap a, /data/k0 (in/a.yaml:5:7)",
        "ConfigMap a, /data/k4 (in/a.yaml:9:7)",
        "95 more places; `-o json` lists all of them",
    ] {
        assert!(said.contains(part), "no `{part}` in:\n{said}");
    }
    assert!(said.lines().count() < 20, "{said}");
    let output = rig.resolve(&["-f", "in", "-o", "json"]);
    let told: Value = serde_json::from_slice(&output.stderr).unwrap();
    let details = told["error"]["details"].as_array().unwrap();
    let files = |name: &str| details.iter().filter(|it| it["file"] == name).count();
    assert_eq!((details.len(), files("in/a.yaml"), files("in/b.yaml")), (100, 50, 50));
    assert_eq!(details[99]["pointer"], "/data/k49");
}

#[test]
fn names_that_a_stack_lacks_are_reported_once_for_the_stack() {
    let rig = Rig::new();
    let template = json!({"Resources": {"Bucket": {"Type": "AWS::S3::Bucket"}}});
    rig.deploy(&[("Shop", &template), ("Other", &template)]);
    let names = ["Buckte", "New1", "Buckte", "New2#Arn", "Buckte#Arn"];
    let references = |stack: &'static str| {
        names.iter().map(move |name| format!("${{cfn:{stack}/{name}}}")).cycle().take(50)
    };
    let said = told_once(&rig, references("Shop"), &["--aws", rig.url()]);
    for part in [
        "error[REF0005]: stack `Shop` does not have outputs, resources or parameters of these names (50 places)",
        "at: `Buckte`, did you mean `Bucket`? (30 places): ConfigMap many, /data/k0 (many.yaml:5:7)",
        "at: `New1` (10 places): ConfigMap many, /data/k1 (many.yaml:6:7)",
        "at: `New2` (10 places): ConfigMap many, /data/k3 (many.yaml:8:7)",
        "hint: Are you sure you deployed the CDK stack in its current version?",
    ] {
        assert!(said.contains(part), "no `{part}` in:\n{said}");
    }
    // One name has the message that it has alone.
    let one = (0..3).map(|_| "${cfn:Shop/Buckte}".to_owned());
    let said = told_once(&rig, one, &["--aws", rig.url()]);
    let message = "stack `Shop` has no output, resource or parameter `Buckte` (3 places)";
    assert!(said.contains(message) && said.contains("hint: did you mean `Bucket`?"), "{said}");
    // Each stack is a cause of its own.
    let both = references("Shop").chain(references("Other"));
    let output = resolve(&rig, both, &["--aws", rig.url()]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.matches("error[REF0005]").count(), 2, "{said}");
}

#[test]
fn a_denied_action_is_reported_once_for_all_resources() {
    let rig = Rig::new();
    let bucket = |at| (format!("Bucket{at}"), json!({"Type": "AWS::S3::Bucket"}));
    let resources: Map<String, Value> = (0..10).map(bucket).collect();
    rig.deploy(&[("Shop", &json!({"Resources": resources}))]);
    rig.fault(&json!({
        "operation": "GetResource", "times": 1000, "effect": "exception",
        "exception": "AccessDeniedException", "message": "User is not authorized",
    }));
    let references = (0..10).map(|at| format!("${{cfn:Shop/Bucket{at}#Arn}}"));
    let said = told_once(&rig, references, &["--aws", rig.url()]);
    assert!(
        said.contains("error[REF0009]: not allowed to call cloudformation:GetResource"),
        "{said}"
    );
    assert!(said.contains("(10 places)") && said.contains("--policy"), "{said}");
}

#[test]
fn an_endpoint_that_is_down_and_a_state_that_is_missing_are_reported_once() {
    let rig = Rig::new();
    let stacks = (0..6).map(|at| format!("${{cfn:Stack{at}/Out}}"));
    let said = told_once(&rig, stacks, &["--aws", "http://127.0.0.1:1"]);
    assert!(
        said.contains("error[REF0010]: cannot call AWS: ConnectFailed: cannot reach"),
        "{said}"
    );
    let states = (0..6).map(|at| format!("${{tf:infra/output.o{at}}}"));
    let said = told_once(&rig, states, &[]);
    assert!(said.contains("error[REF0018]: state `infra` does not exist"), "{said}");
}

#[test]
fn different_causes_are_reported_each() {
    let rig = Rig::new();
    let references = ["One", "Two", "One"].map(|stack| format!("${{cfn:{stack}/Out}}"));
    let output = resolve(&rig, references.into_iter(), &["--aws", rig.url()]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.matches("error[REF0002]").count(), 2, "{said}");
    assert!(said.contains("error[REF0002]: ConfigMap many, /data/k1: `${cfn:Two/Out}`"), "{said}");
}

#[test]
fn a_missing_stack_is_told_with_the_account_and_region_that_were_asked_and_what_named_them() {
    let rig = Rig::new();
    rig.write("many.yaml", manifest("many", ["${cfn:Nowhere/Out}".to_owned()].into_iter()));
    let said = |variables: &[(&str, &str)]| {
        let mut command = rig.command(&["resolve", "-f", "many.yaml", "--aws", rig.url()]);
        command.env_remove("AWS_ACCESS_KEY_ID").envs(variables.iter().copied());
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    let key = [("AWS_ACCESS_KEY_ID", "123456789012"), ("AWS_SECRET_ACCESS_KEY", "simulator")];
    let both = said(&[key[0], key[1], ("AWS_DEFAULT_REGION", "eu-west-1")]);
    let expected = "stack `Nowhere` does not exist in account 123456789012 (AWS_ACCESS_KEY_ID), region eu-west-1 \
                    (AWS_DEFAULT_REGION)";
    assert!(both.contains(expected), "{both}");
    let neither = said(&[]);
    let expected =
        "in account 000000000000 (the default without credentials), region us-east-1 (the default";
    assert!(neither.contains(expected), "{neither}");
}
