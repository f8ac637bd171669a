//! What went wrong, in the words that the caller is told: the cloud's own where it has some.

use super::super::ending::{Failure, FailureKind};
use super::super::event::{Refusal, RefusalClass};

/// The failure that a stop on request is.
pub(super) fn canceled(message: &str) -> Failure {
    Failure {
        kind: FailureKind::Canceled,
        code: "OperationCanceled".to_owned(),
        message: message.to_owned(),
        findings: Vec::new(),
    }
}

/// The failure that a refused call is: the cloud's own words.
pub(super) fn refused(refusal: &Refusal) -> Failure {
    let kind = match refusal.class {
        RefusalClass::Refused => kind_of(&refusal.code),
        RefusalClass::Throttled => FailureKind::Throttled,
        RefusalClass::Busy | RefusalClass::TokenConflict => FailureKind::Conflict,
        RefusalClass::Unreachable | RefusalClass::Unanswered => FailureKind::Unavailable,
        RefusalClass::Forbidden => FailureKind::Forbidden,
        RefusalClass::NotFound => FailureKind::NotFound,
        RefusalClass::UnknownRequest => FailureKind::Provider,
        RefusalClass::Unsupported => FailureKind::Invalid,
    };
    Failure {
        kind,
        code: refusal.code.clone(),
        message: refusal.message.clone(),
        findings: Vec::new(),
    }
}

/// The failure that a failed request is: the handler's own words.
pub(super) fn handler_failure(code: Option<&str>, message: Option<&str>) -> Failure {
    let code = code.unwrap_or("GeneralServiceException");
    Failure {
        kind: kind_of(code),
        code: code.to_owned(),
        message: message.unwrap_or("AWS gave no reason").to_owned(),
        findings: Vec::new(),
    }
}

/// What kind of failure a code of Cloud Control is.
fn kind_of(code: &str) -> FailureKind {
    match code.strip_suffix("Exception").unwrap_or(code) {
        "InvalidRequest" | "Validation" | "NotUpdatable" => FailureKind::Invalid,
        "AlreadyExists" | "ResourceConflict" => FailureKind::Conflict,
        "NotFound" | "ResourceNotFound" => FailureKind::NotFound,
        "AccessDenied" | "InvalidCredentials" => FailureKind::Forbidden,
        code if code.starts_with("UnauthorizedTagging") => FailureKind::Forbidden,
        "Throttling" => FailureKind::Throttled,
        // A limit of the account among them: to repeat the request does not help, so it is no throttle.
        _ => FailureKind::Provider,
    }
}

/// Whether a code says that a resource of that name exists.
pub(super) fn is_taken(code: &str) -> bool {
    code.strip_suffix("Exception").unwrap_or(code) == "AlreadyExists"
}

/// Whether the same request may well succeed the next time.
pub(super) fn is_transient(code: Option<&str>) -> bool {
    matches!(
        code,
        Some(
            "Throttling"
                | "ServiceInternalError"
                | "ServiceTimeout"
                | "NetworkFailure"
                | "InternalFailure"
        )
    )
}
