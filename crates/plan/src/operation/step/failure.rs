//! The failures that an operation can end with, in words for its caller; and what codes of the cloud mean.

use super::super::ending::{Failure, FailureKind, Finding};
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

/// The failure that a stop by the cloud is.
pub(super) fn stopped() -> Failure {
    canceled("AWS canceled the request before it finished")
}

/// The failure that a resource is which is not there.
pub(super) fn not_found(identifier: Option<&str>) -> Failure {
    Failure {
        kind: FailureKind::NotFound,
        code: "ResourceNotFound".to_owned(),
        message: format!("AWS has no resource {}", identifier.unwrap_or_default()),
        findings: Vec::new(),
    }
}

/// The failure that unacceptable properties are.
pub(super) fn invalid(findings: &[Finding]) -> Failure {
    Failure {
        kind: FailureKind::Invalid,
        code: "InvalidProperties".to_owned(),
        message: "the properties are not valid; nothing was changed".to_owned(),
        findings: findings.to_vec(),
    }
}

/// The failure that an update is which would lose what the cloud never returns.
pub(super) fn secrets_required(findings: &[Finding]) -> Failure {
    let paths: Vec<&str> = findings.iter().map(|finding| finding.path.as_str()).collect();
    Failure {
        kind: FailureKind::Conflict,
        code: "WriteOnlyValuesRequired".to_owned(),
        message: format!(
            "an update without {} would lose values that AWS never returns; nothing was changed; \
             put the resource with all of its properties",
            paths.join(", ")
        ),
        findings: findings.to_vec(),
    }
}

/// The failure of a repair that would have to create a resource without values that are not stored.
pub(super) fn not_recreatable(paths: &[String]) -> Failure {
    let finding = |path: &String| Finding {
        code: "WriteOnly".to_owned(),
        path: path.clone(),
        message: "was applied, but only its hash is stored".to_owned(),
    };
    Failure {
        kind: FailureKind::Conflict,
        code: "WriteOnlyValuesRequired".to_owned(),
        message: format!(
            "it was deleted outside Hangar, and cannot be recreated without {}, which Hangar does not store; deploy \
             its template again, or put the resource with all of its properties",
            paths.join(", ")
        ),
        findings: paths.iter().map(finding).collect(),
    }
}

/// The failure that a delete is after which the resource is still there.
pub(super) fn still_there(identifier: &str, is_lost: bool) -> Failure {
    let said = if is_lost {
        format!("AWS no longer knows the request to delete {identifier}")
    } else {
        format!("AWS reports that {identifier} is deleted")
    };
    Failure {
        kind: FailureKind::Provider,
        code: "ResourceStillThere".to_owned(),
        message: format!("{said}, but a read still finds it"),
        findings: Vec::new(),
    }
}
