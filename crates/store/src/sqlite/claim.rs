//! Leasing what is due: one worker gets an operation, with all that is needed to go on.

use std::time::Duration;

use hangar_plan::operation::OperationId;
use rusqlite::params;

use super::row::{Row, Table, to_limit};
use super::writer::Writing;
use super::{operation, reference};
use crate::{Claim, StoreError, WorkerId, rules};

const ENVELOPE: Table = Table { name: "envelope", key: &["operation"] };

pub(super) const DUE: &str = "SELECT id FROM operation
    WHERE due_at <= ?1 AND (lease_until IS NULL OR lease_until <= ?1)
    ORDER BY due_at, id LIMIT ?2";
const LEASE: &str = "UPDATE operation
    SET epoch = epoch + 1, lease_until = ?2, lease_worker = ?3 WHERE id = ?1";
pub(super) const ENVELOPE_FIND: &str = "SELECT * FROM envelope WHERE operation = ?1";

pub(super) fn claim(
    writing: &Writing<'_>,
    worker: &WorkerId,
    lease_for: Duration,
    limit: usize,
) -> Result<Vec<Claim>, StoreError> {
    let due = params![writing.now.as_micros(), to_limit(limit)];
    let id = |row: &Row<'_>| row.operation("id");
    let due = writing.database.list(&operation::OPERATION, DUE, due, id)?;
    let until = writing.now.after(lease_for).as_micros();
    let mut claims = Vec::with_capacity(due.len());
    for id in due {
        writing.database.change(LEASE, params![id.to_string(), until, worker.0])?;
        claims.push(leased(writing, id)?);
    }
    Ok(claims)
}

fn leased(writing: &Writing<'_>, id: OperationId) -> Result<Claim, StoreError> {
    let database = &writing.database;
    let record = operation::find(database, id)?
        .ok_or_else(|| StoreError::Damaged(format!("operation `{id}` is in an index only")))?;
    let reference = match &record.subject.reference {
        Some(name) => reference::find(database, &rules::position(name))?,
        None => None,
    };
    let envelope =
        database.find(&ENVELOPE, ENVELOPE_FIND, [id.to_string()], |row| row.get("sealed"))?;
    Ok(Claim { record, reference, envelope })
}
