//! The unknown alias: parked, looked for, settled.

use super::*;

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
