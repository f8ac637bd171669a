//! The handle that the edges hold: everything that can be asked of an engine.

use std::sync::Arc;
use std::time::Duration;

use hangar_ids::TypeName;
use hangar_plan::operation::{Failure, OperationId};
use hangar_plan::record::{
    AwsScope, CredentialName, CredentialRecord, Group, OperationRecord, Plane, PlaneName,
    RecipeName, Reference, ReferenceName, StateLock, StateVersion, Subject,
};
use hangar_provider::Provider;
use hangar_schema::TypeSchema;
use hangar_store::keys::{Keys, Secret};
use hangar_store::{
    CancelAnswer, CredentialError, Expect, GroupError, PlaneError, Reader, StaleError, StateError,
    Store, StoreError,
};
use prometheus_client::registry::Registry;
use serde_json::{Map, Value};
use tokio::sync::{Mutex, Notify, Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::cloud::{AwsOutage, Cloud};
use crate::deployment::{self, Preparations};
use crate::hub::{self, Hub, Watch};
use crate::metrics::Metrics;
use crate::schemas::Schemas;
use crate::{
    Accepted, Condition, Config, CredentialAsk, DeploymentAsk, DeploymentRefused, GroupAsk, Live,
    LivePage, RecipeAsk, StateContent, StateRefused, Submission, credentials, drift, read, recipe,
    rename, submit, unlearn, worker,
};

/// A running engine; clones are the same engine.
#[derive(Debug, Clone)]
pub struct Engine {
    shared: Arc<Shared>,
    worker: Arc<Mutex<Option<JoinHandle<()>>>>,
}

/// What all parts of an engine work with.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) cloud: Cloud,
    pub(crate) keys: Arc<Keys>,
    pub(crate) schemas: Schemas,
    pub(crate) metrics: Metrics,
    /// Something may be due: look at the store.
    pub(crate) wake: Arc<Notify>,
    /// Who waits for operations; whoever waits reads the store.
    pub(crate) hub: Arc<Hub>,
    pub(crate) stopping: watch::Sender<bool>,
    /// Looks for drift in a group that may be under way at once: reads must not starve writes.
    pub(crate) drifts: Semaphore,
    /// The templates of runs that are driven here.
    pub(crate) preparations: Preparations,
    /// Recipes whose modules and providers may be fetched at once.
    pub(crate) recipe_fetches: Semaphore,
    /// Recipes that may be planned at once.
    pub(crate) recipe_plans: Semaphore,
    /// The recipes that are driven here.
    pub(crate) recipe_runs: recipe::Driven,
}

impl Shared {
    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }
}

/// How many groups are looked through for drift at once.
const DRIFTS: usize = 2;

/// How many recipes are planned at once: each is a Terraform with its providers.
const RECIPE_PLANS: usize = 4;

/// How often a waiting caller looks at the store when nothing signals the end: another process may
/// have driven the operation.
const LOOK_EVERY: Duration = Duration::from_millis(500);

impl Engine {
    /// Starts the workers. Must be called within a tokio runtime.
    pub fn start(
        config: Config,
        store: Arc<dyn Store>,
        provider: Arc<dyn Provider>,
        keys: Arc<Keys>,
    ) -> Self {
        let schemas = Schemas::new(config.schemas);
        let metrics = Metrics::default();
        let (stopping, _) = watch::channel(false);
        let stops = stopping.subscribe();
        let (rate, clock) = (config.aws_rate, config.clock.clone());
        let cloud = Cloud::new(provider, store.clone(), rate, metrics.clone(), clock, stops);
        let (wake, hub) = (Arc::new(Notify::new()), Arc::new(Hub::default()));
        let hearing = tokio::spawn(hub::run(store.notices(), hub.clone(), wake.clone()));
        let shared = Arc::new(Shared {
            config,
            store,
            cloud,
            keys,
            schemas,
            metrics,
            wake,
            hub,
            stopping,
            drifts: Semaphore::new(DRIFTS),
            preparations: Preparations::default(),
            recipe_fetches: Semaphore::new(1),
            recipe_plans: Semaphore::new(RECIPE_PLANS),
            recipe_runs: recipe::Driven::default(),
        });
        let work = worker::run(shared.clone());
        let worker = tokio::spawn(async move {
            work.await;
            // Callers may still wait: they look by themselves.
            hearing.abort();
        });
        Self { shared, worker: Arc::new(Mutex::new(Some(worker))) }
    }

    /// Lets go of all leases and waits for the workers; what is open goes on with the next start.
    pub async fn stop(&self) {
        self.shared.stopping.send_replace(true);
        self.shared.wake.notify_one();
        if let Some(worker) = self.worker.lock().await.take()
            && let Err(error) = worker.await
        {
            tracing::error!(%error, "the worker task failed");
        }
    }

    /// Reads of the store: all that a GET may have.
    pub fn reader(&self) -> Arc<dyn Reader> {
        self.shared.store.clone()
    }

    /// What it was told when it started.
    pub fn config(&self) -> &Config {
        &self.shared.config
    }

    /// Adds its figures to a registry.
    pub fn register_metrics(&self, registry: &mut Registry) {
        self.shared.metrics.register(registry);
    }

    /// Accepts a write: checks it, reserves what it needs, and wakes a worker.
    pub async fn submit(&self, submission: Submission) -> Result<Accepted, Failure> {
        submit::submit(&self.shared, submission).await
    }

    /// Accepts an operation on a group.
    pub async fn group_submit(&self, ask: GroupAsk) -> Result<Accepted, Failure> {
        submit::submit_group(&self.shared, ask).await
    }

    /// Accepts a run of a template, or a look at what it would do.
    pub async fn deployment_submit(
        &self,
        ask: DeploymentAsk,
    ) -> Result<Accepted, DeploymentRefused> {
        submit::submit_deployment(&self.shared, ask).await
    }

    /// The keyed hash of the secrets in a template for a group that does not exist; none if it cannot be evaluated.
    pub fn fresh_seal(&self, ask: &DeploymentAsk) -> Option<String> {
        deployment::fresh_seal(&self.shared, ask)
    }

    /// Accepts a run of a recipe.
    pub async fn recipe_submit(&self, ask: RecipeAsk) -> Result<Accepted, Failure> {
        submit::submit_recipe(&self.shared, ask).await
    }

    /// The secrets of a recipe's result, by name.
    pub async fn recipe_secrets(&self, recipe: &RecipeName) -> Result<Map<String, Value>, Failure> {
        recipe::secrets_of(&*self.shared.store, &self.shared.keys, recipe).await
    }

    /// The operation of a run that asks for its state by the word that it was given.
    pub async fn state_admitted(
        &self,
        recipe: &RecipeName,
        user: &str,
        password: &str,
    ) -> Result<Option<OperationId>, Failure> {
        recipe::admitted(&*self.shared.store, &self.shared.keys, recipe, user, password).await
    }

    /// The current Terraform state of a recipe, or one version of it.
    pub async fn state_read(
        &self,
        recipe: &RecipeName,
        number: Option<u64>,
    ) -> Result<Option<Secret<Vec<u8>>>, Failure> {
        let (store, keys) = (&*self.shared.store, &self.shared.keys);
        match number {
            Some(number) => recipe::of_number(store, keys, recipe, number).await,
            None => recipe::current(store, keys, recipe).await,
        }
    }

    /// Keeps a Terraform state of a recipe.
    pub async fn state_write(
        &self,
        recipe: &RecipeName,
        content: StateContent,
    ) -> Result<StateVersion, StateRefused> {
        recipe::write(&self.shared, recipe, content).await
    }

    /// Takes the lock of a recipe's state.
    pub async fn state_lock(
        &self,
        recipe: &RecipeName,
        lock: &StateLock,
    ) -> Result<(), StateError> {
        self.shared.store.state_lock(recipe, lock).await
    }

    /// Frees it: that of this id, or any.
    pub async fn state_unlock(
        &self,
        recipe: &RecipeName,
        id: Option<&str>,
    ) -> Result<Option<StateLock>, StateError> {
        self.shared.store.state_unlock(recipe, id).await
    }

    /// Reads the resource of a reference and keeps how it stands to what was applied.
    pub async fn reference_check(&self, name: &ReferenceName) -> Result<Reference, Failure> {
        drift::check(&self.shared, name).await
    }

    /// Gives a reference another alias.
    pub async fn reference_rename(
        &self,
        name: &ReferenceName,
        alias: &str,
        condition: &Condition,
    ) -> Result<Reference, Failure> {
        rename::rename(&self.shared, name, alias, condition).await
    }

    /// Removes the learned form at `path`, or all learned forms of a reference.
    pub async fn reference_unlearn(
        &self,
        name: &ReferenceName,
        path: Option<&str>,
        condition: &Condition,
    ) -> Result<Reference, Failure> {
        unlearn::unlearn(&self.shared, name, path, condition).await
    }

    /// Makes or changes a plane.
    pub async fn plane_put(&self, plane: &Plane, expect: Expect) -> Result<Plane, StaleError> {
        self.shared.store.plane_put(plane, expect).await
    }

    /// Removes a plane that nothing is in; tells whether there was one.
    pub async fn plane_remove(&self, name: &PlaneName, expect: Expect) -> Result<bool, PlaneError> {
        self.shared.store.plane_remove(name, expect).await
    }

    /// Keeps a credential, sealed.
    pub async fn credential_put(
        &self,
        ask: CredentialAsk,
        expect: Expect,
    ) -> Result<CredentialRecord, CredentialError> {
        credentials::put(&self.shared, ask, expect).await
    }

    /// Removes a credential; tells whether there was one.
    pub async fn credential_remove(
        &self,
        name: &CredentialName,
        expect: Expect,
    ) -> Result<bool, StaleError> {
        self.shared.store.credential_remove(name, expect).await
    }

    /// The operation once it has ended, or as it is after `at_most`.
    pub async fn wait(
        &self,
        id: OperationId,
        at_most: Duration,
    ) -> Result<Option<OperationRecord>, StoreError> {
        let until = Instant::now() + at_most;
        // Listens before it looks, so that no end is missed in between.
        let mut watch = self.watch(id);
        loop {
            let found = self.shared.store.operation_find(id).await?;
            let over = found.as_ref().is_none_or(OperationRecord::is_ended);
            if over || Instant::now() >= until {
                return Ok(found);
            }
            let look_at = until.min(Instant::now() + LOOK_EVERY);
            let _ = tokio::time::timeout_at(look_at, watch.moved()).await;
        }
    }

    /// Hears from now on when an operation has moved, here or at another replica.
    pub fn watch(&self, id: OperationId) -> Watch {
        self.shared.hub.watch(id)
    }

    /// Asks for an operation to be stopped.
    pub async fn cancel(&self, id: OperationId) -> Result<CancelAnswer, StoreError> {
        self.shared.store.operation_cancel(id).await
    }

    /// The outage of AWS that lasts: every call since then found no connection.
    pub fn aws_outage(&self) -> Option<AwsOutage> {
        self.shared.cloud.outage()
    }

    /// Makes or changes a group.
    pub async fn group_put(&self, group: &Group, expect: Expect) -> Result<Group, GroupError> {
        self.shared.store.group_put(group, expect).await
    }

    /// Reads one resource of the cloud; nothing where there is none.
    pub async fn read(&self, subject: &Subject, identifier: &str) -> Result<Option<Live>, Failure> {
        read::one(&self.shared, subject, identifier).await
    }

    /// Reads one page of the resources of a type.
    pub async fn list(
        &self,
        subject: &Subject,
        parent: Option<&Value>,
        limit: u32,
        next: Option<&str>,
    ) -> Result<LivePage, Failure> {
        read::page(&self.shared, subject, parent, limit, next).await
    }

    /// The schema of a type, as it is in that region.
    pub async fn schema(
        &self,
        scope: &AwsScope,
        type_name: &TypeName,
    ) -> Result<Arc<TypeSchema>, Failure> {
        let Shared { store, cloud, schemas, .. } = &*self.shared;
        let schema = schemas.get(&**store, cloud, scope, type_name).await?;
        Ok(schema.compiled)
    }

    /// The catalog's spelling of a type, where it knows it.
    pub fn spelling(&self, type_name: &TypeName) -> Option<TypeName> {
        self.shared.schemas.spelling(type_name)
    }
}
