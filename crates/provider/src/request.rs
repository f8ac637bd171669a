//! What a cloud says of an asynchronous request.

use std::time::Duration;

use serde_json::Value;

/// What a request was to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestVerb {
    /// Make a resource.
    Create,
    /// Change one.
    Update,
    /// Delete one.
    Delete,
}

/// How far a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestState {
    /// Accepted, not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Ended well.
    Success,
    /// Ended badly; the error code and message say how.
    Failed,
    /// Being stopped.
    CancelInProgress,
    /// Stopped.
    Canceled,
}

impl RequestState {
    /// Whether it will never change again.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Success | Self::Failed | Self::Canceled)
    }
}

/// Why a handler failed: Cloud Control's `HandlerErrorCode`s, with what is not one of them kept as text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HandlerErrorCode(pub String);

/// How a request is doing.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Names the request for seven days.
    pub request_token: String,
    /// What it does.
    pub verb: RequestVerb,
    /// How far it is.
    pub state: RequestState,
    /// CloudFormation's name of the type.
    pub type_name: String,
    /// The resource's identifier, as soon as the cloud tells; can come before success, and with failure.
    pub identifier: Option<String>,
    /// The handler's error code, with failure.
    pub error_code: Option<HandlerErrorCode>,
    /// What the handler says; hook failures are told here too.
    pub message: Option<String>,
    /// When the cloud wants to be asked again, counted from the answer.
    pub retry_after: Option<Duration>,
    /// When the request was begun by the cloud's clock, in microseconds since 1970.
    pub event_at_micros: Option<i64>,
}

/// Which requests a list is to hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestFilter {
    /// Only those that do one of these; empty is all.
    pub verbs: Vec<RequestVerb>,
    /// Only those in one of these states; empty is all.
    pub states: Vec<RequestState>,
}

/// One page of requests.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestPage {
    /// The requests.
    pub requests: Vec<Progress>,
    /// Gives the next page.
    pub next: Option<String>,
}

/// One resource of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its identifier.
    pub identifier: String,
    /// As much of its properties as the cloud's list returns.
    pub properties: Value,
}

/// One page of resources.
#[derive(Debug, Clone, PartialEq)]
pub struct ListPage {
    /// The resources.
    pub resources: Vec<Listed>,
    /// Gives the next page.
    pub next: Option<String>,
}
