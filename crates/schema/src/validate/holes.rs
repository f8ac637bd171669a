//! Parts of a document that are not known yet: a template is checked before its resources exist.
//!
//! Nothing is said because of such a part: it may come to any value, and to null.

use serde_json::{Map, Value};

/// How a document marks what is not known yet.
#[derive(Debug, Clone, Copy, Default)]
pub struct Holes<'a> {
    mark: Option<&'a str>,
}

impl<'a> Holes<'a> {
    /// All of the document is known.
    pub const NONE: Self = Self { mark: None };

    /// Where the document has this text for a value, that value is not known. The caller sees to it
    /// that no known value is this text.
    pub const fn marked(mark: &'a str) -> Self {
        Self { mark: Some(mark) }
    }

    /// Whether the value is not known.
    pub(super) fn has(self, value: &Value) -> bool {
        match (self.mark, value) {
            (Some(mark), Value::String(text)) => text == mark,
            _ => false,
        }
    }

    /// Whether the value, or something in it, is not known.
    pub(super) fn are_in(self, value: &Value) -> bool {
        self.mark.is_some()
            && match value {
                Value::Array(items) => items.iter().any(|item| self.are_in(item)),
                Value::Object(members) => members.values().any(|member| self.are_in(member)),
                _ => self.has(value),
            }
    }

    /// Whether a member is stated and cannot come to null.
    pub(super) fn is_surely_stated(self, members: &Map<String, Value>, name: &str) -> bool {
        members.get(name).is_some_and(|value| !value.is_null() && !self.has(value))
    }
}
