//! A page of references as a query: an index leads straight to its first row, however deep it is.

use std::fmt::Write as _;

use hangar_plan::record::GroupName;

use super::writing::Value;
use crate::column::{to_limit, to_word};
use crate::position::{Start, start};
use crate::{ReferenceFilter, ReferencePosition};

/// A page of a list of references.
pub(super) struct Page {
    pub(super) sql: String,
    pub(super) given: Vec<Value>,
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
        let Start { along, passed } = start(group.as_deref(), type_key.as_deref(), after)?;
        let state = filter.state.as_ref().map(to_word);
        let fixed = [("state", state), ("group_key", group), ("type_key", type_key)];

        let mut conditions = String::new();
        let mut given: Vec<Value> = Vec::new();
        for (column, value) in fixed {
            let Some(value) = value else { continue };
            given.push(Box::new(value));
            let _ = write!(conditions, "{column} = ${} AND ", given.len());
        }
        let mut marks = Vec::with_capacity(passed.len());
        for value in passed {
            given.push(Box::new(value));
            marks.push(format!("${}", given.len()));
        }
        given.push(Box::new(to_limit(limit)));
        let (marks, last) = (marks.join(", "), given.len());
        let sql = format!(
            "SELECT {columns} FROM reference WHERE {conditions}({along}) > ({marks})
            ORDER BY {along} LIMIT ${last}"
        );
        Some(Self { sql, given })
    }
}
