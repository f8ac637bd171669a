//! Groups, one row each.

use hangar_plan::operation::OperationId;
use hangar_plan::record::{Group, GroupName, GroupState, OperationRecord, Version};
use rusqlite::params;

use super::database::Database;
use super::desk::Writing;
use super::row::{Row, Table};
use super::{deployment, operation, plane, recipe, reference};
use crate::column::{to_integer, to_json, to_limit, to_word};
use crate::rules::{self, PresentGroup};
use crate::{
    CommitError, Expect, GroupChange, GroupError, GroupHold, Reservation, ReserveError, StoreError,
};

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
pub(super) const REMOVE: &str = "DELETE FROM resource_group WHERE group_key = ?1";

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
    group: Group,
    expect: Expect,
) -> Result<Group, GroupError> {
    let plane = rules::plane_of_group(&group.name);
    if !plane::exists(&writing.database, &plane)? {
        return Err(GroupError::NoPlane(plane));
    }
    let present = find(&writing.database, &group.name.key())?;
    rules::may_put(present.as_ref(), expect)?;
    let group = rules::group_kept(group, present.as_ref());
    write(writing, &group)?;
    Ok(group)
}

/// Whether a group lets a new operation do what it is to do.
pub(super) fn check(writing: &Writing<'_>, reservation: &Reservation) -> Result<(), ReserveError> {
    let found = |name: &GroupName| present(&writing.database, &name.key());
    match &reservation.group {
        None => Ok(()),
        Some(GroupHold::Open(name)) => rules::may_enter(found(name)?),
        Some(GroupHold::Within(name)) => {
            rules::may_enter_within(found(name)?, reservation.record.parent)
        }
        Some(GroupHold::Close(name, seen)) => rules::may_close(found(name)?, *seen),
    }
}

/// What there is under a key, as one who wants to write in it or to close it must know it.
pub(super) fn present(
    database: &Database<'_>,
    key: &str,
) -> Result<Option<PresentGroup>, StoreError> {
    let found = database.find(&GROUP, FIND, [key], |row| {
        let version = Version(row.count("version")?);
        // Nearly every one is ready: its body is not needed.
        if row.get::<String>("state")? == to_word(&GroupState::Ready) {
            return Ok((version, GroupState::Ready, None));
        }
        Ok((version, GroupState::Deleting, decode(row)?.operation))
    })?;
    let Some((version, state, operation)) = found else { return Ok(None) };
    let runs = match operation {
        Some(id) => operation::is_running(database, id)?,
        None => false,
    };
    Ok(Some(PresentGroup { version, state, operation, runs }))
}

/// Closes a group, if an operation is to, which the caller has checked.
pub(super) fn close(
    writing: &Writing<'_>,
    hold: Option<&GroupHold>,
    by: OperationId,
) -> Result<(), StoreError> {
    let Some(GroupHold::Close(name, _)) = hold else { return Ok(()) };
    match find(&writing.database, &name.key())? {
        Some(group) => write(writing, &rules::closed(group, by)),
        None => Ok(()),
    }
}

/// Does with the group that an operation closed what is to become of it. One that it did not close is left.
pub(super) fn change(
    writing: &Writing<'_>,
    record: &OperationRecord,
    change: GroupChange,
) -> Result<(), CommitError> {
    let Some(name) = record.group().filter(|_| change != GroupChange::Keep) else { return Ok(()) };
    let key = name.key();
    let group = find(&writing.database, &key)?;
    let Some(group) = group.filter(|it| rules::is_closed_by(it, record.id())) else {
        return Ok(());
    };
    if change == GroupChange::Reopen {
        return Ok(write(writing, &rules::reopened(group))?);
    }
    if let Some(id) = reference::first_in(&writing.database, &key)? {
        return Err(CommitError::NotEmpty(id));
    }
    if let Some(id) = recipe::first_in(&writing.database, &key)? {
        return Err(CommitError::NotEmpty(id));
    }
    deployment::remove_all(writing, &key)?;
    Ok(writing.database.change(REMOVE, [key]).map(drop)?)
}

fn write(writing: &Writing<'_>, group: &Group) -> Result<(), StoreError> {
    let row = params![
        group.name.plane.to_ascii_lowercase(),
        group.name.key(),
        to_word(&group.state),
        to_json(group),
        group.created_at.as_micros(),
        group.updated_at.as_micros(),
        to_integer(group.version.0),
    ];
    writing.database.change(PUT, row).map(drop)
}

fn decode(row: &Row<'_>) -> Result<Group, StoreError> {
    row.json("body")
}
