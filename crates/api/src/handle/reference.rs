//! References: list, show, create or update or import by alias, delete.
//!
//! What a `PUT` asks of the engine is decided in `decide`.

mod decide;

use decide::ReadHandler;
use hangar_engine::{Ask, DeleteMode, Submission};
use hangar_ids::TypeName;
use hangar_plan::record::{GroupName, Reference, ReferenceName, Subject};
use hangar_store::{ReferenceFilter, ReferencePosition};
use http::StatusCode;
use serde_json::Value;

use super::lookup;
use crate::answer::Answer;
use crate::body::ReferenceBody;
use crate::error::{ApiError, Code};
use crate::etag::ETag;
use crate::failure::{of_refusal, of_store};
use crate::head::{Deed, View};
use crate::page::{self, PageAsk, SKIP_TOKEN, TOP};
use crate::render::{self, Seen};
use crate::route::Sight;
use crate::urls::with_version;
use crate::write::{self, Surface, Write};

/// Some references, and the token of the rest.
pub(super) struct Page {
    pub(super) values: Vec<Value>,
    pub(super) next: Option<String>,
}

pub(crate) async fn list(
    view: View<'_>,
    group: &GroupName,
    type_name: Option<&TypeName>,
    ask: &PageAsk,
) -> Result<Answer, ApiError> {
    let group = lookup::group(view.reads, group).await?;
    let filter = ReferenceFilter {
        group: Some(group.name),
        type_key: type_name.map(|name| name.ucp().to_ascii_lowercase()),
        state: None,
    };
    let after = ask.position(view.seal, &list_name(&filter))?;
    let after = after.as_deref().map(read_position).transpose()?;
    let page = page(view, &filter, after.as_ref(), ask.limit()).await?;
    let next = page.next.map(|token| next_link(view, &filter, &token, ask.limit()));
    Ok(Answer::json(StatusCode::OK, page::list(page.values, next)))
}

/// One page of the references that a filter lets through.
pub(super) async fn page(
    view: View<'_>,
    filter: &ReferenceFilter,
    after: Option<&ReferencePosition>,
    limit: usize,
) -> Result<Page, ApiError> {
    let found = view.reads.store().reference_list(filter, after, limit + 1).await;
    let references = found.map_err(|error| of_store(&error))?;
    let running = lookup::all_running(view.reads, &references).await?;
    let values = page::fitting(references.iter().take(limit).map(|reference| {
        let operation = reference.entry.operation.and_then(|id| running.get(&id));
        render::reference(reference, operation, Seen::Stored)
    }));
    let next = (values.len() < references.len()).then(|| {
        let last = &references[values.len() - 1].name;
        view.seal.page_token(&list_name(filter), &position(last))
    });
    Ok(Page { values, next })
}

/// The link to the page that a token begins.
pub(super) fn next_link(
    view: View<'_>,
    filter: &ReferenceFilter,
    token: &str,
    limit: usize,
) -> String {
    let group = filter.group.as_ref().map(GroupName::id).unwrap_or_default();
    let id = match &filter.type_key {
        None => format!("{group}/resources"),
        Some(type_key) => format!("{group}/providers/{type_key}:reference"),
    };
    let top = limit.to_string();
    let mut parameters = with_version(view.version());
    parameters.extend([(TOP, top.as_str()), (SKIP_TOKEN, token)]);
    view.urls.of(&id, &parameters)
}

/// Names a list, so that a token of one is no token of another.
fn list_name(filter: &ReferenceFilter) -> String {
    let group = filter.group.as_ref().map(GroupName::key).unwrap_or_default();
    format!("references {group} {}", filter.type_key.as_deref().unwrap_or("*"))
}

fn position(name: &ReferenceName) -> Vec<u8> {
    // No key holds NUL: ids refuse it.
    [name.group.key(), name.type_key(), name.alias_key()].join("\0").into_bytes()
}

fn read_position(bytes: &[u8]) -> Result<ReferencePosition, ApiError> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let parts: Vec<&str> = text.split('\0').collect();
    let [group, type_key, alias] = parts.as_slice() else {
        return Err(ApiError::new(Code::InvalidSkipToken, "not a token of this list"));
    };
    Ok(ReferencePosition {
        group: (*group).to_owned(),
        type_key: (*type_key).to_owned(),
        alias: (*alias).to_owned(),
    })
}

pub(crate) async fn show(
    view: View<'_>,
    name: &ReferenceName,
    sight: Sight,
) -> Result<Answer, ApiError> {
    let reference = lookup::reference(view.reads, name).await?;
    let etag = ETag::of_reference(&reference);
    let conditions = view.conditions()?;
    if sight == Sight::Stored {
        conditions.check_read(&etag)?;
    }
    let running = lookup::running(view.reads, &reference).await?;
    let seen = match (sight, &reference.entry.identifier) {
        (Sight::Live, Some(identifier)) => look(view, &reference, identifier).await?,
        _ => Seen::Stored,
    };
    let body = render::reference(&reference, running.as_ref(), seen);
    Ok(Answer::json(StatusCode::OK, body).with_etag(&etag))
}

async fn look(view: View<'_>, reference: &Reference, identifier: &str) -> Result<Seen, ApiError> {
    let live = view.reads.live(&subject(reference), identifier).await;
    let live = live.map_err(|failure| of_refusal(&failure))?;
    Ok(live.map_or(Seen::Gone, |live| Seen::Now(live.properties)))
}

/// What a call through a reference is about.
pub(super) fn subject(reference: &Reference) -> Subject {
    let Reference { name, scope, .. } = reference;
    Subject::new(scope.clone(), name.type_name.clone(), Some(name.clone()))
}

pub(crate) async fn head(view: View<'_>, name: &ReferenceName) -> Result<Answer, ApiError> {
    let reference = lookup::reference(view.reads, name).await?;
    Ok(Answer::empty(StatusCode::NO_CONTENT).with_etag(&ETag::of_reference(&reference)))
}

/// Creates or updates by alias, or takes in what `mapsTo.primaryIdentifier` names.
pub(crate) async fn put(deed: &Deed<'_>, name: &ReferenceName) -> Result<Answer, ApiError> {
    let view = deed.view;
    let condition = view.conditions()?.for_engine()?;
    let body = ReferenceBody::of(deed.body.clone(), &name.type_name)?;
    let existing = lookup::find_reference(view.reads, name).await?;
    let scope = if let Some(reference) = &existing {
        decide::kept_scope(body.scope.as_ref(), reference)?
    } else {
        let group = lookup::group(view.reads, &name.group).await?;
        let default = view.reads.default_scope();
        decide::new_scope(body.scope.as_ref(), group.aws_scope.as_ref(), default)?
    };
    if let Some(wanted) = &body.wanted {
        let state = match &existing {
            Some(reference) => {
                let running = lookup::running(view.reads, reference).await?;
                Some(render::reference_state(reference, running.as_ref()))
            }
            None => None,
        };
        wanted.check_state(state)?;
    }
    let (identifier, condition) = match &body.identifier {
        None => (None, condition),
        Some(given) => {
            let schema = view.reads.schema(&scope, &name.type_name).await;
            let schema = schema.map_err(|failure| of_refusal(&failure))?;
            let identifier = given.read(&schema)?;
            let entry = existing.as_ref().map(|it| &it.entry);
            decide::named(identifier, ReadHandler::of(&schema), condition, entry)
        }
    };
    let ask = decide::ask(body, identifier, existing.as_ref().map(|it| &it.entry))?;
    // The first spelling is kept for ever.
    let name = existing.map_or_else(|| name.clone(), |reference| reference.name);
    let subject = Subject::new(scope, name.type_name.clone(), Some(name));
    let submission = Submission {
        condition,
        repeatability: deed.repeatability()?,
        correlation_id: Some(view.head.correlation_id.clone()),
        ..Submission::new(subject, ask)
    };
    write::perform(deed, Write::new(submission, Surface::Reference)).await
}

/// Deletes what is owned, else only the mapping; one that is not there is deleted already.
pub(crate) async fn delete(
    deed: &Deed<'_>,
    name: &ReferenceName,
    mode: DeleteMode,
) -> Result<Answer, ApiError> {
    let view = deed.view;
    let condition = view.conditions()?.for_engine()?;
    let repeatability = deed.repeatability()?;
    let Some(existing) = lookup::find_reference(view.reads, name).await? else {
        lookup::group(view.reads, &name.group).await?;
        return write::repeated_or_gone(deed, repeatability.as_ref()).await;
    };
    let subject = subject(&existing);
    let submission = Submission {
        condition,
        repeatability,
        correlation_id: Some(view.head.correlation_id.clone()),
        ..Submission::new(subject, Ask::Delete { identifier: None, mode })
    };
    write::perform(deed, Write::new(submission, Surface::Delete)).await
}
