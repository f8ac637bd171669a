//! What happened to an operation, one line at a time.

use crate::operation::OperationId;
use crate::{Timestamp, Waiting};

/// One thing that happened to an operation; written with the step that it tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRecord {
    /// The operation.
    pub operation: OperationId,
    /// Counts from 1 within the operation.
    pub sequence: u64,
    /// When.
    pub at: Timestamp,
    /// One clause for people; no property value is in it.
    pub message: String,
    /// Why the operation waited when this was recorded.
    pub waiting: Option<Waiting>,
}
