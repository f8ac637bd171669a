//! Rows, for metrics: one statement, so that the figures belong together.

use hangar_plan::operation::EntryState;

use super::database::Database;
use super::row::Table;
use crate::column::to_word;
use crate::{Counts, StoreError};

const COUNT: Table = Table { name: "counts", key: &[] };

// All references are counted over the whole of an index. The other figures are searches: they cost as many
// rows as they count. An operation waits for a worker since it was due, or since its last worker's lease
// ran out. The time is a parameter, or the database's.
pub(super) const COUNTS: &str = "WITH clock AS MATERIALIZED (SELECT
        coalesce($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) AS now)
    SELECT (SELECT now FROM clock) AS now,
    (SELECT count(*) FROM resource_group) AS groups,
    (SELECT count(*) FROM reference) AS refs,
    (SELECT count(*) FROM reference WHERE state = $2) AS unknown,
    (SELECT count(*) FROM operation WHERE ended_at IS NULL) AS running,
    (SELECT count(*) FROM operation WHERE lease_until > (SELECT now FROM clock)) AS leased,
    (SELECT min(greatest(due_at, coalesce(lease_until, due_at))) FROM operation
        WHERE due_at <= (SELECT now FROM clock)
            AND (lease_until IS NULL OR lease_until <= (SELECT now FROM clock))) AS waiting_since";

pub(super) async fn counts(
    database: &Database<'_>,
    now: Option<i64>,
) -> Result<Counts, StoreError> {
    let unknown = to_word(&EntryState::Unknown);
    let counts = database
        .find(&COUNT, COUNTS, &[&now, &unknown], |row| {
            let (now, waiting_since) = (row.instant("now")?, row.instant_if_any("waiting_since")?);
            Ok(Counts {
                groups: row.count("groups")?,
                references: row.count("refs")?,
                unknown: row.count("unknown")?,
                running: row.count("running")?,
                overdue_for: waiting_since.map(|since| now.since(since)).unwrap_or_default(),
                leased: row.count("leased")?,
            })
        })
        .await?;
    Ok(counts.unwrap_or_default())
}
