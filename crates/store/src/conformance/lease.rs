//! Claims about leases: who works on what, and until when.

use std::time::Duration;

use hangar_plan::record::{Epoch, Version};

use super::Make;
use super::fixture::{LEASE, MOMENT, World, end, id, step};
use crate::{Claim, CommitError, Lease, ReferenceChange, WorkerId};

pub(super) async fn claims(make: Make<'_>) {
    what_is_due_is_claimed_oldest_first(make).await;
    what_is_leased_is_nobody_elses_until_the_lease_runs_out(make).await;
    a_lease_lasts_longer_when_it_is_renewed(make).await;
    a_lease_that_is_gone_is_told_as_lost(make).await;
    an_older_lease_writes_nothing(make).await;
    every_lease_ends_at_once(make).await;
    two_workers_never_get_the_same(make).await;
}

fn ids(claims: &[Claim]) -> Vec<u128> {
    claims.iter().map(|claim| claim.record.id().as_u128()).collect()
}

async fn what_is_due_is_claimed_oldest_first(make: Make<'_>) {
    let world = World::new(make).await;
    let second = Duration::from_secs(1);
    for (bits, due) in [(1, Some(3)), (2, Some(1)), (3, None), (4, Some(2)), (5, Some(2))] {
        let mut reservation = world.untracked(bits, &[]);
        reservation.record.due_at = due.map(|after| world.now().after(second * after));
        world.reserve(reservation).await.unwrap();
    }
    assert_eq!(ids(&world.claim(10).await), []);
    world.clock.advance(second);
    assert_eq!(ids(&world.claim(10).await), [2], "due to the microsecond");
    world.clock.advance(second * 2);
    assert_eq!(ids(&world.claim(0).await), []);
    assert_eq!(ids(&world.claim(2).await), [4, 5]);
    assert_eq!(ids(&world.claim(10).await), [1]);
    assert_eq!(ids(&world.claim(10).await), [], "never due, or leased");
}

async fn what_is_leased_is_nobody_elses_until_the_lease_runs_out(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.reservation(1, "web")).await.unwrap();
    let first = world.claim_one().await;
    assert_eq!(first.record.epoch, Epoch(1));
    assert_eq!(first.record.version, Version(1));
    assert_eq!(world.operation(1).await.unwrap().epoch, Epoch(1));

    world.clock.advance(LEASE.saturating_sub(MOMENT));
    assert_eq!(ids(&world.claim(10).await), []);
    world.clock.advance(MOMENT);
    let second = world.claim_one().await;
    assert_eq!(second.record.epoch, Epoch(2));
    assert_eq!(second.record.version, Version(1));
}

async fn a_lease_lasts_longer_when_it_is_renewed(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.untracked(1, &[])).await.unwrap();
    let epoch = world.claim_one().await.record.epoch;
    for _ in 0..3 {
        world.clock.advance(LEASE.saturating_sub(MOMENT));
        assert_eq!(world.store.operation_renew(&[(id(1), epoch)], LEASE).await.unwrap(), []);
        assert_eq!(ids(&world.claim(10).await), []);
    }
    // Late, but nobody came in between.
    world.clock.advance(LEASE * 2);
    assert_eq!(world.store.operation_renew(&[(id(1), epoch)], LEASE).await.unwrap(), []);
    assert_eq!(ids(&world.claim(10).await), []);
}

async fn a_lease_that_is_gone_is_told_as_lost(make: Make<'_>) {
    let world = World::new(make).await;
    for bits in 1..=4 {
        world.reserve(world.untracked(bits, &[])).await.unwrap();
    }
    let mut claims = world.claim(4).await;
    let released = claims.remove(1).record;
    let due = world.now().after(LEASE * 9);
    let mut release = step(released, ReferenceChange::Keep);
    release.record.due_at = Some(due);
    world.commit(release).await.unwrap();
    let kept = [(id(3), Epoch(1))];
    world.clock.advance(LEASE / 2);
    assert_eq!(world.store.operation_renew(&kept, LEASE).await.unwrap(), []);
    world.clock.advance(LEASE / 2);
    assert_eq!(ids(&world.claim(1).await), [1], "taken by another");

    let held = [(1, 1), (2, 1), (3, 1), (4, 1), (99, 1), (1, 2)];
    let held = held.map(|(bits, epoch)| (id(bits), Epoch(epoch)));
    let lost = world.store.operation_renew(&held, LEASE).await.unwrap();
    assert_eq!(lost, [id(1), id(2), id(99)], "taken, let go, unknown");
    assert_eq!(world.store.operation_renew(&[], LEASE).await.unwrap(), []);
}

async fn an_older_lease_writes_nothing(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.reservation(1, "web")).await.unwrap();
    let old = world.claim_one().await;
    world.clock.advance(LEASE);
    let new = world.claim_one().await;

    let reference = old.reference.clone().unwrap();
    let remove = ReferenceChange::Remove { name: reference.name, seen: reference.version };
    let mut late = step(old.record.clone(), remove);
    late.message = Some("late".to_owned());
    end(&mut late.record, world.now());
    assert_eq!(world.commit(late).await, Err(CommitError::LeaseLost));
    assert!(world.find("web").await.is_some());
    assert_eq!(world.operation(1).await, Some(new.record.clone()));
    assert_eq!(world.messages(1).await.len(), 1);

    // Nor does the right lease on a version that is gone, nor anyone on what is not there.
    let mut first = step(new.record.clone(), ReferenceChange::Keep);
    first.lease = Lease::Keep;
    world.commit(first.clone()).await.unwrap();
    assert_eq!(world.commit(first).await, Err(CommitError::LeaseLost));
    let stranger = step(world.record(2, None), ReferenceChange::Keep);
    assert_eq!(world.commit(stranger).await, Err(CommitError::LeaseLost));
}

async fn every_lease_ends_at_once(make: Make<'_>) {
    let world = World::new(make).await;
    for bits in 1..=3 {
        world.reserve(world.untracked(bits, &[])).await.unwrap();
    }
    assert_eq!(world.claim(2).await.len(), 2);
    assert_eq!(world.store.lease_end_all().await.unwrap(), 2);
    assert_eq!(world.store.lease_end_all().await.unwrap(), 0);
    let lost = world.store.operation_renew(&[(id(1), Epoch(1))], LEASE).await.unwrap();
    assert_eq!(lost, [id(1)]);
    let claims = world.claim(10).await;
    assert_eq!(ids(&claims), [1, 2, 3]);
    let epochs: Vec<u64> = claims.iter().map(|claim| claim.record.epoch.0).collect();
    assert_eq!(epochs, [2, 2, 1]);
}

async fn two_workers_never_get_the_same(make: Make<'_>) {
    let world = World::new(make).await;
    for bits in 1..=40 {
        world.reserve(world.untracked(bits, &[])).await.unwrap();
    }
    let workers: Vec<_> = (0..8)
        .map(|number| {
            let store = world.store.clone();
            let worker = WorkerId(format!("worker-{number}"));
            tokio::spawn(async move { store.operation_claim(worker, LEASE, 5).await })
        })
        .collect();
    let mut claimed = Vec::new();
    for worker in workers {
        claimed.extend(ids(&worker.await.unwrap().unwrap()));
    }
    claimed.sort_unstable();
    assert_eq!(claimed, (1..=40).collect::<Vec<_>>());
    assert_eq!(world.store.counts().await.unwrap().leased, 40);
}
