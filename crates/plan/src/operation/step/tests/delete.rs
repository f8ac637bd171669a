//! Deleting a resource, and letting go of one.

use super::*;

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

#[test]
fn an_alias_is_not_free_while_an_unanswered_delete_may_land_on_what_is_made_next() {
    let mut course = delete();
    course.call_fails(RefusalClass::Unanswered).claim().call_fails(RefusalClass::NotFound);
    assert!(course.reads(Observed::Absent).waits());
    assert_eq!(course.state(), Some(EntryState::Ready));
    course.later(20).claim().reads(Observed::Absent);
    assert_eq!((course.success(), course.state()), (Some(SuccessKind::Deleted), None));
}

#[test]
fn a_delete_that_is_done_has_no_call_that_may_land() {
    let mut course = delete();
    course.call_fails(RefusalClass::Unanswered).claim().tell(success("r0")).reads(Observed::Absent);
    assert_eq!((course.success(), course.state()), (Some(SuccessKind::Deleted), None));
}

/// A delete without a reference.
fn untracked() -> Course {
    let mut asked = request(1, Kind::Delete, Some("r0"));
    asked.policy.tracked = false;
    Course::of(start(), asked, None)
}

#[test]
fn a_delete_without_a_reference_of_what_was_never_there_did_nothing() {
    for answer in [
        Event::CallFailed(refusal(RefusalClass::NotFound, "ResourceNotFound")),
        failed("NotFound", Some("r0")),
    ] {
        let mut course = untracked();
        course.tell(answer);
        assert_eq!((course.success(), course.last), (Some(SuccessKind::Noop), Next::Stop));
    }
}

#[test]
fn a_delete_without_a_reference_that_may_have_been_ours_is_told_as_a_delete() {
    let mut course = untracked();
    course.claim().call_fails(RefusalClass::NotFound).reads(Observed::Absent);
    assert_eq!(course.success(), Some(SuccessKind::Deleted));
}

#[test]
fn a_refusal_after_an_unanswered_delete_asks_again_with_its_token() {
    let mut course = delete();
    let first = course.token().to_owned();
    course.call_fails(RefusalClass::Unanswered).claim().call_fails(RefusalClass::Forbidden);
    assert!(course.waits() && course.failure().is_none());
    assert_eq!(course.claim().token(), first);
    course.later(11).call_fails(RefusalClass::Forbidden);
    assert!(course.failure().is_some());
}
