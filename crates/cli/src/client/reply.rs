//! An answer of the control plane: its status, the headers that matter, and its JSON.

use std::time::Duration;

use hangar_plan::operation::OperationId;
use hyper::body::Bytes;
use hyper::header::{HeaderMap, RETRY_AFTER, WARNING};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::arm_error::{ArmError, Refusal};
use super::exchange::{Answer, ExchangeError};

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// The operation to follow, where it has not ended.
    pub(crate) operation: Option<OperationId>,
    pub(crate) retry_after: Option<Duration>,
    /// What the caller should know besides.
    pub(crate) warnings: Vec<String>,
    /// Null where the answer has no body.
    pub(crate) body: Value,
    /// The body as it came, where that was asked for.
    pub(crate) bytes: Bytes,
}

impl Reply {
    /// Reads an answer; one that holds no JSON comes from somebody else.
    pub(crate) fn read(answer: &Answer) -> Result<Self, ExchangeError> {
        let body = if answer.body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&answer.body).map_err(|_| {
                ExchangeError::Foreign(format!(
                    "status {}, and the body is not JSON",
                    answer.status
                ))
            })?
        };
        Ok(Self {
            status: answer.status.as_u16(),
            operation: operation_of(&answer.headers),
            retry_after: seconds_of(&answer.headers),
            warnings: answer.headers.get_all(WARNING).iter().filter_map(warning_of).collect(),
            body,
            bytes: Bytes::new(),
        })
    }

    /// Takes an answer whose content is not ours to read; only a refusal is read.
    pub(crate) fn take(answer: Answer) -> Result<Self, ExchangeError> {
        if !answer.status.is_success() {
            return Self::read(&answer);
        }
        let Answer { status, headers, body } = answer;
        let reply = Self::read(&Answer { status, headers, body: Bytes::new() })?;
        Ok(Self { bytes: body, ..reply })
    }

    /// The answer, or why the server refused.
    pub(crate) fn accepted(self) -> Result<Self, Refusal> {
        if (200..300).contains(&self.status) {
            return Ok(self);
        }
        let error = self.body.get("error").cloned().unwrap_or_default();
        let error = serde_json::from_value(error).unwrap_or_else(|_| ArmError {
            code: self.status.to_string(),
            message: "the server refused the request without a reason".to_owned(),
            ..ArmError::default()
        });
        Err(Refusal { status: self.status, error })
    }

    /// The body as one of the shapes of the API.
    pub(crate) fn read_as<T: DeserializeOwned>(&self) -> Result<T, ExchangeError> {
        read_as(&self.body)
    }
}

/// A document as one of the shapes of the API.
pub(crate) fn read_as<T: DeserializeOwned>(body: &Value) -> Result<T, ExchangeError> {
    T::deserialize(body).map_err(|error| ExchangeError::Foreign(error.to_string()))
}

/// The last segment of the polling URL: the rest is the server's affair, and may name a host that is
/// not ours to trust.
fn operation_of(headers: &HeaderMap) -> Option<OperationId> {
    let url = headers.get("Azure-AsyncOperation")?.to_str().ok()?;
    let path = url.split(['?', '#']).next()?;
    OperationId::parse(path.rsplit('/').next()?)
}

fn seconds_of(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// The words of `299 - "words"`.
fn warning_of(value: &hyper::header::HeaderValue) -> Option<String> {
    let text = value.to_str().ok()?;
    match text.split_once('"') {
        Some((_, quoted)) => {
            let words = quoted.rsplit_once('"').map_or(quoted, |(words, _)| words);
            Some(words.replace("\\\"", "\"").replace("\\\\", "\\"))
        }
        None => Some(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use hyper::StatusCode;

    use super::*;

    fn answer(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Answer {
        let headers = headers.iter().map(|(name, value)| {
            (name.parse().unwrap(), hyper::header::HeaderValue::from_static(value))
        });
        Answer {
            status: StatusCode::from_u16(status).unwrap(),
            headers: headers.collect(),
            body: body.to_owned().into(),
        }
    }

    #[test]
    fn the_operation_is_the_last_segment_of_its_url() {
        let url = "http://elsewhere/x/operationStatuses/0191f3a8-7c2e-7abc-8def-0123456789ab?a=b";
        let headers = [("Azure-AsyncOperation", url), ("Retry-After", "1")];
        let reply = Reply::read(&answer(201, &headers, "{}")).unwrap();
        let id = reply.operation.map(|id| id.to_string());
        assert_eq!(id.as_deref(), Some("0191f3a8-7c2e-7abc-8def-0123456789ab"));
        assert_eq!(reply.retry_after, Some(Duration::from_secs(1)));
    }

    #[test]
    fn the_words_of_a_warning_are_unquoted() {
        let headers = [("Warning", r#"299 - "say \"so\"""#)];
        let reply = Reply::read(&answer(200, &headers, "")).unwrap();
        assert_eq!(reply.warnings, ["say \"so\""]);
    }

    #[test]
    fn an_answer_without_json_is_foreign() {
        let read = Reply::read(&answer(404, &[], "<html>"));
        assert!(matches!(read, Err(ExchangeError::Foreign(_))), "{read:?}");
    }

    #[test]
    fn a_refusal_without_an_error_still_has_a_code() {
        let refused = Reply::read(&answer(502, &[], "{}")).unwrap().accepted().unwrap_err();
        assert_eq!((refused.status, refused.error.code.as_str()), (502, "502"));
    }
}
