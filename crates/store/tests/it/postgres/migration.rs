//! A store that another version made is told from one that somebody touched, and replicas that start at
//! once do not meet.

use hangar_plan::operation::OperationId;
use hangar_store::postgres::{Options, Postgres};
use hangar_store::{Reader as _, Store as _, StoreError};

use super::{connect, database, stranger};
use crate::sample;

/// A new store, touched.
async fn touched(url: &str, sql: &str) -> StoreError {
    drop(connect(url).await);
    stranger(url).await.batch_execute(sql).await.unwrap();
    Postgres::connect(url, Options::default()).await.unwrap_err()
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_that_start_at_once_make_the_tables_once() {
    let Some((_, url)) = database("migration::replicas_that_start_at_once") else { return };
    let started: Vec<_> = (0..6)
        .map(|_| {
            let url = url.clone();
            tokio::spawn(async move { Postgres::connect(&url, Options::default()).await })
        })
        .collect();
    for store in started {
        let store = store.await.unwrap().unwrap();
        assert_eq!(store.plane_list(None).await.unwrap().len(), 2);
    }
    let rows = stranger(&url).await.query("SELECT number, name FROM migration", &[]).await.unwrap();
    let rows: Vec<(i64, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let names = ["first", "deployments", "recipes", "event_waiting"].map(str::to_owned);
    assert_eq!(rows, (1..).zip(names).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_store_from_before_the_second_migration_keeps_its_rows() {
    let Some((_, url)) = database("migration::a_store_from_before_the_second") else { return };
    sample::fill(&connect(&url).await, b"sealed".to_vec()).await;
    let undo = "DROP TABLE terraform_state, terraform_lock, recipe;
        DROP TABLE deployment; ALTER TABLE operation DROP COLUMN woken;
        ALTER TABLE event DROP COLUMN waiting;
        DELETE FROM migration WHERE number >= 2";
    stranger(&url).await.batch_execute(undo).await.unwrap();
    let store = connect(&url).await;
    sample::find_and_end(&store, b"sealed").await;
    let run = sample::deploying(OperationId::from_u128(2), store.now().await.unwrap());
    store.operation_reserve(run).await.unwrap();
    assert!(store.deployment_find(&sample::deployment_name()).await.unwrap().is_some());
}

#[tokio::test]
async fn a_store_from_before_the_third_migration_keeps_its_rows() {
    let Some((_, url)) = database("migration::a_store_from_before_the_third") else { return };
    let before = connect(&url).await;
    sample::fill(&before, b"sealed".to_vec()).await;
    let deploying = sample::deploying(OperationId::from_u128(2), before.now().await.unwrap());
    before.operation_reserve(deploying).await.unwrap();
    drop(before);
    let undo = "DROP TABLE terraform_state, terraform_lock, recipe;
        ALTER TABLE event DROP COLUMN waiting;
        DELETE FROM migration WHERE number >= 3";
    stranger(&url).await.batch_execute(undo).await.unwrap();
    let store = connect(&url).await;
    assert!(store.deployment_find(&sample::deployment_name()).await.unwrap().is_some());
    assert_eq!(store.recipe_list(&sample::group_name(), None, 10).await, Ok(Vec::new()));
    sample::fill_recipe(&store, OperationId::from_u128(3), b"files").await;
    assert!(store.state_find(&sample::recipe_name(), 1).await.unwrap().is_some());
}

#[tokio::test]
async fn a_changed_migration_is_damage() {
    let Some((_, url)) = database("migration::a_changed_migration") else { return };
    let error = touched(&url, "UPDATE migration SET checksum = 'other'").await;
    assert!(matches!(&error, StoreError::Damaged(why) if why.contains("migration 1")), "{error}");
}

#[tokio::test]
async fn a_newer_store_is_not_opened() {
    let Some((_, url)) = database("migration::a_newer_store") else { return };
    let newer = "INSERT INTO migration (number, name, checksum, applied_at)
        VALUES (5, 'future', 'sum', 0), (6, 'farther', 'sum', 0)";
    assert_eq!(touched(&url, newer).await, StoreError::Newer { found: 6, known: 4 });
}

#[tokio::test]
async fn a_store_that_is_opened_again_needs_no_right_to_make_tables() {
    let Some((cluster, url)) = database("migration::a_store_that_is_opened_again") else { return };
    drop(connect(&url).await);
    cluster.run("CREATE ROLE modest LOGIN").unwrap();
    let client = stranger(&url).await;
    let grant = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO modest";
    client.batch_execute(grant).await.unwrap();
    let store = connect(&url.replace("hangar@", "modest@")).await;
    assert_eq!(store.plane_list(None).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_role_that_may_not_make_tables_is_told_so() {
    let Some((cluster, url)) = database("migration::a_role_that_may_not_make_tables") else {
        return;
    };
    cluster.run("CREATE ROLE powerless LOGIN").unwrap();
    stranger(&url).await.batch_execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC").await.unwrap();
    let url = url.replace("hangar@", "powerless@");
    let error = Postgres::connect(&url, Options::default()).await.unwrap_err();
    assert!(error.to_string().contains("is not allowed"), "{error}");
}
