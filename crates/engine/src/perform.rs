//! Does one effect, and says what came of it as an event.

use hangar_plan::Timestamp;
use hangar_plan::change::{Change, mistakes};
use hangar_plan::operation::{
    ChangeKind, Effect, Event, Kind, NewForms, Observed, Operation, Refusal, RefusalClass, Stage,
};
use hangar_plan::record::{Reference, Subject};
use hangar_provider::{Observation, Progress, ProviderError};
use hangar_schema::{Patch, TypeSchema};
use serde_json::{Value, json};

use crate::cloud::{CallError, Calling, NotMade, Polled};
use crate::documents::{self, Desired, Known};
use crate::engine::Shared;
use crate::forms::ReadBack;
use crate::{look_up, ours, planned, translate};

/// What is needed to do any effect of one operation.
pub(crate) struct Performer<'a> {
    pub(crate) shared: &'a Shared,
    /// Calls on the operation's errand.
    pub(crate) calling: Calling<'a>,
    pub(crate) schema: &'a TypeSchema,
    pub(crate) subject: &'a Subject,
    pub(crate) desired: Option<&'a Desired>,
    pub(crate) reference: Option<&'a Reference>,
    pub(crate) operation: &'a Operation,
}

/// What came of an effect, and what the next step needs of it.
pub(crate) struct Done {
    pub(crate) event: Event,
    /// The patch that a read found to be necessary.
    pub(crate) patch: Option<Value>,
    /// What was read.
    pub(crate) live: Option<Value>,
}

impl From<Event> for Done {
    fn from(event: Event) -> Self {
        Self { event, patch: None, live: None }
    }
}

impl Performer<'_> {
    /// Does `effect`; `patch` is what the read before it found.
    pub(crate) async fn perform(
        &self,
        effect: &Effect,
        patch: Option<Value>,
        now: Timestamp,
    ) -> Done {
        let calling = self.calling;
        let target = translate::target(self.subject);
        match effect {
            Effect::Observe { identifier } => self.observe(identifier, now).await,
            Effect::Create { token, marked } => {
                let Some(desired) = self.desired else {
                    return Event::CallFailed(no_document()).into();
                };
                let document = desired.create_document(*marked);
                self.written(calling.create(&target, &document, token).await)
            }
            Effect::Update { identifier, token } => {
                let Some(patch) = patch else {
                    return Event::CallFailed(no_document()).into();
                };
                let answer = calling.update(&target, identifier, &patch, token).await;
                self.written(answer)
            }
            Effect::Delete { identifier, token } => {
                let answer = calling.delete(&target, identifier, token).await;
                self.written(answer)
            }
            Effect::Poll { request_token } => {
                match calling.poll(&target.place, request_token).await {
                    Ok(Polled::Told(progress)) => self.progressed(*progress),
                    Ok(Polled::NotYet(again_after)) => Event::NothingNew { again_after }.into(),
                    Err(error) => self.unpolled(error),
                }
            }
            Effect::Cancel { request_token } => {
                match calling.cancel(&target.place, request_token).await {
                    Ok(progress) => self.progressed(progress),
                    // Told even where it was not made: it is on record as sent.
                    Err(error) => Event::PollFailed(self.refusal(error.into())).into(),
                }
            }
            Effect::LookUp { attempts } => {
                let Self { shared, schema, subject, .. } = *self;
                match look_up::look_up(shared, calling, schema, subject, attempts, now).await {
                    Ok(found) => Event::LookedUp(found).into(),
                    Err(error) => Event::LookUpFailed(self.refusal(error)).into(),
                }
            }
        }
    }

    async fn observe(&self, identifier: &str, now: Timestamp) -> Done {
        if self.wants_something() && self.desired.is_none() {
            return Event::ReadFailed(no_document()).into();
        }
        if !self.operation.policy.readable {
            let (change, _) = self.compare(&[identifier], &json!({}));
            if let Some(moved) = self.moved(&change, &json!({})) {
                return moved.into();
            }
            return Done {
                event: Event::Observed(Observed::Unreadable { change: change.kind }),
                patch: change.patch,
                live: None,
            };
        }
        let target = translate::target(self.subject);
        match self.calling.observe(&target, identifier).await {
            Ok(Observation::Absent) => Event::Observed(Observed::Absent).into(),
            // What has the name of our failed create and is another's is not there for us.
            Ok(Observation::Present { properties, .. }) if self.is_foreign(&properties).await => {
                Event::Observed(Observed::Absent).into()
            }
            Ok(Observation::Present { identifier: spelt, properties }) => {
                let (change, found) = self.compare(&[identifier, &spelt], &properties);
                if let Some(moved) = self.moved(&change, &properties) {
                    return moved.into();
                }
                let forms = self.new_forms(found.as_ref(), &properties, now);
                let (identifier, kind) = (spelt, change.kind);
                Done {
                    event: Event::Observed(Observed::Present { identifier, change: kind, forms }),
                    patch: change.patch,
                    live: Some(properties),
                }
            }
            Err(CallError::NotMade(NotMade::Stopping)) => Event::NotSent.into(),
            Err(error) => Event::ReadFailed(self.refusal(error.into())).into(),
        }
    }

    /// Why what is to be done is not what was planned; what is read after a write is held to nothing.
    fn moved(&self, change: &Change, live: &Value) -> Option<Event> {
        let held = self.operation.policy.held.as_ref().filter(|_| self.wants_something())?;
        if !matches!(self.operation.stage, Stage::Observe { .. }) {
            return None;
        }
        let keys = &self.shared.keys;
        let patch = change.patch.as_ref().unwrap_or(&Value::Null);
        let found = planned::marks(keys, self.subject, held.marks.as_ref(), patch, live);
        let findings = held.moved(self.operation, &change.kind, &found)?;
        Some(Event::Observed(Observed::Moved { findings }))
    }

    async fn is_foreign(&self, live: &Value) -> bool {
        match self.reference.filter(|_| self.operation.kind == Kind::Put) {
            Some(reference) => ours::is_foreign(self.shared, self.schema, reference, live).await,
            None => false,
        }
    }

    /// Whether the operation is to make something so.
    fn wants_something(&self) -> bool {
        matches!(self.operation.kind, Kind::Put | Kind::Import { apply: true, .. })
    }

    /// How what was read compares with what is wanted, where anything is; `names` are what it was asked for
    /// by, and what it is called.
    fn compare(&self, names: &[&str], live: &Value) -> (Change, Option<Patch>) {
        let desired = self.desired.filter(|_| self.wants_something());
        let Some(desired) = desired else {
            return (Change { kind: ChangeKind::None, patch: None }, None);
        };
        let known = self.reference.map(|reference| {
            if self.is_of(reference, names) {
                Known::of(reference)
            } else {
                Known::nothing_of(reference)
            }
        });
        let Self { shared, schema, .. } = self;
        let (change, patch) =
            documents::compare(&shared.keys, schema, desired, known.as_ref(), live);
        // Nothing is deleted for a document that cannot be created.
        let replaces = matches!(change.kind, ChangeKind::Replace(_));
        if replaces && self.operation.policy.replace.is_some() {
            let wrong = mistakes(schema, &desired.properties, &desired.secret_paths);
            if !wrong.is_empty() {
                return (Change { kind: ChangeKind::Invalid(wrong), patch: None }, None);
            }
        }
        (change, patch)
    }

    /// The forms of values that a read after a write shows.
    fn new_forms(&self, patch: Option<&Patch>, live: &Value, now: Timestamp) -> NewForms {
        let (Some(patch), Some(reference), Some(desired)) = (patch, self.reference, self.desired)
        else {
            return NewForms::None;
        };
        let Self { shared, schema, operation, .. } = self;
        let read = ReadBack { keys: &shared.keys, schema, reference, desired, live };
        let paths = read.respelled_paths(operation, patch, shared.config.rules);
        if paths.is_empty() {
            return NewForms::None;
        }
        let mut after = reference.clone();
        read.learn(&paths, now, &mut after);
        let known = Known::of(&after);
        let (change, _) = documents::compare(&shared.keys, schema, desired, Some(&known), live);
        NewForms::At { paths, change: change.kind }
    }

    /// Whether the reference's documents are of the resource of these names. Of one that is taken in they
    /// are not: what was applied to another tells nothing of what may be removed from this one.
    fn is_of(&self, reference: &Reference, names: &[&str]) -> bool {
        let stands_for = reference.entry.identifier.as_deref();
        self.operation.adopting.is_none() && stands_for.is_some_and(|it| names.contains(&it))
    }

    fn written(&self, answer: Result<Progress, CallError>) -> Done {
        match answer {
            Ok(progress) => self.progressed(progress),
            Err(CallError::NotMade(NotMade::Late | NotMade::Stopping)) => Event::NotSent.into(),
            Err(error) => Event::CallFailed(self.refusal(error.into())).into(),
        }
    }

    fn unpolled(&self, error: CallError) -> Done {
        match error {
            CallError::NotMade(NotMade::Stopping) => Event::NotSent.into(),
            error => Event::PollFailed(self.refusal(error.into())).into(),
        }
    }

    fn progressed(&self, progress: Progress) -> Done {
        let mut progress = translate::progress(progress);
        progress.message = progress.message.map(|message| self.redacted(&message));
        Event::Progressed(progress).into()
    }

    fn refusal(&self, error: ProviderError) -> Refusal {
        let mut refusal = translate::refusal(error);
        refusal.message = self.redacted(&refusal.message);
        refusal
    }

    /// What a cloud said, without the secrets that it may quote.
    fn redacted(&self, message: &str) -> String {
        match self.desired {
            Some(desired) => desired.redact(self.schema, message),
            None => message.to_owned(),
        }
    }
}

/// The document that the call needs is gone: the envelope cannot be opened.
fn no_document() -> Refusal {
    Refusal {
        class: RefusalClass::Refused,
        code: "DocumentLost".to_owned(),
        message: "the desired properties of the operation cannot be decrypted; put them again"
            .to_owned(),
        retry_after: None,
        names_request: false,
    }
}
