//! I4, I6, I7: operations end, what was told of them stays, and none is forgotten.

use std::collections::BTreeMap;

use hangar_plan::operation::{Ending, FailureKind, OperationId};
use hangar_plan::record::{EventRecord, OperationRecord};

use super::super::Word;
use super::index::Index;

pub(super) fn nothing_is_stuck(index: &Index<'_>, found: &mut Vec<String>) {
    for record in index.operations.values().filter(|record| !record.is_ended()) {
        found.push(format!("operation {} has not ended", record.id()));
    }
    for record in index.operations.values() {
        if let Some(Ending::Failed(failure)) = record.ending()
            && failure.kind == FailureKind::Internal
        {
            let (id, why) = (record.id(), &failure.message);
            found.push(format!("operation {id} ended with an internal error: {why}"));
        }
    }
    for (key, reference) in &index.references {
        let holder = reference.entry.operation.and_then(|id| index.operations.get(&id));
        if reference.entry.operation.is_some() && holder.is_none_or(|record| record.is_ended()) {
            found.push(format!("{key} is locked by an operation that does not run"));
        }
    }
}

pub(super) fn what_was_told_stays(index: &Index<'_>, found: &mut Vec<String>) {
    let mut last: BTreeMap<OperationId, (&str, Option<&str>)> = BTreeMap::new();
    for told in &index.history.told {
        let Word::Status(id, status, body) = &told.what else { continue };
        let (status, body) = (status.as_str(), body.as_deref());
        if let Some((before, body_before)) = last.insert(*id, (status, body)) {
            if rank(status) < rank(before) || (rank(before) == ENDED && status != before) {
                found.push(format!("operation {id} was reported as {before}, then as {status}"));
            } else if rank(before) == ENDED && body != body_before {
                found.push(format!("operation {id} had ended, but its reported result changed"));
            }
        }
    }
    for (id, (status, _)) in last {
        let Some(record) = index.operations.get(&id) else { continue };
        let kept = record.ending().map(word);
        if rank(status) == ENDED && kept != Some(status) {
            found.push(format!(
                "operation {id} was reported as {status}, but is stored as {kept:?}"
            ));
        }
    }
}

const ENDED: u8 = 2;

/// How far an operation is that is told by this word.
fn rank(status: &str) -> u8 {
    match status {
        "Succeeded" | "Failed" | "Canceled" => ENDED,
        "Accepted" => 0,
        _ => 1,
    }
}

fn word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Succeeded(_) => "Succeeded",
        Ending::Failed(_) => "Failed",
        Ending::Canceled(_) => "Canceled",
    }
}

pub(super) fn events_are_whole_and_end(index: &Index<'_>, found: &mut Vec<String>) {
    let mut by_operation: BTreeMap<OperationId, Vec<&EventRecord>> = BTreeMap::new();
    for event in &index.history.events {
        by_operation.entry(event.operation).or_default().push(event);
    }
    for (id, events) in by_operation {
        let in_order = events.iter().zip(1..).all(|(event, number)| event.sequence == number)
            && events.is_sorted_by_key(|event| event.at);
        if !in_order {
            let numbers: Vec<u64> = events.iter().map(|event| event.sequence).collect();
            found.push(format!("the events of operation {id} have the numbers {numbers:?}, or are not in order of time"));
        }
        let Some(record) = index.operations.get(&id) else { continue };
        let Some(ended_at) = record.ended_at.filter(|_| !is_unknown(record)) else { continue };
        // The end itself is written a moment after the instant that it is told with.
        let after: Vec<_> = events.iter().filter(|event| event.at > ended_at).collect();
        if after.len() > 1 {
            let last = &after[after.len() - 1].message;
            found.push(format!("operation {id} had ended, then recorded: {last}"));
        }
    }
    for record in index.operations.values() {
        if record.is_ended() != record.ended_at.is_some() {
            found.push(format!(
                "operation {} has a result without an end time, or an end time without a result",
                record.id()
            ));
        }
    }
}

/// Whether it is still looked for what an operation made, though it has ended.
fn is_unknown(record: &OperationRecord) -> bool {
    matches!(record.ending(), Some(Ending::Failed(failure)) if failure.kind == FailureKind::Unknown)
}

pub(super) fn what_was_accepted_is_found(index: &Index<'_>, found: &mut Vec<String>) {
    for told in &index.history.told {
        let Word::Accepted(id) = &told.what else { continue };
        let may_be_pruned = index.history.pruned_before.is_some_and(|before| told.at < before);
        match index.operations.get(id) {
            None if may_be_pruned => {}
            None => found.push(format!("operation {id} was accepted, but does not exist")),
            Some(record) => {
                let (Some(asked), Some(kept)) = (&told.name, record.reference()) else { continue };
                let renamed = index
                    .reference_of(record)
                    .is_some_and(|it| it.is_known_as(&asked.key()) && it.is_known_as(&kept.key()));
                if asked.key() != kept.key() && !renamed {
                    let (asked, kept) = (asked.key(), kept.key());
                    found.push(format!(
                        "operation {id} was accepted for {asked}, but belongs to {kept}"
                    ));
                }
            }
        }
    }
}
