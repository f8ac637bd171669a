//! Taking in what exists.

use super::*;

#[test]
fn an_import_takes_what_exists_and_does_not_own_it() {
    let mut course = import("r0");
    course.reads(present(ChangeKind::None));
    assert_eq!(course.success(), Some(SuccessKind::Imported));
    let entry = course.entry.unwrap();
    assert_eq!((entry.owned, entry.state), (false, EntryState::Ready));
}

#[test]
fn an_import_of_nothing_takes_nothing() {
    let mut course = import("r0");
    course.reads(Observed::Absent);
    assert_eq!((course.failure(), course.state()), (Some("ResourceNotFound"), None));
}

#[test]
fn an_import_of_the_same_resource_says_who_owns_it_in_every_state() {
    for state in [EntryState::Ready, EntryState::Failed, EntryState::Missing] {
        for owned in [true, false] {
            let entry = Entry { state, owned: !owned, ..ready("r0") };
            let kind = Kind::Import { owned, apply: false };
            let mut course = Course::open(kind, Some("r0"), Some(entry));
            course.reads(present(ChangeKind::None));
            assert_eq!(course.entry.unwrap().owned, owned, "{state:?}");
        }
    }
}

/// An import into the alias of a parked put.
fn adopt(old: &Course, owned: bool) -> Course {
    let kind = Kind::Import { owned, apply: false };
    Course::at(old.now, 2, kind, Some("r0"), old.entry.clone())
}

#[test]
fn an_import_into_an_unknown_alias_is_the_word_of_a_person() {
    for owned in [true, false] {
        let mut course = adopt(&parked(), owned);
        assert_eq!(course.last, Next::Perform(Effect::Observe { identifier: "r0".to_owned() }));
        course.reads(present(ChangeKind::None));
        assert_eq!(course.success(), Some(SuccessKind::Imported));
        let entry = course.entry.unwrap();
        assert_eq!((entry.owned, entry.state), (owned, EntryState::Ready));
        assert!(entry.unsettled.is_empty());
    }
}

#[test]
fn an_import_of_nothing_leaves_an_unknown_alias_unknown() {
    let old = parked();
    for answer in [Event::Observed(Observed::Absent), unread(RefusalClass::Forbidden)] {
        let mut course = adopt(&old, true);
        course.tell(answer);
        assert!(course.failure().is_some());
        assert_eq!(course.entry, old.entry);
    }
}

#[test]
fn an_import_into_an_unknown_alias_may_name_another_resource_than_the_old_one() {
    let old = parked();
    let entry = Entry { identifier: Some("gone".to_owned()), ..old.entry.unwrap() };
    let kind = Kind::Import { owned: true, apply: false };
    let mut course = Course::at(old.now, 2, kind, Some("r0"), Some(entry));
    course.reads(present(ChangeKind::None));
    assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Ready)));
}

#[test]
fn a_resource_that_another_reference_names_is_not_taken() {
    let mut course = import("r0");
    course.tell(Event::MappedElsewhere { reference: "other".to_owned() });
    assert_eq!((course.failure(), course.state()), (Some("ResourceMapped"), None));
}
