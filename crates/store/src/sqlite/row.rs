//! A row as it is read: what is not as we wrote it is damage, told with its table and key.

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use rusqlite::types::{FromSql, ValueRef};
use serde::de::DeserializeOwned;

use crate::StoreError;

/// A table and the columns that tell its rows apart.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) key: &'static [&'static str],
}

/// One row of a table.
pub(super) struct Row<'r> {
    pub(super) table: &'static Table,
    pub(super) row: &'r rusqlite::Row<'r>,
}

impl Row<'_> {
    /// A column as it is.
    pub(super) fn get<T: FromSql>(&self, column: &str) -> Result<T, StoreError> {
        self.row.get(column).map_err(|error| self.damaged(column, &error.to_string()))
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
        let text: String = self.get(column)?;
        OperationId::parse(&text).ok_or_else(|| self.damaged(column, "not an operation's id"))
    }

    /// A column of JSON.
    pub(super) fn json<T: DeserializeOwned>(&self, column: &str) -> Result<T, StoreError> {
        let text =
            self.row.get_ref(column).map_err(|error| self.damaged(column, &error.to_string()))?;
        let text = text.as_str().map_err(|error| self.damaged(column, &error.to_string()))?;
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
        match self.row.get_ref(column) {
            Ok(ValueRef::Null) => Ok(None),
            _ => self.json(column).map(Some),
        }
    }

    /// Damage in this row. The message holds no value of it.
    pub(super) fn damaged(&self, column: &str, why: &str) -> StoreError {
        let part = |name: &&str| match self.row.get_ref(*name) {
            Ok(ValueRef::Integer(number)) => number.to_string(),
            Ok(ValueRef::Text(text)) => String::from_utf8_lossy(text).into_owned(),
            _ => "?".to_owned(),
        };
        let key: Vec<String> = self.table.key.iter().map(part).collect();
        let (table, key) = (self.table.name, key.join("/"));
        StoreError::Damaged(format!("{table} `{key}`, column {column}: {why}"))
    }
}
