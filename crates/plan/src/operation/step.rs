//! The next state of an operation, and the one thing to do: pure, total, the same for happy path and recovery.
//!
//! `read` decides on what a read found, `call` on what a write was answered, `poll` on how a request is
//! doing, `look_up` on what a search found, `absence` on whether what was deleted is gone; `replace` makes
//! another in the place of one, `retire` deletes what was replaced before the end, `adopt` takes in what
//! has the name. All of them move a [`Course`].

mod absence;
mod adopt;
mod call;
mod course;
mod failure;
#[cfg(test)]
mod laws;
mod look_up;
mod poll;
mod read;
mod replace;
mod retire;
#[cfg(test)]
mod tests;

use course::Course;

use super::effect::{Effect, Next, Step};
use super::entry::Entry;
use super::event::Event;
use super::rules::{BUSY_PATIENCE, Rules};
use super::state::{Kind, Operation, Stage};
use crate::Timestamp;

/// What is true after `event`, and what comes next.
///
/// `entry` is the reference's as it is stored; none for an operation without a reference, or when it
/// is gone.
pub fn step(operation: &Operation, entry: Option<&Entry>, event: &Event, now: Timestamp) -> Step {
    step_with(Rules::ALL, operation, entry, event, now)
}

/// The same by fewer rules, for tests of the tests.
pub fn step_with(
    rules: Rules,
    operation: &Operation,
    entry: Option<&Entry>,
    event: &Event,
    now: Timestamp,
) -> Step {
    let course = Course::new(rules, operation, entry, now);
    if operation.is_ended() {
        return course.after_the_end(event);
    }
    match event {
        // An answer to something else says nothing; the stage says where to begin again.
        _ if !answers(event, &operation.stage) => course.go_on(),
        Event::Claimed => course.go_on(),
        Event::NotSent => course.not_sent(),
        Event::Observed(observed) => course.observed(observed),
        Event::ReadFailed(refusal) => course.read_failed(refusal),
        Event::Progressed(progress) => course.progressed(progress),
        Event::NothingNew { again_after } => course.nothing_new(*again_after),
        Event::CallFailed(refusal) => course.call_failed(refusal),
        Event::PollFailed(refusal) => course.poll_failed(refusal),
        Event::LookedUp(found) => course.looked_up(found),
        Event::LookUpFailed(refusal) => course.look_up_failed(refusal),
        Event::MappedElsewhere { reference } => course.mapped_elsewhere(reference),
    }
}

/// Whether an event is one that an operation in this stage has asked for.
fn answers(event: &Event, stage: &Stage) -> bool {
    match event {
        Event::Claimed | Event::MappedElsewhere { .. } => true,
        Event::Observed(_) | Event::ReadFailed(_) => {
            matches!(stage, Stage::Observe { .. } | Stage::Verify { .. })
        }
        Event::Progressed(_) => matches!(stage, Stage::Call | Stage::Poll),
        Event::CallFailed(_) | Event::NotSent => matches!(stage, Stage::Call),
        Event::PollFailed(_) | Event::NothingNew { .. } => matches!(stage, Stage::Poll),
        Event::LookedUp(_) | Event::LookUpFailed(_) => matches!(stage, Stage::LookUp { .. }),
    }
}

impl Course {
    /// Begins, or begins again after a crash or a wait: the stage says where.
    fn go_on(self) -> Step {
        // What was begun is followed to its end: a look-up, a read after the write, a request.
        let between = matches!(self.operation.stage, Stage::Observe { .. } | Stage::Call);
        if self.operation.cancel_requested && between && !self.may_be_under_way() {
            return self.canceled_between_calls();
        }
        match self.operation.stage {
            Stage::Observe { .. } | Stage::Verify { .. } => self.observe(),
            Stage::Call if self.is_unlink_to_begin() => self.unlinked(),
            Stage::Call => self.send(),
            Stage::Poll => self.ask(),
            Stage::LookUp { .. } => self.look(),
            // Only ended operations are parked or done.
            Stage::Parked | Stage::Done => self.stop(),
        }
    }

    fn is_unlink_to_begin(&self) -> bool {
        self.operation.kind == Kind::Unlink && self.operation.closing.is_none()
    }

    /// Reads the resource: what was written, or what is to be decided on.
    fn observe(mut self) -> Step {
        self.operation.looked_at = Some(self.now);
        let identifier = match self.operation.stage {
            Stage::Verify { .. } => self.target(),
            _ => self.operation.identifier.clone(),
        };
        match identifier {
            Some(identifier) => self.perform(Effect::Observe { identifier }),
            // Nothing to read is nothing there.
            None => self.observed(&super::event::Observed::Absent),
        }
    }

    /// An ended operation moves only its entry, and only if that is still waiting for it.
    fn after_the_end(mut self, event: &Event) -> Step {
        let unsettled = self.operation.stage == Stage::Parked
            && self.entry.as_ref().is_some_and(|entry| {
                entry.unsettled.iter().any(|it| it.operation == self.operation.id)
            });
        let busy = self.entry.as_ref().is_some_and(|entry| entry.operation.is_some());
        let waiting = unsettled && !busy;
        match event {
            // A newer operation looks itself; if it settles nothing, it is this one's turn again.
            _ if unsettled && busy => {
                let until = self.now.after(BUSY_PATIENCE);
                self.into_step(Next::Wait { until })
            }
            Event::Claimed if waiting => self.look(),
            Event::LookedUp(found) if waiting => self.settled_later(found),
            Event::LookUpFailed(refusal) if waiting => self.look_again_later(refusal),
            Event::MappedElsewhere { .. } if waiting => self.settled_elsewhere(),
            _ => {
                self.operation.stage = Stage::Done;
                self.stop()
            }
        }
    }

    pub(super) fn stop(self) -> Step {
        self.into_step(Next::Stop)
    }
}
