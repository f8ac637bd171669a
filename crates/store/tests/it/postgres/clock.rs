//! A server whose clock is set back, as it seems when another takes its place: time goes on, and no lease
//! lasts for longer than it was given.

use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use hangar_store::postgres::Postgres;
use hangar_store::{Reader as _, Store as _, WorkerId};

use super::{connect, database, stranger};
use crate::sample;

// Sessions find this function before the server's own.
const HANDS: &str = "CREATE SCHEMA hands;
    CREATE TABLE hands.position (behind interval NOT NULL);
    INSERT INTO hands.position VALUES ('0');
    CREATE FUNCTION hands.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
        AS 'SELECT pg_catalog.clock_timestamp() - behind FROM hands.position'";

const LEASE: Duration = Duration::from_secs(10);

/// A database whose clock can be set back, and a session to do it.
async fn clocked(test: &str) -> Option<(String, tokio_postgres::Client)> {
    let (cluster, url) = database(test)?;
    let client = stranger(&url).await;
    client.batch_execute(HANDS).await.unwrap();
    let name = url.rsplit('/').next().unwrap();
    let path = format!("ALTER DATABASE {name} SET search_path = hands, pg_catalog");
    cluster.run(&path).unwrap();
    Some((url, client))
}

async fn set_back(client: &tokio_postgres::Client, by: &str) {
    let set = format!("UPDATE hands.position SET behind = '{by}'");
    client.batch_execute(&set).await.unwrap();
}

async fn claim(store: &Postgres) -> Vec<OperationId> {
    let worker = WorkerId("worker".to_owned());
    let claims = store.operation_claim(worker, LEASE, 10).await.unwrap();
    claims.iter().map(|claim| claim.record.id()).collect()
}

#[tokio::test]
async fn time_goes_on_when_the_servers_clock_is_set_back() {
    let Some((url, client)) = clocked("clock::time_goes_on").await else { return };
    let store = connect(&url).await;
    let before = store.now().await.unwrap();
    set_back(&client, "1 hour").await;
    let after = store.now().await.unwrap();
    assert!(before <= after && after.since(before) < Duration::from_mins(1));
    assert!(store.now().await.unwrap() > after, "it stands still");
    // What is due by that time is due.
    let id = OperationId::from_u128(1);
    store.operation_reserve(sample::untracked(id, after)).await.unwrap();
    assert_eq!(claim(&store).await, [id]);
    assert_eq!(claim(&store).await, [], "it is leased");
    // A server that was never further on is believed.
    let fresh = connect(&url).await.now().await.unwrap();
    assert!(before.since(fresh) > Duration::from_mins(50));
}

#[tokio::test]
async fn a_lease_from_before_the_servers_clock_was_set_back_has_run_out() {
    let Some((url, client)) = clocked("clock::a_lease_from_before").await else { return };
    let store = connect(&url).await;
    let id = OperationId::from_u128(1);
    store.operation_reserve(sample::untracked(id, Timestamp::default())).await.unwrap();
    assert_eq!(claim(&store).await, [id]);
    assert_eq!(claim(&store).await, [], "it is leased");
    set_back(&client, "1 hour").await;
    // Whoever had it is gone.
    let other = connect(&url).await;
    assert_eq!(claim(&other).await, [id]);
    assert_eq!(claim(&other).await, [], "it is leased again");
    assert_eq!(claim(&store).await, [], "for those as well who have seen later times");
}
