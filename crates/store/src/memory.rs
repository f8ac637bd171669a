//! The store in memory, for tests and simulations: no threads, no waiting, time as it is told.
//!
//! What is committed and what is on disk are two things: with [`Sync::Manual`] a commit is lost
//! unless [`Memory::sync`] came before [`Memory::lose_unsynced`], as after a power failure.

mod amend;
mod change;
mod deployment;
mod group;
mod plane;
mod recipe;
mod state;
mod terraform;

use std::sync::{Mutex, MutexGuard, PoisonError};
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

use crate::clock::{Clock, StoreTime};
use crate::ledger::Ledger;
use crate::notice::{self, Notices, OfStep};
use crate::{
    Answer, CachedSchema, CancelAnswer, Claim, Commit, CommitError, Committed, Counts,
    CredentialError, Expect, GroupError, Notice, OperationFilter, PlaneError, Reader,
    ReferenceError, ReferenceFilter, ReferenceOutline, ReferencePosition, ReferenceWrite, Resealed,
    Reservation, ReserveError, StaleError, StateError, StateWrite, Store, StoredState, WorkerId,
    rules,
};
use state::State;

/// When a commit is as good as on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sync {
    /// At once, as SQLite has it.
    #[default]
    Always,
    /// When [`Memory::sync`] is called.
    Manual,
}

/// What a store looks at before it writes, and what tests of the tests take away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// That nobody has taken the alias since it was looked at.
    Reservation,
    /// That a step is made under the last lease, on what was last written.
    Lease,
}

/// How a store in memory is made.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where its time comes from.
    pub clock: Clock,
    /// When a commit is as good as on disk.
    pub sync: Sync,
    /// What is not looked at. It is not there in a release: nothing can be taken away from what users run.
    #[cfg(debug_assertions)]
    pub unchecked: Option<Check>,
}

/// A store in memory.
#[derive(Debug)]
pub struct Memory {
    time: StoreTime,
    sync: Sync,
    ledger: Ledger,
    notices: Notices,
    rows: Mutex<Rows>,
}

#[derive(Debug)]
struct Rows {
    committed: State,
    /// As it was when `sync` was last called; not kept up where every commit is synced.
    synced: State,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Memory {
    /// A new store with the time of day, every commit of which is synced.
    pub fn new() -> Self {
        Self::with(Options::default())
    }

    /// A new store.
    pub fn with(options: Options) -> Self {
        let time = StoreTime::new(options.clock, Timestamp::default());
        #[cfg(debug_assertions)]
        let unchecked = options.unchecked;
        #[cfg(not(debug_assertions))]
        let unchecked = None;
        let state = State { unchecked, ..State::new() };
        let (committed, synced) = (state.clone(), state);
        let (ledger, notices) = (Ledger::default(), Notices::default());
        Self {
            time,
            sync: options.sync,
            ledger,
            notices,
            rows: Mutex::new(Rows { committed, synced }),
        }
    }

    /// Makes every commit durable.
    pub fn sync(&self) {
        if self.sync == Sync::Manual {
            let mut rows = self.rows();
            rows.synced = rows.committed.clone();
        }
    }

    /// Goes back to the last sync, as a power failure does.
    pub fn lose_unsynced(&self) {
        if self.sync == Sync::Manual {
            let mut rows = self.rows();
            rows.committed = rows.synced.clone();
        }
    }

    // A panic under the lock is a defect that has been told; what it left is still one state.
    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A transaction: `work` sees all or nothing of every other.
    fn transact<'a, T, E>(
        &'a self,
        work: impl FnOnce(&mut State, Timestamp) -> Result<T, E> + Send + 'a,
    ) -> Answer<'a, T, E> {
        Box::pin(async move {
            let mut rows = self.rows();
            // Under the lock, so that commits and their instants are in the same order.
            let now = self.time.now();
            work(&mut rows.committed, now)
        })
    }
}

impl Reader for Memory {
    fn now(&self) -> Answer<'_, Timestamp> {
        Box::pin(async move { Ok(self.time.now()) })
    }

    fn group_find<'a>(&'a self, name: &'a GroupName) -> Answer<'a, Option<Group>> {
        self.transact(|state, _| Ok(state.group(&name.key())))
    }

    fn group_list<'a>(
        &'a self,
        plane: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<Group>> {
        self.transact(move |state, _| Ok(state.groups_after(plane, after, limit)))
    }

    fn reference_find<'a>(&'a self, name: &'a ReferenceName) -> Answer<'a, Option<Reference>> {
        self.transact(|state, _| Ok(state.reference(&rules::position(name))))
    }

    fn reference_find_by_resource<'a>(
        &'a self,
        resource_key: &'a str,
    ) -> Answer<'a, Option<Reference>> {
        self.transact(|state, _| Ok(state.reference_of_resource(resource_key)))
    }

    fn reference_list<'a>(
        &'a self,
        filter: &'a ReferenceFilter,
        after: Option<&'a ReferencePosition>,
        limit: usize,
    ) -> Answer<'a, Vec<Reference>> {
        self.transact(move |state, _| Ok(state.references_after(filter, after, limit)))
    }

    fn reference_outline_list<'a>(
        &'a self,
        filter: &'a ReferenceFilter,
        after: Option<&'a ReferencePosition>,
        limit: usize,
    ) -> Answer<'a, Vec<ReferenceOutline>> {
        self.transact(move |state, _| Ok(state.outlines_after(filter, after, limit)))
    }

    fn deployment_find<'a>(
        &'a self,
        name: &'a DeploymentName,
    ) -> Answer<'a, Option<DeploymentRecord>> {
        self.transact(|state, _| Ok(state.deployment(&rules::deployment_position(name))))
    }

    fn deployment_list<'a>(
        &'a self,
        group: &'a GroupName,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<DeploymentRecord>> {
        self.transact(move |state, _| Ok(state.deployments_after(&group.key(), after, limit)))
    }

    fn recipe_find<'a>(&'a self, name: &'a RecipeName) -> Answer<'a, Option<RecipeRecord>> {
        self.transact(|state, _| Ok(state.recipe(&rules::recipe_position(name))))
    }

    fn recipe_list<'a>(
        &'a self,
        group: &'a GroupName,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<RecipeRecord>> {
        self.transact(move |state, _| Ok(state.recipes_after(&group.key(), after, limit)))
    }

    fn state_head<'a>(&'a self, recipe: &'a RecipeName) -> Answer<'a, StateHead> {
        self.transact(|state, _| Ok(state.terraform_head(&rules::recipe_position(recipe))))
    }

    fn state_list<'a>(&'a self, recipe: &'a RecipeName) -> Answer<'a, Vec<StateVersion>> {
        self.transact(|state, _| Ok(state.terraform_list(&rules::recipe_position(recipe))))
    }

    fn state_find<'a>(
        &'a self,
        recipe: &'a RecipeName,
        number: u64,
    ) -> Answer<'a, Option<StoredState>> {
        self.transact(move |state, _| {
            Ok(state.terraform_state(&rules::recipe_position(recipe), number))
        })
    }

    fn operation_find(&self, id: OperationId) -> Answer<'_, Option<OperationRecord>> {
        self.transact(move |state, _| Ok(state.operation(id)))
    }

    fn operation_find_repeated<'a>(
        &'a self,
        request_id: &'a str,
        within: Duration,
    ) -> Answer<'a, Option<OperationRecord>> {
        self.transact(move |state, now| {
            Ok(state.repeated(request_id, rules::earlier(now, within)).cloned())
        })
    }

    fn operation_find_by_request<'a>(
        &'a self,
        request_token: &'a str,
    ) -> Answer<'a, Option<OperationId>> {
        self.transact(|state, _| Ok(state.operation_of_request(request_token)))
    }

    fn operation_find_holding<'a>(
        &'a self,
        resource_key: &'a str,
    ) -> Answer<'a, Option<OperationRecord>> {
        self.transact(|state, _| {
            let holder = state.locks.get(resource_key).copied();
            Ok(holder.and_then(|id| state.operation(id)))
        })
    }

    fn operation_list<'a>(
        &'a self,
        filter: &'a OperationFilter,
        before: Option<OperationId>,
        limit: usize,
    ) -> Answer<'a, Vec<OperationRecord>> {
        self.transact(move |state, _| Ok(state.operations_before(filter, before, limit)))
    }

    fn event_list(
        &self,
        operation: OperationId,
        after: u64,
        limit: usize,
    ) -> Answer<'_, Vec<EventRecord>> {
        self.transact(move |state, _| Ok(state.events_after(operation, after, limit)))
    }

    fn event_list_last(
        &self,
        operation: OperationId,
        limit: usize,
    ) -> Answer<'_, Vec<EventRecord>> {
        self.transact(move |state, _| Ok(state.last_events(operation, limit)))
    }

    fn schema_find<'a>(
        &'a self,
        region: &'a str,
        type_name: &'a str,
    ) -> Answer<'a, Option<CachedSchema>> {
        self.transact(|state, _| Ok(state.schema(region, type_name)))
    }

    fn plane_find<'a>(&'a self, name: &'a PlaneName) -> Answer<'a, Option<Plane>> {
        self.transact(|state, _| Ok(state.planes.get(&name.key()).map(|it| Plane::clone(it))))
    }

    fn plane_list(&self, kind: Option<PlaneKind>) -> Answer<'_, Vec<Plane>> {
        self.transact(move |state, _| Ok(state.planes_of(kind)))
    }

    fn credential_find<'a>(
        &'a self,
        name: &'a CredentialName,
    ) -> Answer<'a, Option<CredentialRecord>> {
        self.transact(|state, _| {
            let found = state.credentials.get(&name.key());
            Ok(found.map(|it| CredentialRecord::clone(it)))
        })
    }

    fn credential_list<'a>(&'a self, plane: Option<&'a str>) -> Answer<'a, Vec<CredentialRecord>> {
        self.transact(move |state, _| Ok(state.credentials_of(plane)))
    }

    fn note_find<'a>(&'a self, name: &'a str) -> Answer<'a, Option<String>> {
        self.transact(move |state, _| Ok(state.notes.get(name).cloned()))
    }

    fn notices(&self) -> broadcast::Receiver<Notice> {
        self.notices.listen()
    }

    fn key_check(&self) -> Answer<'_, Option<String>> {
        self.transact(|state, _| Ok(state.key_check.clone()))
    }

    fn health(&self) -> Answer<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn counts(&self) -> Answer<'_, Counts> {
        self.transact(|state, now| Ok(state.counts(now)))
    }
}

impl Store for Memory {
    fn group_put<'a>(&'a self, group: &'a Group, expect: Expect) -> Answer<'a, Group, GroupError> {
        self.transact(move |state, _| state.put_group(group.clone(), expect))
    }

    fn reference_save(&self, write: ReferenceWrite) -> Answer<'_, Version, ReferenceError> {
        self.transact(move |state, _| state.amend(write))
    }

    fn reference_rename<'a>(
        &'a self,
        name: &'a ReferenceName,
        alias: &'a str,
        seen: Version,
    ) -> Answer<'a, Reference, ReferenceError> {
        self.transact(move |state, _| state.rename(name, alias, seen))
    }

    fn plane_put<'a>(&'a self, plane: &'a Plane, expect: Expect) -> Answer<'a, Plane, StaleError> {
        self.transact(move |state, _| state.put_plane(plane.clone(), expect))
    }

    fn plane_remove<'a>(
        &'a self,
        name: &'a PlaneName,
        expect: Expect,
    ) -> Answer<'a, bool, PlaneError> {
        self.transact(move |state, _| state.remove_plane(name, expect))
    }

    fn credential_put<'a>(
        &'a self,
        credential: &'a CredentialRecord,
        expect: Expect,
    ) -> Answer<'a, CredentialRecord, CredentialError> {
        self.transact(move |state, _| state.put_credential(credential.clone(), expect))
    }

    fn credential_remove<'a>(
        &'a self,
        name: &'a CredentialName,
        expect: Expect,
    ) -> Answer<'a, bool, StaleError> {
        self.transact(move |state, _| state.remove_credential(name, expect))
    }

    fn key_rotate<'a>(
        &'a self,
        old: &'a str,
        new: &'a str,
        resealed: &'a [Resealed],
    ) -> Answer<'a, (), StaleError> {
        self.transact(move |state, _| state.rotate_key(old, new, resealed))
    }

    fn operation_reserve(&self, reservation: Reservation) -> Answer<'_, (), ReserveError> {
        self.transact(move |state, now| {
            let told = notice::of_wanted(&reservation.record);
            state.reserve(reservation, now)?;
            self.notices.tell(told);
            Ok(())
        })
    }

    fn state_write(&self, write: StateWrite) -> Answer<'_, StateVersion, StateError> {
        self.transact(move |state, _| state.write_terraform(write))
    }

    fn state_lock<'a>(
        &'a self,
        recipe: &'a RecipeName,
        lock: &'a StateLock,
    ) -> Answer<'a, (), StateError> {
        self.transact(move |state, _| state.lock_terraform(recipe, lock))
    }

    fn state_unlock<'a>(
        &'a self,
        recipe: &'a RecipeName,
        id: Option<&'a str>,
    ) -> Answer<'a, Option<StateLock>, StateError> {
        self.transact(move |state, _| state.unlock_terraform(recipe, id))
    }

    fn operation_claim(
        &self,
        worker: WorkerId,
        lease_for: Duration,
        limit: usize,
    ) -> Answer<'_, Vec<Claim>> {
        self.transact(move |state, now| Ok(state.claim(&worker, now, lease_for, limit)))
    }

    fn operation_renew<'a>(
        &'a self,
        leases: &'a [(OperationId, Epoch)],
        lease_for: Duration,
    ) -> Answer<'a, Vec<OperationId>> {
        self.transact(move |state, now| Ok(state.renew(leases, now.after(lease_for))))
    }

    fn operation_commit(&self, commit: Commit) -> Answer<'_, Committed, CommitError> {
        self.transact(move |state, now| {
            let notices = OfStep::new(&commit);
            let committed = state.commit(commit, now)?;
            self.notices.tell(notices.told(&committed));
            Ok(committed)
        })
    }

    fn operation_cancel(&self, id: OperationId) -> Answer<'_, CancelAnswer> {
        self.transact(move |state, now| {
            let answer = state.cancel(id, now);
            if let CancelAnswer::Noted(record) = &answer {
                self.notices.tell(notice::of_wanted(record));
            }
            Ok(answer)
        })
    }

    fn lease_end_all(&self) -> Answer<'_, usize> {
        self.transact(|state, _| Ok(state.end_leases()))
    }

    fn operation_prune(&self, ended_before: Timestamp) -> Answer<'_, usize> {
        self.transact(move |state, _| Ok(state.prune(ended_before)))
    }

    fn budget_take<'a>(&'a self, place: &'a str, ask: BudgetAsk) -> Answer<'a, Grant> {
        Box::pin(async move { Ok(self.ledger.take(place, &ask, self.time.now())) })
    }

    fn budget_throttled<'a>(&'a self, place: &'a str, rate: Rate) -> Answer<'a, ()> {
        Box::pin(async move {
            self.ledger.throttled(place, rate, self.time.now());
            Ok(())
        })
    }

    fn note_keep<'a>(&'a self, name: &'a str, text: &'a str) -> Answer<'a, String> {
        self.transact(move |state, _| {
            Ok(state.notes.entry(name.to_owned()).or_insert_with(|| text.to_owned()).clone())
        })
    }

    fn note_put<'a>(&'a self, name: &'a str, text: &'a str) -> Answer<'a, ()> {
        self.transact(move |state, _| {
            state.notes.insert(name.to_owned(), text.to_owned());
            Ok(())
        })
    }

    fn schema_put<'a>(&'a self, schema: &'a CachedSchema) -> Answer<'a, ()> {
        self.transact(|state, _| {
            state.put_schema(schema.clone());
            Ok(())
        })
    }

    fn key_check_put<'a>(&'a self, check: &'a str) -> Answer<'a, String> {
        self.transact(|state, _| {
            Ok(state.key_check.get_or_insert_with(|| check.to_owned()).clone())
        })
    }
}
