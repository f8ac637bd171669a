//! One scalar of a text: what it says, how it is written, and where.

use std::borrow::Cow;

use granit_parser::ScalarStyle;
use hangar_diag::Span;
use serde_json::Value;

use super::meaning;

/// One scalar of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar<'t> {
    /// What it says, with quotes, escapes and indents taken away. A block whose last line ends with the text has a
    /// line break there all the same: kubectl adds one before it reads.
    pub text: Cow<'t, str>,
    /// Its bytes in the text: quotes are a part of it, a tag and an anchor are not. That of a block begins at
    /// its `|` or `>` and ends with its last line. It is empty where nothing is written (`key:`).
    pub span: Span,
    /// How it is written.
    pub style: Style,
    /// Whether it is a key or a value.
    pub place: Place,
    /// The tag that stands before it.
    pub tag: Option<Tag>,
    /// Whether it stands inside `[…]` or `{…}`.
    pub(super) in_flow: bool,
    pub(super) anchored: bool,
    pub(super) object: u32,
    pub(super) node: u32,
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// `'…'`.
    SingleQuoted,
    /// `"…"`.
    DoubleQuoted,
    /// A block after `|`.
    Literal,
    /// A block after `>`.
    Folded,
}

/// Where in a map or list a scalar stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is a key, or a part of one.
    Key,
    /// It is a value.
    Value,
}

/// A tag that says what a scalar is, whatever it looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// `!!str`, or `!` alone.
    Text,
    /// `!!int`.
    Integer,
    /// `!!float`.
    Float,
    /// `!!bool`.
    Boolean,
    /// `!!null`.
    Null,
    /// `!!binary`: readers decode what it stands on, so that nothing can be put there.
    Binary,
    /// Any other one; readers take what it stands on for text.
    Other,
}

impl Scalar<'_> {
    /// What it means to kubectl: a number, a boolean, null, or else text. That of `!!binary` is not decoded.
    pub fn value(&self) -> Value {
        meaning(&self.text, self.style, self.tag)
    }

    /// Whether nothing is written for it (`key:`), so that it is null.
    pub fn is_unwritten(&self) -> bool {
        self.span.start == self.span.end
    }
}

/// What a scalar of this text, style and tag means.
pub(super) fn meaning(text: &str, style: Style, tag: Option<Tag>) -> Value {
    let as_text = || Value::String(text.to_owned());
    match tag {
        None if style == Style::Plain => meaning::plain(text),
        None | Some(Tag::Text | Tag::Binary | Tag::Other) => as_text(),
        Some(Tag::Integer | Tag::Float) => {
            meaning::number(text).map_or_else(as_text, Value::Number)
        }
        Some(Tag::Boolean) => match meaning::plain(text) {
            Value::Bool(truth) => Value::Bool(truth),
            _ => as_text(),
        },
        Some(Tag::Null) => Value::Null,
    }
}

impl From<ScalarStyle> for Style {
    fn from(style: ScalarStyle) -> Self {
        match style {
            ScalarStyle::Plain => Self::Plain,
            ScalarStyle::SingleQuoted => Self::SingleQuoted,
            ScalarStyle::DoubleQuoted => Self::DoubleQuoted,
            ScalarStyle::Literal => Self::Literal,
            ScalarStyle::Folded => Self::Folded,
        }
    }
}

impl From<&granit_parser::Tag> for Tag {
    fn from(tag: &granit_parser::Tag) -> Self {
        match tag.core_suffix() {
            Some("str") => Self::Text,
            Some("int") => Self::Integer,
            Some("float") => Self::Float,
            Some("bool") => Self::Boolean,
            Some("null") => Self::Null,
            _ if matches!(tag.parts(), ("!", "") | ("", "!" | "")) => Self::Text,
            _ if tag.parts() == ("tag:yaml.org,2002:", "binary") => Self::Binary,
            _ => Self::Other,
        }
    }
}
