//! One writer: it creates, updates and deletes resources of its own, one call at a time, and
//! remembers what was acknowledged and what was in flight.

use std::io;
use std::net::SocketAddr;
use std::sync::mpsc::Sender;

use hangar_simulator::core::random::Random;
use serde_json::{Value, json};

use crate::http::{Answer, Connection};

const VPC: &str = "AWS::EC2::VPC";
const LOG_GROUP: &str = "AWS::Logs::LogGroup";

/// A writer keeps about so many resources alive.
const ALIVE: usize = 12;

/// A resource of a writer, by a name that no other one ever had.
#[derive(Debug)]
pub(super) struct Thing {
    pub(super) name: String,
    type_name: &'static str,
    /// The service's name for it, once that was told.
    identifier: Option<String>,
    /// The request that made it.
    made_by: Option<String>,
    /// Which version is there, if any is: what was acknowledged last.
    pub(super) version: Option<u32>,
}

/// What a writer wants of one of its things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Create,
    Update,
    Delete,
    DeleteOutOfBand,
}

/// A write that was sent.
#[derive(Debug, Clone)]
pub(super) struct Write {
    pub(super) deed: Deed,
    pub(super) thing: usize,
    /// The version that there will be.
    pub(super) version: Option<u32>,
    client_token: String,
}

/// A request that was acknowledged.
#[derive(Debug)]
pub(super) struct Acknowledged {
    pub(super) request_token: String,
    pub(super) client_token: String,
}

#[derive(Debug)]
pub(super) struct Writer {
    number: usize,
    random: Random,
    ballast: String,
    pub(super) things: Vec<Thing>,
    pub(super) requests: Vec<Acknowledged>,
    in_flight: Option<Write>,
    writes: u64,
    acknowledged: u64,
}

impl Writer {
    pub(super) fn new(number: usize, seed: u64, ballast: usize) -> Self {
        Self {
            number,
            random: Random::new(seed, &["writer"]),
            ballast: "b".repeat(ballast),
            things: Vec::new(),
            requests: Vec::new(),
            in_flight: None,
            writes: 0,
            acknowledged: 0,
        }
    }

    pub(super) fn in_flight(&self) -> Option<&Write> {
        self.in_flight.as_ref()
    }

    /// How many writes were acknowledged.
    pub(super) fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// Writes until the connection ends.
    pub(super) fn write_until_cut(&mut self, address: SocketAddr, told: &Sender<()>) {
        let Ok(mut connection) = Connection::open(address) else { return };
        while self.learn_identifier(&mut connection).is_ok() {
            let write = self.choose();
            self.in_flight = Some(write.clone());
            let Ok(answer) = self.send(&mut connection, &write) else { return };
            self.acknowledge(&write, &answer);
            // Whoever counts may have stopped counting.
            let _ = told.send(());
        }
    }

    /// Sends what was in flight once more, under the same client token.
    pub(super) fn repeat(&mut self, connection: &mut Connection) {
        let Some(write) = self.in_flight.clone() else { return };
        let answer = self.send(connection, &write).unwrap();
        // It has no client token: what was done the first time cannot be done again.
        let is_gone = write.deed == Deed::DeleteOutOfBand && answer.status == 404;
        let answer = if is_gone { Answer { status: 200, ..answer } } else { answer };
        self.acknowledge(&write, &answer);
    }

    fn acknowledge(&mut self, write: &Write, answer: &Answer) {
        assert_eq!(answer.status, 200, "{write:?}: {}", answer.body);
        let thing = &mut self.things[write.thing];
        thing.version = write.version;
        if write.deed != Deed::DeleteOutOfBand {
            let event = &answer.body["ProgressEvent"];
            let request_token = event["RequestToken"].as_str().unwrap().to_owned();
            if write.deed == Deed::Create {
                thing.made_by = Some(request_token.clone());
            }
            let client_token = write.client_token.clone();
            self.requests.push(Acknowledged { request_token, client_token });
        }
        self.in_flight = None;
        self.acknowledged += 1;
    }

    /// A create does not tell the identifier that the service makes up; its request does later.
    fn learn_identifier(&mut self, connection: &mut Connection) -> io::Result<()> {
        let Some(thing) = self.things.last_mut() else { return Ok(()) };
        let (None, Some(token)) = (&thing.identifier, &thing.made_by) else { return Ok(()) };
        let answer =
            connection.call("GetResourceRequestStatus", &json!({"RequestToken": token}))?;
        let event = &answer.body["ProgressEvent"];
        assert_eq!(event["OperationStatus"], "SUCCESS", "{}", answer.body);
        thing.identifier = event["Identifier"].as_str().map(str::to_owned);
        Ok(())
    }

    fn choose(&mut self) -> Write {
        self.writes += 1;
        let client_token = format!("writer-{}-write-{}", self.number, self.writes);
        let alive: Vec<usize> =
            (0..self.things.len()).filter(|at| self.things[*at].version.is_some()).collect();
        let roll = self.random.below(10);
        let is_create = alive.is_empty() || (alive.len() < ALIVE && roll < 5);
        if is_create {
            let name = format!("writer-{}-thing-{}", self.number, self.things.len());
            let may_be_vpc = self.ballast.is_empty() && roll.is_multiple_of(2);
            let type_name = if may_be_vpc { VPC } else { LOG_GROUP };
            let thing = Thing { name, type_name, identifier: None, made_by: None, version: None };
            self.things.push(thing);
            let thing = self.things.len() - 1;
            return Write { deed: Deed::Create, thing, version: Some(1), client_token };
        }
        let end = u64::try_from(alive.len()).unwrap();
        let thing = alive[usize::try_from(self.random.below(end)).unwrap()];
        let next = self.things[thing].version.map(|version| version + 1);
        let (deed, version) = match roll {
            8 => (Deed::Delete, None),
            9 => (Deed::DeleteOutOfBand, None),
            _ => (Deed::Update, next),
        };
        Write { deed, thing, version, client_token }
    }

    fn send(&self, connection: &mut Connection, write: &Write) -> io::Result<Answer> {
        let thing = &self.things[write.thing];
        let identifier = thing.identifier.as_deref().unwrap_or_default();
        let tags = json!([
            {"Key": "Name", "Value": thing.name},
            {"Key": "Version", "Value": write.version.unwrap_or_default().to_string()},
        ]);
        let mut input = json!({"TypeName": thing.type_name, "ClientToken": write.client_token});
        let operation = match write.deed {
            Deed::Create => {
                input["DesiredState"] = self.desired(thing, &tags).to_string().into();
                "CreateResource"
            }
            Deed::Update => {
                let patch = json!([{"op": "add", "path": "/Tags", "value": tags}]);
                input["Identifier"] = identifier.into();
                input["PatchDocument"] = patch.to_string().into();
                "UpdateResource"
            }
            Deed::Delete => {
                input["Identifier"] = identifier.into();
                "DeleteResource"
            }
            Deed::DeleteOutOfBand => {
                let path = format!("resources?type={}&identifier={identifier}", thing.type_name);
                return connection.control("DELETE", &path, &Value::Null);
            }
        };
        connection.call(operation, &input)
    }

    fn desired(&self, thing: &Thing, tags: &Value) -> Value {
        match (thing.type_name, self.ballast.is_empty()) {
            (VPC, _) => json!({"CidrBlock": "10.0.0.0/16", "Tags": tags}),
            (_, true) => json!({"LogGroupName": thing.name, "Tags": tags}),
            (_, false) => json!({
                "LogGroupName": thing.name, "Tags": tags,
                "DataProtectionPolicy": {"Ballast": self.ballast},
            }),
        }
    }
}
