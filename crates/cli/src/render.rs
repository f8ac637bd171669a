//! Values to text and JSON; nothing here prints.

pub(crate) mod diagnostic;
pub(crate) mod facts;
pub(crate) mod table;

use std::borrow::Cow;

/// The text with control characters escaped, so that no input can steer a terminal.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let escape =
        |c: char| if c.is_control() { c.escape_default().collect() } else { c.to_string() };
    Cow::Owned(text.chars().map(escape).collect())
}
