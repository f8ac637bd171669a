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
    #[error("operation {0} is under way")]
    Busy(OperationId),
    /// There is nothing to delete.
    #[error("there is no such reference")]
    Absent,
    /// The alias stands for another resource.
    #[error("the alias stands for {identifier}")]
    MappedTo {
        /// Which one.
        identifier: String,
    },
    /// A delete that names nothing.
    #[error("no resource is named")]
    Nameless,
}

/// The first state of an operation.
pub fn open(request: Request, entry: Option<&Entry>, now: Timestamp) -> Result<Opened, OpenError> {
    let Request { id, kind, policy, identifier } = request;
    if let Some(busy) = entry.and_then(|entry| entry.operation) {
        return Err(OpenError::Busy(busy));
    }
    let mapped = entry.and_then(|entry| entry.identifier.clone());
    let unsettled = entry.map(|entry| entry.unsettled.clone()).unwrap_or_default();
    let identifier = match (&kind, mapped) {
        (Kind::Import { .. }, Some(mapped)) if identifier.as_ref() != Some(&mapped) => {
            return Err(OpenError::MappedTo { identifier: mapped });
        }
        (_, Some(mapped)) => Some(mapped),
        (_, None) => identifier,
    };
    if policy.tracked && entry.is_none() && matches!(kind, Kind::Delete | Kind::Unlink) {
        return Err(OpenError::Absent);
    }

    let attempt = |verb| {
        let marked = policy.marker && verb == Verb::Create;
        vec![Attempt::new(id, 1, verb, marked, now)]
    };
    let (stage, attempts) = if unsettled.is_empty() {
        match (&kind, &identifier) {
            (Kind::Put, None) => (Stage::Call, attempt(Verb::Create)),
            (Kind::Put | Kind::Import { .. }, Some(_)) => {
                (Stage::Observe { absences: 0 }, Vec::new())
            }
            (Kind::Delete, Some(_)) => (Stage::Call, attempt(Verb::Delete)),
            (Kind::Unlink, _) => (Stage::Call, Vec::new()),
            // A reference that stands for nothing is removed without a call.
            (Kind::Delete, None) if policy.tracked => (Stage::Call, Vec::new()),
            (Kind::Import { .. } | Kind::Delete, None) => return Err(OpenError::Nameless),
        }
    } else {
        (Stage::LookUp { then: Then::GoOn }, unsettled)
    };
    let owned = match kind {
        Kind::Import { owned, .. } => owned,
        _ => true,
    };
    let fresh = Entry {
        identifier: None,
        owned,
        state: EntryState::Reserved,
        operation: None,
        unsettled: Vec::new(),
        retiring: Vec::new(),
    };
    let entry =
        policy.tracked.then(|| Entry { operation: Some(id), ..entry.cloned().unwrap_or(fresh) });
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
        cancel_requested: false,
        cancel_sent: false,
        started_at: now,
        ending: None,
    };
    Ok(Opened { operation, entry })
}
