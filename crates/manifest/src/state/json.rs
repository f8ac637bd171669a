//! A JSON value that still stands in its text: one level is read at a time, by who asks.
//!
//! Nothing here fails on what a value holds: what is of another kind than asked for is `None`.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// One JSON value of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Json<'a> {
    // Invariant: it is one JSON value without space around it.
    text: &'a str,
}

/// The members of an object, in their order.
pub(crate) type Members<'a> = Vec<(Cow<'a, str>, Json<'a>)>;

impl<'a> Json<'a> {
    /// The value `null`.
    pub const NULL: Json<'static> = Json { text: "null" };

    /// The value `{}`.
    pub(crate) const EMPTY: Json<'static> = Json { text: "{}" };

    /// Reads a text that is one JSON value.
    pub fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<&RawValue>(text).map(Self::of)
    }

    fn of(raw: &'a RawValue) -> Self {
        Self { text: raw.get() }
    }

    /// The text of the value.
    pub fn as_str(self) -> &'a str {
        self.text
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.text == "null"
    }

    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        self.text.starts_with('{')
    }

    /// Whether it is a list.
    pub fn is_list(self) -> bool {
        self.text.starts_with('[')
    }

    /// The text, of a string.
    pub fn text(self) -> Option<Cow<'a, str>> {
        let inner = self.text.strip_prefix('"')?.strip_suffix('"')?;
        if inner.contains('\\') {
            return serde_json::from_str(self.text).ok().map(Cow::Owned);
        }
        Some(Cow::Borrowed(inner))
    }

    /// The number, of a whole one that is not negative.
    pub fn number(self) -> Option<u64> {
        self.text.parse().ok()
    }

    /// The truth, of a boolean.
    pub fn boolean(self) -> Option<bool> {
        self.text.parse().ok()
    }

    /// The whole value; none where it is nested too deeply to be held.
    pub fn value(self) -> Option<Value> {
        serde_json::from_str(self.text).ok()
    }

    /// The members of an object; of a key that is stated twice both are there.
    pub(crate) fn members(self) -> Option<Members<'a>> {
        let mut deserializer = serde_json::Deserializer::from_str(self.text);
        self.is_object().then(|| deserializer.deserialize_map(MembersVisitor).ok())?
    }

    /// The elements of a list.
    pub(crate) fn elements(self) -> Option<Vec<Json<'a>>> {
        let mut deserializer = serde_json::Deserializer::from_str(self.text);
        self.is_list().then(|| deserializer.deserialize_seq(ElementsVisitor).ok())?
    }

    /// What it is, in a word for people.
    pub(crate) fn noun(self) -> &'static str {
        match self.text.as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "a list",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            _ => "a number",
        }
    }
}

/// The value may be a secret: only its kind is shown.
impl fmt::Debug for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Json({}, {} bytes)", self.noun(), self.text.len())
    }
}

/// The last member of a name that is not null, as Terraform reads it.
pub(crate) fn member<'a>(members: &Members<'a>, name: &str) -> Option<Json<'a>> {
    let found = members.iter().rev().find(|(key, _)| key == name)?;
    (!found.1.is_null()).then_some(found.1)
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
            members.push((key, Json::of(value)));
        }
        Ok(members)
    }
}

struct ElementsVisitor;

impl<'de> Visitor<'de> for ElementsVisitor {
    type Value = Vec<Json<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element::<&'de RawValue>()? {
            elements.push(Json::of(element));
        }
        Ok(elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json<'_> {
        Json::parse(text).expect(text)
    }

    #[test]
    fn one_level_is_read_and_the_rest_left_in_the_text() {
        let members =
            json(r#" {"a": [1, {"b": 2.50}], "\u0063": "x\ty", "d": "é"} "#).members().unwrap();
        let names: Vec<&str> = members.iter().map(|(name, _)| name.as_ref()).collect();
        assert_eq!(names, ["a", "c", "d"]);
        let list = members[0].1.elements().unwrap();
        assert_eq!((list[0].number(), list[1].as_str()), (Some(1), r#"{"b": 2.50}"#));
        assert_eq!(members[1].1.text().as_deref(), Some("x\ty"));
        assert!(matches!(members[2].1.text(), Some(Cow::Borrowed("é"))));
    }

    #[test]
    fn what_is_of_another_kind_is_none() {
        for text in ["null", "1", "\"a\"", "true", "[]", "{}"] {
            let json = json(text);
            assert_eq!(json.members().is_some(), text == "{}");
            assert_eq!(json.elements().is_some(), text == "[]");
            assert_eq!(json.text().is_some(), text == "\"a\"");
            assert_eq!(json.number().is_some(), text == "1");
            assert_eq!(json.boolean().is_some(), text == "true");
        }
        assert_eq!(json(r#""\ud800""#).text(), None);
        assert_eq!(
            (json("-1").number(), json("1.0").number(), json("1e3").number()),
            (None, None, None)
        );
    }

    #[test]
    fn what_is_nested_without_end_is_passed_over_and_not_read_whole() {
        let deep = format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let members = json(&deep).members().unwrap();
        assert_eq!(members[0].1.value(), None);
        assert_eq!(members[0].1.elements().map(|list| list.len()), Some(1));
    }

    #[test]
    fn a_value_is_not_shown_by_debug() {
        assert_eq!(format!("{:?}", json("\"secret\"")), "Json(a string, 8 bytes)");
    }
}
