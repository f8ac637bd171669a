//! Why an operation, or a resource of a deployment, makes no progress right now.

use std::time::Duration;

use serde::Deserialize;

use super::instant::Instant;

/// A wait as the API answers it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Waiting {
    pub(crate) code: String,
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) since: Option<Instant>,
    #[serde(default)]
    pub(crate) retry_at: Option<Instant>,
    /// How often it was tried without success.
    #[serde(default)]
    pub(crate) attempts: u32,
}

/// Shorter waits are part of normal work, such as a throttled call that is repeated at once.
const TELL_AFTER: Duration = Duration::from_secs(2);

impl Waiting {
    /// Whether a person should know the reason by now.
    pub(crate) fn is_worth_telling(&self, now: Instant) -> bool {
        let lasted = self.since.map(|since| now.since(since)).unwrap_or_default();
        match self.code.as_str() {
            // The rows themselves show what waits for what.
            "Dependency" => false,
            "AwsUnreachable" => true,
            _ => lasted >= TELL_AFTER,
        }
    }

    /// The reason, and that it is tried again: `…: connection refused; retrying (3rd attempt)`.
    pub(crate) fn told(&self) -> String {
        match self.attempts {
            0 => self.message.clone(),
            tried => {
                let next = ordinal(tried.saturating_add(1));
                format!("{}; retrying ({next} attempt)", self.message)
            }
        }
    }
}

/// `1st`, `2nd`, `3rd`, `11th`.
fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_wait_tells_its_reason_and_which_attempt_comes_next() {
        let wait = |attempts: u32| -> Waiting {
            let document = json!({"code": "AwsUnreachable", "message": "cannot reach http://h: refused",
                                  "since": "2026-01-02T03:04:05Z", "attempts": attempts});
            serde_json::from_value(document).unwrap()
        };
        assert_eq!(wait(0).told(), "cannot reach http://h: refused");
        assert_eq!(wait(2).told(), "cannot reach http://h: refused; retrying (3rd attempt)");
        for (number, text) in [(1, "1st"), (12, "12th"), (22, "22nd"), (111, "111th")] {
            assert_eq!(ordinal(number), text);
        }
    }

    #[test]
    fn a_short_wait_is_not_told_unless_aws_cannot_be_reached() {
        let at = |text: &str| Instant::try_from(text.to_owned()).unwrap();
        let wait = |code: &str| Waiting {
            code: code.to_owned(),
            message: String::new(),
            since: Some(at("2026-01-02T03:04:05Z")),
            retry_at: None,
            attempts: 1,
        };
        let (soon, later) = (at("2026-01-02T03:04:06Z"), at("2026-01-02T03:04:08Z"));
        assert!(wait("AwsUnreachable").is_worth_telling(soon));
        assert!(!wait("AwsThrottled").is_worth_telling(soon));
        assert!(wait("AwsThrottled").is_worth_telling(later));
        assert!(!wait("Dependency").is_worth_telling(later));
    }
}
