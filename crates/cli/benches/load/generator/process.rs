//! The real binary as a child process, and what the kernel says of it.

use std::fs::{self, File};
use std::io::{BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use serde::Deserialize as _;
use serde_json::Value;

/// A process that has said that it answers.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    /// Kept open: a closed pipe would be an error of the child's.
    _output: BufReader<ChildStdout>,
    /// What it printed.
    pub(crate) ready: Value,
}

impl Process {
    /// Starts `hangar` with these arguments; what it logs goes to a file.
    pub(crate) fn start(arguments: &[String], log: &Path) -> Result<Self> {
        let mut child = spawn(arguments, log)?;
        let output = child.stdout.take().context("its output was piped")?;
        let mut output = BufReader::new(output);
        let ready = Value::deserialize(&mut serde_json::Deserializer::from_reader(&mut output));
        let ready = ready.map_err(|_| {
            // It may hang as well as have ended.
            let _ = child.kill();
            let _ = child.wait();
            let said = fs::read_to_string(log).unwrap_or_default();
            let lines: Vec<&str> = said.lines().rev().take(12).collect();
            let last: Vec<&str> = lines.into_iter().rev().collect();
            anyhow!("hangar {} did not start:\n{}", arguments.join(" "), last.join("\n"))
        })?;
        Ok(Self { child, _output: output, ready })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it politely and waits for that.
    pub(crate) fn stop(mut self) -> Result<()> {
        let id = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status().context("cannot run kill")?;
        self.child.wait().context("cannot wait for a child")?;
        Ok(())
    }
}

impl Drop for Process {
    /// As `kill -9`: also what a soak does to it.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts `hangar` and does not wait until it answers.
pub(crate) fn spawn(arguments: &[String], log: &Path) -> Result<Child> {
    let log = File::options().append(true).create(true).open(log).context("cannot open a log")?;
    Command::new(env!("CARGO_BIN_EXE_hangar"))
        .args(arguments)
        .env_remove("HANGAR_SERVER")
        .env_remove("HANGAR_DATA_DIR")
        .env("AWS_ACCESS_KEY_ID", "000000000000")
        .env("AWS_SECRET_ACCESS_KEY", "simulator")
        .env("AWS_REGION", "us-east-1")
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .context("cannot start hangar")
}

/// What `hangar serve --help` says: flags that are not there yet are not used.
pub(crate) fn serve_help() -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_hangar")).args(["serve", "--help"]).output();
    output.map(|it| String::from_utf8_lossy(&it.stdout).into_owned()).unwrap_or_default()
}

/// CPU time of a process since its start, in user and kernel; counted in hundredths of a second.
pub(crate) fn cpu(pid: u32) -> Duration {
    let stat = read_proc(pid, "stat");
    // The name of the program is in brackets and may hold anything; fields count from there.
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|it| it.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

/// A line of the kernel's account of a process's memory, in mebibytes: `VmRSS`, `VmHWM`, `RssAnon`.
pub(crate) fn memory(pid: u32, name: &str) -> f64 {
    let status = read_proc(pid, "status");
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kib = line.and_then(|it| it.trim().trim_end_matches(" kB").parse::<u32>().ok());
    kib.map_or(f64::NAN, |kib| f64::from(kib) / 1024.0)
}

/// How many processes wanted to run, over the last minute.
pub(crate) fn load_average() -> f64 {
    let mut text = String::new();
    let read = File::open("/proc/loadavg").and_then(|mut file| file.read_to_string(&mut text));
    let first = read.ok().and_then(|_| text.split(' ').next());
    first.and_then(|it| it.parse().ok()).unwrap_or(f64::NAN)
}

fn read_proc(pid: u32, file: &str) -> String {
    fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default()
}
