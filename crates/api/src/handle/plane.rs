//! Planes: list, show, make, change, remove.

use hangar_plan::record::{Plane, PlaneKind, PlaneName, Version};
use hangar_store::{Expect, PlaneError, StaleError};
use http::StatusCode;
use serde_json::json;

use super::lookup;
use crate::answer::Answer;
use crate::body::{PlaneBody, check_state};
use crate::error::{ApiError, Code};
use crate::etag::ETag;
use crate::failure::{of_plane, of_stale, of_store};
use crate::head::{Deed, View};
use crate::page;
use crate::render;

/// How often a write is tried again that met another one.
const TRIES: usize = 5;

/// All planes, or those of a kind; there are few, so they are in one page.
pub(crate) async fn list(view: View<'_>, kind: Option<PlaneKind>) -> Result<Answer, ApiError> {
    let planes = view.reads.store().plane_list(kind).await.map_err(|error| of_store(&error))?;
    let values = planes.iter().map(render::plane).collect();
    Ok(Answer::json(StatusCode::OK, page::list(values, None)))
}

pub(crate) async fn show(view: View<'_>, name: &PlaneName) -> Result<Answer, ApiError> {
    let plane = lookup::plane(view.reads, name).await?;
    view.conditions()?.check_read(&ETag::of_plane(&plane))?;
    Ok(shown(StatusCode::OK, &plane))
}

pub(crate) async fn head(view: View<'_>, name: &PlaneName) -> Result<Answer, ApiError> {
    let plane = lookup::plane(view.reads, name).await?;
    Ok(Answer::empty(StatusCode::NO_CONTENT).with_etag(&ETag::of_plane(&plane)))
}

/// Makes a plane, or changes it to what the body says. One that is so already is not written.
pub(crate) async fn put(deed: &Deed<'_>, name: &PlaneName) -> Result<Answer, ApiError> {
    let conditions = deed.view.conditions()?;
    let body = PlaneBody::of(deed.body())?;
    for _ in 0..TRIES {
        let existing = lookup::find_plane(deed.view.reads, name).await?;
        conditions.check(existing.as_ref().map(ETag::of_plane).as_ref())?;
        if let Some(answer) = write(deed, name, existing, &body).await? {
            return Ok(answer);
        }
    }
    Err(contended())
}

/// Changes some of a plane that must be there.
pub(crate) async fn patch(deed: &Deed<'_>, name: &PlaneName) -> Result<Answer, ApiError> {
    let conditions = deed.view.conditions()?;
    for _ in 0..TRIES {
        let existing = lookup::plane(deed.view.reads, name).await?;
        conditions.check(Some(&ETag::of_plane(&existing)))?;
        let body = PlaneBody::patched(&existing, deed.body())?;
        if let Some(answer) = write(deed, name, Some(existing), &body).await? {
            return Ok(answer);
        }
    }
    Err(contended())
}

/// Removes a plane that nothing is in; one that is not there is removed already.
pub(crate) async fn delete(deed: &Deed<'_>, name: &PlaneName) -> Result<Answer, ApiError> {
    let conditions = deed.view.conditions()?;
    for _ in 0..TRIES {
        let Some(existing) = lookup::find_plane(deed.view.reads, name).await? else {
            return Ok(Answer::empty(StatusCode::NO_CONTENT));
        };
        conditions.check(Some(&ETag::of_plane(&existing)))?;
        match deed.writes.plane_remove(name, Expect::Version(existing.version)).await {
            Ok(true) => return Ok(Answer::json(StatusCode::OK, json!({}))),
            Ok(false) => return Ok(Answer::empty(StatusCode::NO_CONTENT)),
            // Somebody else wrote: read again, and check the conditions against that.
            Err(PlaneError::Stale) => {}
            Err(error) => return Err(of_plane(&error)),
        }
    }
    Err(contended())
}

/// Writes a plane as the body says; nothing where somebody else wrote meanwhile.
async fn write(
    deed: &Deed<'_>,
    name: &PlaneName,
    existing: Option<Plane>,
    body: &PlaneBody,
) -> Result<Option<Answer>, ApiError> {
    let current = existing.as_ref().map(|_| render::SUCCEEDED);
    check_state(body.provisioning_state.as_deref(), current)?;
    let store = deed.view.reads.store();
    let now = store.now().await.map_err(|error| of_store(&error))?;
    let wanted = Plane {
        name: existing.as_ref().map_or(name, |plane| &plane.name).clone(),
        location: body.location.clone(),
        tags: body.tags.clone(),
        properties: body.properties.clone(),
        created_at: existing.as_ref().map_or(now, |plane| plane.created_at),
        updated_at: now,
        version: existing.as_ref().map_or(Version::default(), |plane| plane.version),
    };
    let (status, expect) = match &existing {
        None => (StatusCode::CREATED, Expect::Absent),
        Some(plane) if is_so(plane, &wanted) => return Ok(Some(shown(StatusCode::OK, plane))),
        Some(plane) => (StatusCode::OK, Expect::Version(plane.version)),
    };
    match deed.writes.plane_put(&wanted, expect).await {
        Ok(plane) => Ok(Some(shown(status, &plane))),
        Err(StaleError::Stale) => Ok(None),
        Err(error) => Err(of_stale(&error)),
    }
}

fn is_so(plane: &Plane, wanted: &Plane) -> bool {
    (&plane.location, &plane.tags, &plane.properties)
        == (&wanted.location, &wanted.tags, &wanted.properties)
}

fn contended() -> ApiError {
    ApiError::new(Code::Conflict, "the plane is being changed by other requests; try again")
}

fn shown(status: StatusCode, plane: &Plane) -> Answer {
    Answer::json(status, render::plane(plane)).with_etag(&ETag::of_plane(plane))
}
