//! What can be asked of an engine, and what it answers at once: plain data.

use std::fmt;

use hangar_plan::record::{OperationRecord, Repeatability, Subject};
use serde_json::Value;

/// What deleting a reference does with the resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteMode {
    /// An owned one is deleted, another one left alone.
    ByOwnership,
    /// Left alone.
    Detach,
    /// Deleted.
    Delete,
}

/// What is to be done.
#[derive(Clone)]
pub enum Ask {
    /// Make it so: create, update, or nothing.
    Put {
        /// The resource, where the caller names it (by id, or by properties).
        identifier: Option<String>,
        /// What is wanted; a null member means remove.
        properties: Value,
        /// Values that are secret though the schema does not say so, as RFC 6901 pointers.
        secret_paths: Vec<String>,
    },
    /// Delete the resource and the reference.
    Delete {
        /// The resource, where the caller names it.
        identifier: Option<String>,
        /// What becomes of it.
        mode: DeleteMode,
    },
    /// Take in a resource that exists.
    Import {
        /// The resource.
        identifier: String,
        /// Whether deleting the reference will delete it.
        owned: bool,
        /// What is to be applied after.
        properties: Option<Value>,
        /// Values that are secret though the schema does not say so.
        secret_paths: Vec<String>,
    },
}

impl fmt::Debug for Ask {
    /// Without properties: they can hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Put { identifier, .. } => write!(f, "Put({identifier:?}, «properties»)"),
            Self::Delete { identifier, mode } => write!(f, "Delete({identifier:?}, {mode:?})"),
            Self::Import { identifier, owned, .. } => {
                write!(f, "Import({identifier:?}, owned: {owned}, «properties»)")
            }
        }
    }
}

/// What must be true of the reference when the operation is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Condition {
    /// Nothing.
    #[default]
    None,
    /// It exists, with one of these etags; any where the list is empty (`If-Match: *`).
    Matches(Vec<String>),
    /// It does not exist (`If-None-Match: *`).
    Absent,
}

/// One write, as it is asked for.
#[derive(Debug, Clone)]
pub struct Submission {
    /// What it is about.
    pub subject: Subject,
    /// What is to be done.
    pub ask: Ask,
    /// What must be true.
    pub condition: Condition,
    /// The caller's name for the request.
    pub repeatability: Option<Repeatability>,
    /// The caller's, for logs.
    pub correlation_id: Option<String>,
}

/// An accepted write.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// The operation as it was reserved, or as it is now when it was repeated.
    pub record: OperationRecord,
    /// Whether the reference, or the resource, existed before.
    pub existed: bool,
}

/// A resource as the cloud shows it, without what must not be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// As the cloud spells it.
    pub identifier: String,
    /// All that a read returns, marker tag and secrets apart.
    pub properties: Value,
}

/// One page of them.
#[derive(Debug, Clone, PartialEq)]
pub struct LivePage {
    /// The resources.
    pub resources: Vec<Live>,
    /// The cloud's token for the next page.
    pub next: Option<String>,
}
