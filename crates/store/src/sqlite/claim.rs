//! Leasing what is due: one worker gets an operation, with all that is needed to go on.

use std::time::Duration;

use hangar_plan::operation::OperationId;
use rusqlite::params;

use super::desk::Writing;
use super::row::{Row, Table};
use super::{operation, reference};
use crate::column::to_limit;
use crate::{Claim, StoreError, WorkerId, rules};

const ENVELOPE: Table = Table { name: "envelope", key: &["operation"] };

/// When one that cannot be read is tried again: somebody may have mended it.
const DAMAGED_WAITS_FOR: Duration = Duration::from_hours(1);

pub(super) const DUE: &str = "SELECT id FROM operation
    WHERE due_at <= ?1 AND (lease_until IS NULL OR lease_until <= ?1)
    ORDER BY due_at, id LIMIT ?2";
// Whoever claims it looks at its parts after this: what ended before is no news.
const LEASE: &str = "UPDATE operation
    SET epoch = epoch + 1, lease_until = ?2, lease_worker = ?3, woken = 0 WHERE id = ?1";
const PUT_OFF: &str = "UPDATE operation
    SET due_at = ?2, lease_until = NULL, lease_worker = NULL WHERE id = ?1";
pub(super) const ENVELOPE_FIND: &str = "SELECT * FROM envelope WHERE operation = ?1";

/// Leases what is due. An operation that cannot be read is told and put off, so that it stops no other.
pub(super) fn claim(
    writing: &Writing<'_>,
    worker: &WorkerId,
    lease_for: Duration,
    limit: usize,
) -> Result<Vec<Claim>, StoreError> {
    let until = writing.now.after(lease_for).as_micros();
    let mut claims = Vec::new();
    loop {
        let mut damaged = 0;
        for id in due(writing, limit - claims.len())? {
            writing.database.change(LEASE, params![id, until, worker.0])?;
            match leased(writing, &id) {
                Ok(claim) => claims.push(claim),
                Err(StoreError::Damaged(why)) => {
                    put_off(writing, &id, &why)?;
                    damaged += 1;
                }
                Err(error) => return Err(error),
            }
        }
        // Whose place a damaged one took is due as well.
        if damaged == 0 {
            return Ok(claims);
        }
    }
}

/// The ids as they are stored: one that is none must not hide the others.
fn due(writing: &Writing<'_>, limit: usize) -> Result<Vec<String>, StoreError> {
    let due = params![writing.now.as_micros(), to_limit(limit)];
    writing.database.list(&operation::OPERATION, DUE, due, |row: &Row<'_>| row.get("id"))
}

fn put_off(writing: &Writing<'_>, id: &str, why: &str) -> Result<(), StoreError> {
    tracing::error!(operation.id = id, error = why, "an operation cannot be read and is postponed");
    let later = writing.now.after(DAMAGED_WAITS_FOR).as_micros();
    match writing.database.change(PUT_OFF, params![id, later])? {
        // It would be due for ever.
        0 => Err(StoreError::Damaged(format!("operation `{id}` is only in an index"))),
        _ => Ok(()),
    }
}

fn leased(writing: &Writing<'_>, id: &str) -> Result<Claim, StoreError> {
    let id = OperationId::parse(id).ok_or_else(|| {
        StoreError::Damaged(format!("operation `{id}`, column id: not an operation's id"))
    })?;
    let database = &writing.database;
    let record = operation::find(database, id)?
        .ok_or_else(|| StoreError::Damaged(format!("operation `{id}` is only in an index")))?;
    let reference = match record.reference() {
        Some(name) => reference::find(database, &rules::position(name))?,
        None => None,
    };
    let envelope =
        database.find(&ENVELOPE, ENVELOPE_FIND, [id.to_string()], |row| row.get("sealed"))?;
    Ok(Claim { record, reference, envelope })
}
