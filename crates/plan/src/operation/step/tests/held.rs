//! Operations that are held to a plan: they do what was planned, or nothing.

use std::collections::BTreeMap;

use serde_json::json;

use super::super::super::held::{Held, HeldDeed, Mark, marks_of};
use super::*;

fn held(deed: HeldDeed, identifier: Option<&str>) -> Held {
    Held { deed, identifier: identifier.map(str::to_owned), marks: None }
}

fn asks(kind: Kind, identifier: Option<&str>, held: Held) -> Request {
    let asked = request(1, kind, identifier);
    Request { policy: Policy { held: Some(held), ..asked.policy }, ..asked }
}

fn standing() -> Option<Entry> {
    put_again().entry.map(|entry| Entry { operation: None, ..entry })
}

fn begun(deed: HeldDeed) -> Course {
    Course::of(start(), asks(Kind::Put, None, held(deed, Some("r0"))), standing())
}

fn moved() -> Observed {
    Observed::Moved { findings: Vec::new() }
}

#[test]
fn what_is_not_as_planned_is_not_written() {
    for deed in [HeldDeed::Update, HeldDeed::Nothing, HeldDeed::Replace, HeldDeed::Open] {
        let mut course = begun(deed);
        course.reads(moved());
        assert_eq!((course.failure(), &course.last), (Some("PlanMoved"), &Next::Stop));
        assert_eq!((course.identifier(), course.state()), (Some("r0"), Some(EntryState::Ready)));
        assert!(course.operation.attempts.is_empty());
    }
}

#[test]
fn what_is_gone_is_made_again_only_where_that_was_planned() {
    for deed in [HeldDeed::Update, HeldDeed::Nothing, HeldDeed::Replace, HeldDeed::Open] {
        let mut course = begun(deed);
        course.reads(Observed::Absent).claim().reads(Observed::Absent);
        assert_eq!((course.failure(), &course.last), (Some("PlanMoved"), &Next::Stop), "{deed:?}");
    }
    let mut course = begun(HeldDeed::Create);
    course.reads(Observed::Absent).claim().reads(Observed::Absent);
    assert!(matches!(course.last, Next::Perform(Effect::Create { .. })));
}

#[test]
fn an_alias_that_stands_for_another_resource_is_not_begun() {
    let kinds = [
        (HeldDeed::Update, Kind::Put),
        (HeldDeed::Nothing, Kind::Put),
        (HeldDeed::Delete, Kind::Delete),
        (HeldDeed::Detach, Kind::Unlink),
    ];
    for (deed, kind) in kinds {
        let opens = |identifier: &str, kind: &Kind| {
            let asked = asks(kind.clone(), None, held(deed, Some(identifier)));
            open(asked, standing().as_ref(), start()).map(drop)
        };
        assert_eq!(opens("r0", &kind), Ok(()), "{deed:?}");
        assert_eq!(opens("r9", &kind), Err(OpenError::Moved), "{deed:?}");
    }
    // What was planned to be deleted is not detached instead.
    let asked = asks(Kind::Unlink, None, held(HeldDeed::Delete, Some("r0")));
    assert_eq!(open(asked, standing().as_ref(), start()).map(drop), Err(OpenError::Moved));
    // An update of what is free would be a create.
    let asked = asks(Kind::Put, None, held(HeldDeed::Update, Some("r0")));
    assert_eq!(open(asked, None, start()).map(drop), Err(OpenError::Moved));
}

#[test]
fn what_was_replaced_before_is_not_deleted_by_what_was_planned_to_stay() {
    let entry = standing().map(|entry| Entry { retiring: vec!["old".to_owned()], ..entry });
    for (deed, deletes) in [(HeldDeed::Nothing, false), (HeldDeed::Tidy, true)] {
        let asked = asks(Kind::Put, None, held(deed, Some("r0")));
        let mut course = Course::of(start(), asked, entry.clone());
        course.reads(present(ChangeKind::None));
        assert_eq!(matches!(course.last, Next::Perform(Effect::Delete { .. })), deletes);
        assert_eq!(course.success().is_some(), !deletes);
        assert!(course.warning.is_none());
    }
}

fn marks(before: &str, after: &str) -> BTreeMap<String, Mark> {
    let patch = json!([{"op": "add", "path": "/A", "value": after}]);
    marks_of(&patch, &json!({"A": before}), |path, value| format!("{path}={value}"))
}

#[test]
fn an_update_is_the_planned_one_by_path_by_what_was_there_and_by_what_is_written() {
    let planned = marks("a", "b");
    let expected = Held { marks: Some(planned.clone()), ..held(HeldDeed::Update, Some("r0")) };
    let operation = begun(HeldDeed::Update).operation;
    let is_moved = |found| expected.moved(&operation, &differs(), &found).is_some();
    assert!(!is_moved(planned));
    assert!(is_moved(marks("c", "b")) && is_moved(marks("a", "c")) && is_moved(BTreeMap::new()));
    assert!(expected.moved(&operation, &ChangeKind::None, &BTreeMap::new()).is_some());
}

#[test]
fn the_rest_of_an_update_of_which_some_was_written_is_still_the_planned_one() {
    let expected = Held { marks: Some(marks("a", "b")), ..held(HeldDeed::Update, Some("r0")) };
    let mut course = begun(HeldDeed::Update);
    course.reads(present(differs()));
    let is_moved = |change, found| expected.moved(&course.operation, &change, &found).is_some();
    assert!(!is_moved(ChangeKind::None, BTreeMap::new()));
    assert!(!is_moved(differs(), marks("between", "b")));
    assert!(is_moved(differs(), marks("a", "other")));
    assert!(is_moved(ChangeKind::Replace(Vec::new()), BTreeMap::new()));
}

#[test]
fn each_deed_allows_its_own_kind_of_change_and_no_other() {
    let operation = begun(HeldDeed::Update).operation;
    let changes = [ChangeKind::None, differs(), ChangeKind::Replace(Vec::new())];
    for (deed, allowed) in [
        (HeldDeed::Create, [false, false, false]),
        (HeldDeed::Update, [false, true, false]),
        (HeldDeed::Replace, [false, false, true]),
        (HeldDeed::Adopt, [true, true, false]),
        (HeldDeed::Nothing, [true, false, false]),
        (HeldDeed::Open, [true, true, false]),
        (HeldDeed::Tidy, [true, false, false]),
    ] {
        let held = held(deed, Some("r0"));
        let found = changes
            .each_ref()
            .map(|change| held.moved(&operation, change, &BTreeMap::new()).is_none());
        assert_eq!(found, allowed, "{deed:?}");
    }
}
