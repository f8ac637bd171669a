//! What an alias stands for right now: the part of a reference that operations move.

use serde::{Deserialize, Serialize};

use super::attempt::Attempt;
use super::id::OperationId;
use crate::Timestamp;

/// How a reference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryState {
    /// Reserved: its first operation has not made anything that is known.
    Reserved,
    /// It names a resource.
    Ready,
    /// It names a resource whose last write failed.
    Failed,
    /// A call may have made a resource that is not known; look-up or a person settles it.
    Unknown,
    /// The resource that it names is gone.
    Missing,
}

/// What an alias stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Entry {
    /// The resource, as the cloud spells it.
    pub identifier: Option<String>,
    /// Whether deleting the reference deletes the resource.
    pub owned: bool,
    /// How it is.
    pub state: EntryState,
    /// The operation under way: while there is one, every other write is refused.
    pub operation: Option<OperationId>,
    /// Creates whose end is not known; kept until look-up or a person settles them.
    pub unsettled: Vec<Attempt>,
    /// Replaced resources that are still to be deleted.
    pub retiring: Vec<String>,
    /// When the write failed that made it [`EntryState::Failed`]: a read may miss for a while after
    /// that what it left behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<Timestamp>,
}
