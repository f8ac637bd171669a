//! Whether what has a name that an alias knows is what that alias made.
//!
//! A service names a resource that its caller chose the name of before it makes it, and keeps the name
//! when it fails; and what an alias stood for may be gone. By the next write somebody else may have
//! the name. The marker tag tells.

use hangar_plan::operation::{EntryState, OperationId, Verb};
use hangar_plan::record::{Reference, ReferenceName, Subject};
use hangar_provider::Observation;
use hangar_schema::{TypeSchema, marker_of, with_marker};
use serde_json::{Value, json};

use crate::engine::Shared;
use crate::translate;

/// Whether the alias knows its resource only by name: by a create that failed, or as one that is gone.
fn is_suspect(schema: &TypeSchema, reference: &Reference) -> bool {
    let by_name = match reference.entry.state {
        EntryState::Failed => reference.documents.applied.is_none(),
        EntryState::Missing => true,
        _ => false,
    };
    by_name && with_marker(schema, &json!({}), "").is_some()
}

/// Whether `live` is certainly another's: it should carry the tag of an operation on this alias, and
/// does not.
pub(crate) async fn is_foreign(
    shared: &Shared,
    schema: &TypeSchema,
    reference: &Reference,
    live: &Value,
) -> bool {
    if !shared.config.marker_tags || !is_suspect(schema, reference) {
        return false;
    }
    if let Some(id) = marker_of(schema, live).and_then(OperationId::parse) {
        let found = shared.store.operation_find(id).await.ok().flatten();
        let made_by = found.and_then(|record| record.reference().map(ReferenceName::key));
        return made_by.is_none_or(|key| !reference.is_known_as(&key));
    }
    // Without a tag it can be ours only if our create went without one too.
    let last = reference.last_operation.as_ref().map(|(id, _)| *id);
    let Some(id) = last else { return false };
    let Ok(Some(record)) = shared.store.operation_find(id).await else { return false };
    let mut creates = record.attempts().iter().filter(|it| it.verb == Verb::Create);
    creates.all(|attempt| attempt.marked)
}

/// Whether a delete of the reference would take another's resource.
pub(crate) async fn stands_for_foreign(
    shared: &Shared,
    schema: &TypeSchema,
    reference: &Reference,
) -> bool {
    let readable = schema.handlers().read.is_some();
    let suspect = readable && is_suspect(schema, reference);
    let Some(identifier) = reference.entry.identifier.as_ref().filter(|_| suspect) else {
        return false;
    };
    let type_name = reference.name.type_name.clone();
    let subject = Subject::new(reference.scope.clone(), type_name, None);
    let answer = shared.provider.observe(&translate::target(&subject), identifier).await;
    shared.metrics.answered("get-resource", &answer);
    match answer {
        Ok(Observation::Present { properties, .. }) => {
            is_foreign(shared, schema, reference, &properties).await
        }
        Ok(Observation::Absent) | Err(_) => false,
    }
}
