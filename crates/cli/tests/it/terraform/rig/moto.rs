//! Moto as a process: an AWS with nothing in it, on a port of its own, until it is dropped.
//!
//! It never outlives this process, however that ends: it reads from a pipe that we hold.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use serde::Deserialize;
use tempfile::TempDir;

use super::REGION;
use crate::clients::{PYTHON, STAMP};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terraform/moto_server.py");

pub(crate) struct Moto {
    child: Child,
    pipes: Mutex<Pipes>,
    url: String,
    /// What it writes on stderr: a line for each call.
    folder: TempDir,
}

/// A question goes in, an answer comes out.
struct Pipes {
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

/// What is in it, by id or by name. A new one has a VPC with its subnets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Contents {
    pub(crate) vpcs: BTreeSet<String>,
    pub(crate) subnets: BTreeSet<String>,
    pub(crate) buckets: BTreeSet<String>,
    pub(crate) roles: BTreeSet<String>,
    pub(crate) queues: BTreeSet<String>,
}

impl Contents {
    /// What is in here and was not in there.
    pub(crate) fn since(&self, before: &Self) -> Self {
        Self {
            vpcs: &self.vpcs - &before.vpcs,
            subnets: &self.subnets - &before.subnets,
            buckets: &self.buckets - &before.buckets,
            roles: &self.roles - &before.roles,
            queues: &self.queues - &before.queues,
        }
    }
}

impl Moto {
    /// Whether `cargo xtask setup` has installed it.
    pub(crate) fn is_here() -> bool {
        Path::new(STAMP).is_file()
    }

    /// One that answers already.
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(PYTHON)
            .args([SERVER, REGION])
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", folder.path())
            .env("PYTHONUTF8", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(folder.path().join("stderr")).unwrap())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let pipes = Mutex::new(Pipes { stdin, stdout });
        let mut moto = Self { child, pipes, url: String::new(), folder };
        moto.url = format!("http://127.0.0.1:{}", moto.answer().trim());
        moto
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// What is in it now, as AWS's own client sees it.
    pub(crate) fn contents(&self) -> Contents {
        writeln!(self.pipes.lock().unwrap().stdin).unwrap();
        serde_json::from_str(&self.answer()).unwrap()
    }

    /// What it has written on stderr.
    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("stderr")).unwrap()
    }

    fn answer(&self) -> String {
        let mut line = String::new();
        let count = self.pipes.lock().unwrap().stdout.read_line(&mut line).unwrap();
        assert_ne!(count, 0, "moto has ended:\n{}", self.said());
        line
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
