//! `hangar serve` as a process: the real binary on a data directory, until it is dropped.

mod canary;
mod kill;
pub(crate) mod load;
mod steps;

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::hangar;
use crate::http::{Answer, Connection, PATIENCE};

pub(crate) const BASE: &str = "/apis/api.ucp.dev/v1alpha3";
pub(crate) const VERSION: &str = "api-version=2023-10-01-preview";

pub(crate) struct Server {
    child: Child,
    directory: PathBuf,
    address: SocketAddr,
    token: String,
}

impl Server {
    /// On a data directory, with AWS at an endpoint.
    pub(crate) fn start(directory: &Path, aws: &str) -> Self {
        Self::start_with(directory, aws, None, &[])
    }

    /// On a database, where one is named, and with more arguments.
    pub(crate) fn start_with(
        directory: &Path,
        aws: &str,
        database: Option<&str>,
        arguments: &[&str],
    ) -> Self {
        let environment: Vec<_> = database.map(|url| ("HANGAR_STORE", url)).into_iter().collect();
        Self::spawn(directory, aws, arguments, &environment).ready()
    }

    /// One that ends itself at a named call, as only a debug build can: `aws.create.after`. It may do so before
    /// it listens; then nobody can reach it.
    #[cfg(debug_assertions)]
    pub(crate) fn start_to_die(directory: &Path, aws: &str, place: &str) -> Self {
        let rate = ["--aws-rate", "500"];
        let mut server = Self::spawn(directory, aws, &rate, &[("HANGAR_DIE_AT", place)]);
        while !server.has_ended() && !server.is_ready() {
            std::thread::sleep(Duration::from_millis(5));
        }
        server
    }

    fn spawn(
        directory: &Path,
        aws: &str,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Self {
        let log = File::options().create(true).append(true).open(directory.join("log")).unwrap();
        let child = hangar(&["serve", "--listen", "127.0.0.1:0", "--aws", aws, "--data-dir"])
            .arg(directory)
            .args(arguments)
            .envs(environment.iter().copied())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        Self {
            child,
            directory: directory.to_owned(),
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            token: String::new(),
        }
    }

    /// Waits until it listens.
    fn ready(mut self) -> Self {
        let until = Instant::now() + Duration::from_secs(30);
        while !self.is_ready() {
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("serve ended: {status}\n{}", self.said());
            }
            assert!(Instant::now() < until, "serve does not listen\n{}", self.said());
            std::thread::sleep(Duration::from_millis(5));
        }
        self
    }

    /// Whether it listens: `server.json` has its process id then.
    fn is_ready(&mut self) -> bool {
        let text = std::fs::read_to_string(self.directory.join("server.json"));
        let said: Value =
            text.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        if said["pid"].as_u64() != Some(u64::from(self.child.id())) {
            return false;
        }
        let url = said["url"].as_str().unwrap();
        let host = url.trim_start_matches("http://").split('/').next().unwrap();
        let token = std::fs::read_to_string(self.directory.join("token")).unwrap();
        (self.address, self.token) = (host.parse().unwrap(), token.trim().to_owned());
        true
    }

    /// What ids come after.
    pub(crate) fn url(&self) -> String {
        format!("http://{}{BASE}", self.address)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process, for signals.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = std::process::Command::new("kill").args([name, &pid]).status().unwrap();
        assert!(sent.success());
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(self.directory.join("log")).unwrap_or_default()
    }

    pub(crate) fn client(&self) -> Client {
        let (address, token) = (self.address, self.token.clone());
        Client { address, patience: PATIENCE, token, connection: None }
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Ends it at once, whatever it is doing.
    pub(crate) fn kill(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Calls of the API, with no retry of their own.
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    /// How long it waits for an answer.
    pub(crate) patience: Duration,
    token: String,
    connection: Option<Connection>,
}

impl Client {
    /// Another one of the same server, with a connection of its own.
    pub(crate) fn again(&self) -> Self {
        let (address, patience) = (self.address, self.patience);
        Self { address, patience, token: self.token.clone(), connection: None }
    }

    /// One call; the path is what follows the base path.
    pub(crate) fn call(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> std::io::Result<Answer> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open_for(self.address, self.patience)?,
        };
        let authorization = format!("Bearer {}", self.token);
        let mut all =
            vec![("authorization", authorization.as_str()), ("content-type", "application/json")];
        all.extend_from_slice(headers);
        let answer = connection.send(method, &format!("{BASE}{path}"), &all, body)?;
        self.connection = Some(connection);
        Ok(answer)
    }

    /// One call that must be answered.
    pub(crate) fn must(&mut self, method: &str, path: &str, body: &Value) -> Answer {
        self.call(method, path, &[], body).unwrap()
    }
}

/// The path of a reference.
pub(crate) fn reference(group: &str, type_name: &str, alias: &str) -> String {
    format!(
        "/planes/radius/local/resourceGroups/{group}/providers/{type_name}:reference/{alias}?{VERSION}"
    )
}
