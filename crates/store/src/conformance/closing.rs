//! Claims about groups that are deleted: who closes one, who is let in, and what becomes of it.

use std::time::Duration;

use hangar_plan::group::{GroupTask, Tally};
use hangar_plan::operation::{Ending, Failure, FailureKind};
use hangar_plan::record::{Group, GroupState, OperationRecord, Version, Work};

use super::Make;
use super::fixture::{LEASE, World, end, group_name, id, reference_name, step};
use crate::{
    CancelAnswer, CommitError, Expect, GroupChange, GroupHold, Lease, ReferenceChange, Reservation,
    ReserveError,
};

pub(super) async fn claims(make: Make<'_>) {
    a_group_is_closed_with_the_operation_that_deletes_it(make).await;
    a_closed_group_lets_in_what_its_deletion_begins_and_nothing_else(make).await;
    a_group_is_closed_only_as_it_was_seen(make).await;
    a_refused_reservation_closes_nothing(make).await;
    one_of_eight_at_once_closes_a_group(make).await;
    a_group_takes_writes_again(make).await;
    a_group_that_was_opened_lets_in_nothing_of_its_deletion(make).await;
    a_group_is_removed_when_it_is_empty(make).await;
    what_the_step_itself_removes_is_not_in_the_group(make).await;
    no_other_opens_or_removes_a_closed_group(make).await;
    a_group_whose_deletion_is_over_is_closed_again(make).await;
    an_operation_on_a_group_is_kept_whole(make).await;
    an_operation_on_a_group_goes_when_it_is_old(make).await;
}

/// What an operation on an alias asks for that is a part of the deletion of its group.
fn part(world: &World, bits: u128, alias: &str, parent: u128) -> Reservation {
    let mut reservation = world.reservation(bits, alias);
    reservation.record.parent = Some(id(parent));
    reservation.group = Some(GroupHold::Within(group_name("prod")));
    reservation
}

/// Claims the operation of that name; all that is due is leased.
async fn claim(world: &World, bits: u128) -> OperationRecord {
    let claims = world.claim(10).await;
    claims.into_iter().find(|it| it.record.id() == id(bits)).unwrap().record
}

/// The last step of an operation, and what becomes of the group.
async fn finish(
    world: &World,
    mut record: OperationRecord,
    group: GroupChange,
) -> Result<(), CommitError> {
    end(&mut record, world.now());
    let commit = crate::Commit { group, ..step(record, ReferenceChange::Keep) };
    world.commit(commit).await.map(drop)
}

async fn a_group_is_closed_with_the_operation_that_deletes_it(make: Make<'_>) {
    let world = World::new(make).await;
    let before = world.find_group("prod").await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    // Its name in any case.
    world.reserve(world.closing(1, "PROD", None)).await.unwrap();
    let closed = Group {
        state: GroupState::Deleting,
        operation: Some(id(1)),
        version: Version(2),
        ..before
    };
    assert_eq!(world.find_group("prod").await, Some(closed.clone()));
    assert_eq!(world.store.group_list("local", None, 10).await.unwrap(), [closed]);

    let claim = world.claim_one().await;
    assert_eq!(claim.record.id(), id(1));
    assert!(claim.reference.is_none() && claim.envelope.is_none());
}

async fn a_closed_group_lets_in_what_its_deletion_begins_and_nothing_else(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.closing(1, "prod", None)).await.unwrap();
    let deleting = Err(ReserveError::GroupDeleting(Some(id(1))));
    assert_eq!(world.reserve(world.reservation(2, "web")).await, deleting);
    assert_eq!(world.reserve(part(&world, 2, "web", 3)).await, deleting);
    assert_eq!(world.reserve(world.closing(2, "prod", None)).await, deleting);
    let first = Some(Version(1));
    assert_eq!(world.reserve(world.closing(2, "prod", first)).await, deleting);

    // Nor one of its own that wants a group which takes writes.
    let mut open = part(&world, 2, "web", 1);
    open.group = Some(GroupHold::Open(group_name("prod")));
    assert_eq!(world.reserve(open).await, deleting);

    world.reserve(part(&world, 2, "web", 1)).await.unwrap();
    assert_eq!(world.operation(2).await.unwrap().parent, Some(id(1)));
    // Another group is open.
    world.store.group_put(&world.group("dev"), Expect::Any).await.unwrap();
    let mut elsewhere = world.reservation(3, "web");
    elsewhere.group = Some(GroupHold::Open(group_name("dev")));
    let name = reference_name("dev", "AWS::EC2::VPC", "web");
    elsewhere.reference.as_mut().unwrap().reference.name = name;
    world.reserve(elsewhere).await.unwrap();
}

async fn a_group_is_closed_only_as_it_was_seen(make: Make<'_>) {
    let world = World::new(make).await;
    let close = |seen| world.reserve(world.closing(1, "prod", seen));
    assert_eq!(close(Some(Version(2))).await, Err(ReserveError::Stale));
    let nowhere = world.closing(1, "nowhere", None);
    assert_eq!(world.reserve(nowhere).await, Err(ReserveError::NoGroup));
    assert_eq!(world.find_group("prod").await.unwrap().state, GroupState::Ready);
    close(Some(Version(1))).await.unwrap();
}

async fn a_refused_reservation_closes_nothing(make: Make<'_>) {
    let world = World::new(make).await;
    let before = world.find_group("prod").await;
    world.reserve(world.untracked(1, &["held"])).await.unwrap();
    let mut refused = world.closing(2, "prod", None);
    refused.resource_keys = vec!["held".to_owned()];
    assert_eq!(world.reserve(refused).await, Err(ReserveError::Busy(id(1))));
    let repeated = world.closing(1, "prod", None);
    assert_eq!(world.reserve(repeated).await, Err(ReserveError::Repeated(id(1))));
    assert_eq!(world.find_group("prod").await, before);
    assert_eq!(world.operation(2).await, None);
}

async fn one_of_eight_at_once_closes_a_group(make: Make<'_>) {
    let world = World::new(make).await;
    let tries: Vec<_> = (1..=8)
        .map(|bits| {
            let (store, reservation) = (world.store.clone(), world.closing(bits, "prod", None));
            tokio::spawn(async move { store.operation_reserve(reservation).await })
        })
        .collect();
    let mut answers = Vec::new();
    for attempt in tries {
        answers.push(attempt.await.unwrap());
    }
    let closer = world.find_group("prod").await.unwrap().operation;
    let winner = 1 + answers.iter().position(Result::is_ok).unwrap() as u128;
    assert_eq!(closer, Some(id(winner)));
    let beaten = answers.iter().filter(|it| **it == Err(ReserveError::GroupDeleting(closer)));
    assert_eq!(beaten.count(), 7, "{answers:?}");
    assert_eq!(world.store.counts().await.unwrap().running, 1);
}

async fn a_group_takes_writes_again(make: Make<'_>) {
    let world = World::new(make).await;
    let before = world.find_group("prod").await.unwrap();
    world.reserve(world.closing(1, "prod", None)).await.unwrap();
    let record = claim(&world, 1).await;
    finish(&world, record, GroupChange::Reopen).await.unwrap();
    let open = Group { version: Version(3), ..before };
    assert_eq!(world.find_group("prod").await, Some(open));

    let put = world.store.group_put(&world.group("prod"), Expect::Version(Version(3))).await;
    assert_eq!(put.unwrap().version, Version(4));
    world.reserve(world.reservation(2, "web")).await.unwrap();
    world.reserve(world.closing(3, "prod", Some(Version(4)))).await.unwrap();
}

async fn a_group_that_was_opened_lets_in_nothing_of_its_deletion(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.closing(1, "prod", None)).await.unwrap();
    let record = claim(&world, 1).await;
    finish(&world, record, GroupChange::Reopen).await.unwrap();
    let late = || world.reserve(part(&world, 2, "web", 1));
    assert_eq!(late().await, Err(ReserveError::GroupReopened));

    // Nor while another deletes it.
    world.reserve(world.closing(3, "prod", None)).await.unwrap();
    assert_eq!(late().await, Err(ReserveError::GroupDeleting(Some(id(3)))));
    let record = claim(&world, 3).await;
    finish(&world, record, GroupChange::Remove).await.unwrap();
    assert_eq!(late().await, Err(ReserveError::NoGroup));
    assert_eq!(world.operation(2).await, None);
}

async fn a_group_is_removed_when_it_is_empty(make: Make<'_>) {
    let world = World::new(make).await;
    // The neighbours in the order of keys are other groups' references.
    for (bits, group) in [(1, "a"), (2, "prod-2")] {
        world.store.group_put(&world.group(group), Expect::Any).await.unwrap();
        let mut reservation = world.reservation(bits, "web");
        let write = reservation.reference.as_mut().unwrap();
        write.reference.name = reference_name(group, "AWS::EC2::VPC", "web");
        world.reserve(reservation).await.unwrap();
    }
    world.claim(10).await;
    let held = world.settled(3, "web", "vpc-1").await;
    world.reserve(world.closing(4, "prod", None)).await.unwrap();
    let record = claim(&world, 4).await;
    let (closed, messages) = (world.find_group("prod").await, world.messages(4).await);
    let refused = finish(&world, record.clone(), GroupChange::Remove).await;
    assert_eq!(refused, Err(CommitError::NotEmpty(held.name.id())));
    assert_eq!(world.operation(4).await, Some(record.clone()), "a refused step leaves nothing");
    assert_eq!(world.find_group("prod").await, closed);
    assert_eq!(world.messages(4).await, messages);

    let mut delete = part(&world, 5, "web", 4);
    delete.reference.as_mut().unwrap().seen = Some(held.version);
    world.reserve(delete).await.unwrap();
    let part = world.claim_one().await;
    let (name, seen) = (held.name, part.reference.unwrap().version);
    world.commit(step(part.record, ReferenceChange::Remove { name, seen })).await.unwrap();
    finish(&world, record, GroupChange::Remove).await.unwrap();
    assert_eq!(world.find_group("prod").await, None);
    let refused = world.reserve(world.reservation(6, "web")).await;
    assert_eq!(refused, Err(ReserveError::NoGroup));
    for group in ["a", "prod-2"] {
        assert!(world.find_group(group).await.is_some(), "{group}");
    }

    // The name is free, and counting begins anew.
    let again = world.store.group_put(&world.group("Prod"), Expect::Absent).await.unwrap();
    assert_eq!((again.version, again.name.group.as_str()), (Version(1), "Prod"));
}

async fn what_the_step_itself_removes_is_not_in_the_group(make: Make<'_>) {
    let world = World::new(make).await;
    let mut last = world.reservation(1, "web");
    last.group = Some(GroupHold::Close(group_name("prod"), None));
    world.reserve(last).await.unwrap();
    let claim = world.claim_one().await;
    let name = claim.reference.unwrap().name;
    let remove = ReferenceChange::Remove { name, seen: Version(1) };
    let commit = crate::Commit { group: GroupChange::Remove, ..step(claim.record, remove) };
    world.commit(commit).await.unwrap();
    assert_eq!((world.find("web").await, world.find_group("prod").await), (None, None));
}

async fn no_other_opens_or_removes_a_closed_group(make: Make<'_>) {
    let world = World::new(make).await;
    let drift = world.group_record(1, "prod", GroupTask::Drift { repair: false, prune: true });
    world.reserve(Reservation { record: drift, ..world.untracked(1, &[]) }).await.unwrap();
    let mut other = claim(&world, 1).await;
    let open = world.find_group("prod").await;
    let mut try_all = async |world: &World, expected: &Option<Group>| {
        for group in [GroupChange::Reopen, GroupChange::Remove, GroupChange::Keep] {
            let lease = Lease::Keep;
            let step = step(other.clone(), ReferenceChange::Keep);
            let committed = world.commit(crate::Commit { group, lease, ..step }).await;
            other.version = committed.unwrap().version;
            assert_eq!(&world.find_group("prod").await, expected, "{group:?}");
        }
    };
    try_all(&world, &open).await;
    world.reserve(world.closing(2, "prod", None)).await.unwrap();
    let closed = world.find_group("prod").await;
    try_all(&world, &closed).await;
}

async fn a_group_whose_deletion_is_over_is_closed_again(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.closing(1, "prod", None)).await.unwrap();
    let record = claim(&world, 1).await;
    finish(&world, record, GroupChange::Keep).await.unwrap();
    let refused = world.reserve(world.reservation(2, "web")).await;
    assert_eq!(refused, Err(ReserveError::GroupDeleting(Some(id(1)))), "nobody opened it");
    let stale = world.reserve(world.closing(2, "prod", Some(Version(1)))).await;
    assert_eq!(stale, Err(ReserveError::Stale));
    world.reserve(world.closing(2, "prod", Some(Version(2)))).await.unwrap();
    assert_eq!(world.find_group("prod").await.unwrap().operation, Some(id(2)));

    // Nor does one hold it that was removed since.
    let record = claim(&world, 2).await;
    finish(&world, record, GroupChange::Keep).await.unwrap();
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(world.store.operation_prune(world.now()).await.unwrap(), 2);
    world.reserve(world.closing(3, "prod", None)).await.unwrap();
    let record = claim(&world, 3).await;
    finish(&world, record, GroupChange::Remove).await.unwrap();
    assert_eq!(world.find_group("prod").await, None);
}

async fn an_operation_on_a_group_is_kept_whole(make: Make<'_>) {
    let world = World::new(make).await;
    let mut reservation = world.closing(1, "prod", None);
    reservation.record.correlation_id = Some("correlation".to_owned());
    world.reserve(reservation.clone()).await.unwrap();
    let mut expected = reservation.record;
    expected.version = Version(1);
    assert_eq!(world.operation(1).await, Some(expected.clone()));
    assert_eq!((expected.kind(), expected.group()), ("delete-group", Some(&group_name("prod"))));

    let mut commit = step(world.claim_one().await.record, ReferenceChange::Keep);
    if let Work::Group(work) = &mut commit.record.work {
        work.round = 3;
        work.tally = Tally { done: 7, refused: 2, ..Tally::default() };
    }
    commit.message = Some("7 of 9".to_owned());
    commit.record.due_at = Some(world.now().after(LEASE));
    world.commit(commit.clone()).await.unwrap();
    expected = commit.record;
    expected.version = Version(2);
    assert_eq!(world.operation(1).await, Some(expected));
    assert_eq!(world.messages(1).await.len(), 2);

    let noted = world.store.operation_cancel(id(1)).await.unwrap();
    let CancelAnswer::Noted(noted) = noted else { panic!("{noted:?}") };
    assert!(noted.is_stop_wanted());
    let claim = world.claim_one().await;
    assert!(claim.record.is_stop_wanted(), "a stop makes it due");
    assert!(matches!(claim.record.work, Work::Group(work) if work.tally.done == 7));
    let counts = world.store.counts().await.unwrap();
    assert_eq!((counts.running, counts.leased), (1, 1));
}

async fn an_operation_on_a_group_goes_when_it_is_old(make: Make<'_>) {
    let world = World::new(make).await;
    for bits in [1, 2] {
        let record = world.group_record(bits, "prod", GroupTask::Delete);
        world.reserve(Reservation { record, ..world.untracked(bits, &[]) }).await.unwrap();
    }
    let mut record = claim(&world, 1).await;
    record.ended_at = Some(world.now());
    record.due_at = None;
    let failure = Failure {
        kind: FailureKind::Unknown,
        code: "AliasUnknown".to_owned(),
        message: String::new(),
        findings: Vec::new(),
    };
    // What is not known is told by the operation that made it, and that stays.
    if let Work::Group(work) = &mut record.work {
        work.ending = Some(Ending::Failed(failure));
    }
    world.commit(step(record, ReferenceChange::Keep)).await.unwrap();
    assert_eq!(world.store.operation_prune(world.now().after(LEASE)).await.unwrap(), 1);
    assert_eq!(world.operation(1).await, None);
    assert!(world.operation(2).await.is_some());
}
