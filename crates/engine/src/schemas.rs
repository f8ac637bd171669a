//! The schema of a type: compiled once, from the cloud where it publishes its own, else from the catalog.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hangar_ids::TypeName;
use hangar_plan::operation::{Failure, FailureKind};
use hangar_plan::record::AwsScope;
use hangar_provider::{ProviderError, Target};
use hangar_schema::{Catalog, Source, TypeSchema};
use hangar_store::{CachedSchema, Store};
use tokio::time::Instant;

use crate::cloud::Cloud;
use crate::config::SchemaSource;
use crate::hash::sha256;
use crate::translate;

/// A fetched schema is asked for again after this.
const FRESH_FOR: Duration = Duration::from_hours(24);

/// Where the cloud's own could not be had, it is asked for again after this.
const STAND_IN_FOR: Duration = Duration::from_mins(5);

/// How long a caller waits for the turn of the call that fetches one.
const DESCRIBED_WITHIN: Duration = Duration::from_secs(5);

/// How many compiled types are kept.
const KEPT: usize = 256;

/// A compiled schema and what tells it from another.
#[derive(Debug, Clone)]
pub(crate) struct Schema {
    pub(crate) compiled: Arc<TypeSchema>,
    /// SHA-256 of a fetched document; none for the catalog's.
    pub(crate) hash: Option<String>,
}

/// A compiled schema, until when it serves.
#[derive(Debug)]
struct Kept {
    schema: Schema,
    until: Option<Instant>,
}

/// Compiled schemas by region and type.
#[derive(Debug)]
pub(crate) struct Schemas {
    source: SchemaSource,
    catalog: Catalog,
    kept: Mutex<HashMap<(String, String), Kept>>,
}

impl Schemas {
    pub(crate) fn new(source: SchemaSource) -> Self {
        Self { source, catalog: Catalog::bundled(), kept: Mutex::default() }
    }

    /// The catalog's spelling of a type that it knows.
    pub(crate) fn spelling(&self, type_name: &TypeName) -> Option<TypeName> {
        let spelling = self.catalog.spelling(&type_name.cloud_formation())?;
        TypeName::parse(spelling).ok()
    }

    /// The schema of a type in a region.
    pub(crate) async fn get(
        &self,
        store: &dyn Store,
        cloud: &Cloud,
        scope: &AwsScope,
        type_name: &TypeName,
    ) -> Result<Schema, Failure> {
        let name = type_name.cloud_formation();
        let region = match self.source {
            SchemaSource::Bundled => String::new(),
            SchemaSource::Live => scope.region.to_string(),
        };
        let key = (region, name.to_ascii_lowercase());
        let now = Instant::now();
        if let Some(kept) = self.lock().get(&key)
            && kept.until.is_none_or(|until| now < until)
        {
            return Ok(kept.schema.clone());
        }
        let fetched = match self.source {
            SchemaSource::Bundled => None,
            SchemaSource::Live => self.fetched(store, cloud, scope, type_name).await,
        };
        let (schema, serves_for) = match (fetched, self.source) {
            (Some(schema), _) => (schema, Some(FRESH_FOR)),
            (None, source) => {
                let schema = Schema { compiled: Arc::new(self.bundled(&name)?), hash: None };
                (schema, (source == SchemaSource::Live).then_some(STAND_IN_FOR))
            }
        };
        let mut kept = self.lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        let until = serves_for.map(|span| now + span);
        kept.insert(key, Kept { schema: schema.clone(), until });
        Ok(schema)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bundled(&self, name: &str) -> Result<TypeSchema, Failure> {
        self.catalog.get(name).map_err(|error| Failure {
            kind: FailureKind::NotFound,
            code: "InvalidResourceType".to_owned(),
            message: error.to_string(),
            findings: Vec::new(),
        })
    }

    /// The cloud's own schema: as it was kept, or as it is fetched now; nothing where neither works.
    async fn fetched(
        &self,
        store: &dyn Store,
        cloud: &Cloud,
        scope: &AwsScope,
        type_name: &TypeName,
    ) -> Option<Schema> {
        let name = type_name.cloud_formation();
        let region = scope.region.to_string();
        let kept = store.schema_find(&region, &name).await.ok().flatten();
        let now = store.now().await.ok()?;
        let stale = match kept {
            Some(kept) if now.since(kept.fetched_at) < FRESH_FOR => return compile(&kept),
            other => other,
        };
        let target = Target { place: translate::place(scope), type_name: type_name.clone() };
        match cloud.for_a_caller(DESCRIBED_WITHIN).describe_type(&target).await {
            Ok(document) => {
                let document = document.to_string();
                let hash = sha256(&document);
                let fresh =
                    CachedSchema { region, type_name: name, hash, document, fetched_at: now };
                let schema = compile(&fresh)?;
                if let Err(error) = store.schema_put(&fresh).await {
                    tracing::warn!(%error, schema.type = fresh.type_name, "cannot store the schema");
                }
                Some(schema)
            }
            Err(error) => {
                let error = ProviderError::from(error);
                tracing::warn!(%error, schema.type = name, "cannot fetch the schema; using an older one");
                stale.as_ref().and_then(compile)
            }
        }
    }
}

fn compile(cached: &CachedSchema) -> Option<Schema> {
    let document = serde_json::from_str(&cached.document).ok()?;
    match TypeSchema::compile(&document, Source::Aws) {
        Ok(compiled) => {
            Some(Schema { compiled: Arc::new(compiled), hash: Some(cached.hash.clone()) })
        }
        Err(error) => {
            tracing::warn!(%error, schema.type = cached.type_name, "the schema cannot be used");
            None
        }
    }
}
