//! A store that another version made is told from one that somebody touched.

use std::path::Path;

use hangar_plan::operation::OperationId;
use hangar_plan::record::{GroupState, ReferenceName, Version};
use hangar_store::sqlite::Sqlite;
use hangar_store::{Reader as _, Store as _, StoreError};
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use crate::sample;

/// The operations of the old store that have ended; [`sample::ID`] runs.
const ENDED: OperationId = OperationId::from_u128(0x0191_f3a8_7c2e_7abc_8def_0000_0000_0001);
const UNKNOWN: OperationId = OperationId::from_u128(0x0191_f3a8_7c2e_7abc_8def_0000_0000_0002);

/// The steps that were taken before the third, and what a store held then.
const STEPS: [(&str, &str); 2] = [
    ("first", include_str!("../../migrations/sqlite/0001_first.sql")),
    ("unknown", include_str!("../../migrations/sqlite/0002_unknown.sql")),
];
const ROWS: &str = include_str!("store_0002.sql");

/// A store of which only the first steps were taken.
fn old_store(path: &Path, steps: usize) -> Connection {
    let file = Connection::open(path).unwrap();
    let table = "CREATE TABLE migration (number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL,
        checksum TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT";
    file.execute_batch(table).unwrap();
    for (number, (name, sql)) in (1..).zip(STEPS).take(steps) {
        file.execute_batch(sql).unwrap();
        let checksum = hangar_store::hex::encode(&Sha256::digest(sql));
        let row = rusqlite::params![number, name, checksum, 0];
        file.execute("INSERT INTO migration VALUES (?1, ?2, ?3, ?4)", row).unwrap();
    }
    file.execute_batch(ROWS).unwrap();
    file
}

/// A new store, touched.
fn touched(path: &Path, sql: &str) -> Result<Sqlite, StoreError> {
    drop(Sqlite::open(path).unwrap());
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
    Sqlite::open(path)
}

#[test]
fn a_migration_is_applied_once_and_noted() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    for _ in 0..2 {
        drop(Sqlite::open(&path).unwrap());
        let rows: Vec<(u32, String, u32)> = Connection::open(&path)
            .unwrap()
            .prepare("SELECT number, name, length(checksum) FROM migration")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let names =
            ["first", "unknown", "groups", "calls", "deployments", "recipes", "event_waiting"];
        let known: Vec<(u32, String, u32)> =
            (1..).zip(names).map(|(number, name)| (number, name.to_owned(), 64)).collect();
        assert_eq!(rows, known);
    }
}

#[test]
fn a_changed_migration_is_damage() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let error = touched(&path, "UPDATE migration SET checksum = 'other'").unwrap_err();
    assert!(matches!(&error, StoreError::Damaged(why) if why.contains("migration 1")), "{error}");
}

#[test]
fn a_newer_store_is_not_opened() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let newer = "INSERT INTO migration (number, name, checksum, applied_at)
        VALUES (8, 'future', 'sum', 0), (9, 'farther', 'sum', 0)";
    let error = touched(&path, newer).unwrap_err();
    assert_eq!(error, StoreError::Newer { found: 9, known: 7 });
}

#[tokio::test]
async fn what_ended_as_unknown_before_the_second_migration_stays() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let file = old_store(&path, 1);
    file.execute("UPDATE operation SET state = 'ended' WHERE state = 'parked'", []).unwrap();

    let store = Sqlite::open(&path).unwrap();
    let now = store.now().await.unwrap();
    assert_eq!(store.operation_prune(now).await, Ok(1));
    assert_eq!(store.operation_find(ENDED).await, Ok(None));
    assert!(store.operation_find(UNKNOWN).await.unwrap().is_some());
}

#[tokio::test]
async fn a_store_from_before_the_third_migration_keeps_its_rows_and_gets_planes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    drop(old_store(&path, 2));
    let store = Sqlite::open(&path).unwrap();

    let group = store.group_find(&sample::group_name()).await.unwrap().unwrap();
    assert_eq!((group.state, group.operation), (GroupState::Ready, None));
    assert_eq!(group.location.as_deref(), Some("west"));
    let name = ReferenceName { alias: "db".to_owned(), ..sample::reference_name() };
    let db = store.reference_find(&name).await.unwrap().unwrap();
    assert_eq!((db.name.alias.as_str(), db.version), ("Db", Version(2)));
    assert_eq!(db.entry.identifier.as_deref(), Some("vpc-1"));
    assert_eq!(db.last_operation.as_ref().unwrap().0, ENDED);
    assert!(db.documents.applied.is_some());
    assert!(db.depends_on.is_empty() && db.drift.is_none() && db.former_keys.is_empty());
    for id in [ENDED, UNKNOWN, sample::ID] {
        let record = store.operation_find(id).await.unwrap().unwrap();
        assert_eq!((record.id(), record.parent), (id, None));
        assert!(record.resource().is_some());
        assert_eq!(record.ended_at.is_none(), id == sample::ID);
    }
    let planes = store.plane_list(None).await.unwrap();
    let keys: Vec<String> = planes.iter().map(|plane| plane.name.key()).collect();
    assert_eq!(keys, ["aws/aws", "radius/local"]);

    assert_eq!(store.deployment_list(&sample::group_name(), None, 10).await, Ok(Vec::new()));
    assert_eq!(store.recipe_list(&sample::group_name(), None, 10).await, Ok(Vec::new()));
    // What came with it works on what was there, and what ran goes on.
    let renamed = store.reference_rename(&name, "data", Version(2)).await.unwrap();
    assert_eq!(renamed.former_keys, [name.key()]);
    sample::find_and_end(&store, b"sealed").await;
    sample::fill_recipe(&store, OperationId::from_u128(2), b"files").await;
    assert!(store.state_find(&sample::recipe_name(), 1).await.unwrap().is_some());
}

#[test]
fn every_table_is_strict() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    drop(Sqlite::open(&path).unwrap());
    let loose: Vec<String> = Connection::open(&path)
        .unwrap()
        .prepare("SELECT name FROM pragma_table_list WHERE NOT strict AND name NOT LIKE 'sqlite_%'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(loose.is_empty(), "{loose:?}");
}
