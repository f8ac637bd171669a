//! From what the engine and the store say went wrong to what a caller is told, in one place.

mod deployment;
mod state;

use hangar_plan::operation::{Failure, FailureKind, Finding};
use hangar_plan::record::PlaneName;
use hangar_store::{GroupError, PlaneError, StaleError, StoreError};
use http::StatusCode;

use crate::error::{ApiError, Code, Detail};
pub(crate) use deployment::{of_deployment, of_ending, of_row, of_run};
pub(crate) use state::of_state;

/// The answer for a write that was refused, or that ended badly.
pub(crate) fn of_failure(failure: &Failure) -> ApiError {
    let error = ApiError::passed_on(status(failure), &failure.code, &failure.message);
    failure.findings.iter().fold(error, |error, finding| error.with_detail(detail(finding)))
}

/// The same for a call that may be made again: it says when.
pub(crate) fn of_refusal(failure: &Failure) -> ApiError {
    let error = of_failure(failure);
    match error.status() {
        StatusCode::TOO_MANY_REQUESTS => error.with_retry_after(2),
        StatusCode::SERVICE_UNAVAILABLE => error.with_retry_after(5),
        _ => error,
    }
}

fn status(failure: &Failure) -> StatusCode {
    // A condition is the one conflict that HTTP has a status of its own for.
    if failure.code == "PreconditionFailed" {
        return StatusCode::PRECONDITION_FAILED;
    }
    // Nothing brings a lost state back but somebody who has it: no client is to try again by itself.
    if failure.code == "StateMissing" {
        return StatusCode::CONFLICT;
    }
    match failure.kind {
        FailureKind::Invalid => StatusCode::BAD_REQUEST,
        FailureKind::NotFound => StatusCode::NOT_FOUND,
        FailureKind::Conflict
        | FailureKind::ReplaceRequired
        | FailureKind::Unknown
        | FailureKind::Canceled => StatusCode::CONFLICT,
        FailureKind::Forbidden => StatusCode::FORBIDDEN,
        FailureKind::Throttled => StatusCode::TOO_MANY_REQUESTS,
        FailureKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        FailureKind::Provider => provider_status(&failure.code),
        FailureKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// What a handler's own error code means. A quota is a conflict and not a throttle: clients repeat
/// a 429 by themselves, and no repetition makes a quota larger.
fn provider_status(code: &str) -> StatusCode {
    match code.strip_suffix("Exception").unwrap_or(code) {
        "InvalidRequest"
        | "NotUpdatable"
        | "InvalidTypeConfiguration"
        | "NonCompliant"
        | "Validation"
        | "UnsupportedTarget"
        | "UnsupportedAction"
        | "TypeNotFound" => StatusCode::BAD_REQUEST,
        "AccessDenied" | "InvalidCredentials" | "UnauthorizedTaggingOperation" => {
            StatusCode::FORBIDDEN
        }
        "NotFound" | "ResourceNotFound" => StatusCode::NOT_FOUND,
        // A run that failed is over; a client that repeats it by itself would run it again.
        "AlreadyExists"
        | "ResourceConflict"
        | "ServiceLimitExceeded"
        | "DeploymentFailed"
        | "RecipeDeploymentFailed"
        | "RecipeDeletionFailed"
        | "RecipeDownloadFailed"
        | "RecipeInitFailed" => StatusCode::CONFLICT,
        "Throttling" => StatusCode::TOO_MANY_REQUESTS,
        "ServiceTimeout" | "NotStabilized" => StatusCode::GATEWAY_TIMEOUT,
        _ => StatusCode::BAD_GATEWAY,
    }
}

fn detail(finding: &Finding) -> Detail {
    Detail {
        code: finding.code.clone(),
        message: finding.message.clone(),
        target: Some(finding.path.clone()),
        ..Detail::default()
    }
}

/// The answer where the store failed.
pub(crate) fn of_store(error: &StoreError) -> ApiError {
    match error {
        StoreError::Unavailable(_) => {
            // What the system said can hold paths of the machine: that is for the log.
            tracing::warn!(error = %error, "the store is not available");
            ApiError::new(Code::StoreUnavailable, "the store is not available now")
                .with_retry_after(5)
        }
        StoreError::Damaged(_) | StoreError::Newer { .. } | StoreError::WrongKey => {
            tracing::error!(error = %error, "the store cannot be used");
            ApiError::new(
                Code::StoreUnusable,
                "the store cannot be used; the server's log has the reason",
            )
        }
    }
}

/// The answer where a group was not written.
pub(crate) fn of_group(error: &GroupError) -> ApiError {
    match error {
        GroupError::Stale => ApiError::new(
            Code::PreconditionFailed,
            "the group has changed since then; read it again, and send its `etag` in `If-Match`",
        ),
        GroupError::Deleting => {
            ApiError::new(Code::GroupDeleting, "the group is being deleted and accepts no writes")
        }
        GroupError::NoPlane(plane) => no_plane(plane),
        GroupError::Store(error) => of_store(error),
    }
}

/// The answer where a plane was not written.
pub(crate) fn of_stale(error: &StaleError) -> ApiError {
    match error {
        StaleError::Stale => stale_plane(),
        StaleError::Store(error) => of_store(error),
    }
}

/// The answer where a plane was not removed.
pub(crate) fn of_plane(error: &PlaneError) -> ApiError {
    match error {
        PlaneError::Stale => stale_plane(),
        PlaneError::NotEmpty(id) => {
            let message = format!("the plane still contains `{id}`; delete its contents first");
            ApiError::new(Code::PlaneNotEmpty, message).with_target(id.as_str())
        }
        PlaneError::Busy(id) => {
            let message = format!("operation `{id}` is running in the plane; wait for it to end");
            ApiError::new(Code::Conflict, message)
        }
        PlaneError::Store(error) => of_store(error),
    }
}

/// The answer where the plane of something is gone.
pub(crate) fn no_plane(plane: &PlaneName) -> ApiError {
    let message = format!("there is no `{}`; create it first", plane.id());
    ApiError::new(Code::PlaneNotFound, message).with_target(plane.id())
}

fn stale_plane() -> ApiError {
    ApiError::new(
        Code::PreconditionFailed,
        "the plane has changed since then; read it again, and send its `etag` in `If-Match`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::header::RETRY_AFTER;
    use serde_json::json;

    fn failure(kind: FailureKind, code: &str) -> Failure {
        Failure { kind, code: code.into(), message: "m".into(), findings: vec![] }
    }

    #[test]
    fn every_kind_has_its_status_and_no_conflict_says_when_to_come_back() {
        for (kind, code, expected, retry) in [
            (FailureKind::Invalid, "InvalidProperties", 400, false),
            (FailureKind::NotFound, "ResourceNotFound", 404, false),
            (FailureKind::Conflict, "Conflict", 409, false),
            (FailureKind::Conflict, "PreconditionFailed", 412, false),
            (FailureKind::ReplaceRequired, "ReplaceRequired", 409, false),
            (FailureKind::Unknown, "AliasUnknown", 409, false),
            (FailureKind::Canceled, "OperationCanceled", 409, false),
            (FailureKind::Forbidden, "AccessDeniedException", 403, false),
            (FailureKind::Throttled, "ThrottlingException", 429, true),
            (FailureKind::Unavailable, "ConnectTimeout", 503, true),
            (FailureKind::Internal, "InternalError", 500, false),
            (FailureKind::Provider, "InvalidRequest", 400, false),
            (FailureKind::Provider, "AlreadyExists", 409, false),
            (FailureKind::Provider, "NotFound", 404, false),
            (FailureKind::Provider, "ServiceLimitExceeded", 409, false),
            (FailureKind::Provider, "AccessDenied", 403, false),
            (FailureKind::Provider, "NotStabilized", 504, false),
            (FailureKind::Provider, "ServiceInternalError", 502, false),
            (FailureKind::Provider, "SomethingNew", 502, false),
        ] {
            let failure = failure(kind, code);
            assert_eq!(of_failure(&failure).status().as_u16(), expected, "{kind:?} {code}");
            assert!(of_failure(&failure).headers().is_empty());
            let headers = of_refusal(&failure);
            let says = headers.headers().iter().any(|(name, _)| name == RETRY_AFTER);
            assert_eq!(says, retry, "{kind:?} {code}");
        }
    }

    #[test]
    fn codes_pass_through_and_findings_are_details() {
        let mut failure = failure(FailureKind::ReplaceRequired, "ReplaceRequired");
        failure.findings.push(Finding {
            code: "CreateOnly".into(),
            path: "/CidrBlock".into(),
            message: "can only be set at creation".into(),
        });
        assert_eq!(
            of_failure(&failure).body(),
            json!({"error": {"code": "ReplaceRequired", "message": "m", "details": [
                {"code": "CreateOnly", "message": "can only be set at creation", "target": "/CidrBlock"}
            ]}})
        );
    }

    #[test]
    fn what_the_system_says_of_the_store_is_not_told_to_callers() {
        let error = of_store(&StoreError::Unavailable("/secret/place is full".into()));
        assert_eq!(error.status(), 503);
        assert!(!error.body().to_string().contains("secret"));
    }
}
