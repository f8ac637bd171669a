//! A page of references as a query: an index leads straight to its first row, however deep it is.

use std::cmp::Ordering;

use hangar_plan::record::GroupName;
use rusqlite::types::Value;

use super::row::{to_limit, to_word};
use crate::{ReferenceFilter, ReferencePosition};

/// Sorts after every alias.
const AFTER_ALL: &str = "\u{10FFFF}";

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

/// The columns that a page moves along, and what it has passed of them.
struct Start {
    along: &'static str,
    passed: Vec<String>,
}

/// Where a page begins. A position need not be of the same list: one in another group or type is
/// brought to the place that it has among the rows of this one.
fn start(
    group: Option<&str>,
    type_key: Option<&str>,
    after: Option<ReferencePosition>,
) -> Option<Start> {
    let nothing = String::new;
    let after = after.unwrap_or_else(|| ReferencePosition {
        group: nothing(),
        type_key: nothing(),
        alias: nothing(),
    });
    let start = match (group, type_key) {
        (None, None) => Start {
            along: "group_key, type_key, alias_key",
            passed: vec![after.group, after.type_key, after.alias],
        },
        (Some(group), None) => Start {
            along: "type_key, alias_key",
            passed: match after.group.as_str().cmp(group) {
                Ordering::Less => vec![nothing(), nothing()],
                Ordering::Equal => vec![after.type_key, after.alias],
                Ordering::Greater => return None,
            },
        },
        (Some(group), Some(type_key)) => Start {
            along: "alias_key",
            passed: match (after.group.as_str(), after.type_key.as_str()).cmp(&(group, type_key)) {
                Ordering::Less => vec![nothing()],
                Ordering::Equal => vec![after.alias],
                Ordering::Greater => return None,
            },
        },
        (None, Some(type_key)) => Start {
            along: "group_key, alias_key",
            passed: match after.type_key.as_str().cmp(type_key) {
                Ordering::Less => vec![after.group, nothing()],
                Ordering::Equal => vec![after.group, after.alias],
                Ordering::Greater => vec![after.group, AFTER_ALL.to_owned()],
            },
        },
    };
    Some(start)
}
