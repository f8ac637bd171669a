//! Strings: their text with escapes resolved, and the expressions in their holes.

use std::string::String as Text;

use super::Expression;
use super::view::views;
use crate::syntax::{Element, SyntaxToken, TokenKind};

views! {
    /// A string on one line or on many, with its holes.
    String;
}

/// A piece of a string.
#[derive(Debug, Clone)]
pub enum StringPart<'t> {
    /// Text, escapes resolved; never empty.
    Text(Text),
    /// The expression of a hole.
    Hole(Expression<'t>),
}

impl<'t> String<'t> {
    /// Its pieces in their order.
    pub fn parts(self) -> Vec<StringPart<'t>> {
        let mut tokens = self.node().tokens().peekable();
        let opening = tokens.peek().map_or("", |token| token.text());
        let dollars = opening.bytes().take_while(|byte| *byte == b'$').count();
        let raw = opening[dollars..].starts_with("'''");
        let mut children = self.node().children();
        let mut parts = Vec::new();
        for element in self.node().elements() {
            match element {
                Element::Token(_) => {
                    let Some(token) = tokens.next() else { continue };
                    let text = if raw { raw_text(token, dollars) } else { cooked_text(token) };
                    if !text.is_empty() {
                        parts.push(StringPart::Text(text));
                    }
                }
                Element::Node(_) => {
                    parts.extend(children.next().and_then(Expression::cast).map(StringPart::Hole));
                }
            }
        }
        parts
    }

    /// Its text, if it has no holes.
    pub fn literal(self) -> Option<Text> {
        let mut parts = self.parts();
        match (parts.pop(), parts.is_empty()) {
            (None, _) => Some(Text::new()),
            (Some(StringPart::Text(text)), true) => Some(text),
            _ => None,
        }
    }
}

/// What stands between the quotes and holes of a piece of a string in triple quotes.
fn raw_text(token: SyntaxToken<'_>, dollars: usize) -> Text {
    let text = token.text();
    let hole = dollars + 1;
    let inner = match token.kind() {
        TokenKind::MultilineString => without_end(text.get(dollars + 3..).unwrap_or("")),
        TokenKind::StringLeft => {
            &text[(dollars + 3).min(text.len())..text.len().saturating_sub(hole)]
        }
        TokenKind::StringMiddle => &text[1.min(text.len())..text.len().saturating_sub(hole)],
        TokenKind::StringRight => without_end(text.get(1..).unwrap_or("")),
        _ => "",
    };
    let first = matches!(token.kind(), TokenKind::MultilineString | TokenKind::StringLeft);
    let inner = if first { without_first_line_break(inner) } else { inner };
    inner.to_owned()
}

fn without_end(text: &str) -> &str {
    text.strip_suffix("'''").unwrap_or(text)
}

fn without_first_line_break(text: &str) -> &str {
    text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text)
}

/// What a piece of a string in single quotes says.
fn cooked_text(token: SyntaxToken<'_>) -> Text {
    let text = token.text();
    let inner = text.get(1..).unwrap_or("");
    let inner = match token.kind() {
        TokenKind::StringLeft | TokenKind::StringMiddle => {
            inner.strip_suffix("${").unwrap_or(inner)
        }
        _ => inner.strip_suffix('\'').unwrap_or(inner),
    };
    let mut said = Text::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        said.push_str(&rest[..at]);
        rest = escape(&rest[at + 1..], &mut said);
    }
    said.push_str(rest);
    said
}

/// Resolves the escape after a backslash; a wrong one, which was reported, says itself.
fn escape<'a>(after: &'a str, said: &mut Text) -> &'a str {
    let mut characters = after.chars();
    match characters.next() {
        Some('n') => said.push('\n'),
        Some('r') => said.push('\r'),
        Some('t') => said.push('\t'),
        Some('u') => {
            let Some((code, rest)) = unicode_code(after) else {
                said.push('u');
                return characters.as_str();
            };
            if let Some(character) = char::from_u32(code) {
                said.push(character);
                return rest;
            }
            // A surrogate: with its other half it is one character, alone it is none.
            let pair = rest.strip_prefix('\\').and_then(unicode_code);
            let units = pair.map(|(low, rest)| ([code, low], rest));
            let decoded = units.and_then(|(units, rest)| {
                let units = units.map(|it| u16::try_from(it).unwrap_or_default());
                Some((Text::from_utf16(&units).ok()?, rest))
            });
            let (text, rest) = decoded.unwrap_or_else(|| ("\u{fffd}".to_owned(), rest));
            said.push_str(&text);
            return rest;
        }
        Some(other) => said.push(other),
        None => {}
    }
    characters.as_str()
}

/// The code of `u{…}`, and what follows it.
fn unicode_code(after: &str) -> Option<(u32, &str)> {
    let (digits, rest) = after.strip_prefix("u{")?.split_once('}')?;
    Some((u32::from_str_radix(digits, 16).ok()?, rest))
}
