//! What is done with a recipe's operation in each situation.

use std::time::Duration;

use serde_json::json;

use super::decide::{LOCK_PATIENCE, RUN_PATIENCE};
use super::*;
use crate::operation::{FailureKind, SuccessKind};
use crate::record::{GroupName, StateHead, StateLock, StateVersion};

const BEGAN: Timestamp = Timestamp::from_micros(1_000_000_000);

fn work(task: RecipeTask) -> RecipeWork {
    let group = GroupName { plane: "local".to_owned(), group: "team".to_owned() };
    let recipe = RecipeName { group, name: "cache".to_owned() };
    RecipeWork::new(OperationId::from_u128(1), recipe, task, BEGAN)
}

fn running() -> RecipeWork {
    let run = Run { number: 1, host: "here".to_owned(), begun_at: BEGAN, heard_at: BEGAN };
    RecipeWork { run: Some(run), runs: 1, ..work(RecipeTask::Deploy) }
}

fn lock() -> StateLock {
    StateLock {
        id: "0b1c".to_owned(),
        info: json!({"Who": "ann@desk", "Operation": "OperationTypeApply"}),
        taken_at: BEGAN,
        operation: None,
    }
}

fn version() -> StateVersion {
    StateVersion {
        number: 3,
        serial: Some(7),
        lineage: None,
        instances: 1,
        size: 10,
        digest: String::new(),
        operation: None,
        written_at: BEGAN,
        stray: false,
    }
}

fn decided(
    work: &RecipeWork,
    state: &StateHead,
    run: RunSight,
    expects: bool,
    at: Timestamp,
) -> Move {
    decide(work, &Sight { state, run, expects_state: expects }, at)
}

#[test]
fn a_new_one_begins_and_a_run_that_goes_on_is_followed() {
    let empty = StateHead::default();
    assert_eq!(
        decided(&work(RecipeTask::Deploy), &empty, RunSight::None, false, BEGAN),
        Move::Begin
    );
    assert_eq!(decided(&running(), &empty, RunSight::Alive, false, BEGAN), Move::Follow);
}

#[test]
fn a_run_that_is_over_is_recovered_whatever_the_lock_says() {
    let held = StateHead { lock: Some(lock()), current: Some(version()) };
    for state in [&held, &StateHead::default()] {
        assert_eq!(decided(&running(), state, RunSight::Over, true, BEGAN), Move::Recover);
    }
}

#[test]
fn a_run_elsewhere_is_waited_for_until_it_cannot_go_on() {
    let own = StateLock { operation: Some(OperationId::from_u128(1)), ..lock() };
    let state = StateHead { lock: Some(own), current: None };
    let early = decided(&running(), &state, RunSight::Elsewhere, false, BEGAN.after(RUN_PATIENCE));
    assert!(matches!(early, Move::Wait { .. }), "{early:?}");
    let late = BEGAN.after(RUN_PATIENCE + Duration::from_secs(1));
    assert_eq!(decided(&running(), &state, RunSight::Elsewhere, false, late), Move::Recover);
    let free = StateHead::default();
    assert_eq!(decided(&running(), &free, RunSight::Elsewhere, false, BEGAN), Move::Recover);
}

#[test]
fn a_strangers_lock_is_waited_for_and_then_told_with_who_holds_it() {
    let state = StateHead { lock: Some(lock()), current: Some(version()) };
    let mut waiting = work(RecipeTask::Deploy);
    let Move::Wait { why, .. } = decided(&waiting, &state, RunSight::None, true, BEGAN) else {
        panic!("it is waited for");
    };
    assert!(why.contains("ann@desk (OperationTypeApply) for 0 s, lock 0b1c"), "{why}");
    waiting.waiting_since = Some(BEGAN);
    let late = BEGAN.after(LOCK_PATIENCE + Duration::from_secs(1));
    let Move::End(Ending::Failed(failure)) = decided(&waiting, &state, RunSight::None, true, late)
    else {
        panic!("it is given up");
    };
    assert_eq!((failure.kind, failure.code.as_str()), (FailureKind::Conflict, "StateLocked"));
    assert!(failure.message.contains("hangar recipe unlock cache -g team"), "{}", failure.message);
}

#[test]
fn a_state_that_must_be_there_and_is_not_stops_deploy_and_delete() {
    for task in [RecipeTask::Deploy, RecipeTask::Delete] {
        let ended = decided(&work(task), &StateHead::default(), RunSight::None, true, BEGAN);
        let Move::End(Ending::Failed(failure)) = ended else { panic!("{ended:?}") };
        assert_eq!((failure.kind, &*failure.code), (FailureKind::Unavailable, "StateMissing"));
    }
}

#[test]
fn what_never_had_a_state_is_deleted_at_once_and_what_has_one_is_destroyed() {
    let gone =
        decided(&work(RecipeTask::Delete), &StateHead::default(), RunSight::None, false, BEGAN);
    let Move::End(Ending::Succeeded(success)) = gone else { panic!("{gone:?}") };
    assert_eq!(success.kind, SuccessKind::Deleted);
    let state = StateHead { lock: None, current: Some(version()) };
    assert_eq!(
        decided(&work(RecipeTask::Delete), &state, RunSight::None, true, BEGAN),
        Move::Begin
    );
}

#[test]
fn a_stop_ends_what_has_not_begun_and_follows_what_has() {
    let stopped = RecipeWork { cancel_requested: true, ..work(RecipeTask::Deploy) };
    let ended = decided(&stopped, &StateHead::default(), RunSight::None, false, BEGAN);
    assert!(matches!(ended, Move::End(Ending::Canceled(_))), "{ended:?}");
    let stopped = RecipeWork { cancel_requested: true, ..running() };
    let state = StateHead::default();
    assert_eq!(decided(&stopped, &state, RunSight::Alive, false, BEGAN), Move::Follow);
}
