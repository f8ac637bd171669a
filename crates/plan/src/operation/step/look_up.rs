//! What became of a create whose answer is not known: found, certainly nothing, or parked for a person.

use super::super::attempt::{Attempt, AttemptOutcome, Verb};
use super::super::effect::{Effect, Next, Step};
use super::super::ending::{Convergence, Ending, Failure, FailureKind};
use super::super::entry::EntryState;
use super::super::event::{Found, Refusal, RefusalClass};
use super::super::rules::{PATIENCE, QUARANTINE};
use super::super::state::{Kind, Stage, Then};
use super::course::{Course, retire};
use super::failure::{is_taken, not_found, refused};
use super::replace::with_what_is_left;
use crate::retry::{self, Wait};
use crate::{Timestamp, WaitCode, WaitReason};

/// Where what was found went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placed {
    /// The alias stands for it.
    Current,
    /// It retires, and the alias stands for what it did before.
    Aside,
}

impl Course {
    /// Begins a look-up; `then` is done if it finds nothing.
    pub(super) fn search(mut self, then: Then) -> Step {
        self.operation.stage = Stage::LookUp { then };
        self.operation.waiting_since = None;
        self.look()
    }

    /// Looks for what the creates that are not settled may have made.
    pub(super) fn look(mut self) -> Step {
        self.operation.looked_at = Some(self.now);
        let attempts = if self.operation.is_ended() {
            self.entry.as_ref().map(|entry| entry.unsettled.clone()).unwrap_or_default()
        } else {
            self.open_creates()
        };
        self.perform(Effect::LookUp { attempts })
    }

    /// The creates of which it is not known what they made, those that were taken over included. What
    /// the others made is known, and must not be taken for what these did.
    fn open_creates(&self) -> Vec<Attempt> {
        self.operation.attempts.iter().filter(|it| it.is_open_create()).cloned().collect()
    }

    pub(super) fn looked_up(mut self, found: &Found) -> Step {
        let Stage::LookUp { then } = self.operation.stage.clone() else {
            return self.go_on();
        };
        self.moved();
        match found {
            Found::One(identifier) => self.found(identifier, then),
            Found::Nothing
                if all_settled(
                    &self.operation.attempts,
                    self.looked_at(),
                    self.rules.quarantine,
                ) =>
            {
                self.nothing_was_made(then)
            }
            Found::Nothing => self.park(then, &[]),
            Found::Undecided { candidates } => self.park(then, candidates),
        }
    }

    /// The resource is known again: the operation goes on from what it is now.
    fn found(mut self, identifier: &str, then: Then) -> Step {
        self.say(format!("found {identifier}"));
        let creates = self.open_creates();
        let own = self.operation.id;
        let is_own = creates.iter().all(|it| it.operation == own);
        let asked = self.operation.identifier.clone();
        if self.place(identifier, &creates) == Placed::Aside {
            return self.go_on_with_the_old_one(then);
        }
        for attempt in &mut self.operation.attempts {
            if attempt.is_open_create() && !attempt.made_nothing() {
                attempt.identifier.get_or_insert_with(|| identifier.to_owned());
                attempt.outcome = AttemptOutcome::Succeeded;
            }
        }
        self.documents.applied = is_own;
        self.documents.forgotten = !is_own;
        match self.operation.kind {
            // An import names its resource, and the alias turned out to stand for another.
            Kind::Import { .. } if !is_own && asked.as_deref() != Some(identifier) => {
                self.fail(stands_for(identifier))
            }
            Kind::Put | Kind::Import { .. } => {
                self.operation.stage = Stage::Observe { absences: 0 };
                self.go_on()
            }
            Kind::Delete => {
                self.open_attempt(Verb::Delete, None);
                self.send()
            }
            Kind::Unlink => self.unlinked(),
        }
    }

    /// Puts what creates made in its place: the alias stands for it, or it retires.
    fn place(&mut self, identifier: &str, creates: &[Attempt]) -> Placed {
        // What a stopped create left behind may not be whole, and the one that it was to replace is.
        let stopped = |it: &Attempt| it.outcome == AttemptOutcome::Canceled;
        let mut makers = creates.iter().filter(|it| !it.made_nothing()).peekable();
        if self.old_one_stands() && makers.peek().is_some() && makers.all(stopped) {
            self.no_create_is_unsettled();
            self.with_entry(|entry| retire(entry, identifier));
            return Placed::Aside;
        }
        let replaced = creates.iter().find_map(|it| it.replaces.clone());
        self.move_to(identifier, replaced.as_deref());
        self.with_entry(|entry| entry.state = EntryState::Ready);
        Placed::Current
    }

    /// What was found is not to be used, and the alias stands for what it did before.
    fn go_on_with_the_old_one(mut self, then: Then) -> Step {
        let own = self.operation.id;
        self.operation.attempts.retain(|attempt| attempt.operation == own);
        match then {
            Then::Fail(failure) => self.fail_and_free(with_what_is_left(failure)),
            Then::GoOn => self.go_on_without_creates(),
        }
    }

    fn nothing_was_made(mut self, then: Then) -> Step {
        self.no_create_is_unsettled();
        let own = self.operation.id;
        self.operation.attempts.retain(|attempt| attempt.operation == own);
        if let Then::Fail(failure) = then {
            return self.fail_and_free(failure);
        }
        if self.operation.cancel_requested {
            return self.canceled_between_calls();
        }
        match self.operation.current().filter(|it| it.verb == Verb::Create).cloned() {
            Some(create) => self.create_anew(create.replaces),
            None => self.go_on_without_creates(),
        }
    }

    /// Creates with another token, after a while where the cloud failed at it.
    fn create_anew(mut self, replaces: Option<String>) -> Step {
        let failures = self.failures();
        self.open_attempt(Verb::Create, replaces);
        if failures == 0 {
            return self.send();
        }
        self.operation.tries = u32::try_from(failures).unwrap_or(1);
        let message = "the create failed in AWS and is sent again";
        self.wait_for(WaitReason::new(WaitCode::AwsNoAnswer, message));
        self.wait(Wait::Backoff, None)
    }

    /// The creates of earlier operations are settled: goes on with what is asked.
    fn go_on_without_creates(mut self) -> Step {
        let stands = self.entry.as_ref().is_some_and(|it| it.state == EntryState::Ready);
        match self.operation.kind {
            Kind::Put if !stands && !self.operation.policy.may_create => {
                let failure = not_found(self.operation.identifier.as_deref());
                self.fail_and_free(failure)
            }
            Kind::Put if !stands => self.create_anew(None),
            Kind::Put | Kind::Import { .. } => {
                self.operation.stage = Stage::Observe { absences: 0 };
                self.go_on()
            }
            Kind::Delete => self.deleted_or_gone(),
            Kind::Unlink => self.unlinked(),
        }
    }

    /// Nothing was made; an older resource that the alias stood for is deleted as any.
    fn deleted_or_gone(mut self) -> Step {
        match self.entry.as_ref().and_then(|entry| entry.identifier.clone()) {
            Some(_) if self.entry.as_ref().is_some_and(|entry| !entry.owned) => self.unlinked(),
            Some(identifier) => {
                self.operation.identifier = Some(identifier);
                self.open_attempt(Verb::Delete, None);
                self.send()
            }
            None => self.deleted(Convergence::Converged),
        }
    }

    /// Gives up for now: the alias is unknown until look-up or a person settles it.
    fn park(mut self, then: Then, candidates: &[String]) -> Step {
        let mut unsettled = self.open_creates();
        unsettled.retain(|attempt| !attempt.made_nothing());
        // A name that is taken may be taken by a create of ours, whatever its answers say.
        let taken = matches!(&then, Then::Fail(failure) if is_taken(&failure.code));
        if unsettled.is_empty() && !taken {
            return self.nothing_was_made(then);
        }
        let may_be = match candidates {
            [] => String::new(),
            some => format!(" (possibly {})", some.join(" or ")),
        };
        let cause = match then {
            Then::Fail(failure) => format!("{}: {}; ", failure.code, failure.message),
            Then::GoOn => String::new(),
        };
        let until = quarantine_end(&unsettled, self.now);
        let and_again = match self.entry.as_ref().and_then(|it| it.identifier.as_deref()) {
            Some(old) if self.old_one_stands() => {
                format!("; then import {old} again, which was to be replaced")
            }
            _ => String::new(),
        };
        let failure = Failure {
            kind: FailureKind::Unknown,
            code: "AliasUnknown".to_owned(),
            message: format!(
                "{cause}a create may have created a resource with an unknown identifier{may_be}; \
                 Hangar searches again after {} minutes and at each write; if the resource exists, \
                 put the reference with its `mapsTo.primaryIdentifier`; otherwise delete the \
                 reference with `mode=detach`{and_again}",
                QUARANTINE.as_secs() / 60
            ),
            findings: Vec::new(),
        };
        let own = self.operation.id;
        let parked =
            self.operation.policy.tracked && unsettled.iter().any(|it| it.operation == own);
        self.with_entry(|entry| {
            entry.state = EntryState::Unknown;
            entry.unsettled = unsettled;
        });
        self.operation.stage = if parked { Stage::Parked } else { Stage::Done };
        self.operation.tries = 0;
        let mut step = self.end(Ending::Failed(failure));
        if parked {
            step.next = Next::Wait { until };
        }
        step
    }

    /// A look-up failed: nothing was learnt.
    pub(super) fn look_up_failed(mut self, refusal: &Refusal) -> Step {
        if !is_hopeless(refusal) && !self.out_of_patience(PATIENCE) {
            self.wait_for(WaitReason::of_refusal(refusal));
            return self.wait(Wait::Backoff, refusal.retry_after);
        }
        self.operation.waiting_since = None;
        let then = match self.operation.stage.clone() {
            Stage::LookUp { then: Then::Fail(failure) } => Then::Fail(failure),
            _ => Then::Fail(refused(refusal)),
        };
        self.park(then, &[])
    }

    /// The look-up of a parked operation, when the quarantine is over.
    pub(super) fn settled_later(mut self, found: &Found) -> Step {
        let unsettled = self.entry.as_ref().map(|it| it.unsettled.clone()).unwrap_or_default();
        match found {
            Found::One(identifier) => {
                self.say(format!("found {identifier} after all"));
                // The document that it was made from went with the end of the operation.
                self.documents.forgotten = self.place(identifier, &unsettled) == Placed::Current;
            }
            Found::Nothing if all_settled(&unsettled, self.looked_at(), self.rules.quarantine) => {
                self.free();
                self.say(match self.entry {
                    Some(_) => "no resource was created; the alias is unchanged",
                    None => "no resource was created; the alias is free",
                });
            }
            Found::Nothing => {
                let until = quarantine_end(&unsettled, self.now);
                return self.into_step(Next::Wait { until });
            }
            Found::Undecided { .. } => {
                self.say("searched again: the created resource cannot be determined");
            }
        }
        self.operation.stage = Stage::Done;
        self.stop()
    }

    /// The look-up of a parked operation failed: nobody waits for it, so it takes its time.
    pub(super) fn look_again_later(mut self, refusal: &Refusal) -> Step {
        if is_hopeless(refusal) {
            self.operation.tries = self.operation.tries.max(retry::HOURLY);
        }
        self.wait(Wait::LookAgain, refusal.retry_after)
    }

    /// What a parked operation found is named by another reference.
    pub(super) fn settled_elsewhere(mut self) -> Step {
        self.say("the created resource is mapped by another reference");
        self.free_if_nameless();
        self.operation.stage = Stage::Done;
        self.stop()
    }
}

/// Whether the same look-up will fail the same way until a person changes something.
fn is_hopeless(refusal: &Refusal) -> bool {
    matches!(refusal.class, RefusalClass::Refused | RefusalClass::Forbidden)
}

/// Whether a look-up that was begun then and found nothing proves that these creates made nothing.
fn all_settled(attempts: &[Attempt], looked_at: Timestamp, quarantine: bool) -> bool {
    attempts.iter().all(|attempt| {
        let landed = looked_at.since(attempt.sent_at.unwrap_or(attempt.born_at)) >= QUARANTINE;
        attempt.is_settled() || landed || !quarantine
    })
}

fn stands_for(identifier: &str) -> Failure {
    Failure {
        kind: FailureKind::Conflict,
        code: "AliasMapped".to_owned(),
        message: format!(
            "an earlier create of this alias had created {identifier}; the alias now maps to it"
        ),
        findings: Vec::new(),
    }
}

/// When no call of these creates can arrive any more.
fn quarantine_end(attempts: &[Attempt], now: Timestamp) -> Timestamp {
    let ends = attempts.iter().filter_map(|it| it.sent_at).map(|at| at.after(QUARANTINE));
    ends.max().unwrap_or(now).max(now.after(std::time::Duration::from_secs(1)))
}
