//! A configuration file as blocks and attributes, whichever syntax it was written in.

use serde_json::{Map, Value};

/// The inside of a file or of a block.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) attributes: Vec<Attribute>,
    pub(super) blocks: Vec<Block>,
}

#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) line: usize,
    /// The expression as written.
    pub(super) text: String,
    pub(super) term: Term,
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: String,
    pub(super) labels: Vec<String>,
    pub(super) line: usize,
    pub(super) body: Body,
}

/// An expression as far as it can be read without evaluating it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Term {
    /// Null, a boolean, a number or a string without templates.
    Scalar(Value),
    List(Vec<Term>),
    Object(Vec<(String, Term)>),
    /// Whatever else: references, calls, templates, operators.
    Other(String),
}

impl Body {
    pub(super) fn find(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

impl Term {
    /// The value, if all of the expression is a literal.
    pub(super) fn to_value(&self) -> Option<Value> {
        match self {
            Self::Scalar(value) => Some(value.clone()),
            Self::List(items) => items.iter().map(Self::to_value).collect(),
            Self::Object(members) => members
                .iter()
                .map(|(name, term)| Some((name.clone(), term.to_value()?)))
                .collect::<Option<Map<_, _>>>()
                .map(Value::Object),
            Self::Other(_) => None,
        }
    }

    /// The term of a JSON value: in that syntax what this crate reads is taken literally.
    pub(super) fn of(value: Value) -> Self {
        match value {
            Value::Array(items) => Self::List(items.into_iter().map(Self::of).collect()),
            Value::Object(members) => {
                Self::Object(members.into_iter().map(|(name, it)| (name, Self::of(it))).collect())
            }
            scalar => Self::Scalar(scalar),
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Scalar(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// A name, as a string or as a bare reference such as `aws.east`.
    pub(super) fn as_reference(&self) -> Option<&str> {
        match self {
            Self::Other(text) => Some(text),
            other => other.as_str(),
        }
    }
}
