//! `hangar simulator` as a process: the real binary on a port of its own, until it is dropped.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::hangar;

pub(crate) struct Simulator {
    child: Child,
    url: String,
    /// What it writes on stderr, and its state file where no other was named.
    folder: TempDir,
    /// Kept open: a closed pipe would be an error of the simulator's.
    stdout: BufReader<ChildStdout>,
}

impl Simulator {
    /// With a state file that ends with it. Writes take no time, unless the arguments say so.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("simulator.db");
        Self::spawn(folder, &state, arguments)
    }

    /// With a state file that outlives it. Writes take no time.
    pub(crate) fn start_on(state: &Path, arguments: &[&str]) -> Self {
        Self::spawn(tempfile::tempdir().unwrap(), state, arguments)
    }

    fn spawn(folder: TempDir, state: &Path, arguments: &[&str]) -> Self {
        let at_once: &[&str] =
            if arguments.contains(&"--latency") { &[] } else { &["--latency", "0..0"] };
        let mut child = hangar(&["simulator", "--listen", "127.0.0.1:0"])
            .args(["-o", "json", "--state"])
            .arg(state)
            .args(at_once)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(File::create(folder.path().join("stderr")).unwrap())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut simulator = Self { child, url: String::new(), folder, stdout };
        simulator.url = simulator.ready();
        simulator
    }

    /// Where it listens: it says so in one JSON document, once it does.
    fn ready(&mut self) -> String {
        let mut text = String::new();
        while self.stdout.read_line(&mut text).unwrap() > 0 {
            if let Ok(document) = serde_json::from_str::<Value>(&text) {
                return document["url"].as_str().unwrap().to_owned();
            }
        }
        panic!("the simulator ended before it was ready:\n{text}{}", self.said());
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.url.trim_start_matches("http://").parse().unwrap()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What it has written on stderr.
    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("stderr")).unwrap()
    }

    /// Ends it at once, whatever it is doing: it gets no chance to write anything more.
    pub(crate) fn kill(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        self.kill();
    }
}
