//! Claims about what a reservation takes and keeps.

use std::time::Duration;

use hangar_plan::operation::{EntryState, OperationId};
use hangar_plan::record::{
    Difference, Documents, Drift, DriftState, Epoch, FormValue, NormalForm, Version,
};
use serde_json::json;

use super::Make;
use super::fixture::{World, id, number, repeatable, save, step, success};
use crate::ReserveError;

pub(super) async fn claims(make: Make<'_>) {
    a_reservation_is_kept_whole(make).await;
    every_part_of_a_reference_comes_back(make).await;
    a_name_is_taken_in_any_case_and_keeps_its_first_spelling(make).await;
    one_of_eight_at_once_gets_an_alias(make).await;
    a_request_id_is_found_while_it_is_young(make).await;
}

async fn a_reservation_is_kept_whole(make: Make<'_>) {
    let world = World::new(make).await;
    let mut reservation = world.reservation(1, "web");
    reservation.record.repeatability = Some(repeatable("r"));
    reservation.record.version = Version(40);
    reservation.record.epoch = Epoch(40);
    world.reserve(reservation.clone()).await.unwrap();

    let mut expected = reservation.record;
    expected.version = Version(1);
    expected.epoch = Epoch(0);
    assert_eq!(world.operation(1).await, Some(expected));
    let mut reference = reservation.reference.unwrap().reference;
    reference.version = Version(1);
    assert_eq!(world.find("web").await, Some(reference.clone()));
    assert_eq!(world.messages(1).await, [(1, "accepted".to_owned())]);

    let claim = world.claim_one().await;
    assert_eq!(claim.reference, Some(reference));
    assert_eq!(claim.envelope.as_deref(), Some(b"sealed-1".as_slice()));
    assert_eq!(world.operation(2).await, None);
}

async fn every_part_of_a_reference_comes_back(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.reservation(1, "web")).await.unwrap();
    let claim = world.claim_one().await;

    let mut reference = claim.reference.unwrap();
    reference.entry.identifier = Some("vpc-É|a/b".to_owned());
    reference.entry.state = EntryState::Unknown;
    reference.entry.owned = false;
    reference.entry.unsettled = vec![world.attempt(1, 1), world.attempt(9, 2)];
    reference.entry.retiring = vec!["vpc-0".to_owned()];
    reference.documents = Documents {
        applied: Some(json!({"a": [null, {"b": number("1.0")}], "big": number("1e400")})),
        secrets: [("/A".to_owned(), "mac".to_owned())].into(),
        secret_paths: vec!["/A".to_owned()],
        learned: vec![NormalForm {
            path: "/B".to_owned(),
            sent: FormValue::Plain(json!(null)),
            seen: FormValue::Absent,
            learned_at: world.now(),
        }],
        unshown_since: Some(world.now()),
        observed: Some(json!({})),
        observed_at: Some(world.now()),
        schema_hash: Some("hash".to_owned()),
    };
    reference.depends_on = vec!["/a".to_owned(), "/É".to_owned()];
    reference.drift = Some(Drift {
        state: DriftState::InSync,
        paths: vec!["/a~1b".to_owned()],
        differences: vec![Difference {
            path: "/a~1b".to_owned(),
            keyed: None,
            applied: Some(serde_json::Value::Null),
            live: None,
            secret: false,
        }],
        reason: None,
        checked_at: world.now(),
    });
    reference.former_keys = vec!["local/prod/aws.ec2/vpc/old".to_owned()];
    reference.managed_by = Some(world.deployment(1, "App").name);
    reference.last_operation = Some((id(9), success()));
    world.clock.advance(Duration::from_secs(1));
    reference.updated_at = world.now();
    let seen = reference.version;
    world.commit(step(claim.record, save(reference.clone(), Some(seen)))).await.unwrap();

    reference.version = Version(2);
    assert_eq!(world.find("web").await, Some(reference));
}

async fn a_name_is_taken_in_any_case_and_keeps_its_first_spelling(make: Make<'_>) {
    let world = World::new(make).await;
    world.reserve(world.reservation(1, "Web")).await.unwrap();
    let refused = world.reserve(world.reservation(2, "wEB")).await;
    assert_eq!(refused, Err(ReserveError::Busy(id(1))));

    let claim = world.claim_one().await;
    let mut respelt = world.reference("WEB");
    respelt.entry.operation = Some(id(1));
    world.commit(step(claim.record, save(respelt, Some(Version(1))))).await.unwrap();
    let found = world.find("web").await.unwrap();
    assert_eq!(found.name.alias, "Web");
    assert_eq!(found.version, Version(2));
}

async fn one_of_eight_at_once_gets_an_alias(make: Make<'_>) {
    for round in 0..10 {
        let world = World::new(make).await;
        let tries: Vec<_> = (1..=8)
            .map(|bits| {
                let (store, reservation) = (world.store.clone(), world.reservation(bits, "web"));
                tokio::spawn(async move { store.operation_reserve(reservation).await })
            })
            .collect();
        let mut answers = Vec::new();
        for attempt in tries {
            answers.push(attempt.await.unwrap());
        }
        let winners: Vec<OperationId> =
            (1..=8).zip(&answers).filter(|(_, it)| it.is_ok()).map(|(bits, _)| id(bits)).collect();
        assert_eq!(winners.len(), 1, "round {round}: {answers:?}");
        let beaten = answers.iter().filter(|it| **it == Err(ReserveError::Busy(winners[0])));
        assert_eq!(beaten.count(), 7, "round {round}: {answers:?}");
        assert_eq!(world.find("web").await.unwrap().entry.operation, Some(winners[0]));
        assert_eq!(world.store.counts().await.unwrap().running, 1);
    }
}

async fn a_request_id_is_found_while_it_is_young(make: Make<'_>) {
    let world = World::new(make).await;
    let hour = Duration::from_hours(1);
    let mut first = world.untracked(1, &[]);
    first.record.repeatability = Some(repeatable("r"));
    world.reserve(first).await.unwrap();
    let found = world.store.operation_find_repeated("r", hour).await.unwrap().unwrap();
    assert_eq!(found.id(), id(1));
    assert_eq!(found.repeatability, Some(repeatable("r")));
    assert_eq!(world.store.operation_find_repeated("R", hour).await.unwrap(), None);

    world.clock.advance(hour);
    assert_eq!(world.store.operation_find_repeated("r", hour).await.unwrap(), None);

    world.clock.advance(Duration::from_hours(24));
    let mut second = world.untracked(2, &[]);
    second.record.repeatability = Some(repeatable("r"));
    world.reserve(second).await.unwrap();
    let days = Duration::from_hours(48);
    let found = world.store.operation_find_repeated("r", days).await.unwrap().unwrap();
    assert_eq!(found.id(), id(2), "the newest of two");
}
