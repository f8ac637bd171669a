//! What the machine asks for: effects are data, and a worker performs them after they are committed.

use super::attempt::Attempt;
use super::entry::Entry;
use super::state::Operation;
use crate::Timestamp;

/// One thing to do in the cloud.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Read the resource, and compare.
    Observe {
        /// Which one.
        identifier: String,
    },
    /// Ask for a resource to be made from the desired document.
    Create {
        /// The client token.
        token: String,
        /// Whether to add the marker tag.
        marked: bool,
    },
    /// Ask for the change that the read before found.
    Update {
        /// Which one.
        identifier: String,
        /// The client token.
        token: String,
    },
    /// Ask for a resource to be deleted.
    Delete {
        /// Which one.
        identifier: String,
        /// The client token.
        token: String,
    },
    /// Ask how a request is doing.
    Poll {
        /// Which one.
        request_token: String,
    },
    /// Ask for a request to be stopped.
    Cancel {
        /// Which one.
        request_token: String,
    },
    /// Look for what these attempts may have made.
    LookUp {
        /// The attempts whose end is not known.
        attempts: Vec<Attempt>,
    },
}

/// What becomes of the entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EntryChange {
    /// Nothing.
    Keep,
    /// It is now this.
    Save(Entry),
    /// The alias is free.
    Free,
}

/// What becomes of the reference's documents.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct DocumentChange {
    /// What is wanted is now what was applied.
    pub applied: bool,
    /// What was read is now what was last observed.
    pub observed: bool,
    /// What was applied is not known any more: the reference now stands for another resource, made
    /// from a document that is gone. Comes before `applied`, where both are told.
    pub forgotten: bool,
    /// The paths at which the read shows AWS's form of what was sent.
    pub learned: Vec<String>,
}

/// What comes next.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Next {
    /// Do this, and tell what came of it.
    Perform(Effect),
    /// Let go, and look again then.
    Wait {
        /// When.
        until: Timestamp,
    },
    /// Let go for ever.
    Stop,
}

/// What is true after an event. All of it is committed in one transaction before `next` is done.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Step {
    /// The operation.
    pub operation: Operation,
    /// Its entry.
    pub entry: EntryChange,
    /// Its reference's documents.
    pub documents: DocumentChange,
    /// What comes next.
    pub next: Next,
    /// What happened, for the operation's log; no property value is in it.
    pub message: Option<String>,
    /// What the caller should know.
    pub warning: Option<String>,
}
