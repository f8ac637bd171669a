//! What is asked of a store, and what it answers: plain data.

use std::fmt;
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::operation::{Ending, Entry, EntryState, OperationId};
use hangar_plan::record::{
    AwsScope, CredentialName, DeploymentName, DeploymentRecord, GroupName, OperationRecord,
    RecipeName, RecipeRecord, Reference, ReferenceName, StateVersion, Version,
};

use crate::rules;

/// A worker process, for people: which one holds a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerId(pub String);

/// What a write must find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Anything.
    Any,
    /// Nothing there.
    Absent,
    /// This version.
    Version(Version),
}

/// A reference as it is to be, and what was seen of it.
#[derive(Debug, Clone)]
pub struct ReferenceWrite {
    /// As it is to be; its `version` is set by the store.
    pub reference: Reference,
    /// The version that the decision was made on; none where there was no reference.
    pub seen: Option<Version>,
}

impl ReferenceWrite {
    /// The reference as the store has it once it is written.
    pub fn written(&self) -> Reference {
        let version = rules::reference_version(self.seen, &self.reference);
        Reference { version, ..self.reference.clone() }
    }
}

/// A reference without its documents: what tells how it stands among the others of its group.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceOutline {
    /// Its name.
    pub name: ReferenceName,
    /// Where the resource is.
    pub scope: AwsScope,
    /// What it stands for right now.
    pub entry: Entry,
    /// References that must be there before this one, and go after it, by id.
    pub depends_on: Vec<String>,
    /// The last operation that ended on it, and how.
    pub last_operation: Option<(OperationId, Ending)>,
    /// How often it was written.
    pub version: Version,
}

/// A new operation and all that it takes.
#[derive(Debug, Clone)]
pub struct Reservation {
    /// The operation, with its first attempt.
    pub record: OperationRecord,
    /// The reference, locked by this operation in its entry.
    pub reference: Option<ReferenceWrite>,
    /// The deployment that the operation is a run of; its group is held by `group`.
    pub deployment: Option<DeploymentWrite>,
    /// The recipe that the operation is a run of; its group is held by `group`.
    pub recipe: Option<RecipeWrite>,
    /// The group that must exist, and what the operation needs of it.
    pub group: Option<GroupHold>,
    /// Resources of the cloud that no other running operation may hold.
    pub resource_keys: Vec<String>,
    /// The sealed desired document.
    pub envelope: Option<Vec<u8>>,
    /// What happened, for the operation's log.
    pub message: String,
}

/// A deployment as it is to be when a run of it begins, and what was seen of it.
#[derive(Debug, Clone)]
pub struct DeploymentWrite {
    /// As it is to be. Where it was there before the first spelling of its name and `created_at` stay; its
    /// `version` is set by the store.
    pub record: DeploymentRecord,
    /// The version that the decision was made on; none where there was no deployment.
    pub seen: Option<Version>,
}

/// A recipe as it is to be when a run of it begins, and what was seen of it.
#[derive(Debug, Clone)]
pub struct RecipeWrite {
    /// As it is to be. Where it was there before the first spelling of its name and `created_at` stay; its
    /// `version` is set by the store.
    pub record: RecipeRecord,
    /// The version that the decision was made on; none where there was no recipe.
    pub seen: Option<Version>,
}

/// What becomes of a deployment with a step of its run. Left alone where it is gone, or where a later run has
/// taken its place.
#[derive(Debug, Clone)]
pub enum DeploymentChange {
    /// Nothing.
    Keep,
    /// It is now this; its `operation` and what stays of a [`DeploymentWrite`] stay, and its `version` counts on.
    Save(Box<DeploymentRecord>),
    /// It is forgotten.
    Remove(DeploymentName),
}

/// What becomes of a recipe with a step of its run. Left alone where it is gone, or where a later run has
/// taken its place.
#[derive(Debug, Clone)]
pub enum RecipeChange {
    /// Nothing.
    Keep,
    /// It is now this; its `operation` and what stays of a [`RecipeWrite`] stay, and its `version` counts on.
    Save(Box<RecipeRecord>),
    /// It is gone, with its state, the lock and all versions, whoever holds that lock.
    Remove(RecipeName),
}

/// How many versions of a recipe's state are kept, and as many stray ones.
pub const KEPT_STATES: usize = 20;

/// A version of a recipe's state that is to be kept.
#[derive(Clone)]
pub struct StateWrite {
    /// The recipe.
    pub recipe: RecipeName,
    /// What is told of it; its `number` is set by the store.
    pub version: StateVersion,
    /// The state, sealed.
    pub sealed: Vec<u8>,
    /// The lock that its writer holds.
    pub lock_id: Option<String>,
}

impl fmt::Debug for StateWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateWrite({}, {:?}, «sealed»)", self.recipe.id(), self.version)
    }
}

/// A version of a recipe's state as it is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredState {
    /// What is told of it.
    pub version: StateVersion,
    /// The state, sealed.
    pub sealed: Vec<u8>,
}

impl fmt::Debug for StoredState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoredState({:?}, «sealed»)", self.version)
    }
}

/// What a new operation needs of its group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupHold {
    /// It takes writes.
    Open(GroupName),
    /// It is being deleted by the operation that is the new one's parent.
    Within(GroupName),
    /// It takes writes, and takes no more: the new operation deletes it. Its version must be the one that
    /// was seen, where one was.
    Close(GroupName, Option<Version>),
}

/// What becomes of the group that an operation closed; a group that it did not close is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupChange {
    /// Nothing.
    Keep,
    /// It takes writes again.
    Reopen,
    /// It is gone, with its deployments; refused while it holds a reference or a recipe.
    Remove,
}

/// A leased operation with all that a worker needs.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The operation; its `epoch` is the lease's, its cancel flag is fresh.
    pub record: OperationRecord,
    /// The reference, as it is now.
    pub reference: Option<Reference>,
    /// The sealed desired document.
    pub envelope: Option<Vec<u8>>,
}

/// What becomes of the reference.
#[derive(Debug, Clone)]
pub enum ReferenceChange {
    /// Nothing.
    Keep,
    /// It is now this; `seen` must be its version.
    Save(Box<ReferenceWrite>),
    /// It is gone.
    Remove {
        /// Which one.
        name: ReferenceName,
        /// The version that the decision was made on.
        seen: Version,
    },
}

/// What becomes of the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease {
    /// The worker goes on.
    Keep,
    /// The worker lets go; the record's `due_at` says when the next one looks, but at once if a stop
    /// is wanted that the record does not know of, or if a part of it has ended since it was claimed.
    Release,
}

/// One step of an operation.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The operation as it is to be; `version` and `epoch` are those that were claimed or committed
    /// last. What was told of it once stays: subject, the caller's names for it, `created_at`.
    pub record: OperationRecord,
    /// What becomes of its reference.
    pub reference: ReferenceChange,
    /// What becomes of the deployment that it is a run of.
    pub deployment: DeploymentChange,
    /// What becomes of the recipe that it is a run of.
    pub recipe: RecipeChange,
    /// What becomes of the group that it closed.
    pub group: GroupChange,
    /// What becomes of the lease.
    pub lease: Lease,
    /// What happened, for the operation's log.
    pub message: Option<String>,
}

/// What a commit left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// The operation's version now.
    pub version: Version,
    /// The reference's version now, where it was saved.
    pub reference_version: Option<Version>,
    /// Whether the caller has asked for it to be stopped.
    pub cancel_requested: bool,
    /// Whether it is due sooner than its record said, because of what happened meanwhile.
    pub hastened: bool,
}

/// What came of asking for a stop.
#[derive(Debug, Clone)]
pub enum CancelAnswer {
    /// There is no such operation.
    NotFound,
    /// It has ended; nothing was noted.
    Ended(Box<OperationRecord>),
    /// Noted.
    Noted(Box<OperationRecord>),
}

/// Which references a list is to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReferenceFilter {
    /// Only those of this group; all planes and groups where there is none.
    pub group: Option<GroupName>,
    /// Only those of this type, in lower case.
    pub type_key: Option<String>,
    /// Only those that are so.
    pub state: Option<EntryState>,
}

/// A place in a list of references: (group, type, alias) in the form that is compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReferencePosition {
    /// The group's key.
    pub group: String,
    /// The type's key.
    pub type_key: String,
    /// The alias's key.
    pub alias: String,
}

/// Which operations a list is to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperationFilter {
    /// Only those on this reference.
    pub reference: Option<ReferenceName>,
    /// Only those in this group.
    pub group: Option<GroupName>,
    /// Only those that are a part of this one.
    pub parent: Option<OperationId>,
    /// Only those that have not ended.
    pub running: bool,
}

/// A credential that was sealed anew with another key; what is in it is the same.
#[derive(Clone, PartialEq, Eq)]
pub struct Resealed {
    /// Which one.
    pub name: CredentialName,
    /// As it was sealed when it was opened. No two seals are the same, so this tells whether it is still
    /// that one, as a version would not after it was removed and made again.
    pub before: Vec<u8>,
    /// All of it, sealed to its key.
    pub sealed: Vec<u8>,
}

impl fmt::Debug for Resealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Resealed({}, «sealed»)", self.name.id())
    }
}

/// A schema that was fetched from the cloud.
#[derive(Debug, Clone, PartialEq)]
pub struct CachedSchema {
    /// Where it was fetched.
    pub region: String,
    /// CloudFormation's name of the type.
    pub type_name: String,
    /// SHA-256 of the document, in hex.
    pub hash: String,
    /// The document.
    pub document: String,
    /// When it was fetched.
    pub fetched_at: Timestamp,
}

/// How many rows there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Groups.
    pub groups: u64,
    /// References.
    pub references: u64,
    /// References whose resource is not known.
    pub unknown: u64,
    /// Operations that have not ended.
    pub running: u64,
    /// How long the operation that is most overdue has been waiting for a worker.
    pub overdue_for: Duration,
    /// Leases that are held now.
    pub leased: u64,
}
