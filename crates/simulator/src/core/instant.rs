//! Instants as AWS writes and reads them: ISO 8601 in answers, the basic form in signatures.
//!
//! Time is always an argument; nothing here reads a clock.

const SECONDS_PER_DAY: u64 = 86_400;

/// An instant as XML answers state it, to the millisecond.
///
/// ```
/// # use hangar_simulator::core::instant::iso8601;
/// assert_eq!(iso8601(1_794_724_060_219), "2026-11-15T06:27:40.219Z");
/// ```
pub fn iso8601(millis: u64) -> String {
    let Civil { year, month, day, hour, minute, second } = Civil::at(millis / 1000);
    let millis = millis % 1000;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// An instant as `x-amz-date` states it, in whole seconds.
///
/// ```
/// # use hangar_simulator::core::instant::basic;
/// assert_eq!(basic(1_794_724_060), "20261115T062740Z");
/// ```
pub fn basic(seconds: u64) -> String {
    let Civil { year, month, day, hour, minute, second } = Civil::at(seconds);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

/// Reads the basic form, `20261115T062740Z`. What lies before 1970 is read as its first second.
pub fn read_basic(text: &str) -> Option<u64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if date.len() != 8 || time.len() != 6 || !is_digits(date) || !is_digits(time) {
        return None;
    }
    Civil {
        year: date[..4].parse().ok()?,
        month: date[4..6].parse().ok()?,
        day: date[6..].parse().ok()?,
        hour: time[..2].parse().ok()?,
        minute: time[2..4].parse().ok()?,
        second: time[4..].parse().ok()?,
    }
    .seconds()
}

/// Reads the date of HTTP, `Sun, 15 Nov 2026 06:27:40 GMT`, and does not hold the weekday to it.
pub fn read_http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [_weekday, day, month, year, time, "GMT"] = words.as_slice() else {
        return None;
    };
    let parts: Vec<&str> = time.split(':').collect();
    let [hour, minute, second] = parts.as_slice() else {
        return None;
    };
    // A long run of digits is no year, and must not overflow on the way to being refused.
    if year.len() != 4 {
        return None;
    }
    Civil {
        year: year.parse().ok()?,
        month: MONTHS
            .iter()
            .zip(1..)
            .find_map(|(name, number)| (name == month).then_some(number))?,
        day: day.parse().ok()?,
        hour: hour.parse().ok()?,
        minute: minute.parse().ok()?,
        second: second.parse().ok()?,
    }
    .seconds()
}

/// A moment of the Gregorian calendar in UTC.
struct Civil {
    year: u64,
    month: u64,
    day: u64,
    hour: u64,
    minute: u64,
    second: u64,
}

impl Civil {
    fn at(seconds: u64) -> Self {
        let days = seconds / SECONDS_PER_DAY;
        let within = seconds % SECONDS_PER_DAY;
        // 400 years have 146,097 days, so the guess is off by a year at most.
        let mut year = 1970 + days * 400 / 146_097;
        while days_before(year) > days {
            year -= 1;
        }
        while days_before(year + 1) <= days {
            year += 1;
        }
        let mut day = days - days_before(year);
        let mut month = 1;
        while day >= length(year, month) {
            day -= length(year, month);
            month += 1;
        }
        let (hour, minute, second) = (within / 3600, within / 60 % 60, within % 60);
        Self { year, month, day: day + 1, hour, minute, second }
    }

    /// Seconds since 1970, or nothing if there is no such moment.
    fn seconds(&self) -> Option<u64> {
        let in_month = (1..=12).contains(&self.month)
            && (1..=length(self.year, self.month)).contains(&self.day);
        if !in_month || self.hour > 23 || self.minute > 59 || self.second > 59 {
            return None;
        }
        if self.year < 1970 {
            return Some(0);
        }
        let months: u64 = (1..self.month).map(|month| length(self.year, month)).sum();
        let days = days_before(self.year) + months + self.day - 1;
        Some(days * SECONDS_PER_DAY + self.hour * 3600 + self.minute * 60 + self.second)
    }
}

/// Days from 1970 to the first day of a year, which is not before 1970.
fn days_before(year: u64) -> u64 {
    /// The leap years up to 1969.
    const LEAPS: u64 = 1969 / 4 - 1969 / 100 + 1969 / 400;
    let past = year - 1;
    365 * (year - 1970) + (past / 4 - past / 100 + past / 400) - LEAPS
}

fn length(year: u64, month: u64) -> u64 {
    let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_instants_are_written() {
        for (seconds, expected) in [
            (0, "19700101T000000Z"),
            (951_782_399, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"),
            (951_868_800, "20000301T000000Z"),
            (1_440_938_160, "20150830T123600Z"),
            (4_107_542_400, "21000301T000000Z"),
            (253_402_300_799, "99991231T235959Z"),
        ] {
            assert_eq!(basic(seconds), expected);
            assert_eq!(read_basic(expected), Some(seconds));
        }
        assert_eq!(iso8601(0), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn every_day_of_eight_centuries_reads_back() {
        for day in 0..292_194 {
            let seconds = day * SECONDS_PER_DAY + day % SECONDS_PER_DAY;
            assert_eq!(read_basic(&basic(seconds)), Some(seconds));
        }
    }

    #[test]
    fn the_largest_number_is_an_instant_too() {
        assert!(iso8601(u64::MAX).ends_with('Z'));
        assert!(basic(u64::MAX).ends_with('Z'));
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "20150830",
            "20150830T123600",
            "2015-08-30T12:36:00Z",
            "20150229T000000Z",
            "20150832T000000Z",
            "20151301T000000Z",
            "20150830T240000Z",
            "2015083éT12360Z",
            "+0150830T123600Z",
        ] {
            assert_eq!(read_basic(text), None, "{text}");
        }
        assert_eq!(read_basic("19691231T235959Z"), Some(0));
    }

    #[test]
    fn the_date_of_http_is_read() {
        assert_eq!(read_http_date("Sun, 30 Aug 2015 12:36:00 GMT"), Some(1_440_938_160));
        for text in
            ["Sun, 30 Foo 2015 12:36:00 GMT", "30 Aug 2015", "Sun, 30 Aug 99999999999 1:1:1 GMT"]
        {
            assert_eq!(read_http_date(text), None, "{text}");
        }
    }
}
