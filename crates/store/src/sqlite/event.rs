//! What happened to an operation, one row a line.

use hangar_plan::operation::OperationId;
use hangar_plan::record::EventRecord;
use rusqlite::params;

use super::database::Database;
use super::row::{Table, to_integer, to_limit};
use super::writer::Writing;
use crate::StoreError;

const EVENT: Table = Table { name: "event", key: &["operation", "sequence"] };

pub(super) const LIST: &str = "SELECT * FROM event
    WHERE operation = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3";
pub(super) const ADD: &str = "INSERT INTO event (operation, sequence, at, message)
    SELECT ?1, coalesce(max(sequence), 0) + 1, ?2, ?3 FROM event WHERE operation = ?1";

pub(super) fn list(
    database: &Database<'_>,
    operation: OperationId,
    after: u64,
    limit: usize,
) -> Result<Vec<EventRecord>, StoreError> {
    let page = params![operation.to_string(), to_integer(after), to_limit(limit)];
    database.list(&EVENT, LIST, page, |row| {
        Ok(EventRecord {
            operation: row.operation("operation")?,
            sequence: row.count("sequence")?,
            at: row.instant("at")?,
            message: row.get("message")?,
        })
    })
}

/// Adds a line with the next number.
pub(super) fn add(
    writing: &Writing<'_>,
    operation: OperationId,
    message: &str,
) -> Result<(), StoreError> {
    let row = params![operation.to_string(), writing.now.as_micros(), message];
    writing.database.change(ADD, row).map(drop)
}
