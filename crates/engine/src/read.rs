//! Reads of the cloud outside of any operation: shown, never stored.

use std::time::Duration;

use hangar_plan::change::to_show;
use hangar_plan::operation::{Failure, FailureKind};
use hangar_plan::record::Subject;
use hangar_provider::Observation;
use hangar_schema::TypeSchema;
use hangar_store::mapping::find_mapping;
use serde_json::Value;

use crate::ask::{Live, LivePage};
use crate::engine::Shared;
use crate::translate;

/// How long a caller waits for the turn of his call.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// One resource; nothing where the cloud has none.
pub(crate) async fn one(
    shared: &Shared,
    subject: &Subject,
    identifier: &str,
) -> Result<Option<Live>, Failure> {
    let schema = schema(shared, subject).await?;
    if schema.handlers().read.is_none() {
        return Err(unsupported(&schema, "read"));
    }
    let target = translate::target(subject);
    let observed = shared.cloud.for_a_caller(PATIENCE).observe_together(&target, identifier).await;
    match observed.map_err(translate::read_failure)? {
        Observation::Absent => Ok(None),
        Observation::Present { identifier, properties } => {
            let mapped = find_mapping(&*shared.store, subject, &identifier).await;
            let secret_paths = mapped
                .map_err(|error| unavailable(&error.to_string()))?
                .map(|reference| reference.documents.secret_paths)
                .unwrap_or_default();
            let properties = to_show(&schema, &properties, &secret_paths);
            Ok(Some(Live { identifier, properties }))
        }
    }
}

/// One page of the resources of a type.
pub(crate) async fn page(
    shared: &Shared,
    subject: &Subject,
    parent: Option<&Value>,
    limit: u32,
    next: Option<&str>,
) -> Result<LivePage, Failure> {
    let schema = schema(shared, subject).await?;
    let Some(handler) = &schema.handlers().list else {
        return Err(unsupported(&schema, "list"));
    };
    let given = |name: &str| parent.is_some_and(|parent| parent.get(name).is_some());
    let lacking: Vec<&str> =
        handler.parents.iter().map(String::as_str).filter(|name| !given(name)).collect();
    if !lacking.is_empty() {
        let asked: Vec<String> = lacking.iter().map(|name| format!("parent.{name}=…")).collect();
        return Err(Failure {
            kind: FailureKind::Invalid,
            code: "ParentRequired".to_owned(),
            message: format!(
                "{} can be listed only under a parent; add {} to the query",
                subject.type_name.ucp(),
                asked.join(" and ")
            ),
            findings: Vec::new(),
        });
    }
    let target = translate::target(subject);
    let listed = shared.cloud.for_a_caller(PATIENCE).list(&target, parent, limit, next).await;
    let listed = listed.map_err(|error| translate::read_failure(error.into()))?;
    let mut resources = Vec::with_capacity(listed.resources.len());
    for resource in listed.resources {
        let mapped = find_mapping(&*shared.store, subject, &resource.identifier).await;
        let secret_paths = mapped
            .map_err(|error| unavailable(&error.to_string()))?
            .map(|reference| reference.documents.secret_paths)
            .unwrap_or_default();
        let properties = to_show(&schema, &resource.properties, &secret_paths);
        resources.push(Live { identifier: resource.identifier, properties });
    }
    Ok(LivePage { resources, next: listed.next })
}

async fn schema(shared: &Shared, subject: &Subject) -> Result<std::sync::Arc<TypeSchema>, Failure> {
    let Shared { store, cloud, schemas, .. } = shared;
    let schema = schemas.get(&**store, cloud, &subject.scope, &subject.type_name).await?;
    Ok(schema.compiled)
}

pub(crate) fn unsupported(schema: &TypeSchema, verb: &str) -> Failure {
    Failure {
        kind: FailureKind::Invalid,
        code: "UnsupportedAction".to_owned(),
        message: format!("Cloud Control cannot {verb} resources of {}", schema.name()),
        findings: Vec::new(),
    }
}

/// The store failed: what exactly is for the log, callers need no file names.
pub(crate) fn unavailable(message: &str) -> Failure {
    tracing::error!(error = message, "the store failed");
    Failure {
        kind: FailureKind::Unavailable,
        code: "StoreUnavailable".to_owned(),
        message: "the store is not available; nothing was changed".to_owned(),
        findings: Vec::new(),
    }
}
