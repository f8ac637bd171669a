//! Stopping on request.

use super::*;

fn cancel(course: &mut Course) -> &mut Course {
    course.cancel()
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
