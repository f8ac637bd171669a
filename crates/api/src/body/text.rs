//! From the bytes of a body to one JSON value: limits, media type, UTF-8, strict JSON.

use std::fmt;
use std::time::Duration;

use axum::body::Body;
use hangar_diag::position_of;
use hangar_engine::STATE_LIMIT;
use hangar_schema::json;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::BodyExt;
use serde_json::Value;

use crate::error::{ApiError, Code};
use crate::route::Route;

/// What was sent.
pub(crate) enum Sent {
    Nothing,
    Json(Value),
    /// A Terraform state, byte for byte; it holds secrets.
    State(Vec<u8>),
}

impl fmt::Debug for Sent {
    /// Without what it holds: that can be passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "Nothing",
            Self::Json(_) => "Json(«body»)",
            Self::State(_) => "State(«state»)",
        })
    }
}

/// How long a body may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// One that is a Terraform state.
    State,
    /// One that holds the files of a template or a module.
    Template,
    /// One that holds properties of a resource.
    Resource,
    /// Any other.
    Plain,
}

impl Limit {
    pub(crate) const fn of(route: &Route) -> Self {
        match route {
            Route::StateWrite { .. } => Self::State,
            Route::DeploymentPut(_) | Route::DeploymentWhatIf(_) | Route::RecipePut(_) => {
                Self::Template
            }
            Route::ReferencePut(_)
            | Route::ReferencePatch(_)
            | Route::ResourcePut { .. }
            | Route::ResourcePatch { .. }
            | Route::ActionGet(_)
            | Route::ActionPut(_)
            | Route::ActionDelete(_) => Self::Resource,
            _ => Self::Plain,
        }
    }

    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::State => STATE_LIMIT,
            Self::Template => 4 << 20,
            Self::Resource => 512 << 10,
            Self::Plain => 64 << 10,
        }
    }
}

/// Reads a body, which must be there within a time; one that is empty is none. A Terraform state is kept as it
/// is: what it holds is not ours to judge here.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: Body,
    limit: Limit,
    within: Duration,
) -> Result<Sent, ApiError> {
    if announced(headers).is_some_and(|length| length > limit.bytes() as u64) {
        discard(body, TOO_LARGE_BY * limit.bytes()).await;
        return Err(too_large(limit));
    }
    let received = tokio::time::timeout(within, received(headers, body, limit)).await;
    let bytes = received.unwrap_or_else(|_| {
        let message = format!("the body was not sent within {} seconds", within.as_secs());
        Err(ApiError::new(Code::RequestTimeout, message))
    })?;
    if bytes.is_empty() {
        return Ok(Sent::Nothing);
    }
    check_type(headers)?;
    match limit {
        Limit::State => Ok(Sent::State(bytes)),
        Limit::Template | Limit::Resource | Limit::Plain => parse(&bytes).map(Sent::Json),
    }
}

/// All of a body, in one piece of memory: of a large one there is no second copy.
async fn received(headers: &HeaderMap, mut body: Body, limit: Limit) -> Result<Vec<u8>, ApiError> {
    let announced = announced(headers).and_then(|length| usize::try_from(length).ok());
    let mut bytes = Vec::with_capacity(announced.unwrap_or_default().min(limit.bytes()));
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(ApiError::new(Code::InvalidRequestContent, "the body is incomplete"));
        };
        let Some(data) = frame.data_ref() else { continue };
        if data.len() > limit.bytes() - bytes.len() {
            return Err(too_large(limit));
        }
        bytes.extend_from_slice(data);
    }
    Ok(bytes)
}

/// How long a body says that it is.
pub(crate) fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Takes a body that nobody wants, for a moment: a caller that is still sending would not hear the answer, because a
/// connection that is closed over unread bytes is reset.
pub(crate) async fn discard(mut body: Body, at_most: usize) {
    let mut left = at_most;
    let taking = async {
        while let Some(Ok(frame)) = body.frame().await {
            let taken = frame.data_ref().map_or(0, bytes::Bytes::len);
            left = left.saturating_sub(taken);
            if left == 0 {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(DISCARD_WITHIN, taking).await;
}

const DISCARD_WITHIN: Duration = Duration::from_secs(1);

/// Who sends no more than this many times too much is heard to the end, and so hears why it is refused.
const TOO_LARGE_BY: usize = 4;

fn too_large(limit: Limit) -> ApiError {
    let message = format!("the body is longer than {} KiB", limit.bytes() >> 10);
    ApiError::new(Code::RequestEntityTooLarge, message)
}

/// A page of another site can send a form or plain text without asking, but not JSON.
fn check_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let refused = |message: &str| Err(ApiError::new(Code::UnsupportedMediaType, message));
    let encoding = headers.get(CONTENT_ENCODING).map_or(b"identity".as_slice(), |it| it.as_bytes());
    if !encoding.eq_ignore_ascii_case(b"identity") {
        return refused("compressed bodies are not supported; send it uncompressed");
    }
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut parts = given.split(';').map(str::trim);
    let media = parts.next().unwrap_or_default().to_ascii_lowercase();
    let is_json = media == "application/json"
        || (media.starts_with("application/") && media.ends_with("+json"));
    if !is_json {
        return refused("the body is not declared as JSON; send `Content-Type: application/json`");
    }
    let is_utf8 = parts.filter_map(|part| part.split_once('=')).all(|(name, value)| {
        let value = value.trim().trim_matches('"');
        !name.trim().eq_ignore_ascii_case("charset")
            || ["utf-8", "utf8", "us-ascii"].iter().any(|it| value.eq_ignore_ascii_case(it))
    });
    if is_utf8 { Ok(()) } else { refused("the body is not declared as UTF-8, which JSON requires") }
}

fn parse(bytes: &[u8]) -> Result<Value, ApiError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("the body is not valid UTF-8 from byte {}", error.valid_up_to());
        ApiError::new(Code::InvalidRequestContent, message)
    })?;
    let document = json::read(text).map_err(|found| {
        let place = found.span().map_or_else(String::new, |span| {
            let at = position_of(text, span.start);
            format!(" (line {}, column {})", at.line, at.column)
        });
        let mut placed = found;
        placed.message = unquoted(&placed.message);
        placed.message.push_str(&place);
        ApiError::diagnosed(Code::InvalidRequestContent, &placed)
    })?;
    Ok(document.into_value())
}

/// A message without what it quotes of the body: that may be a password that lacks its quotes.
fn unquoted(message: &str) -> String {
    match message.strip_prefix("found `").and_then(|rest| rest.split_once('`')) {
        Some((_, rest)) => format!("found something else{rest}"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    async fn read_text(media: Option<&'static str>, text: &str) -> Result<Option<Value>, ApiError> {
        let mut headers = HeaderMap::new();
        if let Some(media) = media {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
        }
        let body = Body::from(text.to_owned());
        match read(&headers, body, Limit::Plain, Duration::from_secs(1)).await? {
            Sent::Json(value) => Ok(Some(value)),
            Sent::Nothing => Ok(None),
            Sent::State(_) => panic!("only a state is kept as it is"),
        }
    }

    #[tokio::test]
    async fn a_state_is_kept_as_it_came() {
        let headers =
            HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        let odd = format!("{{\"a\":1, \"a\":{}1{}}} \n", "[".repeat(100), "]".repeat(100));
        let body = Body::from(odd.clone());
        let sent = read(&headers, body, Limit::State, Duration::from_secs(1)).await.unwrap();
        assert!(matches!(sent, Sent::State(bytes) if bytes == odd.as_bytes()));
    }

    #[tokio::test]
    async fn only_json_is_read_and_nothing_needs_no_type() {
        for media in
            ["application/json", "application/json; charset=UTF-8", "application/merge-patch+json"]
        {
            assert!(read_text(Some(media), "{}").await.unwrap().is_some(), "{media}");
        }
        for media in [None, Some("text/plain"), Some("application/json; charset=utf-16")] {
            assert_eq!(read_text(media, "{}").await.unwrap_err().status(), 415, "{media:?}");
            assert!(read_text(media, "").await.unwrap().is_none());
        }
    }

    #[tokio::test]
    async fn what_is_legal_but_surely_a_mistake_is_refused_with_its_place() {
        let json = Some("application/json");
        let error = read_text(json, "{\n \"a\": 1,\n \"a\": 2}").await.unwrap_err();
        assert_eq!(error.status(), 400);
        assert!(
            error.message().contains("appears twice (line 3, column 2)"),
            "{}",
            error.message()
        );
        let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
        assert_eq!(read_text(json, &deep).await.unwrap_err().status(), 400);
        assert_eq!(read_text(json, "{").await.unwrap_err().status(), 400);
    }

    #[tokio::test]
    async fn a_body_over_the_limit_is_413() {
        let long = format!("\"{}\"", "x".repeat(64 << 10));
        assert_eq!(read_text(Some("application/json"), &long).await.unwrap_err().status(), 413);
    }
}
