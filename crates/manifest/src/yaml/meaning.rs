//! What a plain scalar means, as kubectl reads it: YAML 1.1 in the dialect of Go.
//!
//! Reading and writing differ on purpose. [`plain`] tells the one meaning that kubectl sees; [`is_text`]
//! says yes only where every reader of YAML, of 1.1 or of 1.2, sees text.

use serde_json::{Number, Value};

/// The value of a plain scalar without a tag.
pub(crate) fn plain(text: &str) -> Value {
    if let Some(word) = word(text) {
        return word;
    }
    // Most scalars are words: what cannot begin a number is told by its first byte.
    match text.as_bytes().first() {
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => {
            number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
        }
        _ => Value::String(text.to_owned()),
    }
}

/// Whether every reader of YAML takes the plain text for text.
pub(super) fn is_text(text: &str) -> bool {
    if word(text).is_some() || matches!(text, "<<" | "=") {
        return false;
    }
    match text.as_bytes().first() {
        Some(b'0'..=b'9' | b'+' | b'-' | b'.') => {
            digits(text).is_none() && !is_special(text) && !is_sexagesimal(text) && !is_date(text)
        }
        _ => true,
    }
}

fn word(text: &str) -> Option<Value> {
    if text.len() > 5 {
        return None;
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Some(Value::Null),
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "y" | "Y" => {
            Some(Value::Bool(true))
        }
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "n" | "N" => {
            Some(Value::Bool(false))
        }
        _ => None,
    }
}

/// The number, with the digits as they are written where JSON can write them so.
pub(super) fn number(text: &str) -> Option<Number> {
    let digits = digits(text)?;
    // Go takes what is beyond a double for text; this asks only whether it is.
    if digits.len() > 300 || digits.contains(['e', 'E']) {
        digits.parse::<f64>().ok().filter(|double| double.is_finite())?;
    }
    digits.parse().ok()
}

/// A number as JSON writes it.
fn digits(text: &str) -> Option<String> {
    let joined;
    let text = if text.contains('_') {
        joined = text.replace('_', "");
        &joined
    } else {
        text
    };
    let (sign, body) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("", &text[1..]),
        _ => ("", text),
    };
    let radix = match body.as_bytes() {
        [b'0', b'x' | b'X', ..] => Some((16, &body[2..])),
        [b'0', b'o' | b'O', ..] => Some((8, &body[2..])),
        [b'0', b'b' | b'B', ..] => Some((2, &body[2..])),
        [b'0', rest @ ..] if !rest.is_empty() && rest.iter().all(|b| matches!(b, b'0'..=b'7')) => {
            Some((8, &body[1..]))
        }
        _ => None,
    };
    if let Some((radix, digits)) = radix {
        if digits.starts_with(['+', '-']) {
            return None;
        }
        let value = u64::from_str_radix(digits, radix).ok()?;
        return Some(format!("{sign}{value}"));
    }
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => body.split_at(at),
        None => (body, ""),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(part) || whole.len() + part.len() == 0 {
        return None;
    }
    if !exponent.is_empty() {
        let power = exponent[1..].strip_prefix(['+', '-']).unwrap_or(&exponent[1..]);
        if power.is_empty() || !is_digits(power) {
            return None;
        }
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = match (mantissa.contains('.'), part) {
        (false, _) => String::new(),
        (true, "") => ".0".to_owned(),
        (true, part) => format!(".{part}"),
    };
    Some(format!("{sign}{whole}{point}{exponent}"))
}

fn is_special(text: &str) -> bool {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    body.eq_ignore_ascii_case(".inf") || body.eq_ignore_ascii_case(".nan")
}

/// `1:30`, which YAML 1.1 counts in sixties.
fn is_sexagesimal(text: &str) -> bool {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    body.contains(':')
        && body.split(':').all(|part| {
            part.bytes().next().is_some_and(|byte| byte.is_ascii_digit())
                && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'_'))
        })
}

/// `2010-09-09`, with a time or without.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 8
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[5].is_ascii_digit()
        && bytes.iter().all(|byte| {
            matches!(
                byte,
                b'0'..=b'9' | b'-' | b':' | b'.' | b'+' | b' ' | b'\t' | b'T' | b't' | b'Z' | b'z'
            )
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_plain_scalar_means_what_kubectl_reads() {
        for (text, value) in [
            ("", Value::Null),
            ("~", Value::Null),
            ("null", Value::Null),
            ("yes", json!(true)),
            ("off", json!(false)),
            ("12", json!(12)),
            ("+12", json!(12)),
            ("-0", "-0".parse::<Number>().unwrap().into()),
            ("012", json!(10)),
            ("089", json!(89)),
            ("0x1F", json!(31)),
            ("0o17", json!(15)),
            ("0b101", json!(5)),
            ("1_000", json!(1000)),
            ("1.10", "1.10".parse::<Number>().unwrap().into()),
            (".5", "0.5".parse::<Number>().unwrap().into()),
            ("5.", "5.0".parse::<Number>().unwrap().into()),
            ("1e3", "1e3".parse::<Number>().unwrap().into()),
            (
                "123456789012345678901234567890",
                "123456789012345678901234567890".parse::<Number>().unwrap().into(),
            ),
            ("0x", json!("0x")),
            ("0x-1", json!("0x-1")),
            ("-", json!("-")),
            (".", json!(".")),
            ("e3", json!("e3")),
            ("1e", json!("1e")),
            ("1.2.3", json!("1.2.3")),
            ("2010-09-09", json!("2010-09-09")),
            (".inf", json!(".inf")),
            ("1e+400", json!("1e+400")),
            ("012345678901", json!(12_345_678_901_u64)),
            ("-012", json!(-10)),
            ("1_", json!(1)),
            ("_1", json!("_1")),
            ("1:30", json!("1:30")),
            ("nullx", json!("nullx")),
            ("Truest", json!("Truest")),
        ] {
            assert_eq!(plain(text), value, "{text}");
        }
    }

    #[test]
    fn only_what_every_reader_takes_for_text_is_text() {
        for text in [
            "12",
            "1e3",
            "1e400",
            "yes",
            "y",
            "NO",
            "~",
            "",
            "null",
            "0x1f",
            "012",
            "1_0",
            ".inf",
            "-.INF",
            ".NaN",
            "1:30",
            "190:20:30.15",
            "2010-09-09",
            "2001-12-14t21:59:43.10-05:00",
            "<<",
            "=",
        ] {
            assert!(!is_text(text), "{text}");
        }
        for text in [
            "1.2.3",
            "10.0.0.1",
            "10.0.0.0/16",
            "a",
            "arn:aws:s3:::x",
            "12a",
            "-x",
            "1:a",
            "2010-x9-09",
            "...",
        ] {
            assert!(is_text(text), "{text}");
        }
    }
}
