//! What surrounds every request: its ids, its span, its deadline, its metrics; and panics end here.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use axum::body::Body;
use http::header::{CACHE_CONTROL, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, Request, Response};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::answer::Answer;
use crate::dispatch::{Trail, dispatch};
use crate::error::{ApiError, Code};
use crate::shared::Shared;

/// Every call answers within a minute: what stands before ARM services gives up then.
const DEADLINE: Duration = Duration::from_secs(55);

const REQUEST_ID: HeaderName = HeaderName::from_static("x-ms-request-id");
const CORRELATION_ID: HeaderName = HeaderName::from_static("x-ms-correlation-request-id");
const CLIENT_ID: HeaderName = HeaderName::from_static("x-ms-client-request-id");
const RETURN_CLIENT_ID: HeaderName = HeaderName::from_static("x-ms-return-client-request-id");

/// Answers a request, whatever happens.
pub(crate) async fn respond(shared: &Shared, request: Request<Body>) -> Response<Body> {
    let started = Instant::now();
    let request_id = Uuid::now_v7().to_string();
    let ids = Ids::of(request.headers());
    let span = tracing::info_span!(
        "request",
        request.id = %request_id,
        correlation.id = %ids.correlation,
        client_request.id = ids.client_text(),
        method = %request.method(),
        route = tracing::field::Empty,
        resource.id = tracing::field::Empty,
        operation.id = tracing::field::Empty,
    );
    let trail = Trail::default();
    let path = loggable(request.uri().path());
    let answer = async {
        // Boxed: all handlers together are large, and every connection would hold that much.
        let work = Box::pin(dispatch(shared, request, ids.correlation.clone(), &trail));
        let result = settled(work, DEADLINE).await;
        let (response, refused) = match result {
            Ok(answer) => (answer.into_response(), None),
            Err(error) => (Answer::from(&error).into_response(), Some(error)),
        };
        let (status, took) = (response.status().as_u16(), started.elapsed());
        let elapsed_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let code = refused.as_ref().map(ApiError::code);
        // Of the others the span has route and id.
        let path = trail.is_unrouted().then_some(path.as_str());
        tracing::info!(status, elapsed_ms, code, path, "answered");
        shared.metrics.answered(trail.route(), status, took);
        response
    };
    let mut response = answer.instrument(span).await;
    ids.write(&request_id, response.headers_mut());
    response
}

/// As much of a path is logged: callers without a token choose it.
const MAX_LOGGED_PATH: usize = 200;

/// Returns the path as the log shows it. The query is left out.
fn loggable(path: &str) -> String {
    match path.char_indices().nth(MAX_LOGGED_PATH) {
        Some((end, _)) => format!("{}…", &path[..end]),
        None => path.to_owned(),
    }
}

/// The ids that a caller gives a request; none of them is trusted to be unique.
struct Ids {
    correlation: String,
    client: Option<HeaderValue>,
    echo: Echo,
}

/// Whether the caller wants its own id back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Echo {
    Wanted,
    NotWanted,
}

impl Ids {
    fn of(headers: &HeaderMap) -> Self {
        let correlation = headers
            .get(CORRELATION_ID)
            .and_then(|value| value.to_str().ok())
            .filter(|text| (1..=128).contains(&text.len()))
            .map_or_else(|| Uuid::now_v7().to_string(), str::to_owned);
        let wanted = headers
            .get(RETURN_CLIENT_ID)
            .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"));
        let client = headers.get(CLIENT_ID).filter(|value| value.len() <= 128).cloned();
        Self { correlation, client, echo: if wanted { Echo::Wanted } else { Echo::NotWanted } }
    }

    /// The caller's own id, for the log.
    fn client_text(&self) -> Option<&str> {
        self.client.as_ref().and_then(|value| value.to_str().ok())
    }

    fn write(&self, request_id: &str, headers: &mut HeaderMap) {
        for (name, text) in [(REQUEST_ID, request_id), (CORRELATION_ID, &self.correlation)] {
            if let Ok(value) = HeaderValue::from_str(text) {
                headers.insert(name, value);
            }
        }
        if let Some(client) = self.client.as_ref().filter(|_| self.echo == Echo::Wanted) {
            headers.insert(CLIENT_ID, client.clone());
        }
        headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    }
}

/// What the work answers, whatever happens to it: one that takes too long, or panics, is an error.
async fn settled(
    work: impl Future<Output = Result<Answer, ApiError>>,
    within: Duration,
) -> Result<Answer, ApiError> {
    match caught(tokio::time::timeout(within, work)).await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => {
            let message = "the request took too long; the operations that it started continue";
            Err(ApiError::new(Code::GatewayTimeout, message))
        }
        Err(panic) => {
            tracing::error!(panic = panic_text(&*panic), "a request panicked");
            let message = "internal error of the server; its log has the request's id";
            Err(ApiError::new(Code::InternalError, message))
        }
    }
}

/// The work's output, or what it panicked with.
async fn caught<T>(work: impl Future<Output = T>) -> Result<T, Box<dyn Any + Send>> {
    let mut work = pin!(work);
    // The work is not polled again after a panic, so nobody sees what it left half done.
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("not a string")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_caught_and_other_work_is_not_touched() {
        let panicked = caught(async { panic!("oh {}", "no") }).await;
        let panicked: Result<(), _> = panicked;
        assert_eq!(panic_text(&*panicked.unwrap_err()), "oh no");
        assert_eq!(caught(async { 5 }).await.unwrap(), 5);
    }

    #[tokio::test]
    async fn a_panic_and_a_delay_are_answered_and_say_nothing_of_the_cause() {
        let within = Duration::from_millis(20);
        let error = settled(async { panic!("a secret") }, within).await.unwrap_err();
        assert_eq!((error.status().as_u16(), error.code()), (500, "InternalError"));
        assert!(!error.body().to_string().contains("secret"));
        let error = settled(std::future::pending(), within).await.unwrap_err();
        assert_eq!((error.status().as_u16(), error.code()), (504, "GatewayTimeout"));
        let answered = async { Ok(Answer::empty(http::StatusCode::NO_CONTENT)) };
        assert!(settled(answered, within).await.is_ok());
    }

    #[test]
    fn ids_are_kept_made_and_echoed_when_asked() {
        let mut headers = HeaderMap::new();
        headers.insert(CORRELATION_ID, HeaderValue::from_static("c-1"));
        headers.insert(CLIENT_ID, HeaderValue::from_static("mine"));
        let ids = Ids::of(&headers);
        assert_eq!((ids.correlation.as_str(), ids.client_text()), ("c-1", Some("mine")));
        let mut silent = HeaderMap::new();
        ids.write("r-0", &mut silent);
        assert_eq!(silent.get(CLIENT_ID), None);
        headers.insert(RETURN_CLIENT_ID, HeaderValue::from_static("True"));
        let mut answered = HeaderMap::new();
        Ids::of(&headers).write("r-1", &mut answered);
        assert_eq!(answered[REQUEST_ID], "r-1");
        assert_eq!(answered[CORRELATION_ID], "c-1");
        assert_eq!(answered[CLIENT_ID], "mine");
        assert_eq!(Ids::of(&HeaderMap::new()).correlation.len(), 36);
    }
}
