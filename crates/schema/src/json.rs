//! A strict JSON reader that remembers where each value and key stands in the text.
//!
//! It reads files that people wrote, so it refuses what is legal but surely a mistake (a key
//! stated twice) and says where. Numbers stay exactly as written.

mod parse;

use hangar_diag::{Code, Diagnostic, Span};
use serde_json::Value;

use crate::codes;

/// How many arrays and objects may stand inside each other.
pub const MAX_DEPTH: usize = 64;

/// Reads a text that is one JSON value; a byte order mark before it is tolerated.
///
/// ```
/// # use hangar_schema::json::read;
/// let text = r#"{"Tags": [{"Key": "a"}]}"#;
/// let document = read(text).unwrap();
/// let span = document.span_of("/Tags/0/Key").unwrap();
/// assert_eq!(&text[span.start..span.end], r#""a""#);
///
/// let refused = read(r#"{"a": 1, "a": 2}"#).unwrap_err();
/// assert_eq!(refused.to_string(), "error[JSON0002]: the key `a` appears twice");
/// ```
pub fn read(text: &str) -> Result<Document, Diagnostic> {
    match parse::document(text) {
        Ok((value, place)) => Ok(Document { value, place }),
        Err(mistake) if mistake.hints.is_empty() => {
            let hint = usual_remedy(mistake.code);
            Err(mistake.hint(hint))
        }
        Err(mistake) => Err(mistake),
    }
}

/// What to do where the place itself tells nothing more.
fn usual_remedy(code: Code) -> &'static str {
    match code {
        codes::JSON_ENDS_EARLY => {
            "check that the text is complete and that every bracket and string is closed"
        }
        codes::JSON_TOO_DEEP => {
            "reduce the nesting; no public resource type needs this many levels"
        }
        codes::JSON_BAD_ESCAPE => "write four hexadecimal digits after `\\u`",
        _ => "check the commas, colons and quotes before this place",
    }
}

/// A JSON value with the places of all its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    value: Value,
    place: Place,
}

impl Document {
    /// The value that was read.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The value alone, when its places are no longer needed.
    pub fn into_value(self) -> Value {
        self.value
    }

    /// Where the value at a JSON pointer (RFC 6901) stands, if there is one.
    pub fn span_of(&self, pointer: &str) -> Option<Span> {
        self.find(pointer).map(|found| found.place.span)
    }

    /// Where the key of the member at a JSON pointer stands, quotes included; `None` for an array
    /// element and for the whole document.
    pub fn key_span_of(&self, pointer: &str) -> Option<Span> {
        self.find(pointer).and_then(|found| found.key)
    }

    fn find(&self, pointer: &str) -> Option<Found<'_>> {
        let mut found = Found { place: &self.place, key: None };
        if pointer.is_empty() {
            return Some(found);
        }
        for token in pointer.strip_prefix('/')?.split('/') {
            found = found.place.child(token)?;
        }
        Some(found)
    }
}

/// A place reached by a pointer, and the key that led to it.
#[derive(Clone, Copy)]
struct Found<'a> {
    place: &'a Place,
    key: Option<Span>,
}

/// Where one value stands, and below it the places of what it holds.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    span: Span,
    inner: Inner,
}

#[derive(Debug, Clone, PartialEq)]
enum Inner {
    Scalar,
    Array(Vec<Place>),
    /// Sorted by key.
    Object(Vec<Member>),
}

#[derive(Debug, Clone, PartialEq)]
struct Member {
    key: Box<str>,
    key_span: Span,
    place: Place,
}

impl Place {
    /// The child named by one token of a pointer, still escaped.
    fn child(&self, token: &str) -> Option<Found<'_>> {
        match &self.inner {
            Inner::Scalar => None,
            Inner::Array(elements) => {
                let place = elements.get(index(token)?)?;
                Some(Found { place, key: None })
            }
            Inner::Object(members) => {
                let key = unescape(token)?;
                let at = members.binary_search_by(|member| (*member.key).cmp(&key)).ok()?;
                let member = members.get(at)?;
                Some(Found { place: &member.place, key: Some(member.key_span) })
            }
        }
    }
}

/// An array index as RFC 6901 writes it: digits with no leading zero.
fn index(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|byte| byte.is_ascii_digit());
    let padded = token.len() > 1 && token.starts_with('0');
    if plain && !padded { token.parse().ok() } else { None }
}

/// The key that a pointer token stands for; `None` when a `~` is followed by neither `0` nor `1`.
fn unescape(token: &str) -> Option<String> {
    let mut key = String::with_capacity(token.len());
    let mut chars = token.chars();
    while let Some(c) = chars.next() {
        key.push(match c {
            '~' => match chars.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            c => c,
        });
    }
    Some(key)
}

#[cfg(test)]
mod tests;
