//! Every kind of write at once, for as long as a test wants, and what must be true after it: nothing twice,
//! nothing lost, nothing stuck.

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Client, VERSION, reference};
use crate::http::{Connection, PATIENCE};
use crate::simulator::Simulator;

const WRITERS: usize = 4;
const ALIASES: usize = 4;
const VPC: &str = "AWS.EC2/VPC";
/// The group that is deleted and made again.
const DOOMED: &str = "doomed";

/// Writers at work.
pub(crate) struct Load {
    shared: Arc<Shared>,
    writers: Vec<JoinHandle<()>>,
}

/// What the writers share.
struct Shared {
    client: Client,
    /// Where the server listens: it may have moved.
    address: Mutex<SocketAddr>,
    stop: AtomicBool,
    accepted: Mutex<HashSet<String>>,
    answered: AtomicU64,
}

/// What came of it.
pub(crate) struct Outcome {
    pub(crate) answered: u64,
    pub(crate) accepted: usize,
    /// What is not as it must be.
    pub(crate) complaints: Vec<String>,
}

impl Load {
    /// Begins to write, on a control plane that nobody has written to before.
    pub(crate) fn start(client: Client) -> Self {
        let mut first = client.again();
        let group = format!("/planes/radius/local/resourceGroups/kill?{VERSION}");
        assert_eq!(first.must("PUT", &group, &json!({})).status, 201);
        let shared = Arc::new(Shared {
            address: Mutex::new(client.address),
            client,
            stop: AtomicBool::new(false),
            accepted: Mutex::default(),
            answered: AtomicU64::new(0),
        });
        let mut writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let shared = shared.clone();
                std::thread::spawn(move || write(&shared, writer))
            })
            .collect();
        let of_groups = shared.clone();
        writers.push(std::thread::spawn(move || write_groups(&of_groups)));
        Self { shared, writers }
    }

    /// The server listens somewhere else now.
    pub(crate) fn moved(&self, address: SocketAddr) {
        *self.shared.address.lock().unwrap() = address;
    }

    /// Ends it, waits until nothing is under way, and looks.
    pub(crate) fn end(self, simulator: &Simulator) -> Outcome {
        self.shared.stop.store(true, Ordering::Relaxed);
        for writer in self.writers {
            writer.join().unwrap();
        }
        let mut client = self.shared.client();
        client.patience = PATIENCE;
        settle(&mut client);
        let accepted = self.shared.accepted.lock().unwrap();
        let mut complaints = Vec::new();
        for id in accepted.iter() {
            let path =
                format!("/planes/radius/local/providers/System.Resources/operationStatuses/{id}");
            let status = client.must("GET", &path, &Value::Null);
            if status.status != 200 {
                complaints.push(format!("an accepted operation is lost: {id}"));
            }
        }
        complaints.extend(wrong(&mut client, simulator));
        let answered = self.shared.answered.load(Ordering::Relaxed);
        Outcome { answered, accepted: accepted.len(), complaints }
    }
}

impl Shared {
    fn client(&self) -> Client {
        // One that is paused does not answer, and another one would.
        Client {
            address: *self.address.lock().unwrap(),
            patience: Duration::from_secs(3),
            ..self.client.again()
        }
    }
}

/// Puts, changes and deletes its own aliases until it is told to stop.
fn write(shared: &Shared, writer: usize) {
    let mut dice = 0x9e37_79b9_7f4a_7c15_u64 ^ (writer as u64 + 1).wrapping_mul(0xd129_0d3b);
    while !shared.stop.load(Ordering::Relaxed) {
        let alias = format!("a{writer}-{}", roll(&mut dice) % ALIASES as u64);
        let path = reference("kill", VPC, &alias);
        let version = (roll(&mut dice) % 3).to_string();
        let block = if roll(&mut dice).is_multiple_of(4) { "10.1.0.0/16" } else { "10.0.0.0/16" };
        let wanted = wanted(block, &alias, &version);
        let (method, body) = match roll(&mut dice) % 12 {
            0..3 => ("DELETE", Value::Null),
            // Where the block is another one: a new resource in the place of the old one.
            3..6 => {
                let mut allowed = wanted;
                allowed["replace"] = "allow".into();
                ("PUT", allowed)
            }
            6 => ("PATCH", json!({"properties": {"Tags": wanted["properties"]["Tags"]}})),
            _ => ("PUT", wanted),
        };
        send(shared, method, &path, &body);
    }
}

/// Makes a group with two references, looks for drift in it, and deletes it, until it is told to stop.
fn write_groups(shared: &Shared) {
    let group = format!("/planes/radius/local/resourceGroups/{DOOMED}");
    let mut dice = 0x1234_5678_9abc_def1_u64;
    while !shared.stop.load(Ordering::Relaxed) {
        send(shared, "PUT", &format!("{group}?{VERSION}"), &json!({}));
        send(shared, "PUT", &reference(DOOMED, VPC, "below"), &wanted("10.3.0.0/16", "below", "0"));
        let mut above = wanted("10.4.0.0/16", "above", "0");
        above["dependsOn"] = json!([format!("{group}/providers/{VPC}:reference/below")]);
        send(shared, "PUT", &reference(DOOMED, VPC, "above"), &above);
        let repair = json!({"repair": true, "prune": true});
        send(shared, "POST", &format!("{group}/:drift?{VERSION}"), &repair);
        if roll(&mut dice).is_multiple_of(2) {
            send(shared, "DELETE", &format!("{group}?{VERSION}"), &Value::Null);
        }
    }
}

fn wanted(block: &str, name: &str, version: &str) -> Value {
    let scope = format!("/planes/aws/aws/accounts/000000000000/regions/us-east-1/providers/{VPC}");
    json!({"mapsTo": {"scope": scope}, "properties": {
        "CidrBlock": block,
        "Tags": [{"Key": "Name", "Value": name}, {"Key": "Version", "Value": version}],
    }})
}

/// Sends one request to the server of this moment; an answer may not come.
fn send(shared: &Shared, method: &str, path: &str, body: &Value) {
    let mut client = shared.client();
    // Some wait for the end, others are gone as soon as they are accepted.
    let count = shared.answered.load(Ordering::Relaxed);
    let prefer = if count.is_multiple_of(3) { "wait=1" } else { "respond-async" };
    match client.call(method, path, &[("prefer", prefer)], body) {
        Ok(answer) => {
            assert!(answer.status < 500 || answer.status == 503, "{method} {:?}", answer.body);
            shared.answered.fetch_add(1, Ordering::Relaxed);
            let last = answer.body["lastOperation"]["id"].as_str();
            let operation = answer.body["operation"].as_str().or(last);
            if let Some(id) = operation.filter(|id| answer.status < 300 && id.len() == 36) {
                shared.accepted.lock().unwrap().insert(id.to_owned());
            }
        }
        Err(_) => std::thread::sleep(Duration::from_millis(5)),
    }
}

/// Waits until no operation is under way.
pub(crate) fn settle(client: &mut Client) {
    let path =
        "/planes/radius/local/providers/System.Resources/operationStatuses?running=true&$top=10";
    let until = Instant::now() + Duration::from_mins(2);
    loop {
        let running = client.must("GET", path, &Value::Null).body;
        if running["value"].as_array().is_some_and(Vec::is_empty) {
            return;
        }
        assert!(Instant::now() < until, "stuck: {running:#}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What is not as it must be: every alias stands for one resource, every resource has its alias.
fn wrong(client: &mut Client, simulator: &Simulator) -> Vec<String> {
    let mut connection = Connection::open(simulator.address()).unwrap();
    let existing = connection.control("GET", "resources?limit=100000", &Value::Null).unwrap().body;
    let mut by_alias: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for resource in existing["resources"].as_array().unwrap() {
        let tags = resource["properties"]["Tags"].as_array().unwrap();
        let name = tags.iter().find(|tag| tag["Key"] == "Name").unwrap();
        let identifier = resource["identifier"].as_str().unwrap().to_owned();
        by_alias.entry(name["Value"].as_str().unwrap().to_owned()).or_default().push(identifier);
    }
    let mut complaints = Vec::new();
    let own = (0..WRITERS).flat_map(|writer| (0..ALIASES).map(move |it| format!("a{writer}-{it}")));
    let own = own.map(|alias| ("kill", alias));
    let doomed = ["below", "above"].map(|alias| (DOOMED, alias.to_owned()));
    for (group, alias) in own.chain(doomed) {
        let found = by_alias.remove(&alias).unwrap_or_default();
        let answer = client.must("GET", &reference(group, VPC, &alias), &Value::Null);
        let mapped = answer.body["mapsTo"]["primaryIdentifier"].as_str();
        let state = answer.body["state"].as_str().unwrap_or("free");
        let retiring = answer.body["retiring"].as_array().map_or(0, Vec::len);
        let fits = match (answer.status, mapped, found.as_slice()) {
            (404, _, []) => true,
            (200, Some(mapped), [one]) => mapped == one && state == "ready" && retiring == 0,
            _ => false,
        };
        if !fits {
            let said = format!("{alias} is {state}, maps to {mapped:?}, AWS has {found:?}");
            complaints.push(format!("{said}, {retiring} retiring"));
        }
    }
    complaints.extend(by_alias.into_iter().map(|(alias, found)| format!("{alias}: {found:?}")));
    complaints
}

pub(crate) fn roll(dice: &mut u64) -> u64 {
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    *dice >> 11
}

pub(crate) fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(60)..].join("\n")
}
