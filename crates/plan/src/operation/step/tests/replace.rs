//! Making another resource in the place of one.

use super::*;
use Strategy::{CreateFirst, DeleteFirst};

/// A delete-first replacement whose delete is confirmed.
fn deleted() -> Course {
    let mut course = replace(DeleteFirst);
    course.tell(success("r0")).reads(Observed::Absent);
    course
}

fn canceled_as(identifier: Option<&str>) -> Event {
    progress(ProgressState::Canceled, identifier)
}

#[test]
fn a_replacement_that_nobody_allowed_says_how_to_ask() {
    let mut course = put_again();
    course.reads(present(another()));
    assert_eq!(course.failed().kind, FailureKind::ReplaceRequired);
    assert!(course.failed().message.contains("`\"replace\": \"allow\"`"));
    assert_eq!(course.failed().findings[0].path, "/CidrBlock");
    assert_eq!((course.state(), &course.last), (Some(EntryState::Ready), &Next::Stop));
}

#[test]
fn what_is_not_owned_is_never_replaced() {
    for strategy in [DeleteFirst, CreateFirst] {
        let entry = Entry { owned: false, ..ready("r0") };
        let mut course = Course::of(start(), replacing(1, strategy), Some(entry.clone()));
        course.reads(present(another()));
        assert_eq!(
            (course.failed().kind, course.failure()),
            (FailureKind::Conflict, Some("NotOwned"))
        );
        assert!(course.failed().message.contains("`\"ownedResource\": true`"));
        assert_eq!(course.entry, Some(entry));
    }
}

#[test]
fn what_has_no_alias_is_not_replaced() {
    let mut asked = Request { identifier: Some("r0".to_owned()), ..replacing(1, CreateFirst) };
    asked.policy.tracked = false;
    let mut course = Course::of(start(), asked, None);
    course.reads(present(another()));
    assert_eq!(course.failure(), Some("ReplaceRequired"));
    assert!(course.failed().message.contains("alias"));
}

#[test]
fn what_cannot_be_created_is_not_deleted_to_be_replaced() {
    let mut asked = replacing(1, DeleteFirst);
    asked.policy.may_create = false;
    let mut course = Course::of(start(), asked, Some(ready("r0")));
    course.reads(present(another()));
    assert_eq!((course.failure(), &course.last), (Some("ReplaceRequired"), &Next::Stop));
}

#[test]
fn an_import_without_properties_replaces_nothing() {
    let mut asked = request(1, Kind::Import { owned: true, apply: false }, Some("r0"));
    asked.policy.replace = Some(DeleteFirst);
    let mut course = Course::of(start(), asked, None);
    course.reads(present(another()));
    assert_eq!(course.success(), Some(SuccessKind::Imported));
}

#[test]
fn an_import_with_properties_replaces_what_it_owns() {
    for (owned, ends) in [(true, None), (false, Some("NotOwned"))] {
        let mut asked = request(1, Kind::Import { owned, apply: true }, Some("r0"));
        asked.policy.replace = Some(CreateFirst);
        let mut course = Course::of(start(), asked, None);
        course.reads(present(another()));
        assert_eq!(course.failure(), ends);
        if owned {
            course.tell(success("r1")).reads(present_as("r1", ChangeKind::None));
            course.tell(success("r0")).reads(Observed::Absent);
            assert_eq!(course.success(), Some(SuccessKind::Replaced));
        }
    }
}

#[test]
fn delete_first_deletes_sees_that_it_is_gone_and_creates() {
    let mut course = replace(DeleteFirst);
    assert_eq!(course.deletes(), Some("r0"));
    course.tell(success("r0"));
    assert_eq!(course.observes(), Some("r0"));
    assert!(course.reads(present(another())).waits());
    course.claim().reads(Observed::Absent);
    assert!(course.creates());
    // The alias is locked and keeps the name that it had.
    let entry = course.entry.clone().unwrap();
    assert_eq!((entry.state, entry.identifier.as_deref()), (EntryState::Missing, Some("r0")));
    assert_eq!(entry.operation, Some(course.operation.id));
    course.tell(success("r1"));
    assert!(course.documents.applied);
    course.reads(present_as("r1", ChangeKind::None));
    assert_eq!((course.success(), course.identifier()), (Some(SuccessKind::Replaced), Some("r1")));
    assert_eq!(course.state(), Some(EntryState::Ready));
    assert!(course.retiring().is_empty());
}

#[test]
fn delete_first_of_what_cannot_be_read_takes_the_clouds_word() {
    let mut asked = replacing(1, DeleteFirst);
    asked.policy.readable = false;
    let mut course = Course::of(start(), asked.clone(), Some(ready("r0")));
    course.reads(Observed::Unreadable { change: another() }).tell(success("r0"));
    assert!(course.creates());
    course.call_fails(RefusalClass::Refused);
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Missing)));
    // What was deleted here is made by the next put, though no read can tell that it is gone.
    asked.id = OperationId::from_u128(2);
    let mut next = Course::of(start(), asked, course.entry);
    next.reads(Observed::Unreadable { change: ChangeKind::None });
    assert!(next.creates());
    // And not made twice: its name was told, and the request is forgotten.
    next.tell(progress(ProgressState::InProgress, Some("r1"))).later(2).claim().tell(forgotten());
    next.reads(Observed::Unreadable { change: ChangeKind::None });
    assert_eq!((next.success(), next.identifier()), (Some(SuccessKind::Created), Some("r1")));
}

#[test]
fn a_delete_that_fails_leaves_the_resource_in_its_place() {
    for answer in [
        Event::CallFailed(refusal(RefusalClass::Refused, "InvalidRequest")),
        failed("InvalidRequest", Some("r0")),
    ] {
        let mut course = replace(DeleteFirst);
        course.tell(answer);
        assert_eq!(course.failure(), Some("InvalidRequest"));
        assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Failed)));
        assert_eq!(course.operation.sent(Verb::Create), 0);
    }
}

#[test]
fn a_delete_that_does_not_show_makes_nothing() {
    let mut course = replace(DeleteFirst);
    course.tell(success("r0")).later(2).claim().reads(present(another()));
    assert_eq!(course.failure(), Some("ResourceStillThere"));
    assert_eq!(course.operation.sent(Verb::Create), 0);
}

#[test]
fn nothing_is_made_while_an_unanswered_delete_may_land_on_it() {
    for readable in [true, false] {
        let mut course = replace(DeleteFirst);
        course.operation.policy.readable = readable;
        let absent = || {
            if readable { Observed::Absent } else { Observed::Unreadable { change: another() } }
        };
        course.call_fails(RefusalClass::Unanswered).claim().call_fails(RefusalClass::NotFound);
        assert!(course.reads(absent()).waits());
        course.later(19).claim();
        assert!(course.reads(absent()).waits());
        course.later(1).claim().reads(absent());
        assert!(course.creates());
    }
}

#[test]
fn a_crash_in_a_replacing_delete_repeats_it_with_its_token() {
    let mut course = replace(DeleteFirst);
    let token = course.token().to_owned();
    assert_eq!(course.claim().token(), token);
    let mut course = deleted();
    let token = course.token().to_owned();
    assert_eq!(course.claim().token(), token);
}

#[test]
fn a_create_that_fails_after_the_delete_leaves_the_reference_missing() {
    for answer in [
        Event::CallFailed(refusal(RefusalClass::Refused, "InvalidRequest")),
        failed("InvalidRequest", None),
        failed("AlreadyExists", Some("r0")),
    ] {
        let mut course = deleted();
        course.tell(answer);
        assert!(course.failure().is_some());
        assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Missing)));
    }
    let mut course = deleted();
    course.tell(failed("NotStabilized", Some("r1")));
    assert_eq!((course.identifier(), course.state()), (Some("r1"), Some(EntryState::Failed)));
}

#[test]
fn a_cancel_between_delete_and_create_stops_with_the_reference_missing() {
    let mut course = replace(DeleteFirst);
    course.tell(success("r0")).cancel().reads(Observed::Absent);
    assert!(course.is_canceled());
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Missing)));
    let mut course = deleted();
    course.call_fails(RefusalClass::Throttled).cancel().claim();
    assert!(course.is_canceled());
    assert_eq!(course.state(), Some(EntryState::Missing));
}

#[test]
fn a_cancel_before_the_first_call_replaces_nothing() {
    for strategy in [DeleteFirst, CreateFirst] {
        let mut course = Course::of(start(), replacing(1, strategy), Some(ready("r0")));
        course.cancel().reads(present(another()));
        assert!(course.is_canceled());
        assert_eq!((course.entry, course.last), (Some(ready("r0")), Next::Stop));
    }
}

#[test]
fn create_first_moves_the_alias_in_one_step_and_then_deletes() {
    let mut course = replace(CreateFirst);
    assert!(course.creates());
    assert_eq!(course.operation.current().unwrap().replaces.as_deref(), Some("r0"));
    course.tell(progress(ProgressState::InProgress, Some("r1")));
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Ready)));
    course.claim().tell(success("r1"));
    assert_eq!((course.identifier(), course.retiring()), (Some("r1"), &["r0".to_owned()][..]));
    assert!(course.documents.applied);
    assert_eq!(course.observes(), Some("r1"));
    course.reads(present_as("r1", ChangeKind::None));
    assert_eq!(course.deletes(), Some("r0"));
    course.tell(success("r0"));
    assert_eq!(course.observes(), Some("r0"));
    course.reads(Observed::Absent);
    assert_eq!((course.success(), course.identifier()), (Some(SuccessKind::Replaced), Some("r1")));
    assert!(course.retiring().is_empty());
    assert_eq!(course.operation.closing, None);
}

#[test]
fn a_read_of_the_old_one_is_not_what_the_reference_shows() {
    let mut course = replace(CreateFirst);
    course.tell(success("r1")).reads(present_as("r1", ChangeKind::None));
    assert!(course.documents.observed);
    course.tell(success("r0")).reads(present(another()));
    assert!(course.waits() && !course.documents.observed);
    assert_eq!(course.identifier(), Some("r1"));
}

#[test]
fn a_create_that_made_nothing_leaves_the_entry_as_it_was() {
    for state in [EntryState::Ready, EntryState::Failed] {
        for answer in [
            Event::CallFailed(refusal(RefusalClass::Refused, "InvalidRequest")),
            failed("InvalidRequest", None),
            failed("AlreadyExists", Some("r0")),
        ] {
            let failed_at = Some(start()).filter(|_| state == EntryState::Failed);
            let entry = Entry { state, failed_at, ..ready("r0") };
            let mut course = Course::of(start(), replacing(1, CreateFirst), Some(entry.clone()));
            course.reads(present(another())).tell(answer);
            assert!(course.failure().is_some());
            assert_eq!(course.entry, Some(entry));
        }
    }
}

#[test]
fn a_create_that_failed_with_a_name_retires_what_it_left() {
    let mut course = replace(CreateFirst);
    course.tell(failed("NotStabilized", Some("r1")));
    assert_eq!(course.failure(), Some("NotStabilized"));
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Ready)));
    assert_eq!(course.retiring(), ["r1"]);
}

#[test]
fn a_create_that_was_stopped_with_a_name_retires_what_it_left() {
    let mut course = replace(CreateFirst);
    course.tell(pending()).cancel().claim().tell(canceled_as(Some("r1")));
    assert!(course.is_canceled());
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Ready)));
    assert_eq!(course.retiring(), ["r1"]);
}

#[test]
fn what_a_stopped_create_left_without_a_name_retires_when_it_is_found() {
    let mut course = replace(CreateFirst);
    course.tell(pending()).cancel().claim().tell(canceled_as(None));
    assert!(course.looks_up());
    let mut now = Course {
        operation: course.operation.clone(),
        entry: course.entry.clone(),
        ..replace(CreateFirst)
    };
    now.tell(Event::LookedUp(Found::One("r1".to_owned())));
    assert!(now.is_canceled());
    assert_eq!((now.identifier(), now.state()), (Some("r0"), Some(EntryState::Ready)));
    assert_eq!(now.retiring(), ["r1"]);

    course.tell(Event::LookedUp(Found::Nothing));
    assert_eq!(course.state(), Some(EntryState::Unknown));
    let mut next = Course::at(course.now, 2, Kind::Put, None, course.entry.clone());
    next.tell(Event::LookedUp(Found::One("r1".to_owned())));
    assert_eq!(next.observes(), Some("r0"));
    assert_eq!(next.retiring(), ["r1"]);
}

#[test]
fn an_unanswered_create_parks_the_alias_with_the_old_one_in_its_place() {
    let course = lost();
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Unknown)));
    let unsettled = &course.entry.as_ref().unwrap().unsettled;
    assert_eq!(unsettled[0].replaces.as_deref(), Some("r0"));
    assert!(course.failed().message.contains("import r0 again, which was to be replaced"));
}

/// A create-first replacement of r0 whose create nobody answered.
fn lost() -> Course {
    let mut course = replace(CreateFirst);
    course.call_fails(RefusalClass::Unanswered).later(11).claim();
    course.call_fails(RefusalClass::Unanswered).tell(Event::LookedUp(Found::Nothing));
    course
}

#[test]
fn what_a_lost_create_made_takes_its_place_when_it_is_found_at_once() {
    let mut course = replace(CreateFirst);
    course.tell(pending()).later(2).claim().tell(forgotten());
    assert!(course.looks_up());
    course.tell(Event::LookedUp(Found::One("r1".to_owned())));
    assert_eq!((course.identifier(), course.retiring()), (Some("r1"), &["r0".to_owned()][..]));
    assert!(course.documents.applied && !course.documents.forgotten);
    course.reads(present_as("r1", ChangeKind::None));
    assert_eq!(course.deletes(), Some("r0"));
    course.tell(success("r0")).reads(Observed::Absent);
    assert_eq!(course.success(), Some(SuccessKind::Replaced));
}

#[test]
fn what_a_lost_create_made_takes_its_place_when_a_later_write_finds_it() {
    let old = lost();
    let mut course = Course::at(old.now, 2, Kind::Put, None, old.entry);
    course.tell(Event::LookedUp(Found::One("r1".to_owned())));
    assert_eq!((course.identifier(), course.retiring()), (Some("r1"), &["r0".to_owned()][..]));
    // What it was made from is gone with the operation that made it.
    assert!(course.documents.forgotten && !course.documents.applied);
    course.reads(present_as("r1", ChangeKind::None));
    assert_eq!(course.deletes(), Some("r0"));
    course.tell(success("r0")).reads(Observed::Absent);
    assert_eq!((course.success(), course.identifier()), (Some(SuccessKind::Noop), Some("r1")));
}

#[test]
fn what_a_lost_create_made_takes_its_place_when_it_is_found_after_the_quarantine() {
    let mut course = lost();
    course.later(20).claim().tell(Event::LookedUp(Found::One("r1".to_owned())));
    assert_eq!((course.identifier(), course.state()), (Some("r1"), Some(EntryState::Ready)));
    assert_eq!(course.retiring(), ["r0"]);
    assert!(course.documents.forgotten);
}

#[test]
fn a_lost_create_that_made_nothing_leaves_the_old_one_ready() {
    let mut course = lost();
    course.later(20).claim().tell(Event::LookedUp(Found::Nothing));
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Ready)));
    assert!(course.entry.unwrap().unsettled.is_empty());

    let old = lost();
    let now = old.now.after(Duration::from_mins(20));
    let mut course = Course::at(now, 2, Kind::Put, None, old.entry);
    course.tell(Event::LookedUp(Found::Nothing));
    assert_eq!((course.observes(), course.state()), (Some("r0"), Some(EntryState::Ready)));
    course.reads(present(ChangeKind::None));
    assert_eq!(course.success(), Some(SuccessKind::Noop));
}

#[test]
fn a_delete_of_an_alias_with_a_lost_replacement_deletes_both() {
    let old = lost();
    let mut course = Course::at(old.now, 2, Kind::Delete, None, old.entry);
    course.tell(Event::LookedUp(Found::One("r1".to_owned())));
    assert_eq!(course.deletes(), Some("r1"));
    course.tell(success("r1")).reads(Observed::Absent);
    assert_eq!((course.deletes(), course.retiring()), (Some("r0"), &["r0".to_owned()][..]));
    course.tell(success("r0")).reads(Observed::Absent);
    assert_eq!((course.success(), course.state()), (Some(SuccessKind::Deleted), None));
}

#[test]
fn a_person_who_names_what_a_lost_replacement_made_retires_the_old_one() {
    let old = lost();
    let kind = Kind::Import { owned: true, apply: true };
    let mut course = Course::at(old.now, 2, kind, Some("r1"), old.entry);
    course.reads(present_as("r1", differs()));
    assert_eq!((course.identifier(), course.retiring()), (Some("r1"), &["r0".to_owned()][..]));
    assert!(course.documents.forgotten);
    assert!(course.entry.unwrap().unsettled.is_empty());
}

#[test]
fn naming_what_the_alias_stands_for_says_nothing_of_a_lost_replacement() {
    let old = lost();
    let kind = Kind::Import { owned: true, apply: false };
    let mut course = Course::at(old.now, 2, kind, Some("r0"), old.entry);
    assert!(course.looks_up());
    course.tell(Event::LookedUp(Found::One("r1".to_owned())));
    assert_eq!((course.identifier(), course.retiring()), (Some("r1"), &["r0".to_owned()][..]));
    assert_eq!(course.failed().code, "AliasMapped");
}

#[test]
fn a_patch_makes_nothing_where_a_look_up_found_nothing() {
    let mut lost = put();
    lost.operation.policy.may_create = true;
    lost.call_fails(RefusalClass::Unanswered).later(11).claim();
    lost.call_fails(RefusalClass::Unanswered);
    lost.tell(Event::LookedUp(Found::Nothing));
    assert_eq!(lost.state(), Some(EntryState::Unknown));
    let now = lost.now.after(Duration::from_mins(20));
    let mut course = Course::at(now, 2, Kind::Put, None, lost.entry);
    course.operation.policy.may_create = false;
    course.tell(Event::LookedUp(Found::Nothing));
    assert_eq!((course.failed().code.as_str(), course.state()), ("ResourceNotFound", None));
}

#[test]
fn what_was_replaced_is_back_where_the_new_one_never_shows() {
    let mut course = replace(CreateFirst);
    course.tell(success("r1")).reads(Observed::Absent).later(2).claim().reads(Observed::Absent);
    assert_eq!(course.failed().code, "ResourceVanished");
    assert_eq!((course.identifier(), course.retiring()), (Some("r0"), &["r1".to_owned()][..]));
}

#[test]
fn a_forgotten_create_with_a_name_is_looked_up_while_the_old_one_stands() {
    let mut course = replace(CreateFirst);
    course.tell(progress(ProgressState::InProgress, Some("r1"))).later(2).claim().tell(forgotten());
    assert!(course.looks_up());
    assert_eq!(course.identifier(), Some("r0"));
}

#[test]
fn a_create_that_is_made_anew_still_replaces() {
    let mut course = replace(CreateFirst);
    course.tell(failed("ServiceInternalError", None)).tell(Event::LookedUp(Found::Nothing)).claim();
    let attempt = course.operation.current().unwrap();
    assert_eq!((attempt.number, attempt.replaces.as_deref()), (2, Some("r0")));
    let mut course = replace(CreateFirst);
    course.call_fails(RefusalClass::Unreachable).later(24 * 60 + 1).claim();
    let attempt = course.operation.current().unwrap();
    assert_eq!((attempt.number, attempt.replaces.as_deref()), (2, Some("r0")));
}

#[test]
fn a_create_that_comes_back_with_the_old_name_retires_nothing() {
    let mut course = replace(CreateFirst);
    course.tell(success("r0"));
    assert!(course.retiring().is_empty());
    course.reads(present(ChangeKind::None));
    assert_eq!((course.success(), &course.last), (Some(SuccessKind::Replaced), &Next::Stop));
}

#[test]
fn what_was_replaced_is_not_replaced_again_because_a_read_differs() {
    let mut course = replace(CreateFirst);
    course.tell(pending()).later(2).claim().tell(forgotten());
    course.tell(Event::LookedUp(Found::One("r1".to_owned()))).reads(present_as("r1", another()));
    assert_eq!(course.deletes(), Some("r0"));
    course.tell(success("r0")).reads(Observed::Absent);
    let Some(Ending::Succeeded(success)) = course.operation.ending else { panic!("not done") };
    assert_eq!(success.kind, SuccessKind::Replaced);
    assert_eq!(success.convergence, Convergence::AcceptedNotEffective);
    assert_eq!(success.not_effective, ["/CidrBlock"]);
}

#[test]
fn what_an_operation_just_made_is_not_replaced() {
    let mut course = Course::of(start(), replacing(1, DeleteFirst), None);
    course.tell(pending()).later(2).claim().tell(forgotten());
    course.tell(Event::LookedUp(Found::One("r1".to_owned()))).reads(present_as("r1", another()));
    assert_eq!((course.failure(), course.identifier()), (Some("ReplaceRequired"), Some("r1")));
}

#[test]
fn a_look_up_does_not_take_the_replaced_one_for_the_new() {
    // A put finds what an earlier one made, and has to replace it; its own create is lost.
    let old = parked();
    let mut course = Course::of(old.now, replacing(2, CreateFirst), old.entry);
    course.tell(Event::LookedUp(Found::One("r0".to_owned()))).reads(present(another()));
    course.tell(pending()).later(2).claim().tell(forgotten());
    let Next::Perform(Effect::LookUp { attempts }) = &course.last else { panic!("no look-up") };
    let operations: Vec<_> = attempts.iter().map(|it| it.operation).collect();
    assert_eq!(operations, [course.operation.id]);
    course.tell(Event::LookedUp(Found::Nothing));
    assert_eq!(course.entry.unwrap().unsettled.len(), 1);
}

#[test]
fn a_new_one_that_another_reference_names_leaves_the_old_one_in_its_place() {
    let mapped = || Event::MappedElsewhere { reference: "other".to_owned() };
    let mut course = replace(CreateFirst);
    course.tell(mapped());
    assert_eq!(course.failure(), Some("ResourceMapped"));
    assert_eq!(course.entry, Some(ready("r0")));
    let mut course = lost();
    course.later(20).claim().tell(mapped());
    assert_eq!(course.entry, Some(ready("r0")));
}

#[test]
fn a_put_that_may_replace_makes_again_what_is_gone() {
    for strategy in [DeleteFirst, CreateFirst] {
        let mut course = Course::of(start(), replacing(1, strategy), Some(ready("r0")));
        course.reads(Observed::Absent).claim().reads(Observed::Absent);
        assert!(course.creates());
        assert_eq!(course.operation.current().unwrap().replaces, None);
        course.tell(success("r1")).reads(present_as("r1", ChangeKind::None));
        assert_eq!(course.success(), Some(SuccessKind::Created));
        assert!(course.retiring().is_empty());
    }
}
