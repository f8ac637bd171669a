//! What is not as we wrote it is refused, and named.

use std::fs;
use std::time::Duration;

use hangar_plan::record::Epoch;
use hangar_store::sqlite::Sqlite;
use hangar_store::{
    Commit, CommitError, Lease, Reader as _, ReferenceChange, Store as _, StoreError, WorkerId,
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
    let worker = WorkerId("worker".to_owned());
    names(store.operation_claim(worker, Duration::from_secs(1), 1).await, &["operation", &id]);

    let (_directory, store) = damaged("UPDATE operation SET version = -1").await;
    names(store.operation_find(sample::ID).await, &["operation", &id, "version"]);

    let (_directory, store) = damaged("UPDATE resource_group SET body = '[]'").await;
    names(store.group_find(&sample::group_name()).await, &["resource_group", "local/prod"]);

    let (_directory, store) =
        damaged("PRAGMA foreign_keys = OFF; UPDATE attempt SET operation = 'x'").await;
    names(store.operation_find_by_request("request").await, &["attempt", "x/1"]);
}

#[tokio::test]
async fn damage_in_one_row_leaves_the_others() {
    let (_directory, store) = damaged("UPDATE reference SET entry = 'no'").await;
    assert!(store.group_find(&sample::group_name()).await.is_ok());
    let mut record = store.operation_find(sample::ID).await.unwrap().unwrap();
    record.epoch = Epoch(9);
    let (reference, lease) = (ReferenceChange::Keep, Lease::Release);
    let commit = Commit { record, reference, lease, message: None };
    assert_eq!(store.operation_commit(commit).await, Err(CommitError::LeaseLost));
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
