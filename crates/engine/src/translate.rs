//! Between the provider's words and the machine's: a table, and nothing decided.

use hangar_plan::operation::{
    Failure, FailureKind, Progress, ProgressState, Refusal, RefusalClass,
};
use hangar_plan::record::{AwsScope, Subject};
use hangar_provider::{ErrorClass, Place, ProviderError, RequestState, Target};
use hangar_schema::TypeSchema;

pub(crate) fn place(scope: &AwsScope) -> Place {
    Place {
        plane: scope.plane.to_ascii_lowercase(),
        account: scope.account.clone(),
        region: scope.region.clone(),
    }
}

pub(crate) fn target(subject: &Subject) -> Target {
    Target { place: place(&subject.scope), type_name: subject.type_name.clone() }
}

pub(crate) fn progress(progress: hangar_provider::Progress) -> Progress {
    Progress {
        request_token: progress.request_token,
        state: match progress.state {
            RequestState::Pending => ProgressState::Pending,
            RequestState::InProgress | RequestState::CancelInProgress => ProgressState::InProgress,
            RequestState::Success => ProgressState::Success,
            RequestState::Failed => ProgressState::Failed,
            RequestState::Canceled => ProgressState::Canceled,
        },
        identifier: progress.identifier,
        code: progress.error_code.map(|code| code.0),
        message: progress.message,
        retry_after: progress.retry_after,
    }
}

pub(crate) fn refusal(error: ProviderError) -> Refusal {
    Refusal {
        class: match error.class {
            ErrorClass::Refused => RefusalClass::Refused,
            ErrorClass::Throttled => RefusalClass::Throttled,
            ErrorClass::Busy => RefusalClass::Busy,
            ErrorClass::Unreachable => RefusalClass::Unreachable,
            ErrorClass::Unanswered => RefusalClass::Unanswered,
            ErrorClass::Forbidden => RefusalClass::Forbidden,
            ErrorClass::NotFound => RefusalClass::NotFound,
            ErrorClass::UnknownRequest => RefusalClass::UnknownRequest,
            ErrorClass::TokenConflict => RefusalClass::TokenConflict,
            ErrorClass::Unsupported => RefusalClass::Unsupported,
        },
        code: error.code,
        message: error.message,
        retry_after: error.retry_after,
        names_request: error.blocked_by.is_some(),
    }
}

/// The failure that a read outside of any operation ends with.
pub(crate) fn read_failure(error: ProviderError) -> Failure {
    let kind = match error.class {
        ErrorClass::Refused => FailureKind::Provider,
        ErrorClass::Throttled => FailureKind::Throttled,
        ErrorClass::Busy | ErrorClass::TokenConflict => FailureKind::Conflict,
        ErrorClass::Unreachable | ErrorClass::Unanswered => FailureKind::Unavailable,
        ErrorClass::Forbidden => FailureKind::Forbidden,
        ErrorClass::NotFound | ErrorClass::UnknownRequest => FailureKind::NotFound,
        ErrorClass::Unsupported => FailureKind::Invalid,
    };
    Failure { kind, code: error.code, message: error.message, findings: Vec::new() }
}

/// The word of an error class, for metrics and logs.
pub(crate) const fn class_word(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Refused => "refused",
        ErrorClass::Throttled => "throttled",
        ErrorClass::Busy => "busy",
        ErrorClass::Unreachable => "unreachable",
        ErrorClass::Unanswered => "unanswered",
        ErrorClass::Forbidden => "forbidden",
        ErrorClass::NotFound => "not-found",
        ErrorClass::UnknownRequest => "unknown-request",
        ErrorClass::TokenConflict => "token-conflict",
        ErrorClass::Unsupported => "unsupported",
    }
}

/// How long a request of a type may take: what its handlers say, else two hours.
pub(crate) fn handler_timeout(schema: &TypeSchema) -> std::time::Duration {
    let handlers = schema.handlers();
    let stated = [&handlers.create, &handlers.update, &handlers.delete]
        .into_iter()
        .filter_map(|handler| handler.as_ref()?.timeout_in_minutes)
        .max();
    std::time::Duration::from_mins(stated.unwrap_or(120).clamp(1, 36 * 60))
}
