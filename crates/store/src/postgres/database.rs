//! A session as the queries use it: prepared once, rows decoded, errors told in our words.

use std::sync::atomic::{AtomicU8, Ordering};

use deadpool_postgres::ClientWrapper;
use tokio_postgres::types::ToSql;

use super::fault::{Trouble, fault, trouble};
use super::row::{Row, Table};
use crate::StoreError;

/// What a statement is given.
pub(super) type Given<'p> = &'p [&'p (dyn ToSql + Sync)];

/// A session in the middle of a read or a write.
pub(super) struct Database<'c> {
    pub(super) client: &'c ClientWrapper,
    trouble: AtomicU8,
}

const NONE: u8 = 0;
const PLAIN: u8 = 1;
const MET: u8 = 2;
const GONE: u8 = 3;

impl<'c> Database<'c> {
    pub(super) fn new(client: &'c ClientWrapper) -> Self {
        Self { client, trouble: AtomicU8::new(NONE) }
    }

    /// What a statement failed for, if any did; the first failure of a transaction fails all after it.
    pub(super) fn trouble(&self) -> Option<Trouble> {
        match self.trouble.load(Ordering::Acquire) {
            NONE => None,
            MET => Some(Trouble::Met),
            GONE => Some(Trouble::Gone),
            _ => Some(Trouble::Plain),
        }
    }

    /// Notes and tells a failure.
    pub(super) fn failed(&self, error: &tokio_postgres::Error) -> StoreError {
        let kind = match trouble(error) {
            Trouble::Met => MET,
            Trouble::Gone => GONE,
            Trouble::Plain => PLAIN,
        };
        let first = self.trouble.compare_exchange(NONE, kind, Ordering::AcqRel, Ordering::Acquire);
        // A session that broke is of no use, whatever came before.
        if first.is_err() && kind == GONE {
            self.trouble.store(GONE, Ordering::Release);
        }
        fault(error)
    }

    /// Makes sure that statements are prepared, so that they can be sent one behind the other.
    pub(super) async fn prepare(&self, statements: &[&str]) -> Result<(), StoreError> {
        for sql in statements {
            self.client.prepare_cached(sql).await.map_err(|error| self.failed(&error))?;
        }
        Ok(())
    }

    pub(super) async fn query(
        &self,
        sql: &str,
        given: Given<'_>,
    ) -> Result<Vec<tokio_postgres::Row>, StoreError> {
        let asked = async {
            let statement = self.client.prepare_cached(sql).await?;
            self.client.query(&statement, given).await
        };
        asked.await.map_err(|error| self.failed(&error))
    }

    /// The first row, if there is one.
    pub(super) async fn find<T>(
        &self,
        table: &'static Table,
        sql: &str,
        given: Given<'_>,
        decode: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let rows = self.query(sql, given).await?;
        rows.first().map(|row| decode(&Row { table, row })).transpose()
    }

    /// Every row.
    pub(super) async fn list<T>(
        &self,
        table: &'static Table,
        sql: &str,
        given: Given<'_>,
        mut decode: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.query(sql, given).await?;
        rows.iter().map(|row| decode(&Row { table, row })).collect()
    }

    /// Changes rows; gives how many.
    pub(super) async fn change(&self, sql: &str, given: Given<'_>) -> Result<u64, StoreError> {
        let asked = async {
            let statement = self.client.prepare_cached(sql).await?;
            self.client.execute(&statement, given).await
        };
        asked.await.map_err(|error| self.failed(&error))
    }

    /// Says something that has no answer.
    pub(super) async fn say(&self, sql: &str) -> Result<(), StoreError> {
        self.client.batch_execute(sql).await.map_err(|error| self.failed(&error))
    }
}
