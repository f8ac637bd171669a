//! Forgets AWS's forms of values that a reference learned: nothing is asked of the cloud.

use hangar_plan::operation::Failure;
use hangar_plan::record::{Reference, ReferenceName, Subject};
use hangar_store::{ReferenceError, ReferenceWrite};

use crate::ask::Condition;
use crate::engine::Shared;
use crate::read::unavailable;
use crate::submit::{busy, check_reference, conflict, reference_not_found};

/// How often a write is repeated if another request has changed the reference.
const TRIES: usize = 8;

/// Removes the form at `path`, or all forms.
pub(crate) async fn unlearn(
    shared: &Shared,
    name: &ReferenceName,
    path: Option<&str>,
    condition: &Condition,
) -> Result<Reference, Failure> {
    for _ in 0..TRIES {
        let found = shared.store.reference_find(name).await;
        let Some(mut reference) = found.map_err(|error| unavailable(&error.to_string()))? else {
            return Err(reference_not_found(name));
        };
        let (scope, type_name) = (reference.scope.clone(), reference.name.type_name.clone());
        let subject = Subject::new(scope, type_name, Some(reference.name.clone()));
        check_reference(&subject, condition, Some(&reference))?;
        let seen = reference.version;
        let forms = &mut reference.documents.learned;
        let count = forms.len();
        forms.retain(|form| path.is_some_and(|path| path != form.path));
        if forms.len() == count {
            return Ok(reference);
        }
        let write = ReferenceWrite { reference: reference.clone(), seen: Some(seen) };
        match shared.store.reference_save(write).await {
            Ok(version) => {
                tracing::info!(resource.id = name.id(), path, "learned forms removed");
                reference.version = version;
                return Ok(reference);
            }
            Err(ReferenceError::Stale) => {}
            Err(ReferenceError::Busy(id)) => return Err(busy(&subject, id)),
            Err(ReferenceError::Absent) => return Err(reference_not_found(name)),
            Err(ReferenceError::Store(error)) => return Err(unavailable(&error.to_string())),
            Err(
                error @ (ReferenceError::GroupDeleting
                | ReferenceError::Unsettled
                | ReferenceError::Taken(_)),
            ) => return Err(conflict("Conflict", &error.to_string())),
        }
    }
    Err(conflict("Conflict", "the reference is being changed by other requests; try again"))
}
