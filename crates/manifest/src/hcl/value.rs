//! A value while it is computed: what it is, and whether it may be shown.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Number, Value};

use super::decimal::Decimal;

/// A value and whether something sensitive went into it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Datum {
    pub(crate) data: Data,
    /// Of the value itself; what is in it has marks of its own.
    pub(crate) sensitive: bool,
}

/// What a value is. Lists and tuples are one, and so are maps and objects: a state does not tell them apart.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Data {
    Null,
    Bool(bool),
    /// As it was written; only who computes with it reads it.
    Number(Number),
    Text(String),
    List(Vec<Datum>),
    /// Made by `toset` only: those of a state are lists there.
    Set(Vec<Datum>),
    Map(BTreeMap<String, Datum>),
}

impl Datum {
    pub(crate) fn new(data: Data) -> Self {
        Self { data, sensitive: false }
    }

    pub(crate) fn null() -> Self {
        Self::new(Data::Null)
    }

    pub(crate) fn bool(is_true: bool) -> Self {
        Self::new(Data::Bool(is_true))
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::new(Data::Text(text.into()))
    }

    pub(super) fn number(number: &Decimal) -> Self {
        Self::new(Data::Number(number.to_number()))
    }

    pub(crate) fn count(count: usize) -> Self {
        Self::new(Data::Number(count.into()))
    }

    pub(crate) fn list(elements: Vec<Datum>) -> Self {
        Self::new(Data::List(elements))
    }

    /// The same, sensitive also where the other thing is.
    pub(crate) fn marked(mut self, sensitive: bool) -> Self {
        self.sensitive |= sensitive;
        self
    }

    /// A value of JSON with one mark for all of it.
    pub(crate) fn of_json(value: Value) -> Self {
        Self::new(match value {
            Value::Null => Data::Null,
            Value::Bool(is_true) => Data::Bool(is_true),
            Value::Number(number) => Data::Number(number),
            Value::String(text) => Data::Text(text),
            Value::Array(items) => Data::List(items.into_iter().map(Self::of_json).collect()),
            Value::Object(members) => Data::Map(
                members.into_iter().map(|(name, member)| (name, Self::of_json(member))).collect(),
            ),
        })
    }

    /// The value without its marks.
    pub(crate) fn into_json(self) -> Value {
        match self.data {
            Data::Null => Value::Null,
            Data::Bool(is_true) => Value::Bool(is_true),
            Data::Number(number) => Value::Number(number),
            Data::Text(text) => Value::String(text),
            Data::List(items) | Data::Set(items) => {
                Value::Array(items.into_iter().map(Self::into_json).collect())
            }
            Data::Map(members) => Value::Object(
                members
                    .into_iter()
                    .map(|(name, member)| (name, member.into_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// Whether it, or something in it, is sensitive.
    pub(crate) fn is_sensitive_anywhere(&self) -> bool {
        self.sensitive
            || match &self.data {
                Data::List(items) | Data::Set(items) => {
                    items.iter().any(Self::is_sensitive_anywhere)
                }
                Data::Map(members) => members.values().any(Self::is_sensitive_anywhere),
                _ => false,
            }
    }

    /// How much it is: values, and texts by their length.
    pub(crate) fn weight(&self) -> usize {
        1 + match &self.data {
            Data::Text(text) => text.len() / 64,
            Data::List(items) | Data::Set(items) => items.iter().map(Self::weight).sum(),
            Data::Map(members) => {
                members.iter().map(|(name, member)| name.len() / 64 + member.weight()).sum()
            }
            _ => 0,
        }
    }

    /// What it is, in a word for people.
    pub(crate) fn noun(&self) -> &'static str {
        match self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Number(_) => "a number",
            Data::Text(_) => "a string",
            Data::List(_) => "a list",
            Data::Set(_) => "a set",
            Data::Map(_) => "an object",
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// The text of a text, a number or a boolean.
    pub(crate) fn to_text(&self) -> Option<String> {
        match &self.data {
            Data::Text(text) => Some(text.clone()),
            Data::Bool(is_true) => Some(is_true.to_string()),
            Data::Number(number) => Some(number_text(number)),
            _ => None,
        }
    }

    /// The number of a number, or of a text that is one.
    pub(super) fn to_decimal(&self) -> Option<Decimal> {
        match &self.data {
            Data::Number(number) => Decimal::of_number(number),
            Data::Text(text) => Decimal::parse(text),
            _ => None,
        }
    }

    /// The truth of a boolean, or of a text that is one.
    pub(crate) fn to_bool(&self) -> Option<bool> {
        match &self.data {
            Data::Bool(is_true) => Some(*is_true),
            Data::Text(text) => match text.as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// The elements of a list or a set.
    pub(crate) fn elements(&self) -> Option<&[Datum]> {
        match &self.data {
            Data::List(items) | Data::Set(items) => Some(items),
            _ => None,
        }
    }

    /// Whether both are the same value, whatever their marks.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.data, &other.data) {
            (Data::Number(a), Data::Number(b)) => {
                match (Decimal::of_number(a), Decimal::of_number(b)) {
                    (Some(a), Some(b)) => a == b,
                    _ => a == b,
                }
            }
            (Data::List(a) | Data::Set(a), Data::List(b) | Data::Set(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b))
            }
            (Data::Map(a), Data::Map(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((n, a), (m, b))| n == m && a.is_same(b))
            }
            (Data::Null, Data::Null) => true,
            (Data::Bool(a), Data::Bool(b)) => a == b,
            (Data::Text(a), Data::Text(b)) => a == b,
            _ => false,
        }
    }
}

/// A number in plain notation; one that is too long for that as it is written.
pub(super) fn number_text(number: &Number) -> String {
    Decimal::of_number(number).map_or_else(|| number.to_string(), |number| number.to_text())
}

/// The value may be a secret: only its kind is shown.
impl fmt::Debug for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Datum({})", self.noun())
    }
}
