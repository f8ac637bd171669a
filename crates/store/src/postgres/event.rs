//! What happened to an operation, one row a line.

use hangar_plan::operation::OperationId;
use hangar_plan::record::EventRecord;
use hangar_plan::{Timestamp, Waiting};

use super::database::Database;
use super::row::{Row, Table, to_text};
use super::writing::{Writing, given};
use crate::StoreError;
use crate::column::{to_integer, to_json, to_limit};

const EVENT: Table = Table { name: "event", key: &["operation", "sequence"] };

pub(super) const LIST: &str = "SELECT * FROM event
    WHERE operation = $1 AND sequence > $2 ORDER BY sequence LIMIT $3";
pub(super) const LIST_LAST: &str = "SELECT * FROM event
    WHERE operation = $1 ORDER BY sequence DESC LIMIT $2";
pub(super) const LAST: &str = "SELECT operation, sequence, message FROM event
    WHERE operation = $1 ORDER BY sequence DESC LIMIT 1";
const ADD: &str = "INSERT INTO event (operation, sequence, at, message, waiting)
    VALUES ($1, $2, $3, $4, $5)";

pub(super) async fn list(
    database: &Database<'_>,
    operation: OperationId,
    after: u64,
    limit: usize,
) -> Result<Vec<EventRecord>, StoreError> {
    let (after, limit) = (to_integer(after), to_limit(limit));
    database.list(&EVENT, LIST, &[&operation.to_string(), &after, &limit], decode).await
}

/// The last lines, oldest of them first.
pub(super) async fn list_last(
    database: &Database<'_>,
    operation: OperationId,
    limit: usize,
) -> Result<Vec<EventRecord>, StoreError> {
    let (operation, limit) = (operation.to_string(), to_limit(limit));
    let mut events = database.list(&EVENT, LIST_LAST, &[&operation, &limit], decode).await?;
    events.reverse();
    Ok(events)
}

/// The last line of an operation.
pub(super) struct Last {
    pub(super) sequence: u64,
    pub(super) message: String,
}

pub(super) async fn last(
    database: &Database<'_>,
    operation: OperationId,
) -> Result<Option<Last>, StoreError> {
    database
        .find(&EVENT, LAST, &[&operation.to_string()], |row| {
            Ok(Last { sequence: row.count("sequence")?, message: row.get("message")? })
        })
        .await
}

/// Adds a line after the one of this number; nobody else adds one meanwhile.
pub(super) fn add(
    writing: &mut Writing<'_>,
    operation: OperationId,
    after: u64,
    message: &str,
    waiting: Option<&Waiting>,
    now: Timestamp,
) {
    let sequence = to_integer(after.saturating_add(1));
    // JSON text escapes a zero byte, which PostgreSQL refuses in a text column.
    let waiting = waiting.map(to_json);
    let (operation, at, message) = (operation.to_string(), now.as_micros(), to_text(message));
    writing.put(ADD, given![operation, sequence, at, message, waiting]);
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
