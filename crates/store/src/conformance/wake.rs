//! Claims about operations that are a part of another: their end makes that one due, and nobody puts it off.

use std::time::Duration;

use hangar_plan::record::OperationRecord;
use hangar_plan::{Timestamp, group::GroupTask};

use super::Make;
use super::fixture::{LEASE, MOMENT, World, end, id, step};
use super::shared::hear;
use crate::{Claim, Commit, Committed, Lease, Notice, ReferenceChange, Reservation};

/// The operation that has parts; they are numbered on from it.
const WHOLE: u128 = 100;

pub(super) async fn claims(make: Make<'_>) {
    the_end_of_a_part_makes_the_whole_due(make).await;
    only_an_end_wakes(make).await;
    a_whole_that_is_due_sooner_stays_so(make).await;
    a_whole_that_has_ended_or_is_gone_is_left(make).await;
    a_worker_that_lets_go_does_not_put_off_a_part_that_ended(make).await;
    what_ended_before_a_claim_is_no_news(make).await;
    a_worker_that_crashes_does_not_put_off_a_part_that_ended(make).await;
    many_parts_end_at_once_while_the_whole_steps(make).await;
}

fn later(world: &World) -> Timestamp {
    world.now().after(Duration::from_hours(1))
}

/// The whole and so many parts of it, all leased; the whole comes first.
async fn claimed(world: &World, parts: u128) -> (OperationRecord, Vec<OperationRecord>) {
    world.reserve(world.deploying(WHOLE, "app", None)).await.unwrap();
    let whole = world.claim_one().await.record;
    for bits in WHOLE + 1..=WHOLE + parts {
        world.reserve(world.part(bits, WHOLE)).await.unwrap();
    }
    let claims = world.claim(1000).await;
    let parts = claims.into_iter().map(|claim| claim.record).collect();
    (whole, parts)
}

/// A step of the whole, which its worker wants to look at again much later.
fn waiting(world: &World, whole: OperationRecord, lease: Lease) -> Commit {
    let mut commit = step(whole, ReferenceChange::Keep);
    commit.record.due_at = Some(later(world));
    commit.lease = lease;
    commit
}

async fn end_part(world: &World, part: OperationRecord) -> Committed {
    let mut commit = step(part, ReferenceChange::Keep);
    end(&mut commit.record, world.now());
    world.commit(commit).await.unwrap()
}

async fn due_at(world: &World) -> Option<Timestamp> {
    world.operation(WHOLE).await.unwrap().due_at
}

async fn the_end_of_a_part_makes_the_whole_due(make: Make<'_>) {
    let world = World::new(make).await;
    let (whole, mut parts) = claimed(&world, 2).await;
    let released = world.commit(waiting(&world, whole, Lease::Release)).await.unwrap();
    assert!(!released.hastened);
    let before = world.operation(WHOLE).await.unwrap();
    assert_eq!(before.due_at, Some(later(&world)));
    assert!(world.claim(10).await.is_empty());
    let mut notices = world.store.notices();
    world.clock.advance(MOMENT);
    let mut last = parts.remove(1);
    // What was told once stays, whatever a step says: it is still a part.
    last.parent = None;
    end_part(&world, parts.remove(0)).await;
    hear(&mut notices, Notice::Due).await;
    let woken = OperationRecord { due_at: Some(world.now()), ..before };
    assert_eq!(world.operation(WHOLE).await, Some(woken), "nothing else of it has changed");
    let whole = world.claim_one().await.record;
    assert_eq!(whole.id(), id(WHOLE));

    // The same for the next part, when it was let go again.
    world.commit(waiting(&world, whole, Lease::Release)).await.unwrap();
    assert!(world.claim(10).await.is_empty());
    end_part(&world, last).await;
    assert_eq!(world.claim_one().await.record.id(), id(WHOLE));
}

async fn only_an_end_wakes(make: Make<'_>) {
    let world = World::new(make).await;
    let (whole, mut parts) = claimed(&world, 2).await;
    world.reserve(world.untracked(1, &[])).await.unwrap();
    let stranger = world.claim_one().await.record;
    // One that has ended and is looked at once more.
    let mut parked = step(parts.remove(0), ReferenceChange::Keep);
    parked.record.ended_at = Some(world.now());
    parked.lease = Lease::Keep;
    parked.record.version = world.commit(parked.clone()).await.unwrap().version;
    world.commit(waiting(&world, whole, Lease::Release)).await.unwrap();
    // The whole was leased when that part ended: it is looked at once.
    let whole = world.claim_one().await.record;
    world.commit(waiting(&world, whole, Lease::Release)).await.unwrap();

    world.commit(parked).await.unwrap();
    let mut going = step(parts.remove(0), ReferenceChange::Keep);
    going.message = Some("moved".to_owned());
    going.lease = Lease::Keep;
    world.commit(going).await.unwrap();
    end_part(&world, stranger).await;
    assert_eq!(due_at(&world).await, Some(later(&world)));
}

async fn a_whole_that_is_due_sooner_stays_so(make: Make<'_>) {
    let world = World::new(make).await;
    let (mut whole, mut parts) = claimed(&world, 1).await;
    let soon = world.now();
    whole.due_at = Some(soon);
    world.commit(step(whole, ReferenceChange::Keep)).await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    end_part(&world, parts.remove(0)).await;
    assert_eq!(due_at(&world).await, Some(soon));
}

async fn a_whole_that_has_ended_or_is_gone_is_left(make: Make<'_>) {
    let world = World::new(make).await;
    let (mut whole, mut parts) = claimed(&world, 2).await;
    end(&mut whole, world.now());
    whole.due_at = Some(later(&world));
    world.commit(step(whole, ReferenceChange::Keep)).await.unwrap();
    end_part(&world, parts.remove(0)).await;
    assert_eq!(due_at(&world).await, Some(later(&world)));
    world.clock.advance(MOMENT);
    assert_eq!(world.store.operation_prune(world.now()).await, Ok(2));
    assert_eq!(world.operation(WHOLE).await, None);
    end_part(&world, parts.remove(0)).await;
    assert_eq!(world.operation(WHOLE).await, None);
}

async fn a_worker_that_lets_go_does_not_put_off_a_part_that_ended(make: Make<'_>) {
    let world = World::new(make).await;
    // An operation on a group has parts as well.
    let record = world.group_record(WHOLE, "prod", GroupTask::Delete);
    world.reserve(Reservation { record, ..world.untracked(WHOLE, &[]) }).await.unwrap();
    let mut whole = world.claim_one().await.record;
    world.reserve(world.part(WHOLE + 1, WHOLE)).await.unwrap();
    let part = world.claim_one().await.record;
    end_part(&world, part).await;
    assert!(world.claim(10).await.is_empty(), "it is being worked on");
    world.clock.advance(MOMENT);

    let kept = world.commit(waiting(&world, whole.clone(), Lease::Keep)).await.unwrap();
    assert!(kept.hastened);
    whole.version = kept.version;
    let mut notices = world.store.notices();
    world.clock.advance(MOMENT);
    let released = world.commit(waiting(&world, whole, Lease::Release)).await.unwrap();
    assert!(released.hastened);
    assert_eq!(due_at(&world).await, Some(world.now()));
    hear(&mut notices, Notice::Due).await;

    // It has been told: the next worker may wait.
    let whole = world.claim_one().await.record;
    let released = world.commit(waiting(&world, whole, Lease::Release)).await.unwrap();
    assert!(!released.hastened);
    assert_eq!(due_at(&world).await, Some(later(&world)));
}

async fn what_ended_before_a_claim_is_no_news(make: Make<'_>) {
    let world = World::new(make).await;
    let (whole, mut parts) = claimed(&world, 2).await;
    world.commit(step(whole, ReferenceChange::Keep)).await.unwrap();
    end_part(&world, parts.remove(0)).await;
    let whole = world.claim_one().await.record;
    let released = world.commit(waiting(&world, whole, Lease::Release)).await.unwrap();
    assert!(!released.hastened);
    assert_eq!(due_at(&world).await, Some(later(&world)));
}

async fn a_worker_that_crashes_does_not_put_off_a_part_that_ended(make: Make<'_>) {
    let world = World::new(make).await;
    let (whole, mut parts) = claimed(&world, 2).await;
    // Once before its last step, once after it.
    end_part(&world, parts.remove(0)).await;
    world.commit(waiting(&world, whole, Lease::Keep)).await.unwrap();
    world.clock.advance(LEASE);
    let find = |claims: Vec<Claim>| claims.into_iter().find(|it| it.record.id() == id(WHOLE));
    let whole = find(world.claim(10).await).unwrap().record;
    world.commit(waiting(&world, whole, Lease::Keep)).await.unwrap();
    end_part(&world, world.operation(WHOLE + 2).await.unwrap()).await;
    world.clock.advance(LEASE);
    assert!(find(world.claim(10).await).is_some());
}

/// However they meet, none fails, and the whole is due: all of them ended after it was claimed.
async fn many_parts_end_at_once_while_the_whole_steps(make: Make<'_>) {
    let world = World::new(make).await;
    let (mut whole, mut parts) = claimed(&world, 60).await;
    while !parts.is_empty() {
        let ends: Vec<_> = parts
            .split_off(parts.len() - 12)
            .into_iter()
            .map(|part| {
                let (store, mut commit) = (world.store.clone(), step(part, ReferenceChange::Keep));
                end(&mut commit.record, world.now());
                tokio::spawn(async move { store.operation_commit(commit).await })
            })
            .collect();
        let kept = world.commit(waiting(&world, whole.clone(), Lease::Keep)).await.unwrap();
        whole.version = kept.version;
        world.commit(waiting(&world, whole, Lease::Release)).await.unwrap();
        for ended in ends {
            ended.await.unwrap().unwrap();
        }
        assert_eq!(due_at(&world).await, Some(world.now()));
        whole = world.claim_one().await.record;
        assert_eq!(whole.id(), id(WHOLE));
    }
}
