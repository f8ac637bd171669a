//! Operations: list, status, events, result, cancel.

use axum::body::Body;
use hangar_plan::operation::OperationId;
use hangar_plan::record::GroupName;
use hangar_store::{CancelAnswer, OperationFilter};
use http::StatusCode;
use http::header::{HeaderName, HeaderValue};

use super::lookup;
use crate::answer::Answer;
use crate::error::{ApiError, Code};
use crate::events::{self, EventBody, Terms, Watch};
use crate::failure::of_store;
use crate::head::{Deed, View};
use crate::page::{self, PageAsk, SKIP_TOKEN, TOP};
use crate::render::{self, Detail};
use crate::route::Shape;
use crate::urls::with_version;
use crate::write;

/// As much of what happened last as a status holds.
pub(crate) const EVENTS: usize = 500;

pub(crate) async fn list(
    view: View<'_>,
    plane: &str,
    filter: &OperationFilter,
    ask: &PageAsk,
) -> Result<Answer, ApiError> {
    let group = filter.group.as_ref().map(GroupName::id);
    let reference = filter.reference.as_ref().map(hangar_plan::record::ReferenceName::id);
    let parent = filter.parent.map(|id| id.to_string());
    let name = format!("operations {group:?} {reference:?} {parent:?} {}", filter.running);
    let before = match ask.position(view.seal, &name)? {
        None => None,
        Some(bytes) => {
            let id = std::str::from_utf8(&bytes).ok().and_then(OperationId::parse);
            let wrong = || ApiError::new(Code::InvalidSkipToken, "not a token of this list");
            Some(id.ok_or_else(wrong)?)
        }
    };
    let found = view.reads.store().operation_list(filter, before, ask.limit() + 1).await;
    let records = found.map_err(|error| of_store(&error))?;
    let shown = records.iter().take(ask.limit());
    let values = page::fitting(shown.map(|record| render::operation(record, Detail::Listed)));
    let next = (values.len() < records.len()).then(|| {
        let last = records[values.len() - 1].id().to_string();
        let token = view.seal.page_token(&name, last.as_bytes());
        let top = ask.limit().to_string();
        let mut parameters = with_version(view.version());
        parameters.extend(group.as_deref().map(|id| ("group", id)));
        parameters.extend(reference.as_deref().map(|id| ("reference", id)));
        parameters.extend(parent.as_deref().map(|id| ("parent", id)));
        parameters.extend(filter.running.then_some(("running", "true")));
        parameters.extend([(TOP, top.as_str()), (SKIP_TOKEN, token.as_str())]);
        view.urls.of(&format!("/planes/radius/{plane}{STATUSES}"), &parameters)
    });
    Ok(Answer::json(StatusCode::OK, page::list(values, next)))
}

const STATUSES: &str = "/providers/System.Resources/operationStatuses";

/// Always 200 where it can be read: a 4xx here would say that the status cannot be.
pub(crate) async fn status(view: View<'_>, id: OperationId) -> Result<Answer, ApiError> {
    let record = lookup::operation(view.reads, id).await?;
    let events = view.reads.store().event_list_last(id, EVENTS).await;
    let events = events.map_err(|error| of_store(&error))?;
    let body = render::operation(&record, Detail::Whole(&events));
    let answer = Answer::json(StatusCode::OK, body);
    if record.is_ended() {
        return Ok(answer);
    }
    Ok(answer.with_header(http::header::RETRY_AFTER, write::poll_after(&record).into()))
}

/// What happens to it from an event on, for as long as the caller listens or until it has ended.
pub(crate) async fn events(
    view: View<'_>,
    id: OperationId,
    asked: u64,
    terms: Terms,
) -> Result<Answer, ApiError> {
    let after = events::heard_last(&view.head.headers, asked)?;
    lookup::operation(view.reads, id).await?;
    let body = EventBody::new(Watch::new(terms, id, after));
    Ok(Answer::stream(events::MEDIA, Body::new(body))
        .with_header(http::header::CACHE_CONTROL, HeaderValue::from_static("no-store"))
        // What stands in between and gathers answers before it passes them on would gather for ever.
        .with_header(ACCEL_BUFFERING, HeaderValue::from_static("no")))
}

const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// What the call would have answered, once there is such a thing.
pub(crate) async fn result(
    view: View<'_>,
    id: OperationId,
    shape: Shape,
) -> Result<Answer, ApiError> {
    let record = lookup::operation(view.reads, id).await?;
    if record.is_ended() {
        return write::ended(view, &record, shape).await;
    }
    let location = view.urls.result(id, view.version(), shape);
    Ok(Answer::empty(StatusCode::ACCEPTED)
        .with_text(http::header::LOCATION, &location)
        .with_header(http::header::RETRY_AFTER, write::poll_after(&record).into()))
}

pub(crate) async fn cancel(deed: &Deed<'_>, id: OperationId) -> Result<Answer, ApiError> {
    let view = deed.view;
    match deed.writes.cancel(id).await.map_err(|error| of_store(&error))? {
        CancelAnswer::NotFound => Err(ApiError::new(
            Code::OperationNotFound,
            format!("there is no operation `{id}`; ended operations are kept for seven days"),
        )),
        CancelAnswer::Ended(_) => Err(ApiError::new(
            Code::OperationEnded,
            format!("the operation `{id}` has ended and cannot be canceled"),
        )),
        CancelAnswer::Noted(record) => {
            let body = render::operation(&record, Detail::Listed);
            let answer = Answer::json(StatusCode::ACCEPTED, body);
            Ok(write::with_poll_headers(view, answer, &record, Shape::Resource))
        }
    }
}
