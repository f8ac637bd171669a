//! Cloud Control's progress events as the contract has them.

use std::time::SystemTime;

use aws_sdk_cloudcontrol::types::{HookProgressEvent, Operation, OperationStatus, ProgressEvent};
use hangar_provider::{HandlerErrorCode, Progress, ProviderError, RequestState, RequestVerb};

use crate::failure::{unreadable, until};

/// Reads an event that came `now`; what lacks its token, its verb or its state is no answer.
pub(crate) fn read(
    event: Option<&ProgressEvent>,
    hooks: &[HookProgressEvent],
    now: SystemTime,
) -> Result<Progress, ProviderError> {
    let missing = |what: &str| unreadable(format!("a progress event has no {what}"));
    let event = event.ok_or_else(|| unreadable("the response has no progress event"))?;
    let request_token = event.request_token().ok_or_else(|| missing("request token"))?;
    let state = event.operation_status().ok_or_else(|| missing("status"))?;
    let verb = event.operation().ok_or_else(|| missing("operation"))?;
    Ok(Progress {
        request_token: request_token.to_owned(),
        verb: read_verb(verb)?,
        state: read_state(state)?,
        type_name: event.type_name().unwrap_or_default().to_owned(),
        identifier: event.identifier().filter(|it| !it.is_empty()).map(str::to_owned),
        error_code: event.error_code().map(|code| HandlerErrorCode(code.as_str().to_owned())),
        message: message(event.status_message(), hooks),
        retry_after: event.retry_after().map(|at| until(at, now)),
        event_at_micros: event.event_time().and_then(|at| i64::try_from(at.as_nanos() / 1000).ok()),
    })
}

fn read_verb(operation: &Operation) -> Result<RequestVerb, ProviderError> {
    match operation {
        Operation::Create => Ok(RequestVerb::Create),
        Operation::Update => Ok(RequestVerb::Update),
        Operation::Delete => Ok(RequestVerb::Delete),
        other => Err(unreadable(format!("`{}` is an unknown operation", other.as_str()))),
    }
}

fn read_state(status: &OperationStatus) -> Result<RequestState, ProviderError> {
    match status {
        OperationStatus::Pending => Ok(RequestState::Pending),
        OperationStatus::InProgress => Ok(RequestState::InProgress),
        OperationStatus::Success => Ok(RequestState::Success),
        OperationStatus::Failed => Ok(RequestState::Failed),
        OperationStatus::CancelInProgress => Ok(RequestState::CancelInProgress),
        OperationStatus::CancelComplete => Ok(RequestState::Canceled),
        other => Err(unreadable(format!("`{}` is an unknown status", other.as_str()))),
    }
}

/// A verb in Cloud Control's words.
pub(crate) fn operation(verb: RequestVerb) -> Operation {
    match verb {
        RequestVerb::Create => Operation::Create,
        RequestVerb::Update => Operation::Update,
        RequestVerb::Delete => Operation::Delete,
    }
}

/// A state in Cloud Control's words.
pub(crate) fn status(state: RequestState) -> OperationStatus {
    match state {
        RequestState::Pending => OperationStatus::Pending,
        RequestState::InProgress => OperationStatus::InProgress,
        RequestState::Success => OperationStatus::Success,
        RequestState::Failed => OperationStatus::Failed,
        RequestState::CancelInProgress => OperationStatus::CancelInProgress,
        RequestState::Canceled => OperationStatus::CancelComplete,
    }
}

/// What the handler says, and then the hooks that failed: the event itself does not name them.
fn message(handler: Option<&str>, hooks: &[HookProgressEvent]) -> Option<String> {
    let mut said: Vec<String> =
        handler.filter(|it| !it.is_empty()).map(str::to_owned).into_iter().collect();
    said.extend(hooks.iter().filter_map(hook_failure));
    (!said.is_empty()).then(|| said.join("; "))
}

fn hook_failure(hook: &HookProgressEvent) -> Option<String> {
    if !matches!(hook.hook_status(), Some("HOOK_COMPLETE_FAILED" | "HOOK_FAILED")) {
        return None;
    }
    let deed = if hook.failure_mode() == Some("WARN") { "warns" } else { "failed" };
    let name = hook.hook_type_name().unwrap_or("without a name");
    let why = hook.hook_status_message().unwrap_or("no reason given");
    Some(format!("hook {name} {deed}: {why}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use aws_smithy_types::DateTime;

    use super::*;
    use crate::failure::LONGEST_WAIT;

    fn event(status: &str) -> ProgressEvent {
        ProgressEvent::builder()
            .request_token("r-1")
            .operation(Operation::Create)
            .operation_status(status.into())
            .type_name("AWS::EC2::VPC")
            .build()
    }

    #[test]
    fn each_status_has_its_state_and_back() {
        for (word, state) in [
            ("PENDING", RequestState::Pending),
            ("IN_PROGRESS", RequestState::InProgress),
            ("SUCCESS", RequestState::Success),
            ("FAILED", RequestState::Failed),
            ("CANCEL_IN_PROGRESS", RequestState::CancelInProgress),
            ("CANCEL_COMPLETE", RequestState::Canceled),
        ] {
            assert_eq!(read(Some(&event(word)), &[], SystemTime::now()).unwrap().state, state);
            assert_eq!(status(state).as_str(), word);
        }
        let error = read(Some(&event("PAUSED")), &[], SystemTime::now()).unwrap_err();
        assert!(error.message.contains("PAUSED") && !error.class.is_definite(), "{error}");
    }

    #[test]
    fn an_event_that_lacks_what_matters_is_no_answer() {
        let nothing = ProgressEvent::builder().build();
        for event in [None, Some(&nothing)] {
            assert!(!read(event, &[], SystemTime::now()).unwrap_err().class.is_definite());
        }
    }

    #[test]
    fn hooks_that_failed_are_told_after_the_handler() {
        let hook = |status: &str, mode: &str| {
            HookProgressEvent::builder()
                .hook_type_name("My::Hook::Check")
                .hook_status(status)
                .failure_mode(mode)
                .hook_status_message("no public buckets")
                .build()
        };
        let hooks = [
            hook("HOOK_COMPLETE_SUCCEEDED", "FAIL"),
            hook("HOOK_COMPLETE_FAILED", "FAIL"),
            hook("HOOK_FAILED", "WARN"),
        ];
        let mut failed = event("FAILED");
        failed.status_message = Some("The request was stopped".to_owned());
        assert_eq!(
            read(Some(&failed), &hooks, SystemTime::now()).unwrap().message.as_deref(),
            Some(
                "The request was stopped; hook My::Hook::Check failed: no public buckets; \
                 hook My::Hook::Check warns: no public buckets"
            )
        );
        assert_eq!(
            read(Some(&event("SUCCESS")), &hooks[..1], SystemTime::now()).unwrap().message,
            None
        );
    }

    #[test]
    fn instants_become_spans_and_microseconds() {
        let mut running = event("IN_PROGRESS");
        running.event_time = Some(DateTime::from_fractional_secs(1_700_000_000, 0.25));
        for (after, least, most) in [
            (Duration::from_secs(20), Duration::from_secs(15), Duration::from_secs(20)),
            (Duration::from_mins(150), LONGEST_WAIT, LONGEST_WAIT),
        ] {
            running.retry_after = Some(DateTime::from(SystemTime::now() + after));
            let progress = read(Some(&running), &[], SystemTime::now()).unwrap();
            assert_eq!(progress.event_at_micros, Some(1_700_000_000_250_000));
            let wait = progress.retry_after.unwrap();
            assert!(least <= wait && wait <= most, "{wait:?}");
        }
        running.retry_after = Some(DateTime::from_secs(1_700_000_000));
        assert_eq!(
            read(Some(&running), &[], SystemTime::now()).unwrap().retry_after,
            Some(Duration::ZERO)
        );
    }
}
