//! The tables, made and changed in numbered steps; a step that was taken never changes.
//!
//! Replicas that start at once take them in turn: each step is a transaction that holds one lock.

use sha2::{Digest as _, Sha256};
use tokio_postgres::Client;

use super::fault::fault;
use crate::StoreError;

/// One step; its number is its place, from 1.
struct Migration {
    name: &'static str,
    sql: &'static str,
}

/// Every step, in order. Add to the end; a step that was released is never edited.
const MIGRATIONS: &[Migration] = &[
    Migration { name: "first", sql: include_str!("../../migrations/postgres/0001_first.sql") },
    Migration {
        name: "deployments",
        sql: include_str!("../../migrations/postgres/0002_deployments.sql"),
    },
    Migration { name: "recipes", sql: include_str!("../../migrations/postgres/0003_recipes.sql") },
    Migration {
        name: "event_waiting",
        sql: include_str!("../../migrations/postgres/0004_event_waiting.sql"),
    },
];

// Nobody else needs a transaction as long as these may take. The number says `hangar` in letters.
const TURN: &str = "SET LOCAL statement_timeout = '10min'; SET LOCAL lock_timeout = '10min';
    SELECT pg_advisory_xact_lock(x'0068616e676172'::bigint)";
const IS_THERE: &str = "SELECT to_regclass('migration') IS NOT NULL";
const TABLE: &str = "CREATE TABLE migration (
    number     bigint NOT NULL PRIMARY KEY,
    name       text   NOT NULL,
    checksum   text   NOT NULL,
    applied_at bigint NOT NULL
)";
const LIST: &str = "SELECT number, checksum FROM migration ORDER BY number";
const ADD: &str = "INSERT INTO migration (number, name, checksum, applied_at)
    VALUES ($1, $2, $3, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)";

/// Takes every step that has not been taken.
pub(super) async fn apply(client: &mut Client) -> Result<(), StoreError> {
    for (number, migration) in (1..).zip(MIGRATIONS) {
        take(client, number, migration).await?;
    }
    Ok(())
}

/// Takes one step, in one transaction, if what was taken before allows it.
async fn take(client: &mut Client, number: i64, migration: &Migration) -> Result<(), StoreError> {
    let failed = |error: tokio_postgres::Error| fault(&error);
    let transaction = client.transaction().await.map_err(failed)?;
    transaction.batch_execute(TURN).await.map_err(failed)?;
    // Looked at when it is our turn: another replica may have done it.
    let is_there: bool = transaction
        .query_one(IS_THERE, &[])
        .await
        .and_then(|row| row.try_get(0))
        .map_err(failed)?;
    if !is_there {
        transaction.batch_execute(TABLE).await.map_err(failed)?;
    }
    let rows = transaction.query(LIST, &[]).await.map_err(failed)?;
    let mut taken = Vec::new();
    for row in rows {
        taken.push((row.try_get(0).map_err(failed)?, row.try_get(1).map_err(failed)?));
    }
    check(&taken)?;
    if taken.len() >= usize::try_from(number).unwrap_or(usize::MAX) {
        return transaction.rollback().await.map_err(failed);
    }
    transaction.batch_execute(migration.sql).await.map_err(failed)?;
    let row: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
        [&number, &migration.name, &checksum(migration)];
    transaction.execute(ADD, &row).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)
}

/// Whether the steps that were taken, by number and checksum, are the first of ours.
fn check(taken: &[(i64, String)]) -> Result<(), StoreError> {
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    if let Some((last, _)) = taken.last()
        && *last > i64::from(known)
    {
        let found = u32::try_from(*last).unwrap_or(u32::MAX);
        return Err(StoreError::Newer { found, known });
    }
    for ((number, step), migration) in (1..).zip(taken).zip(MIGRATIONS) {
        if step.0 != number {
            return Err(StoreError::Damaged(format!("migration {number} was never applied")));
        }
        if step.1 != checksum(migration) {
            let why = format!("migration {number} differs from the one that was applied");
            return Err(StoreError::Damaged(why));
        }
    }
    Ok(())
}

fn checksum(migration: &Migration) -> String {
    crate::hex::encode(&Sha256::digest(migration.sql))
}
