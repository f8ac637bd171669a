//! References: list, show, create or update or import by alias, change, delete; drift, repair, rename.
//!
//! What a `PUT` and a `PATCH` ask of the engine is decided in `decide`.

mod decide;
mod list;

use decide::ReadHandler;
use hangar_engine::{Ask, DeleteMode, Submission};
use hangar_plan::record::{Reference, ReferenceName, Subject};
use http::StatusCode;

pub(crate) use list::list;
pub(super) use list::{Page, list_name, next_link, page, read_position};

use super::lookup;
use crate::answer::Answer;
use crate::body::{self, ReferenceBody, ReferenceChange};
use crate::error::{ApiError, Code};
use crate::etag::ETag;
use crate::failure::of_refusal;
use crate::head::{Deed, View};
use crate::render::{self, Seen};
use crate::route::{Shape, Sight};
use crate::write::{self, Surface, Write};

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
    let body = render::reference(reference, &etag, running.as_ref(), seen);
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
    let mut body = ReferenceBody::of(deed.body(), name)?;
    let existing = lookup::find_reference(view.reads, name).await?;
    // The first spelling is kept for ever.
    let (name, scope) = if let Some(reference) = &existing {
        (reference.name.clone(), decide::kept_scope(body.scope.as_ref(), reference)?)
    } else {
        let group = lookup::group(view.reads, &name.group).await?;
        let default = view.reads.default_scope();
        let scope = decide::new_scope(body.scope.as_ref(), group.aws_scope.as_ref(), default)?;
        // Of the group's and the server's the spelling is known; whether the plane is still there is looked
        // at when the reference is taken.
        let scope = if body.scope.is_some() {
            let scope = lookup::scope(view.reads, scope).await;
            scope.map_err(|error| error.with_target("/mapsTo/scope"))?
        } else {
            scope
        };
        (ReferenceName { group: group.name, ..name.clone() }, scope)
    };
    if let Some(wanted) = &body.wanted {
        wanted.check_state(state(view, existing.as_ref()).await?)?;
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
    let depends_on = body.depends_on.take();
    let ask = decide::ask(body, identifier, existing.as_ref().map(|it| &it.entry))?;
    let subject = Subject::new(scope, name.type_name.clone(), Some(name));
    let submission = Submission {
        depends_on,
        condition,
        repeatability: deed.repeatability()?,
        correlation_id: Some(view.head.correlation_id.clone()),
        ..Submission::new(subject, ask)
    };
    write::perform(deed, Write::new(submission, Surface::Reference)).await
}

/// The state that a reference is in; nothing where there is none.
async fn state(
    view: View<'_>,
    reference: Option<&Reference>,
) -> Result<Option<&'static str>, ApiError> {
    let Some(reference) = reference else { return Ok(None) };
    let running = lookup::running(view.reads, reference).await?;
    Ok(Some(render::reference_state(reference, running.as_ref())))
}

/// Changes some of a reference that must be there, whatever its condition says.
pub(crate) async fn patch(deed: &Deed<'_>, name: &ReferenceName) -> Result<Answer, ApiError> {
    let view = deed.view;
    let condition = view.conditions()?.for_engine()?;
    let mut change = ReferenceChange::of(deed.body(), name)?;
    let existing = lookup::reference(view.reads, name).await?;
    if let Some(wanted) = &change.wanted {
        wanted.check_state(state(view, Some(&existing)).await?)?;
    }
    let named = match &change.identifier {
        None => None,
        Some(given) => {
            let schema = view.reads.schema(&existing.scope, &existing.name.type_name).await;
            let schema = schema.map_err(|failure| of_refusal(&failure))?;
            Some(given.read(&schema)?)
        }
    };
    decide::check_kept(change.scope.as_ref(), named.as_deref(), &existing)?;
    let depends_on = change.depends_on.take();
    let ask = decide::change(change, &existing)?;
    let submission = Submission {
        depends_on,
        condition,
        repeatability: deed.repeatability()?,
        correlation_id: Some(view.head.correlation_id.clone()),
        ..Submission::new(subject(&existing), ask)
    };
    write::perform(deed, Write::new(submission, Surface::Later(Shape::Reference))).await
}

/// Applies again what was applied.
pub(crate) async fn repair(deed: &Deed<'_>, name: &ReferenceName) -> Result<Answer, ApiError> {
    let view = deed.view;
    let condition = view.conditions()?.for_engine()?;
    body::nothing(deed.body())?;
    let existing = lookup::reference(view.reads, name).await?;
    let submission = Submission {
        condition,
        repeatability: deed.repeatability()?,
        correlation_id: Some(view.head.correlation_id.clone()),
        ..Submission::new(subject(&existing), Ask::Repair)
    };
    write::perform(deed, Write::new(submission, Surface::Reference)).await
}

/// Reads the resource, and keeps and shows how it stands to what was applied.
pub(crate) async fn drift(deed: &Deed<'_>, name: &ReferenceName) -> Result<Answer, ApiError> {
    let view = deed.view;
    body::nothing(deed.body())?;
    let existing = lookup::reference(view.reads, name).await?;
    view.conditions()?.check(Some(&ETag::of_reference(&existing)))?;
    let checked = deed.writes.reference_check(&existing.name).await;
    stored(view, checked.map_err(|failure| of_refusal(&failure))?).await
}

/// Gives a reference another alias. The same request again finds it done.
pub(crate) async fn rename(deed: &Deed<'_>, name: &ReferenceName) -> Result<Answer, ApiError> {
    let view = deed.view;
    let conditions = view.conditions()?;
    let condition = conditions.for_engine()?;
    let alias = body::new_alias(deed.body())?;
    let existing = match lookup::reference(view.reads, name).await {
        Ok(existing) => existing,
        Err(absent) => {
            let renamed = ReferenceName { alias, ..name.clone() };
            let renamed = lookup::find_reference(view.reads, &renamed).await?;
            let renamed = renamed.filter(|it| it.former_keys.last() == Some(&name.key()));
            let renamed = renamed.ok_or(absent)?;
            conditions.check(Some(&ETag::of_reference(&renamed)))?;
            return stored(view, renamed).await;
        }
    };
    let renamed = deed.writes.reference_rename(&existing.name, &alias, &condition).await;
    stored(view, renamed.map_err(|failure| of_refusal(&failure))?).await
}

/// Forgets learned forms: the one at a path, or all.
pub(crate) async fn unlearn(deed: &Deed<'_>, name: &ReferenceName) -> Result<Answer, ApiError> {
    let view = deed.view;
    let condition = view.conditions()?.for_engine()?;
    let path = body::learned_path(deed.body())?;
    let existing = lookup::reference(view.reads, name).await?;
    let is_learned =
        |path: &String| existing.documents.learned.iter().any(|form| form.path == *path);
    if let Some(path) = path.as_ref().filter(|path| !is_learned(path)) {
        let message = format!(
            "no form of `{path}` was learned; GET the reference, its `learned` lists the paths"
        );
        return Err(ApiError::new(Code::InvalidRequestContent, message).with_target("/path"));
    }
    let changed = deed.writes.reference_unlearn(&existing.name, path.as_deref(), &condition).await;
    stored(view, changed.map_err(|failure| of_refusal(&failure))?).await
}

/// A reference as it is stored.
async fn stored(view: View<'_>, reference: Reference) -> Result<Answer, ApiError> {
    let running = lookup::running(view.reads, &reference).await?;
    let etag = ETag::of_reference(&reference);
    let body = render::reference(reference, &etag, running.as_ref(), Seen::Stored);
    Ok(Answer::json(StatusCode::OK, body).with_etag(&etag))
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
