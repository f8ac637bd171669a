//! A connection as the queries use it: prepared once, rows decoded, errors told in our words.

use rusqlite::{Connection, Params};

use super::fault::fault;
use super::row::{Row, Table};
use crate::StoreError;

/// A connection in the middle of a read or a write.
pub(super) struct Database<'c>(pub(super) &'c Connection);

impl Database<'_> {
    /// The first row, if there is one.
    pub(super) fn find<T>(
        &self,
        table: &'static Table,
        sql: &str,
        params: impl Params,
        decode: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut statement = self.0.prepare_cached(sql).map_err(fault)?;
        let mut rows = statement.query(params).map_err(fault)?;
        match rows.next().map_err(fault)? {
            Some(row) => decode(&Row { table, row }).map(Some),
            None => Ok(None),
        }
    }

    /// Every row.
    pub(super) fn list<T>(
        &self,
        table: &'static Table,
        sql: &str,
        params: impl Params,
        mut decode: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.0.prepare_cached(sql).map_err(fault)?;
        let mut rows = statement.query(params).map_err(fault)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(fault)? {
            found.push(decode(&Row { table, row })?);
        }
        Ok(found)
    }

    /// Changes rows; gives how many.
    pub(super) fn change(&self, sql: &str, params: impl Params) -> Result<usize, StoreError> {
        self.0.prepare_cached(sql).and_then(|mut it| it.execute(params)).map_err(fault)
    }
}
