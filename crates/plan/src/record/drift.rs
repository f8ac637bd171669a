//! How what exists compares with what was applied, as it was last looked at.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Timestamp;

/// How a resource stands to what was applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DriftState {
    /// It is as it was applied.
    InSync,
    /// It differs.
    Drifted,
    /// It is gone.
    Missing,
    /// It cannot be told: nothing was applied, it cannot be read, or its reference is not settled.
    Unknown,
}

/// One value that is not what was applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// RFC 6901 pointer.
    pub path: String,
    /// The path with `[Key=env]` for elements that a key identifies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyed: Option<String>,
    /// What was applied; nothing if the property was added outside Hangar, or if it is secret.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub applied: Option<Value>,
    /// What AWS shows; nothing if the property was removed outside Hangar, or if it is secret.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub live: Option<Value>,
    /// Whether the values are secret.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
}

/// Keeps a null apart from an absent member.
fn present<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(reader).map(Some)
}

/// What the last look at a resource found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    /// How it stands.
    pub state: DriftState,
    /// Where it differs, as RFC 6901 pointers.
    pub paths: Vec<String>,
    /// What differs there, value by value; secrets are not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// Why it cannot be told, where it cannot.
    pub reason: Option<String>,
    /// When it was looked at.
    pub checked_at: Timestamp,
}
