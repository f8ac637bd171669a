//! Credentials, one row each: what may be shown as JSON, all of it sealed.

use std::collections::BTreeMap;

use hangar_plan::record::{CredentialName, CredentialRecord, Version};
use serde::{Deserialize, Serialize};

use super::database::Database;
use super::lock::{Alone, Locks, TAKE};
use super::plane;
use super::row::{Row, Table};
use super::writing::{InDoubt, Job, Writing, given};
use crate::column::{to_integer, to_json};
use crate::{CredentialError, Expect, StaleError, StoreError, rules};

const CREDENTIAL: Table = Table { name: "credential", key: &["credential_key"] };

/// What is looked up by nothing and may be shown.
#[derive(Serialize, Deserialize)]
struct Body {
    name: CredentialName,
    location: Option<String>,
    tags: BTreeMap<String, String>,
    shown: serde_json::Value,
}

pub(super) const FIND: &str = "SELECT * FROM credential WHERE credential_key = $1";
pub(super) const LIST: &str =
    "SELECT * FROM credential WHERE credential_key > '' ORDER BY credential_key";
pub(super) const LIST_OF_PLANE: &str =
    "SELECT * FROM credential WHERE plane_key = $1 ORDER BY credential_key";
const PUT: &str = "INSERT INTO credential
    (credential_key, plane_key, body, sealed, created_at, updated_at, version)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (credential_key) DO UPDATE SET
        body = excluded.body, sealed = excluded.sealed,
        updated_at = excluded.updated_at, version = excluded.version";
pub(super) const RESEAL: &str = "UPDATE credential SET sealed = $2 WHERE credential_key = $1";
pub(super) const REMOVE: &str = "DELETE FROM credential WHERE credential_key = $1";

pub(super) async fn find(
    database: &Database<'_>,
    key: &str,
) -> Result<Option<CredentialRecord>, StoreError> {
    database.find(&CREDENTIAL, FIND, &[&key], decode).await
}

pub(super) async fn list(
    database: &Database<'_>,
    plane: Option<&str>,
) -> Result<Vec<CredentialRecord>, StoreError> {
    match plane {
        Some(plane) => database.list(&CREDENTIAL, LIST_OF_PLANE, &[&plane], decode).await,
        None => database.list(&CREDENTIAL, LIST, &[], decode).await,
    }
}

/// Makes or changes one.
pub(super) struct Put<'c> {
    pub(super) credential: &'c CredentialRecord,
    pub(super) expect: Expect,
}

impl Job for Put<'_> {
    type Output = CredentialRecord;
    type Error = CredentialError;
    const STATEMENTS: &'static [&'static str] = &[TAKE, plane::EXISTS, FIND];
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<CredentialRecord, CredentialError> {
        let name = &self.credential.name;
        let (plane, key) = (rules::plane_of_credential(name), name.key());
        // A rotation of the key must see it, sealed with the old key or with the new one.
        let locks = Locks::default().key(Alone::No).plane(&plane, Alone::No).credential(name);
        let database = &writing.database;
        let (begun, has_plane, present) = tokio::join!(
            biased;
            writing.begin(&locks),
            plane::exists(database, &plane),
            find(database, &key),
        );
        begun?;
        if !has_plane? {
            return Err(CredentialError::NoPlane(plane));
        }
        let present = present?;
        rules::may_write(present.as_ref().map(|it| it.version), self.expect)?;
        let credential = rules::credential_kept(self.credential.clone(), present.as_ref());
        let body = Body {
            name: credential.name.clone(),
            location: credential.location.clone(),
            tags: credential.tags.clone(),
            shown: credential.shown.clone(),
        };
        writing.put(
            PUT,
            given![
                key,
                credential.name.plane.to_ascii_lowercase(),
                to_json(&body),
                credential.sealed.clone(),
                credential.created_at.as_micros(),
                credential.updated_at.as_micros(),
                to_integer(credential.version.0),
            ],
        );
        Ok(credential)
    }
}

/// Removes one; tells whether there was one.
pub(super) struct Remove<'c> {
    pub(super) name: &'c CredentialName,
    pub(super) expect: Expect,
}

impl Job for Remove<'_> {
    type Output = bool;
    type Error = StaleError;
    const STATEMENTS: &'static [&'static str] = &[TAKE, FIND];
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<bool, StaleError> {
        let key = self.name.key();
        let locks = Locks::default().key(Alone::No).credential(self.name);
        let (begun, present) =
            tokio::join!(biased; writing.begin(&locks), find(&writing.database, &key));
        begun?;
        let present = present?;
        rules::may_write(present.as_ref().map(|it| it.version), self.expect)?;
        writing.put(REMOVE, given![key]);
        Ok(present.is_some())
    }
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
