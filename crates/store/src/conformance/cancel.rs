//! Claims about asking for a stop: it is noted beside the work, and never lost.

use std::time::Duration;

use hangar_plan::record::{OperationRecord, Version};

use super::Make;
use super::fixture::{LEASE, World, end, id, machine_of, step};
use crate::{CancelAnswer, Lease, ReferenceChange};

pub(super) async fn claims(make: Make<'_>) {
    a_stop_makes_an_operation_due(make).await;
    a_stop_of_what_is_not_there_or_over_changes_nothing(make).await;
    a_worker_hears_of_a_stop_with_its_next_step(make).await;
    a_worker_that_has_not_seen_the_stop_does_not_put_it_off(make).await;
}

async fn noted(world: &World, bits: u128) -> OperationRecord {
    match world.store.operation_cancel(id(bits)).await.unwrap() {
        CancelAnswer::Noted(record) => *record,
        other => panic!("{other:?}"),
    }
}

async fn a_stop_makes_an_operation_due(make: Make<'_>) {
    let world = World::new(make).await;
    let (now, later) = (world.now(), world.now().after(LEASE));
    for (bits, due_at) in [(1, Some(later)), (2, Some(now)), (3, None)] {
        let mut reservation = world.untracked(bits, &[]);
        reservation.record.due_at = due_at;
        world.reserve(reservation).await.unwrap();
    }
    world.clock.advance(Duration::from_secs(1));
    for (bits, due_at) in [(1, world.now()), (2, now), (3, world.now())] {
        let record = noted(&world, bits).await;
        assert!(record.is_stop_wanted());
        assert_eq!(record.due_at, Some(due_at), "{bits}");
        assert_eq!(record.version, Version(1), "a worker's version is not moved");
        assert_eq!(world.operation(bits).await, Some(record));
    }
    let claims = world.claim(10).await;
    assert_eq!(claims.len(), 3);
    assert!(claims.iter().all(|claim| claim.record.is_stop_wanted()));
}

async fn a_stop_of_what_is_not_there_or_over_changes_nothing(make: Make<'_>) {
    let world = World::new(make).await;
    let nothing = world.store.operation_cancel(id(1)).await.unwrap();
    assert!(matches!(nothing, CancelAnswer::NotFound), "{nothing:?}");

    world.reserve(world.untracked(1, &[])).await.unwrap();
    let mut commit = step(world.claim_one().await.record, ReferenceChange::Keep);
    end(&mut commit.record, world.now());
    world.commit(commit).await.unwrap();
    let ended = world.operation(1).await;
    let answer = world.store.operation_cancel(id(1)).await.unwrap();
    assert!(matches!(answer, CancelAnswer::Ended(record) if Some(&*record) == ended.as_ref()));
    assert_eq!(world.operation(1).await, ended);
    assert!(world.claim(10).await.is_empty());
}

async fn a_worker_hears_of_a_stop_with_its_next_step(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.untracked(1, &[])).await.unwrap();
    let mut commit = step(world.claim_one().await.record, ReferenceChange::Keep);
    commit.lease = Lease::Keep;
    commit.record.due_at = Some(world.now().after(LEASE));
    let first = world.commit(commit.clone()).await.unwrap();
    assert!(!first.cancel_requested);

    let record = noted(&world, 1).await;
    assert_eq!(record.due_at, commit.record.due_at, "it is being worked on");
    commit.record.version = first.version;
    let second = world.commit(commit.clone()).await.unwrap();
    assert!(second.cancel_requested);
    assert_eq!(second.version, Version(3));
    // A record that knows nothing of the stop does not undo it.
    let found = world.operation(1).await.unwrap();
    assert!(found.is_stop_wanted());
    assert_eq!(found.due_at, commit.record.due_at, "the worker goes on and decides itself");
}

async fn a_worker_that_has_not_seen_the_stop_does_not_put_it_off(make: Make<'_>) {
    let world = World::new(make).await;
    for bits in [1, 2, 3] {
        world.reserve(world.untracked(bits, &[])).await.unwrap();
    }
    let claims = world.claim(3).await;
    let later = world.now().after(LEASE);
    for claim in claims {
        let bits = claim.record.id().as_u128();
        noted(&world, bits).await;
        let mut release = step(claim.record, ReferenceChange::Keep);
        release.record.due_at = Some(later);
        machine_of(&mut release.record).operation.cancel_requested = bits == 2;
        if bits == 3 {
            end(&mut release.record, world.now());
        }
        world.commit(release).await.unwrap();
        let expected = [Some(world.now()), Some(later), None][(bits - 1) as usize];
        assert_eq!(world.operation(bits).await.unwrap().due_at, expected, "{bits}");
    }
    assert_eq!(world.claim_one().await.record.id(), id(1));
}
