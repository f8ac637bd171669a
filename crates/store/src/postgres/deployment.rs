//! Deployments, one row each.

use hangar_plan::record::{DeploymentName, DeploymentRecord};

use super::database::Database;
use super::row::{Row, Table};
use super::writing::{Writing, given};
use crate::StoreError;
use crate::column::{to_integer, to_json, to_limit};
use crate::rules::{self, DeploymentPosition, DeploymentStep};

const DEPLOYMENT: Table = Table { name: "deployment", key: &["group_key", "name_key"] };

pub(super) const FIND: &str = "SELECT * FROM deployment WHERE group_key = $1 AND name_key = $2";
pub(super) const LIST: &str = "SELECT * FROM deployment
    WHERE group_key = $1 AND name_key > $2 ORDER BY name_key LIMIT $3";
const PUT: &str = "INSERT INTO deployment (group_key, name_key, body, version) VALUES ($1, $2, $3, $4)
    ON CONFLICT (group_key, name_key) DO UPDATE SET body = excluded.body, version = excluded.version";
pub(super) const REMOVE: &str = "DELETE FROM deployment WHERE group_key = $1 AND name_key = $2";
pub(super) const REMOVE_ALL: &str = "DELETE FROM deployment WHERE group_key = $1";

pub(super) async fn find(
    database: &Database<'_>,
    at: &DeploymentPosition,
) -> Result<Option<DeploymentRecord>, StoreError> {
    database.find(&DEPLOYMENT, FIND, &[&at.group, &at.name], decode).await
}

pub(super) async fn list(
    database: &Database<'_>,
    group: &str,
    after: &str,
    limit: usize,
) -> Result<Vec<DeploymentRecord>, StoreError> {
    database.list(&DEPLOYMENT, LIST, &[&group, &after, &to_limit(limit)], decode).await
}

/// What there is where a deployment is to be written, if one is.
pub(super) async fn present(
    database: &Database<'_>,
    wanted: Option<&DeploymentName>,
) -> Result<Option<DeploymentRecord>, StoreError> {
    match wanted {
        Some(name) => find(database, &rules::deployment_position(name)).await,
        None => Ok(None),
    }
}

pub(super) fn put(writing: &mut Writing<'_>, record: &DeploymentRecord) {
    let DeploymentPosition { group, name } = rules::deployment_position(&record.name);
    writing.put(PUT, given![group, name, to_json(record), to_integer(record.version.0)]);
}

/// Writes a deployment with a step of its run.
pub(super) fn step(writing: &mut Writing<'_>, step: DeploymentStep) {
    match step {
        DeploymentStep::Stay => {}
        DeploymentStep::Put(kept) => put(writing, &kept),
        DeploymentStep::Remove(DeploymentPosition { group, name }) => {
            writing.put(REMOVE, given![group, name]);
        }
    }
}

/// Removes those of a group.
pub(super) fn remove_all(writing: &mut Writing<'_>, group: &str) {
    writing.put(REMOVE_ALL, given![group.to_owned()]);
}

fn decode(row: &Row<'_>) -> Result<DeploymentRecord, StoreError> {
    row.json("body")
}
