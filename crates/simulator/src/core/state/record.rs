//! What is kept of a resource and of a request.

use std::sync::Arc;

use crate::core::call::{Operation, Status};
use crate::core::refusal::HandlerErrorCode;
use crate::core::time::Timestamp;
use crate::core::token::Token;

/// The properties of a resource as JSON text: parsed only when they change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// What a read returns.
    pub readable: Box<str>,
    /// The same with its write-only values, where it has some.
    pub hidden: Option<Box<str>>,
}

impl Document {
    /// Everything that the service knows.
    pub fn whole(&self) -> &str {
        self.hidden.as_deref().unwrap_or(&self.readable)
    }
}

/// A resource, or what is left of it while reads still show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its properties; none once it is deleted.
    pub document: Option<Document>,
    /// When reads begin to show them.
    pub visible_from: Timestamp,
    /// What reads show until then.
    pub earlier: Option<Box<str>>,
}

impl Resource {
    /// What a read returns at this instant.
    pub fn seen_at(&self, now: Timestamp) -> Option<&str> {
        if now < self.visible_from {
            self.earlier.as_deref()
        } else {
            self.document.as_ref().map(|document| &*document.readable)
        }
    }
}

/// When the things of a request happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// It was accepted.
    pub accepted_at: Timestamp,
    /// It leaves PENDING.
    pub started_at: Timestamp,
    /// Its identifier can be seen.
    pub identifier_at: Timestamp,
    /// It ends.
    pub ends_at: Timestamp,
}

/// An instant that does not come.
pub const NEVER: Timestamp = Timestamp::from_millis(u64::MAX);

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// AWS's code.
    pub code: HandlerErrorCode,
    /// AWS's words.
    pub message: Box<str>,
}

/// How a request will end, if nothing comes between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// As asked.
    Succeed,
    /// By an error.
    Fail {
        /// Which.
        failure: Failure,
        /// Whether its effect is there all the same, and its identifier known.
        takes_effect: bool,
    },
}

/// What a request is about to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The properties that a create or an update leaves.
    pub document: Option<Document>,
    /// How it will end.
    pub fate: Fate,
}

/// How far a request is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// On its way.
    Open(Box<Work>),
    /// To be cancelled.
    Cancelling {
        /// What it was about to do.
        work: Box<Work>,
        /// Whether that happens all the same.
        takes_effect: bool,
        /// When it is cancelled.
        ends_at: Timestamp,
    },
    /// Over.
    Ended {
        /// `SUCCESS`, `FAILED` or `CANCEL_COMPLETE`.
        status: Status,
        /// Why it failed.
        failure: Option<Failure>,
    },
}

/// A write that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Its name to callers.
    pub token: Token,
    /// The caller's name for it.
    pub client_token: Option<Box<str>>,
    /// A fingerprint of what was asked, to tell a retry from a conflict.
    pub content: u64,
    /// What it does.
    pub operation: Operation,
    /// To a resource of this type.
    pub type_name: Arc<str>,
    /// Named so, once that is known.
    pub identifier: Option<Arc<str>>,
    /// When things happen.
    pub schedule: Schedule,
    /// How far it is.
    pub phase: Phase,
}

impl Request {
    /// How far it is at this instant.
    pub fn status_at(&self, now: Timestamp) -> Status {
        match &self.phase {
            Phase::Open(_) if now < self.schedule.started_at => Status::Pending,
            Phase::Open(_) => Status::InProgress,
            Phase::Cancelling { .. } => Status::CancelInProgress,
            Phase::Ended { status, .. } => *status,
        }
    }

    /// When something happens to it next.
    pub fn due_at(&self) -> Option<Timestamp> {
        match &self.phase {
            Phase::Open(_) => Some(self.schedule.ends_at).filter(|at| *at != NEVER),
            Phase::Cancelling { ends_at, .. } => Some(*ends_at),
            Phase::Ended { .. } => None,
        }
    }
}

/// How a request ended. What it did is told by the request itself, so that a document is kept
/// once and not again for the resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// When.
    pub at: Timestamp,
    /// `SUCCESS`, `FAILED` or `CANCEL_COMPLETE`.
    pub status: Status,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// What it leaves.
    pub effect: Effect,
    /// Whether it keeps its identifier.
    pub naming: Naming,
}

/// What an ended request leaves of its resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// What was there before.
    Unchanged,
    /// The document of the request; none while reads still show what was deleted.
    Written {
        /// When reads begin to show it.
        visible_from: Timestamp,
        /// What reads show until then.
        earlier: Option<Box<str>>,
    },
    /// Nothing.
    Gone,
}

/// Whether an ended request names a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// As it did before.
    Kept,
    /// No longer: the service failed before it named anything.
    Dropped,
}
