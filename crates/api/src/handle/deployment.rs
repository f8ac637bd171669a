//! Deployments: list, show, run a template, stop a run, tell what a run would do.

use hangar_engine::DeploymentAsk;
use hangar_plan::deployment::{DeploymentTask, OnRemove};
use hangar_plan::record::{DeploymentName, DeploymentRecord, GroupName, OperationRecord, Work};
use hangar_store::CancelAnswer;
use http::StatusCode;
use serde_json::{Value, json};

use super::lookup;
use crate::answer::Answer;
use crate::body::{self, DeploymentBody};
use crate::error::{ApiError, Code, Info};
use crate::etag::ETag;
use crate::failure::of_store;
use crate::head::{Deed, View};
use crate::page::{self, PageAsk, SKIP_TOKEN, TOP};
use crate::render::{self, Run};
use crate::urls::with_version;
use crate::write;

pub(crate) async fn list(
    view: View<'_>,
    group: &GroupName,
    ask: &PageAsk,
) -> Result<Answer, ApiError> {
    let group = lookup::group(view.reads, group).await?.name;
    let list = format!("deployments {}", group.key());
    let after = ask.position(view.seal, &list)?;
    let after = after.map(String::from_utf8).transpose();
    let after =
        after.map_err(|_| ApiError::new(Code::InvalidSkipToken, "not a token of this list"))?;
    let store = view.reads.store();
    let found = store.deployment_list(&group, after.as_deref(), ask.limit() + 1).await;
    let found = found.map_err(|error| of_store(&error))?;
    let mut shown = Vec::new();
    for record in found.iter().take(ask.limit()) {
        shown.push(body(view, record).await?);
    }
    let values = page::fitting(shown.into_iter());
    let next = (values.len() < found.len()).then(|| {
        let last = found[values.len() - 1].name.name.to_ascii_lowercase();
        let token = view.seal.page_token(&list, last.as_bytes());
        let top = ask.limit().to_string();
        let mut parameters = with_version(view.version());
        parameters.extend([(TOP, top.as_str()), (SKIP_TOKEN, token.as_str())]);
        let id = format!("{}/providers/Microsoft.Resources/deployments", group.id());
        view.urls.of(&id, &parameters)
    });
    Ok(Answer::json(StatusCode::OK, page::list(values, next)))
}

pub(crate) async fn show(view: View<'_>, name: &DeploymentName) -> Result<Answer, ApiError> {
    let record = lookup::deployment(view.reads, name).await?;
    let etag = ETag::of_deployment(&record);
    view.conditions()?.check_read(&etag)?;
    Ok(Answer::json(StatusCode::OK, body(view, &record).await?).with_etag(&etag))
}

pub(crate) async fn head(view: View<'_>, name: &DeploymentName) -> Result<Answer, ApiError> {
    let record = lookup::deployment(view.reads, name).await?;
    Ok(Answer::empty(StatusCode::NO_CONTENT).with_etag(&ETag::of_deployment(&record)))
}

/// A deployment: while its last run is under way, as that run's operation has it.
async fn body(view: View<'_>, record: &DeploymentRecord) -> Result<Value, ApiError> {
    let etag = ETag::of_deployment(record);
    if record.ending.is_none()
        && let Some(running) = lookup::find_operation(view.reads, record.operation).await?
        && let OperationRecord { work: Work::Deployment(work), .. } = &running
    {
        return Ok(render::deployment(&Run::of_work(&running, work), Some(&etag)));
    }
    Ok(render::deployment(&Run::of_record(record), Some(&etag)))
}

/// Makes it so.
pub(crate) async fn put(deed: &Deed<'_>, name: &DeploymentName) -> Result<Answer, ApiError> {
    write::perform_deployment(deed, ask(deed, name, DeploymentTask::Deploy).await?).await
}

/// Tells what a `PUT` of the same body would do, and does nothing.
pub(crate) async fn what_if(deed: &Deed<'_>, name: &DeploymentName) -> Result<Answer, ApiError> {
    write::perform_deployment(deed, ask(deed, name, DeploymentTask::Plan).await?).await
}

/// Takes away what it manages, as far as the caller wants, and forgets it; one that is not there is gone already.
pub(crate) async fn delete(
    deed: &Deed<'_>,
    name: &DeploymentName,
    on_remove: OnRemove,
) -> Result<Answer, ApiError> {
    let view = deed.view;
    view.conditions()?.refuse_because(NO_CONDITION)?;
    body::nothing(deed.body())?;
    let repeatability = deed.repeatability()?;
    let Some(existing) = lookup::find_deployment(view.reads, name).await? else {
        lookup::group(view.reads, &name.group).await?;
        return write::repeated_or_gone(deed, repeatability.as_ref()).await;
    };
    let ask = DeploymentAsk {
        repeatability,
        correlation_id: Some(view.head.correlation_id.clone()),
        ..DeploymentAsk::destroy(existing.name, on_remove)
    };
    write::perform_deployment(deed, ask).await
}

async fn ask(
    deed: &Deed<'_>,
    name: &DeploymentName,
    task: DeploymentTask,
) -> Result<DeploymentAsk, ApiError> {
    let view = deed.view;
    view.conditions()?.refuse_because(NO_CONDITION)?;
    let repeatability = deed.repeatability()?;
    let DeploymentBody { sources, entry, template_path, parameters, scope, leave, plan } =
        DeploymentBody::of(deed.body())?;
    if plan.is_some() && task == DeploymentTask::Plan {
        let message = "`/properties/plan` is only for a `PUT`; `whatIf` creates a plan";
        return Err(
            ApiError::new(Code::InvalidRequestContent, message).with_target(body::PLAN_PLACE)
        );
    }
    let group = match lookup::group(view.reads, &name.group).await {
        Err(error)
            if task == DeploymentTask::Plan
                && error.code() == Code::ResourceGroupNotFound.text() =>
        {
            let ask = DeploymentAsk {
                name: name.clone(),
                task,
                sources,
                entry,
                template_path,
                parameters,
                scope,
                leave,
                plan: None,
                repeatability: None,
                correlation_id: None,
            };
            // The caller plans by itself what would be new; only the secrets need this server's key.
            let seal = deed.writes.fresh_seal(&ask);
            return Err(match seal {
                Some(seal) => {
                    error.with_info(Info { kind: "NewGroupPlan", info: json!({"seal": seal}) })
                }
                None => error,
            });
        }
        found => found?,
    };
    let name = match lookup::find_deployment(view.reads, name).await? {
        // The first spelling is kept.
        Some(existing) => existing.name,
        None => DeploymentName { group: group.name, name: name.name.clone() },
    };
    let scope = match scope {
        Some(scope) => {
            let scope = lookup::scope(view.reads, scope).await;
            Some(scope.map_err(|error| error.with_target(body::SCOPE))?)
        }
        // The group's or the server's, as they are when the run is accepted.
        None => None,
    };
    Ok(DeploymentAsk {
        name,
        task,
        sources,
        entry,
        template_path,
        parameters,
        scope,
        leave,
        plan,
        repeatability,
        correlation_id: Some(view.head.correlation_id.clone()),
    })
}

const NO_CONDITION: &str = "a run of a deployment accepts no condition: only one runs at a time, \
                            and another one is refused (`DeploymentRunning`)";

/// Asks for a stop of the run that is under way: what is begun ends, nothing more begins.
pub(crate) async fn cancel(deed: &Deed<'_>, name: &DeploymentName) -> Result<Answer, ApiError> {
    let view = deed.view;
    view.conditions()?.refuse_because(NO_CONDITION)?;
    body::nothing(deed.body())?;
    let record = lookup::deployment(view.reads, name).await?;
    let ended = || {
        let message = format!("the last run of the deployment `{}` has ended", record.name.name);
        Err(ApiError::new(Code::NotRunning, message).with_target(record.name.id()))
    };
    if record.ending.is_some() {
        return ended();
    }
    let answer = deed.writes.cancel(record.operation).await;
    match answer.map_err(|error| of_store(&error))? {
        CancelAnswer::Noted(_) => Ok(Answer::empty(StatusCode::NO_CONTENT)),
        CancelAnswer::Ended(_) | CancelAnswer::NotFound => ended(),
    }
}
