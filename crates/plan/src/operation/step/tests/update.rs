//! Changing a resource, and making again what is gone.

use super::*;

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
    course.tell(success("r1")).reads(Observed::Present {
        identifier: "r1".to_owned(),
        change: ChangeKind::None,
        forms: NewForms::None,
    });
    assert_eq!((course.success(), course.identifier()), (Some(SuccessKind::Created), Some("r1")));
}

#[test]
fn a_put_that_may_make_nothing_leaves_no_empty_reference() {
    let mut asked = request(1, Kind::Put, Some("r0"));
    asked.policy.may_create = false;
    let mut course = Course::of(start(), asked, None);
    course.reads(Observed::Absent).claim().reads(Observed::Absent);
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

/// A put that comes so long after a create that failed and named r0, which is not there.
fn put_after_failed_create(after: Duration) -> Course {
    let mut failing = put();
    failing.tell(failed("NotStabilized", Some("r0")));
    let now = failing.now.after(after);
    let mut course = Course::at(now, 2, Kind::Put, None, failing.entry);
    course.reads(Observed::Absent).claim().reads(Observed::Absent);
    course
}

#[test]
fn a_put_long_after_a_failed_create_does_not_wait_again() {
    let course = put_after_failed_create(Duration::from_secs(61));
    assert!(matches!(course.last, Next::Perform(Effect::Create { .. })));
}

#[test]
fn a_put_soon_after_a_failed_create_waits_only_for_the_rest_of_the_grace() {
    let mut course = put_after_failed_create(Duration::from_secs(50));
    assert!(course.waits());
    course.now = course.now.after(Duration::from_secs(11));
    course.claim().reads(Observed::Absent);
    assert!(matches!(course.last, Next::Perform(Effect::Create { .. })));
}

#[test]
fn a_refusal_after_an_unanswered_update_waits_until_that_one_cannot_land() {
    let mut course = put_again();
    course.reads(present(differs())).call_fails(RefusalClass::Unanswered);
    course.claim().reads(present(differs())).call_fails(RefusalClass::Forbidden);
    assert!(course.waits() && course.failure().is_none());
    // Its effect shows after all.
    course.claim().reads(present(ChangeKind::None));
    assert_eq!(course.success(), Some(SuccessKind::Updated));

    let mut course = put_again();
    course.reads(present(differs())).call_fails(RefusalClass::Unanswered);
    course.claim().reads(present(differs())).call_fails(RefusalClass::Forbidden);
    course.later(11).claim().reads(present(differs())).call_fails(RefusalClass::Forbidden);
    assert!(course.failure().is_some());
}

#[test]
fn an_update_of_what_is_gone_and_cannot_be_read_is_not_tried_for_ever() {
    let mut course = put_again();
    course.operation.policy.readable = false;
    course.reads(Observed::Unreadable { change: differs() }).call_fails(RefusalClass::NotFound);
    assert!(course.failure().is_some());
    assert_eq!(course.identifier(), Some("r0"));
}

#[test]
fn the_alias_names_a_resource_as_the_read_after_the_write_spells_it() {
    let mut course = put();
    course.tell(success("arn:cluster/r0")).reads(present(ChangeKind::None));
    assert_eq!((course.success(), course.identifier()), (Some(SuccessKind::Created), Some("r0")));
    assert!(!course.documents.forgotten);
}
