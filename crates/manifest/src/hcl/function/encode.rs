//! Functions that write a value in another notation, or read it there.

use std::fmt::Write as _;

use super::super::value::{Data, Datum, number_text};
use super::argument::{Arguments, Text};
use super::{Problem, Ran};

pub(super) fn jsonencode(arguments: &mut Arguments) -> Ran {
    let mut text = Text::default();
    text.push(&json_text(&arguments.take(0)))?;
    Ok(text.into_datum())
}

pub(super) fn jsondecode(arguments: &mut Arguments) -> Ran {
    let text = arguments.text(0)?;
    match serde_json::from_str(&text) {
        Ok(value) => Ok(Datum::of_json(value)),
        Err(error) => Err(Problem::Wrong(format!(
            "argument 1 is not JSON: line {}, column {}",
            error.line(),
            error.column()
        ))),
    }
}

/// As Terraform writes it: in one line, keys in order, and without what a page of HTML would take for
/// its own.
pub(super) fn json_text(datum: &Datum) -> String {
    let mut text = String::new();
    write_json(datum, &mut text);
    text
}

fn write_json(datum: &Datum, out: &mut String) {
    match &datum.data {
        Data::Null => out.push_str("null"),
        Data::Bool(is_true) => out.push_str(if *is_true { "true" } else { "false" }),
        Data::Number(number) => out.push_str(&number_text(number)),
        Data::Text(text) => write_string(text, out),
        Data::List(items) | Data::Set(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write_json(item, out);
            }
            out.push(']');
        }
        Data::Map(members) => {
            out.push('{');
            for (at, (name, member)) in members.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write_string(name, out);
                out.push(':');
                write_json(member, out);
            }
            out.push('}');
        }
    }
}

pub(super) fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                write!(out, "\\u{:04x}", u32::from(c)).expect("a text takes what is written");
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn base64encode(arguments: &mut Arguments) -> Ran {
    let text = arguments.text(0)?;
    let mut out = String::with_capacity(text.len().div_ceil(3) * 4);
    for chunk in text.as_bytes().chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let letter = BASE64[usize::try_from(bits >> (18 - 6 * at) & 63).unwrap_or(0)];
            out.push(if at <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    let mut text = Text::default();
    text.push(&out)?;
    Ok(text.into_datum())
}

pub(super) fn base64decode(arguments: &mut Arguments) -> Ran {
    let text = arguments.text(0)?;
    let bytes = base64_bytes(&text);
    let bytes = bytes.ok_or_else(|| Problem::Wrong("argument 1 is not Base64".to_owned()))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Datum::text(text)),
        Err(_) => Err(Problem::Wrong("argument 1 does not decode to UTF-8 text".to_owned())),
    }
}

/// Ends of lines are passed over; what is padded must be whole.
fn base64_bytes(text: &str) -> Option<Vec<u8>> {
    let letters: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
    if !letters.len().is_multiple_of(4) {
        return None;
    }
    let padding = letters.iter().rev().take_while(|byte| **byte == b'=').count();
    if padding > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for letter in &letters[..letters.len() - padding] {
        let value = BASE64.iter().position(|it| it == letter)?;
        bits = (bits << 6 | u32::try_from(value).ok()?) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// As the query of a URL has it.
pub(super) fn urlencode(arguments: &mut Arguments) -> Ran {
    let mut out = String::new();
    for byte in arguments.text(0)?.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            b' ' => out.push('+'),
            _ => write!(out, "%{byte:02X}").expect("a text takes what is written"),
        }
    }
    let mut text = Text::default();
    text.push(&out)?;
    Ok(text.into_datum())
}
