//! A resource group: where aliases live, and their defaults.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Version;
use super::reference::AwsScope;
use crate::Timestamp;
use crate::operation::OperationId;

/// The name of a group: its plane and its own, as first spelt.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GroupName {
    /// The name of the radius plane (`local`).
    pub plane: String,
    /// The group's own name.
    pub group: String,
}

impl GroupName {
    /// The form that is compared and ordered by.
    pub fn key(&self) -> String {
        format!("{}/{}", self.plane, self.group).to_ascii_lowercase()
    }

    /// Whether a group may be called so, by ARM's rules: 1 to 90 letters, digits, `-`, `_`, `.`, `(` and `)`, with no
    /// `.` at the end.
    pub fn is_fit(name: &str) -> bool {
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '(' | ')');
        let length = name.chars().count();
        (1..=90).contains(&length) && name.chars().all(allowed) && !name.ends_with('.')
    }

    /// Its resource id.
    pub fn id(&self) -> String {
        format!("/planes/radius/{}/resourceGroups/{}", self.plane, self.group)
    }
}

/// Whether a group takes writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupState {
    /// It does.
    Ready,
    /// It is being deleted: every write in it is refused.
    Deleting,
}

/// A resource group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Its name.
    pub name: GroupName,
    /// Whether it takes writes.
    pub state: GroupState,
    /// The operation that deletes it, while it does.
    #[serde(default)]
    pub operation: Option<OperationId>,
    /// The caller's own.
    pub location: Option<String>,
    /// The caller's own.
    pub tags: BTreeMap<String, String>,
    /// Where its AWS resources go unless a request says otherwise.
    pub aws_scope: Option<AwsScope>,
    /// The rest of its properties, as the caller gave them.
    pub properties: BTreeMap<String, Value>,
    /// The secrets of its recipes by name, each sealed, in hex.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<String, String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its caller last changed it.
    pub updated_at: Timestamp,
    /// How often it was written.
    pub version: Version,
}
