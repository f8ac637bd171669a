//! Who manages an alias: a deployment takes it with the reservation of its write, and takes away only what it manages.
//!
//! Invariant: never two. The manager is written with the reference, over the version that was looked at; of two
//! deployments that reach for an alias at the same time, the second finds the first.

use hangar_plan::operation::Failure;
use hangar_plan::record::DeploymentName;
use hangar_store::StoreError;

use super::Refused;
use super::refuse::conflict;
use crate::ask::{Hold, Reach};
use crate::engine::Shared;

/// The code for an alias that is another deployment's.
pub(crate) const MANAGED_ELSEWHERE: &str = "ManagedElsewhere";

/// Who manages an alias so far.
#[derive(Clone, Copy)]
pub(super) enum Present<'a> {
    /// There is no such alias.
    Absent,
    /// Nobody.
    Nobody,
    /// This deployment, if it is still there.
    By(&'a DeploymentName),
}

impl<'a> Present<'a> {
    /// From what is kept, and how it tells its manager.
    pub(super) fn of<T>(
        kept: Option<&'a T>,
        manager: impl Fn(&'a T) -> Option<&'a DeploymentName>,
    ) -> Self {
        match kept.map(manager) {
            None => Self::Absent,
            Some(None) => Self::Nobody,
            Some(Some(by)) => Self::By(by),
        }
    }

    fn deployment(self) -> Option<&'a DeploymentName> {
        match self {
            Self::Absent | Self::Nobody => None,
            Self::By(by) => Some(by),
        }
    }
}

/// The deployment that manages an alias from now on, or why the write is refused.
pub(super) async fn manager(
    shared: &Shared,
    hold: Option<&Hold>,
    present: Present<'_>,
    id: &str,
) -> Result<Option<DeploymentName>, Refused> {
    match (hold, present) {
        (None, present) => Ok(present.deployment().cloned()),
        (Some(Hold::Take { by, reach }), present) => {
            if *reach == Reach::Free
                && let Some(other) = other(shared, present.deployment(), by).await?
            {
                return Err(Refused::For(elsewhere(id, other)));
            }
            Ok(Some(by.clone()))
        }
        (Some(Hold::Release { .. }), Present::Absent) => Ok(None),
        (Some(Hold::Release { by }), Present::By(present)) if present.is_same(by) => {
            Ok(Some(present.clone()))
        }
        (Some(Hold::Release { by }), Present::Nobody | Present::By(_)) => {
            Err(Refused::For(conflict(
                MANAGED_ELSEWHERE,
                &format!("{id} is no longer managed by {}, so it was not changed", by.id()),
            )))
        }
    }
}

/// Another deployment that manages something. One that was forgotten manages nothing.
pub(crate) async fn other<'a>(
    shared: &Shared,
    present: Option<&'a DeploymentName>,
    own: &DeploymentName,
) -> Result<Option<&'a DeploymentName>, StoreError> {
    let Some(present) = present.filter(|it| !it.is_same(own)) else { return Ok(None) };
    let is_there = shared.store.deployment_find(present).await?.is_some();
    Ok(is_there.then_some(present))
}

fn elsewhere(id: &str, by: &DeploymentName) -> Failure {
    let name = &by.name;
    let message = format!(
        "{id} is managed by the deployment `{name}`; remove it from one of the two templates, or \
         deploy with `--take-over` (`\"takeOver\": true`)"
    );
    conflict(MANAGED_ELSEWHERE, &message)
}
