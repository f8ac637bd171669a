//! AWS's form of a value that was sent, as the read after the write returned it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Timestamp;

/// A value that AWS returns in another form than it was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NormalForm {
    /// RFC 6901 pointer of the property; no element of an array is in it.
    pub path: String,
    /// The value that was sent.
    pub sent: FormValue,
    /// The value that the read after the write returned.
    pub seen: FormValue,
    /// When it was read.
    pub learned_at: Timestamp,
}

/// One side of a [`NormalForm`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FormValue {
    /// The property was not there.
    Absent,
    /// The value.
    Plain(Value),
    /// A keyed hash of a value that a caller marked secret.
    Hash(String),
}
