//! Whether what has the name of a failed create is what that create made.
//!
//! A service names a resource that its caller chose the name of before it makes it, and keeps the name
//! when it fails. By the next write somebody else may have the name.

use hangar_plan::operation::{EntryState, Verb};
use hangar_plan::record::Reference;
use hangar_provider::Observation;
use hangar_schema::{TypeSchema, marker_of};
use serde_json::Value;

use crate::engine::Shared;
use crate::translate;

/// Whether `live` is certainly another's: the alias knows it only by a create that failed, that create
/// carried the marker tag, and `live` does not.
pub(crate) async fn is_foreign(
    shared: &Shared,
    schema: &TypeSchema,
    reference: &Reference,
    live: &Value,
) -> bool {
    if reference.entry.state != EntryState::Failed || reference.documents.applied.is_some() {
        return false;
    }
    let Some((id, _)) = &reference.last_operation else { return false };
    let Ok(Some(record)) = shared.store.operation_find(*id).await else { return false };
    let create = record.operation.attempts.iter().rev().find(|it| it.verb == Verb::Create);
    create.is_some_and(|attempt| {
        attempt.marked && marker_of(schema, live) != Some(attempt.operation.to_string().as_str())
    })
}

/// Whether a delete of the reference would take another's resource.
pub(crate) async fn stands_for_foreign(
    shared: &Shared,
    schema: &TypeSchema,
    reference: &Reference,
) -> bool {
    let suspect = reference.entry.state == EntryState::Failed
        && reference.documents.applied.is_none()
        && schema.handlers().read.is_some();
    let Some(identifier) = reference.entry.identifier.as_ref().filter(|_| suspect) else {
        return false;
    };
    let subject = hangar_plan::record::Subject::new(
        reference.scope.clone(),
        reference.name.type_name.clone(),
        None,
    );
    match shared.provider.observe(&translate::target(&subject), identifier).await {
        Ok(Observation::Present { properties, .. }) => {
            is_foreign(shared, schema, reference, &properties).await
        }
        Ok(Observation::Absent) | Err(_) => false,
    }
}
