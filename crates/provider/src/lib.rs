//! The contract with a cloud: observe, create, update, delete, poll, list, cancel; and its error classes.
//!
//! Nothing here talks to anything: `provider-aws` does. An error says above all whether the call
//! can have been accepted, because that decides what may be done next.

#![forbid(unsafe_code)]

pub mod conformance;
mod credential;
mod error;
mod place;
mod request;
mod secret;

use std::future::Future;
use std::pin::Pin;

use serde_json::Value;

pub use credential::{AccessKey, Chosen, Credential, CredentialError, CredentialSource};
pub use error::{ErrorClass, ProviderError};
pub use place::{Identity, Place, Target};
pub use request::{
    HandlerErrorCode, ListPage, Listed, Progress, RequestFilter, RequestPage, RequestState,
    RequestVerb,
};
pub use secret::SecretText;

/// A future that a provider gives; boxed so that a provider can be a `dyn`.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, ProviderError>> + Send + 'a>>;

/// What a read found. A read that failed is an error, never an absence.
#[derive(Debug, Clone, PartialEq)]
pub enum Observation {
    /// The cloud says that there is no such resource.
    Absent,
    /// The live document, and the identifier as the cloud spells it.
    Present {
        /// As the cloud returned it.
        identifier: String,
        /// All that a read returns.
        properties: Value,
    },
}

/// Asks and acts on a cloud. Every write may be repeated with the same token: it is then the same request.
///
/// Implementations make exactly one call per method call (no hidden retries), each with a deadline.
pub trait Provider: Send + Sync + std::fmt::Debug {
    /// Reads one resource.
    fn observe<'a>(&'a self, target: &'a Target, identifier: &'a str) -> Answer<'a, Observation>;

    /// Asks for a resource to be made.
    fn create<'a>(
        &'a self,
        target: &'a Target,
        desired: &'a Value,
        token: &'a str,
    ) -> Answer<'a, Progress>;

    /// Asks for a resource to be changed by an RFC 6902 patch.
    fn update<'a>(
        &'a self,
        target: &'a Target,
        identifier: &'a str,
        patch: &'a Value,
        token: &'a str,
    ) -> Answer<'a, Progress>;

    /// Asks for a resource to be deleted.
    fn delete<'a>(
        &'a self,
        target: &'a Target,
        identifier: &'a str,
        token: &'a str,
    ) -> Answer<'a, Progress>;

    /// How a request is doing.
    fn poll<'a>(&'a self, place: &'a Place, request_token: &'a str) -> Answer<'a, Progress>;

    /// One page of the requests of a place, newest first where the cloud says nothing else.
    fn requests<'a>(
        &'a self,
        place: &'a Place,
        filter: &'a RequestFilter,
        next: Option<&'a str>,
    ) -> Answer<'a, RequestPage>;

    /// Asks for a running request to be stopped.
    fn cancel<'a>(&'a self, place: &'a Place, request_token: &'a str) -> Answer<'a, Progress>;

    /// One page of the resources of a type; `parent` holds what types that list under a parent need.
    fn list<'a>(
        &'a self,
        target: &'a Target,
        parent: Option<&'a Value>,
        limit: u32,
        next: Option<&'a str>,
    ) -> Answer<'a, ListPage>;

    /// The type's schema as the cloud publishes it in that region.
    fn describe_type<'a>(&'a self, target: &'a Target) -> Answer<'a, Value>;

    /// Who the calls for a place are made as; no error where that is another account than the
    /// place's, as this is how a caller learns its own.
    fn identity<'a>(&'a self, place: &'a Place) -> Answer<'a, Identity>;
}
