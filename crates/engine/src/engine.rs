//! The handle that the edges hold: everything that can be asked of an engine.

use std::sync::Arc;
use std::time::Duration;

use hangar_ids::TypeName;
use hangar_plan::operation::{Failure, OperationId};
use hangar_plan::record::{AwsScope, Group, OperationRecord, Subject};
use hangar_provider::Provider;
use hangar_schema::TypeSchema;
use hangar_store::keys::Keys;
use hangar_store::{CancelAnswer, Expect, GroupError, Reader, Store, StoreError};
use serde_json::Value;

use crate::{Accepted, Config, Live, LivePage, Submission};

/// A running engine; clones are the same engine.
#[derive(Debug, Clone)]
pub struct Engine {
    config: Arc<Config>,
    store: Arc<dyn Store>,
}

impl Engine {
    /// Starts the workers. Must be called within a tokio runtime.
    pub fn start(
        config: Config,
        store: Arc<dyn Store>,
        _provider: Arc<dyn Provider>,
        _keys: Arc<Keys>,
    ) -> Self {
        Self { config: Arc::new(config), store }
    }

    /// Lets go of all leases and waits for the workers; what is open goes on with the next start.
    pub async fn stop(&self) {}

    /// Reads of the store: all that a GET may have.
    pub fn reader(&self) -> Arc<dyn Reader> {
        self.store.clone()
    }

    /// What it was told when it started.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Accepts a write: checks it, reserves what it needs, and wakes a worker.
    pub async fn submit(&self, _submission: Submission) -> Result<Accepted, Failure> {
        unimplemented!()
    }

    /// The operation once it has ended, or as it is after `at_most`.
    pub async fn wait(
        &self,
        _id: OperationId,
        _at_most: Duration,
    ) -> Result<Option<OperationRecord>, StoreError> {
        unimplemented!()
    }

    /// Asks for an operation to be stopped.
    pub async fn cancel(&self, id: OperationId) -> Result<CancelAnswer, StoreError> {
        self.store.operation_cancel(id).await
    }

    /// Makes or changes a group.
    pub async fn group_put(&self, group: &Group, expect: Expect) -> Result<Group, GroupError> {
        self.store.group_put(group, expect).await
    }

    /// Reads one resource of the cloud; nothing where there is none.
    pub async fn read(
        &self,
        _subject: &Subject,
        _identifier: &str,
    ) -> Result<Option<Live>, Failure> {
        unimplemented!()
    }

    /// Reads one page of the resources of a type.
    pub async fn list(
        &self,
        _subject: &Subject,
        _parent: Option<&Value>,
        _limit: u32,
        _next: Option<&str>,
    ) -> Result<LivePage, Failure> {
        unimplemented!()
    }

    /// The schema of a type, as it is in that region.
    pub async fn schema(
        &self,
        _scope: &AwsScope,
        _type_name: &TypeName,
    ) -> Result<Arc<TypeSchema>, Failure> {
        unimplemented!()
    }
}
