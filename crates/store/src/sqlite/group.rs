//! Groups, one row each.

use hangar_plan::record::{Group, GroupState};
use rusqlite::params;

use super::database::Database;
use super::row::{Row, Table, to_integer, to_json, to_limit, to_word};
use super::writer::Writing;
use crate::{Expect, GroupError, ReserveError, StoreError, rules};

const GROUP: Table = Table { name: "resource_group", key: &["group_key"] };

pub(super) const FIND: &str = "SELECT * FROM resource_group WHERE group_key = ?1";
pub(super) const LIST: &str = "SELECT * FROM resource_group
    WHERE plane_key = ?1 AND group_key > ?2 ORDER BY group_key LIMIT ?3";
const PUT: &str = "INSERT INTO resource_group
    (plane_key, group_key, state, body, created_at, updated_at, version)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (group_key) DO UPDATE SET
        state = excluded.state, body = excluded.body,
        updated_at = excluded.updated_at, version = excluded.version";

pub(super) fn find(database: &Database<'_>, key: &str) -> Result<Option<Group>, StoreError> {
    database.find(&GROUP, FIND, [key], decode)
}

pub(super) fn list(
    database: &Database<'_>,
    plane: &str,
    after: &str,
    limit: usize,
) -> Result<Vec<Group>, StoreError> {
    database.list(&GROUP, LIST, params![plane, after, to_limit(limit)], decode)
}

pub(super) fn put(
    writing: &Writing<'_>,
    mut group: Group,
    expect: Expect,
) -> Result<Group, GroupError> {
    let key = group.name.key();
    let present = find(&writing.database, &key)?;
    let found = present.as_ref().map(|present| (present.version, present.state));
    rules::may_put(found, group.state, expect)?;
    group.version = rules::version_after(found.map(|(version, _)| version));
    if let Some(present) = present {
        group.name = present.name;
        group.created_at = present.created_at;
    }
    let row = params![
        group.name.plane.to_ascii_lowercase(),
        key,
        to_word(&group.state),
        to_json(&group),
        group.created_at.as_micros(),
        group.updated_at.as_micros(),
        to_integer(group.version.0),
    ];
    writing.database.change(PUT, row)?;
    Ok(group)
}

/// Whether the group takes a new operation.
pub(super) fn check_takes_writes(database: &Database<'_>, key: &str) -> Result<(), ReserveError> {
    let state = database.find(&GROUP, FIND, [key], |row| {
        let word: String = row.get("state")?;
        let ready = word == to_word(&GroupState::Ready);
        Ok(if ready { GroupState::Ready } else { GroupState::Deleting })
    })?;
    rules::takes_writes(state)
}

fn decode(row: &Row<'_>) -> Result<Group, StoreError> {
    row.json("body")
}
