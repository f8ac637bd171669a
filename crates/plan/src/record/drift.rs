//! How what exists compares with what was applied, as it was last looked at.

use serde::{Deserialize, Serialize};

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

/// What the last look at a resource found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drift {
    /// How it stands.
    pub state: DriftState,
    /// Where it differs, as RFC 6901 pointers; no value is kept.
    pub paths: Vec<String>,
    /// Why it cannot be told, where it cannot.
    pub reason: Option<String>,
    /// When it was looked at.
    pub checked_at: Timestamp,
}
