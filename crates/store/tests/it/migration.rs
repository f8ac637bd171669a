//! A store that another version made is told from one that somebody touched.

use std::path::Path;
use std::time::Duration;

use hangar_plan::operation::{Ending, Failure, FailureKind, OperationId, Stage};
use hangar_store::sqlite::Sqlite;
use hangar_store::{Reader as _, Store as _, StoreError};
use rusqlite::Connection;

use crate::sample;

/// Takes back what the third migration did.
const WITHOUT_THE_THIRD: &str = "DELETE FROM migration WHERE number = 3;
    DROP INDEX operation_by_parent; DROP INDEX operation_running_by_parent;
    ALTER TABLE operation DROP COLUMN parent;
    DROP INDEX reference_depending; ALTER TABLE reference DROP COLUMN depends_on;
    ALTER TABLE reference DROP COLUMN notes;
    DROP TABLE plane; DROP TABLE credential";

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
        let known = [(1, "first"), (2, "unknown"), (3, "groups")];
        assert_eq!(rows, known.map(|(number, name)| (number, name.to_owned(), 64)));
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
        VALUES (4, 'future', 'sum', 0), (5, 'farther', 'sum', 0)";
    let error = touched(&path, newer).unwrap_err();
    assert_eq!(error, StoreError::Newer { found: 5, known: 3 });
}

#[tokio::test]
async fn what_ended_as_unknown_before_the_second_migration_stays() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    let store = Sqlite::open(&path).unwrap();
    let kinds = [FailureKind::Unknown, FailureKind::Provider];
    let ids = [1, 2].map(OperationId::from_u128);
    let now = store.now().await.unwrap();
    for (id, kind) in ids.into_iter().zip(kinds) {
        let mut reservation = sample::untracked(id, now);
        let (code, message) = ("Code".to_owned(), String::new());
        let failure = Failure { kind, code, message, findings: Vec::new() };
        sample::machine_of(&mut reservation.record).operation.ending =
            Some(Ending::Failed(failure));
        sample::machine_of(&mut reservation.record).operation.stage = Stage::Done;
        reservation.record.ended_at = Some(now);
        store.operation_reserve(reservation).await.unwrap();
    }
    drop(store);
    let before = "DELETE FROM migration WHERE number = 2; UPDATE operation SET state = 'ended';
        DROP INDEX reference_by_state_and_type; DROP INDEX operation_parked";
    let file = Connection::open(&path).unwrap();
    file.execute_batch(WITHOUT_THE_THIRD).unwrap();
    file.execute_batch(before).unwrap();

    let store = Sqlite::open(&path).unwrap();
    let pruned = store.operation_prune(now.after(Duration::from_secs(1))).await;
    assert_eq!(pruned, Ok(1));
    assert!(store.operation_find(ids[0]).await.unwrap().is_some());
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
