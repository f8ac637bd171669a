//! A double of Terraform and of the machine that it runs on: programs that go on when the process that began them
//! dies, a cloud of things that they make, and a state that they hand in over a server which may be away.
//!
//! It keeps to what was seen of the real one: the lock is taken first and given back last, the state is handed in at
//! the end, an interrupt is heeded between two things, and a state that nobody takes is left in the
//! run's directory. A program is never killed here: what Terraform itself loses then is not ours.

mod program;
mod runner;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use hangar_engine::{Command, Engine, Files, RunId};

use super::process::{Process, lock};

pub use program::recipe;
pub use runner::ProcessRunner;

/// All that programs of a run make and leave, on all machines.
#[derive(Debug, Default)]
pub struct Machine {
    inner: Mutex<Inner>,
    /// Whether a server that comes back is found by the programs of its predecessor.
    port: Mutex<Port>,
}

/// How a server is found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Port {
    /// Where it was before.
    #[default]
    Kept,
    /// Nowhere: it has another port.
    New,
}

#[derive(Debug, Default)]
struct Inner {
    /// What exists: the thing's name, and the address that it was made for.
    things: BTreeMap<String, String>,
    made: u64,
    runs: BTreeMap<String, Kept>,
    /// Who serves, by the number of the replica.
    servers: BTreeMap<usize, (Process, Engine)>,
}

/// What is kept of a run.
#[derive(Debug, Default)]
struct Kept {
    /// The machine that it is on.
    host: String,
    files: BTreeMap<String, Vec<u8>>,
    printed: BTreeMap<&'static str, Vec<u8>>,
    /// Whether a program runs.
    running: bool,
    /// Who started the last one, and how it ended.
    parent: Option<Process>,
    exit: Option<i32>,
    interrupted: bool,
}

impl Machine {
    /// A server begins to answer.
    pub fn serve(&self, process: &Process, engine: &Engine) {
        lock(&self.inner).servers.insert(process.number, (process.clone(), engine.clone()));
    }

    /// From now on servers are found so.
    pub fn set_port(&self, port: Port) {
        *lock(&self.port) = port;
    }

    /// What exists, by name, with the address that it was made for.
    pub fn things(&self) -> BTreeMap<String, String> {
        lock(&self.inner).things.clone()
    }

    /// Directories that runs have left.
    pub fn left(&self) -> Vec<String> {
        lock(&self.inner).runs.keys().cloned().collect()
    }

    fn server(&self, number: usize) -> Option<(Process, Engine)> {
        lock(&self.inner).servers.get(&number).cloned()
    }

    fn run<T>(&self, run: RunId, deed: impl FnOnce(&mut Kept) -> T) -> T {
        deed(lock(&self.inner).runs.entry(run.to_string()).or_default())
    }

    /// Looks at a run, which is not there by being looked at.
    fn look<T>(&self, run: RunId, deed: impl FnOnce(&Kept) -> T) -> Option<T> {
        lock(&self.inner).runs.get(&run.to_string()).map(deed)
    }

    /// Nobody serves any more: engines know their machine, and the machine its engines.
    pub fn close(&self) {
        lock(&self.inner).servers.clear();
    }

    fn make(&self, address: &str) -> String {
        let mut inner = lock(&self.inner);
        inner.made += 1;
        let name = format!("thing-{}", inner.made);
        inner.things.insert(name.clone(), address.to_owned());
        name
    }

    fn destroy(&self, name: &str) {
        lock(&self.inner).things.remove(name);
    }
}

/// The files of a directory of a run.
fn files_below(kept: &Kept, directory: &str) -> Files {
    let directory = format!("{}/", directory.trim_start_matches("./").trim_end_matches('/'));
    let inside = kept.files.iter().filter_map(|(path, content)| {
        let name = path.strip_prefix(&directory).filter(|name| !name.contains('/'))?;
        Some((name.to_owned(), content.clone()))
    });
    inside.collect()
}

/// A program that was started.
struct Started {
    machine: Arc<Machine>,
    /// Who started it.
    process: Process,
    run: RunId,
    command: Command,
    user: String,
    password: String,
}
