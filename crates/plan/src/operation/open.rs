//! The first state of an operation, from what is asked and what the alias stands for now.
//!
//! The store writes what comes of it in one transaction, and only if the entry is still as it was:
//! the second of two requests for a free alias finds the first one's entry.

use super::attempt::{Attempt, Verb};
use super::entry::{Entry, EntryState};
use super::id::OperationId;
use super::state::{Kind, Operation, Policy, Stage, Then};
use crate::Timestamp;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Request {
    /// The new operation's name.
    pub id: OperationId,
    /// What it is for.
    pub kind: Kind,
    /// What of type and request matters.
    pub policy: Policy,
    /// The resource, where the caller names it.
    pub identifier: Option<String>,
}

/// A new operation, and the entry as it locks it.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The operation.
    pub operation: Operation,
    /// The entry, where there is a reference.
    pub entry: Option<Entry>,
}

/// Why there is no new operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Another operation works on the alias.
    #[error("operation {0} is running")]
    Busy(OperationId),
    /// There is nothing to delete.
    #[error("the reference does not exist")]
    Absent,
    /// The alias stands for another resource.
    #[error("the alias maps to {identifier}")]
    MappedTo {
        /// Which one.
        identifier: String,
    },
    /// A delete that names nothing.
    #[error("no resource is named")]
    Nameless,
    /// The alias does not stand for what it did when this was planned.
    #[error("the alias maps to another resource than planned")]
    Moved,
}

/// The first state of an operation.
pub fn open(request: Request, entry: Option<&Entry>, now: Timestamp) -> Result<Opened, OpenError> {
    if let Some(busy) = entry.and_then(|entry| entry.operation) {
        return Err(OpenError::Busy(busy));
    }
    let identifier = subject(&request, entry)?;
    let mapped = entry.and_then(|entry| entry.identifier.as_deref());
    if request.policy.held.as_ref().is_some_and(|held| !held.fits(&request.kind, mapped)) {
        return Err(OpenError::Moved);
    }
    let Request { id, kind, policy, .. } = request;
    if policy.tracked && entry.is_none() && matches!(kind, Kind::Delete | Kind::Unlink) {
        return Err(OpenError::Absent);
    }
    let unsettled = entry.map(|entry| entry.unsettled.clone()).unwrap_or_default();
    let (stage, attempts) =
        if unsettled.is_empty() || is_word_of_a_person(&kind, identifier.as_deref(), entry) {
            let (stage, verb) = beginning(&kind, &policy, identifier.is_some())?;
            let marked = policy.marker && verb == Some(Verb::Create);
            (stage, verb.map(|verb| Attempt::new(id, 1, verb, marked, now)).into_iter().collect())
        } else {
            (Stage::LookUp { then: Then::GoOn }, unsettled)
        };
    let entry = policy
        .tracked
        .then(|| Entry { operation: Some(id), ..entry.cloned().unwrap_or_else(|| fresh(&kind)) });
    let operation = Operation {
        id,
        kind,
        policy,
        stage,
        identifier,
        attempts,
        tries: 0,
        looked_at: None,
        waiting_since: None,
        waiting: None,
        cancel_requested: false,
        cancel_sent: false,
        started_at: now,
        adopting: None,
        closing: None,
        changed: Vec::new(),
        doubtful_reads: false,
        ending: None,
    };
    Ok(Opened { operation, entry })
}

/// The resource that it is about: what the alias stands for, else what the caller names.
fn subject(request: &Request, entry: Option<&Entry>) -> Result<Option<String>, OpenError> {
    let asked = request.identifier.clone();
    let Some(mapped) = entry.and_then(|entry| entry.identifier.clone()) else {
        return Ok(asked);
    };
    let import = matches!(request.kind, Kind::Import { .. });
    let unknown = entry.is_some_and(|entry| entry.state == EntryState::Unknown);
    match asked {
        Some(asked) if import && unknown => Ok(Some(asked)),
        asked if import && asked.as_ref() != Some(&mapped) => {
            Err(OpenError::MappedTo { identifier: mapped })
        }
        _ => Ok(Some(mapped)),
    }
}

/// Whether a person says what became of a create that is not settled: it is this one, or forget it.
/// Nothing is looked for then. The creates stay on record until a read shows what was named.
///
/// Who names what the alias stands for already says nothing of its creates: that is what a read of the
/// reference shows, and what is put back.
fn is_word_of_a_person(kind: &Kind, identifier: Option<&str>, entry: Option<&Entry>) -> bool {
    let mapped = entry.and_then(|entry| entry.identifier.as_deref());
    match kind {
        Kind::Unlink => true,
        Kind::Import { .. } => identifier.is_some() && identifier != mapped,
        Kind::Put | Kind::Delete => false,
    }
}

/// Where an operation begins when nothing is unsettled, and what it first calls.
fn beginning(
    kind: &Kind,
    policy: &Policy,
    is_named: bool,
) -> Result<(Stage, Option<Verb>), OpenError> {
    match (kind, is_named) {
        (Kind::Put, false) if policy.tracked && !policy.may_create => Err(OpenError::Nameless),
        (Kind::Put, false) => Ok((Stage::Call, Some(Verb::Create))),
        (Kind::Put | Kind::Import { .. }, true) => Ok((Stage::Observe { absences: 0 }, None)),
        (Kind::Delete, true) => Ok((Stage::Call, Some(Verb::Delete))),
        (Kind::Unlink, _) => Ok((Stage::Call, None)),
        // A reference that stands for nothing is removed without a call.
        (Kind::Delete, false) if policy.tracked => Ok((Stage::Call, None)),
        (Kind::Import { .. } | Kind::Delete, false) => Err(OpenError::Nameless),
    }
}

/// The entry of a free alias, as it is reserved.
fn fresh(kind: &Kind) -> Entry {
    Entry {
        identifier: None,
        owned: match kind {
            Kind::Import { owned, .. } => *owned,
            _ => true,
        },
        state: EntryState::Reserved,
        operation: None,
        unsettled: Vec::new(),
        retiring: Vec::new(),
        failed_at: None,
    }
}
