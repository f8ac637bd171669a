//! References, one row each; `resource_key` lets one resource of the cloud have one reference, and
//! `retiring_resource` has what a reference is going to delete.

use std::collections::BTreeSet;

use hangar_plan::operation::OperationId;
use hangar_plan::record::{AwsScope, DeploymentName, Drift, Reference, ReferenceName, Version};
use serde::{Deserialize, Serialize};
use tokio_postgres::types::ToSql;

use super::database::{Database, Given};
use super::page::Page;
use super::row::{Row, Table};
use super::writing::{Writing, given};
use crate::column::{to_integer, to_json, to_word};
use crate::rules::{self, Present};
use crate::{ReferenceFilter, ReferenceOutline, ReferencePosition, StoreError};

pub(super) const REFERENCE: Table =
    Table { name: "reference", key: &["group_key", "type_key", "alias_key"] };

/// What is said of a reference besides: nothing is looked up by it.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Notes {
    drift: Option<Drift>,
    former_keys: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    managed_by: Option<DeploymentName>,
}

/// What an outline is made of.
const OUTLINE: &str = "group_key, type_key, alias_key, name, scope, entry, depends_on,
    last_operation, version";

pub(super) const FIND: &str =
    "SELECT * FROM reference WHERE group_key = $1 AND type_key = $2 AND alias_key = $3";
// `OFFSET 0` has each looked for by itself: a plan that was made while a table was small would go through
// all of it for each.
pub(super) const FIND_MANY: &str = "SELECT found.*
    FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (group_key, type_key, alias_key),
    LATERAL (SELECT * FROM reference WHERE reference.group_key = wanted.group_key
        AND reference.type_key = wanted.type_key AND reference.alias_key = wanted.alias_key
        OFFSET 0) AS found";
pub(super) const FIND_BY_RESOURCE: &str = "SELECT * FROM reference WHERE resource_key = $1";
pub(super) const FIND_BY_RETIRING: &str = "SELECT found.* FROM retiring_resource AS gone,
    LATERAL (SELECT * FROM reference WHERE reference.group_key = gone.group_key
        AND reference.type_key = gone.type_key AND reference.alias_key = gone.alias_key
        OFFSET 0) AS found
    WHERE gone.resource_key = $1";
pub(super) const MAPPERS: &str = "SELECT group_key, type_key, alias_key, name FROM reference
    WHERE resource_key = ANY($1::text[])
    UNION ALL SELECT found.group_key, found.type_key, found.alias_key, found.name
    FROM retiring_resource AS gone,
    LATERAL (SELECT * FROM reference WHERE reference.group_key = gone.group_key
        AND reference.type_key = gone.type_key AND reference.alias_key = gone.alias_key
        OFFSET 0) AS found
    WHERE gone.resource_key = ANY($1::text[])";
pub(super) const PRESENT: &str = "SELECT reference.group_key, reference.type_key,
        reference.alias_key, reference.version AS version,
        (SELECT operation.id FROM operation
            WHERE operation.id = reference.operation AND operation.ended_at IS NULL) AS locked_by,
        EXISTS (SELECT FROM retiring_resource WHERE retiring_resource.group_key = $1
            AND retiring_resource.type_key = $2 AND retiring_resource.alias_key = $3) AS retires
    FROM reference
    WHERE reference.group_key = $1 AND reference.type_key = $2 AND reference.alias_key = $3";
// The first spelling of the name stays.
const SAVE: &str = "INSERT INTO reference (group_key, type_key, alias_key, state, operation,
        resource_key, name, scope, entry, documents, last_operation, created_at, updated_at, version,
        depends_on, notes)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
    ON CONFLICT (group_key, type_key, alias_key) DO UPDATE SET
        state = excluded.state, operation = excluded.operation,
        resource_key = excluded.resource_key, scope = excluded.scope, entry = excluded.entry,
        documents = excluded.documents, last_operation = excluded.last_operation,
        created_at = excluded.created_at, updated_at = excluded.updated_at,
        version = excluded.version, depends_on = excluded.depends_on, notes = excluded.notes";
pub(super) const DEPENDING: &str =
    "SELECT group_key, type_key, alias_key, depends_on FROM reference
    WHERE group_key = $1 AND depends_on <> '[]' ORDER BY type_key, alias_key";
pub(super) const FIRST_IN: &str = "SELECT group_key, type_key, alias_key, name FROM reference
    WHERE group_key = $1 ORDER BY type_key, alias_key LIMIT 2";
// A resource's key begins with its plane. Few have no resource: those that are just being made, and those
// that were lost. One statement, so that one which just gets its resource is seen here or there.
pub(super) const OF_PLANE: &str = "(SELECT group_key, type_key, alias_key, name, NULL AS scope
        FROM reference WHERE resource_key > $1 AND resource_key < $2
        ORDER BY resource_key LIMIT 1)
    UNION ALL SELECT group_key, type_key, alias_key, name, scope
        FROM reference WHERE resource_key IS NULL";
pub(super) const RETIRING_DROP: &str =
    "DELETE FROM retiring_resource WHERE group_key = $1 AND type_key = $2 AND alias_key = $3";
const RETIRING_ADD: &str =
    "INSERT INTO retiring_resource (resource_key, group_key, type_key, alias_key)
    SELECT resource_key, $2, $3, $4 FROM unnest($1::text[]) AS resource_key";
// What it was going to delete goes with it.
pub(super) const REMOVE: &str =
    "DELETE FROM reference WHERE group_key = $1 AND type_key = $2 AND alias_key = $3";

pub(super) async fn find(
    database: &Database<'_>,
    at: &ReferencePosition,
) -> Result<Option<Reference>, StoreError> {
    database.find(&REFERENCE, FIND, &[&at.group, &at.type_key, &at.alias], decode).await
}

/// Those of many that are there, each as it can be read or not.
pub(super) async fn find_many(
    database: &Database<'_>,
    at: &[ReferencePosition],
) -> Result<Vec<(ReferencePosition, Result<Reference, StoreError>)>, StoreError> {
    let part = |of: fn(&ReferencePosition) -> &String| -> Vec<&str> {
        at.iter().map(|at| of(at).as_str()).collect()
    };
    let (groups, types, aliases) =
        (part(|at| &at.group), part(|at| &at.type_key), part(|at| &at.alias));
    database
        .list(&REFERENCE, FIND_MANY, &[&groups, &types, &aliases], |row| {
            Ok((position(row)?, decode(row)))
        })
        .await
}

pub(super) async fn find_by_resource(
    database: &Database<'_>,
    resource_key: &str,
) -> Result<Option<Reference>, StoreError> {
    match database.find(&REFERENCE, FIND_BY_RESOURCE, &[&resource_key], decode).await? {
        Some(reference) => Ok(Some(reference)),
        None => database.find(&REFERENCE, FIND_BY_RETIRING, &[&resource_key], decode).await,
    }
}

pub(super) async fn list(
    database: &Database<'_>,
    filter: &ReferenceFilter,
    after: Option<ReferencePosition>,
    limit: usize,
) -> Result<Vec<Reference>, StoreError> {
    page(database, Page::of("*", filter, after, limit), decode).await
}

pub(super) async fn outline_list(
    database: &Database<'_>,
    filter: &ReferenceFilter,
    after: Option<ReferencePosition>,
    limit: usize,
) -> Result<Vec<ReferenceOutline>, StoreError> {
    page(database, Page::of(OUTLINE, filter, after, limit), |row| {
        Ok(ReferenceOutline {
            name: row.json("name")?,
            scope: row.json("scope")?,
            entry: row.json("entry")?,
            depends_on: row.json("depends_on")?,
            last_operation: row.json_if_any("last_operation")?,
            version: Version(row.count("version")?),
        })
    })
    .await
}

async fn page<T>(
    database: &Database<'_>,
    page: Option<Page>,
    decode: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let Some(page) = page else { return Ok(Vec::new()) };
    let given: Vec<&(dyn ToSql + Sync)> =
        page.given.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
    database.list(&REFERENCE, &page.sql, &given, decode).await
}

/// The places and ids of the first two references of a group.
pub(super) async fn first_in(
    database: &Database<'_>,
    group_key: &str,
) -> Result<Vec<(ReferencePosition, String)>, StoreError> {
    database.list(&REFERENCE, FIRST_IN, &[&group_key], |row| Ok((position(row)?, id(row)?))).await
}

/// The id of one reference whose resource is, or is to be, in an AWS plane.
pub(super) async fn first_of_plane(
    database: &Database<'_>,
    plane: &str,
) -> Result<Option<String>, StoreError> {
    // `0` comes after `/`.
    let (first, end) = (format!("{plane}/"), format!("{plane}0"));
    let given: Given<'_> = &[&first, &end];
    let held = database.list(&REFERENCE, OF_PLANE, given, |row| {
        // Where a resource tells, the scope need not.
        let scope = row.json_if_any::<AwsScope>("scope")?;
        let is_in = scope.is_none_or(|scope| scope.plane.eq_ignore_ascii_case(plane));
        Ok(if is_in { Some(id(row)?) } else { None })
    });
    Ok(held.await?.into_iter().flatten().next())
}

/// The references of a group that depend on any, and on which.
pub(super) async fn depending(
    database: &Database<'_>,
    group_key: &str,
) -> Result<Vec<(ReferencePosition, Vec<String>)>, StoreError> {
    database
        .list(&REFERENCE, DEPENDING, &[&group_key], |row| {
            Ok((position(row)?, row.json("depends_on")?))
        })
        .await
}

/// What is known of a reference before it is written.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) present: Present,
    /// Whether there is something that it is going to delete.
    pub(super) retires: bool,
}

/// What there is under a key, as one who wants to take or change it must know it.
pub(super) async fn present(
    database: &Database<'_>,
    at: &ReferencePosition,
) -> Result<Option<Found>, StoreError> {
    database.find(&REFERENCE, PRESENT, &[&at.group, &at.type_key, &at.alias], found).await
}

/// Reads what is known of one.
pub(super) fn found(row: &Row<'_>) -> Result<Found, StoreError> {
    let version = Version(row.count("version")?);
    let present = Present { version, locked_by: row.operation_if_any("locked_by")? };
    Ok(Found { present, retires: row.get("retires")? })
}

/// The id of another reference that has one of the resources which the one at this place is to have.
pub(super) async fn mapped_elsewhere(
    database: &Database<'_>,
    own: &ReferencePosition,
    held: &BTreeSet<String>,
) -> Result<Option<String>, StoreError> {
    if held.is_empty() {
        return Ok(None);
    }
    let keys: Vec<&str> = held.iter().map(String::as_str).collect();
    let holders = database
        .list(&REFERENCE, MAPPERS, &[&keys], |row| {
            if position(row)? == *own { Ok(None) } else { id(row).map(Some) }
        })
        .await?;
    Ok(holders.into_iter().flatten().next())
}

/// Writes a reference over version `seen`, which the caller has checked; gives its version. `retires` is
/// whether there may be something that it was going to delete.
pub(super) fn save(
    writing: &mut Writing<'_>,
    reference: &Reference,
    seen: Option<Version>,
    retires: bool,
) -> Version {
    let at = rules::position(&reference.name);
    let version = rules::reference_version(seen, reference);
    let retiring: Vec<String> = rules::retiring_keys(reference).into_iter().collect();
    let notes = Notes {
        drift: reference.drift.clone(),
        former_keys: reference.former_keys.clone(),
        managed_by: reference.managed_by.clone(),
    };
    writing.put(
        SAVE,
        given![
            at.group.clone(),
            at.type_key.clone(),
            at.alias.clone(),
            to_word(&reference.entry.state),
            reference.entry.operation.as_ref().map(OperationId::to_string),
            rules::mapped_key(reference),
            to_json(&reference.name),
            to_json(&reference.scope),
            to_json(&reference.entry),
            to_json(&reference.documents),
            reference.last_operation.as_ref().map(to_json),
            reference.created_at.as_micros(),
            reference.updated_at.as_micros(),
            to_integer(version.0),
            to_json(&reference.depends_on),
            to_json(&notes),
        ],
    );
    if retires {
        let row = given![at.group.clone(), at.type_key.clone(), at.alias.clone()];
        writing.put(RETIRING_DROP, row);
    }
    if !retiring.is_empty() {
        writing.put(RETIRING_ADD, given![retiring, at.group, at.type_key, at.alias]);
    }
    version
}

pub(super) fn remove(writing: &mut Writing<'_>, at: &ReferencePosition) {
    writing.put(REMOVE, given![at.group.clone(), at.type_key.clone(), at.alias.clone()]);
}

fn position(row: &Row<'_>) -> Result<ReferencePosition, StoreError> {
    let (group, type_key, alias) =
        (row.get("group_key")?, row.get("type_key")?, row.get("alias_key")?);
    Ok(ReferencePosition { group, type_key, alias })
}

fn id(row: &Row<'_>) -> Result<String, StoreError> {
    Ok(row.json::<ReferenceName>("name")?.id())
}

fn decode(row: &Row<'_>) -> Result<Reference, StoreError> {
    let Notes { drift, former_keys, managed_by } = row.json("notes")?;
    Ok(Reference {
        depends_on: row.json("depends_on")?,
        drift,
        former_keys,
        managed_by,
        name: row.json("name")?,
        scope: row.json("scope")?,
        entry: row.json("entry")?,
        documents: row.json("documents")?,
        last_operation: row.json_if_any("last_operation")?,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
        version: Version(row.count("version")?),
    })
}
