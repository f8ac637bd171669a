//! Operations, one row each, with one row for each attempt.

use hangar_plan::Timestamp;
use hangar_plan::operation::{Attempt, OperationId};
use hangar_plan::record::{
    Epoch, GroupName, OperationRecord, PlaneName, ReferenceName, Repeatability, ResourceWork,
    Subject, Version, Work,
};
use rusqlite::types::Value;
use rusqlite::{params, params_from_iter};

use super::database::Database;
use super::desk::Writing;
use super::row::{Row, Table};
use crate::column::{About, Probe, to_integer, to_json, to_keeping, to_limit, to_micros, to_word};
use crate::rules;
use crate::{CancelAnswer, OperationFilter, StoreError};

pub(super) const OPERATION: Table = Table { name: "operation", key: &["id"] };
const ATTEMPT: Table = Table { name: "attempt", key: &["operation", "number"] };

/// Sorts after every id.
const AFTER_ALL: &str = "g";

pub(super) const FIND: &str = "SELECT * FROM operation WHERE id = ?1";
pub(super) const EXISTS: &str = "SELECT id FROM operation WHERE id = ?1";
pub(super) const RUNNING: &str = "SELECT id FROM operation WHERE id = ?1 AND ended_at IS NULL";
pub(super) const ALL_RUNNING: &str =
    "SELECT * FROM operation WHERE ended_at IS NULL AND id > '' ORDER BY id";
pub(super) const FIND_REPEATED: &str = "SELECT * FROM operation
    WHERE request_id = ?1 AND created_at > ?2 ORDER BY created_at DESC LIMIT 1";
pub(super) const FIND_BY_REQUEST: &str =
    "SELECT operation, number FROM attempt WHERE request_token = ?1 LIMIT 1";
pub(super) const FIND_HOLDING: &str = "SELECT operation.* FROM resource_lock
    JOIN operation ON operation.id = resource_lock.operation WHERE resource_lock.resource_key = ?1";
const INSERT: &str = "INSERT INTO operation (id, state, group_key, reference_key, request_id,
        body_hash, correlation_id, subject, machine, warnings, cancel_requested, created_at,
        updated_at, ended_at, due_at, epoch, version, parent, calls)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";
const SAVE_ATTEMPT: &str = "INSERT INTO attempt (operation, number, verb, client_token, born_at,
        marked, unanswered, sent_at, request_token, begun, identifier, outcome)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
    ON CONFLICT (operation, number) DO UPDATE SET
        unanswered = excluded.unanswered, sent_at = excluded.sent_at,
        request_token = excluded.request_token, begun = excluded.begun,
        identifier = excluded.identifier, outcome = excluded.outcome";
// An attempt of an earlier operation, which may be gone.
const SETTLE_ATTEMPT: &str = "UPDATE attempt SET unanswered = ?3, sent_at = ?4,
        request_token = ?5, begun = ?6, identifier = ?7, outcome = ?8
    WHERE operation = ?1 AND number = ?2";
const CANCEL: &str = "UPDATE operation SET cancel_requested = 1, due_at = ?2 WHERE id = ?1";

pub(super) fn find(
    database: &Database<'_>,
    id: OperationId,
) -> Result<Option<OperationRecord>, StoreError> {
    database.find(&OPERATION, FIND, [id.to_string()], decode)
}

pub(super) fn exists(database: &Database<'_>, id: OperationId) -> Result<bool, StoreError> {
    Ok(database.find(&OPERATION, EXISTS, [id.to_string()], |_| Ok(()))?.is_some())
}

/// Whether an operation is there and has not ended.
pub(super) fn is_running(database: &Database<'_>, id: OperationId) -> Result<bool, StoreError> {
    Ok(database.find(&OPERATION, RUNNING, [id.to_string()], |_| Ok(()))?.is_some())
}

/// One operation under way that works in a plane. Few run at once, and planes are hardly ever removed.
pub(super) fn first_of_plane(
    database: &Database<'_>,
    plane: &PlaneName,
) -> Result<Option<OperationId>, StoreError> {
    let running = database.list(&OPERATION, ALL_RUNNING, [], |row| {
        let record = decode(row)?;
        Ok(rules::is_in_plane(&record, plane).then(|| record.id()))
    })?;
    Ok(running.into_iter().flatten().next())
}

/// The newest operation of a request id that was accepted after `since`.
pub(super) fn find_repeated(
    database: &Database<'_>,
    request_id: &str,
    since: Timestamp,
) -> Result<Option<OperationRecord>, StoreError> {
    database.find(&OPERATION, FIND_REPEATED, params![request_id, since.as_micros()], decode)
}

pub(super) fn find_by_request(
    database: &Database<'_>,
    request_token: &str,
) -> Result<Option<OperationId>, StoreError> {
    database.find(&ATTEMPT, FIND_BY_REQUEST, [request_token], |row| row.operation("operation"))
}

/// The operation that holds a resource; its lock goes with its end.
pub(super) fn find_holding(
    database: &Database<'_>,
    resource_key: &str,
) -> Result<Option<OperationRecord>, StoreError> {
    database.find(&OPERATION, FIND_HOLDING, [resource_key], decode)
}

pub(super) fn list(
    database: &Database<'_>,
    filter: &OperationFilter,
    before: Option<OperationId>,
    limit: usize,
) -> Result<Vec<OperationRecord>, StoreError> {
    let (sql, mut values) = list_query(filter);
    values.push(Value::Text(before.map_or_else(|| AFTER_ALL.to_owned(), |id| id.to_string())));
    values.push(Value::Integer(to_limit(limit)));
    database.list(&OPERATION, &sql, params_from_iter(values), decode)
}

/// The query of a list and what its filter binds; the position and the limit come after.
pub(super) fn list_query(filter: &OperationFilter) -> (String, Vec<Value>) {
    let mut sql = "SELECT * FROM operation WHERE ".to_owned();
    let mut values = Vec::new();
    // From what has the fewest operations to what has the most: `+` keeps the index of the others out.
    let asked = [
        ("reference_key", filter.reference.as_ref().map(ReferenceName::key)),
        ("parent", filter.parent.map(|id| id.to_string())),
        ("group_key", filter.group.as_ref().map(GroupName::key)),
    ];
    for (column, value) in asked {
        let Some(value) = value else { continue };
        if !values.is_empty() {
            sql.push('+');
        }
        sql.push_str(column);
        sql.push_str(" = ? AND ");
        values.push(Value::Text(value));
    }
    if filter.running {
        sql.push_str("ended_at IS NULL AND ");
    }
    sql.push_str("id < ? ORDER BY id DESC LIMIT ?");
    (sql, values)
}

/// Adds an operation that is not there yet.
pub(super) fn insert(writing: &Writing<'_>, record: &OperationRecord) -> Result<(), StoreError> {
    let reference = record.reference();
    let repeatability = record.repeatability.as_ref();
    let row = params![
        record.id().to_string(),
        to_keeping(record),
        record.group().map(GroupName::key),
        reference.map(ReferenceName::key),
        repeatability.map(|it| &it.request_id),
        repeatability.map(|it| &it.body_hash),
        record.correlation_id,
        to_json(&record.resource().map(|work| &work.subject)),
        machine(record),
        to_json(&record.warnings),
        record.is_stop_wanted(),
        record.created_at.as_micros(),
        record.updated_at.as_micros(),
        to_micros(record.ended_at),
        to_micros(record.due_at),
        to_integer(rules::NEVER_LEASED.0),
        to_integer(rules::FIRST.0),
        record.parent.map(|id| id.to_string()),
        to_json(&record.calls),
    ];
    writing.database.change(INSERT, row)?;
    save_attempts(writing, record)
}

/// Writes the attempts that a record names.
pub(super) fn save_attempts(
    writing: &Writing<'_>,
    record: &OperationRecord,
) -> Result<(), StoreError> {
    for attempt in record.attempts() {
        if attempt.operation == record.id() {
            save_own(writing, attempt)?;
        } else {
            settle(writing, attempt)?;
        }
    }
    Ok(())
}

fn save_own(writing: &Writing<'_>, attempt: &Attempt) -> Result<(), StoreError> {
    let row = params![
        attempt.operation.to_string(),
        attempt.number,
        to_word(&attempt.verb),
        attempt.client_token,
        attempt.born_at.as_micros(),
        attempt.marked,
        attempt.unanswered,
        to_micros(attempt.sent_at),
        attempt.request_token,
        attempt.begun,
        attempt.identifier,
        to_word(&attempt.outcome),
    ];
    writing.database.change(SAVE_ATTEMPT, row).map(drop)
}

fn settle(writing: &Writing<'_>, attempt: &Attempt) -> Result<(), StoreError> {
    let row = params![
        attempt.operation.to_string(),
        attempt.number,
        attempt.unanswered,
        to_micros(attempt.sent_at),
        attempt.request_token,
        attempt.begun,
        attempt.identifier,
        to_word(&attempt.outcome),
    ];
    writing.database.change(SETTLE_ATTEMPT, row).map(drop)
}

pub(super) fn cancel(writing: &Writing<'_>, id: OperationId) -> Result<CancelAnswer, StoreError> {
    let found = writing.database.find(&OPERATION, FIND, [id.to_string()], |row| {
        Ok((decode(row)?, row.instant_if_any("lease_until")?))
    })?;
    let Some((mut record, lease_until)) = found else { return Ok(CancelAnswer::NotFound) };
    if record.ended_at.is_some() {
        return Ok(CancelAnswer::Ended(Box::new(record)));
    }
    let leased = lease_until.is_some_and(|until| until > writing.now);
    if !leased {
        record.due_at = Some(rules::hastened(record.due_at, writing.now));
    }
    record.want_stop();
    writing.database.change(CANCEL, params![id.to_string(), to_micros(record.due_at)])?;
    Ok(CancelAnswer::Noted(Box::new(record)))
}

pub(super) fn decode(row: &Row<'_>) -> Result<OperationRecord, StoreError> {
    let repeatability = match (row.get("request_id")?, row.get("body_hash")?) {
        (Some(request_id), Some(body_hash)) => Some(Repeatability { request_id, body_hash }),
        _ => None,
    };
    let work = match row.json::<Option<Subject>>("subject")? {
        Some(subject) => {
            Work::Resource(Box::new(ResourceWork { operation: row.json("machine")?, subject }))
        }
        None => match row.json::<Probe>("machine")?.about() {
            About::Deployment => Work::Deployment(Box::new(row.json("machine")?)),
            About::Recipe => Work::Recipe(Box::new(row.json("machine")?)),
            About::Group => Work::Group(Box::new(row.json("machine")?)),
        },
    };
    let parent = match row.get::<Option<String>>("parent")? {
        Some(_) => Some(row.operation("parent")?),
        None => None,
    };
    let mut record = OperationRecord {
        work,
        parent,
        repeatability,
        correlation_id: row.get("correlation_id")?,
        warnings: row.json("warnings")?,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
        ended_at: row.instant_if_any("ended_at")?,
        due_at: row.instant_if_any("due_at")?,
        calls: row.json("calls")?,
        epoch: Epoch(row.count("epoch")?),
        version: Version(row.count("version")?),
    };
    if row.get::<bool>("cancel_requested")? {
        record.want_stop();
    }
    Ok(record)
}

/// The machine of an operation, as JSON.
pub(super) fn machine(record: &OperationRecord) -> String {
    match &record.work {
        Work::Resource(work) => to_json(&work.operation),
        Work::Group(work) => to_json(work),
        Work::Deployment(work) => to_json(work),
        Work::Recipe(work) => to_json(work),
    }
}
