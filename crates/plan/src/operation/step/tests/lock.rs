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
        ("ServiceLimitExceeded", FailureKind::Throttled),
        ("GeneralServiceException", FailureKind::Provider),
    ] {
        let mut course = put();
        course.tell(failed(code, None));
        let Some(Ending::Failed(failure)) = course.operation.ending else { panic!("{code}") };
        assert_eq!((failure.code.as_str(), failure.kind), (code, kind));
    }
}
