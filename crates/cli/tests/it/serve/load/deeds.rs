//! What the writers do: put, change, put again, replace, patch, delete, detach, take in, rename, cancel, look for
//! drift, and delete whole groups; each request until it is answered, under one name.

use std::sync::atomic::Ordering;
use std::time::Duration;

use hangar_ids::TypeName;
use hangar_plan::operation::OperationId;
use hangar_plan::record::{GroupName, ReferenceName};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Shared, deploys, roll};
use crate::http::{Answer, Connection};
use crate::serve::{VERSION, reference};

/// The group of the writers, and the one that is deleted and made again.
pub(super) const GROUP: &str = "kill";
pub(super) const DOOMED: &str = "doomed";

/// Aliases that a writer has at a time.
const ALIASES: u64 = 4;

/// How often a request is sent until it is answered.
const TRIES: usize = 40;

pub(super) const VPC: &str = "AWS.EC2/VPC";
/// Only templates have these.
pub(super) const SUBNET: &str = "AWS.EC2/Subnet";
pub(super) const QUEUE: &str = "AWS.SQS/Queue";
pub(super) const BUCKET: &str = "AWS.S3/Bucket";
/// Cannot be tagged: what a lost create has made is found by the list of requests alone.
const QUERY: &str = "AWS.Logs/QueryDefinition";
/// Its caller gives it its name.
const LOGS: &str = "AWS.Logs/LogGroup";
const TYPES: [&str; 3] = [VPC, QUERY, LOGS];

/// The types of a run. What has a name of its caller's and failed is waited for up to a minute before it is made
/// again, so that short runs go without it.
fn types() -> &'static [&'static str] {
    let full = std::env::var_os("HANGAR_TEST_FULL").is_some();
    if full { &TYPES } else { &TYPES[..2] }
}

/// A reference that is written to.
pub(super) struct Subject {
    pub(super) group: &'static str,
    pub(super) type_name: &'static str,
    pub(super) alias: String,
}

impl Subject {
    fn name(&self) -> ReferenceName {
        ReferenceName {
            group: GroupName { plane: "local".to_owned(), group: self.group.to_owned() },
            type_name: TypeName::parse(self.type_name).unwrap(),
            alias: self.alias.clone(),
        }
    }

    pub(super) fn path(&self) -> String {
        reference(self.group, self.type_name, &self.alias)
    }

    fn action(&self, action: &str) -> String {
        self.path().replace('?', &format!("/:{action}?"))
    }
}

/// Writes to its own aliases until it is told to stop.
pub(super) fn write(shared: &Shared, writer: u64) {
    let mut dice = 0x9e37_79b9_7f4a_7c15_u64 ^ (writer + 1).wrapping_mul(0xd129_0d3b);
    let mut generations = [0_u64; 4];
    let mut taken_in = 0;
    while !shared.is_over() {
        let number = roll(&mut dice) % ALIASES;
        let slot = usize::try_from(number).unwrap();
        let type_name = types()[slot % types().len()];
        let alias = format!("a{writer}-{number}-{}", generations[slot]);
        let subject = Subject { group: GROUP, type_name, alias };
        let variant = roll(&mut dice);
        let wanted = wanted(&subject, variant);
        let (path, allowed) = (subject.path(), roll(&mut dice).is_multiple_of(2));
        let answer = match roll(&mut dice) % 24 {
            0..4 => send(shared, "DELETE", &path, &Value::Null, Some(&subject)),
            4 if allowed => {
                let path = format!("{path}&mode=detach");
                send(shared, "DELETE", &path, &Value::Null, Some(&subject))
            }
            // Where only a new one can have it: a new resource in the place of the old one.
            4..9 => {
                let mut wanted = wanted;
                wanted["replace"] = "allow".into();
                send(shared, "PUT", &path, &wanted, Some(&subject))
            }
            9 | 10 => {
                let patch = json!({"properties": changeable(&subject, variant)});
                send(shared, "PATCH", &path, &patch, Some(&subject))
            }
            // The same again changes nothing.
            11..14 => {
                send(shared, "PUT", &path, &wanted, Some(&subject));
                send(shared, "PUT", &path, &wanted, Some(&subject))
            }
            14 | 18 => {
                let begun = send(shared, "PUT", &path, &wanted, Some(&subject));
                if let Some(id) = begun.as_ref().and_then(operation_of) {
                    let status =
                        "/planes/radius/local/providers/System.Resources/operationStatuses";
                    let cancel = format!("{status}/{id}/cancel?{VERSION}");
                    send(shared, "POST", &cancel, &Value::Null, None);
                }
                begun
            }
            15 => send(shared, "POST", &subject.action("drift"), &json!({}), None),
            16 => {
                generations[slot] += 1;
                let alias = format!("a{writer}-{number}-{}", generations[slot]);
                send(shared, "POST", &subject.action("rename"), &json!({"alias": alias}), None)
            }
            17 => {
                taken_in += 1;
                take_in(shared, GROUP, &format!("i{writer}-{taken_in}"), allowed);
                None
            }
            _ => send(shared, "PUT", &path, &wanted, Some(&subject)),
        };
        // It is unknown for twenty minutes: another one takes its place.
        if answer.is_some_and(|it| it.body["error"]["code"] == "AliasUnknown") {
            generations[slot] += 1;
        }
    }
}

/// Takes in what hands have made, as its own or not, changes it, and deletes it again.
fn take_in(shared: &Shared, group: &'static str, alias: &str, owned: bool) {
    let made = json!({"type": "AWS::EC2::VPC", "properties": {"CidrBlock": "10.9.0.0/16"}});
    let mut hands = Connection::open(shared.simulator).unwrap();
    let made = hands.control("POST", "resources", &made).unwrap().body;
    let identifier = made["identifier"].as_str().unwrap();
    shared.book.lock().unwrap().made("AWS::EC2::VPC", identifier);
    let subject = Subject { group, type_name: VPC, alias: alias.to_owned() };
    let import = json!({
        "mapsTo": {"scope": scope(VPC), "primaryIdentifier": identifier}, "ownedResource": owned,
    });
    send(shared, "PUT", &subject.path(), &import, Some(&subject));
    if group == GROUP {
        let patch = json!({"properties": {"Tags": [{"Key": "Name", "Value": alias}]}});
        send(shared, "PATCH", &subject.path(), &patch, Some(&subject));
        send(shared, "DELETE", &subject.path(), &Value::Null, Some(&subject));
    }
}

/// Makes a group with three references and what a template makes, looks for drift in it, and deletes it, until it is told to stop.
pub(super) fn write_groups(shared: &Shared) {
    let group = format!("/planes/radius/local/resourceGroups/{DOOMED}");
    let mut dice = 0x1234_5678_9abc_def1_u64;
    let mut round = 0;
    while !shared.is_over() {
        round += 1;
        send(shared, "PUT", &format!("{group}?{VERSION}"), &json!({}), None);
        let below = Subject { group: DOOMED, type_name: VPC, alias: "below".to_owned() };
        send(shared, "PUT", &below.path(), &wanted(&below, 0), Some(&below));
        let above = Subject { group: DOOMED, type_name: QUERY, alias: "above".to_owned() };
        let mut upon = wanted(&above, 0);
        upon["dependsOn"] = json!([format!("{group}/providers/{VPC}:reference/below")]);
        send(shared, "PUT", &above.path(), &upon, Some(&above));
        take_in(shared, DOOMED, &format!("guest-{round}"), roll(&mut dice).is_multiple_of(3));
        deploys::deploy_in(shared, DOOMED, &mut dice);
        let repair = json!({"repair": true, "prune": true});
        send(shared, "POST", &format!("{group}/:drift?{VERSION}"), &repair, None);
        if roll(&mut dice).is_multiple_of(2) {
            send(shared, "DELETE", &format!("{group}?{VERSION}"), &Value::Null, None);
        }
    }
}

fn scope(type_name: &str) -> String {
    format!("/planes/aws/aws/accounts/000000000000/regions/us-east-1/providers/{type_name}")
}

/// All of a resource, in one of a few variants; some differ in what can only be had by a new one.
fn wanted(subject: &Subject, variant: u64) -> Value {
    let mut properties = changeable(subject, variant);
    let other = (variant / 8).is_multiple_of(4);
    match subject.type_name {
        VPC => properties["CidrBlock"] = if other { "10.1.0.0/16" } else { "10.0.0.0/16" }.into(),
        LOGS => {
            let tail = if other { "-b" } else { "" };
            properties["LogGroupName"] = format!("{}{tail}", subject.alias).into();
        }
        _ => {}
    }
    json!({"mapsTo": {"scope": scope(subject.type_name)}, "properties": properties})
}

/// What can be changed of a resource.
fn changeable(subject: &Subject, variant: u64) -> Value {
    let version = (variant % 3).to_string();
    match subject.type_name {
        VPC => json!({"Tags": [{"Key": "Name", "Value": subject.alias},
                               {"Key": "Version", "Value": version}]}),
        QUERY => json!({"Name": subject.alias, "QueryString": format!("fields {version}")}),
        _ => json!({"RetentionInDays": 1 + 2 * (variant % 3)}),
    }
}

/// Sends a request to the server of the moment until it is answered, always under the same name.
pub(super) fn send(
    shared: &Shared,
    method: &str,
    path: &str,
    body: &Value,
    subject: Option<&Subject>,
) -> Option<Answer> {
    // Some wait for the end, others are gone as soon as they are accepted.
    let count = shared.answered.load(Ordering::Relaxed);
    let prefer = if count.is_multiple_of(3) { "wait=1" } else { "respond-async" };
    let id = Uuid::now_v7().to_string();
    let named = [("prefer", prefer), ("repeatability-request-id", id.as_str())];
    for tries in 0..TRIES {
        match shared.client().call(method, path, &named, body) {
            // The store is away for a moment.
            Ok(answer) if answer.status == 503 && tries < TRIES / 4 => {}
            Ok(answer) => {
                // What AWS failed at is told as 502 and the like; 500 would be a defect of ours.
                assert_ne!(answer.status, 500, "{method} {path}: {:?}", answer.body);
                shared.answered.fetch_add(1, Ordering::Relaxed);
                let name = subject.map(Subject::name);
                let mut book = shared.book.lock().unwrap();
                match operation_of(&answer) {
                    Some(id) if answer.status < 300 => book.accepted(id, name),
                    _ if answer.status >= 400 => {
                        let code = answer.body["error"]["code"].as_str().unwrap_or_default();
                        book.refused(code, name);
                    }
                    _ => {}
                }
                return Some(answer);
            }
            Err(_) if shared.is_over() => return None,
            Err(_) => {}
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    None
}

/// The operation that an answer tells of.
fn operation_of(answer: &Answer) -> Option<OperationId> {
    let told =
        answer.operation_url.as_deref().and_then(|url| url.split('?').next()?.rsplit('/').next());
    let last = answer.body["lastOperation"]["id"].as_str();
    // Of a deployment that ended at once.
    let run = answer.body["properties"]["operation"].as_str();
    told.or(answer.body["operation"].as_str()).or(last).or(run).and_then(OperationId::parse)
}
