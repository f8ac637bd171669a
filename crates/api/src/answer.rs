//! What a handler answers, and how it becomes a response.

use std::fmt;

use axum::body::Body;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, WARNING};
use http::{Response, StatusCode};
use serde_json::Value;

use crate::error::{ApiError, Code};
use crate::etag::ETag;

/// No reply is longer: ARM's limit.
const MOST_BYTES: usize = 8 << 20;

/// An answer that has not been written yet.
#[derive(Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    body: Content,
    headers: Vec<(HeaderName, HeaderValue)>,
}

enum Content {
    Empty,
    Json(Value),
    Text {
        media: &'static str,
        text: String,
    },
    /// As long as it is.
    Bytes {
        media: &'static str,
        bytes: Bytes,
    },
    /// What goes on after it has begun.
    Stream {
        media: &'static str,
        body: Body,
    },
}

impl fmt::Debug for Content {
    /// Without what it holds: that can be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "Empty",
            Self::Json(_) => "Json(«body»)",
            Self::Text { .. } => "Text(«body»)",
            Self::Bytes { .. } => "Bytes(«body»)",
            Self::Stream { .. } => "Stream",
        })
    }
}

impl Answer {
    pub(crate) fn json(status: StatusCode, body: Value) -> Self {
        Self { status, body: Content::Json(body), headers: Vec::new() }
    }

    pub(crate) fn empty(status: StatusCode) -> Self {
        Self { status, body: Content::Empty, headers: Vec::new() }
    }

    pub(crate) fn text(media: &'static str, text: String) -> Self {
        let body = Content::Text { media, text };
        Self { status: StatusCode::OK, body, headers: Vec::new() }
    }

    /// What is handed out as it was handed in, however long.
    pub(crate) fn bytes(media: &'static str, bytes: Bytes) -> Self {
        let body = Content::Bytes { media, bytes };
        Self { status: StatusCode::OK, body, headers: Vec::new() }
    }

    pub(crate) fn stream(media: &'static str, body: Body) -> Self {
        let body = Content::Stream { media, body };
        Self { status: StatusCode::OK, body, headers: Vec::new() }
    }

    #[must_use]
    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// A header whose text is ours; what no header can hold is left out.
    #[must_use]
    pub(crate) fn with_text(self, name: HeaderName, text: &str) -> Self {
        match HeaderValue::from_str(text) {
            Ok(value) => self.with_header(name, value),
            Err(_) => self,
        }
    }

    /// Says that nobody may keep it: there are secrets in it.
    #[must_use]
    pub(crate) fn with_no_store(self) -> Self {
        self.with_header(CACHE_CONTROL, HeaderValue::from_static("no-store"))
    }

    #[must_use]
    pub(crate) fn with_etag(self, etag: &ETag) -> Self {
        self.with_text(ETAG, etag.as_str())
    }

    /// Something that the caller should know besides (RFC 7234, 299: miscellaneous, persistent).
    #[must_use]
    pub(crate) fn with_warning(self, text: &str) -> Self {
        let plain: String = text
            .chars()
            .map(|c| match c {
                '"' => '\'',
                ' '..='~' if c != '\\' => c,
                _ => '?',
            })
            .collect();
        self.with_text(WARNING, &format!("299 hangar \"{plain}\""))
    }

    /// The response; one that is too long becomes an error.
    pub(crate) fn into_response(self) -> Response<Body> {
        let (media, body) = match self.body {
            Content::Empty => (None, Body::empty()),
            Content::Json(body) => {
                let text = written(&body);
                if text.len() > MOST_BYTES {
                    return too_large();
                }
                (Some("application/json"), Body::from(text))
            }
            Content::Text { text, .. } if text.len() > MOST_BYTES => return too_large(),
            Content::Text { media, text } => (Some(media), Body::from(text)),
            Content::Bytes { media, bytes } => (Some(media), Body::from(bytes)),
            Content::Stream { media, body } => (Some(media), body),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        if let Some(media) = media {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
        }
        for (name, value) in self.headers {
            headers.append(name, value);
        }
        response
    }
}

fn too_large() -> Response<Body> {
    let message = "the response would be longer than 8 MiB; request fewer items with `$top`";
    Answer::from(&ApiError::new(Code::ReplyTooLarge, message)).into_response()
}

/// As bytes at once: `to_string` goes through a formatter, and takes twice as long.
fn written(body: &Value) -> Vec<u8> {
    serde_json::to_vec(body).expect("a value has text for keys")
}

impl From<&ApiError> for Answer {
    fn from(error: &ApiError) -> Self {
        let answer = Self::json(error.status(), error.body());
        error
            .headers()
            .iter()
            .fold(answer, |answer, (name, value)| answer.with_header(name.clone(), value.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_plain_ascii_in_quotes() {
        let response = Answer::empty(StatusCode::OK).with_warning("a \"b\" é\n\\").into_response();
        assert_eq!(response.headers()[WARNING], "299 hangar \"a 'b' ???\"");
    }

    #[test]
    fn a_reply_that_is_too_long_is_an_error() {
        let long = Answer::json(StatusCode::OK, Value::String("x".repeat(9 << 20)));
        assert_eq!(long.into_response().status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
