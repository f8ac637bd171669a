//! What an expression comes to: a value that is known, known and secret, or not known yet.
//!
//! Every part of a value says for itself whether it is secret and whether it is known, so that an object
//! with one secret member, or one that waits for a resource, is known for the rest.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Number;

/// The members of an object, in the order of their names.
pub type Members = BTreeMap<Arc<str>, Value>;

/// What an expression comes to.
#[derive(Clone, PartialEq)]
pub struct Value {
    /// What it is.
    pub data: Data,
    /// Whether it came from a secure parameter, or from anything that did: never stored, never printed.
    pub secret: bool,
}

/// What a value is, whoever may see it.
#[derive(Clone, PartialEq)]
pub enum Data {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number; all that the language computes with.
    Int(i64),
    /// A number that only JSON can write; kept as it was written.
    Decimal(Number),
    /// Text.
    String(Arc<str>),
    /// A list.
    Array(Arc<Vec<Value>>),
    /// Names and values.
    Object(Arc<Members>),
    /// Not known before something else has happened.
    Unknown(Arc<Unknown>),
}

/// A value that is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// What it will be, as far as that is known.
    pub kind: Option<Kind>,
    /// What it waits for.
    pub because: Because,
}

/// Why a value is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because {
    /// A parameter was given no value, and the template is only looked at.
    Parameter(Arc<str>),
    /// A resource tells it once it exists.
    Resource {
        /// The node that tells it, by its place in the list of nodes.
        node: usize,
        /// Its address (`subnets[0]`).
        address: Arc<str>,
        /// What is read of it, as an RFC 6901 pointer (`/properties/VpcId`).
        pointer: Arc<str>,
    },
    /// It is evaluated when the template is deployed: the clock, a new GUID.
    Moment,
}

/// How a plan shows a value of `utcNow()` or `newGuid()` that is not evaluated yet.
pub const MOMENT: &str = "evaluated when it is deployed, then kept";

/// As a plan tells it.
impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resource { address, .. } => write!(f, "known after {address}"),
            Self::Parameter(name) => write!(f, "known with the parameter {name}"),
            Self::Moment => f.write_str(MOMENT),
        }
    }
}

/// The kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Int,
    /// Text.
    String,
    /// A list.
    Array,
    /// Names and values.
    Object,
}

impl Kind {
    /// The language's word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Value {
    /// `null`.
    pub const NULL: Self = Self { data: Data::Null, secret: false };

    /// A value that anybody may see.
    pub const fn plain(data: Data) -> Self {
        Self { data, secret: false }
    }

    /// A truth.
    pub const fn bool(truth: bool) -> Self {
        Self::plain(Data::Bool(truth))
    }

    /// A whole number.
    pub const fn int(number: i64) -> Self {
        Self::plain(Data::Int(number))
    }

    /// Text.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::plain(Data::String(text.into()))
    }

    /// A list.
    pub fn array(items: Vec<Self>) -> Self {
        Self::plain(Data::Array(Arc::new(items)))
    }

    /// Names and values.
    pub fn object(members: Members) -> Self {
        Self::plain(Data::Object(Arc::new(members)))
    }

    /// A value that is not known yet.
    pub fn unknown(kind: Option<Kind>, because: Because) -> Self {
        Self::plain(Data::Unknown(Arc::new(Unknown { kind, because })))
    }

    /// The same, secret from now on if `secret` is.
    #[must_use]
    pub fn tainted(self, secret: bool) -> Self {
        Self { secret: self.secret || secret, ..self }
    }

    /// Its kind; nothing where that is not known.
    pub fn kind(&self) -> Option<Kind> {
        Some(match &self.data {
            Data::Null => Kind::Null,
            Data::Bool(_) => Kind::Bool,
            Data::Int(_) | Data::Decimal(_) => Kind::Int,
            Data::String(_) => Kind::String,
            Data::Array(_) => Kind::Array,
            Data::Object(_) => Kind::Object,
            Data::Unknown(unknown) => return unknown.kind,
        })
    }

    /// Why the value as a whole is not known; what is inside of it may still not be.
    pub fn is_unknown(&self) -> Option<&Arc<Unknown>> {
        match &self.data {
            Data::Unknown(unknown) => Some(unknown),
            _ => None,
        }
    }

    /// The first thing in it that is not known.
    pub fn first_unknown(&self) -> Option<&Arc<Unknown>> {
        match &self.data {
            Data::Unknown(unknown) => Some(unknown),
            Data::Array(items) => items.iter().find_map(Self::first_unknown),
            Data::Object(members) => members.values().find_map(Self::first_unknown),
            _ => None,
        }
    }

    /// Whether it or anything in it is secret.
    pub fn holds_secret(&self) -> bool {
        self.secret
            || match &self.data {
                Data::Array(items) => items.iter().any(Self::holds_secret),
                Data::Object(members) => members.values().any(Self::holds_secret),
                _ => false,
            }
    }

    /// A JSON document as a value; secret as a whole where `secret` is.
    pub fn from_json(document: &serde_json::Value, secret: bool) -> Self {
        let data = match document {
            serde_json::Value::Null => Data::Null,
            serde_json::Value::Bool(truth) => Data::Bool(*truth),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(whole) if whole.to_string() == number.to_string() => Data::Int(whole),
                _ => Data::Decimal(number.clone()),
            },
            serde_json::Value::String(text) => Data::String(text.as_str().into()),
            serde_json::Value::Array(items) => {
                Data::Array(Arc::new(items.iter().map(|it| Self::from_json(it, secret)).collect()))
            }
            serde_json::Value::Object(members) => {
                let members = members.iter();
                let members =
                    members.map(|(name, it)| (name.as_str().into(), Self::from_json(it, secret)));
                Data::Object(Arc::new(members.collect()))
            }
        };
        Self { data, secret }
    }

    /// The value as JSON, secrets and all; nothing where a part of it is not known.
    pub fn to_json(&self) -> Option<serde_json::Value> {
        Some(match &self.data {
            Data::Null => serde_json::Value::Null,
            Data::Bool(truth) => (*truth).into(),
            Data::Int(number) => (*number).into(),
            Data::Decimal(number) => serde_json::Value::Number(number.clone()),
            Data::String(text) => serde_json::Value::String(text.to_string()),
            Data::Array(items) => {
                serde_json::Value::Array(items.iter().map(Self::to_json).collect::<Option<_>>()?)
            }
            Data::Object(members) => {
                let members = members.iter();
                let members = members.map(|(name, it)| Some((name.to_string(), it.to_json()?)));
                serde_json::Value::Object(members.collect::<Option<_>>()?)
            }
            Data::Unknown(_) => return None,
        })
    }

    /// The value as JSON with `«secret»` in the place of each part that is secret; nothing where another part is not
    /// known.
    pub fn to_masked_json(&self) -> Option<serde_json::Value> {
        if self.secret {
            return Some("«secret»".into());
        }
        Some(match &self.data {
            Data::Array(items) => serde_json::Value::Array(
                items.iter().map(Self::to_masked_json).collect::<Option<_>>()?,
            ),
            Data::Object(members) => {
                let members = members.iter();
                let members =
                    members.map(|(name, it)| Some((name.to_string(), it.to_masked_json()?)));
                serde_json::Value::Object(members.collect::<Option<_>>()?)
            }
            _ => self.to_json()?,
        })
    }
}

/// What may be logged: secrets are hidden.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.secret {
            return f.write_str("«secret»");
        }
        match &self.data {
            Data::Null => f.write_str("null"),
            Data::Bool(truth) => write!(f, "{truth}"),
            Data::Int(number) => write!(f, "{number}"),
            Data::Decimal(number) => write!(f, "{number}"),
            Data::String(text) => write!(f, "{text:?}"),
            Data::Array(items) => f.debug_list().entries(items.iter()).finish(),
            Data::Object(members) => f.debug_map().entries(members.iter()).finish(),
            Data::Unknown(unknown) => write!(f, "«{:?}»", unknown.because),
        }
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Value::plain(self.clone()).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_comes_back_as_it_was() {
        let document = json!({"a": [1, null, true, "x"], "b": {"c": {}}});
        assert_eq!(Value::from_json(&document, false).to_json(), Some(document));
        let exact: serde_json::Value =
            serde_json::from_str("[0.50, 1e3, 123456789012345678901]").unwrap();
        let there_and_back = Value::from_json(&exact, false).to_json().unwrap();
        assert_eq!(there_and_back.to_string(), exact.to_string());
    }

    #[test]
    fn a_secret_is_not_in_the_log() {
        let value = Value::from_json(&json!({"a": "canary"}), true);
        assert!(!format!("{value:?}").contains("canary"));
        let members = Members::from([("a".into(), Value::string("canary").tainted(true))]);
        let around = Value::object(members);
        assert!(!format!("{around:?}").contains("canary"));
        assert!(around.holds_secret() && !around.secret);
        let beside =
            Value::object(Members::from([("n".into(), Value::int(1)), ("o".into(), around)]));
        assert_eq!(beside.to_masked_json(), Some(json!({"n": 1, "o": {"a": "«secret»"}})));
    }

    #[test]
    fn what_holds_an_unknown_is_no_document_yet() {
        let unknown = Value::unknown(Some(Kind::String), Because::Moment);
        let list = Value::array(vec![Value::int(1), unknown]);
        assert_eq!(list.to_json(), None);
        assert!(list.is_unknown().is_none() && list.first_unknown().is_some());
    }
}
