//! What was replaced and is still to be deleted.

use super::*;

/// An entry that stands for r2; r0 and r1 were replaced.
fn left() -> Entry {
    Entry { retiring: vec!["r0".to_owned(), "r1".to_owned()], ..ready("r2") }
}

/// An operation on such an entry that has done its own work.
fn done(kind: Kind) -> Course {
    let mut course = Course::open(kind.clone(), Some("r2"), Some(left()));
    match kind {
        Kind::Put | Kind::Import { .. } => course.reads(present_as("r2", ChangeKind::None)),
        Kind::Delete => course.tell(success("r2")).reads(Observed::Absent),
        Kind::Unlink => &mut course,
    };
    course
}

const IMPORT: Kind = Kind::Import { owned: true, apply: false };

/// The end of each kind, where it deletes all that is left.
const ENDS: [(Kind, SuccessKind); 4] = [
    (Kind::Put, SuccessKind::Noop),
    (IMPORT, SuccessKind::Imported),
    (Kind::Delete, SuccessKind::Deleted),
    (Kind::Unlink, SuccessKind::Unlinked),
];

#[test]
fn every_write_deletes_what_is_left_before_it_ends() {
    for (kind, end) in ENDS {
        let mut course = done(kind.clone());
        for identifier in ["r0", "r1"] {
            assert_eq!(course.deletes(), Some(identifier), "{kind:?}");
            assert!(course.operation.ending.is_none() && course.entry.is_some());
            course.tell(success(identifier));
            assert_eq!(course.observes(), Some(identifier));
            course.reads(Observed::Absent);
        }
        assert_eq!(course.success(), Some(end));
        match kind {
            Kind::Delete | Kind::Unlink => assert_eq!(course.entry, None),
            Kind::Put | Kind::Import { .. } => assert_eq!(course.entry, Some(ready("r2"))),
        }
    }
}

#[test]
fn what_is_gone_already_is_off_the_list() {
    let mut course = done(Kind::Put);
    course.call_fails(RefusalClass::NotFound).reads(Observed::Absent);
    assert_eq!((course.deletes(), course.retiring()), (Some("r1"), &["r1".to_owned()][..]));
}

#[test]
fn a_put_or_import_succeeds_with_a_warning_where_something_is_left() {
    for kind in [Kind::Put, IMPORT] {
        let mut course = done(kind);
        course.tell(failed("InvalidRequest", Some("r0")));
        let warning = course.warning.clone().unwrap();
        assert!(warning.contains("r0") && warning.contains("InvalidRequest"), "{warning}");
        assert_eq!(course.deletes(), Some("r1"));
        course.tell(success("r1")).reads(Observed::Absent);
        assert!(course.success().is_some());
        assert_eq!(
            (course.retiring(), course.state()),
            (&["r0".to_owned()][..], Some(EntryState::Ready))
        );
        assert_eq!(course.entry.unwrap().operation, None);
    }
}

#[test]
fn a_delete_or_unlink_fails_where_something_is_left() {
    for (kind, state) in [(Kind::Delete, EntryState::Missing), (Kind::Unlink, EntryState::Ready)] {
        let mut course = done(kind);
        course.call_fails(RefusalClass::Forbidden).tell(success("r1")).reads(Observed::Absent);
        assert_eq!(
            (course.failure(), course.failed().kind),
            (Some("RetiringLeft"), FailureKind::Forbidden)
        );
        let message = &course.failed().message;
        assert!(message.contains("r0") && message.contains("Code"), "{message}");
        assert_eq!((course.identifier(), course.state()), (Some("r2"), Some(state)));
        assert_eq!(course.retiring(), ["r0"]);
        assert_eq!(course.entry.unwrap().operation, None);
    }
}

#[test]
fn a_delete_after_one_that_left_something_deletes_the_rest() {
    let mut course = done(Kind::Delete);
    course.call_fails(RefusalClass::Forbidden).tell(success("r1")).reads(Observed::Absent);
    let mut next = Course::at(course.now, 2, Kind::Delete, None, course.entry);
    assert_eq!(next.deletes(), Some("r2"));
    next.call_fails(RefusalClass::NotFound).reads(Observed::Absent);
    assert_eq!(next.deletes(), Some("r0"));
    next.tell(success("r0")).reads(Observed::Absent);
    assert_eq!((next.success(), next.state()), (Some(SuccessKind::Deleted), None));
}

#[test]
fn a_reference_that_stands_for_nothing_goes_when_nothing_is_left() {
    let entry = Entry { identifier: None, state: EntryState::Reserved, ..left() };
    let mut course = Course::open(Kind::Delete, None, Some(entry));
    assert_eq!(course.deletes(), Some("r0"));
    course.tell(success("r0")).reads(Observed::Absent).tell(success("r1")).reads(Observed::Absent);
    assert_eq!((course.success(), course.state()), (Some(SuccessKind::Deleted), None));
}

#[test]
fn an_operation_that_failed_deletes_nothing_that_is_left() {
    let mut course = Course::open(Kind::Put, None, Some(left()));
    course.reads(present_as("r2", another()));
    assert_eq!((course.failure(), &course.last), (Some("ReplaceRequired"), &Next::Stop));
    assert_eq!(course.retiring(), ["r0", "r1"]);
}

#[test]
fn a_crash_resumes_the_same_delete_of_what_is_left() {
    let mut course = done(Kind::Put);
    let token = course.token().to_owned();
    assert_eq!(course.claim().token(), token);
    assert_eq!(course.deletes(), Some("r0"));
    course.tell(progress(ProgressState::InProgress, Some("r0"))).claim();
    assert_eq!(course.last, Next::Perform(Effect::Poll { request_token: "q0".to_owned() }));
    course.tell(success("r0")).claim();
    assert_eq!(course.observes(), Some("r0"));
    course.reads(Observed::Absent);
    assert_eq!(course.deletes(), Some("r1"));
}

#[test]
fn a_transient_failure_of_such_a_delete_is_tried_anew_on_the_same_resource() {
    let mut course = done(Kind::Put);
    for _ in 0..4 {
        assert!(course.tell(failed("ServiceInternalError", None)).waits());
        assert_eq!(course.claim().deletes(), Some("r0"));
    }
    course.tell(failed("ServiceInternalError", None));
    // The next one has its own tries.
    assert_eq!(course.deletes(), Some("r1"));
    assert!(course.tell(failed("ServiceInternalError", None)).waits());
    assert_eq!(course.claim().deletes(), Some("r1"));
}

#[test]
fn what_still_shows_after_its_delete_stays_on_the_list() {
    let mut course = done(Kind::Put);
    course.tell(success("r0")).later(2).claim().reads(present(ChangeKind::None));
    assert!(course.warning.as_ref().unwrap().contains("ResourceStillThere"));
    assert_eq!((course.deletes(), course.identifier()), (Some("r1"), Some("r2")));
    assert_eq!(course.retiring(), ["r0", "r1"]);
}

#[test]
fn a_forgotten_or_late_delete_of_what_is_left_keeps_it_listed() {
    let mut course = done(Kind::Put);
    course.tell(pending()).later(2).claim().tell(forgotten()).tell(unread(RefusalClass::Forbidden));
    assert_eq!(course.retiring(), ["r0", "r1"]);
    course.tell(pending()).later(16).claim().tell(pending());
    assert_eq!((course.success(), course.retiring().len()), (Some(SuccessKind::Noop), 2));
    assert_eq!(course.state(), Some(EntryState::Ready));
}

#[test]
fn a_cancel_leaves_a_success_and_what_is_not_deleted_yet() {
    let mut course = done(Kind::Put);
    course.cancel().tell(success("r0")).reads(Observed::Absent);
    assert_eq!(
        (course.success(), course.retiring()),
        (Some(SuccessKind::Noop), &["r1".to_owned()][..])
    );
    assert!(course.warning.unwrap().contains("r1"));

    let mut course = done(Kind::Put);
    course.tell(pending()).cancel().claim().tell(progress(ProgressState::Canceled, None));
    assert_eq!((course.success(), course.retiring().len()), (Some(SuccessKind::Noop), 2));
}

#[test]
fn a_cancel_of_a_delete_keeps_the_reference_with_what_is_left() {
    let mut course = done(Kind::Delete);
    course.call_fails(RefusalClass::Throttled).cancel().claim();
    assert!(course.is_canceled());
    assert_eq!((course.state(), course.retiring().len()), (Some(EntryState::Missing), 2));

    let mut course = done(Kind::Delete);
    course.tell(pending()).cancel().claim().tell(progress(ProgressState::Canceled, None));
    assert!(course.is_canceled());
    assert_eq!((course.state(), course.retiring().len()), (Some(EntryState::Missing), 2));
}

#[test]
fn a_replacement_whose_old_one_stays_is_a_success() {
    let mut course = replace(Strategy::CreateFirst);
    course.tell(success("r1")).reads(present_as("r1", ChangeKind::None));
    course.call_fails(RefusalClass::Refused);
    assert_eq!(
        (course.success(), course.retiring()),
        (Some(SuccessKind::Replaced), &["r0".to_owned()][..])
    );
    assert!(course.warning.unwrap().contains("r0"));
}

#[test]
fn what_a_person_names_is_not_deleted_though_it_was_to_go() {
    let old = parked();
    let entry = Entry { retiring: vec!["r0".to_owned()], ..old.entry.unwrap() };
    let mut course = Course::at(old.now, 2, IMPORT, Some("r0"), Some(entry));
    course.reads(present(ChangeKind::None));
    assert_eq!((course.success(), course.identifier()), (Some(SuccessKind::Imported), Some("r0")));
    assert!(course.retiring().is_empty());
}
