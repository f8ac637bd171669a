//! What the deletion of a group does next, from its references as they are now.
//!
//! It remembers no reference: one that is worked on says so itself, and so does one on which the
//! operation of this turn has ended. So a crash at any instant is answered by looking again.

use std::time::Duration;

use super::{GroupWork, Phase, order};
use crate::operation::{Ending, Failure, FailureKind, Finding, SuccessKind};
use crate::{Timestamp, WaitCode, WaitReason, Waiting};

/// How many references are worked on at once.
const AT_ONCE: usize = 32;

/// How many references that are left are told one by one.
const TOLD: usize = 200;

/// How soon it looks again: after something moved, and at the latest.
const SOON: Duration = Duration::from_millis(200);
const LATEST: Duration = Duration::from_secs(1);

/// How a reference stands in this turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Nothing was tried.
    Free,
    /// An operation is under way on it.
    Busy,
    /// It was tried in this turn and is still there.
    Refused {
        /// The code of what refused it.
        code: String,
        /// What that says.
        message: String,
    },
}

/// One reference that is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its id.
    pub id: String,
    /// The ids of references that go after it.
    pub depends_on: Vec<String>,
    /// Whether a create of it may have made a resource that is not known.
    pub unsettled: bool,
    /// How it stands.
    pub standing: Standing,
}

/// What is true now, and what comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// The operation; it has an ending where this was its end.
    pub work: GroupWork,
    /// The members whose deletion is to begin, by index.
    pub launch: Vec<usize>,
    /// When to look again.
    pub look_after: Duration,
    /// What happened, for the operation's log.
    pub message: Option<String>,
}

/// What the deletion of a group does next; `members` are all references that are left.
pub fn sweep(work: &GroupWork, members: &[Member], now: Timestamp) -> Sweep {
    let mut course = Course {
        work: work.clone(),
        members,
        now,
        launch: Vec::new(),
        turned: false,
        message: None,
    };
    course.decide();
    course.into_sweep(work)
}

/// A deletion while one decision moves it.
struct Course<'a> {
    work: GroupWork,
    members: &'a [Member],
    now: Timestamp,
    launch: Vec<usize>,
    /// Whether another turn began: how the members stand in it is still to be read.
    turned: bool,
    message: Option<String>,
}

impl Course<'_> {
    fn decide(&mut self) {
        let waited = self.work.waiting.take();
        let left = self.members.len();
        let busy = self.members.iter().filter(|it| it.standing == Standing::Busy).count();
        let refused =
            self.members.iter().filter(|it| matches!(it.standing, Standing::Refused { .. }));
        self.work.tally.refused = count(refused.count());
        if self.work.clearing.phase != Phase::Settle {
            self.work.tally.done = self.work.clearing.total.saturating_sub(count(left));
        }
        if self.work.cancel_requested {
            // What was under way before is not ours to wait for.
            if busy == 0 || self.work.clearing.phase == Phase::Settle {
                self.canceled();
            }
            return;
        }
        if left == 0 {
            self.work.succeed(SuccessKind::Deleted);
            return self.say("deleted the group and everything in it");
        }
        match self.work.clearing.phase {
            Phase::Settle if busy > 0 => self.wait_for_others(busy, waited),
            Phase::Settle => self.begin(),
            Phase::LookUp => self.look_up(busy),
            Phase::Clear => self.clear(busy),
        }
    }

    /// Nothing is under way any more, and nothing else can begin.
    fn begin(&mut self) {
        let total = self.members.len();
        self.work.clearing.total = count(total);
        let unsettled = self.members.iter().filter(|it| it.unsettled).count();
        if unsettled == 0 {
            self.say(&format!("deleting {}", resources(total)));
            return self.begin_round(1);
        }
        self.say(&format!("searching AWS for {} with an unknown outcome", creates(unsettled)));
        self.work.clearing.phase = Phase::LookUp;
        self.work.clearing.round_at = self.now;
        self.turned = true;
    }

    /// What may exist unknown is looked for before anything else goes: its deletion does that.
    fn look_up(&mut self, busy: usize) {
        let members = self.members.iter().enumerate();
        let untried =
            members.filter(|(_, it)| it.unsettled && it.standing == Standing::Free).map(|it| it.0);
        self.launch = untried.take(AT_ONCE.saturating_sub(busy)).collect();
        if busy > 0 || !self.launch.is_empty() {
            return;
        }
        let unknown: Vec<&Member> = self.members.iter().filter(|it| it.unsettled).collect();
        if unknown.is_empty() {
            let left = self.members.len();
            self.say(&format!(
                "the outcome of every create is known; deleting {}",
                resources(left)
            ));
            return self.begin_round(1);
        }
        let message = format!(
            "the outcome of the create of {} is unknown, so nothing else was deleted; if the \
             resource exists, put its reference with `mapsTo.primaryIdentifier`; otherwise delete \
             the reference with `mode=detach`; then delete the group again",
            resources(unknown.len())
        );
        self.fail("AliasUnknown", message, &unknown);
    }

    fn clear(&mut self, busy: usize) {
        let free = self.members.iter().any(|it| it.standing == Standing::Free);
        if free {
            self.launch = order::next(self.members);
            self.launch.truncate(AT_ONCE.saturating_sub(busy));
        } else if busy == 0 {
            self.end_round();
        }
    }

    /// Everything that is left was tried: again, if anything went meanwhile.
    fn end_round(&mut self) {
        let GroupWork { round, tally, clearing, .. } = &self.work;
        let gone = tally.done.saturating_sub(clearing.gone_before);
        let left = self.members.len();
        if gone > 0 {
            let next = round.saturating_add(1);
            self.say(&format!("round {round}: {gone} deleted, {left} refused; retrying the rest"));
            return self.begin_round(next);
        }
        let message = format!(
            "{} of the group could not be deleted; the group accepts writes again, and deleted \
             resources stay deleted",
            resources(left)
        );
        let left: Vec<&Member> = self.members.iter().collect();
        self.fail("GroupNotEmpty", message, &left);
    }

    fn begin_round(&mut self, round: u32) {
        self.work.round = round;
        let clearing = &mut self.work.clearing;
        clearing.phase = Phase::Clear;
        clearing.round_at = self.now;
        clearing.gone_before = self.work.tally.done;
        clearing.turned_away.clear();
        self.turned = true;
    }

    fn canceled(&mut self) {
        let gone = self.work.tally.done;
        let message = format!(
            "stopped on request; {} deleted, and the group accepts writes again",
            if gone == 1 { "1 reference".to_owned() } else { format!("{gone} references") }
        );
        self.say(&format!("canceled: {message}"));
        self.work.ending = Some(Ending::Canceled(Failure {
            kind: FailureKind::Canceled,
            code: "OperationCanceled".to_owned(),
            message,
            findings: Vec::new(),
        }));
    }

    fn fail(&mut self, code: &str, message: String, about: &[&Member]) {
        self.say(&format!("failed: {code}: {message}"));
        let findings = about.iter().take(TOLD).map(|it| finding(it)).collect();
        self.work.ending = Some(Ending::Failed(Failure {
            // Not `Unknown`: what is not known is kept by the references, not by this operation.
            kind: FailureKind::Conflict,
            code: code.to_owned(),
            message,
            findings,
        }));
    }

    /// Notes that operations which began before the deletion have to end first.
    fn wait_for_others(&mut self, busy: usize, waited: Option<Waiting>) {
        let reason = match busy {
            1 => "1 earlier operation of the group has not ended".to_owned(),
            _ => format!("{busy} earlier operations of the group have not ended"),
        };
        let since = waited.map_or(self.now, |waited| waited.since);
        let reason = WaitReason::new(WaitCode::GroupBusy, reason);
        self.work.waiting = Some(reason.since(since, None, self.work.tries));
        self.say("waiting for running operations");
    }

    fn say(&mut self, message: &str) {
        self.message = Some(message.to_owned());
    }

    fn into_sweep(mut self, before: &GroupWork) -> Sweep {
        let moved = !self.launch.is_empty() || self.work.tally.done != before.tally.done;
        let look_after = if self.turned { Duration::ZERO } else { wait(moved, before.tries) };
        self.work.tries = if moved || self.turned { 0 } else { before.tries.saturating_add(1) };
        let Self { work, launch, message, .. } = self;
        Sweep { work, launch, look_after, message }
    }
}

/// How long to wait after so many looks in which nothing moved.
fn wait(moved: bool, tries: u32) -> Duration {
    let growth = if moved { 0 } else { i32::try_from(tries.min(16)).unwrap_or(16) };
    SOON.mul_f64(1.5f64.powi(growth)).min(LATEST)
}

fn finding(member: &Member) -> Finding {
    let (code, message) = match &member.standing {
        Standing::Refused { code, message } => (code.clone(), message.clone()),
        Standing::Free | Standing::Busy => {
            ("Conflict".to_owned(), "it was not attempted".to_owned())
        }
    };
    Finding { code, path: member.id.clone(), message }
}

fn creates(number: usize) -> String {
    if number == 1 { "1 create".to_owned() } else { format!("{number} creates") }
}

fn resources(number: usize) -> String {
    if number == 1 { "1 resource".to_owned() } else { format!("{number} resources") }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
