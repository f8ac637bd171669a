//! The AWS of a process that dies at one of its calls.

use std::sync::Arc;

use hangar_provider::{
    Answer, Identity, ListPage, Observation, Place, Progress, Provider, RequestFilter, RequestPage,
    Target,
};
use serde_json::Value;

use super::{Death, Of, When};

/// An AWS, and the call at which its process dies.
#[derive(Debug)]
pub(super) struct MortalAws {
    death: Arc<Death>,
    inner: Arc<dyn Provider>,
}

impl MortalAws {
    pub(super) fn new(death: Arc<Death>, inner: Arc<dyn Provider>) -> Self {
        Self { death, inner }
    }

    fn call<'a, T: Send + 'a>(&'a self, name: &'static str, call: Answer<'a, T>) -> Answer<'a, T> {
        Box::pin(async move {
            self.death.passes(Of::Aws, name, When::Before);
            let answer = call.await;
            self.death.passes(Of::Aws, name, When::After);
            answer
        })
    }
}

impl Provider for MortalAws {
    fn observe<'a>(&'a self, target: &'a Target, identifier: &'a str) -> Answer<'a, Observation> {
        self.call("observe", self.inner.observe(target, identifier))
    }

    fn create<'a>(
        &'a self,
        target: &'a Target,
        desired: &'a Value,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        self.call("create", self.inner.create(target, desired, token))
    }

    fn update<'a>(
        &'a self,
        target: &'a Target,
        identifier: &'a str,
        patch: &'a Value,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        self.call("update", self.inner.update(target, identifier, patch, token))
    }

    fn delete<'a>(
        &'a self,
        target: &'a Target,
        identifier: &'a str,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        self.call("delete", self.inner.delete(target, identifier, token))
    }

    fn poll<'a>(&'a self, place: &'a Place, request_token: &'a str) -> Answer<'a, Progress> {
        self.call("poll", self.inner.poll(place, request_token))
    }

    fn requests<'a>(
        &'a self,
        place: &'a Place,
        filter: &'a RequestFilter,
        next: Option<&'a str>,
    ) -> Answer<'a, RequestPage> {
        self.call("requests", self.inner.requests(place, filter, next))
    }

    fn cancel<'a>(&'a self, place: &'a Place, request_token: &'a str) -> Answer<'a, Progress> {
        self.call("cancel", self.inner.cancel(place, request_token))
    }

    fn list<'a>(
        &'a self,
        target: &'a Target,
        parent: Option<&'a Value>,
        limit: u32,
        next: Option<&'a str>,
    ) -> Answer<'a, ListPage> {
        self.call("list", self.inner.list(target, parent, limit, next))
    }

    fn describe_type<'a>(&'a self, target: &'a Target) -> Answer<'a, Value> {
        self.call("describe_type", self.inner.describe_type(target))
    }

    fn identity<'a>(&'a self, place: &'a Place) -> Answer<'a, Identity> {
        self.call("identity", self.inner.identity(place))
    }
}
