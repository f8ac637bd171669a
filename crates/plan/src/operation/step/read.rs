//! What a read found: what is to be done, or whether what was done shows.

use super::super::attempt::{AttemptOutcome, Verb};
use super::super::effect::{Effect, Step};
use super::super::ending::{Convergence, Ending, Failure, FailureKind, Finding, SuccessKind};
use super::super::entry::EntryState;
use super::super::event::{ChangeKind, NewForms, Observed, Refusal, RefusalClass};
use super::super::rules::{GRACE, PATIENCE};
use super::super::state::{Kind, Stage};
use super::course::{Course, retire};
use super::failure::{invalid, not_found, not_recreatable, refused, secrets_required, stopped};
use crate::Timestamp;
use crate::WaitReason;
use crate::retry::Wait;

/// How often in a row a resource that an alias stands for must be missing before another is made.
const ABSENCES: u8 = 2;

/// How often a write that does not show is read again.
const REREADS: u32 = 3;

impl Course {
    /// A read was answered.
    pub(super) fn observed(self, observed: &Observed) -> Step {
        match self.operation.stage {
            Stage::Verify { since } => self.verified(observed, since),
            Stage::Observe { absences } => self.decide(observed, absences),
            _ => self.go_on(),
        }
    }

    fn decide(mut self, observed: &Observed, absences: u8) -> Step {
        match observed {
            Observed::Absent => self.absent(absences),
            Observed::Present { identifier, change, .. } => {
                // A second read of an update shows what the first one wrote: what was there before stays on record.
                self.documents.observed =
                    self.operation.sent(Verb::Update) == 0 || *change == ChangeKind::None;
                self.name_what_is_there(identifier);
                self.compare(change, Convergence::Converged)
            }
            // What cannot be read is missing only because it was deleted here.
            Observed::Unreadable { .. } if self.is_to_be_made_unread() => {
                self.make_what_is_missing()
            }
            Observed::Unreadable { change } => self.compare(change, Convergence::Unverified),
            Observed::Moved { findings } => self.plan_moved("needs another change", findings),
        }
    }

    /// What has to be done is not what was planned: nothing is.
    fn plan_moved(self, now: &str, findings: &[Finding]) -> Step {
        let failure = match &self.operation.policy.held {
            Some(held) => held.failure(now, findings.to_vec()),
            None => invalid(findings),
        };
        self.not_read(failure)
    }

    /// The alias stands for what a read has shown: what it stood for before, or what a person says that it
    /// does. A person's word also settles its creates: what one of them was to replace retires.
    fn name_what_is_there(&mut self, identifier: &str) {
        self.operation.identifier = Some(identifier.to_owned());
        let adopted = self.operation.adopting.take().is_some();
        let stood = self.old_one_stands();
        let mut another = false;
        self.with_entry(|entry| {
            let before = entry.identifier.replace(identifier.to_owned());
            let settles = adopted || !entry.unsettled.is_empty();
            entry.unsettled.clear();
            if entry.state == EntryState::Missing {
                entry.state = EntryState::Ready;
            }
            if let Some(before) = before.filter(|before| settles && before != identifier) {
                another = true;
                if stood {
                    retire(entry, &before);
                }
            }
        });
        self.documents.forgotten |= another;
    }

    /// Whether a put has to make a resource of which no read can say that it is gone; not a second time.
    fn is_to_be_made_unread(&self) -> bool {
        let missing = self.entry.as_ref().is_some_and(|it| it.state == EntryState::Missing);
        missing && self.operation.kind == Kind::Put && self.operation.sent(Verb::Create) == 0
    }

    fn compare(mut self, change: &ChangeKind, convergence: Convergence) -> Step {
        // A read between two calls of an update is no progress: else a busy cloud is asked for ever.
        if self.operation.sent(Verb::Update) == 0 {
            self.moved();
        }
        if let Kind::Import { owned, .. } = self.operation.kind {
            self.with_entry(|entry| {
                entry.owned = owned;
                if matches!(entry.state, EntryState::Reserved | EntryState::Unknown) {
                    entry.state = EntryState::Ready;
                }
            });
        }
        if let Kind::Import { apply: false, .. } = self.operation.kind {
            return self.succeed(SuccessKind::Imported, convergence, Vec::new());
        }
        match change {
            ChangeKind::None => {
                self.documents.applied = true;
                self.with_entry(|entry| entry.state = EntryState::Ready);
                let kind = self.deed();
                self.succeed(kind, convergence, Vec::new())
            }
            ChangeKind::Update { paths } => {
                self.open_attempt(Verb::Update, None);
                let (token, _) = self.begin_call();
                let identifier = self.operation.identifier.clone().unwrap_or_default();
                self.say(format!("update of {} sent", paths.join(", ")));
                self.operation.changed.clone_from(paths);
                self.perform(Effect::Update { identifier, token })
            }
            // It was made from what is wanted: to make another would change nothing.
            ChangeKind::Replace(findings) if self.is_replacing() => {
                let paths = findings.iter().map(|finding| finding.path.clone()).collect();
                self.documents.applied = true;
                self.written(Convergence::AcceptedNotEffective, paths)
            }
            ChangeKind::Replace(findings) => self.replace(findings),
            ChangeKind::Invalid(findings) => self.fail(invalid(findings)),
            ChangeKind::SecretsRequired(findings) => self.fail(secrets_required(findings)),
        }
    }

    /// What this operation, which ends well, did.
    fn deed(&self) -> SuccessKind {
        match self.operation.kind {
            _ if self.is_replacing() => SuccessKind::Replaced,
            Kind::Import { .. } => SuccessKind::Imported,
            _ if self.operation.sent(Verb::Create) > 0 => SuccessKind::Created,
            _ if self.operation.sent(Verb::Update) > 0 => SuccessKind::Updated,
            _ => SuccessKind::Noop,
        }
    }

    fn absent(mut self, absences: u8) -> Step {
        if let Some(taken) = self.operation.adopting.take() {
            return self.fail_and_free(taken);
        }
        if self.operation.policy.held.is_some()
            && matches!(self.operation.kind, Kind::Import { .. })
        {
            return self.plan_moved("does not exist", &[]);
        }
        if matches!(self.operation.kind, Kind::Import { .. }) {
            let failure = not_found(self.operation.identifier.as_deref());
            return self.not_read(failure);
        }
        // A resource that this operation made is not made a second time: a read can be late.
        if self
            .operation
            .attempts
            .iter()
            .any(|it| it.verb == Verb::Create && it.identifier.is_some())
        {
            if !self.missing_for_long() {
                return self.wait(Wait::Consistency, None);
            }
            return self.vanished();
        }
        // What a failed write made may not show yet; what was once ready has been read.
        let fresh = self.entry.as_ref().is_some_and(|it| it.state == EntryState::Failed);
        let believed = !self.operation.policy.tracked
            || (absences + 1 >= ABSENCES && (!fresh || self.missing_for_long()));
        if !believed {
            self.operation.stage = Stage::Observe { absences: (absences + 1).min(ABSENCES) };
            self.say("not found; reading once more before it is recreated");
            return self.wait(Wait::Consistency, None);
        }
        self.with_entry(|entry| {
            entry.state =
                if entry.identifier.is_some() { EntryState::Missing } else { EntryState::Reserved };
        });
        self.make_what_is_missing()
    }

    fn make_what_is_missing(mut self) -> Step {
        let held = self.operation.policy.held.as_ref();
        if held.is_some_and(|held| !held.may_make(&self.operation)) {
            return self.plan_moved("does not exist", &[]);
        }
        if !self.operation.policy.unstored.is_empty() {
            let failure = not_recreatable(&self.operation.policy.unstored);
            return self.fail_and_free(failure);
        }
        if !self.operation.policy.may_create {
            let failure = not_found(self.operation.identifier.as_deref());
            return self.fail_and_free(failure);
        }
        self.open_attempt(Verb::Create, None);
        self.send()
    }

    /// An operation that could not read takes nothing; a reference that names something stays.
    fn not_read(mut self, failure: Failure) -> Step {
        let failure = match self.operation.adopting.take() {
            Some(taken) => Failure {
                message: format!(
                    "{}; it could not be read to adopt it: {}: {}",
                    taken.message, failure.code, failure.message
                ),
                ..taken
            },
            None => failure,
        };
        match &self.entry {
            Some(entry) if entry.state == EntryState::Reserved && entry.identifier.is_some() => {
                self.entry_failed();
            }
            Some(entry) if entry.state == EntryState::Reserved => self.entry = None,
            _ => {}
        }
        self.fail(failure)
    }

    fn vanished(mut self) -> Step {
        if !self.put_back_what_was_replaced() {
            self.with_entry(|entry| entry.state = EntryState::Missing);
        }
        if self.was_canceled() {
            return self.end(Ending::Canceled(stopped()));
        }
        let identifier = self.operation.identifier.clone().unwrap_or_default();
        self.fail(Failure {
            kind: FailureKind::Provider,
            code: "ResourceVanished".to_owned(),
            message: format!("AWS created {identifier}, but a read does not find it"),
            findings: Vec::new(),
        })
    }

    /// What was made in the place of another does not show: the other one, which lives, is what the alias
    /// stands for again. Says whether there was one.
    fn put_back_what_was_replaced(&mut self) -> bool {
        let own = self.operation.id;
        let creates = self.operation.attempts.iter().filter(|it| it.operation == own);
        let mut old =
            creates.filter_map(|it| it.replaces.clone().filter(|_| it.verb == Verb::Create));
        let Some(old) = old.next_back() else { return false };
        let mut back = false;
        self.with_entry(|entry| {
            if entry.retiring.contains(&old) {
                entry.retiring.retain(|it| *it != old);
                if let Some(lost) = entry.identifier.replace(old.clone()) {
                    // It may show yet; then it is to go.
                    retire(entry, &lost);
                }
                back = true;
            }
        });
        if back {
            self.documents.forgotten = true;
            self.entry_failed();
        }
        back
    }

    fn verified(mut self, observed: &Observed, since: Timestamp) -> Step {
        let deleting = self.operation.current().is_some_and(|it| it.verb == Verb::Delete);
        let late = self.looked_at().since(since) > GRACE;
        match (observed, deleting) {
            (Observed::Absent, true) => self.gone(),
            (Observed::Unreadable { .. } | Observed::Moved { .. }, true) => self.deleted_unseen(),
            (Observed::Present { .. }, true) if self.was_canceled() => self.unverified(),
            (Observed::Present { .. }, true) if late => self.still_there(),
            (Observed::Absent, false) if late => self.vanished(),
            (Observed::Present { .. }, true) | (Observed::Absent, false) => {
                self.wait(Wait::Consistency, None)
            }
            (Observed::Present { identifier, change, forms }, false) => {
                self.name_as_read(identifier);
                self.check_effect(change, forms)
            }
            // A read after the write is held to nothing.
            (Observed::Unreadable { .. } | Observed::Moved { .. }, false) => self.unverified(),
        }
    }

    /// The alias names the resource as a read spells it. A create can return another spelling than lists and reads.
    fn name_as_read(&mut self, identifier: &str) {
        if self.operation.identifier.as_deref() != Some(identifier) {
            self.operation.identifier = Some(identifier.to_owned());
            self.with_entry(|entry| entry.identifier = Some(identifier.to_owned()));
        }
    }

    /// Checks that the read shows what was written. A read can be late, so a difference is read again a few times.
    /// What then is AWS's form of what was sent is learned; the rest did not take effect.
    fn check_effect(mut self, change: &ChangeKind, forms: &NewForms) -> Step {
        let differs = *change != ChangeKind::None;
        if differs && self.operation.tries < REREADS && !self.was_canceled() {
            // What was read before the write stays on record: what is learned is compared with it.
            return self.wait(Wait::Consistency, None);
        }
        self.documents.observed = true;
        let change = match forms {
            NewForms::At { paths, change } if differs && !self.was_canceled() => {
                self.warning = Some(format!(
                    "AWS returns {} in another form than it was sent; Hangar treats this form as equal from now on \
                     (`hangar resource show` lists it)",
                    paths.join(", ")
                ));
                self.documents.learned.clone_from(paths);
                change
            }
            _ => change,
        };
        match change {
            ChangeKind::None => self.written(Convergence::Converged, Vec::new()),
            change => self.written(Convergence::AcceptedNotEffective, change.paths()),
        }
    }

    /// Ends a write that could not be read back.
    pub(super) fn unverified(self) -> Step {
        self.written(Convergence::Unverified, Vec::new())
    }

    fn was_canceled(&self) -> bool {
        self.operation.current().is_some_and(|it| it.outcome == AttemptOutcome::Canceled)
    }

    fn written(self, convergence: Convergence, not_effective: Vec<String>) -> Step {
        if self.was_canceled() {
            return self.end(Ending::Canceled(stopped()));
        }
        let kind = self.deed();
        self.succeed(kind, convergence, not_effective)
    }

    /// A read failed: nothing was learnt, and nothing is concluded.
    pub(super) fn read_failed(mut self, refusal: &Refusal) -> Step {
        let transient = matches!(
            refusal.class,
            RefusalClass::Throttled
                | RefusalClass::Unreachable
                | RefusalClass::Unanswered
                | RefusalClass::Busy
        );
        match self.operation.stage {
            Stage::Verify { since } => {
                let deleting = self.operation.current().is_some_and(|it| it.verb == Verb::Delete);
                // A reference is not called ready while a read may still miss what was made: the next
                // operation would take it for gone.
                if self.now.since(since) <= GRACE && (transient || !deleting) {
                    self.wait_for(WaitReason::of_refusal(refusal));
                    self.say(format!(
                        "written; waiting to read it back: {}: {}",
                        refusal.code, refusal.message
                    ));
                    return self.wait(Wait::Backoff, refusal.retry_after);
                }
                // The write itself was answered; only the look at it failed.
                self.warning = Some(format!(
                    "AWS reports success, but the resource could not be read back: {}: {}",
                    refusal.code, refusal.message
                ));
                if deleting { self.deleted_unseen() } else { self.unverified() }
            }
            _ if transient && !self.out_of_patience(PATIENCE) => {
                self.wait_for(WaitReason::of_refusal(refusal));
                self.wait(Wait::Backoff, refusal.retry_after)
            }
            _ => self.not_read(refused(refusal)),
        }
    }
}
