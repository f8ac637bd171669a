//! A history with what the invariants look up in it.

use std::collections::{BTreeMap, BTreeSet};

use hangar_plan::Timestamp;
use hangar_plan::operation::{Ending, Kind, OperationId};
use hangar_plan::record::{OperationRecord, Reference};

use super::super::{Called, Deed, Existing, History};

/// A history with its look-ups.
pub(super) struct Index<'h> {
    pub(super) history: &'h History,
    pub(super) operations: BTreeMap<OperationId, &'h OperationRecord>,
    /// Operations on an alias, by its key, in the order in which they were accepted.
    pub(super) by_alias: BTreeMap<String, Vec<&'h OperationRecord>>,
    pub(super) references: BTreeMap<String, &'h Reference>,
    /// What hands have made or deleted.
    pub(super) touched: BTreeSet<&'h str>,
    /// When the store wrote the first event of each operation.
    first_events: BTreeMap<OperationId, Timestamp>,
    /// Who names a resource, by its key.
    namers: BTreeMap<String, &'h Reference>,
}

impl<'h> Index<'h> {
    pub(super) fn of(history: &'h History) -> Self {
        let operations: BTreeMap<_, _> =
            history.operations.iter().map(|record| (record.id(), record)).collect();
        let references: BTreeMap<_, _> =
            history.references.iter().map(|it| (it.name.key(), it)).collect();
        let touched = history.hands.iter().filter(|it| it.deed != Deed::Changed);
        let touched = touched.map(|it| it.identifier.as_str()).collect();
        let firsts = history.events.iter().filter(|event| event.sequence == 1);
        let first_events = firsts.map(|event| (event.operation, event.at)).collect();
        let mut namers = BTreeMap::new();
        for reference in &history.references {
            let entry = &reference.entry;
            for identifier in entry.identifier.iter().chain(&entry.retiring) {
                namers.insert(key_of(reference, identifier), reference);
            }
        }
        let mut index = Self {
            history,
            operations,
            by_alias: BTreeMap::new(),
            references,
            touched,
            first_events,
            namers,
        };
        for record in &history.operations {
            if let Some(name) = record.reference() {
                index.by_alias.entry(name.key()).or_default().push(record);
            }
        }
        let mut by_alias = std::mem::take(&mut index.by_alias);
        for records in by_alias.values_mut() {
            // Of those that began in one instant, the one that has ended in it came before.
            let ended =
                |record: &OperationRecord| record.ended_at.map_or(i64::MAX, Timestamp::as_micros);
            records.sort_by_key(|record| (index.began(record), ended(record), record.id()));
        }
        Self { by_alias, ..index }
    }

    /// When an operation was accepted. Its `created_at` was read before its reservation was tried; the event
    /// that was written with it is younger, and older than nothing that it had to wait for.
    pub(super) fn began(&self, record: &OperationRecord) -> Timestamp {
        let first = self.first_events.get(&record.id()).copied();
        first.map_or(record.created_at, |at| at.max(record.created_at))
    }

    /// The operation that sent a call, if it is on record.
    pub(super) fn sender(&self, called: &Called) -> Option<&'h OperationRecord> {
        let id = called.client_token.as_deref().and_then(operation_of)?;
        self.operations.get(&id).copied()
    }

    /// The operation that made a resource, if it is on record.
    pub(super) fn maker(&self, existing: &Existing) -> Option<&'h OperationRecord> {
        let id = existing.made_by.as_deref().and_then(operation_of)?;
        self.operations.get(&id).copied()
    }

    /// The reference that stands for a resource, or is going to delete it.
    pub(super) fn namer(&self, existing: &Existing) -> Option<&'h Reference> {
        self.namers.get(&resource_key(existing)).copied()
    }

    /// The reference that an operation worked on, whatever it is called by now.
    pub(super) fn reference_of(&self, record: &OperationRecord) -> Option<&'h Reference> {
        let key = record.reference()?.key();
        let by_name = self.references.get(&key).copied();
        // One that is younger than the operation has taken a name that was given up.
        by_name.filter(|it| it.created_at <= self.began(record)).or_else(|| {
            let mut renamed = self.history.references.iter();
            renamed.find(|it| it.former_keys.contains(&key)).or(by_name)
        })
    }

    /// Whether a person let go of what an operation made: its reference was removed, and the resource left;
    /// or nobody had heard what became of the create, and the alias was given something else.
    pub(super) fn is_let_go(&self, maker: &OperationRecord, existing: &Existing) -> bool {
        let Some(name) = maker.reference() else { return false };
        let identifier = existing.identifier.as_str();
        let mut attempts = maker.attempts().iter();
        let unheard = attempts.any(|it| {
            existing.made_by.as_ref() == Some(&it.client_token) && it.identifier.is_none()
        });
        self.history.operations.iter().any(|record| {
            let Some(work) = record.resource() else { return false };
            let named = work.operation.identifier.as_deref();
            let same = record.reference().is_some_and(|it| it.key() == name.key());
            let unlinks = work.operation.kind == Kind::Unlink || is_unlinked(record);
            let adopts = matches!(work.operation.kind, Kind::Import { .. });
            if adopts && unheard && same && self.began(record) >= self.began(maker) {
                // Its properties may have been refused or canceled after the alias was given the resource.
                let reference = self.references.get(&name.key());
                let is_mapped = named.is_some()
                    && reference.is_some_and(|it| it.entry.identifier.as_deref() == named);
                return is_mapped || matches!(record.ending(), Some(Ending::Succeeded(_)));
            }
            unlinks
                && matches!(record.ending(), Some(Ending::Succeeded(_)))
                // A renamed reference lets go under its new name; one that knows nothing, or has not heard
                // what became of this one, of all before it.
                && (named == Some(identifier)
                    || ((named.is_none() || unheard)
                        && same
                        && self.began(record) >= self.began(maker)))
        })
    }
}

fn is_unlinked(record: &OperationRecord) -> bool {
    matches!(record.ending(), Some(Ending::Succeeded(success))
        if success.kind == hangar_plan::operation::SuccessKind::Unlinked)
}

/// The operation that a client token belongs to.
pub(super) fn operation_of(token: &str) -> Option<OperationId> {
    // A token is the operation's id, and then numbers.
    OperationId::parse(token.get(..36)?)
}

/// Whether a call changes something.
pub(super) fn is_write(called: &Called) -> bool {
    matches!(called.name.as_str(), "CreateResource" | "UpdateResource" | "DeleteResource")
}

/// Whether a call was not refused: it was answered well, or perhaps done and not answered.
pub(super) fn may_be_done(called: &Called) -> bool {
    matches!(called.outcome.as_str(), "ok" | "dropped")
}

fn key_of(reference: &Reference, identifier: &str) -> String {
    let scope = &reference.scope;
    let place = format!("{}/{}", scope.account.padded(), scope.region);
    let type_name = reference.name.type_name.cloud_formation();
    format!("{place}/{type_name}/{identifier}")
}

fn resource_key(existing: &Existing) -> String {
    let Existing { place, type_name, identifier, .. } = existing;
    format!("{place}/{type_name}/{identifier}")
}
