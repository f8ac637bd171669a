//! Each invariant with a history that breaks it, and nothing else; and histories that only look as if.

mod sample;

use hangar_plan::Timestamp;
use hangar_plan::operation::{AttemptOutcome, EntryState, FailureKind, Kind, SuccessKind, Verb};
use hangar_plan::record::{Drift, DriftState, FormValue, NormalForm, Work};
use serde_json::json;

use super::check;
use crate::history::{Called, Deed, Hand, History, Invariant, Spelling, Told, Word};
use sample::{
    Story, attempt, called, child_of, create_of, ended, event, failed, group_delete, hand, name,
    noop, operation, reference, resource,
};

/// The invariants that a history breaks.
fn broken(history: &History) -> Vec<u8> {
    let mut numbers: Vec<u8> = check(history)
        .into_iter()
        .map(|it| {
            let Invariant(number) = it.invariant;
            number
        })
        .collect();
    numbers.dedup();
    numbers
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000)
}

#[test]
fn a_good_history_breaks_nothing() {
    assert_eq!(check(&Story::made().history), []);
    assert_eq!(check(&History::default()), []);
}

#[test]
fn i1_two_resources_for_one_alias() {
    let mut story = Story::made();
    story.history.references[0].entry.state = EntryState::Unknown;
    story.add(create_of(2, "net", 20, 22, "vpc-2"));
    story.history.resources.push(resource("vpc-2", Some(2)));
    assert_eq!(broken(&story.history), [1]);
    // One of them is about to go.
    story.history.references[0].entry.retiring.push("vpc-2".to_owned());
    assert_eq!(broken(&story.history), [0; 0]);
}

#[test]
fn what_a_person_let_go_of_counts_neither_as_twice_nor_as_lost() {
    let mut story = Story::made();
    let mut unlink = ended(operation(2, "net", Kind::Unlink, 20), 21, SuccessKind::Unlinked);
    sample::work(&mut unlink).identifier = Some("vpc-1".to_owned());
    story.add(unlink);
    story.add(create_of(3, "net", 30, 32, "vpc-3"));
    story.history.resources.push(resource("vpc-3", Some(3)));
    story.history.references[0].entry.identifier = Some("vpc-3".to_owned());
    assert_eq!(check(&story.history), []);
}

#[test]
fn a_renamed_alias_and_the_next_one_of_its_name_have_one_resource_each() {
    let mut story = Story::made();
    let renamed = &mut story.history.references[0];
    renamed.former_keys.push(renamed.name.key());
    renamed.name = name("other");
    story.add(create_of(2, "net", 20, 22, "vpc-2"));
    story.history.resources.push(resource("vpc-2", Some(2)));
    story.history.references.push(reference("net", "vpc-2", 20));
    assert_eq!(check(&story.history), []);
}

#[test]
fn i2_a_resource_that_nobody_names() {
    let mut story = Story::made();
    story.history.references.clear();
    assert_eq!(broken(&story.history), [2]);
    // While somebody works on the alias, or looks for what it made, it is not lost.
    let mut unknown = reference("net", "vpc-1", 10);
    unknown.entry.identifier = None;
    unknown.entry.state = EntryState::Unknown;
    story.history.references.push(unknown);
    assert_eq!(check(&story.history), []);
}

#[test]
fn i2_a_resource_of_an_operation_that_nobody_knows() {
    let mut story = Story::made();
    story.history.resources.push(resource("vpc-9", Some(9)));
    assert_eq!(broken(&story.history), [2]);
    story.history.pruned_before = Some(at(5));
    assert_eq!(check(&story.history), []);
}

#[test]
fn i3_an_alias_that_names_nothing() {
    let mut story = Story::made();
    story.history.resources.clear();
    assert_eq!(broken(&story.history), [3]);
    story.history.hands.push(hand("vpc-1", Deed::Deleted));
    assert_eq!(check(&story.history), []);
}

#[test]
fn i4_an_operation_that_does_not_end() {
    let mut story = Story::made();
    let running = operation(2, "net", Kind::Put, 20);
    story.history.references[0].entry.operation = Some(running.id());
    story.add(running);
    assert_eq!(broken(&story.history), [4]);
}

#[test]
fn i4_an_alias_that_is_held_by_nobody() {
    let mut story = Story::made();
    story.history.references[0].entry.operation = Some(story.history.operations[0].id());
    assert_eq!(broken(&story.history), [4]);
}

#[test]
fn i5_a_write_while_another_operation_runs() {
    let mut story = Story::made();
    let mut late = create_of(2, "net", 20, 30, "vpc-1");
    let Some(work) = late.resource_mut() else { panic!("a write on a resource") };
    work.operation.attempts[0].verb = Verb::Update;
    story.history.operations.push(late);
    let events = [event(2, 1, 20), event(2, 2, 30)];
    story.history.events.extend(events);
    let first = story.history.operations[0].attempts()[0].client_token.clone();
    // A second attempt of the first operation, which had ended at 12.
    let second = attempt(1, 2, Verb::Update, 11);
    let token = second.client_token.clone();
    sample::work(&mut story.history.operations[0]).attempts.push(second);
    story.history.calls.push(called(25, "UpdateResource", &token));
    assert_eq!(broken(&story.history), [5]);
    // One that nobody got an answer of may come at any time.
    sample::work(&mut story.history.operations[0]).attempts[1].unanswered = 1;
    assert_eq!(check(&story.history), []);
    // And one that AWS has had before is the same request again.
    story.history.calls[2] = called(25, "CreateResource", &first);
    story.history.mishaps = 1;
    assert_eq!(check(&story.history), []);
}

#[test]
fn i6_an_end_that_is_taken_back_or_told_otherwise() {
    let mut story = Story::made();
    let id = story.history.operations[0].id();
    let told = |status: &str, body: &str| Told {
        at: at(13),
        name: None,
        what: Word::Status(id, status.to_owned(), Some(body.to_owned())),
    };
    story.history.told = vec![told("Accepted", ""), told("Creating", ""), told("Succeeded", "a")];
    story.history.told.push(told("Succeeded", "a"));
    assert_eq!(check(&story.history), []);
    story.history.told[3] = told("Succeeded", "b");
    assert_eq!(broken(&story.history), [6]);
    story.history.told[3] = told("Creating", "a");
    assert_eq!(broken(&story.history), [6]);
    story.history.told = vec![told("Creating", ""), told("Accepted", "")];
    assert_eq!(broken(&story.history), [6]);
    story.history.told = vec![told("Failed", "")];
    assert_eq!(broken(&story.history), [6]);
}

#[test]
fn i6_events_with_a_gap_or_after_the_end() {
    let mut story = Story::made();
    story.history.events[1].sequence = 3;
    assert_eq!(broken(&story.history), [6]);
    let mut story = Story::made();
    story.history.events.extend([event(1, 3, 14), event(1, 4, 15)]);
    assert_eq!(broken(&story.history), [6]);
    // What was unknown when it ended is looked for after that.
    let first = &mut story.history.operations[0];
    *first = failed(first.clone(), 12, FailureKind::Unknown);
    assert_eq!(check(&story.history), []);
}

#[test]
fn i7_an_accepted_operation_that_is_not_found() {
    let mut story = Story::made();
    let lost = operation(7, "net", Kind::Put, 3).id();
    story.history.told.push(Told { at: at(3), name: None, what: Word::Accepted(lost) });
    assert_eq!(broken(&story.history), [7]);
    story.history.pruned_before = Some(at(5));
    assert_eq!(check(&story.history), []);
    let known = story.history.operations[0].id();
    let other = Some(name("other"));
    story.history.told = vec![Told { at: at(10), name: other, what: Word::Accepted(known) }];
    assert_eq!(broken(&story.history), [7]);
}

#[test]
fn i8_a_create_with_a_token_that_is_too_old() {
    let mut story = Story::made();
    let day = 24 * 3600;
    let first = &mut story.history.operations[0];
    first.ended_at = Some(at(day + 20));
    sample::work(first).attempts[0].unanswered = 1;
    story.history.calls[0].at = at(day + 12);
    assert_eq!(broken(&story.history), [8]);
}

#[test]
fn i9_a_token_with_other_content() {
    let mut story = Story::made();
    story.history.calls[1].outcome = "ClientTokenConflictException".to_owned();
    story.history.calls[1].client_token = story.history.calls[0].client_token.clone();
    story.history.calls[1].name = "CreateResource".to_owned();
    assert_eq!(broken(&story.history), [9]);
    let mut story = Story::made();
    let token = story.history.calls[0].client_token.clone().unwrap_or_default();
    story.history.calls.push(called(11, "DeleteResource", &token));
    assert_eq!(broken(&story.history), [9]);
}

#[test]
fn i10_a_group_that_deletes_what_it_only_took_in() {
    for (owned, breaks) in [(false, vec![10]), (true, vec![])] {
        let mut history = History::default();
        history.hands.push(hand("vpc-h", Deed::Made));
        let kind = Kind::Import { owned, apply: false };
        let mut import = ended(operation(1, "net", kind, 10), 11, SuccessKind::Imported);
        sample::work(&mut import).identifier = Some("vpc-h".to_owned());
        let parent = group_delete(2, 20, 30);
        let mut delete = child_of(&parent, operation(3, "net", Kind::Delete, 21));
        delete = ended(delete, 29, SuccessKind::Deleted);
        sample::work(&mut delete).attempts.push(attempt(3, 1, Verb::Delete, 21));
        let token = delete.attempts()[0].client_token.clone();
        let call = called(22, "DeleteResource", &token);
        history.calls.push(Called { identifier: Some("vpc-h".to_owned()), ..call });
        assert!(matches!(parent.work, Work::Group(_)));
        history.operations = vec![import, parent, delete];
        assert_eq!(broken(&history), breaks, "owned: {owned}");
    }
}

#[test]
fn i11_a_create_that_is_sent_again_without_a_reason() {
    let mut story = Story::made();
    let again = Called { at: at(11), ..story.history.calls[0].clone() };
    story.history.calls.push(again);
    assert_eq!(broken(&story.history), [11]);
    story.history.mishaps = 1;
    assert_eq!(check(&story.history), []);
    // Where it is known when they happened, one must lie between the two.
    story.history.mishaps_at = vec![at(30)];
    assert_eq!(broken(&story.history), [11]);
    story.history.mishaps_at.push(Timestamp::from_micros(10_700_000));
    assert_eq!(check(&story.history), []);
}

#[test]
fn i11_a_noop_that_writes() {
    let mut story = Story::made();
    let mut put = noop(operation(2, "net", Kind::Put, 20), 21);
    story.add(put.clone());
    assert_eq!(check(&story.history), []);
    put.calls.writes = 1;
    story.history.operations[1] = put.clone();
    assert_eq!(broken(&story.history), [11]);
    // What was replaced before it is deleted by whoever comes next.
    let mut delete = attempt(2, 1, Verb::Delete, 20);
    delete.replaces = Some("vpc-0".to_owned());
    story.history.calls.push(called(20, "DeleteResource", &delete.client_token));
    sample::work(&mut put).attempts.push(delete);
    story.history.operations[1] = put;
    assert_eq!(check(&story.history), []);
}

#[test]
fn i12_two_operations_at_once_on_one_alias() {
    let mut story = Story::made();
    story.add(noop(operation(2, "net", Kind::Put, 11), 13));
    assert_eq!(broken(&story.history), [12]);
    // It read its time before the first one ended, and was accepted after that.
    let first = story.history.events.iter_mut().find(|it| it.operation == sample::id(2));
    first.expect("its first event").at = at(12);
    assert_eq!(check(&story.history), []);
}

#[test]
fn i13_more_calls_than_the_budget_has() {
    let calls = |count: i64, micros: i64| History {
        calls: (0..count)
            .map(|it| Called {
                at: Timestamp::from_micros(it * micros),
                ..called(0, "GetResource", "")
            })
            .collect(),
        rate: Some(25),
        ..History::default()
    };
    // 35 in a second, 260 in ten.
    assert_eq!(check(&calls(35, 1000)), []);
    assert_eq!(broken(&calls(36, 1000)), [13]);
    assert_eq!(check(&calls(1000, 38_500)), []);
    assert_eq!(broken(&calls(300, 37_000)), [13]);
    let mut two_places = calls(60, 1000);
    for call in two_places.calls.iter_mut().step_by(2) {
        call.place = "1/elsewhere".to_owned();
    }
    assert_eq!(check(&two_places), []);
}

#[test]
fn a_lost_attempt_that_lands_late_is_told_of_in_the_record() {
    let mut story = Story::made();
    let lost = attempt(1, 2, Verb::Update, 11);
    let token = lost.client_token.clone();
    let work = sample::work(&mut story.history.operations[0]);
    work.attempts.push(lost);
    work.attempts[1].outcome = AttemptOutcome::Superseded;
    story.history.calls.push(called(99, "UpdateResource", &token));
    assert_eq!(check(&story.history), []);
}

#[test]
fn i14_a_deployment_that_takes_away_what_another_had_put() {
    for (last, breaks) in [("app", vec![]), ("web", vec![14])] {
        let mut history = History::default();
        let app = sample::deployment(1, "app", 10, &[2]);
        let put = noop(child_of(&app, operation(2, "net", Kind::Put, 11)), 12);
        let other = sample::deployment(3, last, 20, &[4]);
        let again = noop(child_of(&other, operation(4, "net", Kind::Put, 21)), 22);
        let prune = sample::deployment(5, "app", 30, &[6]);
        let gone = child_of(&prune, operation(6, "net", Kind::Unlink, 31));
        let gone = ended(gone, 32, SuccessKind::Unlinked);
        history.operations = vec![app, put, other, again, prune, gone];
        assert_eq!(broken(&history), breaks, "{last}");
    }
}

/// A VPC whose tenancy AWS writes in another form, applied and in sync.
fn learned(sent: &str, seen: &str, live: &str) -> Story {
    let mut story = Story::made();
    let text = |text: &str| FormValue::Plain(json!(text));
    let reference = &mut story.history.references[0];
    reference.documents.applied = Some(json!({"InstanceTenancy": sent}));
    reference.documents.learned = vec![NormalForm {
        path: "/InstanceTenancy".to_owned(),
        sent: text(sent),
        seen: text(seen),
        learned_at: at(1000),
    }];
    reference.drift = Some(Drift {
        state: DriftState::InSync,
        paths: Vec::new(),
        differences: Vec::new(),
        reason: None,
        checked_at: at(2000),
    });
    story.history.resources[0].properties = Some(json!({"InstanceTenancy": live}));
    let spelling = |sent: &str, seen: &str| Spelling {
        type_name: "AWS::EC2::VPC".to_owned(),
        path: "/InstanceTenancy".to_owned(),
        sent: sent.to_owned(),
        seen: seen.to_owned(),
    };
    story.history.spellings = vec![spelling("own", "dedicated"), spelling("any", "default")];
    story
}

#[test]
fn i15_a_form_that_aws_does_not_use() {
    assert_eq!(broken(&learned("own", "dedicated", "dedicated").history), [0; 0]);
    // The read was late: it returned the form of the value before.
    let mut story = learned("own", "default", "dedicated");
    assert_eq!(broken(&story.history), [15]);
    // No read can tell what somebody did soon after the write; what was done long before the read, it can.
    let changed = |second| Hand { at: at(second), ..hand("vpc-1", Deed::Changed) };
    story.history.hands.push(changed(900));
    assert_eq!(broken(&story.history), [0; 0]);
    story.history.hands[0] = changed(1000 - 3600);
    assert_eq!(broken(&story.history), [15]);
}

#[test]
fn i15_a_form_that_hides_a_change() {
    let mut story = learned("own", "dedicated", "host");
    assert_eq!(broken(&story.history), [15]);
    let reference = &mut story.history.references[0];
    reference.drift.as_mut().unwrap().state = DriftState::Drifted;
    assert_eq!(broken(&story.history), [0; 0]);
}
