//! Claims about what replicas share besides rows: budgets, notices, small facts.

use std::time::Duration;

use hangar_plan::budget::{BudgetAsk, Rate};
use hangar_plan::record::Calls;
use tokio::sync::broadcast::Receiver;

use super::Make;
use super::fixture::{World, end, id, step};
use crate::{Notice, ReferenceChange};

/// A store may take its time to say that something happened, but not for ever.
const HEARD_WITHIN: Duration = Duration::from_secs(10);

pub(super) async fn claims(make: Make<'_>) {
    a_budget_is_one_for_a_place_and_fills_with_time(make).await;
    a_place_that_is_asked_too_often_slows_down(make).await;
    a_note_is_kept_by_name(make).await;
    what_happens_to_an_operation_is_told(make).await;
    what_an_operation_cost_is_kept(make).await;
    a_call_that_nobody_waits_for_does_nothing(make).await;
}

fn ask(calls: u32) -> BudgetAsk {
    BudgetAsk { rate: Rate::per_second(100).unwrap(), calls, drift: 0 }
}

async fn a_budget_is_one_for_a_place_and_fills_with_time(make: Make<'_>) {
    let world = World::new(make).await;
    let take = |place: &'static str, calls| {
        let store = world.store.clone();
        async move { store.budget_take(place, ask(calls)).await.unwrap().calls }
    };
    assert_eq!(take("a", 3).await, 3);
    assert_eq!(take("a", 100).await, 7, "a bucket holds ten");
    assert_eq!(take("b", 100).await, 10, "each place has its own");
    assert_eq!(take("a", 1).await, 0);
    world.clock.advance(Duration::from_millis(15));
    assert_eq!(take("a", 100).await, 1);
}

async fn a_place_that_is_asked_too_often_slows_down(make: Make<'_>) {
    let world = World::new(make).await;
    world.store.budget_throttled("a", ask(0).rate).await.unwrap();
    assert_eq!(world.store.budget_take("a", ask(9)).await.unwrap().calls, 0);
    world.clock.advance(Duration::from_millis(21));
    assert_eq!(world.store.budget_take("a", ask(9)).await.unwrap().calls, 1, "half the rate");
}

async fn a_note_is_kept_by_name(make: Make<'_>) {
    let world = World::new(make).await;
    assert_eq!(world.store.note_find("aws").await.unwrap(), None);
    world.store.note_put("aws", "simulator").await.unwrap();
    world.store.note_put("other", "1").await.unwrap();
    world.store.note_put("aws", "real").await.unwrap();
    assert_eq!(world.store.note_find("aws").await.unwrap().as_deref(), Some("real"));
    assert_eq!(world.store.note_find("AWS").await.unwrap(), None);
    assert_eq!(world.store.note_keep("aws", "other").await.unwrap(), "real");
    assert_eq!(world.store.note_keep("new", "first").await.unwrap(), "first");
    assert_eq!(world.store.note_keep("new", "second").await.unwrap(), "first");
}

async fn what_happens_to_an_operation_is_told(make: Make<'_>) {
    let world = World::new(make).await;
    let mut notices = world.store.notices();
    world.reserve(world.untracked(1, &[])).await.unwrap();
    hear(&mut notices, Notice::Moved(id(1))).await;
    hear(&mut notices, Notice::Due).await;
    let claim = world.claim(1).await.remove(0);
    let mut commit = step(claim.record, ReferenceChange::Keep);
    end(&mut commit.record, world.now());
    world.commit(commit).await.unwrap();
    hear(&mut notices, Notice::Moved(id(1))).await;
    world.reserve(world.untracked(2, &[])).await.unwrap();
    hear(&mut notices, Notice::Moved(id(2))).await;
    hear(&mut notices, Notice::Due).await;
    world.store.operation_cancel(id(2)).await.unwrap();
    hear(&mut notices, Notice::Moved(id(2))).await;
    hear(&mut notices, Notice::Due).await;
}

/// Waits for a notice; others may come before it.
pub(super) async fn hear(notices: &mut Receiver<Notice>, wanted: Notice) {
    let heard = async { while notices.recv().await.unwrap() != wanted {} };
    let heard = tokio::time::timeout(HEARD_WITHIN, heard).await;
    assert!(heard.is_ok(), "{wanted:?} was never told");
}

async fn what_an_operation_cost_is_kept(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.untracked(1, &[])).await.unwrap();
    assert_eq!(world.operation(1).await.unwrap().calls, Calls::default());
    let claim = world.claim(1).await.remove(0);
    let mut commit = step(claim.record, ReferenceChange::Keep);
    let cost = Calls { writes: 1, polls: 2, reads: 3 };
    commit.record.calls = cost;
    world.commit(commit).await.unwrap();
    assert_eq!(world.operation(1).await.unwrap().calls, cost);
}

/// A caller that is gone before its call was begun has asked for nothing.
async fn a_call_that_nobody_waits_for_does_nothing(make: Make<'_>) {
    let world = World::new(make).await;
    let store = &world.store;
    drop(store.note_put("aws", "real"));
    drop(store.operation_reserve(world.reservation(1, "web")));
    drop(store.budget_take("a", ask(10)));
    drop(store.budget_throttled("a", ask(0).rate));
    // What is asked later is done later.
    assert_eq!(store.budget_take("a", ask(10)).await.unwrap().calls, 10);
    assert_eq!(store.note_find("aws").await.unwrap(), None);
    assert_eq!(world.operation(1).await, None);
    assert_eq!(world.find("web").await, None);
    // Its instant is that of the call and not of the asking.
    let now = store.now();
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(now.await.unwrap(), world.now());
}
