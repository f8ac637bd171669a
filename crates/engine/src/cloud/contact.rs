//! Whether AWS can be reached at all, from the calls that were made: for callers that should not wait in vain.

use std::sync::{Mutex, PoisonError};

use hangar_provider::{ErrorClass, ProviderError};
use tokio::time::Instant;

/// AWS has not been reachable since an instant, or has never answered.
#[derive(Debug, Clone)]
pub struct AwsOutage {
    /// When the first call of the outage failed, or when the first call began that has no answer.
    pub since: Instant,
    /// How many calls in a row found no connection, or no answer.
    pub calls: u32,
    /// Why the last one did not, in one clause.
    pub cause: String,
    /// Whether an earlier call reached AWS.
    pub was_reached: bool,
}

/// What the calls of this process tell about the connection to AWS.
#[derive(Debug, Default)]
pub(crate) struct Contact(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    was_reached: bool,
    /// When the first call began.
    first_call: Option<Instant>,
    outage: Option<(Instant, u32, String)>,
}

/// Why there is an outage while the first call waits for its answer.
const NO_ANSWER: &str = "AWS does not answer";

impl Contact {
    /// Notes that a call begins.
    pub(super) fn begin(&self, now: Instant) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.first_call.get_or_insert(now);
    }

    /// Notes how a call ended.
    pub(super) fn note<T>(&self, answer: &Result<T, ProviderError>, now: Instant) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            Err(error)
                if is_without_connection(error)
                    || (is_without_answer(error) && !seen.was_reached) =>
            {
                let begun = seen.first_call.filter(|_| is_without_answer(error)).unwrap_or(now);
                let (since, calls, _) = seen.outage.take().unwrap_or((begun, 0, String::new()));
                seen.outage = Some((since, calls.saturating_add(1), error.message.clone()));
            }
            // No credentials were to be had, so that AWS itself was not called.
            Err(error) if error.class == ErrorClass::Unreachable => {}
            Ok(_) | Err(_) => {
                seen.was_reached = true;
                seen.outage = None;
            }
        }
    }

    /// The outage that lasts, if there is one.
    pub(crate) fn outage(&self) -> Option<AwsOutage> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let never_answered = || {
            let since = seen.first_call.filter(|_| !seen.was_reached)?;
            Some((since, 1, NO_ANSWER.to_owned()))
        };
        let (since, calls, cause) = seen.outage.clone().or_else(never_answered)?;
        Some(AwsOutage { since, calls, cause, was_reached: seen.was_reached })
    }
}

fn is_without_connection(error: &ProviderError) -> bool {
    error.class == ErrorClass::Unreachable
        && matches!(error.code.as_str(), "ConnectFailed" | "ConnectTimeout")
}

/// Whether there was a connection, and no answer came over it.
fn is_without_answer(error: &ProviderError) -> bool {
    matches!(error.code.as_str(), "AnswerTimeout" | "ConnectionLost")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn failed(class: ErrorClass, code: &str) -> Result<(), ProviderError> {
        let (code, message) = (code.to_owned(), format!("{code} it was"));
        Err(ProviderError { class, code, message, retry_after: None, blocked_by: None })
    }

    #[test]
    fn an_outage_begins_with_the_first_failed_connection_and_ends_with_any_answer() {
        let contact = Contact::default();
        let now = Instant::now();
        assert!(contact.outage().is_none());
        contact.note(&failed(ErrorClass::Unreachable, "CredentialsTimeout"), now);
        assert!(contact.outage().is_none());
        contact.note(&failed(ErrorClass::Unreachable, "ConnectFailed"), now);
        let later = now + Duration::from_secs(5);
        contact.note(&failed(ErrorClass::Unreachable, "ConnectTimeout"), later);
        let outage = contact.outage().unwrap();
        assert_eq!((outage.since, outage.calls, outage.was_reached), (now, 2, false));
        assert_eq!(outage.cause, "ConnectTimeout it was");
        contact.note(&failed(ErrorClass::Throttled, "ThrottlingException"), later);
        assert!(contact.outage().is_none());
        contact.note(&failed(ErrorClass::Unreachable, "ConnectFailed"), later);
        assert!(contact.outage().unwrap().was_reached);
    }

    #[test]
    fn an_aws_that_accepts_connections_and_never_answers_is_an_outage_since_the_first_call() {
        let contact = Contact::default();
        let (now, later) = (Instant::now(), Instant::now() + Duration::from_secs(30));
        contact.begin(now);
        let outage = contact.outage().unwrap();
        assert_eq!((outage.since, outage.cause.as_str()), (now, "AWS does not answer"));
        contact.note(&failed(ErrorClass::Unanswered, "AnswerTimeout"), later);
        let outage = contact.outage().unwrap();
        assert_eq!((outage.since, outage.calls, outage.was_reached), (now, 1, false));
        contact.note(&failed(ErrorClass::Refused, "ValidationException"), later);
        assert!(contact.outage().is_none());
        // What answered once may be slow.
        contact.begin(later);
        contact.note(&failed(ErrorClass::Unanswered, "AnswerTimeout"), later);
        assert!(contact.outage().is_none());
    }
}
