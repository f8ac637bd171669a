//! AWS resources by identifier: list, show, put, change, delete.

use hangar_engine::{Ask, DeleteMode, Live, Submission};
use hangar_plan::operation::Kind;
use hangar_plan::record::Subject;
use http::StatusCode;
use serde_json::{Value, json};

use super::lookup;
use crate::answer::Answer;
use crate::body::ResourceBody;
use crate::error::{ApiError, Code};
use crate::failure::of_refusal;
use crate::head::{Deed, View};
use crate::names::Collection;
use crate::page::{self, PageAsk, SKIP_TOKEN, TOP};
use crate::prefer;
use crate::render;
use crate::route::Shape;
use crate::urls::with_version;
use crate::write::{self, Surface, Write};

/// Cloud Control gives at most this many at a time.
const MOST: usize = 100;

pub(crate) async fn list(
    view: View<'_>,
    collection: &Collection,
    parent: Option<&Value>,
    ask: &PageAsk,
) -> Result<Answer, ApiError> {
    let subject = collection.subject();
    let parent_text = parent.map(ToString::to_string).unwrap_or_default();
    let name = format!("resources {} {parent_text}", subject.collection().to_ascii_lowercase());
    let place = ask.position(view.seal, &name)?.map(|bytes| Place::read(&bytes)).transpose()?;
    let place = place.unwrap_or_default();
    let limit = ask.limit().min(MOST);
    let cloud_limit = u32::try_from(limit).unwrap_or(1);
    let found = view.reads.live_page(&subject, parent, cloud_limit, place.next.as_deref()).await;
    let found = found.map_err(|failure| of_refusal(&failure))?;
    let mut rendered = Vec::new();
    let count = found.resources.len().saturating_sub(place.skip);
    // A cloud may give more than it was asked for.
    for live in found.resources.into_iter().skip(place.skip).take(limit) {
        rendered.push(shown(view, &subject, live).await?);
    }
    let values = page::fitting(rendered.into_iter());
    let next = if values.len() < count {
        Some(Place { next: place.next, skip: place.skip + values.len() })
    } else {
        found.next.map(|next| Place { next: Some(next), skip: 0 })
    };
    let link = next.map(|next| {
        let token = view.seal.page_token(&name, &next.bytes());
        let top = ask.top().map(|top| top.to_string());
        let mut parameters: Vec<(String, &str)> = with_version(view.version())
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        for (key, value) in parent.and_then(Value::as_object).into_iter().flatten() {
            parameters.push((format!("parent.{key}"), value.as_str().unwrap_or_default()));
        }
        if let Some(top) = &top {
            parameters.push((TOP.to_owned(), top));
        }
        parameters.push((SKIP_TOKEN.to_owned(), &token));
        let parameters: Vec<(&str, &str)> =
            parameters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        view.urls.of(&subject.collection(), &parameters)
    });
    Ok(Answer::json(StatusCode::OK, page::list(values, link)))
}

/// A place in a cloud's list: its token, and how many of that page were shown before.
#[derive(Debug, Default, PartialEq, Eq)]
struct Place {
    next: Option<String>,
    skip: usize,
}

impl Place {
    fn bytes(&self) -> Vec<u8> {
        json!([self.next, self.skip]).to_string().into_bytes()
    }

    fn read(bytes: &[u8]) -> Result<Self, ApiError> {
        serde_json::from_slice(bytes)
            .map(|(next, skip)| Self { next, skip })
            .map_err(|_| ApiError::new(Code::InvalidSkipToken, "not a token of this list"))
    }
}

/// A resource that was read, with the reference that maps it.
pub(super) async fn shown(
    view: View<'_>,
    subject: &Subject,
    live: Live,
) -> Result<Value, ApiError> {
    let key = subject.resource_key(&live.identifier);
    let mapping = lookup::find_mapping(view.reads, subject, &live.identifier).await?;
    let state = match &mapping {
        None => {
            let running = lookup::holding(view.reads, &key).await?;
            running.as_ref().map_or(render::SUCCEEDED, render::operation_word)
        }
        Some(reference) => {
            let running = lookup::running(view.reads, reference).await?;
            render::reference_state(reference, running.as_ref())
        }
    };
    let Live { identifier, properties } = live;
    Ok(render::resource(subject, Some(&identifier), properties, state, mapping.as_ref()))
}

/// Reads a resource that must be there.
pub(super) async fn live(
    view: View<'_>,
    subject: &Subject,
    identifier: &str,
) -> Result<Live, ApiError> {
    let found = view.reads.live(subject, identifier).await;
    found.map_err(|failure| of_refusal(&failure))?.ok_or_else(|| {
        let message =
            format!("there is no {} `{identifier}` in {}", subject.type_name, subject.scope);
        ApiError::new(Code::ResourceNotFound, message).with_target(subject.collection())
    })
}

pub(crate) async fn show(
    view: View<'_>,
    collection: &Collection,
    identifier: &str,
) -> Result<Answer, ApiError> {
    let subject = collection.subject();
    let body = match live(view, &subject, identifier).await {
        Ok(live) => shown(view, &subject, live).await?,
        Err(absent) => match being_made(view, &subject, identifier).await? {
            Some(state) => render::resource(&subject, Some(identifier), Value::Null, state, None),
            None => return Err(absent),
        },
    };
    Ok(Answer::json(StatusCode::OK, body))
}

/// The state of a resource that AWS does not show yet: pollers ask for it from the moment that its put
/// was accepted.
async fn being_made(
    view: View<'_>,
    subject: &Subject,
    identifier: &str,
) -> Result<Option<&'static str>, ApiError> {
    let running = lookup::holding(view.reads, &subject.resource_key(identifier)).await?;
    let put = running.filter(|it| it.kind == Kind::Put && !it.is_ended());
    Ok(put.as_ref().map(render::operation_word))
}

pub(crate) async fn head(
    view: View<'_>,
    collection: &Collection,
    identifier: &str,
) -> Result<Answer, ApiError> {
    let subject = collection.subject();
    if let Err(absent) = live(view, &subject, identifier).await
        && being_made(view, &subject, identifier).await?.is_none()
    {
        return Err(absent);
    }
    Ok(Answer::empty(StatusCode::NO_CONTENT))
}

pub(crate) async fn put(
    deed: &Deed<'_>,
    collection: &Collection,
    identifier: &str,
) -> Result<Answer, ApiError> {
    let view = deed.view;
    let subject = collection.subject();
    let body = wanted(deed, &subject, identifier).await?;
    let schema = view.reads.schema(&subject.scope, &subject.type_name).await;
    let schema = schema.map_err(|failure| of_refusal(&failure))?;
    let properties = body.wanted.value();
    let echo = hangar_schema::without_secrets(&schema, &properties);
    let ask = Ask::Put {
        identifier: Some(identifier.to_owned()),
        properties,
        secret_paths: body.secret_paths,
        replace: false,
        adopt: None,
    };
    let submission = Submission {
        repeatability: deed.repeatability()?,
        correlation_id: Some(view.head.correlation_id.clone()),
        ..Submission::new(subject, ask)
    };
    // Whoever does not wait is told at once whether it is a new one; a cloud that does not say is no
    // reason to refuse.
    let is_new = prefer::wait(&view.head.headers).is_zero()
        && matches!(view.reads.live(&submission.subject, identifier).await, Ok(None));
    let surface = Surface::Resource { identifier: identifier.to_owned(), echo, is_new };
    write::perform(deed, Write::new(submission, surface)).await
}

/// Changes some properties of what must be there.
pub(crate) async fn patch(
    deed: &Deed<'_>,
    collection: &Collection,
    identifier: &str,
) -> Result<Answer, ApiError> {
    let view = deed.view;
    let subject = collection.subject();
    let body = wanted(deed, &subject, identifier).await?;
    let ask = Ask::Patch {
        identifier: Some(identifier.to_owned()),
        properties: body.wanted.value(),
        secret_paths: body.secret_paths,
    };
    let submission = Submission {
        repeatability: deed.repeatability()?,
        correlation_id: Some(view.head.correlation_id.clone()),
        ..Submission::new(subject, ask)
    };
    write::perform(deed, Write::new(submission, Surface::Later(Shape::Resource))).await
}

/// What is wanted of a resource, checked against the reference that maps it, if there is one.
async fn wanted(
    deed: &Deed<'_>,
    subject: &Subject,
    identifier: &str,
) -> Result<ResourceBody, ApiError> {
    let view = deed.view;
    view.conditions()?.refuse()?;
    let body = ResourceBody::of(deed.body())?;
    let mapping = lookup::find_mapping(view.reads, subject, identifier).await?;
    let state = match &mapping {
        None => render::SUCCEEDED,
        Some(reference) => {
            let running = lookup::running(view.reads, reference).await?;
            render::reference_state(reference, running.as_ref())
        }
    };
    body.wanted.check_state(Some(state))?;
    Ok(body)
}

pub(crate) async fn delete(
    deed: &Deed<'_>,
    collection: &Collection,
    identifier: &str,
) -> Result<Answer, ApiError> {
    let view = deed.view;
    view.conditions()?.refuse()?;
    let ask = Ask::Delete { identifier: Some(identifier.to_owned()), mode: DeleteMode::Delete };
    let submission = Submission {
        repeatability: deed.repeatability()?,
        correlation_id: Some(view.head.correlation_id.clone()),
        ..Submission::new(collection.subject(), ask)
    };
    write::perform(deed, Write::new(submission, Surface::Delete)).await
}
