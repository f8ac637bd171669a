//! Why an operation, or a resource of a deployment, makes no progress right now.

use hangar_plan::deployment::{Row, RowState};
use hangar_plan::{Timestamp, WaitCode, WaitReason, Waiting};
use serde_json::{Value, json};

use super::time::rfc3339;

/// As many addresses as one message names.
const NAMED: usize = 5;

/// A wait, for callers.
pub(crate) fn waiting(waiting: &Waiting) -> Value {
    let Waiting { code, message, since, retry_at, attempts } = waiting;
    let mut shown = json!({
        "code": code.as_str(), "message": message, "since": rfc3339(*since), "attempts": attempts,
    });
    if let Some(at) = retry_at {
        shown["retryAt"] = rfc3339(*at).into();
    }
    shown
}

/// Why a row of a run waits: what its operation waits for, or the rows before it. `since` is when the run began.
pub(super) fn of_row(row: &Row, rows: &[Row], since: Timestamp) -> Option<Waiting> {
    let before = row.depends_on.iter().filter_map(|index| rows.get(*index));
    let awaited: Vec<&str> =
        before.filter(|row| !row.is_done()).map(|row| row.address.as_str()).collect();
    match row.state {
        RowState::Begun { .. } => row.waiting.clone(),
        RowState::Waiting if awaited.is_empty() => {
            let reason = WaitReason::new(WaitCode::Queued, "waits for its turn");
            Some(reason.since(since, None, 0))
        }
        RowState::Waiting => {
            let named = awaited.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
            let more = awaited.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let reason = WaitReason::new(WaitCode::Dependency, format!("waits for {named}{more}"));
            Some(reason.since(since, None, 0))
        }
        _ => None,
    }
}
