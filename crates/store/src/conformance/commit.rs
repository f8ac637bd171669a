//! Claims about steps: what they write together, and what ends with an operation.

use std::time::Duration;

use hangar_plan::operation::{AttemptOutcome, EntryState, Stage};
use hangar_plan::record::{Epoch, ReferenceName, Version};
use hangar_plan::{WaitCode, WaitReason};

use super::Make;
use super::fixture::{LEASE, World, end, id, machine_of, repeatable, save, step};
use crate::{CommitError, Committed, Lease, ReferenceChange, ReserveError};

pub(super) async fn claims(make: Make<'_>) {
    a_step_is_kept_whole(make).await;
    what_was_told_once_stays(make).await;
    a_lease_is_kept_or_let_go(make).await;
    a_reference_is_changed_only_as_it_was_seen(make).await;
    a_resource_is_mapped_by_one_reference(make).await;
    a_reference_that_moves_frees_what_it_mapped(make).await;
    a_reference_that_is_removed_is_gone(make).await;
    a_refused_step_leaves_nothing(make).await;
    the_end_drops_the_envelope_and_frees_the_resources(make).await;
    a_parked_operation_goes_on_without_its_envelope(make).await;
    an_attempt_is_found_by_its_request_token(make).await;
    what_is_said_again_at_once_is_kept_once(make).await;
}

async fn a_step_is_kept_whole(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.reservation(1, "web")).await.unwrap();
    let claim = world.claim_one().await;
    world.clock.advance(Duration::from_secs(1));
    let mut first = step(claim.record, ReferenceChange::Keep);
    first.lease = Lease::Keep;
    first.message = Some("sent".to_owned());
    machine_of(&mut first.record).operation.stage = Stage::Poll;
    machine_of(&mut first.record).operation.identifier = Some("vpc-1".to_owned());
    let reason = WaitReason::new(WaitCode::AwsThrottled, "a zero byte: \0");
    let waiting = reason.since(world.now(), Some(world.now().after(LEASE)), 2);
    machine_of(&mut first.record).operation.waiting = Some(waiting.clone());
    machine_of(&mut first.record).operation.attempts[0].sent_at = Some(world.now());
    machine_of(&mut first.record).operation.attempts[0].unanswered = 1;
    first.record.warnings.push("another".to_owned());
    first.record.updated_at = world.now();
    first.record.due_at = Some(world.now().after(LEASE));
    let committed = world.commit(first.clone()).await.unwrap();
    let expected = Committed {
        version: Version(2),
        reference_version: None,
        cancel_requested: false,
        hastened: false,
    };
    assert_eq!(committed, expected);

    let mut record = first.record;
    record.version = Version(2);
    assert_eq!(world.operation(1).await, Some(record.clone()));
    world.commit(step(record, ReferenceChange::Keep)).await.unwrap();
    let messages = world.messages(1).await;
    assert_eq!(messages, [(1, "accepted".to_owned()), (2, "sent".to_owned())]);
    let events = world.store.event_list(id(1), 1, 10).await.unwrap();
    assert_eq!(events[0].at, world.now());
    assert_eq!(events[0].operation, id(1));
    assert_eq!(events[0].waiting, Some(waiting));
    let accepted = world.store.event_list(id(1), 0, 1).await.unwrap();
    assert_eq!(accepted[0].waiting, None);
}

async fn what_was_told_once_stays(make: Make<'_>) {
    let world = World::new(make).await;
    let mut reservation = world.reservation(1, "web");
    reservation.record.repeatability = Some(repeatable("r"));
    world.reserve(reservation.clone()).await.unwrap();
    let mut changed = step(world.claim_one().await.record, ReferenceChange::Keep);
    machine_of(&mut changed.record).subject.reference = None;
    changed.record.repeatability = None;
    changed.record.correlation_id = None;
    changed.record.created_at = world.now().after(LEASE);
    world.commit(changed).await.unwrap();
    let (found, told) = (world.operation(1).await.unwrap(), reservation.record);
    assert_eq!(found.resource().unwrap().subject, told.resource().unwrap().subject);
    assert_eq!(found.repeatability, told.repeatability);
    assert_eq!(found.correlation_id, told.correlation_id);
    assert_eq!(found.created_at, told.created_at);
}

async fn a_lease_is_kept_or_let_go(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.untracked(1, &[])).await.unwrap();
    let mut keep = step(world.claim_one().await.record, ReferenceChange::Keep);
    keep.lease = Lease::Keep;
    world.commit(keep.clone()).await.unwrap();
    assert!(world.claim(10).await.is_empty());

    let mut release = keep;
    release.lease = Lease::Release;
    release.record.version = Version(2);
    release.record.due_at = Some(world.now().after(Duration::from_secs(1)));
    world.commit(release).await.unwrap();
    assert!(world.claim(10).await.is_empty(), "not due");
    world.clock.advance(Duration::from_secs(1));
    let claim = world.claim_one().await;
    assert_eq!((claim.record.epoch, claim.record.version), (Epoch(2), Version(3)));
}

async fn a_reference_is_changed_only_as_it_was_seen(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.reservation(1, "web")).await.unwrap();
    let claim = world.claim_one().await;
    let reference = claim.reference.unwrap();
    for seen in [None, Some(Version(2))] {
        let refused = world.commit(step(claim.record.clone(), save(reference.clone(), seen))).await;
        assert_eq!(refused, Err(CommitError::Stale), "{seen:?}");
    }
    let stale = ReferenceChange::Remove { name: reference.name.clone(), seen: Version(2) };
    assert_eq!(world.commit(step(claim.record.clone(), stale)).await, Err(CommitError::Stale));
    let other = world.reference("other");
    let absent = ReferenceChange::Remove { name: other.name.clone(), seen: Version(1) };
    assert_eq!(world.commit(step(claim.record.clone(), absent)).await, Err(CommitError::Stale));

    let mut good = step(claim.record, save(reference, Some(Version(1))));
    good.lease = Lease::Keep;
    let committed = world.commit(good.clone()).await.unwrap();
    assert_eq!(committed.reference_version, Some(Version(2)));
    // One that was not there is made.
    good.record.version = committed.version;
    good.reference = save(other, None);
    let committed = world.commit(good).await.unwrap();
    assert_eq!(committed.reference_version, Some(Version(1)));
    assert_eq!(world.find("other").await.unwrap().version, Version(1));
}

async fn a_resource_is_mapped_by_one_reference(make: Make<'_>) {
    let world = World::new(make).await;
    let holder = world.settled(1, "web", "vpc-1").await;
    world.reserve(world.reservation(2, "other")).await.unwrap();
    let claim = world.claim_one().await;
    let mut reference = claim.reference.unwrap();
    reference.entry.identifier = Some("vpc-1".to_owned());
    let refused =
        world.commit(step(claim.record.clone(), save(reference.clone(), Some(Version(1)))));
    assert_eq!(refused.await, Err(CommitError::Mapped(holder.name.id())));

    // In another region the same identifier is another resource.
    reference.scope.region = hangar_ids::Region::parse("eu-west-1").unwrap();
    world.commit(step(claim.record, save(reference, Some(Version(1))))).await.unwrap();
}

async fn a_reference_that_moves_frees_what_it_mapped(make: Make<'_>) {
    let world = World::new(make).await;
    let reference = world.settled(1, "web", "vpc-1").await;
    let subject = world.operation(1).await.unwrap().resource().unwrap().subject.clone();
    let mut replace = world.reservation(2, "web");
    let write = replace.reference.as_mut().unwrap();
    write.seen = Some(reference.version);
    write.reference.entry.identifier = Some("vpc-2".to_owned());
    world.reserve(replace).await.unwrap();
    world.claim_one().await;

    let (old, new) = (subject.resource_key("vpc-1"), subject.resource_key("vpc-2"));
    assert_eq!(world.store.reference_find_by_resource(&old).await.unwrap(), None);
    assert!(world.store.reference_find_by_resource(&new).await.unwrap().is_some());
    world.settled(3, "other", "vpc-1").await;
}

async fn a_reference_that_is_removed_is_gone(make: Make<'_>) {
    let world = World::new(make).await;
    let reference = world.settled(1, "web", "vpc-1").await;
    let key =
        world.operation(1).await.unwrap().resource().unwrap().subject.clone().resource_key("vpc-1");
    let mut reservation = world.reservation(2, "web");
    reservation.reference.as_mut().unwrap().seen = Some(reference.version);
    world.reserve(reservation).await.unwrap();
    let claim = world.claim_one().await;
    let seen = claim.reference.unwrap().version;
    // Its name in any case.
    let name = ReferenceName { alias: "WEB".to_owned(), ..reference.name };
    let mut remove = step(claim.record, ReferenceChange::Remove { name, seen });
    end(&mut remove.record, world.now());
    let committed = world.commit(remove).await.unwrap();
    assert_eq!(committed.reference_version, None);
    assert_eq!(world.find("web").await, None);
    assert_eq!(world.store.reference_find_by_resource(&key).await.unwrap(), None);

    // Name and resource are free, and counting begins anew.
    assert_eq!(world.settled(3, "WEB", "vpc-1").await.version, Version(2));
    assert_eq!(world.find("web").await.unwrap().name.alias, "WEB");
}

async fn a_refused_step_leaves_nothing(make: Make<'_>) {
    let world = World::new(make).await;
    let mut reservation = world.reservation(1, "web");
    reservation.resource_keys = vec!["key".to_owned()];
    world.reserve(reservation).await.unwrap();
    let claim = world.claim_one().await;
    let mut refused = step(claim.record.clone(), save(world.reference("web"), Some(Version(7))));
    refused.message = Some("done".to_owned());
    machine_of(&mut refused.record).operation.attempts.push(world.attempt(1, 2));
    machine_of(&mut refused.record).operation.attempts[1].request_token =
        Some("request".to_owned());
    end(&mut refused.record, world.now());
    assert_eq!(world.commit(refused).await, Err(CommitError::Stale));

    assert_eq!(world.operation(1).await, Some(claim.record));
    assert_eq!(world.find("web").await, claim.reference);
    assert_eq!(world.messages(1).await.len(), 1);
    assert_eq!(world.store.operation_find_by_request("request").await.unwrap(), None);
    let held = world.reserve(world.untracked(2, &["key"])).await;
    assert_eq!(held, Err(ReserveError::Busy(id(1))));
    assert!(world.claim(10).await.is_empty(), "still leased");
    world.clock.advance(LEASE);
    assert!(world.claim_one().await.envelope.is_some());
}

async fn the_end_drops_the_envelope_and_frees_the_resources(make: Make<'_>) {
    let world = World::new(make).await;
    let mut reservation = world.reservation(1, "web");
    reservation.resource_keys = vec!["a".to_owned(), "b".to_owned()];
    world.reserve(reservation).await.unwrap();
    world.reserve(world.untracked(2, &["c"])).await.unwrap();
    let mut commit = step(world.claim(1).await.remove(0).record, ReferenceChange::Keep);
    end(&mut commit.record, world.now());
    // It is due once more, to be seen without its envelope.
    commit.record.due_at = Some(world.now());
    commit.lease = Lease::Release;
    world.commit(commit).await.unwrap();
    let claims = world.claim(10).await;
    let ended = claims.iter().find(|it| it.record.id() == id(1)).unwrap();
    assert_eq!(ended.envelope, None);
    assert_eq!(ended.record.ended_at, Some(world.now()));

    world.reserve(world.untracked(3, &["a", "b"])).await.unwrap();
    let held = world.reserve(world.untracked(4, &["c"])).await;
    assert_eq!(held, Err(ReserveError::Busy(id(2))), "another's are not freed");
}

async fn a_parked_operation_goes_on_without_its_envelope(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.reservation(1, "web")).await.unwrap();
    let claim = world.claim_one().await;
    let mut reference = claim.reference.unwrap();
    reference.entry.state = EntryState::Unknown;
    reference.entry.operation = None;
    let mut park = step(claim.record, save(reference, Some(Version(1))));
    end(&mut park.record, world.now());
    machine_of(&mut park.record).operation.stage = Stage::Parked;
    park.record.due_at = Some(world.now().after(LEASE));
    world.commit(park).await.unwrap();
    world.clock.advance(LEASE);

    let claim = world.claim_one().await;
    assert_eq!(claim.envelope, None);
    assert_eq!(claim.record.resource().unwrap().operation.stage, Stage::Parked);
    let mut done = step(claim.record, ReferenceChange::Keep);
    machine_of(&mut done.record).operation.stage = Stage::Done;
    done.record.due_at = None;
    assert_eq!(world.commit(done).await.unwrap().version, Version(3));
}

async fn an_attempt_is_found_by_its_request_token(make: Make<'_>) {
    let world = World::new(make).await;
    let mut reservation = world.reservation(1, "web");
    machine_of(&mut reservation.record).operation.attempts[0].request_token =
        Some("first".to_owned());
    world.reserve(reservation).await.unwrap();
    let find = |token: &'static str| {
        let store = world.store.clone();
        async move { store.operation_find_by_request(token).await.unwrap() }
    };
    assert_eq!(find("first").await, Some(id(1)));
    assert_eq!(find("second").await, None);

    let mut commit = step(world.claim_one().await.record, ReferenceChange::Keep);
    machine_of(&mut commit.record).operation.attempts[0].outcome = AttemptOutcome::Failed;
    machine_of(&mut commit.record).operation.attempts.push(world.attempt(1, 2));
    machine_of(&mut commit.record).operation.attempts[1].request_token = Some("second".to_owned());
    end(&mut commit.record, world.now());
    world.commit(commit).await.unwrap();
    assert_eq!(find("second").await, Some(id(1)));

    // A later operation that learns the token of an earlier one's attempt tells it of that one.
    let mut later = world.untracked(2, &[]);
    let mut inherited = world.attempt(1, 2);
    inherited.request_token = Some("third".to_owned());
    let mut unknown = world.attempt(77, 1);
    unknown.request_token = Some("fourth".to_owned());
    machine_of(&mut later.record).operation.attempts.insert(0, inherited);
    machine_of(&mut later.record).operation.attempts.insert(1, unknown);
    world.reserve(later).await.unwrap();
    assert_eq!(find("third").await, Some(id(1)));
    assert_eq!(find("fourth").await, None, "nothing is kept for an operation that is gone");
}

async fn what_is_said_again_at_once_is_kept_once(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.untracked(1, &[])).await.unwrap();
    let mut commit = step(world.claim_one().await.record, ReferenceChange::Keep);
    commit.lease = Lease::Keep;
    // The reservation said "accepted".
    for message in ["accepted", "waiting", "waiting", "Waiting", "waiting", "waiting"] {
        commit.message = Some(message.to_owned());
        // The step itself is kept all the same.
        let version = commit.record.version.next();
        commit.record.version = world.commit(commit.clone()).await.unwrap().version;
        assert_eq!(commit.record.version, version);
        world.clock.advance(Duration::from_secs(1));
    }
    let told = ["accepted", "waiting", "Waiting", "waiting"].map(str::to_owned);
    let expected: Vec<(u64, String)> = (1..).zip(told).collect();
    assert_eq!(world.messages(1).await, expected);
}
