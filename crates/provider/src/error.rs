//! Why a call gave no answer that can be used, by what may be done next.

use std::time::Duration;

/// What an error means for the call that met it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The cloud answered that it will not: the call was not accepted, and repeating it is of no use.
    Refused,
    /// The cloud answered that it is asked too often: not accepted; repeat it later.
    Throttled,
    /// Another request works on the same resource: not accepted; repeat it when that one has ended.
    Busy,
    /// Nothing was sent (no connection, no credentials yet): not accepted; repeat it later.
    Unreachable,
    /// The call may or may not have been accepted: no answer, a cut answer, or a server error.
    Unanswered,
    /// The credentials are missing, expired or not allowed to do this: not accepted.
    Forbidden,
    /// The resource is not there (reads, updates and deletes).
    NotFound,
    /// The request token is not known (polls and cancels).
    UnknownRequest,
    /// The client token was used before with other parameters.
    TokenConflict,
    /// The type is not known to the cloud, or lacks the handler.
    Unsupported,
}

impl ErrorClass {
    /// Whether the cloud has certainly not accepted the call.
    pub const fn is_definite(self) -> bool {
        !matches!(self, Self::Unanswered | Self::TokenConflict)
    }
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ProviderError {
    /// What it means.
    pub class: ErrorClass,
    /// The cloud's own code (`ThrottlingException`), or a word of ours (`ConnectTimeout`).
    pub code: String,
    /// What the cloud said, unchanged; never a credential or a property value of ours.
    pub message: String,
    /// When the cloud wants to be asked again.
    pub retry_after: Option<Duration>,
    /// The request that stands in the way, where the cloud names it.
    pub blocked_by: Option<String>,
}
