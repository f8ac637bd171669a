//! Commands that only read write nothing: neither in AWS, nor in the data directory, also after a crash.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::http::Connection;
use crate::place::Place;
use crate::simulator::Simulator;

const TEMPLATE: &str = "extension aws

resource queues 'AWS.SQS/Queue@default' = [for i in range(0, 6): {
  alias: 'queue-${i}'
  properties: {
    QueueName: 'queue-${i}'
  }
}]

output first string = queues[0].properties.QueueUrl
";

/// Every command that reads, on what the crash left.
const READS: [&[&str]; 20] = [
    &["plan", "main.bicep"],
    &["plan", "main.bicep", "--all", "--on-remove", "delete", "-o", "json"],
    &["drift"],
    &["drift", "-o", "json"],
    &["drift", "AWS.SQS/Queue", "--alias", "queue-0"],
    &["lint", "main.bicep"],
    &["resource", "list"],
    &["resource", "list", "--unknown"],
    &["resource", "show", "AWS.SQS/Queue", "queue-0", "--live"],
    &["resource", "discover", "AWS.SQS/Queue"],
    &["deployment", "list"],
    &["deployment", "show", "main"],
    &["operation", "list", "--running"],
    &["operation", "list"],
    &["group", "list"],
    &["group", "show", "default"],
    &["plane", "list"],
    &["credential", "list"],
    &["recipe", "list"],
    &["build", "main.bicep", "--stdout"],
];

/// All files below a folder, with their content.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                all.insert(path.display().to_string(), fs::read(&path).unwrap());
            }
        }
    }
    all
}

/// How many calls of AWS wrote, or tried to.
fn writes(simulator: &Simulator) -> u64 {
    let mut connection = Connection::open(simulator.address()).unwrap();
    let counters = connection.control("GET", "counters", &Value::Null).unwrap().body;
    counters["total"]["writes"].as_u64().unwrap()
}

/// Kills a deploy while it waits for AWS.
fn crash(place: &Place, simulator: &Simulator) {
    fs::write(place.path().join("main.bicep"), TEMPLATE).unwrap();
    let mut deploy = place.command(&["deploy", "main.bicep", "--aws", simulator.url()]);
    let mut deploy = deploy.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let since = Instant::now();
    while writes(simulator) == 0 {
        assert!(since.elapsed() < Duration::from_mins(1), "the deploy sends nothing");
        std::thread::sleep(Duration::from_millis(5));
    }
    deploy.kill().unwrap();
    deploy.wait().unwrap();
    // A call that was sent before the kill may be counted after it.
    let mut seen = 0;
    while seen != writes(simulator) {
        seen = writes(simulator);
        std::thread::sleep(Duration::from_millis(500));
    }
}

#[test]
fn read_commands_after_a_crash_write_nothing() {
    let (place, simulator) = (Place::new(), Simulator::start(&["--latency", "1s..1s"]));
    crash(&place, &simulator);
    let (before, sent) = (content(&place.dir()), writes(&simulator));
    for arguments in READS {
        let output = place.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0..=2)), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
        assert_eq!(writes(&simulator), sent, "{arguments:?} wrote to AWS: {said}");
        let now = content(&place.dir());
        let changed: Vec<_> = now.iter().filter(|it| before.get(it.0) != Some(it.1)).collect();
        assert!(
            changed.is_empty() && now.len() == before.len(),
            "{arguments:?} changed {:?}",
            changed.iter().map(|it| it.0).collect::<Vec<_>>()
        );
    }
    let said = place.run(&["plan", "main.bicep"]).stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("operations are open; `hangar operation wait "), "{said}");
    // What was left open is still there to be continued, and ends with each resource created once.
    let deployed = place.stdout(&["deploy", "main.bicep"]);
    assert!(deployed.contains("main: "), "{deployed}");
    let listed = place.json(&["resource", "discover", "AWS.SQS/Queue", "--mapped"]);
    assert_eq!(listed["resources"].as_array().map(Vec::len), Some(6), "{listed}");
}

#[test]
fn read_commands_in_an_empty_folder_create_nothing() {
    let place = Place::new();
    fs::write(place.path().join("main.bicep"), TEMPLATE).unwrap();
    let more: [&[&str]; 4] = [
        &["destroy", "main"],
        &["destroy", "main", "--if-exists", "--yes"],
        &["drift", "--repair"],
        &["operation", "wait", "0198c0de-0000-7000-8000-000000000001"],
    ];
    for arguments in READS.iter().chain(&more) {
        place.run(arguments);
        assert!(!place.dir().exists(), "{arguments:?}");
    }
}
