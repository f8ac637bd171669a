//! Load in a closed loop: each connection sends its next request when the last one is answered.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use super::client::Connection;
use super::process::{cpu, load_average, memory};

/// Makes the bytes of the request of a number.
pub(crate) type Requests = Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync>;

/// How much of it there is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Amount {
    /// As many requests as fit into so long; then every connection is cut.
    For(Duration),
    /// So many requests, all of them answered.
    Count(u64),
}

/// Whom a load goes to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aim {
    pub(crate) address: SocketAddr,
    /// Whose CPU time and memory are told.
    pub(crate) pid: u32,
}

/// What a load met.
#[derive(Debug, Clone, Default)]
pub(crate) struct Load {
    /// How often each status was answered.
    pub(crate) statuses: BTreeMap<u16, u64>,
    /// Connections that were not taken.
    pub(crate) refused: u64,
    /// Requests whose connection broke.
    pub(crate) broken: u64,
    /// Microseconds from request to answer, of those with a status below 300; sorted at the end.
    times: Vec<u32>,
    pub(crate) took: Duration,
    pub(crate) server_cpu: Duration,
    pub(crate) client_cpu: Duration,
    /// Resident memory of the server at the end, in mebibytes.
    pub(crate) memory: f64,
    /// How many processes wanted to run, over the last minute.
    pub(crate) machine: f64,
}

impl Load {
    /// Those with a status below 300.
    pub(crate) fn accepted(&self) -> u64 {
        self.times.len() as u64
    }

    /// All that was answered.
    pub(crate) fn answered(&self) -> u64 {
        self.statuses.values().sum()
    }

    /// Accepted requests a second.
    pub(crate) fn rate(&self) -> f64 {
        float(self.accepted()) / self.took.as_secs_f64()
    }

    /// Milliseconds within which so many of a thousand accepted requests were answered.
    pub(crate) fn within(&self, permille: usize) -> f64 {
        let last = self.times.len().saturating_sub(1);
        self.times.get(last * permille / 1000).map_or(f64::NAN, |it| f64::from(*it) / 1000.0)
    }

    /// CPU time of the server for each answer, in microseconds.
    pub(crate) fn cpu_each(&self) -> f64 {
        self.server_cpu.as_secs_f64() * 1e6 / float(self.answered())
    }

    /// The generator's part of the CPU time that both took.
    pub(crate) fn client_share(&self) -> f64 {
        let (client, server) = (self.client_cpu.as_secs_f64(), self.server_cpu.as_secs_f64());
        client / (client + server)
    }

    /// Answers with another status, and none at all.
    pub(crate) fn unwanted(&self) -> u64 {
        self.answered() - self.accepted() + self.refused + self.broken
    }

    /// Answers that say that the server has enough to do.
    pub(crate) fn shed(&self) -> u64 {
        self.statuses.get(&503).copied().unwrap_or(0)
    }

    fn met(&mut self, status: u16, took: Duration) {
        *self.statuses.entry(status).or_default() += 1;
        if status < 300 {
            self.times.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
        }
    }
}

/// A count as a number to divide by.
#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}

/// Loads a server.
pub(crate) async fn drive(
    aim: Aim,
    connections: usize,
    amount: Amount,
    requests: &Requests,
) -> Load {
    let met = Arc::new(Mutex::new(Load::default()));
    let next = Arc::new(AtomicU64::new(0));
    let own = std::process::id();
    let before = (cpu(aim.pid), cpu(own));
    let started = Instant::now();
    let mut clients = JoinSet::new();
    for _ in 0..connections {
        let (met, next, requests) = (met.clone(), next.clone(), requests.clone());
        clients.spawn(client(aim.address, amount, next, requests, met));
    }
    let all = async { while clients.join_next().await.is_some() {} };
    match amount {
        Amount::Count(_) => all.await,
        // What is under way then is cut: its callers are gone.
        Amount::For(span) => drop(tokio::time::timeout(span, all).await),
    }
    let took = started.elapsed();
    let after = (cpu(aim.pid), cpu(own));
    drop(clients);
    let mut load = std::mem::take(&mut *met.lock().unwrap_or_else(PoisonError::into_inner));
    load.times.sort_unstable();
    load.took = took;
    load.server_cpu = after.0.saturating_sub(before.0);
    load.client_cpu = after.1.saturating_sub(before.1);
    load.memory = memory(aim.pid, "VmRSS");
    load.machine = load_average();
    load
}

/// One connection at a time, until enough was sent.
async fn client(
    address: SocketAddr,
    amount: Amount,
    next: Arc<AtomicU64>,
    requests: Requests,
    met: Arc<Mutex<Load>>,
) {
    let note = |change: &dyn Fn(&mut Load)| {
        change(&mut met.lock().unwrap_or_else(PoisonError::into_inner));
    };
    loop {
        let Ok(mut connection) = Connection::open(address).await else {
            note(&|load| load.refused += 1);
            if matches!(amount, Amount::Count(_)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if matches!(amount, Amount::Count(count) if number >= count) {
                return;
            }
            let request = requests(number);
            let sent = Instant::now();
            let Ok(answer) = connection.send(&request).await else {
                note(&|load| load.broken += 1);
                break;
            };
            note(&|load| load.met(answer.status, sent.elapsed()));
        }
    }
}
