//! The suite that every provider runs, and a check that it can fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hangar_provider::conformance::{self, Pace, Subject};
use hangar_provider::{
    Answer, ErrorClass, Identity, ListPage, Observation, Place, Progress, Provider, RequestFilter,
    RequestPage, Target,
};
use serde_json::{Value, json};

use crate::cloud::{nobody, place, provider, simulator};

async fn subject(pace: Pace, wrap: impl Fn(Arc<dyn Provider>) -> Arc<dyn Provider>) -> Subject {
    let hang = json!({"operation": "CreateResource", "effect": "hang", "times": 1000});
    let faults = if pace == Pace::Held { vec![hang] } else { Vec::new() };
    let running = simulator(&faults).await;
    Subject {
        provider: wrap(Arc::new(provider(&running.url()).0)),
        unreachable: wrap(Arc::new(provider(&nobody()).0)),
        place: place(),
        mark: "suite".to_owned(),
        more_than_a_page_of_resources: 5,
        more_than_a_page_of_requests: 101,
        pause: Box::new(|| Box::pin(tokio::time::sleep(Duration::from_millis(1)))),
        keep: Box::new(running),
    }
}

#[tokio::test]
async fn the_provider_keeps_the_contract() {
    let broken = conformance::run(|pace| subject(pace, |provider| provider)).await;
    assert!(broken.is_empty(), "{broken:#?}");
}

#[tokio::test]
async fn the_suite_finds_a_provider_that_breaks_the_contract() {
    for (fault, claims) in [
        (
            Wrong::FreshTokens,
            &[
                "a create sent again with its token is the same request",
                "a token with another document is a conflict",
            ][..],
        ),
        (Wrong::AbsentOnError, &["an unknown type is unsupported"]),
        (Wrong::OnePage, &["the pages of a list hold each resource once"]),
        (Wrong::NoFilter, &["the requests hold what was made, by verb and by state"]),
    ] {
        let wrap = |inner| -> Arc<dyn Provider> {
            Arc::new(Faulty { inner, fault, count: AtomicUsize::new(0) })
        };
        let broken = conformance::run(|pace| subject(pace, wrap)).await;
        let names: Vec<&str> = broken.iter().map(|it| it.claim).collect();
        assert_eq!(names, claims, "{fault:?}: {broken:#?}");
    }
}

/// A way to get the contract wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// Each create has a token of its own, as the SDK would make one up.
    FreshTokens,
    /// A read that fails counts as an absence.
    AbsentOnError,
    /// Only the first page of a list is given.
    OnePage,
    /// Requests are not filtered.
    NoFilter,
}

/// A provider that gets one thing wrong.
#[derive(Debug)]
struct Faulty {
    inner: Arc<dyn Provider>,
    fault: Wrong,
    count: AtomicUsize,
}

impl Provider for Faulty {
    fn observe<'a>(&'a self, target: &'a Target, identifier: &'a str) -> Answer<'a, Observation> {
        Box::pin(async move {
            match self.inner.observe(target, identifier).await {
                Err(error)
                    if self.fault == Wrong::AbsentOnError
                        && error.class != ErrorClass::Unreachable =>
                {
                    Ok(Observation::Absent)
                }
                observed => observed,
            }
        })
    }

    fn create<'a>(
        &'a self,
        target: &'a Target,
        desired: &'a Value,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        Box::pin(async move {
            let number = self.count.fetch_add(1, Ordering::SeqCst);
            let is_fresh = self.fault == Wrong::FreshTokens;
            let token = if is_fresh { format!("{token}-{number}") } else { token.to_owned() };
            self.inner.create(target, desired, &token).await
        })
    }

    fn update<'a>(
        &'a self,
        target: &'a Target,
        identifier: &'a str,
        patch: &'a Value,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        self.inner.update(target, identifier, patch, token)
    }

    fn delete<'a>(
        &'a self,
        target: &'a Target,
        identifier: &'a str,
        token: &'a str,
    ) -> Answer<'a, Progress> {
        self.inner.delete(target, identifier, token)
    }

    fn poll<'a>(&'a self, place: &'a Place, request_token: &'a str) -> Answer<'a, Progress> {
        self.inner.poll(place, request_token)
    }

    fn requests<'a>(
        &'a self,
        place: &'a Place,
        filter: &'a RequestFilter,
        next: Option<&'a str>,
    ) -> Answer<'a, RequestPage> {
        Box::pin(async move {
            let none = RequestFilter::default();
            let filter = if self.fault == Wrong::NoFilter { &none } else { filter };
            self.inner.requests(place, filter, next).await
        })
    }

    fn cancel<'a>(&'a self, place: &'a Place, request_token: &'a str) -> Answer<'a, Progress> {
        self.inner.cancel(place, request_token)
    }

    fn list<'a>(
        &'a self,
        target: &'a Target,
        parent: Option<&'a Value>,
        limit: u32,
        next: Option<&'a str>,
    ) -> Answer<'a, ListPage> {
        Box::pin(async move {
            let mut page = self.inner.list(target, parent, limit, next).await?;
            page.next = page.next.filter(|_| self.fault != Wrong::OnePage);
            Ok(page)
        })
    }

    fn describe_type<'a>(&'a self, target: &'a Target) -> Answer<'a, Value> {
        self.inner.describe_type(target)
    }

    fn identity<'a>(&'a self, place: &'a Place) -> Answer<'a, Identity> {
        self.inner.identity(place)
    }
}
