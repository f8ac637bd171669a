//! An operation on all references of a group: deleting it, or looking for drift in it.
//!
//! It calls no cloud itself: each resource is worked on by an operation of its own, whose `parent`
//! it is. What it keeps is small whatever the group holds.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::operation::{Ending, OperationId};
use crate::record::GroupName;

/// What is done with a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupTask {
    /// Delete what is owned, unlink the rest, remove the group.
    Delete,
    /// Look at every resource, and say how it stands to what was applied.
    Drift {
        /// Apply again where it differs.
        repair: bool,
        /// Remove references whose resource is gone.
        prune: bool,
    },
}

impl GroupTask {
    /// The word used in answers, logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delete => "delete-group",
            Self::Drift { .. } => "drift",
        }
    }
}

/// How many references were found how; only counted, so that it stays small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Looked at, or worked on.
    pub done: u64,
    /// As they were applied.
    pub in_sync: u64,
    /// Different.
    pub drifted: u64,
    /// Gone.
    pub missing: u64,
    /// Not to be told.
    pub unknown: u64,
    /// Applied again.
    pub repaired: u64,
    /// Removed, because their resource is gone.
    pub pruned: u64,
    /// Refused to be repaired, pruned or deleted.
    pub refused: u64,
}

/// One operation on a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupWork {
    /// Its name.
    pub id: OperationId,
    /// The group.
    pub group: GroupName,
    /// What is done with it.
    pub task: GroupTask,
    /// Counts from 1: a delete tries again what was refused as long as anything else goes.
    pub round: u32,
    /// What was found so far.
    pub tally: Tally,
    /// Whether its caller wants it stopped.
    pub cancel_requested: bool,
    /// When it was accepted.
    pub started_at: Timestamp,
    /// How it ended.
    pub ending: Option<Ending>,
}

impl GroupWork {
    /// A new operation on a group.
    pub fn new(id: OperationId, group: GroupName, task: GroupTask, now: Timestamp) -> Self {
        Self {
            id,
            group,
            task,
            round: 1,
            tally: Tally::default(),
            cancel_requested: false,
            started_at: now,
            ending: None,
        }
    }
}
