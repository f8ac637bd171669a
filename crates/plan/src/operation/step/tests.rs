//! What the machine claims, one short test each, by subject: the claim is the name. Here is what they share.

// Events and entries are made for the call that takes them.
#![allow(clippy::needless_pass_by_value)]

mod adopt;
mod cancel;
mod create;
mod delete;
mod held;
mod import;
mod lock;
mod replace;
mod retiring;
mod taken;
mod unknown;
mod update;

use std::time::Duration;

use super::super::attempt::{AttemptOutcome, Verb};
use super::super::effect::{DocumentChange, Effect, EntryChange, Next, Step};
use super::super::ending::{Convergence, Ending, Failure, FailureKind, Finding, SuccessKind};
use super::super::entry::{Entry, EntryState};
use super::super::event::{
    ChangeKind, Event, Found, NewForms, Observed, Progress, ProgressState, Refusal, RefusalClass,
};
use super::super::id::OperationId;
use super::super::open::{OpenError, Request, open};
use super::super::state::{Adoption, Kind, Operation, Policy, Stage, Strategy};
use super::step;
use crate::Timestamp;

/// An operation and its entry, as a store and a worker would move them.
struct Course {
    operation: Operation,
    entry: Option<Entry>,
    now: Timestamp,
    last: Next,
    documents: DocumentChange,
    warning: Option<String>,
}

impl Course {
    fn open(kind: Kind, identifier: Option<&str>, entry: Option<Entry>) -> Self {
        Self::at(start(), 1, kind, identifier, entry)
    }

    fn at(
        now: Timestamp,
        id: u128,
        kind: Kind,
        identifier: Option<&str>,
        entry: Option<Entry>,
    ) -> Self {
        Self::of(now, request(id, kind, identifier), entry)
    }

    fn of(now: Timestamp, request: Request, entry: Option<Entry>) -> Self {
        let opened = open(request, entry.as_ref(), now).unwrap();
        let mut course = Self {
            operation: opened.operation,
            entry: opened.entry,
            now,
            last: Next::Stop,
            documents: DocumentChange::default(),
            warning: None,
        };
        course.tell(Event::Claimed);
        course
    }

    fn tell(&mut self, event: Event) -> &mut Self {
        let Step { operation, entry, documents, next, warning, .. } =
            step(&self.operation, self.entry.as_ref(), &event, self.now);
        self.operation = operation;
        match entry {
            EntryChange::Keep => {}
            EntryChange::Save(entry) => self.entry = Some(entry),
            EntryChange::Free => self.entry = None,
        }
        self.last = next;
        self.documents = documents;
        self.warning = warning.or(self.warning.take());
        self
    }

    fn later(&mut self, minutes: u64) -> &mut Self {
        self.now = self.now.after(Duration::from_mins(minutes));
        self
    }

    fn claim(&mut self) -> &mut Self {
        self.tell(Event::Claimed)
    }

    fn call_fails(&mut self, class: RefusalClass) -> &mut Self {
        self.tell(Event::CallFailed(refusal(class, "Code")))
    }

    fn reads(&mut self, observed: Observed) -> &mut Self {
        self.tell(Event::Observed(observed))
    }

    fn state(&self) -> Option<EntryState> {
        self.entry.as_ref().map(|entry| entry.state)
    }

    fn identifier(&self) -> Option<&str> {
        self.entry.as_ref().and_then(|entry| entry.identifier.as_deref())
    }

    fn outcome(&self) -> AttemptOutcome {
        self.operation.attempts.last().unwrap().outcome
    }

    fn success(&self) -> Option<SuccessKind> {
        match &self.operation.ending {
            Some(Ending::Succeeded(success)) => Some(success.kind),
            _ => None,
        }
    }

    fn failure(&self) -> Option<&str> {
        match &self.operation.ending {
            Some(Ending::Failed(failure)) => Some(&failure.code),
            _ => None,
        }
    }

    fn failed(&self) -> &Failure {
        match &self.operation.ending {
            Some(Ending::Failed(failure)) => failure,
            other => panic!("not failed but {other:?}"),
        }
    }

    fn cancel(&mut self) -> &mut Self {
        self.operation.cancel_requested = true;
        self
    }

    fn retiring(&self) -> &[String] {
        &self.entry.as_ref().expect("an entry").retiring
    }

    /// The resource whose delete is asked for.
    fn deletes(&self) -> Option<&str> {
        match &self.last {
            Next::Perform(Effect::Delete { identifier, .. }) => Some(identifier),
            _ => None,
        }
    }

    /// The resource whose read is asked for.
    fn observes(&self) -> Option<&str> {
        match &self.last {
            Next::Perform(Effect::Observe { identifier }) => Some(identifier),
            _ => None,
        }
    }

    fn creates(&self) -> bool {
        matches!(self.last, Next::Perform(Effect::Create { .. }))
    }

    fn is_canceled(&self) -> bool {
        matches!(self.operation.ending, Some(Ending::Canceled(_)))
    }

    fn token(&self) -> &str {
        match &self.last {
            Next::Perform(
                Effect::Create { token, .. }
                | Effect::Update { token, .. }
                | Effect::Delete { token, .. },
            ) => token,
            other => panic!("no write is asked for but {other:?}"),
        }
    }

    fn looks_up(&self) -> bool {
        matches!(self.last, Next::Perform(Effect::LookUp { .. }))
    }

    fn waits(&self) -> bool {
        matches!(self.last, Next::Wait { .. })
    }
}

fn start() -> Timestamp {
    Timestamp::from_micros(1_000_000_000)
}

fn request(id: u128, kind: Kind, identifier: Option<&str>) -> Request {
    Request {
        id: OperationId::from_u128(id),
        kind,
        policy: Policy {
            may_create: true,
            tracked: true,
            readable: true,
            marker: true,
            handler_timeout: Duration::from_hours(2),
            replace: None,
            adopt: None,
            held: None,
            unstored: Vec::new(),
        },
        identifier: identifier.map(str::to_owned),
    }
}

fn put() -> Course {
    Course::open(Kind::Put, None, None)
}

fn put_again() -> Course {
    Course::open(Kind::Put, None, Some(ready("r0")))
}

fn delete() -> Course {
    Course::open(Kind::Delete, None, Some(ready("r0")))
}

fn import(identifier: &str) -> Course {
    Course::open(Kind::Import { owned: false, apply: false }, Some(identifier), None)
}

fn ready(identifier: &str) -> Entry {
    Entry {
        identifier: Some(identifier.to_owned()),
        owned: true,
        state: EntryState::Ready,
        operation: None,
        unsettled: Vec::new(),
        retiring: Vec::new(),
        failed_at: None,
    }
}

fn refusal(class: RefusalClass, code: &str) -> Refusal {
    Refusal {
        class,
        code: code.to_owned(),
        message: "because".to_owned(),
        retry_after: None,
        names_request: class == RefusalClass::Busy,
    }
}

fn progress(state: ProgressState, identifier: Option<&str>) -> Event {
    Event::Progressed(Progress {
        request_token: "q0".to_owned(),
        state,
        identifier: identifier.map(str::to_owned),
        code: None,
        message: None,
        retry_after: None,
    })
}

fn pending() -> Event {
    progress(ProgressState::Pending, None)
}

fn success(identifier: &str) -> Event {
    progress(ProgressState::Success, Some(identifier))
}

fn failed(code: &str, identifier: Option<&str>) -> Event {
    let Event::Progressed(progress) = progress(ProgressState::Failed, identifier) else {
        unreachable!()
    };
    Event::Progressed(Progress { code: Some(code.to_owned()), ..progress })
}

fn present(change: ChangeKind) -> Observed {
    present_as("r0", change)
}

fn present_as(identifier: &str, change: ChangeKind) -> Observed {
    Observed::Present { identifier: identifier.to_owned(), change, forms: NewForms::None }
}

/// What only a new resource can be.
fn another() -> ChangeKind {
    ChangeKind::Replace(vec![Finding {
        code: "CreateOnly".to_owned(),
        path: "/CidrBlock".to_owned(),
        message: String::new(),
    }])
}

/// A put that may replace.
fn replacing(id: u128, strategy: Strategy) -> Request {
    let mut asked = request(id, Kind::Put, None);
    asked.policy.replace = Some(strategy);
    asked
}

/// A put that has found r0 to be what has to be replaced.
fn replace(strategy: Strategy) -> Course {
    let mut course = Course::of(start(), replacing(1, strategy), Some(ready("r0")));
    course.reads(present(another()));
    course
}

fn differs() -> ChangeKind {
    ChangeKind::Update { paths: vec!["/Name".to_owned()] }
}

fn forgotten() -> Event {
    Event::PollFailed(refusal(RefusalClass::UnknownRequest, "RequestTokenNotFound"))
}

fn unread(class: RefusalClass) -> Event {
    Event::ReadFailed(refusal(class, "Code"))
}

/// A put whose create nobody answered, and whose look-up found nothing: F18 before its time.
fn parked() -> Course {
    let mut course = put();
    course.call_fails(RefusalClass::Unanswered).later(11).claim();
    course.call_fails(RefusalClass::Unanswered).tell(Event::LookedUp(Found::Nothing));
    course
}
