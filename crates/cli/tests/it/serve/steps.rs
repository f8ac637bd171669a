//! `kill -9` of the server at every call that an operation makes, before and after it took effect: the
//! operation ends as if nothing had happened.
//!
//! A scenario is prepared, begun, and stopped at its n-th call of AWS, for every n: the simulator holds
//! the answer back, and the server is killed while it waits for it. A new server goes on.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped or counted")]

mod deploy;

use std::collections::BTreeSet;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Server, VERSION, reference};
use crate::http::Connection;
use crate::simulator::Simulator;

const VPC: &str = "AWS.EC2/VPC";
const SECURITY_GROUP: &str = "AWS.EC2/SecurityGroup";
const SCOPE: &str = "/planes/aws/aws/accounts/000000000000/regions/us-east-1";
const GROUP: &str = "/planes/radius/local/resourceGroups/steps";
const OPERATIONS: &str = "/planes/radius/local/providers/System.Resources/operationStatuses";

/// More calls than any scenario makes.
const CALLS: usize = 80;

/// One request that is killed at every step, and what must be true in the end.
struct Scenario {
    name: &'static str,
    prepare: fn(&World),
    /// Method, path and body.
    begin: fn() -> (&'static str, String, Value),
    complaints: fn(&World) -> Vec<String>,
}

/// When the server dies: its call has had its effect, or not.
#[derive(Debug, Clone, Copy)]
enum When {
    Before,
    After,
}

struct World {
    simulator: Simulator,
    folder: tempfile::TempDir,
    server: Server,
}

impl World {
    fn start() -> Self {
        let simulator = Simulator::start(&[]);
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(folder.path(), simulator.url());
        let world = Self { simulator, folder, server };
        assert_eq!(world.call("PUT", &format!("{GROUP}?{VERSION}"), &json!({})).0, 201);
        world
    }

    /// A call that must be answered; waits for the end of what it begins.
    fn call(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let wait = [("prefer", "wait=20")];
        let answer = self.server.client().call(method, path, &wait, body).unwrap();
        (answer.status, answer.body)
    }

    fn put(&self, type_name: &str, alias: &str, body: &Value) {
        let (status, answer) = self.call("PUT", &reference("steps", type_name, alias), body);
        assert!(status < 300, "{answer}");
    }

    fn show(&self, type_name: &str, alias: &str) -> (u16, Value) {
        self.call("GET", &reference("steps", type_name, alias), &Value::Null)
    }

    fn control(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut connection = Connection::open(self.simulator.address()).unwrap();
        let answer = connection.control(method, path, body).unwrap();
        assert!(answer.status < 300, "{method} {path}: {:?}", answer.body);
        answer.body
    }

    /// What exists of a type, as (identifier, properties).
    fn existing(&self, type_name: &str) -> Vec<(String, Value)> {
        let found = self.control("GET", &format!("resources?type={type_name}"), &Value::Null);
        let one =
            |it: &Value| (it["identifier"].as_str().unwrap().to_owned(), it["properties"].clone());
        found["resources"].as_array().unwrap().iter().map(one).collect()
    }

    /// How many writes AWS was asked for.
    fn writes(&self) -> u64 {
        let counters = self.control("GET", "counters", &Value::Null);
        let count = |name: &str| counters["byOperation"][name].as_u64().unwrap_or_default();
        ["CreateResource", "UpdateResource", "DeleteResource"].map(count).iter().sum()
    }

    /// Holds back the answer to the n-th call from now on.
    fn hold(&self, nth: usize, when: When) {
        let held = json!({"effect": "delay", "millis": 60_000, "nth": nth});
        self.control("POST", "faults", &held);
        if matches!(when, When::Before) {
            let lost = json!({"effect": "drop-reply", "when": "before", "nth": nth});
            self.control("POST", "faults", &lost);
        }
    }

    fn is_held(&self) -> bool {
        self.control("GET", "faults", &Value::Null)["faults"].as_array().is_some_and(Vec::is_empty)
    }

    fn running(&self) -> usize {
        let path = format!("{OPERATIONS}?running=true&$top=100");
        self.call("GET", &path, &Value::Null).1["value"].as_array().map_or(0, Vec::len)
    }

    fn restart(&mut self) {
        self.server.kill();
        self.control("DELETE", "faults", &Value::Null);
        self.server = Server::start(self.folder.path(), self.simulator.url());
    }
}

/// Sends what a scenario begins with; an answer may not come. Ends when it is accepted, or lost.
fn send(world: &World, scenario: &Scenario) -> JoinHandle<()> {
    let (method, path, body) = (scenario.begin)();
    // The same request again, so that it is one operation however often it is sent.
    let headers = [
        ("prefer", "respond-async"),
        ("repeatability-request-id", "6f1ed002-ab59-4a2b-8c3f-6d1e0a7b5c11"),
    ];
    let mut client = world.server.client();
    std::thread::spawn(move || {
        let _ = client.call(method, &path, &headers, &body);
    })
}

fn until(what: &str, world: &World, mut check: impl FnMut() -> bool) {
    let patience = Instant::now() + Duration::from_mins(1);
    while !check() {
        assert!(Instant::now() < patience, "{what}\n{}", world.server.said());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether there was an n-th call to be killed at.
fn kill_at(scenario: &Scenario, nth: usize, when: When) -> bool {
    let mut world = World::start();
    (scenario.prepare)(&world);
    world.hold(nth, when);
    let sent = send(&world, scenario);
    let mut held = false;
    until("neither held nor ended", &world, || {
        held = world.is_held();
        held || sent.is_finished() && world.running() == 0
    });
    if held {
        world.restart();
        send(&world, scenario).join().unwrap();
        until("stuck", &world, || world.running() == 0);
    }
    // What was not come to is in nobody's way any more.
    world.control("DELETE", "faults", &Value::Null);
    let complaints = (scenario.complaints)(&world);
    assert!(
        complaints.is_empty(),
        "{} killed {when:?} call {nth}: {complaints:#?}\n{}",
        scenario.name,
        world.server.said()
    );
    held
}

fn sweep(scenario: &Scenario) {
    let mut kills = 0;
    let mut last = 0;
    for nth in 1..CALLS {
        let [after, before] = [When::After, When::Before].map(|when| kill_at(scenario, nth, when));
        kills += usize::from(after) + usize::from(before);
        if !after && !before {
            last = nth;
            break;
        }
    }
    println!(
        "counted: {}: killed at each of its calls, {kills} kills, no complaint",
        scenario.name
    );
    assert!(last > 3, "{} made no calls to be killed at", scenario.name);
}

#[test]
fn a_replacement_that_creates_first_ends_with_one_whenever_it_is_killed() {
    sweep(&Scenario {
        name: "replace, create first",
        prepare: |world| world.put(VPC, "net", &vpc("10.0.0.0/16", None)),
        begin: || ("PUT", reference("steps", VPC, "net"), vpc("10.1.0.0/16", Some("allow"))),
        complaints: |world| one_current(world, VPC, "AWS::EC2::VPC", "CidrBlock", "10.1.0.0/16"),
    });
}

#[test]
fn a_replacement_that_deletes_first_ends_with_one_whenever_it_is_killed() {
    sweep(&Scenario {
        name: "replace, delete first",
        prepare: |world| world.put(SECURITY_GROUP, "net", &firewall("old", None)),
        begin: || {
            let path = reference("steps", SECURITY_GROUP, "net");
            ("PUT", path, firewall("new", Some("allow")))
        },
        complaints: |world| {
            let type_name = "AWS::EC2::SecurityGroup";
            one_current(world, SECURITY_GROUP, type_name, "GroupDescription", "new")
        },
    });
}

#[test]
fn a_group_is_deleted_whole_and_what_was_imported_stays_whenever_it_is_killed() {
    sweep(&Scenario {
        name: "group delete",
        prepare: |world| {
            world.put(VPC, "base", &vpc("10.0.0.0/16", None));
            let mut above = vpc("10.2.0.0/16", None);
            let base = reference("steps", VPC, "base");
            above["dependsOn"] = json!([base.split('?').next()]);
            world.put(VPC, "above", &above);
            let made = json!({"type": "AWS::EC2::VPC", "properties": {"CidrBlock": "10.9.0.0/16"}});
            let made = world.control("POST", "resources", &made);
            let import = json!({"mapsTo": {"scope": format!("{SCOPE}/providers/{VPC}"),
                                           "primaryIdentifier": made["identifier"]}});
            world.put(VPC, "imported", &import);
        },
        begin: || ("DELETE", format!("{GROUP}?{VERSION}"), Value::Null),
        complaints: |world| {
            let mut complaints = Vec::new();
            let left = world.existing("AWS::EC2::VPC");
            if left.len() != 1 || left[0].1["CidrBlock"] != "10.9.0.0/16" {
                complaints.push(format!("AWS has {left:?}"));
            }
            let (status, group) = world.call("GET", GROUP, &Value::Null);
            if status != 404 {
                complaints.push(format!("the group is there: {group}"));
            }
            complaints
        },
    });
}

#[test]
fn an_import_with_properties_ends_applied_whenever_it_is_killed() {
    sweep(&Scenario {
        name: "import and apply",
        prepare: |world| {
            let made = json!({"type": "AWS::S3::Bucket", "properties": {"BucketName": "logs"}});
            world.control("POST", "resources", &made);
        },
        begin: || {
            let body = json!({
                "mapsTo": {"scope": format!("{SCOPE}/providers/AWS.S3/Bucket"),
                           "primaryIdentifier": "logs"},
                "properties": {"BucketName": "logs", "Tags": [{"Key": "a", "Value": "b"}]},
            });
            ("PUT", reference("steps", "AWS.S3/Bucket", "logs"), body)
        },
        complaints: |world| {
            let found = world.existing("AWS::S3::Bucket");
            let (_, shown) = world.show("AWS.S3/Bucket", "logs");
            let tagged = found.len() == 1 && found[0].1["Tags"][0]["Value"] == "b";
            let mapped = shown["mapsTo"]["primaryIdentifier"] == "logs"
                && shown["ownedResource"] == false
                && shown["state"] == "ready";
            if tagged && mapped { Vec::new() } else { vec![format!("{found:?} {shown}")] }
        },
    });
}

/// Exactly one resource is there, it has what is wanted, and the alias stands for it and nothing else.
fn one_current(
    world: &World,
    type_name: &str,
    cloud_name: &str,
    property: &str,
    wanted: &str,
) -> Vec<String> {
    let found = world.existing(cloud_name);
    let (_, shown) = world.show(type_name, "net");
    let current = shown["mapsTo"]["primaryIdentifier"].as_str().unwrap_or_default();
    let there: BTreeSet<&str> = found.iter().map(|(identifier, _)| identifier.as_str()).collect();
    let is_so = found.len() == 1
        && found[0].1[property] == wanted
        && there.contains(current)
        && shown["state"] == "ready"
        && shown["retiring"].as_array().is_some_and(Vec::is_empty);
    if is_so { Vec::new() } else { vec![format!("AWS has {found:?}; {shown}")] }
}

fn vpc(block: &str, replace: Option<&str>) -> Value {
    wanted(VPC, &json!({"CidrBlock": block}), replace)
}

fn firewall(description: &str, replace: Option<&str>) -> Value {
    let properties = json!({"GroupName": "web", "GroupDescription": description});
    wanted(SECURITY_GROUP, &properties, replace)
}

fn wanted(type_name: &str, properties: &Value, replace: Option<&str>) -> Value {
    let scope = format!("{SCOPE}/providers/{type_name}");
    let mut body = json!({"properties": properties, "mapsTo": {"scope": scope}});
    if let Some(word) = replace {
        body["replace"] = word.into();
    }
    body
}
