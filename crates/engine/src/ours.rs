//! Whether what has a name that an alias knows is what that alias made.
//!
//! A service names a resource that its caller chose the name of before it makes it, and keeps the name
//! when it fails; and what an alias stood for may be gone. By the next write somebody else may have
//! the name. The marker tag tells.

use hangar_plan::operation::{EntryState, Kind, OperationId, Verb};
use hangar_plan::record::{OperationRecord, Reference, Subject};
use hangar_provider::Observation;
use hangar_schema::{TypeSchema, marker_of, with_marker};
use hangar_store::OperationFilter;
use serde_json::{Value, json};

use crate::engine::Shared;
use crate::read::PATIENCE;
use crate::translate;

/// Operations on an alias that are looked through for the one that made its resource.
const LOOKED_AT: usize = 16;

/// Whether the alias knows its resource only by name: by a create that failed, or as one that is gone.
fn is_suspect(schema: &TypeSchema, reference: &Reference) -> bool {
    let by_name = match reference.entry.state {
        EntryState::Failed => reference.documents.applied.is_none(),
        EntryState::Missing => true,
        _ => false,
    };
    by_name && with_marker(schema, &json!({}), "").is_some()
}

/// Whether `live` is certainly another's: the last operation that made anything for the alias asked for a
/// resource of that name with its tag, and `live` does not carry it.
///
/// What was taken in may carry any tag or none, and operations are forgotten after a while: neither
/// proves anything.
pub(crate) async fn is_foreign(
    shared: &Shared,
    schema: &TypeSchema,
    reference: &Reference,
    live: &Value,
) -> bool {
    if !shared.config.marker_tags || !is_suspect(schema, reference) {
        return false;
    }
    let filter =
        OperationFilter { reference: Some(reference.name.clone()), ..OperationFilter::default() };
    let Ok(operations) = shared.store.operation_list(&filter, None, LOOKED_AT).await else {
        return false;
    };
    if !was_made_with_a_tag(reference, &operations) {
        return false;
    }
    let Some(marker) = marker_of(schema, live) else { return true };
    // A tag that no operation of ours wrote, or one that is not on record any more.
    let Some(id) = OperationId::parse(marker) else { return false };
    let Ok(Some(maker)) = shared.store.operation_find(id).await else { return false };
    // An alias that was renamed was called otherwise when its resource was made.
    maker.reference().is_none_or(|name| !reference.is_known_as(&name.key()))
}

/// Whether what the alias stands for is what an operation on it asked for, and only ever with the tag;
/// `operations` are the last ones on it, newest first.
fn was_made_with_a_tag(reference: &Reference, operations: &[OperationRecord]) -> bool {
    for operation in operations.iter().filter(|it| it.is_ended()) {
        let creates = || operation.attempts().iter().filter(|it| it.verb == Verb::Create);
        // A put that took in what had the name has become an import.
        let is_put = operation.resource().is_some_and(|work| work.operation.kind == Kind::Put);
        if !is_put || creates().next().is_none() {
            return false;
        }
        if creates().any(|it| it.identifier.is_some()) {
            let identifier = &reference.entry.identifier;
            return creates().all(|it| it.identifier == *identifier && it.marked);
        }
        // It made nothing: what there is may be from before it.
    }
    false
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
    let calling = shared.cloud.for_a_caller(PATIENCE);
    let answer = calling.observe(&translate::target(&subject), identifier).await;
    match answer {
        Ok(Observation::Present { properties, .. }) => {
            is_foreign(shared, schema, reference, &properties).await
        }
        Ok(Observation::Absent) | Err(_) => false,
    }
}
