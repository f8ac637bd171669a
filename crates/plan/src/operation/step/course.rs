//! An operation and its entry while one step moves them, and the moves that every part makes.

use std::time::Duration;

use super::super::attempt::{Attempt, AttemptOutcome, Verb};
use super::super::effect::{DocumentChange, Effect, EntryChange, Next, Step};
use super::super::ending::{Ending, Failure, FailureKind, SuccessKind};
use super::super::entry::{Entry, EntryState};
use super::super::rules::{GRACE, Rules};
use super::super::state::{Operation, Stage};
use super::failure::canceled;
use crate::retry::{self, Wait};
use crate::{Timestamp, WaitCode, WaitReason};

/// What one step works on.
pub(super) struct Course {
    pub(super) rules: Rules,
    pub(super) now: Timestamp,
    pub(super) operation: Operation,
    pub(super) entry: Option<Entry>,
    before: Option<Entry>,
    pub(super) documents: DocumentChange,
    pub(super) message: Option<String>,
    pub(super) warning: Option<String>,
    /// Why the wait that this step decides on is necessary.
    reason: Option<WaitReason>,
}

impl Course {
    pub(super) fn new(
        rules: Rules,
        operation: &Operation,
        entry: Option<&Entry>,
        now: Timestamp,
    ) -> Self {
        Self {
            rules,
            now,
            operation: operation.clone(),
            entry: entry.cloned(),
            before: entry.cloned(),
            documents: DocumentChange::default(),
            message: None,
            warning: None,
            reason: None,
        }
    }

    pub(super) fn into_step(mut self, next: Next) -> Step {
        if self.operation.is_ended() {
            self.operation.waiting = None;
        }
        self.with_entry(|entry| {
            if entry.state != EntryState::Failed {
                entry.failed_at = None;
            }
            // Invariant: what the alias stands for is never listed. A create can come back with the
            // name of the one that it was to replace, and a person can name one that was to go.
            entry.retiring.retain(|it| entry.identifier.as_ref() != Some(it));
        });
        let entry = match (self.before, self.entry) {
            (Some(_), None) => EntryChange::Free,
            (Some(before), Some(entry)) if before != entry => EntryChange::Save(entry),
            // An entry that is gone is not made again.
            _ => EntryChange::Keep,
        };
        Step {
            operation: self.operation,
            entry,
            documents: self.documents,
            next,
            message: self.message,
            warning: self.warning,
        }
    }

    pub(super) fn perform(self, effect: Effect) -> Step {
        self.into_step(Next::Perform(effect))
    }

    pub(super) fn say(&mut self, message: impl Into<String>) {
        self.message = Some(message.into());
    }

    /// Notes why the operation is about to wait, for its callers and its log.
    pub(super) fn wait_for(&mut self, reason: WaitReason) {
        self.say(format!("waiting: {}", reason.message));
        self.reason = Some(reason);
    }

    /// Changes the entry, where there is one.
    pub(super) fn with_entry(&mut self, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = &mut self.entry {
            change(entry);
        }
    }

    /// Notes that a write failed, and when.
    pub(super) fn entry_failed(&mut self) {
        let now = self.now;
        self.with_entry(|entry| {
            entry.state = EntryState::Failed;
            entry.failed_at = Some(now);
        });
    }

    /// Notes what the current attempt, a create that has ended, made.
    ///
    /// While it runs only the attempt names it: for a type that its caller names, the cloud tells the
    /// name before it has seen whether somebody else has a resource of that name.
    pub(super) fn name_what_was_made(&mut self) {
        let current = self.operation.current().filter(|it| it.verb == Verb::Create);
        let Some(attempt) = current.cloned() else { return };
        if let Some(identifier) = &attempt.identifier {
            self.move_to(identifier, attempt.replaces.as_deref());
        }
    }

    /// The alias now stands for a resource that was made for it. What it stood for retires in the same
    /// step, where that lives on.
    pub(super) fn move_to(&mut self, identifier: &str, replaced: Option<&str>) {
        self.operation.identifier = Some(identifier.to_owned());
        let notes = self.rules.retire_replaced;
        self.with_entry(|entry| {
            let before = entry.identifier.replace(identifier.to_owned());
            entry.owned = true;
            entry.unsettled.clear();
            if notes && let Some(old) = before.filter(|old| replaced == Some(old)) {
                retire(entry, &old);
            }
        });
    }

    /// Whether the alias names a resource that lives until another is made in its place.
    pub(super) fn old_one_stands(&self) -> bool {
        let Some(entry) = &self.entry else { return false };
        let mut creates = self.operation.attempts.iter().chain(&entry.unsettled);
        entry.identifier.is_some()
            && creates.any(|it| it.verb == Verb::Create && it.replaces == entry.identifier)
    }

    /// The attempt that is being made.
    pub(super) fn attempt(&mut self) -> Option<&mut Attempt> {
        let own = self.operation.id;
        self.operation.attempts.last_mut().filter(|attempt| attempt.operation == own)
    }

    pub(super) fn may_be_under_way(&self) -> bool {
        self.operation.attempts.iter().any(Attempt::may_be_under_way)
    }

    /// The tries of what the current attempt asks for.
    fn tries_of_the_same(&self) -> impl Iterator<Item = &Attempt> {
        let current = self.operation.current();
        self.operation.attempts.iter().filter(move |it| {
            current.is_some_and(|current| {
                (it.operation, it.verb, &it.replaces)
                    == (current.operation, current.verb, &current.replaces)
            })
        })
    }

    /// How often the cloud accepted what the current attempt asks for and failed at it, or forgot it.
    pub(super) fn failures(&self) -> usize {
        self.tries_of_the_same()
            .filter(|it| matches!(it.outcome, AttemptOutcome::Failed | AttemptOutcome::Lost))
            .count()
    }

    /// When what the current attempt asks for was first tried.
    pub(super) fn first_tried_at(&self) -> Timestamp {
        self.tries_of_the_same().next().map_or(self.operation.started_at, |it| it.born_at)
    }

    /// The resource that the current attempt, an update or a delete, is about.
    pub(super) fn target(&self) -> Option<String> {
        let current = self.operation.current().filter(|it| it.verb == Verb::Delete);
        let replaced = current.and_then(|it| it.replaces.clone());
        replaced.or_else(|| self.operation.identifier.clone())
    }

    /// Opens the next attempt, or takes up one that the cloud has certainly never seen. For `replaces`
    /// see [`Attempt::replaces`].
    pub(super) fn open_attempt(&mut self, verb: Verb, replaces: Option<String>) {
        let (id, now) = (self.operation.id, self.now);
        let reusable = self.operation.current().is_some_and(|attempt| {
            attempt.verb == verb
                && attempt.replaces == replaces
                && attempt.outcome == AttemptOutcome::Open
                && attempt.request_token.is_none()
                && attempt.unanswered == 0
                && verb != Verb::Create
        });
        if !reusable {
            let own = self.operation.attempts.iter().filter(|attempt| attempt.operation == id);
            let number = own.map(|attempt| attempt.number).max().unwrap_or(0) + 1;
            let marked = self.operation.policy.marker && verb == Verb::Create;
            let attempt = Attempt::new(id, number, verb, marked, now);
            self.operation.attempts.push(Attempt { replaces, ..attempt });
        }
        self.operation.stage = Stage::Call;
        // The waits of an update go on growing over the reads in between.
        if verb != Verb::Update {
            self.operation.tries = 0;
        }
    }

    /// Notes on the current attempt that a call is begun, and gives its token.
    pub(super) fn begin_call(&mut self) -> (String, bool) {
        let (now, rules) = (self.now, self.rules);
        let Some(attempt) = self.attempt() else {
            return (String::new(), false);
        };
        attempt.unanswered += 1;
        attempt.sent_at = Some(now);
        let token = if rules.stored_token {
            attempt.client_token.clone()
        } else {
            format!("{}-{}", attempt.client_token, attempt.unanswered)
        };
        (token, attempt.marked)
    }

    /// Lets go, and looks again after a span that grows with every wait in a row.
    pub(super) fn wait(mut self, wait: Wait, asked: Option<Duration>) -> Step {
        let span = retry::span(wait, self.operation.tries, self.operation.id);
        let span = span.max(asked.unwrap_or_default());
        self.operation.tries = self.operation.tries.saturating_add(1);
        self.operation.waiting_since.get_or_insert(self.now);
        if wait == Wait::Consistency && self.reason.is_none() {
            let message = "a read does not show the change yet";
            self.reason = Some(WaitReason::new(WaitCode::NotVisibleYet, message));
        }
        let until = self.now.after(span);
        self.wait_until(until)
    }

    /// Lets go, and looks again at an instant.
    pub(super) fn wait_until(mut self, until: Timestamp) -> Step {
        let (now, attempts) = (self.now, self.operation.tries);
        let before = self.operation.waiting.take();
        self.operation.waiting = self.reason.take().map(|reason| {
            let same = before.filter(|before| before.code == reason.code);
            reason.since(same.map_or(now, |before| before.since), Some(until), attempts)
        });
        self.into_step(Next::Wait { until })
    }

    /// Whether the cloud has been waited for longer than `patience`.
    pub(super) fn out_of_patience(&self, patience: Duration) -> bool {
        self.operation.waiting_since.is_some_and(|since| self.now.since(since) > patience)
    }

    /// When the read or look-up that was just answered was begun. Its worker may have slept since.
    pub(super) fn looked_at(&self) -> Timestamp {
        self.operation.looked_at.unwrap_or_default()
    }

    /// Whether what was not there has been missing for longer than a read can be late.
    pub(super) fn missing_for_long(&self) -> bool {
        let over = |since| self.looked_at().since(since) > GRACE;
        let failed_at = self.entry.as_ref().and_then(|entry| entry.failed_at);
        self.operation.waiting_since.is_some_and(over) || failed_at.is_some_and(over)
    }

    /// Something moved: the next wait is a short one again.
    pub(super) fn moved(&mut self) {
        self.operation.tries = 0;
        self.operation.waiting_since = None;
        self.operation.waiting = None;
    }

    /// Ends with a failure; the entry keeps what it has.
    pub(super) fn fail(self, failure: Failure) -> Step {
        self.end(Ending::Failed(failure))
    }

    /// An update or a delete failed: that ends the operation, unless what it deleted was replaced before.
    pub(super) fn write_failed(mut self, failure: Failure) -> Step {
        if self.operation.closing.is_some() {
            return self.not_retired(failure);
        }
        self.entry_failed();
        self.fail(failure)
    }

    /// Ends with a failure of a call that made nothing: a reference that never stood for anything is
    /// removed, one whose resource is gone stays, and one whose resource was to be replaced is as before.
    pub(super) fn fail_and_free(mut self, failure: Failure) -> Step {
        self.free();
        if failure.kind == FailureKind::Canceled {
            return self.end(Ending::Canceled(failure));
        }
        self.fail(failure)
    }

    /// Frees an alias that stands for nothing.
    pub(super) fn free(&mut self) {
        if self.old_one_stands() {
            return self.no_create_is_unsettled();
        }
        match &mut self.entry {
            Some(entry) if entry.identifier.is_some() => {
                entry.state = EntryState::Missing;
                entry.unsettled.clear();
            }
            Some(entry) if !entry.retiring.is_empty() => entry.unsettled.clear(),
            entry => *entry = None,
        }
    }

    /// Notes that every create of the alias is known to have made nothing, or what it made.
    pub(super) fn no_create_is_unsettled(&mut self) {
        let stands = self.old_one_stands();
        self.with_entry(|entry| {
            entry.unsettled.clear();
            if entry.state == EntryState::Unknown {
                entry.state = match entry.identifier {
                    Some(_) if stands => EntryState::Ready,
                    Some(_) => EntryState::Missing,
                    None => EntryState::Reserved,
                };
            }
        });
    }

    pub(super) fn end(mut self, ending: Ending) -> Step {
        let message = match &ending {
            Ending::Succeeded(success) => match success.kind {
                SuccessKind::Noop => "nothing to do",
                SuccessKind::Unlinked => "reference removed, resource kept",
                other => other.as_str(),
            }
            .to_owned(),
            Ending::Failed(failure) => format!("failed: {}: {}", failure.code, failure.message),
            Ending::Canceled(failure) => format!("canceled: {}", failure.message),
        };
        self.say(message);
        self.operation.ending = Some(ending);
        if self.operation.stage != Stage::Parked {
            self.operation.stage = Stage::Done;
        }
        let own = self.operation.id;
        self.with_entry(|entry| {
            if entry.operation == Some(own) {
                entry.operation = None;
            }
        });
        self.stop()
    }

    /// Stopped between calls: nothing is under way, and no create is unsettled.
    pub(super) fn canceled_between_calls(mut self) -> Step {
        if self.operation.closing.is_some() {
            return self.close();
        }
        match &self.entry {
            Some(entry) if entry.state == EntryState::Reserved && entry.identifier.is_some() => {
                self.entry_failed();
            }
            Some(entry) if entry.state == EntryState::Reserved => self.free(),
            _ => {}
        }
        let own = self.operation.id;
        let may_have_acted =
            |it: &&Attempt| it.sent_at.is_some() && !(it.verb == Verb::Create && it.made_nothing());
        let own = self.operation.attempts.iter().filter(|it| it.operation == own);
        let sent = own.filter(may_have_acted).count() > 0;
        let missing = self.entry.as_ref().is_some_and(|it| it.state == EntryState::Missing);
        let in_between = missing && self.is_replacing();
        self.end(Ending::Canceled(canceled(if in_between {
            "stopped on request after the resource was deleted and before its replacement was \
             created"
        } else if sent {
            "stopped on request; an earlier call may have taken effect"
        } else {
            "stopped on request before anything was changed"
        })))
    }

    /// Frees an alias whose only resource turned out to be another reference's.
    pub(super) fn free_if_nameless(&mut self) {
        let free = self.entry.as_ref().is_some_and(|entry| match entry.state {
            EntryState::Reserved => true,
            EntryState::Unknown => entry.identifier.is_none(),
            EntryState::Ready | EntryState::Failed | EntryState::Missing => false,
        });
        if free && self.entry.as_ref().is_some_and(|entry| entry.retiring.is_empty()) {
            self.entry = None;
        } else if self.old_one_stands() {
            self.no_create_is_unsettled();
        }
    }

    /// Another reference names the resource that this one was about to name.
    pub(super) fn mapped_elsewhere(mut self, reference: &str) -> Step {
        if self.operation.closing.is_some() {
            return self.go_on();
        }
        let failure = Failure {
            kind: FailureKind::Conflict,
            code: "ResourceMapped".to_owned(),
            message: format!("the resource is already mapped by {reference}"),
            findings: Vec::new(),
        };
        // That one names the resource: nothing is forgotten when this alias is freed.
        self.free_if_nameless();
        self.fail(failure)
    }
}

/// Notes that a resource which the alias does not stand for is to be deleted.
pub(super) fn retire(entry: &mut Entry, identifier: &str) {
    if !entry.retiring.iter().any(|it| it == identifier) {
        entry.retiring.push(identifier.to_owned());
    }
}
