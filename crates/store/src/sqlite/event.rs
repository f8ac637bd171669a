//! What happened to an operation, one row a line.

use hangar_plan::Waiting;
use hangar_plan::operation::OperationId;
use hangar_plan::record::EventRecord;
use rusqlite::params;

use super::database::Database;
use super::desk::Writing;
use super::row::{Row, Table};
use crate::column::{to_integer, to_json, to_limit};
use crate::{StoreError, rules};

const EVENT: Table = Table { name: "event", key: &["operation", "sequence"] };

pub(super) const LIST: &str = "SELECT * FROM event
    WHERE operation = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3";
pub(super) const LIST_LAST: &str = "SELECT * FROM event
    WHERE operation = ?1 ORDER BY sequence DESC LIMIT ?2";
pub(super) const ADD: &str = "INSERT INTO event (operation, sequence, at, message, waiting)
    SELECT ?1, coalesce(max(sequence), 0) + 1, ?2, ?3, ?4 FROM event WHERE operation = ?1";

pub(super) fn list(
    database: &Database<'_>,
    operation: OperationId,
    after: u64,
    limit: usize,
) -> Result<Vec<EventRecord>, StoreError> {
    let page = params![operation.to_string(), to_integer(after), to_limit(limit)];
    database.list(&EVENT, LIST, page, decode)
}

/// The last lines, oldest of them first.
pub(super) fn list_last(
    database: &Database<'_>,
    operation: OperationId,
    limit: usize,
) -> Result<Vec<EventRecord>, StoreError> {
    let page = params![operation.to_string(), to_limit(limit)];
    let mut events = database.list(&EVENT, LIST_LAST, page, decode)?;
    events.reverse();
    Ok(events)
}

/// Adds a line with the next number, unless it says what the last one says.
pub(super) fn add_if_new(
    writing: &Writing<'_>,
    operation: OperationId,
    message: &str,
    waiting: Option<&Waiting>,
) -> Result<(), StoreError> {
    let last = params![operation.to_string(), 1];
    let last =
        writing.database.find(&EVENT, LIST_LAST, last, |row| row.get::<String>("message"))?;
    if !rules::is_news(last.as_deref(), message) {
        return Ok(());
    }
    add(writing, operation, message, waiting)
}

/// Adds a line with the next number.
pub(super) fn add(
    writing: &Writing<'_>,
    operation: OperationId,
    message: &str,
    waiting: Option<&Waiting>,
) -> Result<(), StoreError> {
    let now = writing.now.as_micros();
    let row = params![operation.to_string(), now, message, waiting.map(to_json)];
    writing.database.change(ADD, row).map(drop)
}

fn decode(row: &Row<'_>) -> Result<EventRecord, StoreError> {
    Ok(EventRecord {
        operation: row.operation("operation")?,
        sequence: row.count("sequence")?,
        at: row.instant("at")?,
        message: row.get("message")?,
        waiting: row.json_if_any("waiting")?,
    })
}
