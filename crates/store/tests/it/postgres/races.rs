//! Pairs of writes that meet: the outcome is one that they could have had one after the other.

use std::sync::Arc;
use std::time::Duration;

use hangar_plan::group::{GroupTask, GroupWork};
use hangar_plan::operation::OperationId;
use hangar_plan::record::{
    CredentialName, GroupName, OperationRecord, Plane, PlaneKind, PlaneName, Reference, Work,
};
use hangar_store::postgres::Postgres;
use hangar_store::{
    Claim, Commit, CommitError, CredentialError, DeploymentChange, Expect, GroupChange, GroupHold,
    Lease, PlaneError, Reader as _, RecipeChange, ReferenceChange, ReferenceError, ReferenceFilter,
    ReferenceWrite, Reservation, ReserveError, Store as _, WorkerId,
};

use super::{connect, database};
use crate::sample;

const ROUNDS: u128 = 60;

async fn pair(test: &str) -> Option<[Arc<Postgres>; 2]> {
    let (_, url) = database(test)?;
    Some([Arc::new(connect(&url).await), Arc::new(connect(&url).await)])
}

fn group_name(name: &str) -> GroupName {
    GroupName { plane: "local".to_owned(), group: name.to_owned() }
}

/// Takes an alias in a group.
fn reservation(now: hangar_plan::Timestamp, group: &str, alias: &str, bits: u128) -> Reservation {
    let id = OperationId::from_u128(bits);
    let mut reservation = sample::reservation(now, b"sealed".to_vec());
    reservation.resource_keys.clear();
    reservation.group = Some(GroupHold::Open(group_name(group)));
    let write = reservation.reference.as_mut().unwrap();
    write.reference.name.group = group_name(group);
    alias.clone_into(&mut write.reference.name.alias);
    write.reference.entry.operation = Some(id);
    let name = write.reference.name.clone();
    let work = sample::machine_of(&mut reservation.record);
    work.operation.id = id;
    work.operation.attempts.clear();
    work.subject.reference = Some(name);
    reservation
}

/// Deletes a group.
fn closing(now: hangar_plan::Timestamp, group: &str, bits: u128) -> Reservation {
    let id = OperationId::from_u128(bits);
    let work = GroupWork::new(id, group_name(group), GroupTask::Delete, now);
    Reservation {
        record: OperationRecord::new(Work::Group(Box::new(work)), now),
        group: Some(GroupHold::Close(group_name(group), None)),
        ..sample::untracked(id, now)
    }
}

async fn claim(store: &Postgres, bits: u128) -> Claim {
    let worker = WorkerId("worker".to_owned());
    let claims = store.operation_claim(worker, Duration::from_hours(1), 1000).await.unwrap();
    let is_it = |claim: &Claim| claim.record.id() == OperationId::from_u128(bits);
    claims.into_iter().find(is_it).unwrap()
}

fn step(record: OperationRecord, reference: ReferenceChange, group: GroupChange) -> Commit {
    let lease = Lease::Release;
    Commit {
        record,
        reference,
        deployment: DeploymentChange::Keep,
        recipe: RecipeChange::Keep,
        group,
        lease,
        message: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_goes_takes_nothing_with_it_that_came_in_meanwhile() {
    let Some([one, two]) = pair("races::a_group_that_goes").await else { return };
    let now = one.now().await.unwrap();
    let (mut removed, mut refused) = (0, 0);
    for round in 0..ROUNDS {
        let group = format!("group-{round}");
        let put = hangar_plan::record::Group { name: group_name(&group), ..sample::group(now) };
        one.group_put(&put, Expect::Absent).await.unwrap();
        let bits = (round + 1) * 100;
        let close = async {
            let (store, group) = (Arc::clone(&one), group.clone());
            let closing = tokio::spawn(async move {
                store.operation_reserve(closing(now, &group, bits)).await.unwrap();
                let claim = claim(&store, bits).await;
                let commit = step(claim.record, ReferenceChange::Keep, GroupChange::Remove);
                store.operation_commit(commit).await.map(drop)
            });
            closing.await.unwrap()
        };
        let come = async {
            let comers: Vec<_> = (1..=3)
                .map(|number| {
                    let (store, group) = (Arc::clone(&two), group.clone());
                    tokio::spawn(async move {
                        let alias = number.to_string();
                        let reservation = reservation(now, &group, &alias, bits + number);
                        store.operation_reserve(reservation).await
                    })
                })
                .collect();
            let mut came = 0;
            for comer in comers {
                match comer.await.unwrap() {
                    Ok(()) => came += 1,
                    Err(ReserveError::GroupDeleting(_) | ReserveError::NoGroup) => {}
                    Err(other) => panic!("{other}"),
                }
            }
            came
        };
        // Once in each order, so that it is seen what each leads to; then at once.
        let (closed, came) = match round {
            0 => (close.await, come.await),
            1 => {
                let came = come.await;
                (close.await, came)
            }
            _ => tokio::join!(close, come),
        };
        let filter = ReferenceFilter { group: Some(group_name(&group)), ..Default::default() };
        let held = one.reference_list(&filter, None, 10).await.unwrap().len();
        assert_eq!(held, came, "round {round}");
        match closed {
            Ok(()) => {
                removed += 1;
                assert_eq!(came, 0, "round {round}: a group went with what it held");
                assert!(one.group_find(&group_name(&group)).await.unwrap().is_none());
            }
            Err(CommitError::NotEmpty(_)) => {
                refused += 1;
                assert!(came > 0, "round {round}");
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(removed > 0 && refused > 0, "{removed} removed, {refused} refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plane_that_goes_takes_nothing_with_it_that_came_in_meanwhile() {
    let Some([one, two]) = pair("races::a_plane_that_goes").await else { return };
    let now = one.now().await.unwrap();
    for round in 0..ROUNDS {
        let name = PlaneName { kind: PlaneKind::Aws, name: format!("plane-{round}") };
        let builtin = PlaneName { kind: PlaneKind::Aws, name: "aws".to_owned() };
        let builtin = one.plane_find(&builtin).await.unwrap().unwrap();
        let plane = Plane { name: name.clone(), ..builtin };
        one.plane_put(&plane, Expect::Absent).await.unwrap();
        let mut credential = sample::credential(now, b"secrets".to_vec());
        credential.name = CredentialName { plane: name.name.clone(), name: "default".to_owned() };
        let bits = round + 1;
        let mut operation = sample::untracked(OperationId::from_u128(bits), now);
        sample::machine_of(&mut operation.record).subject.scope.plane.clone_from(&name.name);
        let (remove, put, reserve) = tokio::join!(
            one.plane_remove(&name, Expect::Any),
            two.credential_put(&credential, Expect::Any),
            two.operation_reserve(operation),
        );
        let is_there = one.plane_find(&name).await.unwrap().is_some();
        match remove {
            Ok(true) => {
                assert!(!is_there);
                assert!(matches!(put, Err(CredentialError::NoPlane(_))), "{round}: {put:?}");
                assert!(matches!(reserve, Err(ReserveError::NoPlane(_))), "{round}: {reserve:?}");
            }
            Err(PlaneError::NotEmpty(_) | PlaneError::Busy(_)) => {
                assert!(is_there && (put.is_ok() || reserve.is_ok()), "{round}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plane_is_not_removed_while_a_reference_in_it_gets_its_resource() {
    let Some((_, url)) = database("races::a_plane_is_not_removed") else { return };
    let one = connect(&url).await;
    let now = one.now().await.unwrap();
    one.group_put(&sample::group(now), Expect::Absent).await.unwrap();
    one.operation_reserve(reservation(now, "prod", "net", 1)).await.unwrap();
    let Claim { record, reference, .. } = claim(&one, 1).await;
    let mut reference = reference.unwrap();
    let seen = Some(reference.version);
    reference.entry.operation = None;
    let write = ReferenceChange::Save(Box::new(ReferenceWrite { reference, seen }));
    let mut end = step(record, write, GroupChange::Keep);
    sample::finish(&mut end.record);
    one.operation_commit(end).await.unwrap();
    // The reference gets a resource and loses it, again and again.
    let client = super::stranger(&url).await;
    let turning = tokio::spawn(async move {
        loop {
            for key in ["'aws/net'", "NULL"] {
                let turn = format!("UPDATE reference SET resource_key = {key}");
                client.batch_execute(&turn).await.unwrap();
            }
        }
    });
    let aws = PlaneName { kind: PlaneKind::Aws, name: "aws".to_owned() };
    for round in 0..500 {
        let removed = one.plane_remove(&aws, Expect::Any).await;
        assert!(matches!(removed, Err(PlaneError::NotEmpty(_))), "round {round}: {removed:?}");
    }
    turning.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_references_that_are_to_have_one_resource_one_gets_it() {
    let Some([one, two]) = pair("races::of_two_references").await else { return };
    let now = one.now().await.unwrap();
    one.group_put(&sample::group(now), Expect::Absent).await.unwrap();
    for round in 0..ROUNDS {
        let bits = (round + 1) * 10;
        let mut steps = Vec::new();
        for number in 0..2 {
            let alias = format!("alias-{round}-{number}");
            let reservation = reservation(now, "prod", &alias, bits + number);
            one.operation_reserve(reservation).await.unwrap();
            let claim = claim(&one, bits + number).await;
            let reference = claim.reference.unwrap();
            let seen = Some(reference.version);
            // One maps it, the other is going to delete it: no constraint of a table sees both.
            let mut changed: Reference = reference;
            let identifier = format!("vpc-{round}");
            if number == 0 {
                changed.entry.identifier = Some(identifier);
            } else {
                changed.entry.retiring = vec![identifier];
            }
            let write = Box::new(ReferenceWrite { reference: changed, seen });
            steps.push(step(claim.record, ReferenceChange::Save(write), GroupChange::Keep));
        }
        let (second, first) = (steps.pop().unwrap(), steps.pop().unwrap());
        let (first, second) =
            tokio::join!(one.operation_commit(first), two.operation_commit(second));
        let won = [&first, &second].into_iter().filter(|it| it.is_ok()).count();
        let lost = [&first, &second]
            .into_iter()
            .filter(|it| matches!(it, Err(CommitError::Mapped(_))))
            .count();
        assert_eq!((won, lost), (1, 1), "round {round}: {first:?} {second:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn renames_and_steps_that_meet_do_not_wait_in_circles_and_lose_nothing() {
    let Some(stores) = pair("races::renames_and_steps").await else { return };
    let now = stores[0].now().await.unwrap();
    stores[0].group_put(&sample::group(now), Expect::Absent).await.unwrap();
    // References that depend on each other in a circle.
    let aliases: Vec<String> = (0..6).map(|number| format!("r{number}")).collect();
    for (number, alias) in (1_u128..).zip(&aliases) {
        let mut taken = reservation(now, "prod", alias, number);
        let write = taken.reference.as_mut().unwrap();
        let mut next = write.reference.name.clone();
        next.alias.clone_from(&aliases[usize::try_from(number).unwrap() % aliases.len()]);
        write.reference.depends_on = vec![next.id()];
        stores[0].operation_reserve(taken).await.unwrap();
        let claim = claim(&stores[0], number).await;
        let mut reference = claim.reference.unwrap();
        let seen = Some(reference.version);
        reference.entry.operation = None;
        reference.entry.state = hangar_plan::operation::EntryState::Ready;
        let write = ReferenceChange::Save(Box::new(ReferenceWrite { reference, seen }));
        let mut end = step(claim.record, write, GroupChange::Keep);
        sample::finish(&mut end.record);
        stores[0].operation_commit(end).await.unwrap();
    }
    let tasks: Vec<_> = (0..6_usize)
        .map(|number| {
            let store = Arc::clone(&stores[number % 2]);
            tokio::spawn(async move {
                for round in 0..25_usize {
                    let all = ReferenceFilter::default();
                    let all = store.reference_list(&all, None, 10).await.unwrap();
                    let picked = &all[(number + round) % all.len()];
                    let alias = format!("r{number}x{round}");
                    let ended = if number % 3 == 0 {
                        let seen = Some(picked.version);
                        let write = ReferenceWrite { reference: picked.clone(), seen };
                        store.reference_save(write).await.map(drop)
                    } else {
                        store.reference_rename(&picked.name, &alias, picked.version).await.map(drop)
                    };
                    match ended {
                        Ok(()) | Err(ReferenceError::Stale | ReferenceError::Absent) => {}
                        Err(other) => panic!("{other}"),
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    // Each still depends on one that is there, by the name that it has now.
    let all = ReferenceFilter::default();
    let all = stores[0].reference_list(&all, None, 100).await.unwrap();
    assert_eq!(all.len(), 6);
    let mut ids: Vec<String> = all.iter().map(|it| it.name.id()).collect();
    let mut depended: Vec<String> = all.iter().flat_map(|it| it.depends_on.clone()).collect();
    ids.sort();
    depended.sort();
    assert_eq!(ids, depended);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_its_caller_gave_up_leaves_no_session_in_its_transaction() {
    let Some((_, url)) = database("races::a_write_that_its_caller_gave_up") else { return };
    let store = connect(&url).await;
    let now = store.now().await.unwrap();
    for bits in 1..=200_u128 {
        let reserve = store.operation_reserve(sample::untracked(OperationId::from_u128(bits), now));
        // At another place each time.
        let soon = Duration::from_micros(u64::try_from(bits).unwrap() * 10);
        let _ = tokio::time::timeout(soon, reserve).await;
    }
    let client = super::stranger(&url).await;
    let open = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
    let deadline = std::time::Instant::now() + Duration::from_secs(5);
    while client.query_one(open, &[]).await.unwrap().get::<_, i64>(0) > 0 {
        assert!(std::time::Instant::now() < deadline, "a session is left in its transaction");
    }
    // Each is there whole or not at all.
    let torn = "SELECT count(*) FROM operation WHERE NOT EXISTS
        (SELECT FROM event WHERE event.operation = operation.id)";
    assert_eq!(client.query_one(torn, &[]).await.unwrap().get::<_, i64>(0), 0);
    store.operation_reserve(sample::untracked(OperationId::from_u128(999), now)).await.unwrap();
}
