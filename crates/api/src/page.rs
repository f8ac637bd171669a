//! Lists in pages: how much is asked for, how much fits, and the sealed token of the next page.

use std::io;

use serde_json::Value;

use crate::error::{ApiError, Code};
use crate::query::{self, Query};
use crate::seal::Seal;

/// A page holds this many where nobody says, and never more than [`MOST`].
const USUAL: usize = 100;
const MOST: usize = 1000;

/// A page ends before its values are longer than this, so that no reply passes 8 MiB.
const MOST_BYTES: usize = 7 << 20;

/// The parameter that holds the token.
pub(crate) const SKIP_TOKEN: &str = "$skipToken";
/// The parameter that says how many.
pub(crate) const TOP: &str = "$top";

/// What a caller says of the page that it wants.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PageAsk {
    top: Option<usize>,
    token: Option<String>,
}

impl PageAsk {
    pub(crate) fn of(query: &Query) -> Result<Self, ApiError> {
        let top = match query.one(TOP)? {
            None => None,
            Some(text) => match text.parse() {
                Ok(number) if (1..=MOST).contains(&number) => Some(number),
                _ => return Err(query::wrong(TOP, "is not a number from 1 to 1000")),
            },
        };
        Ok(Self { top, token: query.one(SKIP_TOKEN)?.map(str::to_owned) })
    }

    /// How many a page holds at most.
    pub(crate) fn limit(&self) -> usize {
        self.top.unwrap_or(USUAL)
    }

    /// What the caller said, for the link to the next page.
    pub(crate) fn top(&self) -> Option<usize> {
        self.top
    }

    /// What the token says, if there is one. A token is good for the list that it was made for only.
    pub(crate) fn position(&self, seal: &Seal, list: &str) -> Result<Option<Vec<u8>>, ApiError> {
        let Some(token) = &self.token else { return Ok(None) };
        let opened = seal.open_page_token(list, token);
        opened.map(Some).ok_or_else(|| {
            ApiError::new(
                Code::InvalidSkipToken,
                "the `$skipToken` does not belong to this list; start again without it",
            )
            .with_target(SKIP_TOKEN)
        })
    }
}

/// As many of `rendered` as a page may hold, and how many those are.
pub(crate) fn fitting(rendered: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut values = Vec::new();
    let mut bytes = 0;
    for value in rendered {
        bytes += length(&value) + 1;
        // One value always goes: a page that holds nothing would never end the list.
        if bytes > MOST_BYTES && !values.is_empty() {
            break;
        }
        values.push(value);
    }
    values
}

/// How many bytes a value has when it is written.
fn length(value: &Value) -> usize {
    let mut counter = Counter(0);
    // Counting cannot fail, and a value that was parsed can be written.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The body of a list; a link that is not there is left out, never empty.
pub(crate) fn list(values: Vec<Value>, next_link: Option<String>) -> Value {
    let mut body = serde_json::Map::new();
    body.insert("value".into(), Value::Array(values));
    if let Some(link) = next_link {
        body.insert("nextLink".into(), link.into());
    }
    Value::Object(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_before_it_is_too_long_and_is_never_empty() {
        let large = Value::String("x".repeat(3 << 20));
        assert_eq!(fitting(std::iter::repeat_n(large, 5)).len(), 2);
        let huge = Value::String("x".repeat(8 << 20));
        assert_eq!(fitting(std::iter::repeat_n(huge, 5)).len(), 1);
        assert_eq!(fitting(std::iter::empty()).len(), 0);
    }

    #[test]
    fn the_link_is_there_or_absent() {
        assert_eq!(list(vec![], None).to_string(), r#"{"value":[]}"#);
        assert_eq!(list(vec![], Some("x".into()))["nextLink"], "x");
    }
}
