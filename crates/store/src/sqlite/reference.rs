//! References, one row each; `resource_key` lets one resource of the cloud have one reference, and
//! `retiring_resource` has what a reference is going to delete.

use hangar_plan::operation::OperationId;
use hangar_plan::record::{AwsScope, DeploymentName, Drift, Reference, ReferenceName, Version};
use rusqlite::{params, params_from_iter};
use serde::{Deserialize, Serialize};

use super::database::Database;
use super::desk::Writing;
use super::page::Page;
use super::row::{Row, Table};
use crate::column::{to_integer, to_json, to_word};
use crate::rules::{self, Present};
use crate::{ReferenceFilter, ReferenceOutline, ReferencePosition, StoreError};

const REFERENCE: Table = Table { name: "reference", key: &["group_key", "type_key", "alias_key"] };

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
    "SELECT * FROM reference WHERE group_key = ?1 AND type_key = ?2 AND alias_key = ?3";
pub(super) const FIND_BY_RESOURCE: &str = "SELECT * FROM reference WHERE resource_key = ?1";
pub(super) const FIND_BY_RETIRING: &str = "SELECT reference.* FROM retiring_resource
    JOIN reference USING (group_key, type_key, alias_key) WHERE retiring_resource.resource_key = ?1";
pub(super) const MAPPER: &str =
    "SELECT group_key, type_key, alias_key, name FROM reference WHERE resource_key = ?1";
pub(super) const RETIRER: &str = "SELECT group_key, type_key, alias_key, name
    FROM retiring_resource JOIN reference USING (group_key, type_key, alias_key)
    WHERE retiring_resource.resource_key = ?1";
pub(super) const PRESENT: &str = "SELECT reference.group_key, reference.type_key,
        reference.alias_key, reference.version AS version, operation.id AS locked_by
    FROM reference
    LEFT JOIN operation ON operation.id = reference.operation AND operation.ended_at IS NULL
    WHERE reference.group_key = ?1 AND reference.type_key = ?2 AND reference.alias_key = ?3";
// The first spelling of the name stays.
const SAVE: &str = "INSERT INTO reference (group_key, type_key, alias_key, state, operation,
        resource_key, name, scope, entry, documents, last_operation, created_at, updated_at, version,
        depends_on, notes)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
    ON CONFLICT (group_key, type_key, alias_key) DO UPDATE SET
        state = excluded.state, operation = excluded.operation,
        resource_key = excluded.resource_key, scope = excluded.scope, entry = excluded.entry,
        documents = excluded.documents, last_operation = excluded.last_operation,
        created_at = excluded.created_at, updated_at = excluded.updated_at,
        version = excluded.version, depends_on = excluded.depends_on, notes = excluded.notes";
pub(super) const DEPENDING: &str =
    "SELECT group_key, type_key, alias_key, depends_on FROM reference
    WHERE group_key = ?1 AND depends_on <> '[]' ORDER BY type_key, alias_key";
pub(super) const FIRST_IN: &str = "SELECT group_key, type_key, alias_key, name FROM reference
    WHERE group_key = ?1 ORDER BY type_key, alias_key LIMIT 1";
// A resource's key begins with its plane.
pub(super) const FIRST_MAPPED: &str = "SELECT group_key, type_key, alias_key, name FROM reference
    WHERE resource_key > ?1 AND resource_key < ?2 ORDER BY resource_key LIMIT 1";
// Few have no resource: those that are just being made, and those that were lost.
pub(super) const UNMAPPED: &str =
    "SELECT group_key, type_key, alias_key, name, scope FROM reference
    WHERE resource_key IS NULL";
pub(super) const RETIRING_DROP: &str =
    "DELETE FROM retiring_resource WHERE group_key = ?1 AND type_key = ?2 AND alias_key = ?3";
const RETIRING_ADD: &str =
    "INSERT INTO retiring_resource (resource_key, group_key, type_key, alias_key)
    VALUES (?1, ?2, ?3, ?4)";
// What it was going to delete goes with it.
const REMOVE: &str =
    "DELETE FROM reference WHERE group_key = ?1 AND type_key = ?2 AND alias_key = ?3";

pub(super) fn find(
    database: &Database<'_>,
    at: &ReferencePosition,
) -> Result<Option<Reference>, StoreError> {
    database.find(&REFERENCE, FIND, [&at.group, &at.type_key, &at.alias], decode)
}

pub(super) fn find_by_resource(
    database: &Database<'_>,
    resource_key: &str,
) -> Result<Option<Reference>, StoreError> {
    match database.find(&REFERENCE, FIND_BY_RESOURCE, [resource_key], decode)? {
        Some(reference) => Ok(Some(reference)),
        None => database.find(&REFERENCE, FIND_BY_RETIRING, [resource_key], decode),
    }
}

pub(super) fn list(
    database: &Database<'_>,
    filter: &ReferenceFilter,
    after: Option<ReferencePosition>,
    limit: usize,
) -> Result<Vec<Reference>, StoreError> {
    let Some(page) = Page::of("*", filter, after, limit) else { return Ok(Vec::new()) };
    database.list(&REFERENCE, &page.sql, params_from_iter(page.values), decode)
}

pub(super) fn outline_list(
    database: &Database<'_>,
    filter: &ReferenceFilter,
    after: Option<ReferencePosition>,
    limit: usize,
) -> Result<Vec<ReferenceOutline>, StoreError> {
    let Some(page) = Page::of(OUTLINE, filter, after, limit) else { return Ok(Vec::new()) };
    database.list(&REFERENCE, &page.sql, params_from_iter(page.values), |row| {
        Ok(ReferenceOutline {
            name: row.json("name")?,
            scope: row.json("scope")?,
            entry: row.json("entry")?,
            depends_on: row.json("depends_on")?,
            last_operation: row.json_if_any("last_operation")?,
            version: Version(row.count("version")?),
        })
    })
}

/// The id of one reference of a group, if there is any.
pub(super) fn first_in(
    database: &Database<'_>,
    group_key: &str,
) -> Result<Option<String>, StoreError> {
    database
        .find(&REFERENCE, FIRST_IN, [group_key], |row| Ok(row.json::<ReferenceName>("name")?.id()))
}

/// The id of one reference whose resource is, or is to be, in an AWS plane.
pub(super) fn first_of_plane(
    database: &Database<'_>,
    plane: &str,
) -> Result<Option<String>, StoreError> {
    // `0` comes after `/`.
    let keys = [format!("{plane}/"), format!("{plane}0")];
    let mapped = database
        .find(&REFERENCE, FIRST_MAPPED, keys, |row| Ok(row.json::<ReferenceName>("name")?.id()))?;
    if mapped.is_some() {
        return Ok(mapped);
    }
    let unmapped = database.list(&REFERENCE, UNMAPPED, [], |row| {
        let is_in = row.json::<AwsScope>("scope")?.plane.eq_ignore_ascii_case(plane);
        Ok(if is_in { Some(row.json::<ReferenceName>("name")?.id()) } else { None })
    })?;
    Ok(unmapped.into_iter().flatten().next())
}

/// The references of a group that depend on any, and on which.
pub(super) fn depending(
    database: &Database<'_>,
    group_key: &str,
) -> Result<Vec<(ReferencePosition, Vec<String>)>, StoreError> {
    database.list(&REFERENCE, DEPENDING, [group_key], |row| {
        let (group, type_key, alias) =
            (row.get("group_key")?, row.get("type_key")?, row.get("alias_key")?);
        Ok((ReferencePosition { group, type_key, alias }, row.json("depends_on")?))
    })
}

/// What there is under a key, as one who wants to take or change it must know it.
pub(super) fn present(
    database: &Database<'_>,
    at: &ReferencePosition,
) -> Result<Option<Present>, StoreError> {
    database.find(&REFERENCE, PRESENT, [&at.group, &at.type_key, &at.alias], |row| {
        let locked = row.get::<Option<String>>("locked_by")?.is_some();
        Ok(Present {
            version: Version(row.count("version")?),
            locked_by: if locked { Some(row.operation("locked_by")?) } else { None },
        })
    })
}

/// The id of another reference that has one of the resources which this one has.
pub(super) fn mapped_elsewhere(
    database: &Database<'_>,
    reference: &Reference,
) -> Result<Option<String>, StoreError> {
    let own = rules::position(&reference.name);
    for resource_key in rules::held_keys(reference) {
        for sql in [MAPPER, RETIRER] {
            let name = |row: &Row<'_>| row.json::<ReferenceName>("name");
            let holder = database.find(&REFERENCE, sql, [&resource_key], name)?;
            if let Some(other) = holder.filter(|it| rules::position(it) != own) {
                return Ok(Some(other.id()));
            }
        }
    }
    Ok(None)
}

/// Writes a reference over version `seen`, which the caller has checked; gives its version.
pub(super) fn save(
    writing: &Writing<'_>,
    reference: &Reference,
    seen: Option<Version>,
) -> Result<Version, StoreError> {
    let at = rules::position(&reference.name);
    let version = rules::reference_version(seen, reference);
    let row = params![
        at.group,
        at.type_key,
        at.alias,
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
        to_json(&Notes {
            drift: reference.drift.clone(),
            former_keys: reference.former_keys.clone(),
            managed_by: reference.managed_by.clone(),
        }),
    ];
    writing.database.change(SAVE, row)?;
    writing.database.change(RETIRING_DROP, [&at.group, &at.type_key, &at.alias])?;
    for resource_key in rules::retiring_keys(reference) {
        let row = [&resource_key, &at.group, &at.type_key, &at.alias];
        writing.database.change(RETIRING_ADD, row)?;
    }
    Ok(version)
}

pub(super) fn remove(writing: &Writing<'_>, at: &ReferencePosition) -> Result<(), StoreError> {
    writing.database.change(REMOVE, [&at.group, &at.type_key, &at.alias]).map(drop)
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
