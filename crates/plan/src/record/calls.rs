//! How many calls of the cloud an operation cost.

use serde::{Deserialize, Serialize};

/// What a call of the cloud is for; the first goes first where calls are rationed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallClass {
    /// Changes something.
    Write,
    /// Asks how a request is doing.
    Poll,
    /// Reads.
    Read,
    /// Reads to look for drift.
    Drift,
}

impl CallClass {
    /// Every class, in the order in which they go.
    pub const ALL: [Self; 4] = [Self::Write, Self::Poll, Self::Read, Self::Drift];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Poll => "poll",
            Self::Read => "read",
            Self::Drift => "drift",
        }
    }
}

/// Calls that were made for one operation alone; those of a lost worker's last step may be missing, and a list
/// that answers for many is counted for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Calls {
    /// Calls that change something, each try of them.
    pub writes: u32,
    /// Calls that ask how a request is doing.
    pub polls: u32,
    /// Reads, for whatever reason.
    pub reads: u32,
}

impl Calls {
    /// All of them.
    pub const fn total(self) -> u32 {
        self.writes.saturating_add(self.polls).saturating_add(self.reads)
    }

    /// Counts one more.
    pub const fn add(&mut self, class: CallClass) {
        let count = match class {
            CallClass::Write => &mut self.writes,
            CallClass::Poll => &mut self.polls,
            CallClass::Read | CallClass::Drift => &mut self.reads,
        };
        *count = count.saturating_add(1);
    }
}
