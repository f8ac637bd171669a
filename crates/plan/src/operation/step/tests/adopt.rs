//! Taking in what has the name already.

use super::*;

fn adopting(identifier: Option<&str>, owned: bool) -> Request {
    let mut asked = request(1, Kind::Put, None);
    asked.policy.adopt = Some(Adoption { identifier: identifier.map(str::to_owned), owned });
    asked
}

/// A put that may adopt, on a free alias.
fn adopt(identifier: Option<&str>, owned: bool) -> Course {
    Course::of(start(), adopting(identifier, owned), None)
}

fn taken() -> Event {
    failed("AlreadyExists", Some("theirs"))
}

fn refused_as_taken() -> Event {
    Event::CallFailed(refusal(RefusalClass::Refused, "AlreadyExistsException"))
}

fn theirs(change: ChangeKind) -> Observed {
    present_as("theirs", change)
}

#[test]
fn a_name_that_is_taken_is_adopted_where_the_caller_says_so() {
    for answer in [taken(), refused_as_taken()] {
        for owned in [true, false] {
            let mut course = adopt(Some("theirs"), owned);
            course.tell(answer.clone());
            assert_eq!(course.observes(), Some("theirs"));
            assert_eq!((course.identifier(), course.state()), (None, Some(EntryState::Reserved)));
            course.reads(theirs(ChangeKind::None));
            assert_eq!(course.success(), Some(SuccessKind::Imported));
            assert!(course.documents.applied && course.documents.observed);
            let entry = course.entry.unwrap();
            assert_eq!((entry.identifier.as_deref(), entry.owned), (Some("theirs"), owned));
            assert_eq!(entry.state, EntryState::Ready);
        }
    }
}

#[test]
fn what_is_adopted_is_made_what_is_wanted() {
    let mut course = adopt(Some("theirs"), false);
    course.tell(taken()).reads(theirs(differs()));
    assert!(
        matches!(&course.last, Next::Perform(Effect::Update { identifier, .. }) if identifier == "theirs")
    );
    course.tell(success("theirs")).reads(theirs(ChangeKind::None));
    assert_eq!(course.success(), Some(SuccessKind::Imported));
    assert_eq!(course.identifier(), Some("theirs"));
}

#[test]
fn the_name_that_the_cloud_tells_is_adopted_where_the_properties_give_none() {
    let mut course = adopt(None, true);
    course.tell(taken());
    assert_eq!(course.observes(), Some("theirs"));
    // It may have been told before.
    let mut course = adopt(None, true);
    course.tell(progress(ProgressState::InProgress, Some("theirs"))).claim();
    course.tell(failed("AlreadyExists", None));
    assert_eq!(course.observes(), Some("theirs"));
}

#[test]
fn a_name_that_nobody_tells_is_not_adopted() {
    let mut course = adopt(None, true);
    course.tell(refused_as_taken());
    assert_eq!((course.failure(), course.state()), (Some("AlreadyExistsException"), None));
}

#[test]
fn what_is_not_there_after_all_is_not_adopted() {
    let mut course = adopt(Some("theirs"), true);
    course.tell(taken()).reads(Observed::Absent);
    assert_eq!((course.failure(), course.state()), (Some("AlreadyExists"), None));
}

#[test]
fn what_cannot_be_read_is_not_adopted() {
    let mut course = adopt(Some("theirs"), true);
    course.tell(taken()).tell(unread(RefusalClass::Forbidden));
    assert_eq!((course.failure(), course.state()), (Some("AlreadyExists"), None));
    assert!(course.failed().message.contains("could not be read"));
}

#[test]
fn what_an_unanswered_call_of_ours_may_have_made_is_looked_up_and_not_adopted() {
    for answer in [taken(), refused_as_taken()] {
        let mut course = adopt(Some("theirs"), true);
        course.claim().tell(answer);
        assert!(course.looks_up());
    }
    let mut course = adopt(Some("theirs"), true);
    course.tell(failed("ServiceInternalError", None)).tell(Event::LookedUp(Found::Nothing));
    course.claim().tell(taken());
    assert!(course.looks_up());
}

#[test]
fn a_crash_while_adopting_reads_the_same_resource() {
    let mut course = adopt(Some("theirs"), true);
    course.tell(taken()).claim();
    assert_eq!(course.observes(), Some("theirs"));
    course.reads(theirs(ChangeKind::None));
    assert_eq!(course.success(), Some(SuccessKind::Imported));
}

#[test]
fn a_cancel_while_adopting_frees_the_alias() {
    let mut course = adopt(Some("theirs"), true);
    course.tell(taken()).cancel().claim();
    assert!(course.is_canceled());
    assert_eq!(course.entry, None);
}

#[test]
fn a_reference_whose_resource_is_gone_adopts_what_has_the_name() {
    let mut course = Course::of(start(), adopting(Some("theirs"), false), Some(ready("r0")));
    course.reads(Observed::Absent).claim().reads(Observed::Absent).tell(taken());
    course.reads(theirs(ChangeKind::None));
    assert_eq!(course.success(), Some(SuccessKind::Imported));
    assert!(course.documents.forgotten && course.documents.applied);
    let entry = course.entry.unwrap();
    assert_eq!((entry.identifier.as_deref(), entry.owned), (Some("theirs"), false));
    assert!(entry.retiring.is_empty());
}

#[test]
fn what_another_reference_names_is_not_adopted() {
    let mut course = adopt(Some("theirs"), true);
    course.tell(taken()).tell(Event::MappedElsewhere { reference: "other".to_owned() });
    assert_eq!((course.failure(), course.state()), (Some("ResourceMapped"), None));
}

#[test]
fn what_was_just_adopted_is_not_replaced() {
    for strategy in [Strategy::DeleteFirst, Strategy::CreateFirst] {
        let mut asked = adopting(Some("theirs"), true);
        asked.policy.replace = Some(strategy);
        let mut course = Course::of(start(), asked, None);
        course.tell(taken()).reads(theirs(another()));
        assert_eq!(
            (course.failure(), course.identifier()),
            (Some("ReplaceRequired"), Some("theirs"))
        );
        assert_eq!(course.state(), Some(EntryState::Ready));
    }
}

#[test]
fn a_replacement_does_not_adopt() {
    for strategy in [Strategy::DeleteFirst, Strategy::CreateFirst] {
        let mut asked = adopting(Some("theirs"), true);
        asked.policy.replace = Some(strategy);
        let mut course = Course::of(start(), asked, Some(ready("r0")));
        course.reads(present(another()));
        if strategy == Strategy::DeleteFirst {
            course.tell(success("r0")).reads(Observed::Absent);
        }
        course.tell(taken());
        assert_eq!((course.failure(), course.identifier()), (Some("AlreadyExists"), Some("r0")));
    }
}

#[test]
fn a_write_without_a_reference_adopts_nothing() {
    let mut asked = adopting(Some("theirs"), true);
    asked.policy.tracked = false;
    let mut course = Course::of(start(), asked, None);
    course.tell(taken());
    assert_eq!(course.failure(), Some("AlreadyExists"));
}

#[test]
fn a_name_that_is_taken_tells_both_ways_in() {
    for answer in [taken(), refused_as_taken()] {
        let mut course = put();
        course.tell(answer);
        for part in ["`mapsTo.primaryIdentifier`", "`\"adopt\": true`"] {
            assert!(course.failed().message.contains(part), "{}", course.failed().message);
        }
    }
}
