//! Deployments, one row each.

use hangar_plan::operation::OperationId;
use hangar_plan::record::DeploymentRecord;
use rusqlite::params;

use super::database::Database;
use super::desk::Writing;
use super::row::{Row, Table};
use crate::column::{to_integer, to_json, to_limit};
use crate::rules::{self, DeploymentPosition, DeploymentStep};
use crate::{DeploymentChange, DeploymentWrite, ReserveError, StoreError};

const DEPLOYMENT: Table = Table { name: "deployment", key: &["group_key", "name_key"] };

pub(super) const FIND: &str = "SELECT * FROM deployment WHERE group_key = ?1 AND name_key = ?2";
pub(super) const LIST: &str = "SELECT * FROM deployment
    WHERE group_key = ?1 AND name_key > ?2 ORDER BY name_key LIMIT ?3";
const PUT: &str = "INSERT INTO deployment (group_key, name_key, body, version) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (group_key, name_key) DO UPDATE SET body = excluded.body, version = excluded.version";
pub(super) const REMOVE: &str = "DELETE FROM deployment WHERE group_key = ?1 AND name_key = ?2";
pub(super) const REMOVE_ALL: &str = "DELETE FROM deployment WHERE group_key = ?1";

pub(super) fn find(
    database: &Database<'_>,
    at: &DeploymentPosition,
) -> Result<Option<DeploymentRecord>, StoreError> {
    database.find(&DEPLOYMENT, FIND, [&at.group, &at.name], decode)
}

pub(super) fn list(
    database: &Database<'_>,
    group: &str,
    after: &str,
    limit: usize,
) -> Result<Vec<DeploymentRecord>, StoreError> {
    database.list(&DEPLOYMENT, LIST, params![group, after, to_limit(limit)], decode)
}

/// A deployment as it is kept when a run of it begins, if it is as it was seen.
pub(super) fn begun(
    writing: &Writing<'_>,
    write: Option<&DeploymentWrite>,
) -> Result<Option<DeploymentRecord>, ReserveError> {
    let Some(write) = write else { return Ok(None) };
    let present = find(&writing.database, &rules::deployment_position(&write.record.name))?;
    rules::may_deploy(write.seen, present.as_ref().map(|it| it.version))?;
    Ok(Some(rules::deployment_begun(write, present.as_ref())))
}

/// Writes a deployment with a step of its run.
pub(super) fn step(
    writing: &Writing<'_>,
    change: &DeploymentChange,
    by: OperationId,
) -> Result<(), StoreError> {
    let Some(name) = rules::deployment_of(change) else { return Ok(()) };
    let present = find(&writing.database, &rules::deployment_position(name))?;
    match rules::deployment_stepped(change, present.as_ref(), by) {
        DeploymentStep::Stay => Ok(()),
        DeploymentStep::Put(kept) => put(writing, &kept),
        DeploymentStep::Remove(at) => {
            writing.database.change(REMOVE, [&at.group, &at.name]).map(drop)
        }
    }
}

/// Removes those of a group.
pub(super) fn remove_all(writing: &Writing<'_>, group: &str) -> Result<(), StoreError> {
    writing.database.change(REMOVE_ALL, [group]).map(drop)
}

pub(super) fn put(writing: &Writing<'_>, record: &DeploymentRecord) -> Result<(), StoreError> {
    let at = rules::deployment_position(&record.name);
    let row = params![at.group, at.name, to_json(record), to_integer(record.version.0)];
    writing.database.change(PUT, row).map(drop)
}

fn decode(row: &Row<'_>) -> Result<DeploymentRecord, StoreError> {
    row.json("body")
}
