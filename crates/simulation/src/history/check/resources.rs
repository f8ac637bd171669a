//! I1, I2, I3: what exists at AWS beside what the store knows of it.

use std::collections::{BTreeMap, BTreeSet};

use hangar_plan::operation::{AttemptOutcome, EntryState};
use hangar_plan::record::{OperationRecord, ReferenceName};

use super::super::Existing;
use super::index::{Index, operation_of};

pub(super) fn one_for_an_alias(index: &Index<'_>, found: &mut Vec<String>) {
    let mut current: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for existing in &index.history.resources {
        let Some(maker) = index.maker(existing) else { continue };
        let namer = index.namer(existing);
        let is_retiring = namer.is_some_and(|it| {
            it.entry.identifier.as_ref() != Some(&existing.identifier)
                && it.entry.retiring.contains(&existing.identifier)
        });
        if is_retiring || index.is_let_go(maker, existing) {
            continue;
        }
        let alias = namer.or_else(|| index.reference_of(maker)).map(|it| it.name.key());
        if let Some(key) = alias.or_else(|| maker.reference().map(ReferenceName::key)) {
            current.entry(key).or_default().push(&existing.identifier);
        }
    }
    for (key, identifiers) in current.iter().filter(|(_, identifiers)| identifiers.len() > 1) {
        found.push(format!("{key} has several resources: {}", identifiers.join(", ")));
    }
}

pub(super) fn everything_is_remembered(index: &Index<'_>, found: &mut Vec<String>) {
    for existing in &index.history.resources {
        let Some(token) = &existing.made_by else { continue };
        if index.namer(existing).is_some() {
            continue;
        }
        let what = format!("{} {}", existing.type_name, existing.identifier);
        match index.maker(existing) {
            // What was forgotten after its time is not looked for; its alias named what it made.
            None if operation_of(token).is_some() && index.history.pruned_before.is_none() => {
                found.push(format!("{what} was created by {token}, which belongs to no operation"));
            }
            None => {}
            Some(maker) if maker.reference().is_none() => {}
            Some(maker) if index.is_let_go(maker, existing) => {}
            Some(maker) if is_looked_for(index, maker, existing) => {}
            Some(_) => found.push(format!("{what}, created by {token}, has no reference")),
        }
    }
}

/// Whether it is known that a resource may be there: its alias is being worked on, or is not settled.
fn is_looked_for(index: &Index<'_>, maker: &OperationRecord, existing: &Existing) -> bool {
    if !maker.is_ended() {
        return true;
    }
    let Some(reference) = index.reference_of(maker) else { return false };
    let entry = &reference.entry;
    let holder = entry.operation.and_then(|id| index.operations.get(&id));
    holder.is_some_and(|it| !it.is_ended())
        || entry.state == EntryState::Unknown
        || entry.unsettled.iter().any(|it| Some(&it.client_token) == existing.made_by.as_ref())
}

pub(super) fn what_succeeded_is_there(index: &Index<'_>, found: &mut Vec<String>) {
    let exists: BTreeSet<&str> =
        index.history.resources.iter().map(|it| it.identifier.as_str()).collect();
    for (key, reference) in &index.references {
        let entry = &reference.entry;
        let Some(identifier) = entry.identifier.as_deref() else { continue };
        let is_ready = entry.state == EntryState::Ready && entry.operation.is_none();
        let gone = is_ready && !exists.contains(identifier);
        if gone && !index.touched.contains(identifier) && !is_deleted_by_mistake(index, identifier)
        {
            found.push(format!("{key} maps to {identifier}, which does not exist"));
        }
    }
}

/// Whether AWS was asked to delete it, said that it had not, and had: as good as a hand.
fn is_deleted_by_mistake(index: &Index<'_>, identifier: &str) -> bool {
    let mut deletes =
        index.history.calls.iter().filter(|it| {
            it.name == "DeleteResource" && it.identifier.as_deref() == Some(identifier)
        });
    deletes.any(|called| {
        let attempts = index.sender(called).map(OperationRecord::attempts).unwrap_or_default();
        let mut sent =
            attempts.iter().filter(|it| called.client_token.as_ref() == Some(&it.client_token));
        sent.any(|it| it.outcome != AttemptOutcome::Succeeded)
    })
}
