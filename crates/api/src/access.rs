//! What handlers may do: those of reads hold [`Reads`], which cannot change anything.
//!
//! Invariant: no GET changes state. The engine's handle can do everything, so it is given to nobody;
//! these two say what of it is for whom.

use std::sync::Arc;
use std::time::Duration;

use hangar_engine::{
    Accepted, Condition, CredentialAsk, DeploymentAsk, DeploymentRefused, Engine, GroupAsk, Live,
    LivePage, RecipeAsk, StateContent, StateRefused, Submission, Watch,
};
use hangar_ids::TypeName;
use hangar_plan::operation::{Failure, OperationId};
use hangar_plan::record::{
    AwsScope, CredentialName, CredentialRecord, Group, OperationRecord, Plane, PlaneName,
    RecipeName, Reference, ReferenceName, StateLock, StateVersion, Subject,
};
use hangar_schema::TypeSchema;
use hangar_store::keys::Secret;
use hangar_store::{
    CancelAnswer, CredentialError, Expect, GroupError, PlaneError, Reader, StaleError, StateError,
    StoreError,
};
use serde_json::{Map, Value};

/// Reads of the store, and of the cloud through the engine.
#[derive(Debug, Clone)]
pub(crate) struct Reads {
    store: Arc<dyn Reader>,
    engine: Engine,
}

impl Reads {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { store: engine.reader(), engine }
    }

    pub(crate) fn store(&self) -> &dyn Reader {
        self.store.as_ref()
    }

    /// The same for what outlives the request.
    pub(crate) fn shared_store(&self) -> Arc<dyn Reader> {
        Arc::clone(&self.store)
    }

    /// Hears when an operation has moved; what has happened is read from the store.
    pub(crate) fn watch(&self, id: OperationId) -> Watch {
        self.engine.watch(id)
    }

    pub(crate) async fn live(
        &self,
        subject: &Subject,
        identifier: &str,
    ) -> Result<Option<Live>, Failure> {
        self.engine.read(subject, identifier).await
    }

    pub(crate) async fn live_page(
        &self,
        subject: &Subject,
        parent: Option<&Value>,
        limit: u32,
        next: Option<&str>,
    ) -> Result<LivePage, Failure> {
        self.engine.list(subject, parent, limit, next).await
    }

    pub(crate) async fn schema(
        &self,
        scope: &AwsScope,
        type_name: &TypeName,
    ) -> Result<Arc<TypeSchema>, Failure> {
        self.engine.schema(scope, type_name).await
    }

    /// The operation of a run that asks for its state by the word that it was given.
    pub(crate) async fn state_admitted(
        &self,
        recipe: &RecipeName,
        user: &str,
        password: &str,
    ) -> Result<Option<OperationId>, Failure> {
        self.engine.state_admitted(recipe, user, password).await
    }

    pub(crate) async fn state(
        &self,
        recipe: &RecipeName,
        version: Option<u64>,
    ) -> Result<Option<Secret<Vec<u8>>>, Failure> {
        self.engine.state_read(recipe, version).await
    }

    pub(crate) async fn recipe_secrets(
        &self,
        recipe: &RecipeName,
    ) -> Result<Map<String, Value>, Failure> {
        self.engine.recipe_secrets(recipe).await
    }

    pub(crate) fn default_scope(&self) -> Option<&AwsScope> {
        self.engine.config().default_scope.as_ref()
    }
}

/// Everything that changes something.
#[derive(Debug, Clone)]
pub(crate) struct Writes {
    engine: Engine,
}

impl Writes {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine }
    }

    pub(crate) async fn submit(&self, submission: Submission) -> Result<Accepted, Failure> {
        self.engine.submit(submission).await
    }

    pub(crate) async fn wait(
        &self,
        id: OperationId,
        at_most: Duration,
    ) -> Result<Option<OperationRecord>, StoreError> {
        self.engine.wait(id, at_most).await
    }

    pub(crate) async fn cancel(&self, id: OperationId) -> Result<CancelAnswer, StoreError> {
        self.engine.cancel(id).await
    }

    pub(crate) async fn group_put(
        &self,
        group: &Group,
        expect: Expect,
    ) -> Result<Group, GroupError> {
        self.engine.group_put(group, expect).await
    }

    pub(crate) async fn group_submit(&self, ask: GroupAsk) -> Result<Accepted, Failure> {
        self.engine.group_submit(ask).await
    }

    pub(crate) async fn deployment_submit(
        &self,
        ask: DeploymentAsk,
    ) -> Result<Accepted, DeploymentRefused> {
        self.engine.deployment_submit(ask).await
    }

    pub(crate) fn fresh_seal(&self, ask: &DeploymentAsk) -> Option<String> {
        self.engine.fresh_seal(ask)
    }

    pub(crate) async fn recipe_submit(&self, ask: RecipeAsk) -> Result<Accepted, Failure> {
        self.engine.recipe_submit(ask).await
    }

    pub(crate) async fn state_write(
        &self,
        recipe: &RecipeName,
        content: StateContent,
    ) -> Result<StateVersion, StateRefused> {
        self.engine.state_write(recipe, content).await
    }

    pub(crate) async fn state_lock(
        &self,
        recipe: &RecipeName,
        lock: &StateLock,
    ) -> Result<(), StateError> {
        self.engine.state_lock(recipe, lock).await
    }

    pub(crate) async fn state_unlock(
        &self,
        recipe: &RecipeName,
        id: Option<&str>,
    ) -> Result<Option<StateLock>, StateError> {
        self.engine.state_unlock(recipe, id).await
    }

    pub(crate) async fn reference_check(&self, name: &ReferenceName) -> Result<Reference, Failure> {
        self.engine.reference_check(name).await
    }

    pub(crate) async fn reference_rename(
        &self,
        name: &ReferenceName,
        alias: &str,
        condition: &Condition,
    ) -> Result<Reference, Failure> {
        self.engine.reference_rename(name, alias, condition).await
    }

    pub(crate) async fn reference_unlearn(
        &self,
        name: &ReferenceName,
        path: Option<&str>,
        condition: &Condition,
    ) -> Result<Reference, Failure> {
        self.engine.reference_unlearn(name, path, condition).await
    }

    pub(crate) async fn credential_put(
        &self,
        ask: CredentialAsk,
        expect: Expect,
    ) -> Result<CredentialRecord, CredentialError> {
        self.engine.credential_put(ask, expect).await
    }

    pub(crate) async fn credential_remove(
        &self,
        name: &CredentialName,
        expect: Expect,
    ) -> Result<bool, StaleError> {
        self.engine.credential_remove(name, expect).await
    }

    pub(crate) async fn plane_put(
        &self,
        plane: &Plane,
        expect: Expect,
    ) -> Result<Plane, StaleError> {
        self.engine.plane_put(plane, expect).await
    }

    pub(crate) async fn plane_remove(
        &self,
        name: &PlaneName,
        expect: Expect,
    ) -> Result<bool, PlaneError> {
        self.engine.plane_remove(name, expect).await
    }
}
