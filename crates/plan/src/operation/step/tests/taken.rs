//! A name that somebody else's resource has: it is never taken for ours.

use super::*;

fn taken() -> Event {
    failed("AlreadyExists", Some("theirs"))
}

fn refused_as_taken() -> Event {
    Event::CallFailed(refusal(RefusalClass::Refused, "AlreadyExistsException"))
}

/// A put on a reference whose resource is gone, about to be made again.
fn put_on_missing() -> Course {
    let mut course = put_again();
    course.reads(Observed::Absent).claim().reads(Observed::Absent);
    course
}

#[test]
fn a_name_that_is_taken_frees_a_fresh_alias() {
    for answer in [taken(), refused_as_taken()] {
        let mut course = put();
        course.tell(answer);
        assert!(course.failure().unwrap().starts_with("AlreadyExists"));
        assert_eq!(course.state(), None);
    }
}

#[test]
fn a_name_that_was_told_early_and_is_taken_frees_a_fresh_alias() {
    let mut course = put();
    course.tell(progress(ProgressState::InProgress, Some("theirs"))).claim().tell(taken());
    assert_eq!((course.failure(), course.state()), (Some("AlreadyExists"), None));
    assert_eq!(course.operation.identifier, None);
}

#[test]
fn a_name_that_is_taken_leaves_a_missing_reference_as_it_was() {
    for answer in [taken(), refused_as_taken()] {
        let mut course = put_on_missing();
        course.tell(answer);
        assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Missing)));
    }
}

#[test]
fn a_name_that_is_taken_after_an_unanswered_call_is_looked_up() {
    for answer in [taken(), refused_as_taken()] {
        let mut course = put();
        course.claim().tell(answer);
        assert!(course.looks_up());
        course.tell(Event::LookedUp(Found::Nothing));
        assert_eq!((course.identifier(), course.state()), (None, Some(EntryState::Unknown)));
        assert_eq!(course.entry.unwrap().unsettled[0].identifier, None);
    }
}

#[test]
fn a_name_that_our_own_earlier_attempt_took_is_found_and_kept() {
    let mut course = put();
    course.tell(failed("ServiceInternalError", None)).tell(Event::LookedUp(Found::Nothing));
    course.claim().tell(failed("AlreadyExists", Some("r0")));
    assert!(course.looks_up());
    course.tell(Event::LookedUp(Found::One("r0".to_owned()))).reads(present(ChangeKind::None));
    assert_eq!((course.success(), course.identifier()), (Some(SuccessKind::Created), Some("r0")));
}

#[test]
fn candidates_of_a_look_up_are_not_taken() {
    let mut course = put();
    course.claim().tell(taken());
    course.tell(Event::LookedUp(Found::Undecided { candidates: vec!["theirs".to_owned()] }));
    assert_eq!((course.identifier(), course.state()), (None, Some(EntryState::Unknown)));
}
