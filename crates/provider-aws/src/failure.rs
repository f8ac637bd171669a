//! Failed calls as errors of the contract: their class, AWS's words, and nothing of ours in them.

use std::error::Error;
use std::time::{Duration, SystemTime};

use aws_sdk_cloudcontrol::error::{ProvideErrorMetadata, SdkError};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::http::Headers;
use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;
use hangar_provider::{ErrorClass, ProviderError};

use crate::call::CallName;
use crate::class::{class_of, request_token_in};
use crate::delivery::Delivery;

/// Nobody is made to wait longer on the word of the far side, whose clock may not be ours.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// An error with nothing but a class, a code and a message.
pub(crate) fn error(
    class: ErrorClass,
    code: impl Into<String>,
    message: impl Into<String>,
) -> ProviderError {
    let (code, message) = (code.into(), message.into());
    ProviderError { class, code, message, retry_after: None, blocked_by: None }
}

/// AWS answered with something that is no answer: what was asked for may have happened.
pub(crate) fn unreadable(message: impl Into<String>) -> ProviderError {
    error(ErrorClass::Unanswered, "UnreadableAnswer", message)
}

/// An answer of AWS that is an error.
pub(crate) fn refusal(
    call: CallName,
    status: u16,
    code: Option<&str>,
    message: Option<&str>,
    headers: &Headers,
) -> ProviderError {
    let class = class_of(call, status, code);
    let code = code.map_or_else(|| format!("Http{status}"), str::to_owned);
    let message = message.map_or_else(|| said_nothing(call, status), str::to_owned);
    let blocked_by = request_token_in(&message)
        .filter(|_| matches!(class, ErrorClass::Busy | ErrorClass::TokenConflict))
        .map(str::to_owned);
    ProviderError { class, code, message, retry_after: retry_after(headers), blocked_by }
}

/// What an answer of AWS that is an error means: its status, code and message without a wire.
pub fn meaning(call: CallName, status: u16, code: &str, message: &str) -> ProviderError {
    refusal(call, status, Some(code), Some(message), &Headers::new())
}

fn said_nothing(call: CallName, status: u16) -> String {
    format!("the response to {call} has status {status} and no AWS error")
}

/// A call that failed before an answer was there.
pub(crate) fn undelivered(
    delivery: &Delivery,
    is_timeout: bool,
    cause: &(dyn Error + 'static),
) -> ProviderError {
    let (class, code) = match (delivery.is_begun(), is_timeout) {
        (false, false) => (ErrorClass::Unreachable, "ConnectFailed"),
        (false, true) => (ErrorClass::Unreachable, "ConnectTimeout"),
        (true, false) => (ErrorClass::Unanswered, "ConnectionLost"),
        (true, true) => (ErrorClass::Unanswered, "AnswerTimeout"),
    };
    let message = match (delivery.endpoint(), delivery.is_begun(), is_timeout) {
        (Some(endpoint), false, true) => format!("cannot reach {endpoint}: no connection in time"),
        (Some(endpoint), false, false) => format!("cannot reach {endpoint}: {}", innermost(cause)),
        (Some(endpoint), true, true) => {
            format!("{endpoint} accepts the connection and does not answer in time")
        }
        _ => causes(cause),
    };
    error(class, code, message)
}

/// The cause of all others, as a clause: `connection refused`.
fn innermost(outermost: &(dyn Error + 'static)) -> String {
    let chain = std::iter::successors(Some(outermost), |&error| error.source());
    let cause = chain.last().unwrap_or(outermost).to_string();
    let cause = cause.split(" (os error ").next().unwrap_or(&cause);
    let mut letters = cause.chars();
    let is_word = cause.chars().nth(1).is_some_and(char::is_lowercase);
    match letters.next() {
        Some(first) if is_word => first.to_lowercase().chain(letters).collect(),
        _ => cause.to_owned(),
    }
}

/// A call of the SDK that failed.
pub(crate) fn of_sdk<E>(
    call: CallName,
    failed: &SdkError<E, HttpResponse>,
    delivery: &Delivery,
) -> ProviderError
where
    E: ProvideErrorMetadata + Error + 'static,
{
    match failed {
        SdkError::ServiceError(service) => {
            let (raw, said) = (service.raw(), service.err());
            let status = raw.status().as_u16();
            if said.code().is_none() && (200..300).contains(&status) {
                return unreadable(format!("the response to {call} cannot be read"));
            }
            refusal(call, status, said.code(), said.message(), raw.headers())
        }
        SdkError::ResponseError(response) => {
            let status = response.raw().status().as_u16();
            unreadable(format!(
                "the response to {call}, with status {status}, is incomplete or cannot be read"
            ))
        }
        SdkError::TimeoutError(_) => undelivered(delivery, true, failed),
        SdkError::DispatchFailure(failure) => undelivered(delivery, failure.is_timeout(), failed),
        // What the SDK refuses to build goes nowhere.
        SdkError::ConstructionFailure(_) if !delivery.is_begun() => {
            error(ErrorClass::Refused, "InvalidCall", causes(failed))
        }
        _ => undelivered(delivery, false, failed),
    }
}

/// An error and its causes in one line. Errors on the way hold addresses, and neither bodies nor
/// credentials.
pub(crate) fn causes(outermost: &(dyn Error + 'static)) -> String {
    let chain = std::iter::successors(Some(outermost), |&error| error.source());
    let mut said: Vec<String> = chain.map(ToString::to_string).collect();
    said.dedup();
    let lines = said.iter().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join(": ")
}

/// Takes what we sent out of what AWS says of it, and puts `name` in its place: some validations quote
/// a document whole or its beginning.
pub(crate) fn without(sent: &str, name: &str, mut failed: ProviderError) -> ProviderError {
    const QUOTE: usize = 24;
    let beginning = sent.char_indices().nth(QUOTE).map_or(sent, |(end, _)| &sent[..end]);
    if beginning.len() < QUOTE {
        return failed;
    }
    if failed.message.contains(sent) {
        failed.message = failed.message.replace(sent, name);
    } else if let Some(at) = failed.message.find(beginning) {
        failed.message.replace_range(at.., name);
    }
    failed
}

fn retry_after(headers: &Headers) -> Option<Duration> {
    // The older header is in milliseconds.
    let millis = headers.get("x-amz-retry-after").and_then(|text| text.trim().parse().ok());
    let written = headers.get("retry-after").map(str::trim);
    let wait = millis.map(Duration::from_millis).or_else(|| match written?.parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => DateTime::from_str(written?, Format::HttpDate)
            .ok()
            .map(|at| until(&at, SystemTime::now())),
    })?;
    Some(wait.min(LONGEST_WAIT))
}

/// How long until an instant of the far side's clock: nothing if it is past, and never very long.
pub(crate) fn until(at: &DateTime, now: SystemTime) -> Duration {
    let Ok(at) = SystemTime::try_from(*at) else { return Duration::ZERO };
    at.duration_since(now).unwrap_or_default().min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(name: &'static str, value: &str) -> Option<Duration> {
        let mut headers = Headers::new();
        headers.insert(name, value.to_owned());
        retry_after(&headers)
    }

    #[test]
    fn retry_after_is_read_in_its_three_forms_and_bounded() {
        assert_eq!(retry_after(&Headers::new()), None);
        assert_eq!(waits("retry-after", " 7 "), Some(Duration::from_secs(7)));
        assert_eq!(waits("retry-after", "86400"), Some(LONGEST_WAIT));
        assert_eq!(waits("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert_eq!(waits("retry-after", "soon"), None);
        assert_eq!(waits("retry-after", "-1"), None);
        assert_eq!(waits("x-amz-retry-after", "1500"), Some(Duration::from_millis(1500)));
    }

    #[test]
    fn the_token_of_another_request_is_told_for_what_is_busy_alone() {
        let says = "with RequestToken 1b2c";
        let of =
            |code| refusal(CallName::UpdateResource, 400, Some(code), Some(says), &Headers::new());
        assert_eq!(of("ConcurrentOperationException").blocked_by.as_deref(), Some("1b2c"));
        assert_eq!(of("ClientTokenConflictException").blocked_by.as_deref(), Some("1b2c"));
        assert_eq!(of("ValidationException").blocked_by, None);
    }

    #[test]
    fn a_document_that_aws_quotes_is_taken_out() {
        let document = r#"{"Password":"hunter2","User":"me and you"}"#;
        let said = |message: String| {
            let failed = error(ErrorClass::Refused, "ValidationException", message);
            without(document, "«the document»", failed).message
        };
        let whole = said(format!("Value '{document}' at 'desiredState' is wrong"));
        assert_eq!(whole, "Value '«the document»' at 'desiredState' is wrong");
        let cut = said(format!("Value '{}...", &document[..30]));
        assert_eq!(cut, "Value '«the document»");
        let other = said("#/User: expected a number".to_owned());
        assert_eq!(other, "#/User: expected a number");
    }

    #[test]
    fn an_answer_without_an_error_of_aws_is_told_by_its_status() {
        let failed = refusal(CallName::GetResource, 502, None, None, &Headers::new());
        assert_eq!((failed.class, failed.code.as_str()), (ErrorClass::Unanswered, "Http502"));
        assert!(failed.message.contains("GetResource"), "{}", failed.message);
    }
}
