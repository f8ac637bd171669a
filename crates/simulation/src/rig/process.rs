//! A process as the outside sees it: it calls, it may be stopped, and once dead it is never heard of again.
//!
//! A dead process's calls wait for ever; its tasks go with the runtime.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hangar_store::memory::Memory;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::clock::RunClock;
use super::fate::{Fate, Fates, Site, When};

/// What all processes of a run share.
#[derive(Debug)]
pub struct Run {
    /// The time.
    pub clock: RunClock,
    fates: Mutex<Box<dyn Fates>>,
    trace: Mutex<Trace>,
    alive: Mutex<Vec<Arc<Life>>>,
    /// The store whose unsynced commits a power failure loses.
    volatile: Option<Arc<Memory>>,
    /// Somebody died.
    pub died: Notify,
}

#[derive(Debug, Default)]
struct Trace {
    lines: Vec<String>,
    /// Of all lines, those that were dropped included.
    hash: u64,
    count: u64,
    mishaps: u64,
    hung: bool,
}

/// So many lines of a trace are kept.
const LINES: usize = 4000;

impl Run {
    /// A run whose calls meet these fates.
    pub fn new(clock: RunClock, fates: Box<dyn Fates>, volatile: Option<Arc<Memory>>) -> Arc<Self> {
        Arc::new(Self {
            clock,
            fates: Mutex::new(fates),
            trace: Mutex::default(),
            alive: Mutex::default(),
            volatile,
            died: Notify::new(),
        })
    }

    /// From now on calls meet these.
    pub fn set_fates(&self, fates: Box<dyn Fates>) {
        *lock(&self.fates) = fates;
    }

    /// Adds a line to the trace.
    pub fn tell(&self, line: &str) {
        let at = self.clock.now().as_micros();
        let mut trace = lock(&self.trace);
        trace.count += 1;
        for byte in at.to_le_bytes().iter().chain(line.as_bytes()) {
            trace.hash = (trace.hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        if trace.lines.len() < LINES {
            trace.lines.push(format!("{:>14.6} {line}", seconds(at)));
        }
    }

    /// What happened, one line a call.
    pub fn trace(&self) -> Vec<String> {
        lock(&self.trace).lines.clone()
    }

    /// A number that two runs of a seed have in common, and hardly any other two.
    pub fn fingerprint(&self) -> u64 {
        lock(&self.trace).hash
    }

    /// How many calls had another fate than to be made and answered.
    pub fn mishaps(&self) -> u64 {
        lock(&self.trace).mishaps
    }

    /// Whether AWS has accepted a write that it never ends.
    pub fn has_hung(&self) -> bool {
        lock(&self.trace).hung
    }

    /// Begins a process.
    pub fn begin(self: &Arc<Self>, number: usize) -> Process {
        let life = Arc::new(Life::default());
        lock(&self.alive).push(life.clone());
        Process { number, run: self.clone(), life }
    }

    /// All that was committed is on disk.
    fn sync(&self) {
        if let Some(memory) = &self.volatile {
            memory.sync();
        }
    }

    /// The power fails: every process dies, and what was not synced is lost.
    fn lose_power(&self) {
        for life in lock(&self.alive).drain(..) {
            life.dead.store(true, Ordering::SeqCst);
        }
        if let Some(memory) = &self.volatile {
            memory.lose_unsynced();
        }
        self.died.notify_waiters();
    }
}

fn seconds(micros: i64) -> f64 {
    // Of the year 2026: only the digits after it matter.
    #[allow(clippy::cast_precision_loss, reason = "for people")]
    let seconds = (micros - 1_767_225_600_000_000) as f64 / 1e6;
    seconds
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug, Default)]
struct Life {
    dead: AtomicBool,
    stopped_until: Mutex<Option<Instant>>,
}

/// One process, from its start to its death.
#[derive(Debug, Clone)]
pub struct Process {
    /// Which of the replicas it is.
    pub number: usize,
    /// The run that it is in.
    pub run: Arc<Run>,
    life: Arc<Life>,
}

impl Process {
    /// Whether it has died.
    pub fn is_dead(&self) -> bool {
        self.life.dead.load(Ordering::SeqCst)
    }

    /// Kills it.
    pub fn kill(&self) {
        self.life.dead.store(true, Ordering::SeqCst);
        self.run.died.notify_waiters();
    }

    /// Whether it is that very process, and not the one that came after it.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.life, &other.life)
    }

    /// Returns when it has died.
    pub async fn death(&self) {
        loop {
            let died = self.run.died.notified();
            if self.is_dead() {
                return;
            }
            died.await;
        }
    }

    /// Waits while it is stopped, and for ever where it is dead.
    pub(super) async fn go_on(&self) {
        loop {
            if self.is_dead() {
                std::future::pending::<()>().await;
            }
            let until = *lock(&self.life.stopped_until);
            match until.filter(|until| *until > Instant::now()) {
                Some(until) => tokio::time::sleep_until(until).await,
                None => return,
            }
        }
    }

    fn stop_for(&self, span: Duration) {
        *lock(&self.life.stopped_until) = Some(Instant::now() + span);
    }

    /// Asks for the fate of a call, and tells it.
    pub(super) fn fate(&self, site: Site, what: &str) -> Fate {
        let fate = lock(&self.run.fates).decide(self.number, site);
        let told = if fate == Fate::Go { String::new() } else { format!(" {fate:?}") };
        if fate != Fate::Go {
            let mut trace = lock(&self.run.trace);
            trace.mishaps += 1;
            trace.hung |= fate == Fate::Hangs;
        }
        self.run.tell(&format!("{} {site} {what}{told}", self.number));
        fate
    }

    /// Makes a call as its fate has it.
    pub(super) async fn call<T, E>(
        &self,
        fate: Fate,
        call: impl Future<Output = Result<T, E>>,
        failure: impl FnOnce(When) -> E,
    ) -> Result<T, E> {
        let answer = match fate {
            Fate::Later(span) => {
                tokio::time::sleep(span).await;
                self.go_on().await;
                call.await
            }
            Fate::Stops(span) => {
                self.stop_for(span);
                self.go_on().await;
                call.await
            }
            Fate::Fails(When::Before) => Err(failure(When::Before)),
            Fate::Fails(When::After) => call.await.and_then(|_| Err(failure(When::After))),
            Fate::Dies(When::Before) => {
                self.kill();
                std::future::pending().await
            }
            Fate::Dies(When::After) => {
                // What it did stays; nobody is told.
                let _ = call.await;
                self.kill();
                std::future::pending().await
            }
            Fate::PowerFails(When::Before) => {
                // All before it is on disk; this one is committed, and not on disk yet.
                self.run.sync();
                let _ = call.await;
                self.run.lose_power();
                std::future::pending().await
            }
            Fate::PowerFails(When::After) => {
                let _ = call.await;
                self.run.sync();
                self.run.lose_power();
                std::future::pending().await
            }
            _ => call.await,
        };
        self.go_on().await;
        answer
    }
}
