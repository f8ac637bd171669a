//! What the calls of Cloud Control answer.

use super::call::{Operation, Status};
use super::refusal::HandlerErrorCode;
use super::time::Timestamp;

/// How far a request is, as a caller sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgressEvent {
    /// The type of the resource.
    pub type_name: String,
    /// Its identifier, once that is known.
    pub identifier: Option<String>,
    /// The request.
    pub request_token: String,
    /// What it does.
    pub operation: Operation,
    /// How far it is.
    pub status: Status,
    /// When it came so far.
    pub event_time: Timestamp,
    /// The model that an update will leave, in its first answer.
    pub resource_model: Option<String>,
    /// Why it failed, in words.
    pub status_message: Option<String>,
    /// Why it failed.
    pub error_code: Option<HandlerErrorCode>,
    /// When to ask again.
    pub retry_after: Option<Timestamp>,
}

/// A resource as reads and lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Its identifier.
    pub identifier: String,
    /// Its properties, JSON.
    pub properties: String,
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// To a write, a poll or a cancel.
    Progress(Box<ProgressEvent>),
    /// To a read.
    Resource {
        /// The type.
        type_name: String,
        /// The resource.
        description: Description,
    },
    /// To a list of resources.
    Resources {
        /// The type.
        type_name: String,
        /// One page.
        descriptions: Vec<Description>,
        /// Where the next page begins.
        next_token: Option<String>,
    },
    /// To a list of requests.
    Requests {
        /// One page, the latest first.
        events: Vec<ProgressEvent>,
        /// Where the next page begins.
        next_token: Option<String>,
    },
}
