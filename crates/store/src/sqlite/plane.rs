//! Planes, one row each.

use hangar_plan::record::{Plane, PlaneKind, PlaneName};
use rusqlite::params;

use super::database::Database;
use super::desk::Writing;
use super::row::{Row, Table};
use super::{credential, group, operation, reference};
use crate::column::{to_integer, to_json};
use crate::{Expect, PlaneError, StaleError, StoreError, rules};

const PLANE: Table = Table { name: "plane", key: &["plane_key"] };

/// Sorts after every key.
const AFTER_ALL: &str = "\u{10FFFF}";

pub(super) const FIND: &str = "SELECT * FROM plane WHERE plane_key = ?1";
pub(super) const EXISTS: &str = "SELECT plane_key FROM plane WHERE plane_key = ?1";
pub(super) const LIST: &str =
    "SELECT * FROM plane WHERE plane_key > ?1 AND plane_key < ?2 ORDER BY plane_key";
const PUT: &str = "INSERT INTO plane (plane_key, body, version) VALUES (?1, ?2, ?3)
    ON CONFLICT (plane_key) DO UPDATE SET body = excluded.body, version = excluded.version";
pub(super) const REMOVE: &str = "DELETE FROM plane WHERE plane_key = ?1";

pub(super) fn find(database: &Database<'_>, key: &str) -> Result<Option<Plane>, StoreError> {
    database.find(&PLANE, FIND, [key], decode)
}

pub(super) fn exists(database: &Database<'_>, name: &PlaneName) -> Result<bool, StoreError> {
    Ok(database.find(&PLANE, EXISTS, [name.key()], |_| Ok(()))?.is_some())
}

pub(super) fn list(
    database: &Database<'_>,
    kind: Option<PlaneKind>,
) -> Result<Vec<Plane>, StoreError> {
    let (first, end) = match kind {
        // `0` comes after `/`.
        Some(kind) => (format!("{}/", kind.as_str()), format!("{}0", kind.as_str())),
        None => (String::new(), AFTER_ALL.to_owned()),
    };
    database.list(&PLANE, LIST, [first, end], decode)
}

pub(super) fn put(
    writing: &Writing<'_>,
    plane: Plane,
    expect: Expect,
) -> Result<Plane, StaleError> {
    let key = plane.name.key();
    let present = find(&writing.database, &key)?;
    rules::may_write(present.as_ref().map(|it| it.version), expect)?;
    let plane = rules::plane_kept(plane, present.as_ref());
    let row = params![key, to_json(&plane), to_integer(plane.version.0)];
    writing.database.change(PUT, row)?;
    Ok(plane)
}

pub(super) fn remove(
    writing: &Writing<'_>,
    name: &PlaneName,
    expect: Expect,
) -> Result<bool, PlaneError> {
    let key = name.key();
    let present = find(&writing.database, &key)?;
    let (mut held, mut running) = (None, None);
    if present.is_some() {
        held = held_in(&writing.database, name)?;
        running = operation::first_of_plane(&writing.database, name)?;
    }
    rules::may_remove_plane(present.map(|it| it.version), expect, held, running)?;
    Ok(writing.database.change(REMOVE, [key])? > 0)
}

/// The id of one thing that is in a plane.
fn held_in(database: &Database<'_>, name: &PlaneName) -> Result<Option<String>, StoreError> {
    let plane = name.name.to_ascii_lowercase();
    match name.kind {
        PlaneKind::Radius => Ok(group::list(database, &plane, "", 1)?.pop().map(|it| it.name.id())),
        PlaneKind::Aws => match reference::first_of_plane(database, &plane)? {
            Some(id) => Ok(Some(id)),
            None => Ok(credential::list(database, Some(&plane))?.pop().map(|it| it.name.id())),
        },
    }
}

fn decode(row: &Row<'_>) -> Result<Plane, StoreError> {
    row.json("body")
}
