//! What the machine claims, one short test each: the claim is the name.

// Events and entries are made for the call that takes them.
#![allow(clippy::needless_pass_by_value)]

use std::time::Duration;

use super::super::attempt::{AttemptOutcome, Verb};
use super::super::effect::{Effect, EntryChange, Next, Step};
use super::super::ending::{Convergence, Ending, FailureKind, SuccessKind};
use super::super::entry::{Entry, EntryState};
use super::super::event::{
    ChangeKind, Event, Found, Observed, Progress, ProgressState, Refusal, RefusalClass,
};
use super::super::id::OperationId;
use super::super::open::{OpenError, Request, open};
use super::super::state::{Kind, Operation, Policy, Stage};
use super::step;
use crate::Timestamp;

/// An operation and its entry, as a store and a worker would move them.
struct Course {
    operation: Operation,
    entry: Option<Entry>,
    now: Timestamp,
    last: Next,
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
        let opened = open(request(id, kind, identifier), entry.as_ref(), now).unwrap();
        let mut course = Self {
            operation: opened.operation,
            entry: opened.entry,
            now,
            last: Next::Stop,
            warning: None,
        };
        course.tell(Event::Claimed);
        course
    }

    fn tell(&mut self, event: Event) -> &mut Self {
        let Step { operation, entry, next, warning, .. } =
            step(&self.operation, self.entry.as_ref(), &event, self.now);
        self.operation = operation;
        match entry {
            EntryChange::Keep => {}
            EntryChange::Save(entry) => self.entry = Some(entry),
            EntryChange::Free => self.entry = None,
        }
        self.last = next;
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
    Observed::Present { identifier: "r0".to_owned(), change }
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

// Creating.

#[test]
fn a_create_is_on_record_before_it_is_called() {
    let course = put();
    let attempt = course.operation.current().unwrap();
    assert_eq!((attempt.unanswered, attempt.sent_at), (1, Some(start())));
    assert_eq!(course.token(), attempt.client_token);
}

#[test]
fn a_lost_answer_repeats_the_create_with_its_token() {
    let mut course = put();
    let token = course.token().to_owned();
    course.call_fails(RefusalClass::Unanswered);
    assert!(course.waits());
    assert_eq!(course.claim().token(), token);
}

#[test]
fn a_crash_after_the_call_repeats_the_create_with_its_token() {
    let mut course = put();
    let token = course.token().to_owned();
    assert_eq!(course.claim().token(), token);
    assert_eq!(course.operation.current().unwrap().unanswered, 2);
}

#[test]
fn a_crash_while_polling_polls_the_same_request() {
    let mut course = put();
    course.tell(pending()).claim();
    assert_eq!(course.last, Next::Perform(Effect::Poll { request_token: "q0".to_owned() }));
}

#[test]
fn an_identifier_is_kept_as_soon_as_it_is_named() {
    let mut course = put();
    course.tell(progress(ProgressState::InProgress, Some("r0")));
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Reserved)));
}

#[test]
fn a_create_that_shows_is_converged() {
    let mut course = put();
    course.tell(success("r0")).reads(present(ChangeKind::None));
    assert_eq!(course.success(), Some(SuccessKind::Created));
    assert_eq!(course.state(), Some(EntryState::Ready));
    assert_eq!(course.entry.unwrap().operation, None);
}

#[test]
fn a_write_that_does_not_show_is_read_again_and_then_told() {
    let mut course = put();
    course.tell(success("r0"));
    for _ in 0..3 {
        assert!(course.reads(present(differs())).waits());
        course.claim();
    }
    course.reads(present(differs()));
    let Some(Ending::Succeeded(success)) = course.operation.ending else { panic!("not done") };
    assert_eq!(success.convergence, Convergence::AcceptedNotEffective);
    assert_eq!(success.not_effective, ["/Name"]);
}

#[test]
fn absence_after_create_is_believed_only_after_the_grace() {
    let mut course = put();
    course.tell(success("r0"));
    assert!(course.reads(Observed::Absent).waits());
    course.later(2).claim().reads(Observed::Absent);
    assert_eq!(course.failure(), Some("ResourceVanished"));
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Missing)));
}

#[test]
fn a_read_is_true_of_when_it_was_begun() {
    let mut course = put();
    course.tell(success("r0"));
    // The worker sleeps between the answer and its commit.
    course.later(2).reads(Observed::Absent);
    assert!(course.waits());
}

#[test]
fn a_read_that_is_refused_after_a_create_does_not_end_it_within_the_grace() {
    let mut course = put();
    course.tell(success("r0"));
    assert!(course.tell(unread(RefusalClass::Forbidden)).waits());
    course.later(2).claim().tell(unread(RefusalClass::Forbidden));
    assert_eq!(course.success(), Some(SuccessKind::Created));
}

#[test]
fn failed_with_an_identifier_keeps_the_entry() {
    let mut course = put();
    course.tell(failed("NotStabilized", Some("r0")));
    assert_eq!(course.failure(), Some("NotStabilized"));
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Failed)));
}

#[test]
fn failed_without_an_identifier_frees_the_alias_after_the_only_call() {
    let mut course = put();
    course.tell(pending()).claim().tell(failed("InvalidRequest", None));
    assert_eq!((course.failure(), course.state()), (Some("InvalidRequest"), None));
}

#[test]
fn failed_without_an_identifier_after_an_unanswered_call_parks_the_alias() {
    let mut course = put();
    course.claim().tell(pending()).claim().tell(failed("InvalidRequest", None));
    assert!(course.looks_up());
    course.tell(Event::LookedUp(Found::Nothing));
    assert_eq!(course.failure(), Some("AliasUnknown"));
    assert_eq!(
        (course.state(), &course.operation.stage),
        (Some(EntryState::Unknown), &Stage::Parked)
    );
}

#[test]
fn a_refusal_of_the_first_call_frees_the_alias() {
    let mut course = put();
    course.call_fails(RefusalClass::Refused);
    assert_eq!((course.failure(), course.state()), (Some("Code"), None));
}

#[test]
fn a_refusal_after_an_unanswered_call_parks_the_alias() {
    let mut course = put();
    course.claim().call_fails(RefusalClass::Refused);
    assert!(course.looks_up());
    course.tell(Event::LookedUp(Found::Nothing));
    assert_eq!(course.state(), Some(EntryState::Unknown));
}

#[test]
fn a_throttled_create_never_frees_the_alias_while_it_waits() {
    let mut course = put();
    for _ in 0..50 {
        assert!(course.call_fails(RefusalClass::Throttled).waits());
        course.claim();
    }
    assert_eq!(course.state(), Some(EntryState::Reserved));
}

#[test]
fn a_transient_failure_is_looked_up_and_tried_with_another_token() {
    let mut course = put();
    let token = course.token().to_owned();
    course.tell(failed("ServiceInternalError", None));
    assert!(course.looks_up());
    assert!(course.tell(Event::LookedUp(Found::Nothing)).waits());
    assert_ne!(course.claim().token(), token);
}

#[test]
fn a_transient_failure_is_not_tried_for_ever() {
    let mut course = put();
    for _ in 0..4 {
        course.tell(failed("Throttling", None)).tell(Event::LookedUp(Found::Nothing)).claim();
    }
    course.tell(failed("Throttling", None));
    assert_eq!((course.failure(), course.state()), (Some("Throttling"), None));
}

#[test]
fn a_tagging_refusal_opens_an_attempt_without_the_marker() {
    for answer in [
        Event::CallFailed(refusal(RefusalClass::Refused, "UnauthorizedTaggingOperationException")),
        failed("UnauthorizedTaggingOperation", None),
    ] {
        let mut course = put();
        assert!(matches!(course.last, Next::Perform(Effect::Create { marked: true, .. })));
        course.tell(answer).tell(Event::LookedUp(Found::Nothing));
        if course.waits() {
            course.claim();
        }
        assert!(matches!(course.last, Next::Perform(Effect::Create { marked: false, .. })));
        assert_eq!(course.operation.current().unwrap().number, 2);
        assert!(course.warning.is_some());
    }
}

#[test]
fn a_token_conflict_is_looked_up_and_never_called_again() {
    let mut course = put();
    course.call_fails(RefusalClass::TokenConflict);
    assert!(course.looks_up());
    assert_eq!(course.outcome(), AttemptOutcome::Lost);
}

#[test]
fn no_create_is_called_with_a_token_older_than_a_day() {
    let mut course = put();
    course.call_fails(RefusalClass::Unanswered).later(24 * 60 + 1).claim();
    assert!(course.looks_up());
    course.tell(Event::LookedUp(Found::Nothing));
    assert_eq!((course.failure(), course.state()), (Some("CreateTooOld"), None));
}

#[test]
fn a_create_that_was_never_accepted_gets_a_new_token_after_a_day() {
    let mut course = put();
    let token = course.token().to_owned();
    course.call_fails(RefusalClass::Unreachable).later(24 * 60 + 1).claim();
    assert_ne!(course.token(), token);
    assert_eq!(course.operation.current().unwrap().born_at, course.now);
}

#[test]
fn a_success_that_names_nothing_is_looked_up() {
    let mut course = put();
    course.tell(progress(ProgressState::Success, None));
    assert!(course.looks_up());
}

#[test]
fn a_forgotten_create_without_a_name_is_looked_up() {
    let mut course = put();
    course.tell(pending()).later(2).claim().tell(forgotten());
    assert!(course.looks_up());
    assert_eq!(course.outcome(), AttemptOutcome::Lost);
}

#[test]
fn a_forgotten_create_with_a_name_is_read() {
    let mut course = put();
    course.tell(progress(ProgressState::InProgress, Some("r0"))).later(2).claim().tell(forgotten());
    assert_eq!(course.last, Next::Perform(Effect::Observe { identifier: "r0".to_owned() }));
    course.reads(present(ChangeKind::None));
    assert_eq!(course.success(), Some(SuccessKind::Created));
}

#[test]
fn a_forgotten_create_that_cannot_be_read_keeps_its_name() {
    let mut course = put();
    course.tell(progress(ProgressState::InProgress, Some("r0"))).later(2).claim().tell(forgotten());
    course.tell(unread(RefusalClass::Forbidden));
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Failed)));
}

#[test]
fn a_forgotten_re_creation_is_not_taken_for_the_old_resource() {
    let mut course = put_again();
    course.reads(Observed::Absent).claim().reads(Observed::Absent);
    course.tell(pending()).later(2).claim().tell(forgotten());
    assert!(course.looks_up());
}

#[test]
fn a_request_that_is_not_known_yet_is_asked_for_again() {
    let mut course = put();
    course.tell(pending()).claim().tell(forgotten());
    assert!(course.waits());
    assert_eq!(course.operation.stage, Stage::Poll);
}

#[test]
fn an_update_that_is_forgotten_again_and_again_is_given_up() {
    let mut course = put_again();
    for _ in 0..5 {
        course.reads(present(differs())).tell(pending()).later(2).claim().tell(forgotten());
    }
    assert_eq!(
        (course.failure(), course.state()),
        (Some("RequestForgotten"), Some(EntryState::Failed))
    );
}

// Time.

#[test]
fn a_create_that_times_out_is_unsettled_even_with_a_name() {
    let mut course = put();
    course.tell(progress(ProgressState::InProgress, Some("r0"))).later(121).claim();
    course.tell(progress(ProgressState::InProgress, Some("r0")));
    assert!(course.looks_up());
    course.tell(Event::LookedUp(Found::Undecided { candidates: vec!["r0".to_owned()] }));
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Unknown)));
}

#[test]
fn a_request_that_is_not_begun_is_late_after_fifteen_minutes() {
    let mut course = put();
    course.tell(pending()).later(15).claim();
    assert!(course.tell(pending()).waits());
    course.later(1).claim().tell(pending());
    assert_eq!(course.outcome(), AttemptOutcome::Lost);
}

#[test]
fn an_update_that_times_out_keeps_the_entry() {
    let mut course = put_again();
    course.reads(present(differs())).tell(pending()).later(121).claim().tell(pending());
    assert_eq!(course.failure(), Some("RequestTimeout"));
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Failed)));
}

// The unknown alias.

#[test]
fn an_unanswered_create_is_looked_for_and_then_parked() {
    let course = parked();
    assert_eq!(course.failure(), Some("AliasUnknown"));
    assert_eq!(course.entry.as_ref().unwrap().unsettled.len(), 1);
    assert_eq!(course.last, Next::Wait { until: course.now.after(Duration::from_mins(20)) });
}

#[test]
fn a_parked_alias_is_freed_when_the_quarantine_is_over() {
    let mut course = parked();
    let ending = course.operation.ending.clone();
    course.later(20).claim().tell(Event::LookedUp(Found::Nothing));
    assert_eq!((course.state(), &course.operation.stage), (None, &Stage::Done));
    assert_eq!(course.operation.ending, ending);
}

#[test]
fn a_look_up_is_true_of_when_it_was_begun() {
    let mut course = parked();
    course.later(19).claim().later(2).tell(Event::LookedUp(Found::Nothing));
    assert!(course.waits());
    assert_eq!(course.state(), Some(EntryState::Unknown));
}

#[test]
fn a_parked_alias_is_ready_when_its_resource_is_found() {
    let mut course = parked();
    course.later(20).claim().tell(Event::LookedUp(Found::One("r0".to_owned())));
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Ready)));
}

#[test]
fn a_parked_operation_lets_a_running_one_go_first() {
    let mut course = parked();
    let newer = Course::at(course.now, 2, Kind::Put, None, course.entry.clone());
    course.entry.clone_from(&newer.entry);
    assert!(course.later(20).claim().waits());
    assert_eq!((course.entry, course.operation.stage), (newer.entry, Stage::Parked));
}

#[test]
fn a_write_on_an_unknown_alias_looks_up_first() {
    let old = parked();
    let mut course = Course::at(old.now, 2, Kind::Put, None, old.entry);
    assert!(course.looks_up());
    course.tell(Event::LookedUp(Found::One("r0".to_owned()))).reads(present(ChangeKind::None));
    assert_eq!((course.success(), course.identifier()), (Some(SuccessKind::Noop), Some("r0")));
}

#[test]
fn a_write_on_an_unknown_alias_is_refused_while_it_cannot_be_told() {
    let old = parked();
    let mut course = Course::at(old.now, 2, Kind::Put, None, old.entry.clone());
    course.tell(Event::LookedUp(Found::Nothing));
    assert_eq!(course.failure(), Some("AliasUnknown"));
    assert_eq!(course.entry.unwrap().unsettled, old.entry.unwrap().unsettled);
}

#[test]
fn a_put_on_an_unknown_alias_goes_on_when_nothing_was_made() {
    let old = parked();
    let now = old.now.after(Duration::from_mins(20));
    let mut course = Course::at(now, 2, Kind::Put, None, old.entry);
    course.tell(Event::LookedUp(Found::Nothing));
    assert!(matches!(course.last, Next::Perform(Effect::Create { .. })));
    course.call_fails(RefusalClass::Refused);
    assert_eq!(course.state(), None);
}

#[test]
fn a_delete_of_an_unknown_alias_deletes_what_is_found() {
    let old = parked();
    let mut course = Course::at(old.now, 2, Kind::Delete, None, old.entry);
    course.tell(Event::LookedUp(Found::One("r0".to_owned())));
    assert!(
        matches!(&course.last, Next::Perform(Effect::Delete { identifier, .. }) if identifier == "r0")
    );
}

#[test]
fn a_look_up_that_is_refused_parks_the_alias() {
    let mut course = put();
    course.claim().call_fails(RefusalClass::Refused);
    course.tell(Event::LookUpFailed(refusal(RefusalClass::Forbidden, "AccessDenied")));
    assert_eq!(
        (course.failure(), course.state()),
        (Some("AliasUnknown"), Some(EntryState::Unknown))
    );
}

// Updating.

#[test]
fn a_put_with_nothing_to_do_sends_nothing() {
    let mut course = put_again();
    course.reads(present(ChangeKind::None));
    assert_eq!((course.success(), course.last), (Some(SuccessKind::Noop), Next::Stop));
    assert!(course.operation.attempts.is_empty());
}

#[test]
fn an_update_is_never_replayed() {
    let mut course = put_again();
    let first = course.reads(present(differs())).token().to_owned();
    course.claim();
    assert_eq!(course.last, Next::Perform(Effect::Observe { identifier: "r0".to_owned() }));
    assert_eq!(course.outcome(), AttemptOutcome::Superseded);
    assert_ne!(course.reads(present(differs())).token(), first);
}

#[test]
fn an_update_that_a_read_shows_is_not_sent_again() {
    let mut course = put_again();
    course.reads(present(differs())).claim().reads(present(ChangeKind::None));
    assert_eq!(course.success(), Some(SuccessKind::Updated));
}

#[test]
fn a_failed_update_keeps_entry_and_identifier() {
    for answer in [
        failed("InvalidRequest", Some("r0")),
        Event::CallFailed(refusal(RefusalClass::Refused, "InvalidRequest")),
    ] {
        let mut course = put_again();
        course.reads(present(differs())).tell(answer);
        assert_eq!(course.failure(), Some("InvalidRequest"));
        assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Failed)));
    }
}

#[test]
fn a_change_that_needs_a_new_resource_is_refused() {
    let mut course = put_again();
    course.reads(present(ChangeKind::Replace(Vec::new())));
    assert_eq!((course.failure(), &course.last), (Some("ReplaceRequired"), &Next::Stop));
}

#[test]
fn a_resource_that_was_deleted_behind_our_back_is_made_again_after_two_reads() {
    let mut course = put_again();
    assert!(course.reads(Observed::Absent).waits());
    course.claim().reads(Observed::Absent);
    assert!(matches!(course.last, Next::Perform(Effect::Create { .. })));
    course
        .tell(success("r1"))
        .reads(Observed::Present { identifier: "r1".to_owned(), change: ChangeKind::None });
    assert_eq!((course.success(), course.identifier()), (Some(SuccessKind::Created), Some("r1")));
}

#[test]
fn a_put_that_may_make_nothing_leaves_no_empty_reference() {
    let mut asked = request(1, Kind::Put, Some("r0"));
    asked.policy.may_create = false;
    let opened = open(asked, None, start()).unwrap();
    let mut course = Course {
        operation: opened.operation,
        entry: opened.entry,
        now: start(),
        last: Next::Stop,
        warning: None,
    };
    course.claim().reads(Observed::Absent).claim().reads(Observed::Absent);
    assert_eq!((course.failure(), course.state()), (Some("ResourceNotFound"), None));
}

#[test]
fn what_a_failed_create_named_is_not_made_again_within_the_grace() {
    let entry = Entry { state: EntryState::Failed, ..ready("r0") };
    let mut course = Course::open(Kind::Put, None, Some(entry));
    for _ in 0..5 {
        assert!(course.reads(Observed::Absent).waits());
        course.claim();
    }
    course.later(2).claim().reads(Observed::Absent);
    assert!(matches!(course.last, Next::Perform(Effect::Create { .. })));
}

#[test]
fn a_re_creation_that_is_refused_leaves_the_reference_missing() {
    let mut course = put_again();
    course.reads(Observed::Absent).claim().reads(Observed::Absent);
    course.call_fails(RefusalClass::Refused);
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Missing)));
}

#[test]
fn another_request_is_waited_for_five_minutes() {
    let mut course = put_again();
    course.reads(present(differs()));
    assert!(course.call_fails(RefusalClass::Busy).waits());
    // The read before each call is not progress.
    course.later(6).claim().reads(present(differs())).call_fails(RefusalClass::Busy);
    assert_eq!((course.failure(), course.state()), (Some("Code"), Some(EntryState::Failed)));
}

// Deleting.

#[test]
fn not_found_on_delete_is_success() {
    for answer in [
        Event::CallFailed(refusal(RefusalClass::NotFound, "ResourceNotFound")),
        failed("NotFound", Some("r0")),
    ] {
        let mut course = delete();
        course.tell(answer).reads(Observed::Absent);
        assert_eq!((course.success(), course.state()), (Some(SuccessKind::Deleted), None));
    }
}

#[test]
fn an_entry_goes_only_when_a_read_agrees() {
    let mut course = delete();
    course.tell(success("r0"));
    assert!(course.reads(present(ChangeKind::None)).waits());
    course.later(2).claim().reads(present(ChangeKind::None));
    assert_eq!(course.failure(), Some("ResourceStillThere"));
    assert_eq!(course.identifier(), Some("r0"));
}

#[test]
fn a_crash_in_a_delete_repeats_it_with_its_token() {
    let mut course = delete();
    let token = course.token().to_owned();
    assert_eq!(course.claim().token(), token);
}

#[test]
fn a_failed_delete_keeps_entry_and_identifier() {
    let mut course = delete();
    course.tell(failed("InvalidRequest", Some("r0")));
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Failed)));
}

#[test]
fn a_forgotten_delete_that_cannot_be_read_keeps_the_entry() {
    let mut course = delete();
    course.tell(pending()).later(2).claim().tell(forgotten()).tell(unread(RefusalClass::Forbidden));
    assert_eq!(course.failure(), Some("DeleteUnconfirmed"));
    assert_eq!(course.identifier(), Some("r0"));
}

#[test]
fn a_delete_that_the_cloud_confirmed_needs_no_read() {
    let mut course = delete();
    course.tell(success("r0")).tell(unread(RefusalClass::Forbidden));
    assert_eq!((course.success(), course.state()), (Some(SuccessKind::Deleted), None));
}

#[test]
fn a_reference_that_stands_for_nothing_is_removed_without_a_call() {
    let entry = Entry { identifier: None, state: EntryState::Reserved, ..ready("r0") };
    let course = Course::open(Kind::Delete, None, Some(entry));
    assert_eq!((course.success(), course.state()), (Some(SuccessKind::Deleted), None));
}

#[test]
fn an_unlink_leaves_the_resource_alone() {
    let course = Course::open(Kind::Unlink, None, Some(ready("r0")));
    assert_eq!((course.success(), course.state()), (Some(SuccessKind::Unlinked), None));
    assert_eq!(course.last, Next::Stop);
}

// Stopping.

fn cancel(course: &mut Course) -> &mut Course {
    course.operation.cancel_requested = true;
    course
}

#[test]
fn a_cancel_before_anything_is_accepted_frees_the_alias() {
    let mut course = put();
    course.call_fails(RefusalClass::Throttled);
    cancel(&mut course).claim();
    assert!(course.is_canceled());
    assert_eq!(course.state(), None);
}

#[test]
fn a_cancel_after_an_unanswered_call_first_learns_what_became_of_it() {
    let mut course = put();
    let token = course.token().to_owned();
    course.call_fails(RefusalClass::Unanswered);
    assert_eq!(cancel(&mut course).claim().token(), token);
}

#[test]
fn a_cancel_of_a_running_request_asks_the_cloud_once() {
    let mut course = put();
    course.tell(pending());
    cancel(&mut course).claim();
    assert_eq!(course.last, Next::Perform(Effect::Cancel { request_token: "q0".to_owned() }));
    course.tell(pending()).claim();
    assert_eq!(course.last, Next::Perform(Effect::Poll { request_token: "q0".to_owned() }));
}

#[test]
fn a_cancel_that_was_not_heard_is_asked_again() {
    let mut course = put();
    course.tell(pending());
    cancel(&mut course).claim();
    course.tell(Event::PollFailed(refusal(RefusalClass::Throttled, "Throttling"))).claim();
    assert_eq!(course.last, Next::Perform(Effect::Cancel { request_token: "q0".to_owned() }));
}

#[test]
fn a_canceled_create_without_a_name_is_unknown() {
    let mut course = put();
    course.tell(pending());
    cancel(&mut course).claim().tell(progress(ProgressState::Canceled, None));
    assert!(course.looks_up());
    course.tell(Event::LookedUp(Found::Nothing));
    assert_eq!(course.state(), Some(EntryState::Unknown));
}

#[test]
fn a_canceled_create_with_a_name_is_read_and_kept() {
    let mut course = put();
    course.tell(pending());
    cancel(&mut course).claim().tell(progress(ProgressState::Canceled, Some("r0")));
    assert_eq!(course.last, Next::Perform(Effect::Observe { identifier: "r0".to_owned() }));
    course.reads(present(differs()));
    assert!(course.is_canceled());
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Failed)));
}

#[test]
fn a_cancel_during_a_look_up_does_not_forget_the_create() {
    let mut course = put();
    course.claim().call_fails(RefusalClass::Refused);
    cancel(&mut course).claim();
    assert!(course.looks_up());
    assert_eq!(course.state(), Some(EntryState::Reserved));
}

#[test]
fn a_cancel_after_the_write_is_done_comes_too_late() {
    let mut course = put();
    course.tell(success("r0"));
    cancel(&mut course).claim().reads(present(ChangeKind::None));
    assert_eq!(course.success(), Some(SuccessKind::Created));
}

#[test]
fn a_canceled_delete_keeps_what_is_still_there() {
    let mut course = delete();
    course.tell(pending());
    cancel(&mut course).claim().tell(progress(ProgressState::Canceled, Some("r0")));
    course.reads(present(ChangeKind::None));
    assert!(course.is_canceled());
    assert_eq!(course.identifier(), Some("r0"));
}

// Importing.

#[test]
fn an_import_takes_what_exists_and_does_not_own_it() {
    let mut course = import("r0");
    course.reads(present(ChangeKind::None));
    assert_eq!(course.success(), Some(SuccessKind::Imported));
    let entry = course.entry.unwrap();
    assert_eq!((entry.owned, entry.state), (false, EntryState::Ready));
}

#[test]
fn an_import_of_nothing_takes_nothing() {
    let mut course = import("r0");
    course.reads(Observed::Absent);
    assert_eq!((course.failure(), course.state()), (Some("ResourceNotFound"), None));
}

#[test]
fn an_import_into_an_unknown_alias_is_not_told_of_another_resource() {
    let old = parked();
    let kind = Kind::Import { owned: false, apply: false };
    let mut course = Course::at(old.now, 2, kind, Some("r7"), old.entry);
    course.tell(Event::LookedUp(Found::One("r0".to_owned())));
    assert_eq!((course.failure(), course.identifier()), (Some("AliasMapped"), Some("r0")));
}

#[test]
fn an_import_into_an_alias_that_turned_out_free_is_as_any_import() {
    let old = parked();
    let kind = Kind::Import { owned: false, apply: false };
    let now = old.now.after(Duration::from_mins(20));
    let mut course = Course::at(now, 2, kind, Some("r0"), old.entry);
    course.tell(Event::LookedUp(Found::Nothing)).reads(present(ChangeKind::None));
    let entry = course.entry.unwrap();
    assert_eq!((entry.owned, entry.state), (false, EntryState::Ready));
}

#[test]
fn a_resource_that_another_reference_names_is_not_taken() {
    let mut course = import("r0");
    course.tell(Event::MappedElsewhere { reference: "other".to_owned() });
    assert_eq!((course.failure(), course.state()), (Some("ResourceMapped"), None));
}

// The alias as a lock.

#[test]
fn a_second_write_finds_the_alias_busy() {
    let course = put();
    let refused = open(request(2, Kind::Put, None), course.entry.as_ref(), start());
    assert_eq!(refused.unwrap_err(), OpenError::Busy(course.operation.id));
}

#[test]
fn an_import_of_another_resource_finds_the_alias_taken() {
    let kind = Kind::Import { owned: false, apply: false };
    let refused = open(request(2, kind, Some("r7")), Some(&ready("r0")), start());
    assert_eq!(refused.unwrap_err(), OpenError::MappedTo { identifier: "r0".to_owned() });
}

#[test]
fn there_is_nothing_to_delete_where_there_is_no_reference() {
    let refused = open(request(2, Kind::Delete, None), None, start());
    assert_eq!(refused.unwrap_err(), OpenError::Absent);
}

#[test]
fn an_ended_operation_is_not_moved_by_a_late_answer() {
    let mut course = put();
    course.call_fails(RefusalClass::Refused);
    let ended = course.operation.clone();
    course.tell(success("r0"));
    assert_eq!((course.operation, course.last), (ended, Next::Stop));
}

#[test]
fn an_answer_that_nobody_asked_for_does_not_lose_the_operation() {
    let mut course = put();
    course.tell(pending());
    course.reads(Observed::Absent);
    assert_eq!(course.last, Next::Perform(Effect::Poll { request_token: "q0".to_owned() }));
    assert_eq!(course.operation.sent(Verb::Create), 1);
}

#[test]
fn codes_of_the_cloud_reach_the_caller_with_their_kind() {
    for (code, kind) in [
        ("AccessDenied", FailureKind::Forbidden),
        ("AlreadyExists", FailureKind::Conflict),
        ("ServiceLimitExceeded", FailureKind::Throttled),
        ("GeneralServiceException", FailureKind::Provider),
    ] {
        let mut course = put();
        course.tell(failed(code, None));
        let Some(Ending::Failed(failure)) = course.operation.ending else { panic!("{code}") };
        assert_eq!((failure.code.as_str(), failure.kind), (code, kind));
    }
}
