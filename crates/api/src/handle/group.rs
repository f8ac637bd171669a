//! Groups: list, show, make, change.

use hangar_plan::record::{Group, GroupName, GroupState, Version};
use hangar_store::{Expect, GroupError, ReferenceFilter};
use http::StatusCode;
use serde_json::Value;

use super::{lookup, reference};
use crate::answer::Answer;
use crate::body::GroupBody;
use crate::error::{ApiError, Code};
use crate::etag::ETag;
use crate::failure::{of_group, of_store};
use crate::head::{Deed, View};
use crate::names;
use crate::page::{self, PageAsk, SKIP_TOKEN, TOP};
use crate::render;
use crate::urls::with_version;

/// As many references as a group is shown with.
const SHOWN: usize = 500;

/// How often a write is tried again that met another one.
const TRIES: usize = 5;

pub(crate) async fn list(view: View<'_>, ask: &PageAsk) -> Result<Answer, ApiError> {
    const LIST: &str = "groups";
    let after = ask.position(view.seal, LIST)?;
    let after = after.map(String::from_utf8).transpose();
    let after =
        after.map_err(|_| ApiError::new(Code::InvalidSkipToken, "not a token of this list"))?;
    let plane = names::group_name("").plane;
    let found = view.reads.store().group_list(&plane, after.as_deref(), ask.limit() + 1).await;
    let groups = found.map_err(|error| of_store(&error))?;
    let shown = groups.iter().take(ask.limit()).map(|group| Value::Object(render::group(group)));
    let values = page::fitting(shown);
    let next = (values.len() < groups.len()).then(|| {
        let last = groups[values.len() - 1].name.key();
        let token = view.seal.page_token(LIST, last.as_bytes());
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
    let page = reference::page(view, &filter, None, SHOWN).await?;
    let mut body = render::group(&group);
    body.insert("resources".into(), Value::Array(page.values));
    if let Some(token) = page.next {
        let link = reference::next_link(view, &filter, &token, SHOWN);
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
    let view = deed.view;
    let conditions = view.conditions()?;
    let body = GroupBody::of(deed.body.clone())?;
    for _ in 0..TRIES {
        let existing = lookup::find_group(view.reads, name).await?;
        conditions.check(existing.as_ref().map(ETag::of_group).as_ref())?;
        check_state(&body, existing.as_ref())?;
        let now = view.reads.store().now().await.map_err(|error| of_store(&error))?;
        let wanted = Group {
            name: existing.as_ref().map_or(name, |group| &group.name).clone(),
            state: GroupState::Ready,
            operation: None,
            location: body.location.clone(),
            tags: body.tags.clone(),
            aws_scope: body.aws_scope.clone(),
            properties: body.properties.clone(),
            created_at: existing.as_ref().map_or(now, |group| group.created_at),
            updated_at: now,
            version: existing.as_ref().map_or(Version::default(), |group| group.version),
        };
        let (status, expect) = match &existing {
            None => (StatusCode::CREATED, Expect::Absent),
            Some(group) if is_so(group, &wanted) => return Ok(shown(StatusCode::OK, group)),
            Some(group) => (StatusCode::OK, Expect::Version(group.version)),
        };
        match deed.writes.group_put(&wanted, expect).await {
            Ok(group) => return Ok(shown(status, &group)),
            // Somebody else wrote: read again, and check the conditions against that.
            Err(GroupError::Stale) => {}
            Err(error) => return Err(of_group(&error)),
        }
    }
    Err(ApiError::new(Code::Conflict, "the group is being changed by others; try again"))
}

fn is_so(group: &Group, wanted: &Group) -> bool {
    group.state == GroupState::Ready
        && (&group.location, &group.tags, &group.aws_scope, &group.properties)
            == (&wanted.location, &wanted.tags, &wanted.aws_scope, &wanted.properties)
}

fn check_state(body: &GroupBody, existing: Option<&Group>) -> Result<(), ApiError> {
    let Some(state) = &body.provisioning_state else { return Ok(()) };
    let current = existing.map(|group| render::group_state(group.state));
    if current == Some(state.as_str()) {
        return Ok(());
    }
    let message =
        format!("`properties.provisioningState` cannot be set to `{state}`; leave it out");
    Err(ApiError::new(Code::InvalidRequestContent, message))
}

fn shown(status: StatusCode, group: &Group) -> Answer {
    Answer::json(status, Value::Object(render::group(group))).with_etag(&ETag::of_group(group))
}
