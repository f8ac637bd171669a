//! An instant as the API writes it, and as people read it: how long ago.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;

/// An instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Instant(Timestamp);

impl TryFrom<String> for Instant {
    type Error = jiff::Error;

    fn try_from(text: String) -> Result<Self, jiff::Error> {
        text.parse().map(Self)
    }
}

impl Instant {
    /// By the clock of this machine.
    pub(crate) fn now() -> Self {
        Self(Timestamp::now())
    }

    /// So many microseconds after 1970, if that is in our calendar.
    pub(crate) fn from_micros(micros: i64) -> Option<Self> {
        Timestamp::from_microsecond(micros).ok().map(Self)
    }

    /// For names of files: `20260102T030405Z`.
    pub(crate) fn compact(self) -> String {
        self.to_string().replace(['-', ':'], "")
    }

    /// Whether anybody was there: what is built in has no beginning.
    pub(crate) fn is_known(self) -> bool {
        self.0 > Timestamp::UNIX_EPOCH
    }

    /// How long after another it is; nothing when it is not later.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        Duration::try_from(self.0.duration_since(earlier.0)).unwrap_or_default()
    }

    /// How long before `now` it was, in its largest unit: `3m`, `2d`.
    pub(crate) fn age(self, now: Self) -> String {
        let seconds = now.since(self).as_secs();
        match seconds {
            0..60 => format!("{seconds}s"),
            60..3_600 => format!("{}m", seconds / 60),
            3_600..86_400 => format!("{}h", seconds / 3_600),
            _ => format!("{}d", seconds / 86_400),
        }
    }
}

impl fmt::Display for Instant {
    /// To the second, in UTC.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0}", self.0)
    }
}

/// A span of time as it is felt: `0.4s`, `12s`, `3m 05s`, `1h 05m`.
pub(crate) fn felt(span: Duration) -> String {
    // From here on the tenths would round up to `10.0s`.
    const WHOLE_SECONDS_FROM: Duration = Duration::from_millis(9_950);
    if span < WHOLE_SECONDS_FROM {
        return format!("{:.1}s", span.as_secs_f64());
    }
    match span.as_secs().max(10) {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3_600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        seconds => format!("{}h {:02}m", seconds / 3_600, seconds % 3_600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instant(text: &str) -> Instant {
        text.to_owned().try_into().unwrap()
    }

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        let now = instant("2026-01-02T03:04:05.5Z");
        for (then, age) in [
            ("2026-01-02T03:04:05Z", "0s"),
            ("2026-01-02T03:03:01Z", "1m"),
            ("2026-01-02T00:00:00Z", "3h"),
            ("2025-12-30T00:00:00Z", "3d"),
            ("2027-01-01T00:00:00Z", "0s"),
        ] {
            assert_eq!(instant(then).age(now), age, "{then}");
        }
        assert_eq!(now.to_string(), "2026-01-02T03:04:05Z");
        assert_eq!(now.compact(), "20260102T030405Z");
    }

    #[test]
    fn a_span_is_told_as_it_is_felt() {
        let told = |millis: u64| felt(Duration::from_millis(millis));
        assert_eq!(
            [told(400), told(9_940), told(9_990), told(12_000)],
            ["0.4s", "9.9s", "10s", "12s"]
        );
        assert_eq!([told(59_990), told(65_000), told(185_000)], ["59s", "1m 05s", "3m 05s"]);
        assert_eq!([told(3_600_000), told(7_500_000)], ["1h 00m", "2h 05m"]);
    }
}
