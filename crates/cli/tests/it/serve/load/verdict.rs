//! What came of a load: its history, the invariants over it, and how soon operations went on after each mishap.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::operation::{EntryState, OperationId};
use hangar_plan::record::{OperationRecord, Work};
use hangar_simulation::history::collect::existing;
use hangar_simulation::history::{History, Invariant, check};
use serde_json::Value;

use super::book::Book;
use super::kept::{Kept, Running};
use super::runs::{self, Runs};
use crate::http::Connection;

/// How long a lease lasts; and how much longer it may take until its operation goes on.
const RECOVERED_WITHIN: Duration = Duration::from_secs(10 + 5);

/// A load that has ended, without what the store knows of it.
pub(crate) struct Ended {
    answered: u64,
    struck: Vec<(Timestamp, Running)>,
    moved: BTreeSet<(OperationId, Timestamp)>,
    history: History,
}

/// What came of it.
pub(crate) struct Outcome {
    pub(crate) answered: u64,
    pub(crate) operations: usize,
    /// Runs of templates among them.
    pub(crate) runs: Runs,
    pub(crate) calls: usize,
    /// Aliases of which it is not known yet what they stand for.
    pub(crate) unknown: usize,
    /// Operations that wait until a delete whose answer was lost cannot arrive any more.
    pub(crate) held: usize,
    /// How often an operation was under way when something happened, and how soon 99 of 100 went on.
    pub(crate) struck: usize,
    pub(crate) recovery: Duration,
    /// What is not as it must be.
    pub(crate) violations: Vec<String>,
}

impl Ended {
    pub(super) fn read(mut book: Book, answered: u64, simulator: &mut Connection) -> Self {
        let mut get = |path: &str| simulator.control("GET", path, &Value::Null).unwrap().body;
        while book.calls.add(&get(&book.calls.path())) {}
        let mut resources = Vec::new();
        let mut after = String::new();
        loop {
            let page = get(&format!("resources?limit=10000{after}"));
            resources.extend(page["resources"].as_array().into_iter().flatten().cloned());
            let Some(next) = page["next"].as_str() else { break };
            after = format!("&after={next}");
        }
        let requests = get("requests?limit=100000");
        let lost = requests["requests"].as_array().map_or(0, Vec::len) == 100_000;
        assert!(!lost, "more requests than the simulator tells of");
        let history = History {
            calls: book.calls.whole().expect("the log was read before it forgot"),
            resources: existing(&resources, &requests),
            told: book.told,
            hands: book.hands,
            mishaps: u64::MAX,
            mishaps_at: book.mishaps,
            ..History::default()
        };
        Self { answered, struck: book.struck, moved: book.moved, history }
    }

    /// Reads the store, and checks all of it.
    pub(crate) fn judge(self, kept: &Kept<'_>) -> Outcome {
        let Self { answered, struck, moved, history: aws } = self;
        let (store, deployments) = kept.read();
        let history = History {
            operations: store.operations,
            events: store.events,
            references: store.references,
            ..aws
        };
        let held = held(&history);
        let broken = check(&history).into_iter().filter(|it| {
            it.invariant != Invariant(4) || !held.iter().any(|id| it.what.contains(id))
        });
        let mut violations: Vec<String> = broken.map(|it| it.to_string()).collect();
        violations.extend(runs::complaints(&history, &deployments));
        let spans = spans(&history, &struck, &moved);
        let last = spans.get(spans.len() * 99 / 100).copied();
        let recovery = last.map_or(Duration::ZERO, |(span, _)| span);
        if let Some((_, late)) = last.filter(|_| recovery >= RECOVERED_WITHIN) {
            let told = history.events.iter().filter(|it| it.operation == late);
            let told: Vec<_> = told.map(|it| format!("{} {}", it.at, it.message)).collect();
            violations.push(format!("99 of 100 went on after {recovery:?}; {late}: {told:#?}"));
        }
        let unknown = history.references.iter().filter(|it| it.entry.state == EntryState::Unknown);
        Outcome {
            answered,
            operations: history.operations.len(),
            runs: Runs::of(&history),
            calls: history.calls.len(),
            unknown: unknown.count(),
            held: held.len(),
            struck: spans.len(),
            recovery,
            violations,
        }
    }
}

impl Outcome {
    /// What is counted, for a line of the test command.
    pub(crate) fn figures(&self) -> String {
        let Self {
            answered,
            operations,
            runs: Runs { succeeded, failed, stopped },
            calls,
            unknown,
            held,
            struck,
            recovery,
            violations,
        } = self;
        let deployments = self.runs.count();
        format!(
            "{answered} writes answered, {operations} operations, {deployments} of them deployments ({succeeded} \
             succeeded, {failed} failed, {stopped} stopped), {calls} calls of AWS, {struck} struck, recovery p99 \
             {} ms, {unknown} unknown, {held} held, {} violations",
            recovery.as_millis(),
            violations.len()
        )
    }
}

/// The names of operations that have not ended, by design: the last thing that each said is what it waits for; and
/// those that they are a part of.
fn held(history: &History) -> Vec<String> {
    let running = history.operations.iter().filter(|it| !it.is_ended());
    let waits = |record: &&OperationRecord| {
        let mut told = history.events.iter().filter(|it| it.operation == record.id());
        told.next_back().is_some_and(|it| it.message.starts_with("gone; waiting until a delete"))
    };
    let held = running.filter(waits).flat_map(|it| [Some(it.id()), it.parent]);
    held.flatten().map(|id| id.to_string()).collect()
}

/// How long it took each operation that ran when something died to go on, shortest first: to be written to in the
/// store, or to be asked for at AWS. One that was to wait anyway is late only after that.
fn spans(
    history: &History,
    struck: &[(Timestamp, Running)],
    moved: &BTreeSet<(OperationId, Timestamp)>,
) -> Vec<(Duration, OperationId)> {
    let mut signs: BTreeMap<OperationId, Vec<Timestamp>> = BTreeMap::new();
    for event in &history.events {
        signs.entry(event.operation).or_default().push(event.at);
    }
    for (id, at) in moved {
        signs.entry(*id).or_default().push(*at);
    }
    let mut requests: BTreeMap<&str, OperationId> = BTreeMap::new();
    for record in &history.operations {
        for attempt in record.attempts() {
            requests.extend(attempt.request_token.as_deref().map(|it| (it, record.id())));
        }
    }
    for called in &history.calls {
        let by_token =
            called.client_token.as_deref().and_then(|it| OperationId::parse(it.get(..36)?));
        let by_request = called.request_token.as_deref().and_then(|it| requests.get(it).copied());
        if let Some(id) = by_token.or(by_request) {
            signs.entry(id).or_default().push(called.at);
        }
    }
    // Reads carry no token: one of what an operation works on, while it runs, is its own.
    let mut by_identifier: BTreeMap<&str, Vec<Timestamp>> = BTreeMap::new();
    for called in history.calls.iter().filter(|it| it.name == "GetResource") {
        by_identifier
            .entry(called.identifier.as_deref().unwrap_or_default())
            .or_default()
            .push(called.at);
    }
    for record in &history.operations {
        let own = record.resource().and_then(|work| work.operation.identifier.as_deref());
        let made = record.attempts().iter().filter_map(|it| it.identifier.as_deref());
        let end = record.ended_at.unwrap_or(Timestamp::from_micros(i64::MAX));
        for identifier in made.chain(own) {
            let reads = by_identifier.get(identifier).into_iter().flatten();
            let during = reads.filter(|at| (record.created_at..end).contains(*at));
            signs.entry(record.id()).or_default().extend(during);
        }
    }
    for signs in signs.values_mut() {
        signs.sort_unstable();
    }
    // A run of a template looks at its parts again and again.
    let moving =
        |it: &&OperationRecord| it.resource().is_some() || matches!(it.work, Work::Deployment(_));
    let moving = history.operations.iter().filter(moving);
    let begun: BTreeMap<OperationId, Timestamp> =
        moving.map(|record| (record.id(), record.created_at)).collect();
    let mut spans = Vec::new();
    for (at, Running { operation, due_at, .. }) in struck {
        // It is the operations of a group that go on, and it waits for them; and some have begun since.
        let Some(signs) =
            signs.get(operation).filter(|_| begun.get(operation).is_some_and(|begun| begun < at))
        else {
            continue;
        };
        let next = signs.partition_point(|sign| sign <= at);
        spans.extend(signs.get(next).map(|sign| (sign.since(*at.max(due_at)), *operation)));
    }
    spans.sort_unstable();
    spans
}
