//! Leases that last longer, and leases that end.

use std::time::Duration;

use hangar_plan::operation::OperationId;
use hangar_plan::record::Epoch;
use rusqlite::params;

use super::desk::Writing;
use crate::StoreError;
use crate::column::to_integer;

// One that was let go or ended is held by nobody: it is not taken up again without a claim.
const RENEW: &str = "UPDATE operation SET lease_until = ?3
    WHERE id = ?1 AND epoch = ?2 AND lease_until IS NOT NULL";
pub(super) const END_ALL: &str =
    "UPDATE operation SET lease_until = NULL, lease_worker = NULL WHERE lease_until IS NOT NULL";

/// Gives back those that are lost.
pub(super) fn renew(
    writing: &Writing<'_>,
    leases: &[(OperationId, Epoch)],
    lease_for: Duration,
) -> Result<Vec<OperationId>, StoreError> {
    let until = writing.now.after(lease_for).as_micros();
    let mut lost = Vec::new();
    for (id, epoch) in leases {
        let row = params![id.to_string(), to_integer(epoch.0), until];
        if writing.database.change(RENEW, row)? == 0 {
            lost.push(*id);
        }
    }
    Ok(lost)
}

pub(super) fn end_all(writing: &Writing<'_>) -> Result<usize, StoreError> {
    writing.database.change(END_ALL, [])
}
