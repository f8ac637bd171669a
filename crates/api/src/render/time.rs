//! Instants as RFC 3339 writes them, in UTC.

use hangar_plan::Timestamp;
use serde_json::{Value, json};

/// An instant as text.
pub(super) fn rfc3339(at: Timestamp) -> String {
    // What no calendar holds is shown as its nearest end.
    let micros = at.as_micros();
    let nearest = if micros < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    jiff::Timestamp::from_microsecond(micros).unwrap_or(nearest).to_string()
}

/// When something was made and last changed, as ARM has it.
pub(super) fn system_data(created_at: Timestamp, updated_at: Timestamp) -> Value {
    json!({ "createdAt": rfc3339(created_at), "lastModifiedAt": rfc3339(updated_at) })
}

#[cfg(test)]
mod tests {
    use super::*;

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
