//! A password that passes through: sealed while its operation runs, and nowhere when it has ended.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Client, Server, VERSION, reference};
use crate::http::Connection;
use crate::simulator::Simulator;

const CANARY: &str = "canary-9b1d7c-password";
const DATABASE: &str = "AWS.RDS/DBInstance";

fn body(password: &str) -> Value {
    json!({"properties": {"DBInstanceIdentifier": "db", "DBInstanceClass": "db.t3.micro",
            "Engine": "postgres", "AllocatedStorage": "20", "MasterUsername": "admin",
            "MasterUserPassword": password},
        "mapsTo": {"scope": format!("/planes/aws/aws/accounts/1/regions/us-east-1/providers/{DATABASE}")}})
}

/// The files of a folder that hold the canary.
fn leaks(folder: &std::path::Path) -> Vec<String> {
    let holds = |bytes: &[u8]| bytes.windows(13).any(|window| window == b"canary-9b1d7c");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if std::fs::read(&path).is_ok_and(|bytes| holds(&bytes)) {
            found.push(path.display().to_string());
        }
    }
    found
}

fn wait(client: &mut Client, path: &str, heard: &mut Vec<String>) -> String {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let body = client.must("GET", path, &Value::Null).body;
        heard.push(body.to_string());
        let state = body["properties"]["provisioningState"].as_str().unwrap().to_owned();
        if ["Succeeded", "Failed"].contains(&state.as_str()) {
            return state;
        }
        assert!(Instant::now() < until, "{body:#}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_password_is_in_no_answer_log_or_file() {
    let simulator = Simulator::start(&[]);
    let mut control = Connection::open(simulator.address()).unwrap();
    let latency = json!({"latency": "1s..1s"});
    assert_eq!(control.control("POST", "settings", &latency).unwrap().status, 200);
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path(), simulator.url());
    let mut client = server.client();
    let group = format!("/planes/radius/local/resourceGroups/secret?{VERSION}");
    assert_eq!(client.must("PUT", &group, &json!({})).status, 201);
    let path = reference("secret", DATABASE, "db");
    let mut heard = Vec::new();
    let asynchronous = [("prefer", "respond-async")];

    // Running: the document is in the store, and only sealed.
    let answer = client.call("PUT", &path, &asynchronous, &body(CANARY)).unwrap();
    assert_eq!(answer.status, 201, "{:#}", answer.body);
    heard.push(answer.body.to_string());
    assert_eq!(leaks(folder.path()), Vec::<String>::new(), "while it runs");
    assert_eq!(wait(&mut client, &path, &mut heard), "Succeeded");
    // A second one is killed in the middle, and one is refused in words that quote the value.
    let other = format!("{CANARY}-other");
    heard.push(client.call("PUT", &path, &asynchronous, &body(&other)).unwrap().body.to_string());
    server.kill();
    assert_eq!(leaks(folder.path()), Vec::<String>::new(), "after a kill");
    server = Server::start(folder.path(), simulator.url());
    client = server.client();
    assert_eq!(wait(&mut client, &path, &mut heard), "Succeeded");
    let fault = json!({"operation": "UpdateResource", "effect": "exception",
        "exception": "InvalidRequestException", "message": format!("{CANARY}-third is too weak")});
    assert_eq!(control.control("POST", "faults", &fault).unwrap().status, 201);
    let third = body(&format!("{CANARY}-third"));
    let refused = client.call("PUT", &path, &[("prefer", "wait=20")], &third).unwrap();
    assert_eq!(refused.status, 400, "{:#}", refused.body);
    heard.push(refused.body.to_string());
    let list = "/planes/radius/local/providers/System.Resources/operationStatuses?$top=100";
    heard.push(client.must("GET", list, &Value::Null).body.to_string());
    for answer in &heard {
        assert!(!answer.contains("canary-9b1d7c"), "{answer}");
    }
    assert_eq!(leaks(folder.path()), Vec::<String>::new(), "in files and log");
    server.kill();
    assert_eq!(leaks(folder.path()), Vec::<String>::new(), "at the end");
}
