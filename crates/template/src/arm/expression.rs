//! The expressions that stand in the strings of ARM JSON: `[format('{0}-x', parameters('name'))]`.
//!
//! A string of a template is a text or an expression ([`Content::of`]). The tree here is the grammar's own and
//! knows no function; what a name means is for those who read or write templates.

mod lexer;
mod parser;
mod printer;

use std::fmt;

use hangar_diag::Span;

pub(crate) use parser::parse;

/// How deep expressions stand in each other, and how many accesses follow each other.
pub(crate) const MAX_DEPTH: usize = 200;

/// What a string of a template says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// A text, the escape of a leading bracket resolved.
    Text(String),
    Expression(Expression),
}

impl Content {
    /// What a string says: where it is in brackets an expression, unless the first one is doubled.
    pub(crate) fn of(text: &str) -> Result<Self, Fault> {
        let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        match inner {
            None => Ok(Self::Text(text.to_owned())),
            Some(inner) if inner.starts_with('[') => Ok(Self::Text(text[1..].to_owned())),
            Some(inner) => parse(inner, 1).map(Self::Expression),
        }
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&literal(text)),
            Self::Expression(expression) => write!(f, "[{expression}]"),
        }
    }
}

/// A text as a string of a template: where it is in brackets, the first one is doubled.
pub(crate) fn literal(text: &str) -> String {
    if text.starts_with('[') && text.ends_with(']') { format!("[{text}") } else { text.to_owned() }
}

/// An expression and its bytes in the string it stands in.
#[derive(Debug, Clone)]
pub(crate) struct Expression {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// Places do not matter for what an expression says.
impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Expression {}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Text(String),
    /// As it is written: numbers are exact.
    Number(String),
    /// The name has a dot where it is one of a namespace.
    Call {
        name: String,
        arguments: Vec<Expression>,
    },
    Member {
        base: Box<Expression>,
        name: String,
    },
    Index {
        base: Box<Expression>,
        at: Box<Expression>,
    },
}

/// Why a text is no expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) span: Span,
    pub(crate) message: String,
}

impl Expression {
    const fn made(kind: Kind) -> Self {
        Self { kind, span: Span::new(0, 0) }
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::made(Kind::Text(text.into()))
    }

    pub(crate) fn number(number: impl fmt::Display) -> Self {
        Self::made(Kind::Number(number.to_string()))
    }

    pub(crate) fn call(name: impl Into<String>, arguments: Vec<Self>) -> Self {
        Self::made(Kind::Call { name: name.into(), arguments })
    }

    pub(crate) fn member(self, name: impl Into<String>) -> Self {
        Self::made(Kind::Member { base: Box::new(self), name: name.into() })
    }

    pub(crate) fn index(self, at: Self) -> Self {
        Self::made(Kind::Index { base: Box::new(self), at: Box::new(at) })
    }
}

/// Whether a member of this name can be written after a dot.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|it| it.is_ascii_alphabetic() || it == b'_')
        && bytes.all(|it| it.is_ascii_alphanumeric() || it == b'_')
}

#[cfg(test)]
mod tests;
