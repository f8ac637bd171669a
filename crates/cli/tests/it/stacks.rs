//! `hangar simulator deploy`, `stacks` and `undeploy`: the real binary, on simulators of this machine.

mod deployed;

use std::fs;
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::place::Place;
use crate::serving::Server;
use crate::{error, files};

fn code(arguments: &[&str]) -> (String, String) {
    let error = error(&[arguments, &["-o", "json"]].concat());
    let text = |name: &str| error[name].as_str().unwrap().to_owned();
    (text("code"), text("message"))
}

fn queue(name: &str) -> Value {
    json!({
        "Parameters": {"Delay": {"Type": "Number", "Default": 0}},
        "Resources": {"Queue": {"Type": "AWS::SQS::Queue", "Properties": {
            "QueueName": name, "DelaySeconds": {"Ref": "Delay"}}}},
        "Outputs": {"Name": {"Value": {"Fn::GetAtt": ["Queue", "QueueName"]},
                             "Export": {"Name": "the-queue"}}},
    })
}

#[test]
fn only_a_simulator_of_this_machine_gets_stacks() {
    let folder = files(&[("queue", &queue("q"))]);
    let file = folder.path().join("queue.json");
    let deploy = ["simulator", "deploy", file.to_str().unwrap(), "--endpoint"];
    let told = code(&[&deploy[..], &["http://10.0.0.1:4566"]].concat());
    assert_eq!(told.0, "SIM0008");
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let told = code(&[&deploy[..], &[&format!("http://{free}")]].concat());
    assert_eq!(told.0, "SIM0009", "{}", told.1);
    // A control plane is no simulator, even where its AWS is one.
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let told = code(&[&deploy[..], &[server.url()]].concat());
    assert_eq!(told.0, "SIM0009");
    assert!(told.1.contains("is not a Hangar simulator"), "{}", told.1);
}

#[test]
fn what_cannot_be_deployed_is_told_before_anything_is_asked() {
    let folder = files(&[("1", &queue("q")), ("queue", &queue("q"))]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let nobody = ["--endpoint", "http://127.0.0.1:1"];
    let deploy = |more: &[&str]| code(&[&["simulator", "deploy"], more, &nobody].concat()).0;
    assert_eq!(deploy(&[&path("1.json")]), "SIM0010");
    assert_eq!(deploy(&[&path("")]), "SIM0010");
    assert_eq!(deploy(&[&path("none.json")]), "CLI0002");
    assert_eq!(deploy(&[&path("queue.json"), "--parameter", "Dela=1"]), "CLI0025");
    assert_eq!(deploy(&[&path("queue.json"), "--region", "Frankfurt"]), "ID0041");
}

#[test]
fn a_server_says_where_its_simulator_answers_and_one_without_says_nothing() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let file: Value =
        serde_json::from_slice(&fs::read(place.file("server.json")).unwrap()).unwrap();
    let url = file["simulator"].as_str().unwrap();
    assert!(url.starts_with("http://127.0.0.1:") && url != server.url(), "{url}");
    drop(server);
    let place = Place::new();
    let _server = Server::start(&place, &["--aws", "http://127.0.0.1:1"]);
    let file: Value =
        serde_json::from_slice(&fs::read(place.file("server.json")).unwrap()).unwrap();
    assert_eq!(file.get("simulator"), None);
}
