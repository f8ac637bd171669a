//! The way in for deployments.

use hangar_plan::operation::{Failure, FailureKind};

use crate::ask::{Accepted, DeploymentAsk, DeploymentRefused};
use crate::engine::Shared;

/// Accepts a run of a template, or says why not.
pub(crate) async fn submit(
    _shared: &Shared,
    ask: DeploymentAsk,
) -> Result<Accepted, DeploymentRefused> {
    let message = format!("{ask:?} cannot be run yet");
    let (kind, code) = (FailureKind::Internal, "NotSupported".to_owned());
    Err(DeploymentRefused::For(Failure { kind, code, message, findings: Vec::new() }))
}
