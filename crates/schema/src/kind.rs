//! The JSON types that a schema allows at a place, as a small set.

use serde_json::Value;

/// One JSON type as schemas name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `boolean`
    Boolean,
    /// `integer`, a number with no fraction
    Integer,
    /// `number`
    Number,
    /// `string`
    String,
    /// `array`
    Array,
    /// `object`
    Object,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Null,
        Self::Boolean,
        Self::Integer,
        Self::Number,
        Self::String,
        Self::Array,
        Self::Object,
    ];

    /// The schema's word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The kind of a value; every number is `Number`, as only its text tells more.
    pub const fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

/// A set of kinds. Empty means that the schema does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kinds(u8);

impl Kinds {
    /// The schema does not say.
    pub const UNSTATED: Self = Self(0);

    /// The set that a schema's `type` keyword states: a word or a list of words.
    pub(crate) fn from_keyword(keyword: Option<&Value>) -> Self {
        let mut kinds = Self::UNSTATED;
        match keyword {
            Some(Value::String(word)) => kinds.insert_word(word),
            Some(Value::Array(words)) => {
                for word in words.iter().filter_map(Value::as_str) {
                    kinds.insert_word(word);
                }
            }
            _ => {}
        }
        kinds
    }

    fn insert_word(&mut self, word: &str) {
        if let Some(kind) = Kind::from_word(word) {
            *self = self.with(kind);
        }
    }

    /// This set and one kind more.
    #[must_use]
    pub const fn with(self, kind: Kind) -> Self {
        Self(self.0 | 1 << kind as u8)
    }

    /// What either set holds.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the schema says nothing.
    pub const fn is_unstated(self) -> bool {
        self.0 == 0
    }

    /// Whether the set holds `kind` by name (an unstated set holds nothing).
    pub const fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    /// Whether a number is among what is allowed.
    pub const fn has_numeric(self) -> bool {
        self.has(Kind::Number) || self.has(Kind::Integer)
    }

    /// The kinds in a fixed order.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }

    /// The words joined for a message: `string or object`.
    pub fn describe(self) -> String {
        self.iter().map(Kind::as_str).collect::<Vec<_>>().join(" or ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_type_keyword_is_a_word_or_a_list_and_nonsense_is_unstated() {
        assert!(Kinds::from_keyword(Some(&json!("string"))).has(Kind::String));
        let union = Kinds::from_keyword(Some(&json!(["object", "string", "odd"])));
        assert_eq!(union.describe(), "string or object");
        assert!(Kinds::from_keyword(Some(&json!(7))).is_unstated());
        assert!(Kinds::from_keyword(None).is_unstated());
    }
}
