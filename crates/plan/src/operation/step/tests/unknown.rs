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

#[test]
fn an_unlink_of_an_unknown_alias_removes_it_without_a_look_up() {
    let old = parked();
    let course = Course::at(old.now, 2, Kind::Unlink, None, old.entry);
    assert_eq!((course.success(), course.state()), (Some(SuccessKind::Unlinked), None));
    assert_eq!(course.last, Next::Stop);
}

#[test]
fn an_unknown_alias_tells_both_ways_out() {
    let course = parked();
    let Some(Ending::Failed(failure)) = course.operation.ending else { panic!("not failed") };
    for part in ["20 minutes", "`mapsTo.primaryIdentifier`", "`mode=detach`"] {
        assert!(failure.message.contains(part), "{}", failure.message);
    }
}

#[test]
fn an_unknown_alias_whose_resource_another_reference_names_is_freed() {
    let mapped = || Event::MappedElsewhere { reference: "other".to_owned() };
    let mut course = parked();
    course.later(20).claim().tell(mapped());
    assert_eq!((course.state(), &course.operation.stage), (None, &Stage::Done));

    let old = parked();
    let mut course = Course::at(old.now, 2, Kind::Put, None, old.entry);
    course.tell(mapped());
    assert_eq!((course.failure(), course.state()), (Some("ResourceMapped"), None));
}

fn look_up_fails(course: &mut Course, class: RefusalClass) -> Duration {
    course.claim().tell(Event::LookUpFailed(refusal(class, "Code")));
    let Next::Wait { until } = course.last else { panic!("no wait") };
    until.since(course.now)
}

#[test]
fn a_parked_look_up_that_fails_is_made_ever_more_seldom() {
    let mut course = parked();
    let spans: Vec<Duration> =
        (0..40).map(|_| look_up_fails(&mut course, RefusalClass::Throttled)).collect();
    assert!(spans[0] <= Duration::from_secs(30));
    assert!(spans[10] >= Duration::from_mins(30) && spans[10] <= Duration::from_hours(1));
    assert!(spans[39] >= Duration::from_hours(12) && spans[39] <= Duration::from_hours(24));
}

#[test]
fn a_parked_look_up_that_is_refused_is_made_hourly_at_once() {
    for class in [RefusalClass::Refused, RefusalClass::Forbidden] {
        let span = look_up_fails(&mut parked(), class);
        assert!(span >= Duration::from_mins(30) && span <= Duration::from_hours(1), "{span:?}");
    }
}
