//! An instant, as the store gives it: whole microseconds since 1970.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// An instant in microseconds since 1970, by the store's clock.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Timestamp(i64);

impl Timestamp {
    /// An instant from its microseconds.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Its microseconds.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// This instant and a span later; the end of time where that overflows.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.as_micros()).unwrap_or(i64::MAX)))
    }

    /// How long ago `earlier` was; nothing when it is not earlier.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_never_overflow_and_never_run_backwards() {
        let end = Timestamp::from_micros(i64::MAX);
        assert_eq!(end.after(Duration::MAX), end);
        assert_eq!(Timestamp::from_micros(5).since(Timestamp::from_micros(9)), Duration::ZERO);
        assert_eq!(
            Timestamp::from_micros(9).since(Timestamp::from_micros(5)),
            Duration::from_micros(4)
        );
    }
}
