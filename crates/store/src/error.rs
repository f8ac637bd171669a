//! Why a store could not do what it was asked, by what the caller can do about it.

use hangar_plan::operation::OperationId;
use hangar_plan::record::{PlaneName, StateLock};

/// The store itself failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It cannot be reached or written just now: disk full, read-only, locked by another process.
    /// A write that ends so is not done, but a disk that fails may yet bring it back: ask again.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// A row, a key or the file itself is not as we wrote it.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// A newer version of this program wrote it.
    #[error(
        "the store was written by a newer version: it has migration {found}, but this program \
         supports up to {known}"
    )]
    Newer {
        /// What the store has.
        found: u32,
        /// What we know.
        known: u32,
    },
    /// It was sealed with another key.
    #[error("the key does not belong to this store")]
    WrongKey,
}

/// Why a group was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroupError {
    /// It is not as the caller expects.
    #[error("the group is not at the expected version")]
    Stale,
    /// It is being deleted.
    #[error("the group is being deleted")]
    Deleting,
    /// There is no such plane for it to be in.
    #[error("the plane {} does not exist", .0.id())]
    NoPlane(PlaneName),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why nothing was reserved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReserveError {
    /// There is no such group.
    #[error("the group does not exist")]
    NoGroup,
    /// It is being deleted, by this operation.
    #[error("the group is being deleted")]
    GroupDeleting(Option<OperationId>),
    /// The deletion that the new operation is a part of is over, and the group takes writes again.
    #[error("the group is no longer being deleted")]
    GroupReopened,
    /// Another operation works on the alias or on the resource.
    #[error("operation {0} is running on it")]
    Busy(OperationId),
    /// The reference, the deployment, the recipe, or the group that is to close, has changed since it was
    /// read: read it again and decide again.
    #[error("it has changed since it was read")]
    Stale,
    /// Another reference maps the resource, or has replaced it and is going to delete it.
    #[error("the resource is mapped by {0}")]
    Mapped(String),
    /// There is no such plane for the resource to be in.
    #[error("the plane {} does not exist", .0.id())]
    NoPlane(PlaneName),
    /// A request of this name was accepted before.
    #[error("operation {0} was accepted for this request id")]
    Repeated(OperationId),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a step was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// Another worker has the lease, or the operation is gone: stop, and do nothing more.
    #[error("the lease is lost")]
    LeaseLost,
    /// The reference is not at the version that was seen.
    #[error("the reference has changed")]
    Stale,
    /// Another reference maps the resource, or has replaced it and is going to delete it.
    #[error("the resource is mapped by {0}")]
    Mapped(String),
    /// The group that is to go still holds a reference or a recipe.
    #[error("the group still contains {0}")]
    NotEmpty(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a row that its caller may change was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StaleError {
    /// It is not as the caller expects.
    #[error("it is not at the expected version")]
    Stale,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a credential was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CredentialError {
    /// It is not as the caller expects.
    #[error("it is not at the expected version")]
    Stale,
    /// There is no such plane for it to be of.
    #[error("the plane {} does not exist", .0.id())]
    NoPlane(PlaneName),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<StaleError> for CredentialError {
    fn from(error: StaleError) -> Self {
        match error {
            StaleError::Stale => Self::Stale,
            StaleError::Store(error) => Self::Store(error),
        }
    }
}

/// Why a plane was not removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlaneError {
    /// It is not as the caller expects.
    #[error("it is not at the expected version")]
    Stale,
    /// Something is in it: the id of one thing that is.
    #[error("the plane still contains {0}")]
    NotEmpty(String),
    /// An operation works in it.
    #[error("operation {0} is running in it")]
    Busy(OperationId),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a reference was not written outside of an operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// There is none.
    #[error("the reference does not exist")]
    Absent,
    /// It is not at the version that was seen.
    #[error("the reference has changed since it was read")]
    Stale,
    /// An operation works on it.
    #[error("operation {0} is running on it")]
    Busy(OperationId),
    /// Creates of it are not settled.
    #[error("a create of it has an unknown outcome")]
    Unsettled,
    /// The alias is another reference's.
    #[error("the alias is taken by {0}")]
    Taken(String),
    /// Its group is being deleted.
    #[error("the group is being deleted")]
    GroupDeleting,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why the Terraform state of a recipe was not written, locked or unlocked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StateError {
    /// There is no such recipe.
    #[error("the recipe does not exist")]
    NoRecipe,
    /// Somebody else holds the lock.
    #[error("the state is locked: {}", .0.id)]
    Locked(Box<StateLock>),
    /// The lock that its writer holds is not there any more.
    #[error("the lock was removed")]
    LockLost,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An answer that refuses: for a reason of its own, or because the store failed.
pub(crate) trait Refusal: From<StoreError> {
    /// How the store failed, if that is why.
    fn store_error(&self) -> Option<&StoreError>;
}

impl Refusal for StoreError {
    fn store_error(&self) -> Option<&StoreError> {
        Some(self)
    }
}

impl Refusal for GroupError {
    fn store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

impl Refusal for ReserveError {
    fn store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

impl Refusal for CommitError {
    fn store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

impl Refusal for StaleError {
    fn store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

impl Refusal for CredentialError {
    fn store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

impl Refusal for PlaneError {
    fn store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

impl Refusal for ReferenceError {
    fn store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}

impl Refusal for StateError {
    fn store_error(&self) -> Option<&StoreError> {
        if let Self::Store(error) = self { Some(error) } else { None }
    }
}
