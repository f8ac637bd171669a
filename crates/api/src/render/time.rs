//! Instants as RFC 3339 writes them, in UTC.

use std::time::Duration;

use hangar_plan::Timestamp;
use serde_json::{Value, json};

/// An instant as text.
pub(super) fn rfc3339(at: Timestamp) -> String {
    // What no calendar holds is shown as its nearest end.
    let micros = at.as_micros();
    let nearest = if micros < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    jiff::Timestamp::from_microsecond(micros).unwrap_or(nearest).to_string()
}

/// How long something took, as ISO 8601 writes it.
pub(super) fn duration(span: Duration) -> String {
    jiff::SignedDuration::try_from(span).unwrap_or(jiff::SignedDuration::MAX).to_string()
}

/// When something was made and last changed, as ARM has it.
pub(super) fn system_data(created_at: Timestamp, updated_at: Timestamp) -> Value {
    json!({ "createdAt": rfc3339(created_at), "lastModifiedAt": rfc3339(updated_at) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_written_by_iso_8601() {
        for (millis, text) in [
            (0, "PT0S"),
            (4_200, "PT4.2S"),
            (60_000, "PT1M"),
            (3_723_004, "PT1H2M3.004S"),
            (360_000_000, "PT100H"),
        ] {
            assert_eq!(duration(Duration::from_millis(millis)), text);
        }
        assert!(duration(Duration::MAX).starts_with("PT"));
    }

    #[test]
    fn instants_are_utc_and_never_panic() {
        let at = Timestamp::from_micros(1_700_000_000_123_456);
        assert_eq!(rfc3339(at), "2023-11-14T22:13:20.123456Z");
        assert_eq!(rfc3339(Timestamp::from_micros(0)), "1970-01-01T00:00:00Z");
        for micros in [i64::MIN, i64::MAX] {
            assert!(rfc3339(Timestamp::from_micros(micros)).ends_with('Z'));
        }
    }
}
