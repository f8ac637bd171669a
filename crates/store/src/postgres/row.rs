//! A row as it is read: what is not as we wrote it is damage, told with its table and key.

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use serde::de::DeserializeOwned;
use tokio_postgres::types::FromSql;

use crate::StoreError;

/// A table and the columns that tell its rows apart.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) key: &'static [&'static str],
}

/// One row of a table.
pub(super) struct Row<'r> {
    pub(super) table: &'static Table,
    pub(super) row: &'r tokio_postgres::Row,
}

impl<'r> Row<'r> {
    /// A column as it is.
    pub(super) fn get<T: FromSql<'r>>(&self, column: &str) -> Result<T, StoreError> {
        self.row.try_get(column).map_err(|error| self.damaged(column, &error.to_string()))
    }

    /// A count, which is never below zero.
    pub(super) fn count(&self, column: &str) -> Result<u64, StoreError> {
        let count: i64 = self.get(column)?;
        u64::try_from(count).map_err(|_| self.damaged(column, "a negative count"))
    }

    pub(super) fn instant(&self, column: &str) -> Result<Timestamp, StoreError> {
        self.get(column).map(Timestamp::from_micros)
    }

    pub(super) fn instant_if_any(&self, column: &str) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.get::<Option<i64>>(column)?.map(Timestamp::from_micros))
    }

    pub(super) fn operation(&self, column: &str) -> Result<OperationId, StoreError> {
        let text: &str = self.get(column)?;
        OperationId::parse(text).ok_or_else(|| self.damaged(column, "not an operation's id"))
    }

    pub(super) fn operation_if_any(&self, column: &str) -> Result<Option<OperationId>, StoreError> {
        match self.get::<Option<&str>>(column)? {
            Some(_) => self.operation(column).map(Some),
            None => Ok(None),
        }
    }

    /// A column of JSON.
    pub(super) fn json<T: DeserializeOwned>(&self, column: &str) -> Result<T, StoreError> {
        let text: &str = self.get(column)?;
        // The parser's own words may quote the value.
        serde_json::from_str(text).map_err(|error| {
            self.damaged(column, &format!("cannot be read at character {}", error.column()))
        })
    }

    /// A column of JSON that may be null.
    pub(super) fn json_if_any<T: DeserializeOwned>(
        &self,
        column: &str,
    ) -> Result<Option<T>, StoreError> {
        if self.get::<Option<&str>>(column)?.is_none() {
            return Ok(None);
        }
        self.json(column).map(Some)
    }

    /// Damage in this row. The message holds no value of it.
    pub(super) fn damaged(&self, column: &str, why: &str) -> StoreError {
        let part = |name: &&str| {
            let text = self.row.try_get::<_, &str>(*name).map(str::to_owned);
            text.or_else(|_| self.row.try_get::<_, i64>(*name).map(|number| number.to_string()))
                .unwrap_or_else(|_| "?".to_owned())
        };
        let key: Vec<String> = self.table.key.iter().map(part).collect();
        let (table, key) = (self.table.name, key.join("/"));
        StoreError::Damaged(format!("{table} `{key}`, column {column}: {why}"))
    }
}

/// Text that PostgreSQL takes: it has no zero bytes.
pub(super) fn to_text(text: &str) -> String {
    text.replace('\0', "\u{FFFD}")
}
