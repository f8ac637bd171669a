//! An operation on all references of a group: deleting it, or looking for drift in it.
//!
//! It writes to no cloud itself: each resource is worked on by an operation of its own, whose `parent`
//! it is. What it keeps is small whatever the group holds: which references were worked on is read from
//! them. `sweep` decides what a deletion does next, `verdict` what a look at a resource tells.

mod order;
mod sweep;
#[cfg(test)]
mod tests;
mod verdict;

pub use sweep::{Member, Standing, Sweep, sweep};
pub use verdict::{Sight, unlooked, verdict};

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::operation::{Convergence, Ending, Finding, OperationId, Success, SuccessKind};
use crate::record::{DriftState, GroupName, Reference, ReferenceName, Version};
use crate::{Timestamp, Waiting};

/// How long a read may miss what a write made or left behind.
pub const GRACE: Duration = Duration::from_mins(1);

/// How long a cloud that is busy or away is asked again: as long as any operation does.
pub const PATIENCE: Duration = Duration::from_mins(10);

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

    /// What is to be done about a resource that stands so. A missing one is forgotten if that is asked for, else
    /// a repair recreates it if Hangar owns it.
    pub const fn remedy(self, state: DriftState, origin: Origin) -> Option<Remedy> {
        match (self, state, origin) {
            (Self::Drift { repair: true, .. }, DriftState::Drifted, _) => Some(Remedy::Repair),
            (Self::Drift { prune: true, .. }, DriftState::Missing, _) => Some(Remedy::Prune),
            (Self::Drift { repair: true, .. }, DriftState::Missing, Origin::Applied) => {
                Some(Remedy::Recreate)
            }
            _ => None,
        }
    }
}

/// Where the resource of a reference comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Hangar owns it, and knows what was applied last.
    Applied,
    /// It was imported without ownership, or nothing was ever applied.
    Foreign,
}

impl Origin {
    /// Of what a reference stands for.
    pub fn of(reference: &Reference) -> Self {
        if reference.entry.owned && reference.documents.applied.is_some() {
            Self::Applied
        } else {
            Self::Foreign
        }
    }
}

/// How many references were found how; only counted, so that it stays small.
///
/// The states are those after all repairs: `in_sync + drifted + missing + unknown + pruned == done`.
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
    /// Created again, because their resource was gone.
    #[serde(default)]
    pub recreated: u64,
    /// Removed, because their resource is gone.
    pub pruned: u64,
    /// Refused to be repaired, pruned or deleted.
    pub refused: u64,
}

impl Tally {
    /// Counts one that was looked at.
    pub fn count(&mut self, state: DriftState) {
        self.done += 1;
        *self.of(state) += 1;
    }

    /// Counts one that stands otherwise now.
    pub fn moved(&mut self, from: DriftState, to: DriftState) {
        self.left(from);
        *self.of(to) += 1;
    }

    /// Counts one that is no longer there.
    pub fn left(&mut self, from: DriftState) {
        let count = self.of(from);
        *count = count.saturating_sub(1);
    }

    fn of(&mut self, state: DriftState) -> &mut u64 {
        match state {
            DriftState::InSync => &mut self.in_sync,
            DriftState::Drifted => &mut self.drifted,
            DriftState::Missing => &mut self.missing,
            DriftState::Unknown => &mut self.unknown,
        }
    }
}

/// How far the deletion of a group is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Operations that were under way when it began are waited for.
    #[default]
    Settle,
    /// Creates whose end is not known are looked for; nothing else is touched.
    LookUp,
    /// References go, in rounds.
    Clear,
}

/// What a deletion knows beside the references themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Clearing {
    /// How far it is.
    pub phase: Phase,
    /// When the round began.
    pub round_at: Timestamp,
    /// How many references there were when the first one could go.
    pub total: u64,
    /// How many of them were gone when the round began.
    pub gone_before: u64,
    /// What was refused in this round before an operation could begin, so that no reference tells of
    /// it; the paths are ids of references.
    pub turned_away: Vec<Finding>,
}

/// A place in the order of references: type and alias in the form that is compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// The type's key.
    pub type_key: String,
    /// The alias's key.
    pub alias: String,
}

/// What is done about what a look found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Remedy {
    /// Apply again what was applied.
    Repair,
    /// Create again what is gone, as it was applied.
    Recreate,
    /// Remove the reference of what is gone.
    Prune,
}

impl Remedy {
    /// The state that it is for.
    pub const fn is_for(self) -> DriftState {
        match self {
            Self::Repair => DriftState::Drifted,
            Self::Recreate | Self::Prune => DriftState::Missing,
        }
    }

    /// The word used in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Repair => "repair",
            Self::Recreate => "recreation",
            Self::Prune => "prune",
        }
    }
}

/// An operation on one reference that a look for drift has decided on. It is written down before it is
/// asked for, with the name that it will have, so that it is asked for once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mend {
    /// Its name.
    pub operation: OperationId,
    /// The reference.
    pub reference: ReferenceName,
    /// What is done.
    pub remedy: Remedy,
    /// The version of the reference that was looked at.
    #[serde(default)]
    pub version: Version,
}

/// What a look for drift knows beside the references themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Looking {
    /// The last reference that was looked at.
    pub cursor: Option<Cursor>,
    /// What was decided on and has not ended.
    pub mends: Vec<Mend>,
    /// Since when the cloud has answered nothing.
    pub waiting_since: Option<Timestamp>,
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
    /// Where a deletion stands.
    #[serde(default)]
    pub clearing: Clearing,
    /// Where a look for drift stands.
    #[serde(default)]
    pub looking: Looking,
    /// Why it waits, for callers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// Looks in a row in which nothing moved; makes the wait before the next one longer.
    #[serde(default)]
    pub tries: u32,
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
            clearing: Clearing::default(),
            looking: Looking::default(),
            waiting: None,
            tries: 0,
            cancel_requested: false,
            started_at: now,
            ending: None,
        }
    }

    /// Which turn it is for every reference: each is worked on once a turn.
    pub fn turn(&self) -> u32 {
        match self.clearing.phase {
            Phase::Settle | Phase::LookUp => 0,
            Phase::Clear => self.round,
        }
    }

    /// Ends it well.
    pub fn succeed(&mut self, kind: SuccessKind) {
        let convergence = Convergence::Converged;
        self.ending =
            Some(Ending::Succeeded(Success { kind, convergence, not_effective: Vec::new() }));
    }
}
