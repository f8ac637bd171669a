//! Credentials, one row each: what may be shown as JSON, all of it sealed.

use std::collections::BTreeMap;

use hangar_plan::record::{CredentialName, CredentialRecord, Version};
use rusqlite::params;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::database::Database;
use super::desk::Writing;
use super::plane;
use super::row::{Row, Table};
use crate::column::{to_integer, to_json};
use crate::{CredentialError, Expect, StaleError, StoreError, rules};

const CREDENTIAL: Table = Table { name: "credential", key: &["credential_key"] };

/// What is looked up by nothing and may be shown.
#[derive(Serialize, Deserialize)]
struct Body {
    name: CredentialName,
    location: Option<String>,
    tags: BTreeMap<String, String>,
    shown: Value,
}

pub(super) const FIND: &str = "SELECT * FROM credential WHERE credential_key = ?1";
pub(super) const LIST: &str =
    "SELECT * FROM credential WHERE credential_key > '' ORDER BY credential_key";
pub(super) const LIST_OF_PLANE: &str =
    "SELECT * FROM credential WHERE plane_key = ?1 ORDER BY credential_key";
const PUT: &str = "INSERT INTO credential
    (credential_key, plane_key, body, sealed, created_at, updated_at, version)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (credential_key) DO UPDATE SET
        body = excluded.body, sealed = excluded.sealed,
        updated_at = excluded.updated_at, version = excluded.version";
pub(super) const RESEAL: &str = "UPDATE credential SET sealed = ?2 WHERE credential_key = ?1";
pub(super) const REMOVE: &str = "DELETE FROM credential WHERE credential_key = ?1";

pub(super) fn find(
    database: &Database<'_>,
    key: &str,
) -> Result<Option<CredentialRecord>, StoreError> {
    database.find(&CREDENTIAL, FIND, [key], decode)
}

pub(super) fn list(
    database: &Database<'_>,
    plane: Option<&str>,
) -> Result<Vec<CredentialRecord>, StoreError> {
    match plane {
        Some(plane) => database.list(&CREDENTIAL, LIST_OF_PLANE, [plane], decode),
        None => database.list(&CREDENTIAL, LIST, [], decode),
    }
}

pub(super) fn put(
    writing: &Writing<'_>,
    credential: CredentialRecord,
    expect: Expect,
) -> Result<CredentialRecord, CredentialError> {
    let plane = rules::plane_of_credential(&credential.name);
    if !plane::exists(&writing.database, &plane)? {
        return Err(CredentialError::NoPlane(plane));
    }
    let key = credential.name.key();
    let present = find(&writing.database, &key)?;
    rules::may_write(present.as_ref().map(|it| it.version), expect)?;
    let credential = rules::credential_kept(credential, present.as_ref());
    let body = Body {
        name: credential.name.clone(),
        location: credential.location.clone(),
        tags: credential.tags.clone(),
        shown: credential.shown.clone(),
    };
    let row = params![
        key,
        credential.name.plane.to_ascii_lowercase(),
        to_json(&body),
        credential.sealed,
        credential.created_at.as_micros(),
        credential.updated_at.as_micros(),
        to_integer(credential.version.0),
    ];
    writing.database.change(PUT, row)?;
    Ok(credential)
}

pub(super) fn remove(
    writing: &Writing<'_>,
    name: &CredentialName,
    expect: Expect,
) -> Result<bool, StaleError> {
    let key = name.key();
    let present = find(&writing.database, &key)?;
    rules::may_write(present.map(|it| it.version), expect)?;
    Ok(writing.database.change(REMOVE, [key])? > 0)
}

fn decode(row: &Row<'_>) -> Result<CredentialRecord, StoreError> {
    let Body { name, location, tags, shown } = row.json("body")?;
    Ok(CredentialRecord {
        name,
        location,
        tags,
        shown,
        sealed: row.get("sealed")?,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
        version: Version(row.count("version")?),
    })
}
