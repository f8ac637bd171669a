//! What is not as we wrote it is refused, and named.

use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use hangar_plan::record::{PlaneKind, PlaneName};
use hangar_store::clock::HandClock;
use hangar_store::postgres::{Options, Postgres};
use hangar_store::{
    OperationFilter, Reader as _, ReferenceFilter, ReserveError, Store as _, StoreError, WorkerId,
};

use super::{connect, database, stranger};
use crate::sample;

/// A store with a little of everything, in which `sql` is then run by somebody else, where no constraint
/// stops it.
async fn damage(url: &str, sql: &str) {
    let client = stranger(url).await;
    client.batch_execute("SET session_replication_role = replica").await.unwrap();
    client.batch_execute(sql).await.unwrap();
}

fn names<T: std::fmt::Debug>(answer: Result<T, StoreError>, parts: &[&str]) {
    let error = answer.unwrap_err();
    let StoreError::Damaged(why) = &error else { panic!("{error}") };
    assert!(!why.contains("hunter2"), "{why}");
    for part in parts {
        assert!(why.contains(part), "{part}: {why}");
    }
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_named_by_table_and_key() {
    let Some((cluster, url)) = database("damage::a_row_that_cannot_be_read") else { return };
    let store = connect(&url).await;
    sample::fill(&store, b"sealed".to_vec()).await;
    let run = sample::deploying(OperationId::from_u128(9), store.now().await.unwrap());
    store.operation_reserve(run).await.unwrap();
    drop(store);
    // Each damage is done to a copy.
    let template = url.rsplit('/').next().unwrap();
    let number = std::cell::Cell::new(0);
    let damaged = async |sql: &str| {
        number.set(number.get() + 1);
        let name = format!("damaged_{}", number.get());
        let copy = format!("CREATE DATABASE {name} TEMPLATE {template}");
        // The sessions of the store that was dropped take a moment to end.
        while cluster.run(&copy).is_err() {
            tokio::task::yield_now().await;
        }
        let url = cluster.url(&name);
        damage(&url, sql).await;
        connect(&url).await
    };
    let (id, web) = (sample::ID.to_string(), "local/prod/aws.ec2/vpc/web");

    let store = damaged(r#"UPDATE reference SET entry = '{"identifier": "hunter2"}'"#).await;
    names(store.reference_find(&sample::reference_name()).await, &["reference", web, "entry"]);
    let listed = store.reference_list(&ReferenceFilter::default(), None, 10).await;
    names(listed, &["reference", web, "entry"]);
    assert!(store.group_find(&sample::group_name()).await.is_ok(), "others are as they were");

    for column in ["machine", "subject", "calls", "warnings", "parent"] {
        let store = damaged(&format!("UPDATE operation SET {column} = 'hunter2'")).await;
        names(store.operation_find(sample::ID).await, &["operation", &id, column]);
        let listed = store.operation_list(&OperationFilter::default(), None, 10).await;
        names(listed, &["operation", &id, column]);
    }
    let store = damaged("UPDATE operation SET version = -1").await;
    names(store.operation_find(sample::ID).await, &["operation", &id, "version"]);
    // What is no group's is not read as one.
    let store = damaged("UPDATE operation SET subject = 'null'").await;
    names(store.operation_find(sample::ID).await, &["operation", &id, "machine"]);

    let store = damaged("UPDATE resource_group SET body = '[]'").await;
    names(store.group_find(&sample::group_name()).await, &["resource_group", "local/prod"]);
    let store = damaged("UPDATE deployment SET body = '[\"hunter2\"]'").await;
    let found = store.deployment_find(&sample::deployment_name()).await;
    names(found, &["deployment", "local/prod/app", "body"]);
    let store =
        damaged("UPDATE plane SET body = '[\"hunter2\"]' WHERE plane_key = 'aws/aws'").await;
    let aws = PlaneName { kind: PlaneKind::Aws, name: "aws".to_owned() };
    names(store.plane_find(&aws).await, &["plane", "aws/aws", "body"]);
    names(store.plane_list(None).await, &["plane", "aws/aws", "body"]);
    let store = damaged("UPDATE credential SET version = -1").await;
    let found = store.credential_find(&sample::credential_name()).await;
    names(found, &["credential", "aws/default", "version"]);
    let store = damaged("UPDATE attempt SET operation = 'x'").await;
    names(store.operation_find_by_request("request").await, &["attempt", "x/1"]);
    let store = damaged("DROP TABLE key_check").await;
    assert!(store.health().await.is_err());

    // A group that is being deleted and cannot be read takes no writes.
    let store = damaged("UPDATE resource_group SET state = 'deleting', body = 'no'").await;
    let mut reservation = sample::reservation(store.now().await.unwrap(), Vec::new());
    sample::machine_of(&mut reservation.record).operation.id = OperationId::from_u128(2);
    let refused = store.operation_reserve(reservation).await.unwrap_err();
    let ReserveError::Store(refused) = refused else { panic!("{refused}") };
    names::<()>(Err(refused), &["resource_group", "local/prod", "body"]);
}

/// What a worker gets that asks for one operation.
async fn claimed(store: &Postgres) -> Vec<OperationId> {
    let worker = WorkerId("worker".to_owned());
    let claims = store.operation_claim(worker, Duration::from_hours(9), 1).await.unwrap();
    claims.iter().map(|claim| claim.record.id()).collect()
}

#[tokio::test]
async fn an_operation_that_cannot_be_read_stops_no_claim_and_is_tried_again_in_an_hour() {
    let damages = [
        "UPDATE operation SET machine = 'no' WHERE id = '{id}'",
        "UPDATE operation SET version = -1 WHERE id = '{id}'",
        "UPDATE reference SET entry = 'no' WHERE operation = '{id}'",
        "UPDATE operation SET machine = replace(machine, '{id}', '!'), id = '!' WHERE id = '{id}'",
    ];
    for sql in damages {
        let Some((_, url)) = database("damage::an_operation_that_cannot_be_read") else { return };
        let clock = HandClock::at(Timestamp::from_micros(1_000_000));
        let options = Options { clock: Some(clock.reading()), ..Options::default() };
        let store = Postgres::connect(&url, options).await.unwrap();
        sample::fill(&store, b"sealed".to_vec()).await;
        clock.advance(Duration::from_secs(1));
        let other = OperationId::from_u128(2);
        store.operation_reserve(sample::untracked(other, clock.now())).await.unwrap();
        damage(&url, &sql.replace("{id}", &sample::ID.to_string())).await;

        // The damaged one is due first.
        assert_eq!(claimed(&store).await, [other], "{sql}");
        let client = stranger(&url).await;
        let lease = "SELECT due_at, lease_until IS NULL FROM operation WHERE id <> $1";
        let row = client.query_one(lease, &[&other.to_string()]).await.unwrap();
        let hour = clock.now().after(Duration::from_hours(1)).as_micros();
        assert_eq!((row.get::<_, i64>(0), row.get::<_, bool>(1)), (hour, true), "{sql}");
        assert_eq!(claimed(&store).await, [], "{sql}");
    }
}

#[tokio::test]
async fn what_a_service_says_with_a_zero_byte_in_it_is_kept_all_the_same() {
    let Some((_, url)) = database("damage::what_a_service_says") else { return };
    let store = connect(&url).await;
    let now = store.now().await.unwrap();
    let mut reservation = sample::untracked(sample::ID, now);
    reservation.message = "a\0b".to_owned();
    reservation.record.correlation_id = Some("c\0d".to_owned());
    store.operation_reserve(reservation).await.unwrap();
    let events = store.event_list(sample::ID, 0, 10).await.unwrap();
    assert_eq!(events[0].message, "a\u{FFFD}b");
}
