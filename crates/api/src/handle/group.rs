//! Groups: list, show, make, change, delete, look for drift.

use hangar_engine::{GroupAsk, RECIPE_CONFIG};
use hangar_plan::group::GroupTask;
use hangar_plan::record::{Group, GroupName, GroupState, PlaneKind, Version};
use hangar_store::{Expect, GroupError, ReferenceFilter};
use http::StatusCode;
use serde_json::Value;

use super::inventory::{self, Place};
use super::{lookup, reference};
use crate::answer::Answer;
use crate::body::{DriftBody, GroupBody, check_state};
use crate::error::{ApiError, Code};
use crate::etag::ETag;
use crate::failure::{of_group, of_store};
use crate::head::{Deed, View};
use crate::page::{self, PageAsk, SKIP_TOKEN, TOP};
use crate::render;
use crate::route::Only;
use crate::urls::with_version;
use crate::write;

/// As many resources as a group is shown with.
const SHOWN: usize = 500;

/// How often a write is tried again that met another one.
const TRIES: usize = 5;

pub(crate) async fn list(view: View<'_>, plane: &str, ask: &PageAsk) -> Result<Answer, ApiError> {
    let list = format!("groups {}", plane.to_ascii_lowercase());
    let after = ask.position(view.seal, &list)?;
    let after = after.map(String::from_utf8).transpose();
    let after =
        after.map_err(|_| ApiError::new(Code::InvalidSkipToken, "not a token of this list"))?;
    let found = view.reads.store().group_list(plane, after.as_deref(), ask.limit() + 1).await;
    let groups = found.map_err(|error| of_store(&error))?;
    let shown = groups.iter().take(ask.limit()).map(|group| Value::Object(render::group(group)));
    let values = page::fitting(shown);
    let next = (values.len() < groups.len()).then(|| {
        let last = groups[values.len() - 1].name.key();
        let token = view.seal.page_token(&list, last.as_bytes());
        let top = ask.limit().to_string();
        let mut parameters = with_version(view.version());
        parameters.extend([(TOP, top.as_str()), (SKIP_TOKEN, token.as_str())]);
        view.urls.of(&format!("/planes/radius/{plane}/resourceGroups"), &parameters)
    });
    Ok(Answer::json(StatusCode::OK, page::list(values, next)))
}

pub(crate) async fn show(view: View<'_>, name: &GroupName) -> Result<Answer, ApiError> {
    let group = lookup::group(view.reads, name).await?;
    let etag = ETag::of_group(&group);
    let conditions = view.conditions()?;
    conditions.check_read(&etag)?;
    let filter = ReferenceFilter { group: Some(group.name.clone()), ..ReferenceFilter::default() };
    let page = inventory::page(view, &group.name, Place::Reference(None), SHOWN).await?;
    let mut body = render::group(&group);
    body.insert("resources".into(), Value::Array(page.values));
    if let Some(token) = page.next {
        let link = reference::next_link(view, &filter, Only::default(), &token, SHOWN);
        body.insert("resourcesNextLink".into(), link.into());
    }
    Ok(Answer::json(StatusCode::OK, Value::Object(body)).with_etag(&etag))
}

pub(crate) async fn head(view: View<'_>, name: &GroupName) -> Result<Answer, ApiError> {
    let group = lookup::group(view.reads, name).await?;
    Ok(Answer::empty(StatusCode::NO_CONTENT).with_etag(&ETag::of_group(&group)))
}

/// Makes a group, or changes it to what the body says. One that is so already is not written.
pub(crate) async fn put(deed: &Deed<'_>, name: &GroupName) -> Result<Answer, ApiError> {
    let reads = deed.view.reads;
    let conditions = deed.view.conditions()?;
    let body = GroupBody::of(deed.body())?;
    for _ in 0..TRIES {
        let existing = lookup::find_group(reads, name).await?;
        let name = if let Some(group) = &existing {
            group.name.clone()
        } else {
            let plane = lookup::plane_spelling(reads, PlaneKind::Radius, &name.plane).await?;
            GroupName { plane, ..name.clone() }
        };
        conditions.check(existing.as_ref().map(ETag::of_group).as_ref())?;
        if let Some(answer) = write(deed, name, existing, body.clone()).await? {
            return Ok(answer);
        }
    }
    Err(contended())
}

/// Changes some of a group that must be there.
pub(crate) async fn patch(deed: &Deed<'_>, name: &GroupName) -> Result<Answer, ApiError> {
    let conditions = deed.view.conditions()?;
    for _ in 0..TRIES {
        let existing = lookup::group(deed.view.reads, name).await?;
        conditions.check(Some(&ETag::of_group(&existing)))?;
        let body = GroupBody::patched(&existing, deed.body())?;
        if let Some(answer) = write(deed, existing.name.clone(), Some(existing), body).await? {
            return Ok(answer);
        }
    }
    Err(contended())
}

/// Writes a group as the body says; nothing where somebody else wrote meanwhile.
async fn write(
    deed: &Deed<'_>,
    name: GroupName,
    existing: Option<Group>,
    body: GroupBody,
) -> Result<Option<Answer>, ApiError> {
    let reads = deed.view.reads;
    let current = existing.as_ref().map(|group| render::group_state(group.state));
    check_state(body.provisioning_state.as_deref(), current)?;
    let aws_scope = match body.aws_scope {
        None => None,
        Some(scope) => Some(
            lookup::scope(reads, scope)
                .await
                .map_err(|error| error.with_target("/properties/providers/aws/scope"))?,
        ),
    };
    let present = existing.as_ref().map(|group| group.secrets.clone()).unwrap_or_default();
    let secrets = body
        .recipe_config
        .sealed(&present, |secret, text| deed.view.seal.recipe_secret(&name, secret, text))?;
    let mut properties = body.properties;
    properties.extend(body.recipe_config.settings.map(|it| (RECIPE_CONFIG.to_owned(), it)));
    let now = reads.store().now().await.map_err(|error| of_store(&error))?;
    let wanted = Group {
        name,
        state: GroupState::Ready,
        operation: None,
        location: body.location,
        tags: body.tags,
        aws_scope,
        properties,
        secrets,
        created_at: existing.as_ref().map_or(now, |group| group.created_at),
        updated_at: now,
        version: existing.as_ref().map_or(Version::default(), |group| group.version),
    };
    let (status, expect) = match &existing {
        None => (StatusCode::CREATED, Expect::Absent),
        Some(group) if is_so(group, &wanted) => return Ok(Some(shown(StatusCode::OK, group))),
        Some(group) => (StatusCode::OK, Expect::Version(group.version)),
    };
    match deed.writes.group_put(&wanted, expect).await {
        Ok(group) => Ok(Some(shown(status, &group))),
        // Whoever calls reads again, and checks the conditions against that.
        Err(GroupError::Stale) => Ok(None),
        Err(error) => Err(of_group(&error)),
    }
}

fn is_so(group: &Group, wanted: &Group) -> bool {
    group.state == GroupState::Ready
        && (&group.location, &group.tags, &group.aws_scope, &group.properties)
            == (&wanted.location, &wanted.tags, &wanted.aws_scope, &wanted.properties)
        && group.secrets == wanted.secrets
}

fn contended() -> ApiError {
    ApiError::new(Code::Conflict, "the group is being changed by other requests; try again")
}

fn shown(status: StatusCode, group: &Group) -> Answer {
    Answer::json(status, Value::Object(render::group(group))).with_etag(&ETag::of_group(group))
}

/// Deletes what the group owns, unlinks the rest, and removes it. Other than with a reference, one that
/// is not there is 404, unless this very request has removed it.
pub(crate) async fn delete(deed: &Deed<'_>, name: &GroupName) -> Result<Answer, ApiError> {
    let repeatability = deed.repeatability()?;
    let condition = deed.view.conditions()?.for_engine()?;
    match lookup::group(deed.view.reads, name).await {
        Ok(group) => {
            write::perform_group(deed, ask(deed, group.name, GroupTask::Delete, condition)?).await
        }
        Err(absent) => match write::repeated(deed, repeatability.as_ref()).await? {
            Some(answer) => Ok(answer),
            None => Err(absent),
        },
    }
}

/// Looks at every resource of the group.
pub(crate) async fn drift(deed: &Deed<'_>, name: &GroupName) -> Result<Answer, ApiError> {
    let condition = deed.view.conditions()?.for_engine()?;
    let DriftBody { repair, prune } = DriftBody::of(deed.body())?;
    let group = lookup::group(deed.view.reads, name).await?;
    let task = GroupTask::Drift { repair, prune };
    write::perform_group(deed, ask(deed, group.name, task, condition)?).await
}

fn ask(
    deed: &Deed<'_>,
    group: GroupName,
    task: GroupTask,
    condition: hangar_engine::Condition,
) -> Result<GroupAsk, ApiError> {
    Ok(GroupAsk {
        group,
        task,
        condition,
        repeatability: deed.repeatability()?,
        correlation_id: Some(deed.view.head.correlation_id.clone()),
    })
}
