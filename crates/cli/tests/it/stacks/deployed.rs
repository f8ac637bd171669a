//! Stacks in simulators: made, changed, failed, deleted.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{code, queue};
use crate::place::Place;
use crate::serving::Server;
use crate::simulator::Simulator;
use crate::{files, json_of, run};

fn importer() -> Value {
    json!({"Resources": {"Topic": {"Type": "AWS::SNS::Topic", "Properties": {
        "TopicName": {"Fn::ImportValue": "the-queue"}}}}})
}

#[test]
fn a_template_is_deployed_left_alone_and_changed() {
    let simulator = Simulator::start(&[]);
    let folder = files(&[("queue", &queue("q"))]);
    let file = folder.path().join("queue.json");
    let deploy = |more: &[&str]| {
        let path = file.to_str().unwrap();
        let arguments = ["simulator", "deploy", path, "--endpoint", simulator.url(), "-o", "json"];
        json_of(&[&arguments[..], more].concat())["stacks"][0].clone()
    };
    let made = deploy(&["--resources"]);
    assert_eq!((&made["name"], &made["status"]), (&json!("queue"), &json!("CREATE_COMPLETE")));
    assert_eq!((&made["change"], &made["outputs"]), (&json!("created"), &json!({"Name": "q"})));
    assert_eq!(made["resources"][0]["logicalId"], "Queue");
    let physical = made["resources"][0]["physicalId"].as_str().unwrap();
    assert!(physical.ends_with("/000000000000/q"), "{physical}");
    assert_eq!(deploy(&[])["change"], "unchanged");
    let changed = deploy(&["--parameter", "Delay=5"]);
    assert_eq!((&changed["change"], &changed["id"]), (&json!("updated"), &made["id"]));
    // Another name is another stack, and another region has stacks of its own.
    let other = deploy(&["--stack", "other", "--region", "eu-west-1", "--account", "42"]);
    assert_eq!((&other["name"], &other["account"]), (&json!("other"), &json!("000000000042")));
    let list = |more: &[&str]| {
        let stacks = ["simulator", "stacks", "--endpoint", simulator.url(), "-o", "json"];
        let all = json_of(&[&stacks[..], more].concat())["stacks"].clone();
        all.as_array().unwrap().iter().map(|it| it["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(list(&[]), ["queue"]);
    assert_eq!(list(&["--region", "eu-west-1", "--account", "42"]), ["other"]);
}

#[test]
fn a_template_in_yaml_is_read_with_its_short_forms() {
    let simulator = Simulator::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let text = "# A queue\nResources:\n  Queue:\n    Type: AWS::SQS::Queue\n    Properties:\n      \
                QueueName: !Sub ${AWS::StackName}-jobs\nOutputs:\n  Name: {Value: !GetAtt Queue.QueueName}\n";
    let file = folder.path().join("app.template.yaml");
    fs::write(&file, text).unwrap();
    let deploy = ["simulator", "deploy", file.to_str().unwrap(), "-o", "json"];
    let made = json_of(&[&deploy[..], &["--endpoint", simulator.url()]].concat());
    assert_eq!(made["stacks"][0]["name"], "app");
    assert_eq!(made["stacks"][0]["outputs"], json!({"Name": "app-jobs"}));
}

#[test]
fn a_template_that_is_too_long_for_a_call_goes_by_way_of_a_bucket() {
    let simulator = Simulator::start(&[]);
    let mut template = queue("q");
    template["Description"] = json!("long");
    template["Metadata"] = json!({"Filler": "x".repeat(60_000)});
    let folder = files(&[("long", &template)]);
    let file = folder.path().join("long.json");
    let deploy = ["simulator", "deploy", file.to_str().unwrap(), "-o", "json"];
    let made = json_of(&[&deploy[..], &["--endpoint", simulator.url()]].concat());
    assert_eq!(made["stacks"][0]["status"], "CREATE_COMPLETE");
}

#[test]
fn a_stack_that_fails_is_told_with_its_reason_and_the_next_try_begins_anew() {
    let simulator = Simulator::start(&[]);
    let folder = files(&[("queue", &queue("q")), ("importer", &importer())]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let at = ["--endpoint", simulator.url()];
    let importer = path("importer.json");
    let (code, message) = code(&[&["simulator", "deploy", &importer], &at[..]].concat());
    assert_eq!(code, "SIM0011");
    assert!(message.contains("importer") && message.contains("the-queue"), "{message}");
    let both = ["simulator", "deploy", &path("queue.json"), &importer, "-o", "json"];
    let made = json_of(&[&both[..], &at].concat());
    assert_eq!(made["stacks"].as_array().unwrap().len(), 2, "{made}");
}

#[test]
fn a_change_that_fails_is_told_and_what_was_there_stays() {
    let simulator = Simulator::start(&[]);
    let folder = files(&[("queue", &queue("q"))]);
    let file = folder.path().join("queue.json");
    let at = ["--endpoint", simulator.url(), "-o", "json"];
    let deploy = ["simulator", "deploy", file.to_str().unwrap()];
    json_of(&[&deploy[..], &at].concat());
    let mut wrong = queue("q");
    wrong["Resources"]["Other"] = json!({"Type": "AWS::SQS::Queue", "Properties": {
        "QueueName": "q", "DelaySeconds": 3}, "DependsOn": "Queue"});
    fs::write(&file, wrong.to_string()).unwrap();
    let (code, message) = code(&[&deploy[..], &at[..2]].concat());
    assert_eq!(code, "SIM0011");
    assert!(message.contains("UPDATE_ROLLBACK_COMPLETE") && message.contains("Other"), "{message}");
    let left = json_of(&[&["simulator", "stacks", "--resources"], &at[..]].concat());
    assert_eq!(left["stacks"][0]["status"], "UPDATE_ROLLBACK_COMPLETE");
    assert_eq!(left["stacks"][0]["outputs"], json!({"Name": "q"}));
    // It can be changed again.
    fs::write(&file, queue("q2").to_string()).unwrap();
    let made = json_of(&[&deploy[..], &at].concat());
    assert_eq!(made["stacks"][0]["outputs"], json!({"Name": "q2"}));
}

#[test]
fn stacks_are_deleted_after_those_that_use_their_exports() {
    let simulator = Simulator::start(&[]);
    let folder = files(&[("queue", &queue("q")), ("importer", &importer())]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let at = ["--endpoint", simulator.url(), "-o", "json"];
    let both = [path("queue.json"), path("importer.json")];
    json_of(&[&["simulator", "deploy", &both[0], &both[1]], &at[..]].concat());
    let told = run(&[&["simulator", "undeploy", "queue"], &at[..]].concat());
    assert_eq!(told.status.code(), Some(1));
    assert!(String::from_utf8(told.stderr).unwrap().contains("the-queue"));
    let gone = json_of(&[&["simulator", "undeploy", "queue", "importer"], &at[..]].concat());
    assert_eq!(gone["deleted"], json!(["importer", "queue"]));
    assert_eq!(json_of(&[&["simulator", "stacks"], &at[..]].concat()), json!({"stacks": []}));
    let told = code(&["simulator", "undeploy", "queue", "--endpoint", simulator.url()]);
    assert_eq!(told.0, "SIM0011");
    assert!(
        told.1.contains("stack `queue` does not exist in 000000000000/us-east-1"),
        "{}",
        told.1
    );
}

#[test]
fn the_simulator_of_a_directory_keeps_stacks_with_and_without_a_server() {
    let place = Place::new();
    fs::write(place.path().join("queue.json"), queue("q").to_string()).unwrap();
    let names = || {
        let all = place.json(&["simulator", "stacks", "--data-dir", ".hangar"])["stacks"].clone();
        all.as_array().unwrap().iter().map(|it| it["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(), Vec::<Value>::new());
    assert!(!place.dir().exists(), "a question left something behind");
    place.json(&["simulator", "deploy", "queue.json", "--data-dir", ".hangar"]);
    assert_eq!(names(), ["queue"]);
    let server = Server::start(&place, &[]);
    let more = ["simulator", "deploy", "queue.json", "--stack", "more", "--data-dir", ".hangar"];
    // A queue of that name is there; the stack says so.
    assert!(!place.run(&more).status.success());
    fs::write(place.path().join("queue.json"), queue("r").to_string()).unwrap();
    // An export has one stack.
    let told = place.run(&more);
    assert!(!told.status.success());
    fs::write(place.path().join("queue.json"), importer().to_string()).unwrap();
    place.json(&more);
    drop(server);
    assert_eq!(names(), ["more", "queue"]);
}

#[test]
fn an_assembly_of_cdk_is_deployed_whole() {
    let assembly =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/fixtures/cdk8s/aws/cdk.out");
    if !assembly.is_dir() {
        println!("skipped: 1 assembly of CDK, for the fixtures are not here");
        return;
    }
    let simulator = Simulator::start(&[]);
    let deploy = ["simulator", "deploy", assembly.to_str().unwrap(), "--resources"];
    let at = ["--endpoint", simulator.url(), "-o", "json"];
    let made = json_of(&[&deploy[..], &at].concat());
    let stacks = made["stacks"].as_array().unwrap();
    let names: Vec<&Value> = stacks.iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["Storage", "Prod-App", "Compute"]);
    let app = &stacks[1];
    assert_eq!((&app["account"], &app["region"]), (&json!("111122223333"), &json!("eu-west-1")));
    let resources = app["resources"].as_array().unwrap();
    let nested = resources.iter().find(|it| it["type"] == "AWS::CloudFormation::Stack").unwrap();
    assert!(
        nested["physicalId"].as_str().unwrap().starts_with("arn:aws:cloudformation:eu-west-1:")
    );
    // All of it again changes nothing.
    let again = json_of(&[&deploy[..], &at].concat());
    let changes: Vec<&Value> =
        again["stacks"].as_array().unwrap().iter().map(|it| &it["change"]).collect();
    assert_eq!(changes, ["unchanged", "unchanged", "unchanged"]);
}
