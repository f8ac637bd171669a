//! Several stores on one database: what one takes no other has, and what one does the others hear of.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use hangar_plan::budget::{BudgetAsk, Rate};
use hangar_plan::operation::OperationId;
use hangar_store::postgres::Postgres;
use hangar_store::{Expect, Notice, Reader as _, Reservation, ReserveError, Store as _, WorkerId};

use super::{connect, database};
use crate::sample;

async fn pair(test: &str) -> Option<[Arc<Postgres>; 2]> {
    let (_, url) = database(test)?;
    Some([Arc::new(connect(&url).await), Arc::new(connect(&url).await)])
}

/// Takes an alias for an operation.
fn reservation(now: hangar_plan::Timestamp, alias: &str, id: OperationId) -> Reservation {
    let mut reservation = sample::reservation(now, b"sealed".to_vec());
    reservation.resource_keys.clear();
    let work = sample::machine_of(&mut reservation.record);
    work.operation.id = id;
    work.operation.attempts.clear();
    let write = reservation.reference.as_mut().unwrap();
    alias.clone_into(&mut write.reference.name.alias);
    write.reference.entry.operation = Some(id);
    sample::machine_of(&mut reservation.record).subject.reference =
        Some(reservation.reference.as_ref().unwrap().reference.name.clone());
    reservation
}

#[tokio::test(flavor = "multi_thread")]
async fn of_eight_who_want_an_alias_at_once_one_gets_it() {
    let Some(stores) = pair("replicas::of_eight_who_want_an_alias").await else { return };
    let now = stores[0].now().await.unwrap();
    stores[0].group_put(&sample::group(now), Expect::Absent).await.unwrap();
    for round in 0..200_u128 {
        let tasks: Vec<_> = (0..8_u128)
            .map(|number| {
                let store = Arc::clone(&stores[usize::try_from(number % 2).unwrap()]);
                let id = OperationId::from_u128(round * 8 + number + 1);
                let reservation = reservation(now, &format!("alias-{round}"), id);
                tokio::spawn(async move { (id, store.operation_reserve(reservation).await) })
            })
            .collect();
        let (mut winners, mut busy) = (Vec::new(), HashSet::new());
        for task in tasks {
            match task.await.unwrap() {
                (id, Ok(())) => winners.push(id),
                (_, Err(ReserveError::Busy(holder))) => drop(busy.insert(holder)),
                (_, Err(other)) => panic!("round {round}: {other}"),
            }
        }
        assert_eq!(winners.len(), 1, "round {round}");
        assert_eq!(busy, HashSet::from([winners[0]]), "round {round}");
    }
    assert_eq!(stores[1].counts().await.unwrap().running, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_eight_requests_of_one_name_or_for_one_resource_one_is_accepted() {
    let Some(stores) = pair("replicas::of_eight_requests_of_one_name").await else { return };
    let now = stores[0].now().await.unwrap();
    for round in 0..50_u128 {
        let tasks: Vec<_> = (0..8_u128)
            .map(|number| {
                let store = Arc::clone(&stores[usize::try_from(number % 2).unwrap()]);
                let id = OperationId::from_u128(round * 8 + number + 1);
                let mut reservation = sample::untracked(id, now);
                if round % 2 == 0 {
                    let request_id = format!("request-{round}");
                    reservation.record.repeatability = Some(hangar_plan::record::Repeatability {
                        request_id,
                        body_hash: "hash".to_owned(),
                    });
                } else {
                    // Each in an order of its own.
                    let mut keys = vec![format!("b-{round}"), format!("a-{round}")];
                    keys.rotate_left(usize::try_from(number % 2).unwrap());
                    reservation.resource_keys = keys;
                }
                tokio::spawn(async move { (id, store.operation_reserve(reservation).await) })
            })
            .collect();
        let (mut winners, mut told) = (Vec::new(), HashSet::new());
        for task in tasks {
            match task.await.unwrap() {
                (id, Ok(())) => winners.push(id),
                (_, Err(ReserveError::Repeated(id) | ReserveError::Busy(id))) => {
                    told.insert(id);
                }
                (_, Err(other)) => panic!("round {round}: {other}"),
            }
        }
        assert_eq!(winners.len(), 1, "round {round}");
        assert_eq!(told, HashSet::from([winners[0]]), "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_replica_leases_no_other_gets() {
    let Some(stores) = pair("replicas::what_one_replica_leases").await else { return };
    let now = stores[0].now().await.unwrap();
    for bits in 1..=300 {
        let reservation = sample::untracked(OperationId::from_u128(bits), now);
        stores[0].operation_reserve(reservation).await.unwrap();
    }
    let workers: Vec<_> = (0..8)
        .map(|number| {
            let store = Arc::clone(&stores[number % 2]);
            tokio::spawn(async move {
                let mut leased = Vec::new();
                loop {
                    let worker = WorkerId(format!("worker-{number}"));
                    let claims =
                        store.operation_claim(worker, Duration::from_hours(1), 7).await.unwrap();
                    if claims.is_empty() {
                        return leased;
                    }
                    leased.extend(claims.iter().map(|claim| claim.record.id().as_u128()));
                }
            })
        })
        .collect();
    let mut leased = Vec::new();
    for worker in workers {
        leased.extend(worker.await.unwrap());
    }
    leased.sort_unstable();
    // What another was just leasing may have been passed over by all: it is there for the next.
    let worker = WorkerId("last".to_owned());
    let rest = stores[0].operation_claim(worker, Duration::from_hours(1), 300).await.unwrap();
    leased.extend(rest.iter().map(|claim| claim.record.id().as_u128()));
    leased.sort_unstable();
    assert_eq!(leased, (1..=300).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_share_one_budget() {
    let Some(stores) = pair("replicas::replicas_share_one_budget").await else { return };
    let ask = BudgetAsk { rate: Rate::per_second(50).unwrap(), calls: 1, drift: 0 };
    let started = std::time::Instant::now();
    let takers: Vec<_> = (0..8)
        .map(|number| {
            let store = Arc::clone(&stores[number % 2]);
            tokio::spawn(async move {
                let mut granted = 0;
                for _ in 0..40 {
                    granted += store.budget_take("place", ask).await.unwrap().calls;
                }
                granted
            })
        })
        .collect();
    let mut granted = 0;
    for taker in takers {
        granted += taker.await.unwrap();
    }
    // One bucketful, and what time has brought.
    let most = 10.0 + started.elapsed().as_secs_f64() * 50.0;
    assert!(granted >= 10 && f64::from(granted) <= most, "{granted} of {most}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_replica_does_the_others_hear_of_once() {
    let Some([one, two]) = pair("replicas::what_one_replica_does").await else { return };
    let (mut here, mut there) = (one.notices(), two.notices());
    let now = one.now().await.unwrap();
    // The other may not be listening yet: it hears of one of them.
    let mut ids = HashSet::new();
    let heard = loop {
        let id = OperationId::from_u128(ids.len() as u128 + 1);
        ids.insert(id);
        one.operation_reserve(sample::untracked(id, now)).await.unwrap();
        let heard = async {
            loop {
                if let Ok(Notice::Moved(id)) = there.recv().await {
                    return id;
                }
            }
        };
        if let Ok(heard) = tokio::time::timeout(Duration::from_millis(500), heard).await {
            break heard;
        }
        assert!(ids.len() < 40, "nothing was heard");
    };
    assert!(ids.contains(&heard));
    // What comes back to the one who told it is not told again.
    let last = OperationId::from_u128(1000);
    two.operation_reserve(sample::untracked(last, now)).await.unwrap();
    let mut own = Vec::new();
    let until = async {
        loop {
            match here.recv().await {
                Ok(Notice::Moved(id)) if id == last => return,
                Ok(Notice::Moved(id)) => own.push(id),
                _ => {}
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(10), until).await.unwrap();
    let distinct: HashSet<OperationId> = own.iter().copied().collect();
    assert_eq!((own.len(), distinct), (ids.len(), ids));
}
