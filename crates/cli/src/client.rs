//! The HTTP API as its callers see it: requests, answers, refusals.
//!
//! It sends one request at a time and repeats none: who may wait, repeat or go elsewhere is
//! [`crate::session`]'s to decide.

pub(crate) mod arm_error;
pub(crate) mod deployment;
pub(crate) mod endpoint;
pub(crate) mod exchange;
pub(crate) mod ids;
pub(crate) mod instant;
pub(crate) mod learned;
pub(crate) mod recipe;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod scope_mismatch;
pub(crate) mod shape;
mod sse;
pub(crate) mod stream;
pub(crate) mod token;
pub(crate) mod waiting;

use endpoint::Endpoint;
use exchange::ExchangeError;
use reply::Reply;
use request::Request;
use token::Token;

/// Sent with every call; any well-formed version is accepted.
pub(crate) const API_VERSION: &str = "2023-10-01-preview";

/// A control plane that answers somewhere, and what proves to it that we may ask.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    endpoint: Endpoint,
    token: Option<Token>,
}

impl Client {
    pub(crate) fn new(endpoint: Endpoint, token: Option<Token>) -> Self {
        Self { endpoint, token }
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Sends a request once; whatever the status, an answer is an answer.
    pub(crate) async fn send(&self, request: &Request) -> Result<Reply, ExchangeError> {
        let http = request.to_http(&self.endpoint, self.token.as_ref())?;
        let answer =
            exchange::perform(&self.endpoint, http, request.deadline(), request.most()).await?;
        if request.wants_bytes() { Reply::take(answer) } else { Reply::read(&answer) }
    }
}
