//! Sending the current attempt, and what a refusal or a silence means for it.

use super::super::attempt::{Attempt, AttemptOutcome, Verb};
use super::super::effect::{Effect, Step};
use super::super::ending::{Failure, FailureKind};
use super::super::event::{Refusal, RefusalClass};
use super::super::rules::{ATTEMPTS, BUSY_PATIENCE, CREATE_CALL_WITHIN, PATIENCE};
use super::super::state::{Stage, Then};
use super::course::Course;
use super::failure::{is_taken, refused};
use crate::retry::Wait;
use crate::{WaitCode, WaitReason};

impl Course {
    /// Sends the current attempt, or sends it again.
    pub(super) fn send(mut self) -> Step {
        let Some(attempt) = self.operation.current().cloned() else {
            // A delete of a reference that stands for nothing.
            return self.deleted_nothing();
        };
        match attempt.verb {
            Verb::Create => {
                let old = self.now.since(attempt.born_at) > CREATE_CALL_WITHIN;
                if self.rules.age_guard && old && attempt.made_nothing() {
                    // Nobody has ever accepted its token, so a new one is as good.
                    if let Some(attempt) = self.attempt() {
                        attempt.outcome = AttemptOutcome::Refused;
                    }
                    self.open_attempt(Verb::Create, attempt.replaces);
                } else if self.rules.age_guard && old {
                    self.lose_attempt();
                    return self.search(Then::Fail(expired()));
                }
                let (token, marked) = self.begin_call();
                self.say("create sent");
                self.perform(Effect::Create { token, marked })
            }
            Verb::Delete => match self.target() {
                Some(identifier) => {
                    let (token, _) = self.begin_call();
                    self.say(format!("delete of {identifier} sent"));
                    self.perform(Effect::Delete { identifier, token })
                }
                None => self.deleted_nothing(),
            },
            // A patch is never replayed: what it was computed against may be gone.
            Verb::Update => {
                if attempt.unanswered > 0
                    && let Some(attempt) = self.attempt()
                {
                    attempt.outcome = AttemptOutcome::Superseded;
                }
                self.operation.stage = Stage::Observe { absences: 0 };
                self.go_on()
            }
        }
    }

    /// The call of the current attempt was committed and not made.
    pub(super) fn not_sent(mut self) -> Step {
        if let Some(attempt) = self.attempt() {
            attempt.unanswered = attempt.unanswered.saturating_sub(1);
        }
        self.go_on()
    }

    /// The call of the current attempt failed.
    pub(super) fn call_failed(mut self, refusal: &Refusal) -> Step {
        let answered =
            !matches!(refusal.class, RefusalClass::Unanswered | RefusalClass::TokenConflict);
        if answered && let Some(attempt) = self.attempt() {
            attempt.unanswered = attempt.unanswered.saturating_sub(1);
        }
        match refusal.class {
            RefusalClass::Throttled | RefusalClass::Unreachable | RefusalClass::Unanswered
                if !self.out_of_patience(PATIENCE) =>
            {
                self.wait_for(WaitReason::of_refusal(refusal));
                return self.wait(Wait::Backoff, refusal.retry_after);
            }
            RefusalClass::Busy if refusal.names_request && !self.out_of_patience(BUSY_PATIENCE) => {
                self.wait_for(WaitReason::of_refusal(refusal));
                return self.wait(Wait::Busy, refusal.retry_after);
            }
            RefusalClass::Refused | RefusalClass::Forbidden if self.may_still_land() => {
                let message = format!(
                    "{}: {}; an earlier call got no response and may still take effect",
                    refusal.code, refusal.message
                );
                self.wait_for(WaitReason::new(WaitCode::LateCall, message));
                return self.wait(Wait::Backoff, refusal.retry_after);
            }
            _ => {}
        }
        match self.operation.current().map(|attempt| attempt.verb) {
            Some(Verb::Create) => self.create_refused(refusal),
            Some(Verb::Update) => self.update_refused(refusal),
            Some(Verb::Delete) => self.delete_refused(refusal),
            None => self.fail(refused(refusal)),
        }
    }

    /// Whether an update or a delete of ours that was never answered may still have its effect: what is
    /// read until then is not what will be. Creates are looked for instead.
    fn may_still_land(&self) -> bool {
        let own = self.operation.attempts.iter().filter(|it| it.operation == self.operation.id);
        own.filter(|attempt| attempt.verb != Verb::Create && attempt.unanswered > 0).any(
            |attempt| attempt.sent_at.is_some_and(|sent_at| self.now.since(sent_at) < PATIENCE),
        )
    }

    fn create_refused(mut self, refusal: &Refusal) -> Step {
        let failure = refused(refusal);
        let silent =
            matches!(refusal.class, RefusalClass::Unanswered | RefusalClass::TokenConflict);
        if silent {
            self.lose_attempt();
            return self.search(Then::Fail(failure));
        }
        if let Some(attempt) = self.attempt() {
            attempt.outcome = AttemptOutcome::Refused;
        }
        if self.tagging_refused(&refusal.code) {
            return self.search(Then::GoOn);
        }
        self.settle_failed_create(failure, None)
    }

    /// A create that made nothing, as far as its answer tells: frees the alias if every other call of
    /// the operation has an answer too, else looks for what those may have made. `taken` is what the
    /// cloud says has the name already.
    pub(super) fn settle_failed_create(self, failure: Failure, taken: Option<String>) -> Step {
        let is_taken = is_taken(&failure.code);
        // Our own create, made anew, may be what exists already.
        let creates = self.operation.attempts.iter().filter(|it| it.is_open_create()).count();
        let certain =
            self.operation.attempts.iter().all(Attempt::is_settled) && !(is_taken && creates > 1);
        match self.adoptable(taken) {
            Some(identifier) if certain && is_taken => self.adopt(identifier, failure),
            _ if certain || !self.rules.first_only => {
                let failure = if is_taken { self.with_a_way_in(failure) } else { failure };
                self.fail_and_free(failure)
            }
            _ => self.search(Then::Fail(failure)),
        }
    }

    /// Whether the cloud refused the marker tag; the next attempt then goes without.
    pub(super) fn tagging_refused(&mut self, code: &str) -> bool {
        let marked = self.operation.current().is_some_and(|attempt| attempt.marked);
        let refused = marked && code.starts_with("UnauthorizedTagging");
        if refused {
            self.operation.policy.marker = false;
            self.warning = Some(
                "AWS did not allow the marker tag; the resource is created without it, and cannot \
                 be found again if a response is lost"
                    .to_owned(),
            );
        }
        refused
    }

    fn update_refused(mut self, refusal: &Refusal) -> Step {
        let stale = matches!(
            refusal.class,
            RefusalClass::NotFound | RefusalClass::TokenConflict | RefusalClass::UnknownRequest
        );
        if let Some(attempt) = self.attempt() {
            attempt.outcome =
                if stale { AttemptOutcome::Superseded } else { AttemptOutcome::Refused };
        }
        let superseded = |it: &&Attempt| it.outcome == AttemptOutcome::Superseded;
        let tries = self.operation.attempts.iter().filter(superseded).count();
        // What cannot be read is never found to be gone, so a second try would be the same.
        let learns = self.operation.policy.readable || refusal.class != RefusalClass::NotFound;
        if stale && learns && tries <= 2 * ATTEMPTS && !self.out_of_patience(PATIENCE) {
            self.operation.stage = Stage::Observe { absences: 0 };
            return self.wait(Wait::Consistency, None);
        }
        self.write_failed(refused(refusal))
    }

    fn delete_refused(mut self, refusal: &Refusal) -> Step {
        if refusal.class == RefusalClass::NotFound {
            return self.nothing_to_delete();
        }
        if let Some(attempt) = self.attempt() {
            attempt.outcome = AttemptOutcome::Refused;
        }
        self.write_failed(refused(refusal))
    }

    /// Nobody knows what became of the current attempt.
    pub(super) fn lose_attempt(&mut self) {
        if let Some(attempt) = self.attempt() {
            attempt.outcome = AttemptOutcome::Lost;
        }
    }
}

fn expired() -> Failure {
    Failure {
        kind: FailureKind::Unknown,
        code: "CreateTooOld".to_owned(),
        message: "the create was started more than 24 hours ago and its result is unknown; it is \
                  not sent again"
            .to_owned(),
        findings: Vec::new(),
    }
}
