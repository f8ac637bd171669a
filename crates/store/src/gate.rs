//! A store behind a gate: every call passes it, for those who must know of calls or keep them from being made.
//!
//! Tests of what a crash leaves stand there; nothing that serves users does.

use std::fmt;
use std::sync::Arc;
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

use crate::{
    Answer, CachedSchema, CancelAnswer, Claim, Commit, CommitError, Committed, Counts,
    CredentialError, Expect, GroupError, Notice, OperationFilter, PlaneError, Reader,
    ReferenceError, ReferenceFilter, ReferenceOutline, ReferencePosition, ReferenceWrite, Resealed,
    Reservation, ReserveError, StaleError, StateError, StateWrite, Store, StoreError, StoredState,
    WorkerId,
};

/// A write that comes to a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// The method's name.
    pub name: &'static str,
    /// The operation that it is about, where it is about one.
    pub operation: Option<OperationId>,
}

impl Call {
    const fn new(name: &'static str) -> Self {
        Self { name, operation: None }
    }
}

/// What stands before a store. A call that is given to it has done nothing yet.
pub trait Gate: Send + Sync + fmt::Debug {
    /// Lets a read pass, or not.
    fn read<'a, T: Send + 'a>(&'a self, name: &'static str, call: Answer<'a, T>) -> Answer<'a, T>;

    /// Lets a write pass, or not.
    fn write<'a, T: Send + 'a, E: From<StoreError> + Send + 'a>(
        &'a self,
        about: Call,
        call: Answer<'a, T, E>,
    ) -> Answer<'a, T, E>;
}

/// A store behind a gate.
#[derive(Debug)]
pub struct Gated<G> {
    gate: G,
    inner: Arc<dyn Store>,
}

impl<G: Gate> Gated<G> {
    /// Puts a gate before a store.
    pub fn new(gate: G, inner: Arc<dyn Store>) -> Self {
        Self { gate, inner }
    }
}

impl<G: Gate> Reader for Gated<G> {
    fn now(&self) -> Answer<'_, Timestamp> {
        self.gate.read("now", self.inner.now())
    }

    fn now_about(&self) -> Answer<'_, Timestamp> {
        self.gate.read("now_about", self.inner.now_about())
    }

    fn group_find<'a>(&'a self, name: &'a GroupName) -> Answer<'a, Option<Group>> {
        self.gate.read("group_find", self.inner.group_find(name))
    }

    fn group_list<'a>(
        &'a self,
        plane: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<Group>> {
        self.gate.read("group_list", self.inner.group_list(plane, after, limit))
    }

    fn reference_find<'a>(&'a self, name: &'a ReferenceName) -> Answer<'a, Option<Reference>> {
        self.gate.read("reference_find", self.inner.reference_find(name))
    }

    fn reference_find_by_resource<'a>(
        &'a self,
        resource_key: &'a str,
    ) -> Answer<'a, Option<Reference>> {
        self.gate
            .read("reference_find_by_resource", self.inner.reference_find_by_resource(resource_key))
    }

    fn reference_list<'a>(
        &'a self,
        filter: &'a ReferenceFilter,
        after: Option<&'a ReferencePosition>,
        limit: usize,
    ) -> Answer<'a, Vec<Reference>> {
        self.gate.read("reference_list", self.inner.reference_list(filter, after, limit))
    }

    fn reference_outline_list<'a>(
        &'a self,
        filter: &'a ReferenceFilter,
        after: Option<&'a ReferencePosition>,
        limit: usize,
    ) -> Answer<'a, Vec<ReferenceOutline>> {
        self.gate
            .read("reference_outline_list", self.inner.reference_outline_list(filter, after, limit))
    }

    fn deployment_find<'a>(
        &'a self,
        name: &'a DeploymentName,
    ) -> Answer<'a, Option<DeploymentRecord>> {
        self.gate.read("deployment_find", self.inner.deployment_find(name))
    }

    fn deployment_list<'a>(
        &'a self,
        group: &'a GroupName,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<DeploymentRecord>> {
        self.gate.read("deployment_list", self.inner.deployment_list(group, after, limit))
    }

    fn recipe_find<'a>(&'a self, name: &'a RecipeName) -> Answer<'a, Option<RecipeRecord>> {
        self.gate.read("recipe_find", self.inner.recipe_find(name))
    }

    fn recipe_list<'a>(
        &'a self,
        group: &'a GroupName,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<RecipeRecord>> {
        self.gate.read("recipe_list", self.inner.recipe_list(group, after, limit))
    }

    fn state_head<'a>(&'a self, recipe: &'a RecipeName) -> Answer<'a, StateHead> {
        self.gate.read("state_head", self.inner.state_head(recipe))
    }

    fn state_list<'a>(&'a self, recipe: &'a RecipeName) -> Answer<'a, Vec<StateVersion>> {
        self.gate.read("state_list", self.inner.state_list(recipe))
    }

    fn state_find<'a>(
        &'a self,
        recipe: &'a RecipeName,
        number: u64,
    ) -> Answer<'a, Option<StoredState>> {
        self.gate.read("state_find", self.inner.state_find(recipe, number))
    }

    fn operation_find(&self, id: OperationId) -> Answer<'_, Option<OperationRecord>> {
        self.gate.read("operation_find", self.inner.operation_find(id))
    }

    fn operation_find_repeated<'a>(
        &'a self,
        request_id: &'a str,
        within: Duration,
    ) -> Answer<'a, Option<OperationRecord>> {
        self.gate
            .read("operation_find_repeated", self.inner.operation_find_repeated(request_id, within))
    }

    fn operation_find_by_request<'a>(
        &'a self,
        request_token: &'a str,
    ) -> Answer<'a, Option<OperationId>> {
        self.gate
            .read("operation_find_by_request", self.inner.operation_find_by_request(request_token))
    }

    fn operation_find_holding<'a>(
        &'a self,
        resource_key: &'a str,
    ) -> Answer<'a, Option<OperationRecord>> {
        self.gate.read("operation_find_holding", self.inner.operation_find_holding(resource_key))
    }

    fn operation_list<'a>(
        &'a self,
        filter: &'a OperationFilter,
        before: Option<OperationId>,
        limit: usize,
    ) -> Answer<'a, Vec<OperationRecord>> {
        self.gate.read("operation_list", self.inner.operation_list(filter, before, limit))
    }

    fn event_list(
        &self,
        operation: OperationId,
        after: u64,
        limit: usize,
    ) -> Answer<'_, Vec<EventRecord>> {
        self.gate.read("event_list", self.inner.event_list(operation, after, limit))
    }

    fn event_list_last(
        &self,
        operation: OperationId,
        limit: usize,
    ) -> Answer<'_, Vec<EventRecord>> {
        self.gate.read("event_list_last", self.inner.event_list_last(operation, limit))
    }

    fn schema_find<'a>(
        &'a self,
        region: &'a str,
        type_name: &'a str,
    ) -> Answer<'a, Option<CachedSchema>> {
        self.gate.read("schema_find", self.inner.schema_find(region, type_name))
    }

    fn plane_find<'a>(&'a self, name: &'a PlaneName) -> Answer<'a, Option<Plane>> {
        self.gate.read("plane_find", self.inner.plane_find(name))
    }

    fn plane_list(&self, kind: Option<PlaneKind>) -> Answer<'_, Vec<Plane>> {
        self.gate.read("plane_list", self.inner.plane_list(kind))
    }

    fn credential_find<'a>(
        &'a self,
        name: &'a CredentialName,
    ) -> Answer<'a, Option<CredentialRecord>> {
        self.gate.read("credential_find", self.inner.credential_find(name))
    }

    fn credential_list<'a>(&'a self, plane: Option<&'a str>) -> Answer<'a, Vec<CredentialRecord>> {
        self.gate.read("credential_list", self.inner.credential_list(plane))
    }

    fn note_find<'a>(&'a self, name: &'a str) -> Answer<'a, Option<String>> {
        self.gate.read("note_find", self.inner.note_find(name))
    }

    fn notices(&self) -> broadcast::Receiver<Notice> {
        self.inner.notices()
    }

    fn key_check(&self) -> Answer<'_, Option<String>> {
        self.gate.read("key_check", self.inner.key_check())
    }

    fn health(&self) -> Answer<'_, ()> {
        self.gate.read("health", self.inner.health())
    }

    fn counts(&self) -> Answer<'_, Counts> {
        self.gate.read("counts", self.inner.counts())
    }
}

impl<G: Gate> Store for Gated<G> {
    fn group_put<'a>(&'a self, group: &'a Group, expect: Expect) -> Answer<'a, Group, GroupError> {
        self.gate.write(Call::new("group_put"), self.inner.group_put(group, expect))
    }

    fn reference_save(&self, write: ReferenceWrite) -> Answer<'_, Version, ReferenceError> {
        self.gate.write(Call::new("reference_save"), self.inner.reference_save(write))
    }

    fn reference_rename<'a>(
        &'a self,
        name: &'a ReferenceName,
        alias: &'a str,
        seen: Version,
    ) -> Answer<'a, Reference, ReferenceError> {
        self.gate
            .write(Call::new("reference_rename"), self.inner.reference_rename(name, alias, seen))
    }

    fn plane_put<'a>(&'a self, plane: &'a Plane, expect: Expect) -> Answer<'a, Plane, StaleError> {
        self.gate.write(Call::new("plane_put"), self.inner.plane_put(plane, expect))
    }

    fn plane_remove<'a>(
        &'a self,
        name: &'a PlaneName,
        expect: Expect,
    ) -> Answer<'a, bool, PlaneError> {
        self.gate.write(Call::new("plane_remove"), self.inner.plane_remove(name, expect))
    }

    fn credential_put<'a>(
        &'a self,
        credential: &'a CredentialRecord,
        expect: Expect,
    ) -> Answer<'a, CredentialRecord, CredentialError> {
        self.gate.write(Call::new("credential_put"), self.inner.credential_put(credential, expect))
    }

    fn credential_remove<'a>(
        &'a self,
        name: &'a CredentialName,
        expect: Expect,
    ) -> Answer<'a, bool, StaleError> {
        self.gate.write(Call::new("credential_remove"), self.inner.credential_remove(name, expect))
    }

    fn key_rotate<'a>(
        &'a self,
        old: &'a str,
        new: &'a str,
        resealed: &'a [Resealed],
    ) -> Answer<'a, (), StaleError> {
        self.gate.write(Call::new("key_rotate"), self.inner.key_rotate(old, new, resealed))
    }

    fn operation_reserve(&self, reservation: Reservation) -> Answer<'_, (), ReserveError> {
        let call = Call { name: "operation_reserve", operation: Some(reservation.record.id()) };
        self.gate.write(call, self.inner.operation_reserve(reservation))
    }

    fn state_write(&self, write: StateWrite) -> Answer<'_, StateVersion, StateError> {
        let call = Call { name: "state_write", operation: write.version.operation };
        self.gate.write(call, self.inner.state_write(write))
    }

    fn state_lock<'a>(
        &'a self,
        recipe: &'a RecipeName,
        lock: &'a StateLock,
    ) -> Answer<'a, (), StateError> {
        let call = Call { name: "state_lock", operation: lock.operation };
        self.gate.write(call, self.inner.state_lock(recipe, lock))
    }

    fn state_unlock<'a>(
        &'a self,
        recipe: &'a RecipeName,
        id: Option<&'a str>,
    ) -> Answer<'a, Option<StateLock>, StateError> {
        self.gate.write(Call::new("state_unlock"), self.inner.state_unlock(recipe, id))
    }

    fn operation_claim(
        &self,
        worker: WorkerId,
        lease_for: Duration,
        limit: usize,
    ) -> Answer<'_, Vec<Claim>> {
        self.gate.write(
            Call::new("operation_claim"),
            self.inner.operation_claim(worker, lease_for, limit),
        )
    }

    fn operation_renew<'a>(
        &'a self,
        leases: &'a [(OperationId, Epoch)],
        lease_for: Duration,
    ) -> Answer<'a, Vec<OperationId>> {
        self.gate.write(Call::new("operation_renew"), self.inner.operation_renew(leases, lease_for))
    }

    fn operation_commit(&self, commit: Commit) -> Answer<'_, Committed, CommitError> {
        let call = Call { name: "operation_commit", operation: Some(commit.record.id()) };
        self.gate.write(call, self.inner.operation_commit(commit))
    }

    fn operation_cancel(&self, id: OperationId) -> Answer<'_, CancelAnswer> {
        self.gate.write(Call::new("operation_cancel"), self.inner.operation_cancel(id))
    }

    fn lease_end_all(&self) -> Answer<'_, usize> {
        self.gate.write(Call::new("lease_end_all"), self.inner.lease_end_all())
    }

    fn operation_prune(&self, ended_before: Timestamp) -> Answer<'_, usize> {
        self.gate.write(Call::new("operation_prune"), self.inner.operation_prune(ended_before))
    }

    fn budget_take<'a>(&'a self, place: &'a str, ask: BudgetAsk) -> Answer<'a, Grant> {
        self.gate.write(Call::new("budget_take"), self.inner.budget_take(place, ask))
    }

    fn budget_throttled<'a>(&'a self, place: &'a str, rate: Rate) -> Answer<'a, ()> {
        self.gate.write(Call::new("budget_throttled"), self.inner.budget_throttled(place, rate))
    }

    fn note_keep<'a>(&'a self, name: &'a str, text: &'a str) -> Answer<'a, String> {
        self.gate.write(Call::new("note_keep"), self.inner.note_keep(name, text))
    }

    fn note_put<'a>(&'a self, name: &'a str, text: &'a str) -> Answer<'a, ()> {
        self.gate.write(Call::new("note_put"), self.inner.note_put(name, text))
    }

    fn schema_put<'a>(&'a self, schema: &'a CachedSchema) -> Answer<'a, ()> {
        self.gate.write(Call::new("schema_put"), self.inner.schema_put(schema))
    }

    fn key_check_put<'a>(&'a self, check: &'a str) -> Answer<'a, String> {
        self.gate.write(Call::new("key_check_put"), self.inner.key_check_put(check))
    }
}
