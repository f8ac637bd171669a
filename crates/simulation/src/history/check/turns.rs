//! I5, I12: operations on an alias take turns. It is a register that one holds at a time: reserved by the
//! transaction that accepts an operation, free again by the one that ends it.

use std::collections::BTreeSet;

use hangar_plan::operation::AttemptOutcome;
use hangar_plan::record::{OperationRecord, ReferenceName};

use super::super::Called;
use super::index::{Index, is_write, may_be_done};

pub(super) fn one_at_a_time(index: &Index<'_>, found: &mut Vec<String>) {
    for (key, records) in &index.by_alias {
        // In the order in which they began, each must have ended before the next one.
        for pair in records.windows(2) {
            let [first, second] = pair else { continue };
            if first.ended_at.is_none_or(|ended_at| ended_at > index.began(second)) {
                let (first, second) = (first.id(), second.id());
                found.push(format!("{key}: operation {second} started before {first} ended"));
            }
        }
    }
}

/// While an operation runs on an alias no other one begins a write there, and none begins one after its end.
///
/// A call with a token that AWS has had before is the same request again, however late it comes. And a call
/// that nobody got an answer of may come late: that the machine reckons with it is told by its record.
pub(super) fn nobody_else_writes(index: &Index<'_>, found: &mut Vec<String>) {
    let mut begun = BTreeSet::new();
    for called in index.history.calls.iter().filter(|it| is_write(it) && may_be_done(it)) {
        let Some(token) = called.client_token.as_deref() else { continue };
        let Some(record) = index.sender(called) else { continue };
        if !begun.insert(token) || may_come_late(record, token) {
            continue;
        }
        let Called { name, at, .. } = called;
        if record.ended_at.is_some_and(|ended_at| *at > ended_at) {
            found.push(format!("{name} {token} was sent after its operation had ended"));
        }
        let key = record.reference().map(ReferenceName::key).unwrap_or_default();
        let others = index.by_alias.get(&key).into_iter().flatten();
        for other in others.filter(|other| other.id() != record.id()) {
            let runs = index.began(other) < *at && other.ended_at.is_none_or(|end| *at < end);
            if runs {
                found.push(format!("{name} {token} was sent while {} ran on {key}", other.id()));
            }
        }
    }
}

/// Whether a call with this token can be under way though its operation has gone on.
fn may_come_late(record: &OperationRecord, token: &str) -> bool {
    let attempt = record.attempts().iter().find(|attempt| attempt.client_token == token);
    attempt.is_none_or(|attempt| {
        attempt.unanswered > 0
            || matches!(attempt.outcome, AttemptOutcome::Lost | AttemptOutcome::Superseded)
    })
}
