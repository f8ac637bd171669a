//! What a store keeps: groups, references with their documents, operations, and what happened to them.

mod calls;
mod credential;
mod deployment;
mod drift;
mod event;
mod group;
mod normal_form;
mod operation;
mod plane;
mod recipe;
mod reference;

pub use calls::{CallClass, Calls};
pub use credential::{CredentialName, CredentialRecord};
pub use deployment::{DeploymentName, DeploymentRecord, is_same_template};
pub use drift::{Difference, Drift, DriftState};
pub use event::EventRecord;
pub use group::{Group, GroupName, GroupState};
pub use normal_form::{FormValue, NormalForm};
pub use operation::{OperationRecord, Repeatability, ResourceWork, Subject, Work};
pub use plane::{Plane, PlaneKind, PlaneName};
pub use recipe::{
    CloudControlLink, OutputResource, RecipeName, RecipeRecord, RecipeStatus, StateHead, StateLock,
    StateVersion,
};
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
