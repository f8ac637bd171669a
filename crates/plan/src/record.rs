//! What a store keeps: groups, references with their documents, operations, and what happened to them.

mod event;
mod group;
mod operation;
mod reference;

pub use event::EventRecord;
pub use group::{Group, GroupName, GroupState};
pub use operation::{OperationRecord, Repeatability, Subject};
pub use reference::{AwsScope, Documents, Reference, ReferenceName};

use serde::{Deserialize, Serialize};

/// How often a row was written; every write says which version it saw.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Version(pub u64);

impl Version {
    /// The version after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// How often a lease on an operation was taken; a write with an older one is refused.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Epoch(pub u64);
