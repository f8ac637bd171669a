//! The types that parameters, variables and outputs can be declared with, and which values fit them.

use std::fmt;

use crate::value::{Data, Kind, Value};

/// What a value may be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Type {
    /// Anything; also where the type is wrong, which was reported.
    Any,
    /// Any value of a kind.
    Kind(Kind),
    /// A list of items of a type.
    List(Box<Type>),
    /// This value alone.
    Literal(Value),
    /// Any of these.
    Union(Vec<Type>),
    /// The type, or null.
    Nullable(Box<Type>),
}

/// Why a value does not fit a type.
#[derive(Debug, PartialEq)]
pub(crate) struct Misfit {
    /// Which part of it, as an RFC 6901 pointer.
    pub(crate) pointer: String,
    /// What it should be.
    pub(crate) expected: String,
    /// What it is, without its value.
    pub(crate) found: String,
}

impl Misfit {
    /// "the item 2 should be `string` and is `int`".
    pub(crate) fn describe(&self, what: &str) -> String {
        let Self { pointer, expected, found } = self;
        let part = if pointer.is_empty() { String::new() } else { format!(" at `{pointer}`") };
        format!("{what} should be `{expected}`{part} and is {found}")
    }
}

impl Type {
    /// The kind of its values, where it has only one.
    pub(crate) fn kind(&self) -> Option<Kind> {
        match self {
            Self::Any => None,
            Self::Kind(kind) => Some(*kind),
            Self::List(_) => Some(Kind::Array),
            Self::Literal(value) => value.kind(),
            Self::Union(members) => {
                let mut kinds = members.iter().map(Self::kind);
                let first = kinds.next()??;
                kinds.all(|kind| kind == Some(first)).then_some(first)
            }
            Self::Nullable(inner) => inner.kind(),
        }
    }

    pub(crate) const fn is_nullable(&self) -> bool {
        matches!(self, Self::Nullable(_) | Self::Kind(Kind::Null))
    }

    /// Whether a value can be of this type; what is not known yet can.
    pub(crate) fn check(&self, value: &Value) -> Result<(), Misfit> {
        self.check_at(value, "")
    }

    fn check_at(&self, value: &Value, pointer: &str) -> Result<(), Misfit> {
        let fits = match (self, &value.data) {
            (Self::Any, _) | (Self::Nullable(_), Data::Null) => true,
            (Self::Nullable(inner), _) => return inner.check_at(value, pointer),
            (_, Data::Unknown(unknown)) => {
                unknown.kind.is_none_or(|kind| self.kind().is_none_or(|wanted| wanted == kind))
            }
            (Self::List(item), Data::Array(items)) => {
                for (index, value) in items.iter().enumerate() {
                    item.check_at(value, &format!("{pointer}/{index}"))?;
                }
                true
            }
            // Decimals come from JSON; where the language says `int` it means whole ones.
            (Self::List(_), _) | (Self::Kind(Kind::Int), Data::Decimal(_)) => false,
            (Self::Kind(kind), _) => value.kind() == Some(*kind),
            (Self::Literal(literal), data) => literal.data == *data,
            (Self::Union(members), _) => {
                members.iter().any(|member| member.check_at(value, pointer).is_ok())
            }
        };
        if fits {
            return Ok(());
        }
        let found = describe(value);
        Err(Misfit { pointer: pointer.to_owned(), expected: self.to_string(), found })
    }
}

/// What a value is, in words, without saying its value.
pub(crate) fn describe(value: &Value) -> String {
    match (&value.data, value.kind()) {
        (Data::Decimal(_), _) => "a number that is not whole".to_owned(),
        (_, Some(kind)) => format!("`{kind}`"),
        (_, None) => "not known yet".to_owned(),
    }
}

/// As it is written in a template.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Kind(kind) => write!(f, "{kind}"),
            Self::List(item) => match **item {
                Self::Union(_) => write!(f, "({item})[]"),
                _ => write!(f, "{item}[]"),
            },
            Self::Literal(value) => match &value.data {
                Data::String(text) => write!(f, "'{text}'"),
                _ => write!(f, "{value:?}"),
            },
            Self::Union(members) => {
                for (index, member) in members.iter().enumerate() {
                    let bar = if index > 0 { " | " } else { "" };
                    write!(f, "{bar}{member}")?;
                }
                Ok(())
            }
            Self::Nullable(inner) => match **inner {
                Self::Union(_) => write!(f, "({inner})?"),
                _ => write!(f, "{inner}?"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Because;

    #[test]
    fn what_is_not_known_fits_unless_its_kind_is_another() {
        let text = Value::unknown(Some(Kind::String), Because::Moment);
        assert!(Type::Kind(Kind::String).check(&text).is_ok());
        assert!(Type::Kind(Kind::Int).check(&text).is_err());
        assert!(Type::Kind(Kind::Int).check(&Value::unknown(None, Because::Moment)).is_ok());
    }

    #[test]
    fn a_wrong_item_is_named_by_its_place() {
        let list = Type::List(Box::new(Type::Kind(Kind::String)));
        let value = Value::array(vec![Value::string("a"), Value::int(1)]);
        let misfit = list.check(&value).unwrap_err();
        assert_eq!(misfit.describe("it"), "it should be `string` at `/1` and is `int`");
    }

    #[test]
    fn types_print_as_they_are_written() {
        let literal = |text: &str| Type::Literal(Value::string(text));
        let union = Type::Union(vec![literal("a"), literal("b")]);
        assert_eq!(Type::List(Box::new(union.clone())).to_string(), "('a' | 'b')[]");
        assert_eq!(Type::Nullable(Box::new(union)).to_string(), "('a' | 'b')?");
    }
}
