//! What handlers know of a request besides its route and its body.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hangar_plan::operation::OperationId;
use hangar_plan::record::Repeatability;
use http::request::Parts;
use http::{HeaderMap, Method};
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;

use crate::access::{Reads, Writes};
use crate::admission::Turn;
use crate::api_version::ApiVersion;
use crate::body::Sent;
use crate::condition::Conditions;
use crate::error::{ApiError, Code};
use crate::seal::Seal;
use crate::urls::Urls;

/// The head of a request.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) method: Method,
    /// Path and query as they came.
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) version: Option<ApiVersion>,
    pub(crate) correlation_id: String,
    /// The operation whose run asks, where it is one that does.
    pub(crate) run: Option<OperationId>,
}

impl Head {
    pub(crate) fn new(
        parts: Parts,
        version: Option<ApiVersion>,
        correlation_id: String,
        run: Option<OperationId>,
    ) -> Self {
        let target = parts.uri.path_and_query().map_or_else(String::new, ToString::to_string);
        Self { method: parts.method, target, headers: parts.headers, version, correlation_id, run }
    }
}

/// All that a handler of a read has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) reads: &'a Reads,
    pub(crate) urls: &'a Urls,
    pub(crate) seal: &'a Seal,
    pub(crate) head: &'a Head,
}

impl View<'_> {
    pub(crate) fn conditions(&self) -> Result<Conditions, ApiError> {
        Conditions::of(&self.head.headers)
    }

    pub(crate) fn version(&self) -> Option<&ApiVersion> {
        self.head.version.as_ref()
    }
}

/// All that a handler of a write has.
#[derive(Debug)]
pub(crate) struct Deed<'a> {
    pub(crate) view: View<'a>,
    pub(crate) writes: &'a Writes,
    body: Mutex<Sent>,
    turn: Turn,
}

impl<'a> Deed<'a> {
    pub(crate) fn new(view: View<'a>, writes: &'a Writes, body: Sent, turn: Turn) -> Self {
        Self { view, writes, body: Mutex::new(body), turn }
    }

    /// What was sent.
    pub(crate) fn body(&self) -> Option<Value> {
        match &*self.kept_body() {
            Sent::Json(body) => Some(body.clone()),
            Sent::Nothing | Sent::State(_) => None,
        }
    }

    /// The Terraform state that was sent; it is given once, for there is room for one of it.
    pub(crate) fn take_state(&self) -> Option<Vec<u8>> {
        match std::mem::replace(&mut *self.kept_body(), Sent::Nothing) {
            Sent::State(content) => Some(content),
            Sent::Nothing | Sent::Json(_) => None,
        }
    }

    /// Lets the body go and gives place and room to others, for a place among those who wait for an accepted write;
    /// nothing where too many wait already.
    pub(crate) fn wait(&self) -> Option<OwnedSemaphorePermit> {
        *self.kept_body() = Sent::Nothing;
        self.turn.wait()
    }

    fn kept_body(&self) -> MutexGuard<'_, Sent> {
        self.body.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The caller's name for the request, with a hash that tells whether it is the same again.
    pub(crate) fn repeatability(&self) -> Result<Option<Repeatability>, ApiError> {
        let head = self.view.head;
        let Some(value) = head.headers.get(REPEATABILITY) else { return Ok(None) };
        let text = value.to_str().unwrap_or_default().trim();
        if !(1..=128).contains(&text.len()) {
            return Err(ApiError::new(
                Code::InvalidHeader,
                format!("`{REPEATABILITY}` must be 1 to 128 ASCII characters, such as a UUID"),
            ));
        }
        let request = format!("{} {}", head.method, head.target);
        let body_hash = match &*self.kept_body() {
            Sent::Json(body) => self.view.seal.hash(&request, Some(body)),
            Sent::Nothing | Sent::State(_) => self.view.seal.hash(&request, None),
        };
        Ok(Some(Repeatability { request_id: text.to_owned(), body_hash }))
    }
}

const REPEATABILITY: &str = "repeatability-request-id";
