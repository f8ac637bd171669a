//! What is not as we wrote it is refused, and named.

use std::fs;
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use hangar_plan::record::{Epoch, PlaneKind, PlaneName};
use hangar_store::clock::HandClock;
use hangar_store::sqlite::{Options, Sqlite};
use hangar_store::{
    Commit, CommitError, DeploymentChange, GroupChange, Lease, OperationFilter, Reader as _,
    RecipeChange, ReferenceChange, ReferenceFilter, ReserveError, Store as _, StoreError, WorkerId,
};
use rusqlite::Connection;

use crate::sample;

/// A store with a little of everything, in which `sql` was run by somebody else.
async fn damaged(sql: &str) -> (tempfile::TempDir, Sqlite) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let store = Sqlite::open(&path).unwrap();
    sample::fill(&store, b"sealed".to_vec()).await;
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    (directory, store)
}

fn names<T: std::fmt::Debug>(answer: Result<T, StoreError>, parts: &[&str]) {
    let error = answer.unwrap_err();
    let StoreError::Damaged(why) = &error else { panic!("{error}") };
    for part in parts {
        assert!(why.contains(part), "{part}: {why}");
    }
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_named_by_table_and_key() {
    let (_directory, store) =
        damaged(r#"UPDATE reference SET entry = '{"identifier": "hunter2"}'"#).await;
    let found = store.reference_find(&sample::reference_name()).await;
    assert!(!format!("{found:?}").contains("hunter2"));
    names(found, &["reference", "local/prod/aws.ec2/vpc/web", "entry"]);

    let (_directory, store) = damaged("UPDATE operation SET machine = 'no'").await;
    let id = sample::ID.to_string();
    names(store.operation_find(sample::ID).await, &["operation", &id, "machine"]);

    let (_directory, store) = damaged("UPDATE operation SET version = -1").await;
    names(store.operation_find(sample::ID).await, &["operation", &id, "version"]);

    let (_directory, store) = damaged("UPDATE resource_group SET body = '[]'").await;
    names(store.group_find(&sample::group_name()).await, &["resource_group", "local/prod"]);

    let (directory, store) = damaged("").await;
    let run = sample::deploying(OperationId::from_u128(2), store.now().await.unwrap());
    store.operation_reserve(run).await.unwrap();
    let file = Connection::open(directory.path().join("store.db")).unwrap();
    file.execute("UPDATE deployment SET body = '[\"hunter2\"]'", []).unwrap();
    let found = store.deployment_find(&sample::deployment_name()).await;
    assert!(!format!("{found:?}").contains("hunter2"));
    names(found, &["deployment", "local/prod/app", "body"]);

    for column in ["depends_on", "notes"] {
        let (_directory, store) = damaged(&format!("UPDATE reference SET {column} = 'no'")).await;
        let found = store.reference_find(&sample::reference_name()).await;
        names(found, &["reference", "local/prod/aws.ec2/vpc/web", column]);
    }

    let (_directory, store) = damaged("UPDATE operation SET parent = 'no'").await;
    names(store.operation_find(sample::ID).await, &["operation", &id, "parent"]);
    // What is no group's is not read as one.
    let (_directory, store) = damaged("UPDATE operation SET subject = 'null'").await;
    names(store.operation_find(sample::ID).await, &["operation", &id, "machine"]);

    let (_directory, store) =
        damaged("UPDATE plane SET body = '[\"hunter2\"]' WHERE plane_key = 'aws/aws'").await;
    let aws = PlaneName { kind: PlaneKind::Aws, name: "aws".to_owned() };
    let local = PlaneName { kind: PlaneKind::Radius, name: "local".to_owned() };
    names(store.plane_find(&aws).await, &["plane", "aws/aws", "body"]);
    names(store.plane_list(None).await, &["plane", "aws/aws", "body"]);
    assert!(store.plane_find(&local).await.unwrap().is_some());

    for (column, value) in [("body", "'[]'"), ("version", "-1")] {
        let sql = format!("UPDATE credential SET {column} = {value}");
        let (_directory, store) = damaged(&sql).await;
        let name = sample::credential_name();
        names(store.credential_find(&name).await, &["credential", "aws/default", column]);
        names(store.credential_list(Some("aws")).await, &["credential", "aws/default", column]);
        names(store.credential_list(None).await, &["credential", "aws/default", column]);
    }

    let (_directory, store) =
        damaged("PRAGMA foreign_keys = OFF; UPDATE attempt SET operation = 'x'").await;
    names(store.operation_find_by_request("request").await, &["attempt", "x/1"]);
}

/// What a worker gets that asks for one operation.
async fn claimed(store: &Sqlite) -> Vec<OperationId> {
    let worker = WorkerId("worker".to_owned());
    let claims = store.operation_claim(worker, Duration::from_hours(9), 1).await.unwrap();
    claims.iter().map(|claim| claim.record.id()).collect()
}

#[tokio::test]
async fn an_operation_that_cannot_be_read_stops_no_claim_and_is_tried_again_in_an_hour() {
    let damages = [
        "UPDATE operation SET machine = 'no' WHERE id = ?1",
        "UPDATE operation SET version = -1 WHERE id = ?1",
        "UPDATE reference SET entry = 'no' WHERE operation = ?1",
        "UPDATE operation SET id = '!' WHERE id = ?1",
    ];
    for sql in damages {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db");
        let clock = HandClock::at(Timestamp::from_micros(1_000_000));
        let options = Options { clock: clock.reading(), ..Options::default() };
        let store = Sqlite::open_with(&path, options).unwrap();
        sample::fill(&store, b"sealed".to_vec()).await;
        clock.advance(Duration::from_secs(1));
        let other = OperationId::from_u128(2);
        store.operation_reserve(sample::untracked(other, clock.now())).await.unwrap();
        let file = Connection::open(&path).unwrap();
        file.pragma_update(None, "foreign_keys", "OFF").unwrap();
        assert_eq!(file.execute(sql, [sample::ID.to_string()]).unwrap(), 1, "{sql}");

        // The damaged one is due first.
        assert_eq!(claimed(&store).await, [other], "{sql}");
        let lease = "SELECT due_at, lease_until IS NULL FROM operation WHERE id <> ?1";
        let later = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let hour = clock.now().after(Duration::from_hours(1)).as_micros();
        let found = file.query_row(lease, [other.to_string()], later).unwrap();
        assert_eq!(found, (hour, true), "{sql}");
        assert_eq!(claimed(&store).await, [], "{sql}");
    }
}

#[tokio::test]
async fn an_operation_that_was_mended_is_claimed_when_its_hour_is_over() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let clock = HandClock::at(Timestamp::from_micros(1_000_000));
    let options = Options { clock: clock.reading(), ..Options::default() };
    let store = Sqlite::open_with(&path, options).unwrap();
    sample::fill(&store, b"sealed".to_vec()).await;
    let file = Connection::open(&path).unwrap();
    file.execute("UPDATE operation SET version = -version", []).unwrap();
    assert_eq!(claimed(&store).await, []);
    file.execute("UPDATE operation SET version = -version", []).unwrap();
    clock.advance(Duration::from_secs(3599));
    assert_eq!(claimed(&store).await, []);
    clock.advance(Duration::from_secs(1));
    assert_eq!(claimed(&store).await, [sample::ID]);
}

#[tokio::test]
async fn a_list_hides_no_row_that_cannot_be_read() {
    let (_directory, store) = damaged("UPDATE operation SET machine = 'no'").await;
    let listed = store.operation_list(&OperationFilter::default(), None, 10).await;
    names(listed, &["operation", &sample::ID.to_string(), "machine"]);

    let (_directory, store) = damaged("UPDATE reference SET entry = 'no'").await;
    let listed = store.reference_list(&ReferenceFilter::default(), None, 10).await;
    names(listed, &["reference", "local/prod/aws.ec2/vpc/web", "entry"]);
}

#[tokio::test]
async fn a_group_that_is_being_deleted_and_cannot_be_read_takes_no_writes() {
    let (_directory, store) =
        damaged("UPDATE resource_group SET state = 'deleting', body = 'no'").await;
    let now = store.now().await.unwrap();
    let mut reservation = sample::reservation(now, Vec::new());
    sample::machine_of(&mut reservation.record).operation.id = OperationId::from_u128(2);
    let refused = store.operation_reserve(reservation).await.unwrap_err();
    let ReserveError::Store(refused) = refused else { panic!("{refused}") };
    names::<()>(Err(refused), &["resource_group", "local/prod", "body"]);
}

#[tokio::test]
async fn damage_in_one_row_leaves_the_others() {
    let (_directory, store) = damaged("UPDATE reference SET entry = 'no'").await;
    assert!(store.group_find(&sample::group_name()).await.is_ok());
    let mut record = store.operation_find(sample::ID).await.unwrap().unwrap();
    record.epoch = Epoch(9);
    let (reference, group, lease) = (ReferenceChange::Keep, GroupChange::Keep, Lease::Release);
    let commit = Commit {
        record,
        reference,
        deployment: DeploymentChange::Keep,
        recipe: RecipeChange::Keep,
        group,
        lease,
        message: None,
    };
    assert_eq!(store.operation_commit(commit).await, Err(CommitError::LeaseLost));
}

#[tokio::test]
async fn a_store_that_cannot_be_read_is_not_healthy() {
    let (_directory, store) = damaged("DROP TABLE key_check").await;
    assert!(store.health().await.is_err());
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    fs::write(&path, "this is no database, however long it may be. ".repeat(200)).unwrap();
    let error = Sqlite::open(&path).unwrap_err();
    assert!(matches!(&error, StoreError::Damaged(why) if why.contains("store.db")), "{error}");
}

#[tokio::test]
async fn a_page_that_was_overwritten_is_damage() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let store = Sqlite::open(&path).unwrap();
    sample::fill(&store, b"sealed".to_vec()).await;
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    // Past the first page, which every opening reads.
    bytes[4096..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let found = match Sqlite::open(&path) {
        Ok(store) => store.operation_find(sample::ID).await.map(drop),
        Err(error) => Err(error),
    };
    assert!(matches!(found, Err(StoreError::Damaged(_))), "{found:?}");
}
