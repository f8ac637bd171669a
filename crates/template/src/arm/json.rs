//! JSON with places and in its own order: what templates are read from and written to.
//!
//! Numbers stay as they are written, members stay in their order, and every value knows its bytes, so that a
//! mistake in a compiled template is shown where it stands.

mod parser;
mod printer;

use hangar_diag::Span;

pub(crate) use parser::{parse, parse_loosely};

/// How deep arrays and objects stand in each other.
pub(crate) const MAX_DEPTH: usize = 200;

/// A value and its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Json {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    /// What it says, and whether it is written without escapes: then a place in it is a place in the file.
    Text {
        text: String,
        plain: bool,
    },
    Array(Vec<Json>),
    Object(Vec<Member>),
}

#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) value: Json,
}

/// Why a text is no JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) span: Span,
    pub(crate) message: String,
}

impl Json {
    pub(crate) const fn made(kind: Kind) -> Self {
        Self { kind, span: Span::new(0, 0) }
    }

    pub(crate) const NULL: Self = Self::made(Kind::Null);

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::made(Kind::Text { text: text.into(), plain: false })
    }

    pub(crate) fn number(number: impl std::fmt::Display) -> Self {
        Self::made(Kind::Number(number.to_string()))
    }

    pub(crate) const fn bool(value: bool) -> Self {
        Self::made(Kind::Bool(value))
    }

    pub(crate) const fn array(items: Vec<Self>) -> Self {
        Self::made(Kind::Array(items))
    }

    pub(crate) const fn object() -> Self {
        Self::made(Kind::Object(Vec::new()))
    }

    /// Adds a member to an object; anything else stays as it is.
    pub(crate) fn set(&mut self, name: impl Into<String>, value: Self) {
        if let Kind::Object(members) = &mut self.kind {
            members.push(Member { name: name.into(), name_span: Span::new(0, 0), value });
        }
    }

    /// Sets a member of an object, which may be there already.
    pub(crate) fn replace(&mut self, name: &str, value: Self) {
        if let Kind::Object(members) = &mut self.kind
            && let Some(member) = members.iter_mut().find(|it| it.name == name)
        {
            member.value = value;
            return;
        }
        self.set(name, value);
    }

    /// The object with one more member.
    pub(crate) fn with(mut self, name: impl Into<String>, value: Self) -> Self {
        self.set(name, value);
        self
    }

    pub(crate) fn members(&self) -> &[Member] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.members().iter().find(|it| it.name == name).map(|it| &it.value)
    }

    pub(crate) const fn as_bool(&self) -> Option<bool> {
        match self.kind {
            Kind::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Of a value without places.
    pub(crate) fn of(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::NULL,
            serde_json::Value::Bool(value) => Self::bool(*value),
            serde_json::Value::Number(number) => Self::number(number),
            serde_json::Value::String(text) => Self::text(text),
            serde_json::Value::Array(items) => Self::array(items.iter().map(Self::of).collect()),
            serde_json::Value::Object(members) => {
                let mut object = Self::object();
                for (name, value) in members {
                    object.set(name, Self::of(value));
                }
                object
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_prints_back_in_its_order() {
        let text = "{\n  \"b\": [\n    1.50,\n    \"\\\"\\n\\u0001é\",\n    {}\n  ],\n  \"a\": {\n    \"c\": null\n  },\n  \"d\": []\n}\n";
        assert_eq!(parse(text).unwrap().to_string(), text);
    }

    #[test]
    fn comments_and_a_mark_of_the_byte_order_are_skipped() {
        let text = "\u{feff}// first\n{ /* second */ \"a\": true }";
        assert_eq!(parse(text).unwrap().to_string(), "{\n  \"a\": true\n}\n");
    }

    #[test]
    fn every_value_knows_its_place() {
        let text = "{ \"a\": [1, \"xy\"] }";
        let json = parse(text).unwrap();
        let list = json.get("a").unwrap();
        let Kind::Array(items) = &list.kind else { panic!("an array") };
        assert_eq!((list.span.start, list.span.end), (7, 16));
        assert_eq!(&text[items[1].span.start..items[1].span.end], "\"xy\"");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, at, wrong) in [
            ("", 0, "expected a value here"),
            ("{\"a\": 1,}", 8, "expected the name of a property in double quotes here"),
            ("{\"a\" 1}", 5, "expected `:` here"),
            ("[1 2]", 3, "expected `,` or `]` here"),
            ("[1", 2, "expected `,` or `]` here"),
            ("{\"a\": 1, \"a\": 2}", 9, "the property `a` is declared more than once"),
            ("\"a", 0, "the string is not closed: `\"` is missing"),
            ("\"\\x\"", 1, "`\\x` is not an escape sequence"),
            ("01", 0, "`01` is not a valid number"),
            ("nul", 0, "`nul` is not a valid value"),
            ("1 2", 2, "unexpected text after the JSON value"),
        ] {
            let fault = parse(text).unwrap_err();
            assert_eq!((fault.span.start, fault.message.as_str()), (at, wrong), "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let fault = parse(&"[".repeat(100_000)).unwrap_err();
        assert_eq!(fault.message, "this is nested more than 200 levels deep");
    }
}
