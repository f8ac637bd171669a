//! How a run of a template is performed and answered.

use hangar_engine::DeploymentAsk;
use hangar_plan::deployment::{DeploymentTask, DeploymentWork};
use hangar_plan::record::{DeploymentRecord, OperationRecord};
use http::StatusCode;

use super::{Surface, follow};
use crate::answer::Answer;
use crate::error::ApiError;
use crate::etag::ETag;
use crate::failure::of_deployment;
use crate::handle::lookup;
use crate::head::{Deed, View};
use crate::render::{self, Detail, Run};
use crate::route::Shape;

/// Submits a run of a template or a look at what it would do, waits as long as the caller wants, and answers.
pub(crate) async fn perform(deed: &Deed<'_>, ask: DeploymentAsk) -> Result<Answer, ApiError> {
    let surface = match ask.task {
        DeploymentTask::Deploy => Surface::Deployment,
        DeploymentTask::Plan | DeploymentTask::Destroy => Surface::Later(Shape::Resource),
    };
    // The places of mistakes are told by line and column, which only the text has.
    let sources = ask.sources.clone();
    let accepted = deed.writes.deployment_submit(ask).await;
    let accepted = accepted.map_err(|refused| of_deployment(&refused, &sources))?;
    drop(sources);
    follow(deed, accepted, &surface).await
}

/// What a run that ended well answers: the deployment as this run left it, or the changes that it would make.
pub(super) async fn ended(
    view: View<'_>,
    record: &OperationRecord,
    work: &DeploymentWork,
) -> Result<Answer, ApiError> {
    match (work.task, &work.result) {
        (DeploymentTask::Deploy, _) => {
            let stored = lookup::find_deployment(view.reads, &work.deployment).await?;
            // Whoever asks on the result URL is told the same as who waited.
            let is_first = stored.as_ref().is_some_and(|it| it.created_at >= work.started_at);
            let status = if is_first { StatusCode::CREATED } else { StatusCode::OK };
            Ok(shown(status, record, work, stored.as_ref()))
        }
        (DeploymentTask::Plan, Some(found)) => {
            Ok(Answer::json(StatusCode::OK, render::what_if(found)))
        }
        // What became of each thing, for there is nobody else to ask any more.
        (DeploymentTask::Destroy, _) => Ok(shown(StatusCode::OK, record, work, None)),
        (DeploymentTask::Plan, None) => {
            Ok(Answer::json(StatusCode::OK, render::operation(record, Detail::Listed)))
        }
    }
}

/// What a run answers that has not ended: the deployment as far as it is.
pub(super) async fn under_way(
    view: View<'_>,
    status: StatusCode,
    record: &OperationRecord,
    work: &DeploymentWork,
) -> Result<Answer, ApiError> {
    let stored = lookup::find_deployment(view.reads, &work.deployment).await?;
    Ok(shown(status, record, work, stored.as_ref()))
}

fn shown(
    status: StatusCode,
    record: &OperationRecord,
    work: &DeploymentWork,
    stored: Option<&DeploymentRecord>,
) -> Answer {
    // The tag is the deployment's: that of another run is not of what is shown here.
    let etag = stored.filter(|it| it.operation == work.id).map(ETag::of_deployment);
    let answer =
        Answer::json(status, render::deployment(&Run::of_work(record, work), etag.as_ref()));
    etag.iter().fold(answer, Answer::with_etag)
}
