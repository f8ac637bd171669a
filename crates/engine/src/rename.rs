//! Another alias for a reference: nothing is asked of the cloud.

use hangar_plan::operation::Failure;
use hangar_plan::record::{Reference, ReferenceName, Subject};
use hangar_store::ReferenceError;

use crate::ask::Condition;
use crate::engine::Shared;
use crate::read::unavailable;
use crate::submit::{busy, check_reference, conflict, reference_not_found};

/// How often it is tried anew because the reference moved meanwhile.
const TRIES: usize = 8;

/// Gives a reference another alias in its group.
pub(crate) async fn rename(
    shared: &Shared,
    name: &ReferenceName,
    alias: &str,
    condition: &Condition,
) -> Result<Reference, Failure> {
    for _ in 0..TRIES {
        let found = shared.store.reference_find(name).await;
        let Some(reference) = found.map_err(|error| unavailable(&error.to_string()))? else {
            return Err(reference_not_found(name));
        };
        let subject = Subject::new(
            reference.scope.clone(),
            reference.name.type_name.clone(),
            Some(reference.name.clone()),
        );
        check_reference(&subject, condition, Some(&reference))?;
        match shared.store.reference_rename(name, alias, reference.version).await {
            Ok(renamed) => {
                tracing::info!(resource.id = name.id(), alias, "renamed");
                return Ok(renamed);
            }
            Err(ReferenceError::Stale) => {}
            Err(error) => return Err(refused(&subject, name, error)),
        }
    }
    Err(conflict("Conflict", "the reference is being changed by other requests; try again"))
}

fn refused(subject: &Subject, name: &ReferenceName, error: ReferenceError) -> Failure {
    match error {
        ReferenceError::Absent => reference_not_found(name),
        ReferenceError::Busy(id) => busy(subject, id),
        ReferenceError::Taken(other) => conflict(
            "AliasTaken",
            &format!("{other} exists; choose another alias, or delete that reference"),
        ),
        ReferenceError::Unsettled => conflict(
            "AliasUnknown",
            "a create of this alias has an unknown outcome; adopt its resource or abandon it, then \
             rename",
        ),
        ReferenceError::GroupDeleting => {
            conflict("GroupDeleting", "the group is being deleted and accepts no writes")
        }
        ReferenceError::Store(error) => unavailable(&error.to_string()),
        ReferenceError::Stale => {
            conflict("Conflict", "the reference is being changed by other requests; try again")
        }
    }
}
