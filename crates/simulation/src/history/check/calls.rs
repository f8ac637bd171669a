//! I8, I9, I11, I13: what AWS was asked, how often, with which tokens.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::operation::{Attempt, Ending, OperationId, SuccessKind, Verb};

use super::super::Called;
use super::index::{Index, is_write, may_be_done, operation_of};

/// No create is called with a token older than this.
const CREATE_WITHIN: Duration = Duration::from_hours(24);

/// How far the clock of AWS may be behind what a mishap was written down with.
const ABOUT: Duration = Duration::from_millis(50);

pub(super) fn no_create_with_an_old_token(index: &Index<'_>, found: &mut Vec<String>) {
    for called in index.history.calls.iter().filter(|it| it.name == "CreateResource") {
        let Some(token) = called.client_token.as_deref() else { continue };
        let Some(record) = index.sender(called) else { continue };
        // A record keeps all of its attempts: a token that it does not have is not one that was stored.
        let mut attempts = record.attempts().iter();
        let Some(attempt) = attempts.find(|it| it.client_token == token) else { continue };
        let age = called.at.since(attempt.born_at);
        if age > CREATE_WITHIN {
            found.push(format!("{token} was sent when it was {} h old", age.as_secs() / 3600));
        }
    }
}

pub(super) fn a_token_is_one_request(index: &Index<'_>, found: &mut Vec<String>) {
    let mut asked: BTreeMap<&str, &Called> = BTreeMap::new();
    for called in &index.history.calls {
        let Some(token) = called.client_token.as_deref() else { continue };
        if called.outcome == "ClientTokenConflictException" {
            found.push(format!("{token} was sent with different content"));
        }
        let first = asked.entry(token).or_insert(called);
        if (&first.name, &first.type_name) != (&called.name, &called.type_name) {
            let (was, is) = (&first.name, &called.name);
            found.push(format!("{token} was sent with {was}, then with {is}"));
        }
    }
}

/// A write is sent once; again only where an answer may have been lost. One that changes nothing sends none.
pub(super) fn no_more_writes_than_needed(index: &Index<'_>, found: &mut Vec<String>) {
    let mut sent: BTreeMap<&str, Vec<&Called>> = BTreeMap::new();
    let mut writers: BTreeMap<OperationId, BTreeSet<&str>> = BTreeMap::new();
    for called in index.history.calls.iter().filter(|it| is_write(it)) {
        let Some(token) = called.client_token.as_deref() else { continue };
        if let Some(id) = operation_of(token) {
            writers.entry(id).or_default().insert(&called.name);
        }
        if called.name == "CreateResource" && may_be_done(called) {
            sent.entry(token).or_default().push(called);
        }
    }
    for record in index.operations.values() {
        let Some(Ending::Succeeded(success)) = record.ending() else { continue };
        let id = record.id();
        // It may have deleted what was replaced before it.
        let tidies = |it: &Attempt| it.verb == Verb::Delete && it.replaces.is_some();
        let tidied = record.attempts().iter().any(tidies);
        let sent = writers
            .get(&id)
            .is_some_and(|names| names.iter().any(|it| !tidied || *it != "DeleteResource"));
        if success.kind == SuccessKind::Noop && (sent || (record.calls.writes > 0 && !tidied)) {
            found.push(format!("operation {id} ended as a no-op, but it wrote"));
        }
    }
    for (token, calls) in sent {
        // One that AWS itself did not answer is sent again in any case.
        let heard = calls.iter().filter(|it| it.outcome != "dropped").count();
        let again = (heard as u64).saturating_sub(1);
        if again > index.history.mishaps {
            let mishaps = index.history.mishaps;
            found.push(format!(
                "{token} was sent again {again} times, after {mishaps} injected faults"
            ));
        }
        let needless = calls.windows(2).find(|pair| !is_excused(index, pair[0], pair[1]));
        if let Some(pair) = needless {
            let (from, to) = (pair[0].at, pair[1].at);
            found.push(format!(
                "{token} was sent at {from} and again at {to} without a reason in between"
            ));
        }
    }
}

/// Whether something happened between two calls with one token that could have lost the first one's answer.
fn is_excused(index: &Index<'_>, first: &Called, second: &Called) -> bool {
    let mishaps = &index.history.mishaps_at;
    let (from, to) = (before(first.at, ABOUT), second.at.after(ABOUT));
    mishaps.is_empty()
        || first.outcome == "dropped"
        || mishaps.iter().any(|at| (from..=to).contains(at))
}

fn before(at: Timestamp, span: Duration) -> Timestamp {
    Timestamp::from_micros(at.as_micros() - i64::try_from(span.as_micros()).unwrap_or(0))
}

/// In one second at most the rate and what a full bucket adds, in ten hardly more than the rate.
pub(super) fn within_the_budget(index: &Index<'_>, found: &mut Vec<String>) {
    let Some(rate) = index.history.rate.map(u64::from) else { return };
    let mut by_place: BTreeMap<&str, Vec<Timestamp>> = BTreeMap::new();
    for called in &index.history.calls {
        by_place.entry(&called.place).or_default().push(called.at);
    }
    for (place, mut at) in by_place {
        at.sort_unstable();
        for (seconds, most) in [(1, rate * 14 / 10), (10, rate * 104 / 10)] {
            let busiest = busiest(&at, Duration::from_secs(seconds));
            if busiest > most {
                found.push(format!("{place} was called {busiest} times within {seconds} s"));
            }
        }
    }
}

/// The most instants that lie within a span.
fn busiest(at: &[Timestamp], span: Duration) -> u64 {
    let mut first = 0;
    let mut most = 0;
    for (last, now) in at.iter().enumerate() {
        while now.since(at[first]) >= span {
            first += 1;
        }
        most = most.max(last + 1 - first);
    }
    most as u64
}
