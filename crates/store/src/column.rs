//! Values as the columns of a database hold them, whichever it is.

use hangar_plan::Timestamp;
use serde::Serialize;

/// A value as JSON text.
pub(crate) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a stored type has text for keys and cannot fail to print")
}

/// The word that a state is stored as.
pub(crate) fn to_word(state: &impl Serialize) -> String {
    match serde_json::to_value(state) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("a state is stored as one word, not as {other:?}"),
    }
}

/// A count, for a database whose integers are signed.
pub(crate) fn to_integer(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A limit.
pub(crate) fn to_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// An instant, if there is one.
pub(crate) fn to_micros(instant: Option<Timestamp>) -> Option<i64> {
    instant.map(Timestamp::as_micros)
}
