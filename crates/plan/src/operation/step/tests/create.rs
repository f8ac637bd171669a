//! Making a resource: tokens, failures, time.

use super::*;

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
    let attempt = course.operation.current().unwrap();
    assert_eq!(attempt.identifier.as_deref(), Some("r0"));
    // The reference names it when it is known whose it is.
    assert_eq!((course.identifier(), course.state()), (None, Some(EntryState::Reserved)));
    course.tell(success("r0"));
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Ready)));
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

#[test]
fn a_create_that_times_out_is_unsettled_even_with_a_name() {
    let mut course = put();
    course.tell(progress(ProgressState::InProgress, Some("r0"))).later(121).claim();
    course.tell(progress(ProgressState::InProgress, Some("r0")));
    assert!(course.looks_up());
    course.tell(Event::LookedUp(Found::Undecided { candidates: vec!["r0".to_owned()] }));
    assert_eq!((course.identifier(), course.state()), (None, Some(EntryState::Unknown)));
    let unsettled = course.entry.unwrap().unsettled;
    assert_eq!(unsettled[0].identifier.as_deref(), Some("r0"));
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
