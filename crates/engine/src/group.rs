//! Drives an operation on a group.

use std::time::Duration;

use hangar_plan::group::GroupWork;
use hangar_plan::record::OperationRecord;

use crate::engine::Shared;

/// Drives an operation on a group; says when it is due again.
pub(crate) async fn drive(
    _shared: &Shared,
    _work: GroupWork,
    _record: OperationRecord,
) -> Option<Duration> {
    None
}
