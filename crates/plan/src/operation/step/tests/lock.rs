//! The alias as a lock, and what answers mean.

use super::*;

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
        ("ServiceLimitExceeded", FailureKind::Provider),
        ("NotStabilized", FailureKind::Provider),
        ("InvalidRequest", FailureKind::Invalid),
        ("NotUpdatable", FailureKind::Invalid),
        ("ResourceConflict", FailureKind::Conflict),
        ("NotFound", FailureKind::NotFound),
        ("InvalidCredentials", FailureKind::Forbidden),
        ("GeneralServiceException", FailureKind::Provider),
    ] {
        let mut course = put();
        course.tell(failed(code, None));
        let Some(Ending::Failed(failure)) = course.operation.ending else { panic!("{code}") };
        assert_eq!((failure.code.as_str(), failure.kind), (code, kind));
    }
}

#[test]
fn only_a_throttle_is_told_as_a_throttle() {
    for (code, kind) in [
        ("Throttling", FailureKind::Throttled),
        ("ServiceTimeout", FailureKind::Provider),
        ("NetworkFailure", FailureKind::Provider),
        ("ServiceInternalError", FailureKind::Provider),
        ("InternalFailure", FailureKind::Provider),
        ("UnauthorizedTaggingOperation", FailureKind::Forbidden),
    ] {
        let mut course = delete();
        for _ in 0..5 {
            course.tell(failed(code, None)).claim();
        }
        let Some(Ending::Failed(failure)) = course.operation.ending else { panic!("{code}") };
        assert_eq!((failure.code.as_str(), failure.kind), (code, kind));
    }
}

#[test]
fn the_cloud_can_make_a_wait_longer_and_not_shorter() {
    let wait = |asked: u64| {
        let mut course = put();
        for _ in 0..10 {
            course.call_fails(RefusalClass::Throttled).claim();
        }
        let mut refusal = refusal(RefusalClass::Throttled, "Throttling");
        refusal.retry_after = Some(Duration::from_secs(asked));
        course.tell(Event::CallFailed(refusal));
        let Next::Wait { until } = course.last else { panic!("no wait") };
        until.since(course.now)
    };
    assert!(wait(0) >= Duration::from_secs(15), "{:?}", wait(0));
    assert_eq!(wait(0), wait(1));
    assert_eq!(wait(120), Duration::from_mins(2));
}

#[test]
fn a_call_that_was_not_sent_is_not_one_without_an_answer() {
    let mut course = put();
    let token = course.token().to_owned();
    course.tell(Event::NotSent);
    assert_eq!(course.token(), token);
    assert_eq!(course.operation.current().unwrap().unanswered, 1);
    course.call_fails(RefusalClass::Refused);
    assert_eq!((course.failure(), course.state()), (Some("Code"), None));
}

#[test]
fn an_update_that_was_not_sent_is_made_from_a_new_read() {
    let mut course = put_again();
    let token = course.reads(present(differs())).token().to_owned();
    course.tell(Event::NotSent);
    assert_eq!(course.last, Next::Perform(Effect::Observe { identifier: "r0".to_owned() }));
    assert_eq!(course.reads(present(differs())).token(), token);
}
