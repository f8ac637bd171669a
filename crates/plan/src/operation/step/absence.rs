//! Whether what was deleted is gone, and what comes of it: the reference goes, another is made, or what was
//! replaced is off the list.

use super::super::attempt::{AttemptOutcome, Verb};
use super::super::effect::Step;
use super::super::ending::{Convergence, Failure, FailureKind, SuccessKind};
use super::super::rules::QUARANTINE;
use super::super::state::{Kind, Stage};
use super::course::Course;
use super::failure::still_there;
use crate::{Timestamp, WaitCode, WaitReason};

impl Course {
    /// The cloud says that it is deleted: a read must agree before the reference goes, or another is made.
    pub(super) fn confirm_absence(mut self) -> Step {
        self.moved();
        if !self.rules.confirmed_absence {
            return self.gone();
        }
        if !self.operation.policy.readable {
            return self.deleted_unseen();
        }
        self.operation.stage = Stage::Verify { since: self.now };
        self.go_on()
    }

    /// Ends a delete that could not be read back: the reference goes only if the cloud said so itself.
    pub(super) fn deleted_unseen(self) -> Step {
        match self.operation.current().map(|it| it.outcome) {
            Some(AttemptOutcome::Succeeded) => return self.gone(),
            Some(AttemptOutcome::Canceled) => return self.unverified(),
            _ => {}
        }
        self.write_failed(Failure {
            kind: FailureKind::Unavailable,
            code: "DeleteUnconfirmed".to_owned(),
            message:
                "AWS no longer reports the result of the delete, and the resource cannot be read"
                    .to_owned(),
            findings: Vec::new(),
        })
    }

    /// What was to be deleted is gone.
    pub(super) fn gone(mut self) -> Step {
        self.moved();
        let replaced = self.operation.current().and_then(|it| it.replaces.clone());
        if replaced.is_none()
            && self.operation.policy.tracked
            && let Some(until) = self.a_delete_may_land_until()
        {
            self.operation.stage = Stage::Verify { since: self.now };
            let message = "the resource is gone, but an earlier delete got no response and may \
                           still take effect";
            self.wait_for(WaitReason::new(WaitCode::LateCall, message));
            return self.wait_until(until);
        }
        match (replaced, &self.operation.kind) {
            (Some(identifier), _) => self.retired(&identifier),
            (None, Kind::Put | Kind::Import { .. }) => self.make_anew(),
            (None, Kind::Delete | Kind::Unlink) => self.deleted(Convergence::Converged),
        }
    }

    /// Until when a delete whose answer is not known may still arrive. What is made next can have the same
    /// name, and would be deleted by it.
    fn a_delete_may_land_until(&self) -> Option<Timestamp> {
        let own = self.operation.attempts.iter().filter(|it| it.operation == self.operation.id);
        let unanswered = own.filter(|it| it.verb == Verb::Delete && it.unanswered > 0);
        let until = unanswered.filter_map(|it| it.sent_at).map(|at| at.after(QUARANTINE)).max();
        until.filter(|until| *until > self.now)
    }

    /// The cloud does not know what is to be deleted: it is gone, or was never there.
    pub(super) fn nothing_to_delete(mut self) -> Step {
        let only = self.operation.attempts.len() == 1
            && self.operation.current().is_some_and(|it| it.unanswered == 0);
        if only && !self.operation.policy.tracked {
            return self.succeed(SuccessKind::Noop, Convergence::Unverified, Vec::new());
        }
        if let Some(attempt) = self.attempt() {
            attempt.outcome = AttemptOutcome::Succeeded;
        }
        self.confirm_absence()
    }

    /// A delete of what stands for nothing.
    pub(super) fn deleted_nothing(self) -> Step {
        self.deleted(Convergence::Unverified)
    }

    /// The delete is done and the resource is not gone.
    pub(super) fn still_there(self) -> Step {
        let identifier = self.target().unwrap_or_default();
        let is_lost = self.operation.current().is_some_and(|it| it.outcome == AttemptOutcome::Lost);
        self.write_failed(still_there(&identifier, is_lost))
    }
}
