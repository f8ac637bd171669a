//! What a deployment does next, from its rows and what became of those that were begun.
//!
//! Deciding is all that happens here: the rows that are to begin are written down as begun before anything
//! is asked for, and one that was begun and asked for nothing, because of a crash, is asked for again under the same
//! name.

use std::cmp::Reverse;
use std::time::Duration;

use super::{DeploymentTask, DeploymentWork, Row, RowState, SourcePlace, Stated, weights};
use crate::Timestamp;
use crate::operation::{Convergence, Ending, Failure, FailureKind, Finding, Success, SuccessKind};

/// How many rows are under way at once: enough to use a budget of a hundred calls a second where each
/// takes a second, few enough that what matters most goes first.
const AT_ONCE: usize = 128;

/// How many failures are told one by one.
const TOLD: usize = 200;

/// How soon it looks again after something moved, and how late where nothing does: the end of an operation
/// makes its deployment due at once, so this is for what was not told.
const SOON: Duration = Duration::from_millis(100);
const LATEST: Duration = Duration::from_secs(1);

/// What became of a row that was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sight {
    /// It is done.
    Done {
        /// What was done.
        stated: Stated,
        /// The resource.
        identifier: Option<String>,
        /// What was changed of it, as RFC 6901 pointers.
        changed: Vec<String>,
        /// The ids of what a recipe made.
        made: Vec<String>,
        /// Whether its operation dealt with a resource that was replaced.
        retires: bool,
    },
    /// It failed.
    Failed {
        /// Why.
        failure: Failure,
        /// Where in the template that is, if it is a mistake in it.
        place: Option<SourcePlace>,
    },
}

/// What is true now, and what comes next.
#[derive(Debug, Clone, PartialEq)]
pub struct Advance {
    /// The run; nothing is left to begin or to wait for where `is_over`.
    pub work: DeploymentWork,
    /// The rows that are to begin, the most urgent first.
    pub launch: Vec<usize>,
    /// Whether every row is over: what is left is to tell the end.
    pub is_over: bool,
    /// When to look again.
    pub look_after: Duration,
    /// What happened, for the operation's log.
    pub message: Option<String>,
}

/// What a deployment does next; `seen` is what became of rows that were begun, by their places.
pub fn advance(work: &DeploymentWork, seen: &[(usize, Sight)], now: Timestamp) -> Advance {
    let mut work = work.clone();
    let mut told = Vec::new();
    for (index, sight) in seen {
        if let Some(row) = work.rows.get_mut(*index)
            && let RowState::Begun { at: begun_at } = row.state
        {
            (row.waiting, row.verb) = (None, None);
            told.push(settle(row, sight, begun_at, now));
        }
    }
    skip(&mut work.rows);
    let under_way =
        work.rows.iter().filter(|row| matches!(row.state, RowState::Begun { .. })).count();
    let mut launch = Vec::new();
    if work.cancel_requested {
        for row in work.rows.iter_mut().filter(|row| row.state == RowState::Waiting) {
            row.state = RowState::Canceled;
        }
    } else {
        launch = ready(&work.rows);
        launch.truncate(AT_ONCE.saturating_sub(under_way));
        for &index in &launch {
            work.rows[index].state = RowState::Begun { at: now };
        }
    }
    let moved = !seen.is_empty() || !launch.is_empty();
    work.tries = if moved { 0 } else { work.tries.saturating_add(1) };
    let look_after = SOON.saturating_mul(2_u32.saturating_pow(work.tries.min(8))).min(LATEST);
    let is_over = work.rows.iter().all(Row::is_over);
    let message = (!told.is_empty()).then(|| told.join("; "));
    Advance { work, launch, is_over, look_after, message }
}

/// How a run ends whose rows are all over.
pub fn ending(work: &DeploymentWork) -> Ending {
    let failed: Vec<Finding> = work.rows.iter().filter_map(failure_of).take(TOLD).collect();
    let count =
        |wanted: fn(&RowState) -> bool| work.rows.iter().filter(|row| wanted(&row.state)).count();
    let done = count(|state| matches!(state, RowState::Done { .. }));
    let is_skipped = |row: &&Row| matches!(row.state, RowState::Skipped { .. });
    let stayed = work.rows.iter().filter(is_skipped).filter(|row| row.is_removal()).count();
    let skipped = work.rows.iter().filter(is_skipped).count() - stayed;
    let canceled = count(|state| matches!(state, RowState::Canceled));
    // What was stopped with the run did not fail; what it left is told by itself.
    let is_stopped = |row: &&Row| {
        let is_canceled = |failure: &Failure| failure.kind == FailureKind::Canceled;
        work.cancel_requested
            && matches!(&row.state, RowState::Failed { failure, .. } if is_canceled(failure))
    };
    let stopped = work.rows.iter().filter(is_stopped).count();
    let failures = count(|state| matches!(state, RowState::Failed { .. })) - stopped;
    if failures > 0 {
        let mut message = format!("{failures} of {} resources failed", work.rows.len());
        if skipped > 0 {
            message = format!("{message}, {skipped} not started because a dependency failed");
        }
        if stayed > 0 {
            message = format!("{message}, {stayed} not removed");
        }
        if canceled > 0 {
            message = format!("{message}, {canceled} not started because the run was canceled");
        }
        let again = match work.task {
            DeploymentTask::Destroy => {
                "fix the errors and destroy it again; deleted resources stay deleted"
            }
            DeploymentTask::Deploy | DeploymentTask::Plan => {
                "fix the errors and deploy again; finished resources are not touched"
            }
        };
        let message = format!("{message}; {again}");
        let code = "DeploymentFailed".to_owned();
        return Ending::Failed(Failure {
            kind: FailureKind::Provider,
            code,
            message,
            findings: failed,
        });
    }
    if work.cancel_requested && canceled + stopped > 0 {
        let mut message = format!(
            "stopped on request; {done} of {} resources finished, {} not started",
            work.rows.len(),
            canceled + skipped + stayed
        );
        if stopped > 0 {
            message = format!("{message}, {stopped} canceled while running");
        }
        let code = "DeploymentCanceled".to_owned();
        let findings = Vec::new();
        return Ending::Canceled(Failure { kind: FailureKind::Canceled, code, message, findings });
    }
    let changed = work.rows.iter().any(|row| match &row.state {
        RowState::Done { stated: Stated::Put(kind), .. } => *kind != SuccessKind::Noop,
        _ => false,
    });
    let kind = match work.task {
        DeploymentTask::Destroy => SuccessKind::Deleted,
        _ if changed => SuccessKind::Deployed,
        _ => SuccessKind::Noop,
    };
    Ending::Succeeded(Success {
        kind,
        convergence: Convergence::Converged,
        not_effective: Vec::new(),
    })
}

fn settle(row: &mut Row, sight: &Sight, begun_at: Timestamp, at: Timestamp) -> String {
    match sight {
        Sight::Done { stated, identifier, changed, made, retires } => {
            row.state = RowState::Done { begun_at, at, stated: *stated };
            row.identifier.clone_from(identifier);
            row.changed.clone_from(changed);
            row.made.clone_from(made);
            row.retires = *retires;
            format!("{}: {}", row.address, stated.as_str())
        }
        Sight::Failed { failure, place } => {
            let told = format!("{} failed: {}: {}", row.address, failure.code, failure.message);
            let (failure, place) = (failure.clone(), place.clone());
            row.state = RowState::Failed { begun_at, at, failure, place };
            told
        }
    }
}

/// What depends on a row that failed, or on one that was skipped, does not begin; nor is anything taken away that
/// left the template where a row of the template failed: what failed may still need it.
fn skip(rows: &mut [Row]) {
    let failed = |row: &Row| !row.is_removal() && matches!(row.state, RowState::Failed { .. });
    if let Some(because) = rows.iter().position(failed) {
        for row in rows.iter_mut().filter(|row| row.is_removal()) {
            if row.state == RowState::Waiting {
                row.state = RowState::Skipped { because };
            }
        }
    }
    loop {
        let found = (0..rows.len()).find_map(|index| {
            if rows[index].state != RowState::Waiting {
                return None;
            }
            let because = rows[index].depends_on.iter().find_map(|before| {
                match rows.get(*before)?.state {
                    RowState::Failed { .. } => Some(*before),
                    RowState::Skipped { because } => Some(because),
                    _ => None,
                }
            })?;
            Some((index, because))
        });
        let Some((index, because)) = found else { return };
        rows[index].state = RowState::Skipped { because };
    }
}

/// The rows that wait for nothing any more, those that most others wait for first. Nothing is taken away before
/// every row of the template is done: until then it may be needed.
fn ready(rows: &[Row]) -> Vec<usize> {
    let is_settled = rows.iter().all(|row| row.is_removal() || row.is_done());
    let is_ready = |row: &Row| {
        let done = |before: &usize| rows.get(*before).is_none_or(Row::is_done);
        row.state == RowState::Waiting
            && (is_settled || !row.is_removal())
            && row.depends_on.iter().all(done)
    };
    let mut ready: Vec<usize> = (0..rows.len()).filter(|it| is_ready(&rows[*it])).collect();
    let weights = weights(rows);
    ready.sort_by_key(|it| (Reverse(weights[*it]), *it));
    ready
}

fn failure_of(row: &Row) -> Option<Finding> {
    let RowState::Failed { failure, .. } = &row.state else { return None };
    let (code, message) = (failure.code.clone(), failure.message.clone());
    Some(Finding { code, path: row.address.clone(), message })
}
