//! Rows, for metrics: one statement, so that the figures belong together.

use hangar_plan::Timestamp;
use hangar_plan::operation::EntryState;
use rusqlite::params;

use super::database::Database;
use super::row::Table;
use crate::column::to_word;
use crate::{Counts, StoreError};

const COUNT: Table = Table { name: "counts", key: &[] };

// All references are counted over the whole of an index: 40 to 75 ms for a million rows with the pages
// in memory, on a reader's thread, where it holds up no write. A counter kept by triggers, or an
// index of nothing but small numbers (3 ms), would cost every write of a reference instead. The other
// figures are searches: they cost as many rows as they count.
// An operation waits for a worker since it was due, or since its last worker's lease ran out.
pub(super) const COUNTS: &str = "SELECT
    (SELECT count(*) FROM resource_group) AS groups,
    (SELECT count(*) FROM reference) AS refs,
    (SELECT count(*) FROM reference WHERE state = ?2) AS unknown,
    (SELECT count(*) FROM operation WHERE ended_at IS NULL) AS running,
    (SELECT count(*) FROM operation WHERE lease_until > ?1) AS leased,
    (SELECT min(max(due_at, coalesce(lease_until, due_at))) FROM operation
        WHERE due_at <= ?1 AND (lease_until IS NULL OR lease_until <= ?1)) AS waiting_since";

pub(super) fn counts(database: &Database<'_>, now: Timestamp) -> Result<Counts, StoreError> {
    let row = params![now.as_micros(), to_word(&EntryState::Unknown)];
    let counts = database.find(&COUNT, COUNTS, row, |row| {
        let waiting_since = row.instant_if_any("waiting_since")?;
        Ok(Counts {
            groups: row.count("groups")?,
            references: row.count("refs")?,
            unknown: row.count("unknown")?,
            running: row.count("running")?,
            overdue_for: waiting_since.map(|since| now.since(since)).unwrap_or_default(),
            leased: row.count("leased")?,
        })
    })?;
    Ok(counts.unwrap_or_default())
}
