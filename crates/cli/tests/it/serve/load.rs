//! Every kind of write at once, for as long as a test wants, and what must be true after it: the invariants of
//! `hangar_simulation::history`, over all that was asked, told, kept and done.

mod book;
mod deeds;
mod deploys;
mod kept;
mod runs;
mod trouble;
mod verdict;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Client, VERSION};
use crate::http::{Connection, PATIENCE};
use crate::simulator::Simulator;
use book::Book;
pub(crate) use kept::Kept;
pub(crate) use verdict::Ended;

const WRITERS: u64 = 6;

/// Whether AWS misbehaves besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It does what it is asked.
    None,
    /// It throttles, loses answers, and fails, now and then.
    Faults,
}

/// Writers at work.
pub(crate) struct Load {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// What the writers share.
struct Shared {
    client: Client,
    /// Where the server listens: it may have moved.
    address: Mutex<SocketAddr>,
    simulator: SocketAddr,
    stop: AtomicBool,
    answered: AtomicU64,
    book: Mutex<Book>,
}

impl Load {
    /// Begins to write, on a control plane that nobody has written to before.
    pub(crate) fn start(client: Client, simulator: &Simulator, trouble: Trouble) -> Self {
        let mut first = client.again();
        let group = format!("/planes/radius/local/resourceGroups/{}?{VERSION}", deeds::GROUP);
        assert_eq!(first.must("PUT", &group, &json!({})).status, 201);
        let shared = Arc::new(Shared {
            address: Mutex::new(client.address),
            client,
            simulator: simulator.address(),
            stop: AtomicBool::new(false),
            answered: AtomicU64::new(0),
            book: Mutex::default(),
        });
        let mut load = Self { shared, threads: Vec::new() };
        for writer in 0..WRITERS {
            load.spawn(move |shared| deeds::write(shared, writer));
        }
        load.spawn(deeds::write_groups);
        for deployer in 0..deploys::DEPLOYERS {
            load.spawn(move |shared| deploys::write(shared, deployer));
        }
        load.spawn(book::observe);
        load.spawn(book::read_calls);
        if trouble == Trouble::Faults {
            load.spawn(trouble::make);
        }
        load
    }

    fn spawn(&mut self, work: impl FnOnce(&Shared) + Send + 'static) {
        let shared = self.shared.clone();
        self.threads.push(std::thread::spawn(move || work(&shared)));
    }

    /// The server listens somewhere else now.
    pub(crate) fn moved(&self, address: SocketAddr) {
        *self.shared.address.lock().unwrap() = address;
    }

    /// Something dies now, or sleeps, or has come back.
    pub(crate) fn mishap(&self) {
        self.shared.book.lock().unwrap().mishap();
    }

    /// Kills somebody. On a busy machine the deed comes long after the decision: that it is done is noted too.
    pub(crate) fn dies(&self, kill: impl FnOnce()) {
        self.mishap();
        kill();
        self.mishap();
    }

    /// Another one is in its place. A busy simulator may have read only now what the dead one sent.
    pub(crate) fn came_back(&self) {
        self.mishap();
    }

    /// Looks what is under way, after somebody has died and another lives.
    pub(crate) fn strike(&self, kept: &Kept<'_>) {
        let running = kept.running();
        self.shared.book.lock().unwrap().strike(running);
    }

    /// Waits until nothing is under way but what is held by design: where the answer of a delete was lost and its
    /// request failed, until that call cannot arrive any more.
    fn wait(&self, kept: &Kept<'_>) {
        let until = Instant::now() + Duration::from_mins(3);
        loop {
            let running = kept.running();
            self.shared.book.lock().unwrap().glimpse(&running);
            let soon = book::now().after(Duration::from_mins(2));
            // A run of a template waits with its parts.
            let held = running.iter().filter(|it| it.due_at >= soon).filter_map(|it| it.parent);
            let held: Vec<_> = held.collect();
            let stuck: Vec<_> = running
                .iter()
                .filter(|it| it.due_at < soon && !held.contains(&it.operation))
                .collect();
            if stuck.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "stuck: {stuck:#?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends it, waits until nothing is under way, and asks AWS what there is.
    pub(crate) fn end(mut self, kept: &Kept<'_>) -> Ended {
        self.shared.stop.store(true, Ordering::Relaxed);
        for thread in std::mem::take(&mut self.threads) {
            thread.join().unwrap();
        }
        let simulator = || Connection::open(self.shared.simulator).unwrap();
        assert_eq!(simulator().control("DELETE", "faults", &Value::Null).unwrap().status, 200);
        let mut client = self.shared.client();
        client.patience = PATIENCE;
        self.wait(kept);
        let mut book = std::mem::take(&mut *self.shared.book.lock().unwrap());
        book.ask_once_more(&mut client);
        let answered = self.shared.answered.load(Ordering::Relaxed);
        Ended::read(book, answered, &mut simulator())
    }
}

impl Shared {
    fn client(&self) -> Client {
        // One that is paused does not answer, and another one would.
        Client {
            address: *self.address.lock().unwrap(),
            patience: Duration::from_secs(3),
            ..self.client.again()
        }
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Waits until no operation is under way.
pub(crate) fn settle(client: &mut Client) {
    let path =
        "/planes/radius/local/providers/System.Resources/operationStatuses?running=true&$top=10";
    let until = Instant::now() + Duration::from_mins(2);
    loop {
        let running = client.must("GET", path, &Value::Null).body;
        if running["value"].as_array().is_some_and(Vec::is_empty) {
            return;
        }
        assert!(Instant::now() < until, "stuck: {running:#}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub(crate) fn roll(dice: &mut u64) -> u64 {
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    *dice >> 11
}

pub(crate) fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(60)..].join("\n")
}
