//! A text or a value written as YAML that every reader, and JSON's where quotes are double, reads back.

use std::fmt::Write as _;

use serde_json::Value;

use super::meaning;

/// Whether a character may stand for itself in quotes and blocks, for readers of YAML 1.1 too.
pub(super) fn is_printable(c: char) -> bool {
    matches!(c, '\t' | ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
}

/// Whether a text can stand in single quotes, on one line.
pub(super) fn fits_single_quotes(text: &str) -> bool {
    text.chars().all(is_printable)
}

/// Whether a text can stand without quotes, on one line, and reads as text there.
pub(super) fn fits_plain(text: &str, in_flow: bool) -> bool {
    let mut chars = text.chars();
    let (Some(first), second) = (chars.next(), chars.next()) else { return false };
    let begins = match first {
        '-' => second.is_some_and(|c| c != ' '),
        '?' | ':' | ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\''
        | '"' | '%' | '@' | '`' => false,
        _ => true,
    };
    begins
        && text.chars().all(|c| is_printable(c) && c != '\t')
        && !text.starts_with("---")
        && !text.starts_with("...")
        && !text.starts_with(' ')
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        // Old readers end a plain scalar at any of these inside `[…]` and `{…}`.
        && !(in_flow && text.contains([',', '[', ']', '{', '}', ':', '?']))
        && meaning::is_text(text)
}

/// The text in double quotes.
pub(super) fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    escape(text, &mut out);
    out.push('"');
    out
}

/// The text as it stands between double quotes; only escapes that JSON has too.
pub(super) fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_printable(c) => out.push(c),
            c => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
        }
    }
}

/// The text in single quotes; only for one that fits.
pub(super) fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A value on one line: numbers and words plain, the rest as JSON. None where it is nested too deeply.
pub(super) fn flow(value: &Value, depth: usize) -> Option<String> {
    let mut out = String::new();
    flow_into(value, depth, &mut out).then_some(out)
}

fn flow_into(value: &Value, depth: usize, out: &mut String) -> bool {
    let Some(inner) = depth.checked_sub(1) else { return false };
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Value::String(text) => {
            out.push('"');
            escape(text, out);
            out.push('"');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                if !flow_into(item, inner, out) {
                    return false;
                }
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (name, member)) in members.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push('"');
                escape(name, out);
                out.push_str("\":");
                if !flow_into(member, inner, out) {
                    return false;
                }
            }
            out.push('}');
        }
    }
    true
}
