//! `hangar serve` as a process, and commands that use it.

use std::fs;
use std::io::BufReader;
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize as _;
use serde_json::Value;

use crate::place::{Place, Running, put};

/// A server on a place, until it is dropped.
pub(crate) struct Server {
    child: std::process::Child,
    ready: Value,
    /// Kept open: a closed pipe would be an error of the server's.
    _stdout: BufReader<ChildStdout>,
}

impl Server {
    pub(crate) fn start(place: &Place, arguments: &[&str]) -> Self {
        Self::listen(place, "127.0.0.1:0", arguments)
    }

    fn listen(place: &Place, address: &str, arguments: &[&str]) -> Self {
        let mut command = place.command(&["serve", "--listen", address, "-o", "json"]);
        command.args(arguments);
        Self::of(place, command)
    }

    /// The one that a command serves, which must print JSON.
    pub(crate) fn of(place: &Place, mut command: Command) -> Self {
        let log = fs::File::options().append(true).create(true).open(place.path().join("log"));
        let mut child = command.stdout(Stdio::piped()).stderr(log.unwrap()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let ready = Value::deserialize(&mut serde_json::Deserializer::from_reader(&mut stdout));
        let log = || fs::read_to_string(place.path().join("log")).unwrap();
        Self { child, ready: ready.unwrap_or_else(|_| panic!("{}", log())), _stdout: stdout }
    }

    pub(crate) fn url(&self) -> &str {
        self.ready["url"].as_str().unwrap()
    }

    pub(crate) fn address(&self) -> &str {
        self.url().trim_start_matches("http://")
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Waits for its end; gives its exit code and how long that took.
    pub(crate) fn end(&mut self) -> (Option<i32>, Duration) {
        let since = Instant::now();
        (self.child.wait().unwrap().code(), since.elapsed())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn commands_of_the_directory_use_its_server_and_its_token() {
    let place = Place::new();
    let mut server = Server::start(&place, &[]);
    assert_eq!(server.ready["tokenFile"], ".hangar/token");
    assert_eq!(server.ready["aws"], "simulator");
    place.put("net", &[]);
    let here = ["--server", server.url()];
    let listed = place.json(&[&["resource", "list"][..], &here].concat());
    assert_eq!(listed[0]["name"], "net");
    let elsewhere = [&["resource", "list", "--data-dir", "other"][..], &here].concat();
    let said = String::from_utf8(place.run(&elsewhere).stderr).unwrap();
    assert!(said.starts_with("error[API0004]"), "{said}");
    let token = ["--token-file", ".hangar/token"];
    place.stdout(&[&elsewhere[..], &token].concat());
    server.signal("-TERM");
    let (code, took) = server.end();
    assert_eq!(code, Some(0));
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(!place.file("server.json").exists());
    assert_eq!(place.json(&["resource", "list"])[0]["name"], "net");
}

#[test]
fn a_server_that_was_killed_is_replaced_by_the_next_command() {
    let place = Place::new();
    let mut server = Server::start(&place, &[]);
    server.signal("-KILL");
    server.end();
    assert!(place.file("server.json").exists());
    place.put("net", &[]);
    assert!(!place.file("server.json").exists());
}

#[test]
fn a_put_outlives_the_restart_of_its_server() {
    let place = Place::new();
    let mut server = Server::start(&place, &[]);
    let address = server.address().to_owned();
    let url = server.url().to_owned();
    let mut running = Running::start(&mut place.command(&put("net", &["--server", &url])));
    running.until("create sent");
    server.signal("-KILL");
    server.end();
    let _server = Server::listen(&place, &address, &[]);
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(place.json(&["resource", "list"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_server_without_workers_accepts_what_the_next_start_drives() {
    let place = Place::new();
    let mut server = Server::start(&place, &["--workers", "0"]);
    place.put("net", &["--no-wait"]);
    let running = || place.json(&["operation", "list"])[0]["status"].clone();
    assert_eq!(place.json(&["resource", "list"])[0]["properties"]["provisioningState"], "Creating");
    assert_eq!(running(), "Creating");
    server.signal("-TERM");
    server.end();
    let _server = Server::start(&place, &[]);
    let id = place.json(&["operation", "list"])[0]["name"].as_str().unwrap().to_owned();
    place.stdout(&["operation", "wait", &id]);
    assert_eq!(running(), "Succeeded");
}

#[test]
fn base_path_store_and_authentication_are_as_they_were_asked_for() {
    let place = Place::new();
    let arguments = ["--base-path", "/ucp/", "--store", "sqlite:other.db", "--insecure-no-auth"];
    let server = Server::start(&place, &arguments);
    assert_eq!(server.ready["tokenFile"], Value::Null);
    place.put("net", &[]);
    let url = format!("{}/ucp", server.url());
    let listed = place.json(&["resource", "list", "--data-dir", "none", "--server", &url]);
    assert_eq!(listed[0]["name"], "net");
    assert!(place.path().join("other.db").exists() && !place.file("hangar.db").exists());
}

#[test]
fn a_log_for_programs_has_an_object_a_line() {
    let place = Place::new();
    let mut server = Server::start(&place, &["--log-format", "json"]);
    place.put("net", &[]);
    server.signal("-INT");
    assert_eq!(server.end().0, Some(0));
    let log = fs::read_to_string(place.path().join("log")).unwrap();
    assert!(log.lines().count() > 3);
    for line in log.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        assert!(entry["timestamp"].is_string() && entry["level"].is_string(), "{line}");
    }
    let token = fs::read_to_string(place.file("token")).unwrap();
    assert!(!log.contains(token.trim()));
}

#[test]
fn a_port_that_is_taken_is_told() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let other = Place::new();
    let output = other.run(&["serve", "--listen", server.address()]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error[SRV0002]: cannot listen on 127.0.0.1:"), "{said}");
    assert!(!other.file("hangar.db").exists());
}
