//! The real binary as a child process: started, asked what it takes, stopped.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::Client;
use crate::request::greeting;

/// The core that the simulator runs on.
const SERVER_CORE: &str = "0";

/// The core of everything else.
const LOAD_CORE: &str = "1";

/// Whether processes were given a core of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pinning {
    Pinned,
    Free,
}

impl Pinning {
    /// Puts this process on its core, where `taskset` and a second core are there.
    pub(crate) fn arrange() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let own = std::process::id().to_string();
        let moved = Command::new("taskset")
            .args(["-a", "-c", "-p", LOAD_CORE, &own])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        match moved {
            Ok(status) if status.success() && cores > 1 => Self::Pinned,
            _ => Self::Free,
        }
    }

    pub(crate) fn words(self) -> String {
        match self {
            Self::Pinned => format!(
                "the simulator is pinned to core {SERVER_CORE}, the load to core {LOAD_CORE}"
            ),
            Self::Free => "nothing is pinned: taskset or a second core is missing".to_owned(),
        }
    }
}

/// A simulator that runs.
pub(crate) struct Server {
    child: Child,
    /// Kept open: the child would fail to write to a closed pipe.
    _output: BufReader<ChildStdout>,
    address: SocketAddr,
    /// From the start of the process to its first answer.
    pub(crate) started_in: Duration,
    /// CPU time of its first thread until then, which does all of the work.
    pub(crate) started_with: Duration,
}

impl Server {
    /// Starts one; ready when it has answered a call.
    pub(crate) fn start(pinning: Pinning, state: Option<&Path>, more: &[&str]) -> Self {
        let binary = env!("CARGO_BIN_EXE_hangar");
        let mut command = match pinning {
            Pinning::Pinned => {
                let mut command = Command::new("taskset");
                command.args(["-c", SERVER_CORE, binary]);
                command
            }
            Pinning::Free => Command::new(binary),
        };
        command.args(["simulator", "--listen", "127.0.0.1:0", "--latency", "0..0", "-o", "json"]);
        command.args(more);
        if let Some(path) = state {
            command.arg("--state").arg(path);
        }
        let started = Instant::now();
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary starts");
        let mut output = BufReader::new(child.stdout.take().expect("it was piped"));
        let address = read_address(&mut output);
        Client::connect(address).expect_ok(&greeting());
        let started_in = started.elapsed();
        let own = fs::read_to_string(format!("/proc/{}/schedstat", child.id())).unwrap_or_default();
        let nanos = own.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or(0);
        let started_with = Duration::from_nanos(nanos);
        Self { child, _output: output, address, started_in, started_with }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// CPU time since its start; the kernel counts in hundredths of a second.
    pub(crate) fn cpu(&self) -> Duration {
        let stat = self.proc("stat");
        // The name of the program is in brackets and may hold anything; fields count from there.
        let fields: Vec<&str> =
            stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|it| it.parse::<u64>().ok()).unwrap_or(0);
        Duration::from_millis((ticks(11) + ticks(12)) * 10)
    }

    /// A line of the kernel's account of its memory, in mebibytes: `VmRSS` or `VmHWM`.
    pub(crate) fn memory(&self, name: &str) -> f64 {
        let status = self.proc("status");
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let kib = line.and_then(|it| it.trim().trim_end_matches(" kB").parse::<u32>().ok());
        kib.map_or(f64::NAN, |kib| f64::from(kib) / 1024.0)
    }

    fn proc(&self, file: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).unwrap_or_default()
    }

    /// Ends it politely, so that the state is brought to disk.
    pub(crate) fn stop(mut self) {
        let id = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Only where a measurement ended early; a stopped child is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The document that `-o json` prints, however many lines it takes.
fn read_address(output: &mut impl BufRead) -> SocketAddr {
    let mut text = String::new();
    let ready: Value = loop {
        let read = output.read_line(&mut text).unwrap_or(0);
        assert!(read > 0, "the simulator did not start: {text}");
        if let Ok(ready) = serde_json::from_str(&text) {
            break ready;
        }
    };
    let url = ready["url"].as_str().unwrap_or_default();
    url.trim_start_matches("http://").parse().expect("the address of a simulator")
}
