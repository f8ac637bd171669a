//! Claims about time, retention, counts, schemas and the key's proof.

use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::operation::{Ending, EntryState, Failure, FailureKind, Stage};
use hangar_plan::record::{OperationRecord, Version};

use super::Make;
use super::fixture::{LEASE, World, end, id, machine_of, save, step};
use crate::{CachedSchema, Counts, Expect, ReferenceChange};

pub(super) async fn claims(make: Make<'_>) {
    time_is_the_clocks_and_never_runs_back(make).await;
    what_ended_long_ago_is_removed_and_nothing_else(make).await;
    what_ended_as_unknown_stays_until_it_is_settled(make).await;
    what_ended_as_unknown_without_a_reference_stays(make).await;
    rows_are_counted(make).await;
    a_store_that_works_is_healthy(make).await;
    a_schema_is_kept_by_region_and_type(make).await;
    the_first_proof_of_a_key_is_kept(make).await;
}

async fn time_is_the_clocks_and_never_runs_back(make: Make<'_>) {
    let world = World::new(make).await;
    let start = world.now();
    assert_eq!(world.store.now().await.unwrap(), start);
    world.clock.advance(LEASE);
    assert_eq!(world.store.now().await.unwrap(), start.after(LEASE));
    world.clock.set(Timestamp::from_micros(1));
    assert_eq!(world.store.now().await.unwrap(), start.after(LEASE));
    world.clock.set(start.after(LEASE * 2));
    assert_eq!(world.store.now().await.unwrap(), start.after(LEASE * 2));
}

async fn what_ended_long_ago_is_removed_and_nothing_else(make: Make<'_>) {
    let world = World::new(make).await;
    for bits in 1..=4 {
        let mut reservation = world.untracked(bits, &[]);
        machine_of(&mut reservation.record).operation.attempts[0].request_token =
            Some(format!("request-{bits}"));
        world.reserve(reservation).await.unwrap();
    }
    // 1 ended long ago, 2 just now, 3 is parked since long, 4 runs.
    let long_ago = world.now();
    let mut claims = world.claim(3).await;
    world.clock.advance(Duration::from_hours(24 * 8));
    let ends = [(long_ago, Stage::Done), (world.now(), Stage::Done), (long_ago, Stage::Parked)];
    for (ended_at, stage) in ends {
        let mut commit = step(claims.remove(0).record, ReferenceChange::Keep);
        end(&mut commit.record, ended_at);
        machine_of(&mut commit.record).operation.stage = stage;
        world.commit(commit).await.unwrap();
    }
    assert_eq!(world.store.operation_prune(long_ago).await.unwrap(), 0, "before, not at");
    assert_eq!(world.store.operation_prune(world.now()).await.unwrap(), 1);
    assert_eq!(world.store.operation_prune(world.now()).await.unwrap(), 0);
    for (bits, stays) in [(1, false), (2, true), (3, true), (4, true)] {
        assert_eq!(world.operation(bits).await.is_some(), stays, "{bits}");
        assert_eq!(!world.messages(bits).await.is_empty(), stays, "{bits}");
        let token = format!("request-{bits}");
        let found = world.store.operation_find_by_request(&token).await.unwrap();
        assert_eq!(found, stays.then_some(id(bits)));
    }
}

/// Ends an operation as one of which nobody knows what it made.
fn end_unknown(record: &mut OperationRecord, at: Timestamp) {
    end(record, at);
    machine_of(record).operation.ending = Some(Ending::Failed(Failure {
        kind: FailureKind::Unknown,
        code: "AliasUnknown".to_owned(),
        message: String::new(),
        findings: Vec::new(),
    }));
}

async fn what_ended_as_unknown_stays_until_it_is_settled(make: Make<'_>) {
    let world = World::new(make).await;
    let year = Duration::from_hours(24 * 365);
    // What the entry is, whose create is unsettled in it, and whether operation 1 may go.
    let entries = [
        (EntryState::Unknown, Some(1), false),
        (EntryState::Unknown, None, false),
        (EntryState::Ready, Some(1), false),
        (EntryState::Ready, Some(7), true),
    ];
    world.reserve(world.reservation(1, "web")).await.unwrap();
    let mut claim = world.claim_one().await;
    end_unknown(&mut claim.record, world.now());
    let (mut record, mut reference) = (claim.record, claim.reference.unwrap());
    reference.entry.operation = None;
    for (state, unsettled, goes) in entries {
        reference.entry.state = state;
        reference.entry.unsettled = unsettled.map(|it| world.attempt(it, 1)).into_iter().collect();
        let seen = Some(reference.version);
        let mut commit = step(record.clone(), save(reference.clone(), seen));
        commit.lease = crate::Lease::Keep;
        let committed = world.commit(commit).await.unwrap();
        record.version = committed.version;
        reference.version = committed.reference_version.unwrap();
        let removed = world.store.operation_prune(world.now().after(year)).await.unwrap();
        assert_eq!(removed, usize::from(goes), "{state:?} {unsettled:?}");
        assert_eq!(world.operation(1).await.is_some(), !goes);
        assert_eq!(!world.messages(1).await.is_empty(), !goes);
    }

    // One whose alias was let go is settled, but no sooner than any other.
    world.reserve(world.reservation(2, "other")).await.unwrap();
    let claim = world.claim_one().await;
    let (name, seen) = (claim.reference.as_ref().unwrap().name.clone(), Version(1));
    let mut commit = step(claim.record, ReferenceChange::Remove { name, seen });
    end_unknown(&mut commit.record, world.now());
    world.commit(commit).await.unwrap();
    assert_eq!(world.store.operation_prune(world.now()).await.unwrap(), 0, "before, not at");
    assert_eq!(world.store.operation_prune(world.now().after(LEASE)).await.unwrap(), 1);
}

async fn what_ended_as_unknown_without_a_reference_stays(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.untracked(1, &[])).await.unwrap();
    let mut commit = step(world.claim_one().await.record, ReferenceChange::Keep);
    end_unknown(&mut commit.record, world.now());
    world.commit(commit).await.unwrap();
    let year = Duration::from_hours(24 * 365);
    assert_eq!(world.store.operation_prune(world.now().after(year)).await.unwrap(), 0);
    assert!(world.operation(1).await.is_some());
}

async fn rows_are_counted(make: Make<'_>) {
    let world = World::new(make).await;
    let empty = Counts { groups: 1, ..Counts::default() };
    assert_eq!(world.store.counts().await.unwrap(), empty);

    world.store.group_put(&world.group("dev"), Expect::Any).await.unwrap();
    world.settled(1, "a", "vpc-1").await;
    for (bits, alias) in [(2, "b"), (3, "c"), (4, "d")] {
        world.reserve(world.reservation(bits, alias)).await.unwrap();
    }
    let second = Duration::from_secs(1);
    world.clock.advance(second * 7);
    let claim = world.claim(1).await.remove(0);
    let mut reference = claim.reference.unwrap();
    reference.entry.state = EntryState::Unknown;
    let seen = reference.version;
    let mut commit = step(claim.record, save(reference, Some(seen)));
    commit.lease = crate::Lease::Keep;
    world.commit(commit).await.unwrap();
    let counts = Counts {
        groups: 2,
        references: 4,
        unknown: 1,
        running: 3,
        overdue_for: second * 7,
        leased: 1,
    };
    assert_eq!(world.store.counts().await.unwrap(), counts);

    // What is leased does not wait; what was leased waits since its lease ran out.
    assert_eq!(world.claim(10).await.len(), 2);
    let leased = world.store.counts().await.unwrap();
    assert_eq!((leased.leased, leased.overdue_for), (3, Duration::ZERO));
    world.clock.advance(LEASE + second);
    let overdue = world.store.counts().await.unwrap();
    assert_eq!((overdue.leased, overdue.overdue_for), (0, second));
}

async fn a_store_that_works_is_healthy(make: Make<'_>) {
    let world = World::new(make).await;
    let before = world.store.counts().await.unwrap();
    assert_eq!(world.store.health().await, Ok(()));
    assert_eq!(world.store.counts().await.unwrap(), before);
}

async fn a_schema_is_kept_by_region_and_type(make: Make<'_>) {
    let world = World::new(make).await;
    let schema = |region: &str, type_name: &str, hash: &str| CachedSchema {
        region: region.to_owned(),
        type_name: type_name.to_owned(),
        hash: hash.to_owned(),
        document: format!("{{\"typeName\":\"{type_name}\"}}"),
        fetched_at: world.now(),
    };
    let first = schema("us-east-1", "AWS::EC2::VPC", "one");
    world.store.schema_put(&first).await.unwrap();
    world.store.schema_put(&schema("us-east-1", "AWS::S3::Bucket", "two")).await.unwrap();
    let find = |region, type_name| world.store.schema_find(region, type_name);
    assert_eq!(find("us-east-1", "AWS::EC2::VPC").await.unwrap(), Some(first.clone()));
    assert_eq!(find("US-EAST-1", "aws::ec2::vpc").await.unwrap(), Some(first.clone()));
    assert_eq!(find("eu-west-1", "AWS::EC2::VPC").await.unwrap(), None);

    world.clock.advance(LEASE);
    let mut second = schema("us-east-1", "AWS::EC2::Vpc", "three");
    world.store.schema_put(&second).await.unwrap();
    second.type_name = first.type_name;
    assert_eq!(find("us-east-1", "AWS::EC2::VPC").await.unwrap(), Some(second));
}

async fn the_first_proof_of_a_key_is_kept(make: Make<'_>) {
    let world = World::new(make).await;
    assert_eq!(world.store.key_check().await.unwrap(), None);
    assert_eq!(world.store.key_check_put("one").await.unwrap(), "one");
    assert_eq!(world.store.key_check_put("two").await.unwrap(), "one");
    assert_eq!(world.store.key_check().await.unwrap().as_deref(), Some("one"));
}
