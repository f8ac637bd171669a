//! Removing what is old.

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use rusqlite::params;

use super::desk::Writing;
use super::row::Row;
use super::{operation, reference};
use crate::column::to_limit;
use crate::{StoreError, rules};

/// As many operations as one transaction removes.
const STEP: i64 = 500;

/// As many operations as one transaction looks at, which costs more.
const LOOK: usize = 100;

// Its attempts, events and whatever else hangs on an operation go with it.
pub(super) const PRUNE: &str = "DELETE FROM operation WHERE id IN (
    SELECT id FROM operation WHERE state = 'ended' AND ended_at < ?1 ORDER BY ended_at LIMIT ?2)";
// Those without a reference stay for good, and are not even looked at.
pub(super) const PARKED: &str = "SELECT id, ended_at FROM operation
    WHERE state = 'parked' AND reference_key IS NOT NULL
        AND ended_at < ?1 AND (ended_at, id) > (?2, ?3)
    ORDER BY ended_at, id LIMIT ?4";
const REMOVE: &str = "DELETE FROM operation WHERE id = ?1";

/// Removes some of the operations that ended before an instant; none when none is left.
pub(super) fn prune(writing: &Writing<'_>, ended_before: Timestamp) -> Result<usize, StoreError> {
    writing.database.change(PRUNE, params![ended_before.as_micros(), STEP])
}

/// How far the look at those that stay until they are settled has come.
#[derive(Debug, Clone, Default)]
pub(super) struct Passed {
    ended_at: Timestamp,
    id: String,
}

/// Looks at some of the operations that stay until they are settled and removes those that are;
/// gives how many, and where to go on.
pub(super) fn prune_settled(
    writing: &Writing<'_>,
    ended_before: Timestamp,
    passed: &Passed,
) -> Result<(usize, Option<Passed>), StoreError> {
    let page =
        params![ended_before.as_micros(), passed.ended_at.as_micros(), passed.id, to_limit(LOOK)];
    let parked = writing.database.list(&operation::OPERATION, PARKED, page, |row: &Row<'_>| {
        Ok(Passed { ended_at: row.instant("ended_at")?, id: row.get("id")? })
    })?;
    let mut removed = 0;
    for Passed { id, .. } in &parked {
        match may_go(writing, id) {
            Ok(true) => removed += writing.database.change(REMOVE, [id])?,
            Ok(false) => {}
            Err(StoreError::Damaged(why)) => {
                tracing::error!(
                    operation.id = id,
                    error = why,
                    "an operation cannot be read and is not removed"
                );
            }
            Err(error) => return Err(error),
        }
    }
    Ok((removed, parked.into_iter().nth(LOOK - 1)))
}

fn may_go(writing: &Writing<'_>, id: &str) -> Result<bool, StoreError> {
    let id = OperationId::parse(id).ok_or_else(|| {
        StoreError::Damaged(format!("operation `{id}`, column id: not an operation's id"))
    })?;
    let Some(record) = operation::find(&writing.database, id)? else { return Ok(false) };
    let reference = match record.reference() {
        Some(name) => reference::find(&writing.database, &rules::position(name))?,
        None => None,
    };
    Ok(rules::may_go(&record, reference.as_ref()))
}
