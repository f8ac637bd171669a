//! The `format` keyword, read generously: AWS checks few formats, so a refusal is only a hint.

use core::net::{Ipv4Addr, Ipv6Addr};

/// Whether a text surely does not have the format; unknown formats refuse nothing.
pub(super) fn is_refused(format: &str, text: &str) -> bool {
    match format {
        "date-time" | "timestamp" => !is_date_time(text),
        "date" => !is_date(text),
        "uri" => !is_uri(text),
        "email" => !is_email(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_err(),
        "ipv6" => text.parse::<Ipv6Addr>().is_err(),
        _ => false,
    }
}

/// `2024-02-29T23:59:60Z`, with a space or small letters as RFC 3339 also allows. Seconds and the
/// offset may be left out, and seconds since 1970 are accepted: services take both.
fn is_date_time(text: &str) -> bool {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return true;
    }
    let Some((date, rest)) = text.split_once(['T', 't', ' ']) else { return false };
    let end = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (time, offset) = rest.split_at(end);
    is_date(date) && is_time(time) && is_offset(offset)
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    parts.next().is_none()
        && year.is_some_and(|year| number(year, 4).is_some())
        && month.and_then(|month| number(month, 2)).is_some_and(|month| (1..=12).contains(&month))
        && day.and_then(|day| number(day, 2)).is_some_and(|day| (1..=31).contains(&day))
}

fn is_time(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let parts: Vec<&str> = whole.split(':').collect();
    let limits = [23, 59, 60];
    (2..=3).contains(&parts.len())
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
        && parts
            .iter()
            .zip(limits)
            .all(|(part, limit)| number(part, 2).is_some_and(|value| value <= limit))
}

fn is_offset(text: &str) -> bool {
    match text.strip_prefix(['+', '-']) {
        None => matches!(text, "" | "Z" | "z"),
        Some(offset) => match offset.split_once(':') {
            Some((hours, minutes)) => number(hours, 2).is_some() && number(minutes, 2).is_some(),
            None => number(offset, 4).is_some() || number(offset, 2).is_some(),
        },
    }
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let is_plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { text.parse().ok() } else { None }
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        && !rest.is_empty()
        && !text.contains(char::is_whitespace)
}

fn is_email(text: &str) -> bool {
    text.rsplit_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_refuses_only_what_is_surely_not_of_it() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (
                "date-time",
                &[
                    "2024-02-29T23:59:60Z",
                    "2024-01-01t00:00:00.123+01:00",
                    "2024-01-01 00:00",
                    "1700000000.5",
                ],
                &["", "tomorrow", "2024-13-01T00:00:00Z", "2024-01-01", "2024-01-01T25:00:00Z"],
            ),
            ("date", &["2024-01-31"], &["2024-1-31", "31.01.2024"]),
            ("uri", &["https://a", "s3://b/c", "urn:x"], &["a b", "nothing", "1:2", "x:"]),
            ("email", &["a@b"], &["a", "@b", "a@"]),
            ("ipv4", &["10.0.0.1"], &["10.0.0", "::1"]),
            ("ipv6", &["::1"], &["10.0.0.1"]),
            ("int64", &["", "x"], &[]),
        ];
        for (format, accepted, refused) in cases {
            for text in *accepted {
                assert!(!is_refused(format, text), "{format} {text}");
            }
            for text in *refused {
                assert!(is_refused(format, text), "{format} {text}");
            }
        }
    }
}
