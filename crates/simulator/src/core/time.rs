//! Time as a value: instants that the caller gives, and the spans of time that people write.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970, by the simulator's own clock.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Timestamp(u64);

impl Timestamp {
    /// So many milliseconds after 1970 began.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// The milliseconds since 1970.
    pub const fn millis(self) -> u64 {
        self.0
    }

    /// Seconds since 1970 as AWS's JSON protocol writes them, milliseconds after the point.
    pub fn seconds(self) -> String {
        format!("{}.{:03}", self.0 / 1000, self.0 % 1000)
    }

    /// The instant so much later.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(millis(span)))
    }

    /// Whether `span` has passed since then.
    pub fn is_over(self, span: Duration, now: Self) -> bool {
        self.after(span) <= now
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// Why a text is not a span of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a duration: write a number and ms, s, m, h or d, such as `500ms` or `37h`"
)]
pub struct SpanError {
    text: String,
}

/// A span of time as people write it: `500ms`, `2s`, `35h59m50s`, `0`.
pub fn parse_span(text: &str) -> Result<Duration, SpanError> {
    let wrong = || SpanError { text: text.to_owned() };
    let mut rest = text.trim();
    let mut millis = 0u64;
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let (number, after) = rest.split_at(digits);
        let after = after.trim_start();
        let letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, after) = after.split_at(letters);
        let unit: u64 = match unit {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            "" if !number.is_empty() && number.bytes().all(|byte| byte == b'0') => 1,
            _ => return Err(wrong()),
        };
        let part = scaled(number, unit).ok_or_else(wrong)?;
        millis = millis.checked_add(part).ok_or_else(wrong)?;
        rest = after.trim_start();
    }
    Ok(Duration::from_millis(millis))
}

/// So many units; up to nine digits after the point.
fn scaled(number: &str, unit: u64) -> Option<u64> {
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let whole: u64 = whole.parse().ok()?;
    if part.is_empty() || part.len() > 9 {
        return None;
    }
    let scale = 10u64.pow(u32::try_from(part.len()).ok()?);
    let part = part.parse::<u64>().ok()?.checked_mul(unit)? / scale;
    whole.checked_mul(unit)?.checked_add(part)
}

/// A span in the shortest of the same words.
pub fn print_span(span: Duration) -> String {
    let millis = millis(span);
    for (unit, size) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)] {
        if millis >= size && millis.is_multiple_of(size) {
            return format!("{}{unit}", millis / size);
        }
    }
    if millis == 0 { "0s".to_owned() } else { format!("{millis}ms") }
}

/// Why a text is not a range of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a range of durations: write two durations in ascending order, such as `200ms..1s`, or one, such as `2s`"
)]
pub struct SpanRangeError {
    text: String,
}

/// How long something takes: anything from the first to the second span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanRange {
    /// At least so long.
    pub least: Duration,
    /// At most so long.
    pub most: Duration,
}

impl FromStr for SpanRange {
    type Err = SpanRangeError;

    /// Reads `200ms..1s`, or one span for both ends.
    fn from_str(text: &str) -> Result<Self, SpanRangeError> {
        let wrong = || SpanRangeError { text: text.to_owned() };
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        // `0.2..1s`: the unit said once holds for both.
        let unit = most.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let range = Self {
            least: parse_span(least)
                .or_else(|_| parse_span(&format!("{least}{unit}")))
                .map_err(|_| wrong())?,
            most: parse_span(most).map_err(|_| wrong())?,
        };
        if range.least > range.most {
            return Err(wrong());
        }
        Ok(range)
    }
}

impl fmt::Display for SpanRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", print_span(self.least), print_span(self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_and_printed_in_the_same_words() {
        for (text, millis, printed) in [
            ("500ms", 500, "500ms"),
            ("2s", 2000, "2s"),
            ("37h", 37 * 3_600_000, "37h"),
            ("7d", 7 * 86_400_000, "7d"),
            ("0", 0, "0s"),
            ("0.25s", 250, "250ms"),
            ("90s", 90_000, "90s"),
            (" 1 m ", 60_000, "1m"),
            ("35h59m50s", 129_590_000, "129590s"),
        ] {
            let span = parse_span(text).unwrap();
            assert_eq!(span, Duration::from_millis(millis), "{text}");
            assert_eq!(print_span(span), printed);
        }
    }

    #[test]
    fn what_is_no_span_is_refused_with_an_example() {
        for text in ["", "5", "s", "-1s", "1y", "1.s", "1e3s", "99999999999999999999s", "..", "é"]
        {
            let error = parse_span(text).unwrap_err().to_string();
            assert!(error.contains("500ms"), "{text}");
        }
    }

    #[test]
    fn a_range_has_two_ends_in_order() {
        let range: SpanRange = "0.2..1s".parse().unwrap();
        assert_eq!(range.to_string(), "200ms..1s");
        assert_eq!("0..0".parse::<SpanRange>().unwrap().to_string(), "0s..0s");
        assert_eq!("3s".parse::<SpanRange>().unwrap().to_string(), "3s..3s");
        assert!("2s..1s".parse::<SpanRange>().is_err());
        assert!("..1s".parse::<SpanRange>().is_err());
    }

    #[test]
    fn seconds_keep_their_milliseconds() {
        assert_eq!(Timestamp::from_millis(1_628_533_035_219).seconds(), "1628533035.219");
        assert_eq!(Timestamp::from_millis(5).seconds(), "0.005");
    }
}
