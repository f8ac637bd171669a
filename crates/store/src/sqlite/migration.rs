//! The tables, made and changed in numbered steps; a step that was taken never changes.

use hangar_plan::Timestamp;
use rusqlite::{Connection, TransactionBehavior, params};
use sha2::{Digest as _, Sha256};

use super::database::Database;
use super::fault::fault;
use super::row::{Row, Table};
use crate::StoreError;
use crate::clock::Clock;

/// One step; its number is its place, from 1.
struct Migration {
    name: &'static str,
    sql: &'static str,
}

/// Every step, in order. Add to the end; a step that was released is never edited.
const MIGRATIONS: &[Migration] = &[
    Migration { name: "first", sql: include_str!("../../migrations/sqlite/0001_first.sql") },
    Migration { name: "unknown", sql: include_str!("../../migrations/sqlite/0002_unknown.sql") },
    Migration { name: "groups", sql: include_str!("../../migrations/sqlite/0003_groups.sql") },
    Migration { name: "calls", sql: include_str!("../../migrations/sqlite/0004_calls.sql") },
    Migration {
        name: "deployments",
        sql: include_str!("../../migrations/sqlite/0005_deployments.sql"),
    },
    Migration { name: "recipes", sql: include_str!("../../migrations/sqlite/0006_recipes.sql") },
    Migration {
        name: "event_waiting",
        sql: include_str!("../../migrations/sqlite/0007_event_waiting.sql"),
    },
];

const MIGRATION: Table = Table { name: "migration", key: &["number"] };
const CLOCK: Table = Table { name: "clock", key: &[] };

const MIGRATION_TABLE: &str = "CREATE TABLE IF NOT EXISTS migration (
    number     INTEGER NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    checksum   TEXT    NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT";
const MIGRATION_LIST: &str = "SELECT number, checksum FROM migration ORDER BY number";
const MIGRATION_ADD: &str =
    "INSERT INTO migration (number, name, checksum, applied_at) VALUES (?1, ?2, ?3, ?4)";
const CLOCK_FIND: &str = "SELECT latest_at FROM clock WHERE id = 1";

/// Takes every step that has not been taken; gives the latest time that is stored.
pub(super) fn apply(connection: &mut Connection, clock: &Clock) -> Result<Timestamp, StoreError> {
    connection.execute_batch(MIGRATION_TABLE).map_err(fault)?;
    for (number, migration) in (1..).zip(MIGRATIONS) {
        take(connection, number, migration, clock.read())?;
    }
    check(&taken(connection)?)?;
    let latest = Database(connection)
        .find(&CLOCK, CLOCK_FIND, [], |row| row.instant("latest_at"))?
        .ok_or_else(|| StoreError::Damaged("clock: its row is missing".to_owned()))?;
    Ok(latest)
}

/// The last step that a store has taken, if all that it has taken are ours.
pub(super) fn last_taken(connection: &Connection) -> Result<u32, StoreError> {
    let taken = taken(connection)?;
    check(&taken)?;
    let last = taken.last().map(|step| step.number);
    last.ok_or_else(|| StoreError::Damaged("no migration was applied to it".to_owned()))
}

/// Takes one step, in one transaction, if what was taken before allows it.
fn take(
    connection: &mut Connection,
    number: u32,
    migration: &Migration,
    now: Timestamp,
) -> Result<(), StoreError> {
    // Another process may be doing the same: look again when it is our turn to write.
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fault)?;
    let taken = taken(&transaction)?;
    check(&taken)?;
    if taken.len() >= number as usize {
        return Ok(());
    }
    transaction.execute_batch(migration.sql).map_err(fault)?;
    let row = params![number, migration.name, checksum(migration), now.as_micros()];
    Database(&transaction).change(MIGRATION_ADD, row)?;
    transaction.commit().map_err(fault)
}

/// A step that a store has taken.
struct Taken {
    number: u32,
    checksum: String,
}

fn taken(connection: &Connection) -> Result<Vec<Taken>, StoreError> {
    Database(connection).list(&MIGRATION, MIGRATION_LIST, [], |row: &Row<'_>| {
        Ok(Taken { number: row.get("number")?, checksum: row.get("checksum")? })
    })
}

/// Whether the steps that were taken are the first of ours.
fn check(taken: &[Taken]) -> Result<(), StoreError> {
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    if let Some(last) = taken.last()
        && last.number > known
    {
        return Err(StoreError::Newer { found: last.number, known });
    }
    for ((number, step), migration) in (1..).zip(taken).zip(MIGRATIONS) {
        if step.number != number {
            return Err(StoreError::Damaged(format!("migration {number} was never applied")));
        }
        if step.checksum != checksum(migration) {
            let why = format!("migration {number} differs from the one that was applied");
            return Err(StoreError::Damaged(why));
        }
    }
    Ok(())
}

fn checksum(migration: &Migration) -> String {
    crate::hex::encode(&Sha256::digest(migration.sql))
}
