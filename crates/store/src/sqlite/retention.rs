//! Removing what is old.

use hangar_plan::Timestamp;
use rusqlite::params;

use super::writer::Writing;
use crate::StoreError;

/// As many operations as one transaction removes.
const STEP: i64 = 500;

// Its attempts, events and whatever else hangs on an operation go with it.
pub(super) const PRUNE: &str = "DELETE FROM operation WHERE id IN (
    SELECT id FROM operation WHERE state = 'ended' AND ended_at < ?1 ORDER BY ended_at LIMIT ?2)";

/// Removes some of the operations that ended before an instant; none when none is left.
pub(super) fn prune(writing: &Writing<'_>, ended_before: Timestamp) -> Result<usize, StoreError> {
    writing.database.change(PRUNE, params![ended_before.as_micros(), STEP])
}
