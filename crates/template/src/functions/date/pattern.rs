//! A time written after one of .NET's patterns, standard (`u`) or custom (`yyyy-MM-dd`), as everywhere
//! outside of any country: English names, `/` and `:` as they are.

use jiff::civil::{DateTime, Weekday};

pub(super) const HINT: &str =
    "use a .NET format: 'u', 'o', 's' or 'd', or a combination of yyyy MM dd HH mm ss fff";

/// The time after a pattern, or what is wrong with the pattern.
pub(super) fn write(time: DateTime, pattern: &str) -> Result<String, &'static str> {
    let mut letters = pattern.chars();
    let pattern = match (letters.next(), letters.next()) {
        (None, _) => return Err("is empty; expected a format"),
        (Some(letter), None) => standard(letter).ok_or("is not a standard time format")?,
        _ => pattern,
    };
    custom(time, pattern)
}

fn standard(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => "MM/dd/yyyy",
        'D' => "dddd, dd MMMM yyyy",
        'f' => "dddd, dd MMMM yyyy HH:mm",
        'F' | 'U' => "dddd, dd MMMM yyyy HH:mm:ss",
        'g' => "MM/dd/yyyy HH:mm",
        'G' => "MM/dd/yyyy HH:mm:ss",
        'm' | 'M' => "MMMM dd",
        'o' | 'O' => "yyyy-MM-ddTHH:mm:ss.fffffffK",
        'r' | 'R' => "ddd, dd MMM yyyy HH:mm:ss 'GMT'",
        's' => "yyyy-MM-ddTHH:mm:ss",
        't' => "HH:mm",
        'T' => "HH:mm:ss",
        'u' => "yyyy-MM-dd HH:mm:ssZ",
        'y' | 'Y' => "yyyy MMMM",
        _ => return None,
    })
}

fn custom(time: DateTime, pattern: &str) -> Result<String, &'static str> {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        let run = rest.chars().take_while(|it| *it == letter).count();
        let mut used = run * letter.len_utf8();
        match letter {
            '\'' | '"' => {
                let inner = rest[1..].split_once(letter).ok_or("has a quote that is not closed")?.0;
                text.push_str(inner);
                used = inner.len() + 2;
            }
            '\\' => {
                let escaped = rest[1..].chars().next().ok_or("ends with a `\\`")?;
                text.push(escaped);
                used = 1 + escaped.len_utf8();
            }
            // It only makes one letter a custom format.
            '%' => used = 1,
            'y' | 'M' | 'd' | 'H' | 'h' | 'm' | 's' | 't' | 'z' | 'K' | 'f' | 'F' => {
                let part = part(time, letter, run).ok_or("repeats a letter too many times")?;
                if letter == 'F' && part.is_empty() && text.ends_with('.') {
                    text.pop();
                }
                text.push_str(&part);
            }
            'g' => return Err("contains `g` (the era), which is not supported"),
            _ => text.push_str(&rest[..used]),
        }
        rest = &rest[used..];
    }
    Ok(text)
}

/// What a run of one letter stands for.
fn part(time: DateTime, letter: char, run: usize) -> Option<String> {
    let padded = |number: i64, most: usize| (run <= most).then(|| format!("{number:0run$}"));
    match letter {
        'y' if run <= 2 => padded(i64::from(time.year()) % 100, 2),
        'y' => padded(i64::from(time.year()), 9),
        'M' if run == 3 => Some(month(time.month()).chars().take(3).collect()),
        'M' if run == 4 => Some(month(time.month()).to_owned()),
        'M' => padded(i64::from(time.month()), 2),
        'd' if run == 3 => Some(weekday(time.weekday()).chars().take(3).collect()),
        'd' if run == 4 => Some(weekday(time.weekday()).to_owned()),
        'd' => padded(i64::from(time.day()), 2),
        'H' => padded(i64::from(time.hour()), 2),
        'h' => padded(i64::from((time.hour() + 11) % 12 + 1), 2),
        'm' => padded(i64::from(time.minute()), 2),
        's' => padded(i64::from(time.second()), 2),
        't' => {
            let half = if time.hour() < 12 { "AM" } else { "PM" };
            (run <= 2).then(|| half[..run].to_owned())
        }
        // All times are UTC.
        'z' => ["+0", "+00", "+00:00"].get(run - 1).map(|it| (*it).to_owned()),
        'K' => Some("Z".repeat(run)),
        'f' | 'F' if run <= 7 => {
            let digits = format!("{:09}", time.subsec_nanosecond());
            let digits = &digits[..run];
            Some(if letter == 'F' { digits.trim_end_matches('0') } else { digits }.to_owned())
        }
        _ => None,
    }
}

fn month(number: i8) -> &'static str {
    match number {
        1 => "January",
        2 => "February",
        3 => "March",
        4 => "April",
        5 => "May",
        6 => "June",
        7 => "July",
        8 => "August",
        9 => "September",
        10 => "October",
        11 => "November",
        _ => "December",
    }
}

fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_time_is_written_as_the_pattern_says() {
        let time = date(2019, 3, 5).at(17, 53, 8, 120_000_000);
        for (pattern, text) in [
            ("yyyyMMddTHHmmssZ", "20190305T175308Z"),
            ("u", "2019-03-05 17:53:08Z"),
            ("o", "2019-03-05T17:53:08.1200000Z"),
            ("s", "2019-03-05T17:53:08"),
            ("d", "03/05/2019"),
            ("D", "Tuesday, 05 March 2019"),
            ("R", "Tue, 05 Mar 2019 17:53:08 GMT"),
            ("M d", "3 5"),
            ("%d", "5"),
            ("yy-M-d h:m:s tt", "19-3-5 5:53:8 PM"),
            ("HH:mm:ss.fff", "17:53:08.120"),
            ("HH:mm:ss.FFFFFFF", "17:53:08.12"),
            ("ddd 'at' HH\\h", "Tue at 17h"),
            ("zzz K", "+00:00 Z"),
        ] {
            assert_eq!(write(time, pattern).as_deref(), Ok(text), "{pattern}");
        }
        let midnight = date(2000, 1, 1).at(0, 0, 0, 0);
        assert_eq!(write(midnight, "hh tt ss.FFF").as_deref(), Ok("12 AM 00"));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for pattern in ["", "Z", "x", "HHH", "yyyy 'open", "HH\\", "ffffffff", "yyyy g", "é"] {
            assert!(write(date(2019, 3, 5).at(0, 0, 0, 0), pattern).is_err(), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn no_pattern_is_too_strange(pattern in "[yMdHhmsfFtzKg'\"\\\\%é:/ T]{0,12}", seconds: i32) {
            let time = jiff::tz::Offset::UTC
                .to_datetime(jiff::Timestamp::from_second(i64::from(seconds)).unwrap());
            let _ = write(time, &pattern);
        }
    }
}
