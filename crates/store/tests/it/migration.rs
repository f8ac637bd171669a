//! A store that another version made is told from one that somebody touched.

use std::path::Path;

use hangar_store::StoreError;
use hangar_store::sqlite::Sqlite;
use rusqlite::Connection;

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
        assert_eq!(rows, [(1, "first".to_owned(), 64)]);
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
        VALUES (2, 'future', 'sum', 0), (3, 'farther', 'sum', 0)";
    let error = touched(&path, newer).unwrap_err();
    assert_eq!(error, StoreError::Newer { found: 3, known: 1 });
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
