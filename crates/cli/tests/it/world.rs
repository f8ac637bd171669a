//! A control plane and the AWS behind it, which a test can change behind its back.

use std::process::Output;

use serde_json::{Value, json};

use crate::deployment::{Deployment, Kind, has_postgres};
use crate::http::Connection;
use crate::place::Place;
use crate::serving::Server;
use crate::simulator::Simulator;

/// Who runs the control plane.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Host {
    /// Each command, for as long as it takes.
    Command,
    /// `hangar serve`.
    Server,
    /// Two of it on PostgreSQL.
    Replicas,
}

/// Everybody who can be here; says which test goes without replicas.
pub(crate) fn hosts(test: &str) -> Vec<Host> {
    let replicas = has_postgres(test).then_some(Host::Replicas);
    [Host::Command, Host::Server].into_iter().chain(replicas).collect()
}

pub(crate) struct World {
    pub(crate) place: Place,
    pub(crate) simulator: Simulator,
    _server: Option<Server>,
    replicas: Option<Deployment>,
}

impl World {
    /// Commands that run the control plane themselves.
    pub(crate) fn new() -> Self {
        Self::with(Host::Command, &[])
    }

    pub(crate) fn of(host: Host) -> Self {
        Self::with(host, &[])
    }

    pub(crate) fn with(host: Host, simulator: &[&str]) -> Self {
        let (place, simulator) = (Place::new(), Simulator::start(simulator));
        let aws = ["--aws", simulator.url()];
        let server = match host {
            Host::Command | Host::Replicas => None,
            Host::Server => Some(Server::start(&place, &aws)),
        };
        let replicas = matches!(host, Host::Replicas)
            .then(|| Deployment::start(Kind::Replicas, simulator.url()));
        if matches!(host, Host::Command) {
            // A data directory remembers its AWS.
            std::fs::create_dir(place.dir()).unwrap();
            std::fs::write(place.file("aws"), simulator.url()).unwrap();
        }
        Self { place, simulator, _server: server, replicas }
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.reaching(arguments, |arguments| self.place.run(arguments))
    }

    /// What a command that succeeds prints.
    pub(crate) fn stdout(&self, arguments: &[&str]) -> String {
        self.reaching(arguments, |arguments| self.place.stdout(arguments))
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        self.reaching(arguments, |arguments| self.place.json(arguments))
    }

    /// The arguments with those that reach the control plane, where it is not the place's own.
    fn reaching<T>(&self, arguments: &[&str], deed: impl FnOnce(&[&str]) -> T) -> T {
        let Some(replicas) = &self.replicas else { return deed(arguments) };
        let (url, token) = (replicas.url(), replicas.token_file());
        let reach = ["--server", &url, "--token-file", token.to_str().unwrap()];
        deed(&[arguments, &reach].concat())
    }

    /// What a command that fails says.
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        said
    }

    /// What a command that fails says to programs.
    pub(crate) fn error(&self, arguments: &[&str]) -> Value {
        let said = self.refused(&[arguments, &["-o", "json"]].concat());
        serde_json::from_str::<Value>(&said).unwrap()["error"].clone()
    }

    /// Puts properties by an alias and gives what is printed.
    pub(crate) fn put(&self, type_name: &str, alias: &str, properties: &[&str]) -> String {
        let put = ["resource", "put", type_name, "--alias", alias, "--properties"];
        self.stdout(&[&put[..], properties].concat())
    }

    /// The reference of an alias.
    pub(crate) fn shown(&self, type_name: &str, alias: &str) -> Value {
        self.json(&["resource", "show", type_name, alias])
    }

    fn control(&self, method: &str, path: &str, input: &Value) -> Value {
        let mut connection = Connection::open(self.simulator.address()).unwrap();
        let answer = connection.control(method, path, input).unwrap();
        assert!((200..300).contains(&answer.status), "{path}: {answer:?}");
        answer.body
    }

    /// Makes a resource behind the control plane's back; gives what AWS calls it.
    pub(crate) fn make(&self, type_name: &str, properties: &Value) -> String {
        let made = self.control(
            "POST",
            "resources",
            &json!({"type": type_name, "properties": properties}),
        );
        made["identifier"].as_str().unwrap().to_owned()
    }

    pub(crate) fn change(&self, type_name: &str, identifier: &str, properties: &Value) {
        let body = json!({"type": type_name, "identifier": identifier, "properties": properties});
        self.control("PATCH", "resources", &body);
    }

    pub(crate) fn remove(&self, type_name: &str, identifier: &str) {
        let path = format!("resources?type={type_name}&identifier={identifier}");
        self.control("DELETE", &path, &Value::Null);
    }

    /// Orders a fault for a call to meet.
    pub(crate) fn fault(&self, fault: &Value) {
        self.control("POST", "faults", fault);
    }

    /// What AWS has of a type, by identifier.
    pub(crate) fn existing(&self, type_name: &str) -> Vec<String> {
        let path = format!("resources?type={type_name}");
        let found = self.control("GET", &path, &Value::Null);
        let all = found["resources"].as_array().unwrap().iter();
        all.map(|it| it["identifier"].as_str().unwrap().to_owned()).collect()
    }

    /// What AWS says of a resource.
    pub(crate) fn live(&self, type_name: &str, identifier: &str) -> Value {
        let mut connection = Connection::open(self.simulator.address()).unwrap();
        let ask = json!({"TypeName": type_name, "Identifier": identifier});
        let found = connection.call("GetResource", &ask).unwrap();
        let properties = found.body["ResourceDescription"]["Properties"].as_str().unwrap();
        serde_json::from_str(properties).unwrap()
    }

    /// Leaves an alias behind which a create was sent, and lost.
    pub(crate) fn unknown(&self, alias: &str) {
        self.fault(
            &json!({"operation": "CreateResource", "effect": "drop-reply", "when": "before"}),
        );
        self.fault(&json!({"operation": "CreateResource", "effect": "exception",
                           "exception": "InvalidCredentialsException", "message": "revoked"}));
        let put = [
            "resource",
            "put",
            "AWS.EC2/VPC",
            "--alias",
            alias,
            "--properties",
            "CidrBlock=10.0.0.0/16",
        ];
        let said = self.refused(&put);
        assert!(said.contains("(AliasUnknown)"), "{said}");
    }
}
