//! How a request of ours is doing: what its answers mean for operation and entry.

use std::time::Duration;

use super::super::attempt::{AttemptOutcome, Verb};
use super::super::effect::{Effect, Next, Step};
use super::super::ending::{Ending, Failure, FailureKind};
use super::super::entry::EntryState;
use super::super::event::{Progress, ProgressState, Refusal, RefusalClass};
use super::super::rules::{ATTEMPTS, BUSY_PATIENCE, GRACE, PENDING_FOR};
use super::super::state::{Stage, Then};
use super::course::Course;
use super::failure::{canceled, handler_failure, is_taken, is_transient};
use super::replace::with_what_is_left;
use crate::retry::Wait;
use crate::{WaitCode, WaitReason};

/// However soon it may be worth asking, it is not asked at once.
const NOTHING_NEW_FOR: Duration = Duration::from_millis(50);

impl Course {
    /// Asks how the request is doing, or asks once for it to be stopped.
    pub(super) fn ask(mut self) -> Step {
        let token = self.operation.current().and_then(|attempt| attempt.request_token.clone());
        let Some(request_token) = token else {
            self.operation.stage = Stage::Call;
            return self.send();
        };
        if self.operation.cancel_requested && !self.operation.cancel_sent {
            self.operation.cancel_sent = true;
            self.say("canceling the request in AWS");
            return self.perform(Effect::Cancel { request_token });
        }
        self.perform(Effect::Poll { request_token })
    }

    /// The cloud says how the request is doing.
    pub(super) fn progressed(mut self, progress: &Progress) -> Step {
        let answers_a_call = self.operation.stage == Stage::Call;
        let Some(attempt) = self.attempt() else {
            return self.go_on();
        };
        let verb = attempt.verb;
        let first = attempt.request_token.is_none();
        let newly_begun = !attempt.begun && progress.state == ProgressState::InProgress;
        attempt.request_token = Some(progress.request_token.clone());
        if answers_a_call {
            attempt.unanswered = attempt.unanswered.saturating_sub(1);
        }
        attempt.begun |= progress.state != ProgressState::Pending;
        if attempt.identifier.is_none() {
            attempt.identifier.clone_from(&progress.identifier);
        }
        if first {
            self.moved();
            self.say(format!("accepted by AWS as request {}", progress.request_token));
        } else if newly_begun {
            self.say("AWS is processing the request");
        }
        match progress.state {
            ProgressState::Pending | ProgressState::InProgress => self.running(progress),
            ProgressState::Success => self.request_done(verb),
            ProgressState::Failed => self.request_failed(verb, progress),
            ProgressState::Canceled => self.request_canceled(verb),
        }
    }

    /// Nobody asked the cloud, so that nothing is decided: not even that it takes too long.
    pub(super) fn nothing_new(self, again_after: Duration) -> Step {
        let until = self.now.after(again_after.max(NOTHING_NEW_FOR));
        self.into_step(Next::Wait { until })
    }

    fn running(mut self, progress: &Progress) -> Step {
        self.operation.stage = Stage::Poll;
        if self.request_is_late() {
            return self.timed_out();
        }
        if self.operation.cancel_requested && !self.operation.cancel_sent {
            return self.ask();
        }
        self.wait(Wait::Poll, progress.retry_after)
    }

    fn request_is_late(&self) -> bool {
        self.operation.current().is_some_and(|attempt| {
            let age = self.now.since(attempt.sent_at.unwrap_or(attempt.born_at));
            age > self.operation.policy.handler_timeout || (!attempt.begun && age > PENDING_FOR)
        })
    }

    fn timed_out(mut self) -> Step {
        let failure = Failure {
            kind: FailureKind::Unavailable,
            code: "RequestTimeout".to_owned(),
            message: "AWS did not finish the request in time; it may still finish".to_owned(),
            findings: Vec::new(),
        };
        let create = self.operation.current().is_some_and(|it| it.verb == Verb::Create);
        self.lose_attempt();
        // Even one with a name is unsettled: that it cannot be read now does not say that it never will,
        // and what has that name may be somebody else's.
        if create {
            return self.search(Then::Fail(failure));
        }
        self.write_failed(failure)
    }

    /// Whether the cloud has not named what the current attempt makes. The operation's own identifier
    /// does not say it: that may be of a resource which is gone.
    fn is_nameless(&self) -> bool {
        self.operation.current().is_none_or(|attempt| attempt.identifier.is_none())
    }

    fn request_done(mut self, verb: Verb) -> Step {
        if let Some(attempt) = self.attempt() {
            attempt.outcome = AttemptOutcome::Succeeded;
        }
        self.moved();
        if verb == Verb::Delete {
            // A call of it that comes later is this same request, and does nothing.
            if let Some(attempt) = self.attempt() {
                attempt.unanswered = 0;
            }
            return self.confirm_absence();
        }
        if verb == Verb::Create && self.is_nameless() {
            self.lose_attempt();
            return self.search(Then::Fail(forgotten("create")));
        }
        self.name_what_was_made();
        self.with_entry(|entry| entry.state = EntryState::Ready);
        self.documents.applied = true;
        self.operation.stage = Stage::Verify { since: self.now };
        if self.operation.policy.readable { self.go_on() } else { self.unverified() }
    }

    fn request_failed(mut self, verb: Verb, progress: &Progress) -> Step {
        if let Some(attempt) = self.attempt() {
            attempt.outcome = AttemptOutcome::Failed;
        }
        self.moved();
        let failure = handler_failure(progress.code.as_deref(), progress.message.as_deref());
        match verb {
            Verb::Create => self.create_failed(progress, failure),
            Verb::Update => self.update_failed(progress, failure),
            Verb::Delete => self.delete_failed(progress, failure),
        }
    }

    fn create_failed(mut self, progress: &Progress, failure: Failure) -> Step {
        if self.rules.taken_check && is_taken(&failure.code) {
            // What it names was there before: this request made nothing.
            let taken = self.attempt().and_then(|attempt| attempt.identifier.take());
            return self.settle_failed_create(failure, taken);
        }
        if !self.is_nameless() {
            if !self.rules.identifier_check {
                self.entry = None;
                return self.fail(failure);
            }
            if self.retire_what_was_made() {
                return self.fail(with_what_is_left(failure));
            }
            self.name_what_was_made();
            self.entry_failed();
            return self.fail(failure);
        }
        let again = is_transient(progress.code.as_deref()) && self.failures() < ATTEMPTS;
        if again || self.tagging_refused(progress.code.as_deref().unwrap_or_default()) {
            self.say(format!(
                "AWS failed ({}); searching for a created resource before the next attempt",
                failure.code
            ));
            return self.search(Then::GoOn);
        }
        self.settle_failed_create(failure, None)
    }

    fn update_failed(mut self, progress: &Progress, failure: Failure) -> Step {
        let code = progress.code.as_deref();
        let again = code == Some("NotFound") || is_transient(code);
        let blocked = code == Some("ResourceConflict")
            && names_a_request(&failure.message)
            && self.now.since(self.first_tried_at()) < BUSY_PATIENCE;
        if (again || blocked) && self.failures() < ATTEMPTS {
            self.operation.stage = Stage::Observe { absences: 0 };
            self.operation.tries = u32::try_from(self.failures()).unwrap_or(1);
            self.wait_for(to_repeat(&failure, blocked));
            return self.wait(if blocked { Wait::Busy } else { Wait::Backoff }, None);
        }
        self.write_failed(failure)
    }

    fn delete_failed(mut self, progress: &Progress, failure: Failure) -> Step {
        let code = progress.code.as_deref();
        if code == Some("NotFound") {
            return self.nothing_to_delete();
        }
        let blocked = code == Some("ResourceConflict")
            && names_a_request(&failure.message)
            && self.now.since(self.first_tried_at()) < BUSY_PATIENCE;
        if (is_transient(code) || blocked) && self.failures() < ATTEMPTS {
            let failures = self.failures();
            let replaced = self.operation.current().and_then(|it| it.replaces.clone());
            self.open_attempt(Verb::Delete, replaced);
            self.operation.tries = u32::try_from(failures).unwrap_or(1);
            self.wait_for(to_repeat(&failure, blocked));
            return self.wait(Wait::Backoff, None);
        }
        self.write_failed(failure)
    }

    fn request_canceled(mut self, verb: Verb) -> Step {
        if let Some(attempt) = self.attempt() {
            attempt.outcome = AttemptOutcome::Canceled;
        }
        let failure = canceled("AWS canceled the request before it finished");
        if verb == Verb::Create && self.is_nameless() {
            return self.search(Then::Fail(failure));
        }
        if self.operation.closing.is_some() {
            return self.not_retired(failure);
        }
        if verb == Verb::Create && self.retire_what_was_made() {
            return self.end(Ending::Canceled(with_what_is_left(failure)));
        }
        self.name_what_was_made();
        self.entry_failed();
        if self.operation.policy.readable {
            self.operation.stage = Stage::Verify { since: self.now };
            return self.go_on();
        }
        self.end(Ending::Canceled(failure))
    }

    /// A poll or a cancel failed.
    pub(super) fn poll_failed(mut self, refusal: &Refusal) -> Step {
        if refusal.class == RefusalClass::UnknownRequest {
            let sent_at = self.operation.current().and_then(|attempt| attempt.sent_at);
            if sent_at.is_some_and(|at| self.now.since(at) <= GRACE) {
                let message = "AWS does not know the request yet";
                self.wait_for(WaitReason::new(WaitCode::NotVisibleYet, message));
                return self.wait(Wait::Consistency, refusal.retry_after);
            }
            return self.request_forgotten();
        }
        if self.request_is_late() {
            return self.timed_out();
        }
        let unheard = matches!(
            refusal.class,
            RefusalClass::Throttled | RefusalClass::Unreachable | RefusalClass::Unanswered
        );
        if unheard {
            // It may have been the cancel that was not heard; to ask twice does no harm.
            self.operation.cancel_sent = false;
        }
        self.wait_for(WaitReason::of_refusal(refusal));
        self.wait(Wait::Backoff, refusal.retry_after)
    }

    /// The cloud no longer knows the request: what it did is to be read.
    fn request_forgotten(mut self) -> Step {
        self.moved();
        self.lose_attempt();
        match self.operation.current().map(|attempt| attempt.verb) {
            // While another stands in its place, a name alone does not say that it was made.
            Some(Verb::Create) if self.is_nameless() || self.old_one_stands() => {
                self.search(Then::Fail(forgotten("create")))
            }
            Some(Verb::Delete) => self.confirm_absence(),
            Some(Verb::Update) if self.failures() >= ATTEMPTS => {
                self.write_failed(forgotten("update"))
            }
            _ => {
                self.name_what_was_made();
                self.operation.stage = Stage::Observe { absences: 0 };
                self.go_on()
            }
        }
    }
}

/// The reason to try a request again at which AWS failed.
fn to_repeat(failure: &Failure, blocked: bool) -> WaitReason {
    let Failure { code, message, .. } = failure;
    if blocked {
        return WaitReason::new(WaitCode::ResourceBusy, "another request is changing the resource");
    }
    WaitReason::new(WaitCode::AwsNoAnswer, format!("AWS failed: {code}: {message}"))
}

/// The failure that a request is of which the cloud says nothing any more.
fn forgotten(what: &str) -> Failure {
    Failure {
        kind: FailureKind::Unknown,
        code: "RequestForgotten".to_owned(),
        message: format!("AWS no longer reports the result of the {what}"),
        findings: Vec::new(),
    }
}

/// Whether a message names the request that stands in the way. Many messages end with the id of the
/// service's own request, which stands in nobody's way.
fn names_a_request(message: &str) -> bool {
    let after = message.split("RequestToken").nth(1).unwrap_or_default();
    after
        .split(|c: char| !c.is_ascii_hexdigit() && c != '-')
        .any(|word| super::super::id::OperationId::parse(word).is_some())
}

#[cfg(test)]
mod tests {
    use super::names_a_request;

    #[test]
    fn the_id_of_a_services_own_request_is_not_the_request_in_the_way() {
        assert!(!names_a_request(
            "VPC Multi-AZ DB Instances are not available for engine: sqlserver-ex (Service: Rds, \
             Status Code: 400, Request ID: c6f2ad6b-29cc-4024-bbe5-7ce3e8a4b5ad)"
        ));
        assert!(names_a_request(
            "Concurrent operation found for resource vpc-1 with RequestToken \
             c6f2ad6b-29cc-4024-bbe5-7ce3e8a4b5ad"
        ));
    }
}
