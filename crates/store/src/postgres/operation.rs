//! Operations, one row each.

use std::fmt::Write as _;

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use hangar_plan::record::{
    Epoch, GroupName, OperationRecord, PlaneName, ReferenceName, Repeatability, ResourceWork,
    Subject, Version, Work,
};
use tokio_postgres::types::ToSql;

use super::attempt;
use super::database::{Database, Given};
use super::lock::Locks;
use super::row::{Row, Table, to_text};
use super::writing::{InDoubt, Job, NOW, Value, Writing, given};
use crate::column::{About, Probe, to_integer, to_json, to_keeping, to_limit, to_micros};
use crate::rules;
use crate::{CancelAnswer, OperationFilter, StoreError};

pub(super) const OPERATION: Table = Table { name: "operation", key: &["id"] };

/// Sorts after every id.
const AFTER_ALL: &str = "g";

pub(super) const FIND: &str = "SELECT * FROM operation WHERE id = $1";
pub(super) const RUNNING: &str = "SELECT id FROM operation WHERE id = $1 AND ended_at IS NULL";
pub(super) const ALL_RUNNING: &str =
    "SELECT * FROM operation WHERE ended_at IS NULL AND id > '' ORDER BY id";
pub(super) const NEWEST_OF_REQUEST: &str = "SELECT id, created_at FROM operation
    WHERE request_id = $1 ORDER BY created_at DESC LIMIT 1";
// The time is a parameter, or the database's.
pub(super) const FIND_REPEATED: &str = "SELECT * FROM operation
    WHERE request_id = $1 AND created_at > (SELECT
        coalesce($2::bigint, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) - $3::bigint)
    ORDER BY created_at DESC LIMIT 1";
pub(super) const FIND_HOLDING: &str = "SELECT * FROM operation WHERE id =
    (SELECT operation FROM resource_lock WHERE resource_key = $1)";
// With what it is to apply, where there is that, and its first line: one statement is cheaper than three.
const INSERT: &str = "WITH inserted AS (
        INSERT INTO operation (id, state, group_key, reference_key, request_id,
            body_hash, correlation_id, subject, machine, warnings, cancel_requested, created_at,
            updated_at, ended_at, due_at, epoch, version, parent, calls)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)),
    applied AS (
        INSERT INTO envelope (operation, sealed) SELECT $1, $20::bytea WHERE $20::bytea IS NOT NULL)
    INSERT INTO event (operation, sequence, at, message) VALUES ($1, 1, $21, $22)";
pub(super) const HOLD: &str = "SELECT * FROM operation WHERE id = $1 FOR UPDATE";
const CANCEL: &str = "UPDATE operation SET cancel_requested = true, due_at = $2 WHERE id = $1";

pub(super) async fn find(
    database: &Database<'_>,
    id: OperationId,
) -> Result<Option<OperationRecord>, StoreError> {
    database.find(&OPERATION, FIND, &[&id.to_string()], decode).await
}

/// Whether an operation is there and has not ended.
pub(super) async fn is_running(
    database: &Database<'_>,
    id: OperationId,
) -> Result<bool, StoreError> {
    Ok(!database.query(RUNNING, &[&id.to_string()]).await?.is_empty())
}

/// One operation under way that works in a plane. Few run at once, and planes are hardly ever removed.
pub(super) async fn first_of_plane(
    database: &Database<'_>,
    plane: &PlaneName,
) -> Result<Option<OperationId>, StoreError> {
    let running = database.list(&OPERATION, ALL_RUNNING, &[], |row| {
        let record = decode(row)?;
        Ok(rules::is_in_plane(&record, plane).then(|| record.id()))
    });
    Ok(running.await?.into_iter().flatten().next())
}

/// The newest operation of a request id, and when it was accepted.
pub(super) async fn newest_of_request(
    database: &Database<'_>,
    request_id: &str,
) -> Result<Option<(OperationId, Timestamp)>, StoreError> {
    database
        .find(&OPERATION, NEWEST_OF_REQUEST, &[&request_id], |row| {
            Ok((row.operation("id")?, row.instant("created_at")?))
        })
        .await
}

/// The newest operation of a request id that was accepted within a span before `now`, which is the
/// database's where there is none.
pub(super) async fn find_repeated(
    database: &Database<'_>,
    request_id: &str,
    now: Option<i64>,
    within: i64,
) -> Result<Option<OperationRecord>, StoreError> {
    database.find(&OPERATION, FIND_REPEATED, &[&request_id, &now, &within], decode).await
}

/// The operation that holds a resource; its lock goes with its end.
pub(super) async fn find_holding(
    database: &Database<'_>,
    resource_key: &str,
) -> Result<Option<OperationRecord>, StoreError> {
    database.find(&OPERATION, FIND_HOLDING, &[&resource_key], decode).await
}

pub(super) async fn list(
    database: &Database<'_>,
    filter: &OperationFilter,
    before: Option<OperationId>,
    limit: usize,
) -> Result<Vec<OperationRecord>, StoreError> {
    let (sql, mut values) = list_query(filter);
    values.push(Box::new(before.map_or_else(|| AFTER_ALL.to_owned(), |id| id.to_string())));
    values.push(Box::new(to_limit(limit)));
    let given: Vec<&(dyn ToSql + Sync)> =
        values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
    database.list(&OPERATION, &sql, &given, decode).await
}

/// The query of a list and what its filter gives; the position and the limit come after.
pub(super) fn list_query(filter: &OperationFilter) -> (String, Vec<Value>) {
    let mut sql = "SELECT * FROM operation WHERE ".to_owned();
    let mut values: Vec<Value> = Vec::new();
    // From what has the fewest operations to what has the most: an expression keeps the index of the
    // others out.
    let asked = [
        ("reference_key", filter.reference.as_ref().map(ReferenceName::key)),
        ("parent", filter.parent.map(|id| id.to_string())),
        ("group_key", filter.group.as_ref().map(GroupName::key)),
    ];
    for (column, value) in asked {
        let Some(value) = value else { continue };
        let plain = if values.is_empty() { "" } else { " || ''" };
        values.push(Box::new(value));
        let _ = write!(sql, "{column}{plain} = ${} AND ", values.len());
    }
    if filter.running {
        sql.push_str("ended_at IS NULL AND ");
    }
    let (position, limit) = (values.len() + 1, values.len() + 2);
    let _ = write!(sql, "id < ${position} ORDER BY id DESC LIMIT ${limit}");
    (sql, values)
}

/// Adds an operation that is not there yet, what it is to apply, and its first line.
pub(super) fn insert(
    writing: &mut Writing<'_>,
    record: &OperationRecord,
    sealed: Option<&[u8]>,
    message: &str,
    now: Timestamp,
) {
    let repeatability = record.repeatability.as_ref();
    writing.put(
        INSERT,
        given![
            record.id().to_string(),
            to_keeping(record),
            record.group().map(GroupName::key),
            record.reference().map(ReferenceName::key),
            repeatability.map(|it| it.request_id.clone()),
            repeatability.map(|it| it.body_hash.clone()),
            record.correlation_id.as_deref().map(to_text),
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
            sealed.map(<[u8]>::to_vec),
            now.as_micros(),
            to_text(message),
        ],
    );
    attempt::save(writing, record);
}

/// Notes that an operation is to be stopped.
pub(super) struct Cancel(pub(super) OperationId);

impl Job for Cancel {
    type Output = CancelAnswer;
    type Error = StoreError;
    const STATEMENTS: &'static [&'static str] = &[NOW, HOLD];
    const IN_DOUBT: InDoubt = InDoubt::Again;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<CancelAnswer, StoreError> {
        let id = self.0.to_string();
        let locks = Locks::default();
        let given: Given<'_> = &[&id];
        let found = writing.database.find(&OPERATION, HOLD, given, |row| {
            Ok((decode(row)?, row.instant_if_any("lease_until")?))
        });
        let (now, found) = tokio::join!(biased; writing.begin(&locks), found);
        let now = now?;
        let Some((mut record, lease_until)) = found? else { return Ok(CancelAnswer::NotFound) };
        if record.ended_at.is_some() {
            return Ok(CancelAnswer::Ended(Box::new(record)));
        }
        let leased = lease_until.is_some_and(|until| until > now);
        if !leased {
            record.due_at = Some(rules::hastened(record.due_at, now));
        }
        record.want_stop();
        writing.put(CANCEL, given![id.clone(), to_micros(record.due_at)]);
        Ok(CancelAnswer::Noted(Box::new(record)))
    }
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
    let mut record = OperationRecord {
        work,
        parent: row.operation_if_any("parent")?,
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
