//! Why an operation makes no progress right now: a stable code, a clause for people, and the times.
//!
//! It is for callers to read. No decision depends on it.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::operation::{Failure, FailureKind, Refusal, RefusalClass};

/// The kind of a wait. Programs may rely on the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WaitCode {
    /// There is no connection to AWS: refused, no such host, no TLS session, or a timeout.
    AwsUnreachable,
    /// AWS cannot be called for another passing reason, such as a slow credential service.
    AwsUnavailable,
    /// AWS was called and did not answer, or failed.
    AwsNoAnswer,
    /// AWS throttles the calls.
    AwsThrottled,
    /// AWS refused a call, and an earlier call without an answer may still take effect.
    LateCall,
    /// Another request works on the resource.
    ResourceBusy,
    /// A read does not show the last change yet.
    NotVisibleYet,
    /// The call waits for its share of the rate limit.
    RateLimit,
    /// The resource waits for others of its deployment.
    Dependency,
    /// Another operation works on the alias.
    AliasBusy,
    /// Operations of the group that started earlier have not ended.
    GroupBusy,
    /// Another run holds the lock of the Terraform state.
    StateLocked,
    /// No worker has started it: all are busy, or none runs.
    Queued,
}

impl WaitCode {
    /// All codes, in the order of the documentation.
    pub const ALL: [Self; 13] = [
        Self::AwsUnreachable,
        Self::AwsUnavailable,
        Self::AwsNoAnswer,
        Self::AwsThrottled,
        Self::LateCall,
        Self::ResourceBusy,
        Self::NotVisibleYet,
        Self::RateLimit,
        Self::Dependency,
        Self::AliasBusy,
        Self::GroupBusy,
        Self::StateLocked,
        Self::Queued,
    ];

    /// The word used in answers and records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AwsUnreachable => "AwsUnreachable",
            Self::AwsUnavailable => "AwsUnavailable",
            Self::AwsNoAnswer => "AwsNoAnswer",
            Self::AwsThrottled => "AwsThrottled",
            Self::LateCall => "LateCall",
            Self::ResourceBusy => "ResourceBusy",
            Self::NotVisibleYet => "NotVisibleYet",
            Self::RateLimit => "RateLimit",
            Self::Dependency => "Dependency",
            Self::AliasBusy => "AliasBusy",
            Self::GroupBusy => "GroupBusy",
            Self::StateLocked => "StateLocked",
            Self::Queued => "Queued",
        }
    }
}

/// A wait of an operation, or of one resource of a deployment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Waiting {
    /// What kind of wait it is.
    pub code: WaitCode,
    /// One clause for people; no property value is in it.
    pub message: String,
    /// Since when there is no progress.
    pub since: Timestamp,
    /// When it is tried again; unknown when something else must happen first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// How often it was tried without success.
    #[serde(default)]
    pub attempts: u32,
}

/// The reason for a wait, before its times are known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WaitReason {
    /// What kind of wait it is.
    pub code: WaitCode,
    /// One clause for people.
    pub message: String,
}

impl WaitReason {
    /// A reason in words.
    pub fn new(code: WaitCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The reason to repeat a call that failed.
    pub fn of_refusal(refusal: &Refusal) -> Self {
        let Refusal { class, code, message, .. } = refusal;
        match class {
            RefusalClass::Throttled => Self::throttled(code, message),
            RefusalClass::Unreachable => Self::unreachable(code, message),
            RefusalClass::Unanswered => Self::unanswered(code, message),
            RefusalClass::Busy => {
                Self::new(WaitCode::ResourceBusy, "another request is changing the resource")
            }
            _ => Self::new(WaitCode::AwsUnavailable, format!("{code}: {message}")),
        }
    }

    /// The reason to try something again that failed for now.
    pub fn of_failure(failure: &Failure) -> Self {
        let Failure { kind, code, message, .. } = failure;
        match kind {
            FailureKind::Throttled => Self::throttled(code, message),
            FailureKind::Conflict => Self::new(WaitCode::AliasBusy, message.clone()),
            FailureKind::Unavailable if is_connection(code) => Self::unreachable(code, message),
            FailureKind::Unavailable => Self::unanswered(code, message),
            _ => Self::new(WaitCode::AwsUnavailable, format!("{code}: {message}")),
        }
    }

    fn throttled(code: &str, message: &str) -> Self {
        Self::new(WaitCode::AwsThrottled, format!("AWS throttles the calls: {code}: {message}"))
    }

    fn unreachable(code: &str, message: &str) -> Self {
        if !is_connection(code) {
            return Self::new(WaitCode::AwsUnavailable, format!("{code}: {message}"));
        }
        let told = message.starts_with(CANNOT_REACH);
        let message =
            if told { message.to_owned() } else { format!("{CANNOT_REACH} AWS: {message}") };
        Self::new(WaitCode::AwsUnreachable, message)
    }

    fn unanswered(code: &str, message: &str) -> Self {
        Self::new(WaitCode::AwsNoAnswer, format!("AWS did not answer: {code}: {message}"))
    }

    /// The wait that this is the reason for.
    pub fn since(self, since: Timestamp, retry_at: Option<Timestamp>, attempts: u32) -> Waiting {
        let Self { code, message } = self;
        Waiting { code, message, since, retry_at, attempts }
    }
}

const CANNOT_REACH: &str = "cannot reach";

/// Whether an error code of the provider says that there was no connection.
fn is_connection(code: &str) -> bool {
    matches!(code, "ConnectFailed" | "ConnectTimeout")
}

impl Waiting {
    /// The same wait with what it is about in front of its message.
    #[must_use]
    pub fn of(&self, address: &str) -> Self {
        Self { message: format!("{address}: {}", self.message), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(class: RefusalClass, code: &str, message: &str) -> Refusal {
        Refusal {
            class,
            code: code.to_owned(),
            message: message.to_owned(),
            retry_after: None,
            names_request: false,
        }
    }

    #[test]
    fn codes_are_stored_under_the_names_that_callers_see() {
        for code in WaitCode::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }

    #[test]
    fn a_reason_tells_no_connection_from_no_answer_and_from_throttling() {
        let told = |class, code, message| {
            let reason = WaitReason::of_refusal(&refusal(class, code, message));
            format!("{}: {}", reason.code.as_str(), reason.message)
        };
        insta::assert_snapshot!([
            told(RefusalClass::Unreachable, "ConnectFailed", "cannot reach http://h: refused"),
            told(RefusalClass::Unreachable, "ConnectTimeout", "late"),
            told(RefusalClass::Unreachable, "CredentialsTimeout", "the source is slow"),
            told(RefusalClass::Unanswered, "AnswerTimeout", "late"),
            told(RefusalClass::Throttled, "ThrottlingException", "Rate exceeded"),
            told(RefusalClass::Busy, "ConcurrentOperationException", "busy"),
        ].join("\n"), @"
        AwsUnreachable: cannot reach http://h: refused
        AwsUnreachable: cannot reach AWS: late
        AwsUnavailable: CredentialsTimeout: the source is slow
        AwsNoAnswer: AWS did not answer: AnswerTimeout: late
        AwsThrottled: AWS throttles the calls: ThrottlingException: Rate exceeded
        ResourceBusy: another request is changing the resource
        ");
    }
}
