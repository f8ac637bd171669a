//! Where a page of references begins: pure, for every database that has an index to lead there.

use std::cmp::Ordering;

use crate::ReferencePosition;

/// Sorts after every alias.
const AFTER_ALL: &str = "\u{10FFFF}";

/// The columns that a page moves along, and what it has passed of them.
pub(crate) struct Start {
    pub(crate) along: &'static str,
    pub(crate) passed: Vec<String>,
}

/// Where a page begins. A position need not be of the same list: one in another group or type is
/// brought to the place that it has among the rows of this one.
pub(crate) fn start(
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
