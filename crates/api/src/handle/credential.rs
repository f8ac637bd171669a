//! Credentials: list, show, keep, remove. What is secret goes in and never comes out.

use hangar_engine::CredentialAsk;
use hangar_plan::record::{CredentialName, CredentialRecord};
use hangar_store::{CredentialError, Expect, StaleError};
use http::StatusCode;
use serde_json::json;

use crate::access::Reads;
use crate::answer::Answer;
use crate::body::{CredentialBody, check_state};
use crate::error::{ApiError, Code};
use crate::etag::ETag;
use crate::failure::{no_plane, of_store};
use crate::head::{Deed, View};
use crate::page;
use crate::render;

/// How often a write is tried again that met another one.
const TRIES: usize = 5;

/// The credentials of a plane; there are few, so they are in one page.
pub(crate) async fn list(view: View<'_>, plane: &str) -> Result<Answer, ApiError> {
    let found = view.reads.store().credential_list(Some(plane)).await;
    let found = found.map_err(|error| of_store(&error))?;
    let values = found.iter().map(render::credential).collect();
    Ok(Answer::json(StatusCode::OK, page::list(values, None)))
}

pub(crate) async fn show(view: View<'_>, name: &CredentialName) -> Result<Answer, ApiError> {
    let credential = existing(view.reads, name).await?;
    view.conditions()?.check_read(&ETag::of_credential(&credential))?;
    Ok(shown(StatusCode::OK, &credential))
}

pub(crate) async fn head(view: View<'_>, name: &CredentialName) -> Result<Answer, ApiError> {
    let credential = existing(view.reads, name).await?;
    Ok(Answer::empty(StatusCode::NO_CONTENT).with_etag(&ETag::of_credential(&credential)))
}

/// Keeps a credential in the place of the one that is there.
pub(crate) async fn put(deed: &Deed<'_>, name: &CredentialName) -> Result<Answer, ApiError> {
    let conditions = deed.view.conditions()?;
    let body = CredentialBody::of(deed.body())?;
    let CredentialBody { location, tags, credential, provisioning_state } = body;
    check_account(name, credential.role_account().as_deref())?;
    for _ in 0..TRIES {
        let before = find(deed.view.reads, name).await?;
        conditions.check(before.as_ref().map(ETag::of_credential).as_ref())?;
        check_state(provisioning_state.as_deref(), before.as_ref().map(|_| render::SUCCEEDED))?;
        let (status, expect) = match &before {
            None => (StatusCode::CREATED, Expect::Absent),
            Some(before) => (StatusCode::OK, Expect::Version(before.version)),
        };
        let ask = CredentialAsk {
            name: name.clone(),
            location: location.clone(),
            tags: tags.clone(),
            credential: credential.clone(),
        };
        match deed.writes.credential_put(ask, expect).await {
            Ok(kept) => return Ok(shown(status, &kept)),
            // Somebody else wrote: read again, and check the conditions against that.
            Err(CredentialError::Stale) => {}
            Err(CredentialError::NoPlane(plane)) => return Err(no_plane(&plane)),
            Err(CredentialError::Store(error)) => return Err(of_store(&error)),
        }
    }
    Err(contended())
}

/// Removes a credential; one that is not there is removed already.
pub(crate) async fn delete(deed: &Deed<'_>, name: &CredentialName) -> Result<Answer, ApiError> {
    let conditions = deed.view.conditions()?;
    for _ in 0..TRIES {
        let Some(before) = find(deed.view.reads, name).await? else {
            return Ok(Answer::empty(StatusCode::NO_CONTENT));
        };
        conditions.check(Some(&ETag::of_credential(&before)))?;
        match deed.writes.credential_remove(name, Expect::Version(before.version)).await {
            Ok(true) => return Ok(Answer::json(StatusCode::OK, json!({}))),
            Ok(false) => return Ok(Answer::empty(StatusCode::NO_CONTENT)),
            Err(StaleError::Stale) => {}
            Err(StaleError::Store(error)) => return Err(of_store(&error)),
        }
    }
    Err(contended())
}

/// A role is of one account: under the name of another it would never be used.
fn check_account(name: &CredentialName, role: Option<&str>) -> Result<(), ApiError> {
    match role {
        Some(account) if name.name != hangar_engine::DEFAULT_CREDENTIAL && name.name != account => {
            let message = format!(
                "the role belongs to account {account}, but the credential is named after account \
                 {}",
                name.name
            );
            Err(ApiError::new(Code::InvalidRequestContent, message)
                .with_target("/properties/roleARN"))
        }
        _ => Ok(()),
    }
}

async fn existing(reads: &Reads, name: &CredentialName) -> Result<CredentialRecord, ApiError> {
    find(reads, name).await?.ok_or_else(|| {
        let message =
            format!("there is no credential `{}` in the plane `{}`", name.name, name.plane);
        ApiError::new(Code::ResourceNotFound, message).with_target(name.id())
    })
}

async fn find(reads: &Reads, name: &CredentialName) -> Result<Option<CredentialRecord>, ApiError> {
    reads.store().credential_find(name).await.map_err(|error| of_store(&error))
}

fn contended() -> ApiError {
    ApiError::new(Code::Conflict, "the credential is being changed by other requests; try again")
}

fn shown(status: StatusCode, credential: &CredentialRecord) -> Answer {
    Answer::json(status, render::credential(credential)).with_etag(&ETag::of_credential(credential))
}
