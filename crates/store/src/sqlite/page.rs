//! A page of references as a query: an index leads straight to its first row, however deep it is.

use hangar_plan::record::GroupName;
use rusqlite::types::Value;

use crate::column::{to_limit, to_word};
use crate::position::{Start, start};
use crate::{ReferenceFilter, ReferencePosition};

/// A page of a list of references.
pub(super) struct Page {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Page {
    /// What it has of each reference; none where nothing can follow.
    pub(super) fn of(
        columns: &str,
        filter: &ReferenceFilter,
        after: Option<ReferencePosition>,
        limit: usize,
    ) -> Option<Self> {
        let group = filter.group.as_ref().map(GroupName::key);
        let type_key = filter.type_key.as_ref().map(|key| key.to_ascii_lowercase());
        let start = start(group.as_deref(), type_key.as_deref(), after)?;
        let state = filter.state.as_ref().map(to_word);
        let fixed = [("state", state), ("group_key", group), ("type_key", type_key)];

        let mut conditions = String::new();
        let mut values = Vec::new();
        for (column, value) in fixed {
            let Some(value) = value else { continue };
            conditions.push_str(column);
            conditions.push_str(" = ? AND ");
            values.push(Value::Text(value));
        }
        let Start { along, passed } = start;
        let marks = vec!["?"; passed.len()].join(", ");
        let sql = format!(
            "SELECT {columns} FROM reference WHERE {conditions}({along}) > ({marks})
            ORDER BY {along} LIMIT ?"
        );
        values.extend(passed.into_iter().map(Value::Text));
        values.push(Value::Integer(to_limit(limit)));
        Some(Self { sql, values })
    }
}
