//! Functions that write text in another alphabet and read it back: base64 and data URIs.

use super::arguments::Arguments;
use super::fault::Fault;
use super::uri::unescape;
use super::{Function, MOST_BYTES, Parameter, json};
use crate::value::{Kind, Value};

const TEXT: Parameter = Parameter::new("text", "string");

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "base64",
        &[TEXT],
        Some(Kind::String),
        base64,
        "Encodes a string (as UTF-8) in base64.",
    ),
    Function::new(
        "base64ToString",
        &[TEXT],
        Some(Kind::String),
        base64_to_string,
        "Decodes base64 to a string (in UTF-8).",
    ),
    Function::new(
        "base64ToJson",
        &[TEXT],
        None,
        base64_to_json,
        "Decodes base64 and parses the result as JSON.",
    ),
    Function::new(
        "dataUri",
        &[TEXT],
        Some(Kind::String),
        data_uri,
        "Encodes a string as a data URI.",
    ),
    Function::new(
        "dataUriToString",
        &[TEXT],
        Some(Kind::String),
        data_uri_to_string,
        "Decodes a data URI to a string.",
    ),
];

fn base64(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let text = arguments.string(0)?;
    if text.len() / 3 * 4 > MOST_BYTES {
        return Err(arguments.too_large(MOST_BYTES, "bytes"));
    }
    Ok(Value::string(encode(text.as_bytes())))
}

fn base64_to_string(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    decoded(arguments).map(Value::string)
}

fn base64_to_json(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    json::parse(&decoded(arguments)?)
        .map(|document| Value::from_json(&document, false))
        .map_err(|wrong| arguments.faulty(0, &format!("does not decode to valid JSON: {wrong}")))
}

fn decoded(arguments: &Arguments<'_>) -> Result<String, Fault> {
    let bytes =
        decode(arguments.string(0)?).ok_or_else(|| arguments.faulty(0, "is not valid base64"))?;
    String::from_utf8(bytes).map_err(|_| arguments.faulty(0, "does not decode to valid UTF-8"))
}

fn data_uri(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let text = arguments.string(0)?;
    if text.len() / 3 * 4 > MOST_BYTES {
        return Err(arguments.too_large(MOST_BYTES, "bytes"));
    }
    let encoded = encode(text.as_bytes());
    Ok(Value::string(format!("data:text/plain;charset=utf8;base64,{encoded}")))
}

fn data_uri_to_string(arguments: &Arguments<'_>) -> Result<Value, Fault> {
    let uri = arguments.string(0)?;
    let wrong = |what| arguments.faulty(0, what);
    let is_data = uri.get(..5).is_some_and(|it| it.eq_ignore_ascii_case("data:"));
    let rest = if is_data { uri[5..].split_once(',') } else { None };
    let (kind, data) = rest.ok_or_else(|| wrong("is not a data URI, such as 'data:;base64,…'"))?;
    let attributes: Vec<_> = kind.split(';').map(str::trim).map(str::to_ascii_lowercase).collect();
    let charset = attributes.iter().find_map(|it| it.strip_prefix("charset="));
    if charset.is_some_and(|it| !matches!(it, "utf8" | "utf-8" | "us-ascii" | "ascii")) {
        return Err(wrong("has a character set other than UTF-8"));
    }
    if attributes.last().is_none_or(|it| it != "base64") {
        return Ok(Value::string(unescape(data)));
    }
    let bytes = decode(data).ok_or_else(|| wrong("contains invalid base64"))?;
    String::from_utf8(bytes).map(Value::string).map_err(|_| wrong("does not decode to valid UTF-8"))
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in base64 (RFC 4648, section 4).
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// The bytes that base64 stands for. White space does not count; the padding must be there.
fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|it| !it.is_ascii_whitespace()).collect();
    let padding = digits.iter().rev().take_while(|it| **it == b'=').count();
    if !digits.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    for group in digits[..digits.len() - padding].chunks(4) {
        let mut bits = 0;
        for digit in group {
            bits = bits << 6 | six_bits(*digit)?;
        }
        bits <<= 6 * (4 - group.len());
        bytes.extend(&u32::to_be_bytes(bits)[1..group.len()]);
    }
    Some(bytes)
}

fn six_bits(digit: u8) -> Option<u32> {
    Some(u32::from(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_examples_of_the_rfc_come_out() {
        for (text, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(text.as_bytes()), encoded);
            assert_eq!(decode(encoded).as_deref(), Some(text.as_bytes()));
        }
        assert_eq!(decode("Zm9v\r\nYmFy").as_deref(), Some(&b"foobar"[..]));
        for wrong in ["Zg", "Zg=", "Z===", "Z-==", "====", "=Zg="] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes: Vec<u8>) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
