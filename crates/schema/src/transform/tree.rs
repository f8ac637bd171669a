//! What a transform is once parsed.

use serde_json::Number;

/// An expression. Its size, and so its depth, the parser limits.
#[derive(Debug, Clone)]
pub(super) enum Expression {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Expression>),
    Object(Vec<(String, Expression)>),
    /// Names from an object of the document down.
    Path(Vec<String>),
    Variable(String),
    Call(Function, Vec<Argument>),
    Member(Box<Expression>, String),
    /// An element of a list, counted from its end when negative.
    Element(Box<Expression>, i64),
    Negative(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    Choice(Box<[Expression; 3]>),
    /// Bindings and values in turn; the last one is the value of all.
    Block(Vec<Step>),
}

/// One step of a block: a value, kept under a name if it has one.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) name: Option<String>,
    pub(super) value: Expression,
}

/// An argument of a function: a regular expression can stand nowhere else.
#[derive(Debug, Clone)]
pub(super) enum Argument {
    Value(Expression),
    Regex(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Concatenate,
    Add,
    Subtract,
    Multiply,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Contains,
    Count,
    Exists,
    Join,
    Lookup,
    Lowercase,
    Match,
    Merge,
    Replace,
    Split,
    String,
    SubstringAfter,
    SubstringBefore,
    Uppercase,
}

impl Function {
    /// The function of that name, with the least and the most arguments it takes.
    pub(super) fn named(name: &str) -> Option<(Self, usize, usize)> {
        Some(match name {
            "contains" => (Self::Contains, 2, 2),
            "count" => (Self::Count, 1, 1),
            "exists" => (Self::Exists, 1, 1),
            "join" => (Self::Join, 1, 2),
            "lookup" => (Self::Lookup, 2, 2),
            "lowercase" => (Self::Lowercase, 1, 1),
            "match" => (Self::Match, 2, 2),
            "merge" => (Self::Merge, 1, 1),
            "replace" => (Self::Replace, 3, 3),
            "split" => (Self::Split, 2, 3),
            "string" => (Self::String, 1, 1),
            "substringAfter" => (Self::SubstringAfter, 2, 2),
            "substringBefore" => (Self::SubstringBefore, 2, 2),
            "uppercase" => (Self::Uppercase, 1, 1),
            _ => return None,
        })
    }

    /// Whether the second argument may be a regular expression.
    pub(super) fn takes_regex(self) -> bool {
        matches!(self, Self::Contains | Self::Match | Self::Replace)
    }
}
