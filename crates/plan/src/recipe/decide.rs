//! What is to be done with a recipe's operation, from what can be seen of its run and of the state's lock.

use std::time::Duration;

use super::{RecipeTask, RecipeWork};
use crate::Timestamp;
use crate::operation::{Convergence, Ending, Failure, FailureKind, Success, SuccessKind};
use crate::record::{StateHead, StateLock};

/// How long a lock that somebody else holds is waited for.
pub(super) const LOCK_PATIENCE: Duration = Duration::from_mins(10);

/// How long a run on another machine is taken to go on after its last sign of life. Terraform that lost its
/// server can neither write its state nor begin anew: it ends with the calls that it has made.
pub const RUN_PATIENCE: Duration = Duration::from_mins(20);

/// How soon a lock is looked at again.
const LOOK_AFTER: Duration = Duration::from_secs(2);

/// What can be seen of the run that was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunSight {
    /// None was.
    None,
    /// Its program still runs on this machine.
    Alive,
    /// It was on this machine, and its program has ended or was never started.
    Over,
    /// It is on another machine.
    Elsewhere,
}

/// What can be seen.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    /// The state.
    pub state: &'a StateHead,
    /// The run.
    pub run: RunSight,
    /// Whether a run of the recipe has written a state before: it must be there.
    pub expects_state: bool,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// Begin a run.
    Begin,
    /// Follow the run to its end.
    Follow,
    /// The run is over and nobody heard its end: take in what it left behind, free its lock, and decide again.
    Recover,
    /// Look again after a while.
    Wait {
        /// When.
        after: Duration,
        /// What is waited for.
        why: String,
    },
    /// It has ended.
    End(Ending),
}

/// What is to be done next.
pub fn decide(work: &RecipeWork, sight: &Sight<'_>, now: Timestamp) -> Move {
    match (&work.run, sight.run) {
        (Some(_), RunSight::Alive) => Move::Follow,
        (Some(_), RunSight::Over | RunSight::None) => Move::Recover,
        // Before it has the lock, or after it gave it back, it changes nothing; and once it is written off here, it
        // is not let in any more.
        (Some(run), RunSight::Elsewhere)
            if !is_held_by(work, sight) || now.since(run.heard_at) > RUN_PATIENCE =>
        {
            Move::Recover
        }
        (Some(run), RunSight::Elsewhere) => Move::Wait {
            after: LOOK_AFTER,
            why: format!(
                "run {} was started on another machine and may still be running",
                run.number
            ),
        },
        (None, _) => begin(work, sight, now),
    }
}

fn is_held_by(work: &RecipeWork, sight: &Sight<'_>) -> bool {
    sight.state.lock.as_ref().is_some_and(|lock| lock.operation == Some(work.id))
}

fn begin(work: &RecipeWork, sight: &Sight<'_>, now: Timestamp) -> Move {
    if work.cancel_requested {
        return Move::End(Ending::Canceled(Failure {
            kind: FailureKind::Canceled,
            code: "OperationCanceled".to_owned(),
            message: stopped(work).to_owned(),
            findings: Vec::new(),
        }));
    }
    if let Some(lock) = &sight.state.lock {
        let waited = work.waiting_since.map_or(Duration::ZERO, |since| now.since(since));
        if waited > LOCK_PATIENCE {
            return Move::End(Ending::Failed(locked(work, lock, now)));
        }
        let why = format!("the Terraform state is locked by {}", holder(lock, now));
        return Move::Wait { after: LOOK_AFTER, why };
    }
    match (&sight.state.current, work.task, sight.expects_state) {
        (None, RecipeTask::Delete, false) => deleted(),
        (None, _, true) => Move::End(Ending::Failed(state_missing(work))),
        _ => Move::Begin,
    }
}

/// What a stop of something that does not run just now leaves.
pub const fn stopped(work: &RecipeWork) -> &'static str {
    match work.runs {
        0 => "stopped before Terraform was run",
        _ => "stopped; resources that earlier runs created are in the Terraform state",
    }
}

/// There is nothing that it could have made.
fn deleted() -> Move {
    Move::End(Ending::Succeeded(Success {
        kind: SuccessKind::Deleted,
        convergence: Convergence::Converged,
        not_effective: Vec::new(),
    }))
}

fn state_missing(work: &RecipeWork) -> Failure {
    let doing = match work.task {
        RecipeTask::Deploy => "creating everything a second time",
        RecipeTask::Delete => "leaving its resources behind",
    };
    Failure {
        kind: FailureKind::Unavailable,
        code: "StateMissing".to_owned(),
        message: format!(
            "the Terraform state of {} is missing; nothing was done, to avoid {doing}; restore the \
             state (`hangar restore`, or `hangar recipe state push`) and try again",
            work.recipe.id()
        ),
        findings: Vec::new(),
    }
}

fn locked(work: &RecipeWork, lock: &StateLock, now: Timestamp) -> Failure {
    Failure {
        kind: FailureKind::Conflict,
        code: "StateLocked".to_owned(),
        message: format!(
            "the Terraform state of {} is locked by {}; if that run is dead, remove the lock: \
             `hangar recipe unlock {} -g {}`",
            work.recipe.id(),
            holder(lock, now),
            work.recipe.name,
            work.recipe.group.group,
        ),
        findings: Vec::new(),
    }
}

/// Who holds a lock, what for and for how long, in Terraform's words.
fn holder(lock: &StateLock, now: Timestamp) -> String {
    let told = |name: &str| lock.info.get(name).and_then(serde_json::Value::as_str);
    let who = told("Who").filter(|who| !who.is_empty()).unwrap_or("an unknown holder");
    let doing = told("Operation").filter(|it| !it.is_empty());
    let doing = doing.map(|it| format!(" ({it})")).unwrap_or_default();
    let age = now.since(lock.taken_at).as_secs();
    format!("{who}{doing} for {}, lock {}", span(age), lock.id)
}

fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}
