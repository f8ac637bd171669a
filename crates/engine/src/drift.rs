//! How resources stand to what was applied: one of them, or all of a group.

use hangar_plan::operation::{Failure, FailureKind};
use hangar_plan::record::{Reference, ReferenceName};

use crate::engine::Shared;

/// Reads the resource of a reference and keeps how it stands to what was applied.
pub(crate) async fn check(_shared: &Shared, name: &ReferenceName) -> Result<Reference, Failure> {
    Err(Failure {
        kind: FailureKind::Internal,
        code: "NotBuilt".to_owned(),
        message: format!("the drift of {} is not built yet", name.id()),
        findings: Vec::new(),
    })
}
