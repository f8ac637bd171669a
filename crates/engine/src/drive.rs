//! Runs one leased operation: step, commit, perform, until it waits or ends.
//!
//! Invariant: nothing is performed before the step that asks for it is committed.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hangar_plan::change::to_show;
use hangar_plan::normal_form::drop_refuted;
use hangar_plan::operation::{
    DocumentChange, Effect, Ending, EntryChange, Event, LEARN_WITHIN, Next, Step, Verb, step_with,
};
use hangar_plan::record::{OperationRecord, Reference, ResourceWork, Work};
use hangar_plan::{Timestamp, WaitCode, WaitReason, Waiting};
use hangar_schema::is_set_at_creation;
use hangar_store::{
    Claim, Commit, CommitError, Committed, DeploymentChange, GroupChange, Lease, RecipeChange,
    ReferenceChange, ReferenceWrite, StoreError,
};
use serde_json::Value;
use tokio::time::Instant;

use crate::cloud::{Errand, Tally};
use crate::documents::{self, Desired};
use crate::engine::Shared;
use crate::forms::{KeyedForms, ReadBack};
use crate::metrics::OperationLabels;
use crate::perform::Performer;
use crate::schemas::Schema;
use crate::submit::subject_id;
use crate::{deployment, drift, group, recipe};

/// How often a commit is tried again when the store fails.
const COMMIT_TRIES: u32 = 5;

/// How long after its step a call may be begun.
const SEND_WITHIN: Duration = Duration::from_mins(1);

/// How long a call waits, for the budget or for its answer, before the wait is recorded.
const NOTE_WAIT_AFTER: Duration = Duration::from_secs(3);

const RATE_LIMIT_MESSAGE: &str =
    "the call waits for its share of the rate limit of AWS calls (--aws-rate)";

const NO_ANSWER_MESSAGE: &str = "AWS has not answered the call so far";

/// How long an operation that cannot be driven now is left alone.
const LEAVE_FOR: Duration = Duration::from_secs(10);

/// One operation while it is driven.
pub(crate) struct Course<'a> {
    shared: &'a Shared,
    schema: Schema,
    desired: Option<Desired>,
    /// What it does: the part of the record that steps move.
    work: ResourceWork,
    record: OperationRecord,
    reference: Option<Reference>,
    /// Counts its calls.
    tally: Tally,
}

/// Drives an operation; says when it is due again.
pub(crate) async fn drive(shared: &Arc<Shared>, claim: Claim) -> Option<Duration> {
    let Claim { record, reference, envelope } = claim;
    let id = record.id();
    let work = match &record.work {
        Work::Resource(work) => (**work).clone(),
        Work::Group(work) => return group::drive(shared, (**work).clone(), record).await,
        Work::Deployment(work) => {
            return deployment::drive(shared, (**work).clone(), record, envelope).await;
        }
        Work::Recipe(work) => return recipe::drive(shared, (**work).clone(), record).await,
    };
    let subject = &work.subject;
    let schema =
        shared.schemas.get(&*shared.store, &shared.cloud, &subject.scope, &subject.type_name).await;
    let schema = match schema {
        Ok(schema) => schema,
        Err(failure) => {
            tracing::error!(operation.id = %id, error = failure.message, "cannot load the schema; trying again later");
            return leave(shared, record).await;
        }
    };
    let desired = envelope.and_then(|sealed| Desired::open(&shared.keys, id, &sealed));
    let tally = Tally::from(record.calls);
    let mut course = Course { shared, schema, desired, work, record, reference, tally };
    course.run().await
}

impl Course<'_> {
    async fn run(&mut self) -> Option<Duration> {
        let mut event = Event::Claimed;
        let mut live: Option<Value> = None;
        let mut patch: Option<Value> = None;
        loop {
            let decided = Instant::now();
            let decided_at = self.shared.config.clock.read();
            let now = match self.shared.store.now().await {
                Ok(now) => now,
                Err(error) => {
                    tracing::error!(%error, "cannot read the time from the store; leaving the lease to expire");
                    return None;
                }
            };
            if matches!(event, Event::Claimed) {
                self.note_absence(now);
            }
            let entry = self.reference.as_ref().map(|reference| &reference.entry);
            let rules = self.shared.config.rules;
            let step = step_with(rules, &self.work.operation, entry, &event, now);
            let not_begun = is_write(&step.next) || matches!(event, Event::NotSent);
            if self.shared.is_stopping() && not_begun {
                // Not begun, so not committed: the next worker begins it.
                return self.release(now).await;
            }
            match self.commit(&step, live.as_ref(), now).await {
                Ok(()) => {}
                Err(CommitError::Mapped(reference))
                    if !matches!(event, Event::MappedElsewhere { .. }) =>
                {
                    event = Event::MappedElsewhere { reference };
                    continue;
                }
                Err(error) => {
                    tracing::warn!(operation.id = %self.work.operation.id, %error, "stopped");
                    return None;
                }
            }
            match step.next {
                // A worker that slept since must not send: that no old call arrives after the quarantine
                // rests on a call being signed soon after it was committed.
                Next::Perform(_) if is_write(&step.next) && decided.elapsed() > SEND_WITHIN => {
                    event = Event::NotSent;
                }
                Next::Perform(effect) => {
                    // Nor must one that waited for its turn: only a write is bound to its time.
                    let bound = is_write(&Next::Perform(effect.clone()));
                    let errand = Errand {
                        tally: Some(&self.tally),
                        looks: false,
                        until: bound.then(|| decided + SEND_WITHIN),
                        until_wall: bound.then(|| decided_at.after(SEND_WITHIN)),
                    };
                    let performer = Performer {
                        shared: self.shared,
                        calling: self.shared.cloud.on(errand),
                        schema: &self.schema.compiled,
                        subject: &self.work.subject,
                        desired: self.desired.as_ref(),
                        reference: self.reference.as_ref(),
                        operation: &self.work.operation,
                    };
                    let performing = performer.perform(&effect, patch.take(), now);
                    let (done, noted) = self.note_long_wait(performing, now).await;
                    if let Some(noted) = noted {
                        self.record.version = noted.version;
                        self.work.operation.cancel_requested |= noted.cancel_requested;
                    }
                    event = done.event;
                    if matches!(event, Event::NotSent) && !self.shared.is_stopping() {
                        self.note_rate_limit(now);
                    }
                    patch = done.patch;
                    live = done.live;
                }
                Next::Wait { until } => return Some(until.since(now)),
                Next::Stop => return None,
            }
        }
    }

    /// Notes that no worker attended to a write for long: what a read then shows may be the work of others. The next
    /// step writes it.
    fn note_absence(&mut self, now: Timestamp) {
        let is_late = self.record.due_at.is_some_and(|due_at| now.since(due_at) > LEARN_WITHIN);
        self.work.operation.doubtful_reads |= is_late && self.work.operation.has_sent();
    }

    /// Notes that a call had no turn within its time. The next step writes it.
    fn note_rate_limit(&mut self, since: Timestamp) {
        let operation = &mut self.work.operation;
        let before = operation.waiting.take().filter(|it| it.code == WaitCode::RateLimit);
        let attempts = before.as_ref().map_or(0, |waiting| waiting.attempts);
        operation.waiting = Some(rate_limited(before.as_ref(), since, attempts.saturating_add(1)));
    }

    /// Waits for a call. If it waits long for its share of the rate limit or for its answer, a commit records the
    /// reason meanwhile.
    async fn note_long_wait<T>(
        &self,
        performing: impl Future<Output = T>,
        since: Timestamp,
    ) -> (T, Option<Committed>) {
        let mut performing = pin!(performing);
        tokio::select! {
            biased;
            done = &mut performing => return (done, None),
            () = tokio::time::sleep(NOTE_WAIT_AFTER) => {}
        }
        let before = self.work.operation.waiting.as_ref();
        let for_budget = self.tally.waits_for_budget();
        // A wait that is known already, such as for an AWS that does not answer, has its reason.
        let is_noted =
            before.is_some_and(|waiting| !for_budget || waiting.code == WaitCode::RateLimit);
        if is_noted {
            return (performing.await, None);
        }
        let waiting = if for_budget {
            rate_limited(before, since, 0)
        } else {
            WaitReason::new(WaitCode::AwsNoAnswer, NO_ANSWER_MESSAGE).since(since, None, 0)
        };
        let message = format!("waiting: {}", waiting.message);
        let mut work = self.work.clone();
        work.operation.waiting = Some(waiting);
        let mut record = self.record.clone();
        record.work = Work::Resource(Box::new(work));
        let commit = Commit {
            record,
            reference: ReferenceChange::Keep,
            group: GroupChange::Keep,
            deployment: DeploymentChange::Keep,
            recipe: RecipeChange::Keep,
            lease: Lease::Keep,
            message: Some(message),
        };
        let noted = write(self.shared, commit).await;
        if let Err(error) = &noted {
            tracing::warn!(operation.id = %self.record.id(), %error, "cannot record the wait");
        }
        (performing.await, noted.ok())
    }

    /// Writes a step: operation, reference and documents in one transaction.
    async fn commit(
        &mut self,
        step: &Step,
        live: Option<&Value>,
        now: Timestamp,
    ) -> Result<(), CommitError> {
        let goes_on = matches!(step.next, Next::Perform(_));
        let reference = self.reference_after(step, live, now);
        let unchanged = step.operation == self.work.operation && reference.is_none();
        if goes_on && unchanged && step.warning.is_none() {
            return Ok(());
        }
        let was_ended = self.work.operation.is_ended();
        let mut record = self.record.clone();
        let work = ResourceWork { operation: step.operation.clone(), ..self.work.clone() };
        record.work = Work::Resource(Box::new(work.clone()));
        record.updated_at = now;
        record.calls = self.tally.calls();
        record.warnings.extend(step.warning.clone());
        if record.is_ended() && record.ended_at.is_none() {
            record.ended_at = Some(now);
        }
        record.due_at = match step.next {
            Next::Perform(_) => Some(now),
            Next::Wait { until } => Some(until),
            Next::Stop => None,
        };
        let change = match (&reference, &step.entry) {
            (Some(after), _) => ReferenceChange::Save(Box::new(ReferenceWrite {
                reference: after.clone(),
                seen: Some(after.version),
            })),
            (None, EntryChange::Free) => match &self.reference {
                Some(gone) => {
                    ReferenceChange::Remove { name: gone.name.clone(), seen: gone.version }
                }
                None => ReferenceChange::Keep,
            },
            (None, _) => ReferenceChange::Keep,
        };
        let commit = Commit {
            record: record.clone(),
            reference: change,
            group: GroupChange::Keep,
            deployment: DeploymentChange::Keep,
            recipe: RecipeChange::Keep,
            lease: if goes_on { Lease::Keep } else { Lease::Release },
            message: step.message.clone(),
        };
        let committed = write(self.shared, commit).await?;
        self.record = record;
        self.work = work;
        self.record.version = committed.version;
        self.work.operation.cancel_requested |= committed.cancel_requested;
        match (reference, &step.entry) {
            (Some(mut after), _) => {
                after.version = committed.reference_version.unwrap_or(after.version.next());
                self.reference = Some(after);
            }
            (None, EntryChange::Free) => self.reference = None,
            (None, _) => {}
        }
        self.tell(step, was_ended);
        Ok(())
    }

    /// The reference as it is after a step; nothing where it does not change or is gone.
    fn reference_after(
        &self,
        step: &Step,
        live: Option<&Value>,
        now: Timestamp,
    ) -> Option<Reference> {
        let before = self.reference.as_ref()?;
        let mut after = before.clone();
        match &step.entry {
            EntryChange::Free => return None,
            EntryChange::Save(entry) => after.entry = entry.clone(),
            EntryChange::Keep => {}
        }
        let DocumentChange { applied, observed, forgotten, ref learned } = step.documents;
        // What was taken in may have the name of what the alias stood for; it is another all the same.
        let adopts = self.work.operation.adopting.is_some() && live.is_some();
        // What a read shows under another name is the same; what a write made under one is not.
        let moved = after.entry.identifier != before.entry.identifier;
        let forgotten = forgotten || adopts || (moved && live.is_none());
        let mut secret_paths = before.documents.secret_paths.clone();
        if let Some(desired) = &self.desired {
            secret_paths = documents::union(&secret_paths, &desired.secret_paths);
        }
        let schema = &self.schema.compiled;
        if forgotten {
            after.documents.applied = None;
            after.documents.secrets.clear();
            after.documents.learned.clear();
        }
        if forgotten || moved {
            after.documents.observed = None;
            after.documents.observed_at = None;
        }
        if applied && let Some(desired) = &self.desired {
            if step.operation.sent(Verb::Create) > 0 {
                // A new resource has only what it was created with.
                after.documents.secrets.retain(|path, _| !is_set_at_creation(schema, path));
            }
            after.documents = documents::applied(
                &self.shared.keys,
                schema,
                self.schema.hash.as_deref(),
                desired,
                &after,
            );
        }
        if observed && let Some(live) = live {
            after.documents.observed = Some(to_show(schema, live, &secret_paths));
            after.documents.observed_at = Some(now);
            let salt = before.first_key();
            let hashes = KeyedForms { keys: &self.shared.keys, salt: &salt };
            drop_refuted(&mut after.documents.learned, schema, live, &hashes);
            if let Some(desired) = self.desired.as_ref().filter(|_| !learned.is_empty()) {
                let keys = &self.shared.keys;
                let read = ReadBack { keys, schema, reference: before, desired, live };
                read.learn(learned, now, &mut after);
            }
        }
        after.drift = drift::after_write(after.drift, &step.operation);
        let ended_now = !self.work.operation.is_ended();
        if let Some(ending) = step.operation.ending.as_ref().filter(|_| ended_now) {
            after.last_operation = Some((step.operation.id, ending.clone()));
            if step.operation.has_sent() {
                after.documents.unshown_since = (!ending.is_shown()).then_some(now);
            }
        }
        if after == *before {
            return None;
        }
        after.updated_at = now;
        Some(after)
    }

    /// Logs what happened, and tells those who wait for the end.
    fn tell(&self, step: &Step, was_ended: bool) {
        if let Some(message) = &step.message {
            tracing::info!(
                operation.id = %self.work.operation.id,
                operation.kind = self.work.operation.kind.as_str(),
                resource.id = subject_id(&self.work.subject),
                resource.identifier = self.work.operation.identifier,
                lease.epoch = self.record.epoch.0,
                "{message}"
            );
        }
        if let Some(ending) = &self.work.operation.ending
            && !was_ended
        {
            let kind = &self.work.operation.kind;
            count_end(self.shared, kind.as_str(), ending);
            self.shared.metrics.cost(kind.as_str(), self.record.calls);
        }
    }

    /// Lets go of the lease so that the next worker can go on at once.
    async fn release(&self, now: Timestamp) -> Option<Duration> {
        let mut record = self.record.clone();
        record.due_at = Some(now);
        let commit = Commit {
            record,
            reference: ReferenceChange::Keep,
            group: GroupChange::Keep,
            deployment: DeploymentChange::Keep,
            recipe: RecipeChange::Keep,
            lease: Lease::Release,
            message: None,
        };
        if let Err(error) = write(self.shared, commit).await {
            tracing::warn!(%error, "cannot release the lease; leaving it to expire");
        }
        None
    }
}

/// A wait for the budget; it began with the wait before it if that was one for the budget, too.
fn rate_limited(before: Option<&Waiting>, since: Timestamp, attempts: u32) -> Waiting {
    let same = before.filter(|waiting| waiting.code == WaitCode::RateLimit);
    let since = same.map_or(since, |waiting| waiting.since);
    WaitReason::new(WaitCode::RateLimit, RATE_LIMIT_MESSAGE).since(since, None, attempts)
}

/// Writes a step; a store that is busy or full now may not be in a moment. The lease is renewed
/// meanwhile, and if it is lost the commit says so.
pub(crate) async fn write(shared: &Shared, commit: Commit) -> Result<Committed, CommitError> {
    let mut tries = 0;
    loop {
        match shared.store.operation_commit(commit.clone()).await {
            Err(CommitError::Store(error)) if tries < COMMIT_TRIES => {
                tries += 1;
                tracing::warn!(%error, tries, "commit failed; retrying");
                tokio::time::sleep(Duration::from_millis(100) * 2u32.pow(tries)).await;
            }
            other => return other,
        }
    }
}

/// Why an operation on many resources is driven no further for now.
pub(crate) enum Stopped {
    /// A decision was not written.
    Commit(CommitError),
    /// The store could not be read.
    Store(StoreError),
}

impl From<StoreError> for Stopped {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<CommitError> for Stopped {
    fn from(error: CommitError) -> Self {
        Self::Commit(error)
    }
}

/// When an operation on many resources, as it was last written, is due again.
pub(crate) async fn due_after(
    shared: &Shared,
    record: OperationRecord,
    driven: Result<Option<Duration>, Stopped>,
) -> Option<Duration> {
    match driven {
        Ok(again_in) => again_in,
        Err(Stopped::Commit(error)) => {
            tracing::warn!(operation.id = %record.id(), %error, "stopped");
            None
        }
        Err(Stopped::Store(error)) => {
            tracing::error!(operation.id = %record.id(), %error, "the store failed; trying again later");
            leave(shared, record).await
        }
    }
}

/// Counts an operation that ended here.
pub(crate) fn count_end(shared: &Shared, kind: &'static str, ending: &Ending) {
    let labels = OperationLabels { kind, outcome: outcome_word(ending) };
    shared.metrics.operations.get_or_create(&labels).inc();
}

/// Lets go of an operation that cannot be driven now.
async fn leave(shared: &Shared, mut record: OperationRecord) -> Option<Duration> {
    let now = shared.store.now().await.ok()?;
    record.due_at = Some(now.after(LEAVE_FOR));
    let commit = Commit {
        record,
        reference: ReferenceChange::Keep,
        group: GroupChange::Keep,
        deployment: DeploymentChange::Keep,
        recipe: RecipeChange::Keep,
        lease: Lease::Release,
        message: None,
    };
    shared.store.operation_commit(commit).await.ok()?;
    Some(LEAVE_FOR)
}

fn is_write(next: &Next) -> bool {
    matches!(
        next,
        Next::Perform(Effect::Create { .. } | Effect::Update { .. } | Effect::Delete { .. })
    )
}

const fn outcome_word(ending: &Ending) -> &'static str {
    match ending {
        Ending::Succeeded(success) => success.kind.as_str(),
        Ending::Failed(_) => "failed",
        Ending::Canceled(_) => "canceled",
    }
}
