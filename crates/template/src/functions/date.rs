//! Functions on dates: `utcNow`, `dateTimeAdd`, `dateTimeToEpoch`, `dateTimeFromEpoch`. All times are UTC.

mod pattern;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::temporal::{Pieces, PiecesOffset};
use jiff::tz::Offset;

use super::arguments::Arguments;
use super::fault::Fault;
use super::{Function, Parameter};
use crate::value::{Because, Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "utcNow",
        &[Parameter::new("format", "string")],
        Some(Kind::String),
        utc_now,
        "Returns the start time of the deployment (`yyyyMMddTHHmmssZ`); only for the default of a parameter.",
    )
    .least(0),
    Function::new(
        "dateTimeAdd",
        &[
            Parameter::new("base", "string"),
            Parameter::new("duration", "string"),
            Parameter::new("format", "string"),
        ],
        Some(Kind::String),
        date_time_add,
        "Adds a duration (ISO 8601: `P1D`, `-PT2H`) to a time; a year has 365 days, a month 30 days.",
    )
    .least(2),
    Function::new(
        "dateTimeFromEpoch",
        &[Parameter::new("seconds", "int")],
        Some(Kind::String),
        date_time_from_epoch,
        "Converts the seconds since the start of 1970 to a time.",
    ),
    Function::new(
        "dateTimeToEpoch",
        &[Parameter::new("time", "string")],
        Some(Kind::Int),
        date_time_to_epoch,
        "Converts a time to the seconds since the start of 1970.",
    ),
];

/// As the documentation of `utcNow` has it.
const BASIC: &str = "yyyyMMddTHHmmssZ";
/// As results of `dateTimeAdd` look; parts of a second only where there are any.
const EXTENDED: &str = "yyyy-MM-ddTHH:mm:ss.FFFFFFFZ";

fn utc_now(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let format = arguments.optional_string(0)?;
    let Some(now) = arguments.context.now() else {
        return Ok(Value::unknown(Some(Kind::String), Because::Moment));
    };
    let now = Timestamp::from_microsecond(now)
        .map_err(|_| Fault::call("the time of the clock is outside the supported range"))?;
    written(arguments, now, format.map_or(BASIC, |it| it), 0)
}

fn date_time_add(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let base = time(arguments, 0)?;
    let duration = nanoseconds(arguments.string(1)?)
        .ok_or_else(|| arguments.refuses(1, "a duration such as 'P1D', 'PT30M' or '-P1Y'"))?;
    let sum = base.as_nanosecond().checked_add(duration);
    let sum = sum.and_then(|it| Timestamp::from_nanosecond(it).ok()).filter(is_writable);
    let sum =
        sum.ok_or_else(|| arguments.faulty(1, "results in a time outside the years 1 to 9999"))?;
    written(arguments, sum, arguments.optional_string(2)?.map_or(EXTENDED, |it| it), 2)
}

fn date_time_from_epoch(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let time = Timestamp::from_second(arguments.int(0)?).ok().filter(is_writable);
    let time = time.ok_or_else(|| arguments.refuses(0, "a time in the years 1 to 9999"))?;
    written(arguments, time, EXTENDED, 0)
}

fn date_time_to_epoch(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    Ok(Value::int(time(arguments, 0)?.as_second()))
}

fn is_writable(time: &Timestamp) -> bool {
    (1..=9999).contains(&civil(*time).year())
}

fn civil(time: Timestamp) -> DateTime {
    Offset::UTC.to_datetime(time)
}

fn written(
    arguments: &Arguments<'_>,
    time: Timestamp,
    format: &str,
    argument: usize,
) -> Result<Value, Fault> {
    let text = pattern::write(civil(time), format);
    let text = text.map_err(|what| arguments.faulty(argument, what).hint(pattern::HINT))?;
    Ok(Value::string(text))
}

fn time(arguments: &Arguments<'_>, index: usize) -> Result<Timestamp, Fault> {
    parse(arguments.string(index)?).ok_or_else(|| {
        arguments.refuses(index, "a time in ISO 8601, such as '2026-01-31T12:00:00Z'")
    })
}

/// A time in any of the forms of ISO 8601 that the functions here write. What names no offset is UTC.
fn parse(text: &str) -> Option<Timestamp> {
    let pieces = Pieces::parse(text.trim()).ok()?;
    if pieces.time_zone_annotation().is_some() {
        return None;
    }
    let offset = match pieces.offset() {
        Some(PiecesOffset::Numeric(numeric)) => numeric.offset(),
        _ => Offset::UTC,
    };
    let time = pieces.date().to_datetime(pieces.time().unwrap_or_default());
    offset.to_timestamp(time).ok().filter(is_writable)
}

/// A duration of ISO 8601. A year is 365 days and a month 30, whatever the calendar says: so .NET reads
/// them, and so the documentation's examples come out.
fn nanoseconds(text: &str) -> Option<i128> {
    const SECOND: i128 = 1_000_000_000;
    const DAY: i128 = 86_400 * SECOND;
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => (-1, text),
        None => (1, text),
    };
    let (date, time) = match text.strip_prefix('P')?.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (text.strip_prefix('P')?, None),
    };
    let days = sum_of(date, &[('Y', 365 * DAY), ('M', 30 * DAY), ('W', 7 * DAY), ('D', DAY)])?;
    let rest = match time {
        Some(time) => sum_of(time, &[('H', 3600 * SECOND), ('M', 60 * SECOND), ('S', SECOND)])
            .filter(|_| !time.is_empty())?,
        None => 0,
    };
    let is_something = !date.is_empty() || time.is_some();
    days.checked_add(rest).filter(|_| is_something).map(|it| sign * it)
}

/// The sum of numbers with their units, each unit at most once and in order; only seconds have a fraction.
fn sum_of(mut text: &str, units: &[(char, i128)]) -> Option<i128> {
    let mut sum = 0_i128;
    let mut units = units.iter();
    while !text.is_empty() {
        let (number, behind) = text.split_at(text.find(|it: char| it.is_ascii_alphabetic())?);
        let unit = behind.chars().next()?;
        let (_, size) = units.find(|(name, _)| *name == unit)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let is_number = |it: &str| it.len() <= 15 && it.bytes().all(|it| it.is_ascii_digit());
        let has_point = number.contains('.');
        if !is_number(whole) || !is_number(fraction) || whole.is_empty() {
            return None;
        }
        if has_point && (unit != 'S' || fraction.is_empty() || fraction.len() > 9) {
            return None;
        }
        let mut amount = whole.parse::<i128>().ok()?.checked_mul(*size)?;
        if has_point {
            amount += format!("{fraction:0<9}").parse::<i128>().ok()?;
        }
        sum = sum.checked_add(amount)?;
        text = &behind[1..];
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        const SECOND: i128 = 1_000_000_000;
        for (text, seconds) in [
            ("P1D", 86_400),
            ("-P9D", -9 * 86_400),
            ("P3Y", 3 * 365 * 86_400),
            ("P1M", 30 * 86_400),
            ("P1W", 7 * 86_400),
            ("PT1H", 3600),
            ("PT1M", 60),
            ("P1Y2M3DT4H5M6S", 428 * 86_400 + 4 * 3600 + 5 * 60 + 6),
        ] {
            assert_eq!(nanoseconds(text), Some(seconds * SECOND), "{text}");
        }
        assert_eq!(nanoseconds("PT0.25S"), Some(SECOND / 4));
        for wrong in [
            "", "P", "PT", "P1", "1D", "P1H", "PT1D", "P1D1Y", "P1.5D", "P-1D", "P1DT", "PT.5S",
            "PéD",
        ] {
            assert_eq!(nanoseconds(wrong), None, "{wrong}");
        }
        assert_eq!(nanoseconds("P99999999999999999999Y"), None);
    }

    #[test]
    fn times_are_read_in_all_their_forms() {
        let expected: Timestamp = "2019-03-05T17:53:18Z".parse().unwrap();
        for text in [
            "20190305T175318Z",
            "2019-03-05T17:53:18Z",
            "2019-03-05 17:53:18Z",
            "2019-03-05T17:53:18.0000000Z",
            "2019-03-05T18:53:18+01:00",
            "2019-03-05T17:53:18",
        ] {
            assert_eq!(parse(text), Some(expected), "{text}");
        }
        assert_eq!(
            parse("2019-03-05").map(|it| it.to_string()),
            Some("2019-03-05T00:00:00Z".into())
        );
        for wrong in
            ["", "yesterday", "2019-13-05T00:00:00Z", "2019-03-05T17:53:18Z[Europe/Berlin]"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
