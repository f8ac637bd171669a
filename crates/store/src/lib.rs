//! What is durable: planes and credentials, groups, references, deployments, recipes with their Terraform
//! state, operations with their leases, events, schemas.
//!
//! One trait, three implementations (`sqlite`, `postgres`, `memory`), one conformance suite. One method is one
//! transaction; every write says which version it saw and, on an operation, which lease it holds.
//! What is refused is decided in `rules`, for all alike.
//! `keys` seals what may be kept only while an operation runs, and hashes what may never be kept.

#![forbid(unsafe_code)]

pub mod clock;
mod column;
pub mod conformance;
mod error;
pub mod gate;
pub mod hex;
pub mod keys;
mod ledger;
pub mod mapping;
pub mod memory;
mod notice;
mod position;
pub mod postgres;
mod rules;
pub mod sqlite;
mod write;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::budget::{BudgetAsk, Grant, Rate};
use hangar_plan::operation::OperationId;
use hangar_plan::record::{
    CredentialName, CredentialRecord, DeploymentName, DeploymentRecord, Epoch, EventRecord, Group,
    GroupName, OperationRecord, Plane, PlaneKind, PlaneName, RecipeName, RecipeRecord, Reference,
    ReferenceName, StateHead, StateLock, StateVersion, Version,
};

use tokio::sync::broadcast;

pub use error::{
    CommitError, CredentialError, GroupError, PlaneError, ReferenceError, ReserveError, StaleError,
    StateError, StoreError,
};
pub use notice::Notice;
pub use rules::REPEATABLE_FOR;
pub use write::{
    CachedSchema, CancelAnswer, Claim, Commit, Committed, Counts, DeploymentChange,
    DeploymentWrite, Expect, GroupChange, GroupHold, KEPT_STATES, Lease, OperationFilter,
    RecipeChange, RecipeWrite, ReferenceChange, ReferenceFilter, ReferenceOutline,
    ReferencePosition, ReferenceWrite, Resealed, Reservation, StateWrite, StoredState, WorkerId,
};

/// A future that a store gives; boxed so that a store can be a `dyn`.
pub type Answer<'a, T, E = StoreError> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'a>>;

/// Reads. Nothing that can be reached through it changes anything.
pub trait Reader: Send + Sync + std::fmt::Debug {
    /// The store's time, never below any that it has stored; on PostgreSQL, never below any that this process
    /// was told.
    fn now(&self) -> Answer<'_, Timestamp>;

    /// The same for what is only written down: where time is told by a server, it may be counted on from
    /// what was told less than a second ago. What is due, and whose lease it is, is decided by `now`.
    fn now_about(&self) -> Answer<'_, Timestamp> {
        self.now()
    }

    /// A group by name.
    fn group_find<'a>(&'a self, name: &'a GroupName) -> Answer<'a, Option<Group>>;

    /// Groups of a plane in the order of their keys, after the given key.
    fn group_list<'a>(
        &'a self,
        plane: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<Group>>;

    /// A reference by name.
    fn reference_find<'a>(&'a self, name: &'a ReferenceName) -> Answer<'a, Option<Reference>>;

    /// The reference that a resource of the cloud is mapped by ([`hangar_plan::record::Subject::resource_key`]):
    /// it stands for it, or has replaced it and is going to delete it. Its entry tells which.
    fn reference_find_by_resource<'a>(
        &'a self,
        resource_key: &'a str,
    ) -> Answer<'a, Option<Reference>>;

    /// References in the order of (type, alias), after the given position.
    fn reference_list<'a>(
        &'a self,
        filter: &'a ReferenceFilter,
        after: Option<&'a ReferencePosition>,
        limit: usize,
    ) -> Answer<'a, Vec<Reference>>;

    /// The same list without what is heavy in it.
    fn reference_outline_list<'a>(
        &'a self,
        filter: &'a ReferenceFilter,
        after: Option<&'a ReferencePosition>,
        limit: usize,
    ) -> Answer<'a, Vec<ReferenceOutline>>;

    /// A deployment by name.
    fn deployment_find<'a>(
        &'a self,
        name: &'a DeploymentName,
    ) -> Answer<'a, Option<DeploymentRecord>>;

    /// Deployments of a group in the order of their names in lower case, after the given one.
    fn deployment_list<'a>(
        &'a self,
        group: &'a GroupName,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<DeploymentRecord>>;

    /// A recipe by name.
    fn recipe_find<'a>(&'a self, name: &'a RecipeName) -> Answer<'a, Option<RecipeRecord>>;

    /// Recipes of a group in the order of their names in lower case, after the given one, without what is sealed of
    /// them.
    fn recipe_list<'a>(
        &'a self,
        group: &'a GroupName,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<RecipeRecord>>;

    /// How the Terraform state of a recipe stands, at one instant; as of one that has none where there is no
    /// such recipe.
    fn state_head<'a>(&'a self, recipe: &'a RecipeName) -> Answer<'a, StateHead>;

    /// The versions of it that are kept, stray ones too, newest first; none where there is no such recipe.
    /// The states themselves are not read.
    fn state_list<'a>(&'a self, recipe: &'a RecipeName) -> Answer<'a, Vec<StateVersion>>;

    /// One version of it.
    fn state_find<'a>(
        &'a self,
        recipe: &'a RecipeName,
        number: u64,
    ) -> Answer<'a, Option<StoredState>>;

    /// An operation.
    fn operation_find(&self, id: OperationId) -> Answer<'_, Option<OperationRecord>>;

    /// The operation of a request that was named by its caller, if it is younger than `within`.
    fn operation_find_repeated<'a>(
        &'a self,
        request_id: &'a str,
        within: Duration,
    ) -> Answer<'a, Option<OperationRecord>>;

    /// The operation, of any, that a request token of the cloud belongs to.
    fn operation_find_by_request<'a>(
        &'a self,
        request_token: &'a str,
    ) -> Answer<'a, Option<OperationId>>;

    /// The operation under way that holds a resource of the cloud
    /// ([`hangar_plan::record::Subject::resource_key`]).
    fn operation_find_holding<'a>(
        &'a self,
        resource_key: &'a str,
    ) -> Answer<'a, Option<OperationRecord>>;

    /// Operations, newest first, older than the given one.
    fn operation_list<'a>(
        &'a self,
        filter: &'a OperationFilter,
        before: Option<OperationId>,
        limit: usize,
    ) -> Answer<'a, Vec<OperationRecord>>;

    /// What happened to an operation, after a sequence number.
    fn event_list(
        &self,
        operation: OperationId,
        after: u64,
        limit: usize,
    ) -> Answer<'_, Vec<EventRecord>>;

    /// The last things that happened to an operation, oldest of them first.
    fn event_list_last(&self, operation: OperationId, limit: usize)
    -> Answer<'_, Vec<EventRecord>>;

    /// A schema that was fetched before.
    fn schema_find<'a>(
        &'a self,
        region: &'a str,
        type_name: &'a str,
    ) -> Answer<'a, Option<CachedSchema>>;

    /// A plane by name.
    fn plane_find<'a>(&'a self, name: &'a PlaneName) -> Answer<'a, Option<Plane>>;

    /// Planes in the order of their keys, of one kind or of all; there are few.
    fn plane_list(&self, kind: Option<PlaneKind>) -> Answer<'_, Vec<Plane>>;

    /// A credential by name.
    fn credential_find<'a>(
        &'a self,
        name: &'a CredentialName,
    ) -> Answer<'a, Option<CredentialRecord>>;

    /// Credentials in the order of their keys, of one plane or of all; there are few.
    fn credential_list<'a>(&'a self, plane: Option<&'a str>) -> Answer<'a, Vec<CredentialRecord>>;

    /// A small fact about the store that was kept under a name.
    fn note_find<'a>(&'a self, name: &'a str) -> Answer<'a, Option<String>>;

    /// Tells from now on that something has happened, here or at another replica; some of it may be
    /// lost, so that it can only shorten a wait.
    fn notices(&self) -> broadcast::Receiver<Notice>;

    /// What proves that a key is this store's.
    fn key_check(&self) -> Answer<'_, Option<String>>;

    /// Whether it can be read and written just now, told within a few seconds; changes nothing.
    /// Needs a runtime with timers.
    fn health(&self) -> Answer<'_, ()>;

    /// Rows, for metrics.
    fn counts(&self) -> Answer<'_, Counts>;
}

/// Reads and writes.
pub trait Store: Reader {
    /// Makes or changes a group; its first spelling and `created_at` stay, and so do `state` and
    /// `operation`: only an operation closes and opens a group. Refused while it is being deleted, and
    /// without its plane. Gives it as it is kept.
    fn group_put<'a>(&'a self, group: &'a Group, expect: Expect) -> Answer<'a, Group, GroupError>;

    /// Writes a reference outside of any operation: what was seen of its resource, what it depends on.
    /// What only operations move stays as it was: name, scope, `last_operation`, `created_at`, and of its
    /// entry all but `state` and `failed_at`. Refused where there is none, while an operation works on
    /// it, and while its group is being deleted. Gives its version.
    fn reference_save(&self, write: ReferenceWrite) -> Answer<'_, Version, ReferenceError>;

    /// Gives a reference another alias in its group; its old key joins `former_keys`, and references of
    /// the group that depend on it follow, each a version on. Operations keep the old name. Where only
    /// the case differs the spelling changes and nothing else; the alias that it has changes nothing.
    /// Refused while an operation works on it or on one that would follow, while creates of it are
    /// unsettled, while its group is being deleted, and where the alias is taken. Gives it as it is kept.
    fn reference_rename<'a>(
        &'a self,
        name: &'a ReferenceName,
        alias: &'a str,
        seen: Version,
    ) -> Answer<'a, Reference, ReferenceError>;

    /// Makes or changes a plane; its first spelling and `created_at` stay. Gives it as it is kept.
    fn plane_put<'a>(&'a self, plane: &'a Plane, expect: Expect) -> Answer<'a, Plane, StaleError>;

    /// Removes a plane, if nothing is in it: no group, no reference whose resource is in it, no
    /// credential, no operation that runs. Tells whether there was one.
    fn plane_remove<'a>(
        &'a self,
        name: &'a PlaneName,
        expect: Expect,
    ) -> Answer<'a, bool, PlaneError>;

    /// Makes or changes a credential; its first spelling and `created_at` stay. Refused without its plane.
    /// Gives it as it is kept.
    fn credential_put<'a>(
        &'a self,
        credential: &'a CredentialRecord,
        expect: Expect,
    ) -> Answer<'a, CredentialRecord, CredentialError>;

    /// Removes a credential; tells whether there was one.
    fn credential_remove<'a>(
        &'a self,
        name: &'a CredentialName,
        expect: Expect,
    ) -> Answer<'a, bool, StaleError>;

    /// Takes another key: the proof of the new one, and every credential sealed with it, in one
    /// transaction. Refused if the proof that is kept is not `old`, and unless `resealed` is every
    /// credential as it is sealed now. Their versions stay: nobody sees a difference.
    fn key_rotate<'a>(
        &'a self,
        old: &'a str,
        new: &'a str,
        resealed: &'a [Resealed],
    ) -> Answer<'a, (), StaleError>;

    /// Takes an alias, or a resource, or neither, for a new operation; all of it or nothing.
    ///
    /// Looked at in this order: the request was accepted before, the group, the plane of what is new here,
    /// the alias, the resources that it maps, the deployment, the recipe, the resources that it holds. The
    /// operation begins at version 1 and epoch 0.
    fn operation_reserve(&self, reservation: Reservation) -> Answer<'_, (), ReserveError>;

    /// Keeps a version of a recipe's state, and forgets all but the newest [`KEPT_STATES`] that are not
    /// stray, and as many that are. Refused without its recipe; while a lock is held, to all but its
    /// holder; and to one who holds a lock that is not there any more. A stray one needs no lock, and is never
    /// the current one. Numbers count on over both, and none comes twice as long as the recipe is there.
    /// Gives it as it is kept.
    ///
    /// One whose answer was lost is told as `Unavailable`, though it may have been kept: asked for again it
    /// is kept once more, as another version.
    fn state_write(&self, write: StateWrite) -> Answer<'_, StateVersion, StateError>;

    /// Takes the lock of a recipe's state; who has it already (by its id) has it still, as he first took it.
    /// Refused without its recipe, and while somebody else has it.
    fn state_lock<'a>(
        &'a self,
        recipe: &'a RecipeName,
        lock: &'a StateLock,
    ) -> Answer<'a, (), StateError>;

    /// Frees the lock of that id, or any where none is named. Gives the lock that was freed; one that is
    /// not there any more is free. Refused without its recipe, and while somebody else has it.
    fn state_unlock<'a>(
        &'a self,
        recipe: &'a RecipeName,
        id: Option<&'a str>,
    ) -> Answer<'a, Option<StateLock>, StateError>;

    /// Leases operations that are due and leased by nobody, oldest due first. One that cannot be read
    /// is told in the log and put off for an hour; it stops no other.
    fn operation_claim(
        &self,
        worker: WorkerId,
        lease_for: Duration,
        limit: usize,
    ) -> Answer<'_, Vec<Claim>>;

    /// Makes leases last longer; gives back those that are lost: taken by another, let go, or gone.
    fn operation_renew<'a>(
        &'a self,
        leases: &'a [(OperationId, Epoch)],
        lease_for: Duration,
    ) -> Answer<'a, Vec<OperationId>>;

    /// Writes one step of an operation: the operation, its reference, its deployment, its recipe, its envelope,
    /// its event.
    /// A message that equals the operation's last one is not kept again.
    ///
    /// A step that ends an operation makes the operation that it is a part of due, if that has not ended:
    /// a worker that has it meanwhile cannot put it off (see [`Lease`]).
    fn operation_commit(&self, commit: Commit) -> Answer<'_, Committed, CommitError>;

    /// Notes that the caller wants an operation stopped, and makes it due.
    fn operation_cancel(&self, id: OperationId) -> Answer<'_, CancelAnswer>;

    /// Ends every lease: for the one process of a data directory, when it starts.
    fn lease_end_all(&self) -> Answer<'_, usize>;

    /// Removes operations, with their events, that ended before an instant. Parked ones stay; so do
    /// those that ended as unknown, until their reference is settled, and for good where they have
    /// none. A store may do so in several transactions.
    fn operation_prune(&self, ended_before: Timestamp) -> Answer<'_, usize>;

    /// Takes calls from the budget of a place, which is one for all replicas. What was taken and not used is
    /// lost.
    fn budget_take<'a>(&'a self, place: &'a str, ask: BudgetAsk) -> Answer<'a, Grant>;

    /// Slows a place down: it said that it is asked too often.
    fn budget_throttled<'a>(&'a self, place: &'a str, rate: Rate) -> Answer<'a, ()>;

    /// Keeps a small fact about the store under a name, if there is none yet; gives what is kept.
    fn note_keep<'a>(&'a self, name: &'a str, text: &'a str) -> Answer<'a, String>;

    /// Keeps a small fact about the store under a name, in the place of another.
    fn note_put<'a>(&'a self, name: &'a str, text: &'a str) -> Answer<'a, ()>;

    /// Keeps a fetched schema.
    fn schema_put<'a>(&'a self, schema: &'a CachedSchema) -> Answer<'a, ()>;

    /// Keeps what proves a key, if there is nothing yet; gives what is kept.
    fn key_check_put<'a>(&'a self, check: &'a str) -> Answer<'a, String>;
}
