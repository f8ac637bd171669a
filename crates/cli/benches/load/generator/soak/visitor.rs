//! One caller of a soak: puts, changes, reads, drift and deletes of aliases of its own.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::client::Connection;
use super::super::names::scattered;
use super::super::server::Caller;
use super::path;

/// How many aliases each caller has.
const ALIASES: u64 = 40;

/// How fast the callers are, together.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Microseconds between the calls of one.
    interval: AtomicU64,
    stopped: AtomicBool,
}

impl Pace {
    pub(super) fn slow_to(&self, visitors: u64, rate: f64) {
        let each = Duration::from_secs_f64(super::super::drive::float(visitors) / rate.max(1.0));
        self.interval.store(u64::try_from(each.as_micros()).unwrap_or(0), Ordering::Relaxed);
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

/// What came of the calls.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) answered: AtomicU64,
    /// Status below 300, and what was not there.
    pub(super) done: AtomicU64,
    pub(super) conflicts: AtomicU64,
    pub(super) refused: AtomicU64,
    /// No answer: the server was killed meanwhile.
    pub(super) cut: AtomicU64,
    last_refusal: Mutex<Option<String>>,
}

impl Tally {
    fn met(&self, status: u16, body: &[u8]) {
        self.answered.fetch_add(1, Ordering::Relaxed);
        let counter = match status {
            ..300 | 404 => &self.done,
            409 => &self.conflicts,
            _ => {
                let text = format!("{status} {}", String::from_utf8_lossy(body));
                *self.last_refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
                &self.refused
            }
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn last_refusal(&self) -> Option<String> {
        self.last_refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Calls until it is told to stop.
pub(super) async fn visit(caller: Caller, number: u64, pace: Arc<Pace>, tally: Arc<Tally>) {
    let mut connection: Option<Connection> = None;
    let mut step = 0;
    while !pace.stopped.load(Ordering::Relaxed) {
        let began = Instant::now();
        let request = request(&caller, number, scattered(number << 40 | step));
        step += 1;
        let open = match connection.take() {
            Some(open) => Some(open),
            None => caller.connect().await.ok(),
        };
        let Some(mut open) = open else {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        match open.send(&request).await {
            Ok(answer) => {
                tally.met(answer.status, answer.body);
                connection = Some(open);
            }
            Err(_) => {
                tally.cut.fetch_add(1, Ordering::Relaxed);
            }
        }
        let interval = Duration::from_micros(pace.interval.load(Ordering::Relaxed));
        tokio::time::sleep(interval.saturating_sub(began.elapsed())).await;
    }
}

/// The next call, drawn by lot: half of them write.
fn request(caller: &Caller, visitor: u64, lot: u64) -> Vec<u8> {
    let alias = format!("soak-{visitor}-{}", lot % ALIASES);
    let path = path(&alias);
    match (lot >> 32) % 100 {
        0..40 => caller.write("PUT", &path, "wait=30", &wanted(&alias, lot)),
        40..55 => caller.write("DELETE", &path, "wait=30", &Value::Null),
        55..65 => caller.write("POST", &format!("{path}/:drift"), "wait=30", &json!({})),
        _ => caller.get(&path),
    }
}

/// A resource that carries its alias, and something that changes.
fn wanted(alias: &str, lot: u64) -> Value {
    json!({ "properties": {
        "CidrBlock": "10.0.0.0/16",
        "EnableDnsHostnames": (lot >> 48).is_multiple_of(2),
        "EnableDnsSupport": true,
        "Tags": [{"Key": "Name", "Value": alias}],
    }})
}
