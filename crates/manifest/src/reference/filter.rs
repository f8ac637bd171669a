//! What is made of a value before it is written: `|int`, `|list`, `|json`, `|base64`…

use std::fmt;

use serde_json::{Number, Value};

use super::ReferenceError;

/// A conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// A whole number.
    Int,
    /// Any number.
    Number,
    /// `true` or `false`.
    Bool,
    /// Text, also of what is a number.
    Text,
    /// A list; a text is cut at its commas.
    List,
    /// A text of JSON becomes what it says, anything else the text of its JSON.
    Json,
    /// The base64 of the text.
    Base64,
}

/// Why a value cannot be made into what a filter makes. The value itself is not in it: it may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the value is {found}, which `|{filter}` cannot convert")]
pub struct FilterError {
    filter: Filter,
    found: &'static str,
}

const NAMES: [(&str, Filter); 8] = [
    ("int", Filter::Int),
    ("number", Filter::Number),
    ("bool", Filter::Bool),
    ("text", Filter::Text),
    ("string", Filter::Text),
    ("list", Filter::List),
    ("json", Filter::Json),
    ("base64", Filter::Base64),
];

impl Filter {
    fn named(name: &str) -> Option<Self> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, filter)| *filter)
    }

    /// What the filter makes of a value.
    pub fn apply(self, value: &Value) -> Result<Value, FilterError> {
        let wrong = || FilterError { filter: self, found: noun(value) };
        match self {
            Self::Int => match number(value) {
                Some(number) if is_whole(&number) => Ok(Value::Number(number)),
                _ => Err(wrong()),
            },
            Self::Number => number(value).map(Value::Number).ok_or_else(wrong),
            Self::Bool => match value {
                Value::Bool(_) => Ok(value.clone()),
                Value::String(text) if text == "true" => Ok(Value::Bool(true)),
                Value::String(text) if text == "false" => Ok(Value::Bool(false)),
                _ => Err(wrong()),
            },
            Self::Text => text_of(value).map(Value::String).ok_or_else(wrong),
            Self::List => match value {
                Value::Array(_) => Ok(value.clone()),
                Value::String(text) if text.is_empty() => Ok(Value::Array(Vec::new())),
                Value::String(text) => {
                    Ok(text.split(',').map(str::trim).map(Value::from).collect())
                }
                _ => Err(wrong()),
            },
            Self::Json => match value {
                Value::String(text) => serde_json::from_str(text).map_err(|_| wrong()),
                _ => Ok(Value::String(value.to_string())),
            },
            Self::Base64 => {
                let text = text_of(value).ok_or_else(wrong)?;
                Ok(Value::String(base64(text.as_bytes())))
            }
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, filter)| filter == self).map(|(name, _)| *name);
        f.write_str(name.unwrap_or_default())
    }
}

/// The filters at the end of a text, and what stands before them.
pub(super) fn take(text: &str) -> (&str, Vec<Filter>) {
    let (mut rest, mut filters) = (text, Vec::new());
    while let Some((before, name)) = rest.rsplit_once('|') {
        let Some(filter) = Filter::named(name) else { break };
        filters.insert(0, filter);
        rest = before;
    }
    (rest, filters)
}

/// The same for a body. In ids of the control plane `|` joins the parts of an identifier, so that only what
/// stands behind a `#` can be a filter that nobody knows.
pub(super) fn take_of<'a>(
    scheme: &str,
    body: &'a str,
) -> Result<(&'a str, Vec<Filter>), ReferenceError> {
    let (rest, filters) = take(body);
    let tail = match rest.rsplit_once('#') {
        Some((_, tail)) => tail,
        None if scheme == "ucp" => "",
        None => rest,
    };
    if let Some((_, name)) = tail.rsplit_once('|') {
        let names: Vec<String> = NAMES.iter().map(|(name, _)| format!("`{name}`")).collect();
        let what = format!("`{name}` is not a filter");
        let hint = format!("the filters are {}; write `%7C` for a `|` in a name", names.join(", "));
        return Err(ReferenceError::new(what, hint));
    }
    Ok((rest, filters))
}

/// The text that a value is in a longer one; lists and objects are their JSON, null is nothing.
pub(crate) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        // As JSON reads it, so that nothing is rounded.
        Value::String(text) => serde_json::from_str::<Number>(text.trim()).ok(),
        _ => None,
    }
}

fn is_whole(number: &Number) -> bool {
    number.to_string().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// What a value is, in a word for people.
pub(crate) fn noun(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Base64 as RFC 4648 has it, with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for place in 0..4 {
            let digit = DIGITS[((bits >> (18 - 6 * place)) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}
