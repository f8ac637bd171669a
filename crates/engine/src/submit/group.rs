//! The way in for operations on a group.

use hangar_plan::operation::{Failure, FailureKind};

use crate::ask::{Accepted, GroupAsk};
use crate::engine::Shared;

/// Accepts an operation on a group, or says why not.
pub(crate) async fn submit(_shared: &Shared, ask: GroupAsk) -> Result<Accepted, Failure> {
    Err(Failure {
        kind: FailureKind::Internal,
        code: "NotBuilt".to_owned(),
        message: format!("{} is not built yet", ask.task.as_str()),
        findings: Vec::new(),
    })
}
