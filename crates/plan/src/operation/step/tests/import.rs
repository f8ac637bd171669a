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
fn an_import_into_an_unknown_alias_is_not_told_of_another_resource() {
    let old = parked();
    let kind = Kind::Import { owned: false, apply: false };
    let mut course = Course::at(old.now, 2, kind, Some("r7"), old.entry);
    course.tell(Event::LookedUp(Found::One("r0".to_owned())));
    assert_eq!((course.failure(), course.identifier()), (Some("AliasMapped"), Some("r0")));
}

#[test]
fn an_import_into_an_alias_that_turned_out_free_is_as_any_import() {
    let old = parked();
    let kind = Kind::Import { owned: false, apply: false };
    let now = old.now.after(Duration::from_mins(20));
    let mut course = Course::at(now, 2, kind, Some("r0"), old.entry);
    course.tell(Event::LookedUp(Found::Nothing)).reads(present(ChangeKind::None));
    let entry = course.entry.unwrap();
    assert_eq!((entry.owned, entry.state), (false, EntryState::Ready));
}

#[test]
fn a_resource_that_another_reference_names_is_not_taken() {
    let mut course = import("r0");
    course.tell(Event::MappedElsewhere { reference: "other".to_owned() });
    assert_eq!((course.failure(), course.state()), (Some("ResourceMapped"), None));
}
