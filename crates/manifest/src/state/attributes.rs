//! The attributes of an instance, read by path when they are asked for.
//!
//! `flat` reads the texts with dotted names that states of version 3 have; `plain` whole attributes.

mod flat;
mod plain;

use std::borrow::Cow;

use serde_json::Value;

use super::Json;
use super::json::member;

/// All that a state knows of an object, still in its text.
#[derive(Debug, Clone, Copy)]
pub enum Attributes<'a> {
    /// Nothing is known.
    Absent,
    /// An object of a raw state: values whose type only their provider knows stand in a wrapper,
    /// `{"value": …, "type": …}`.
    Wrapped(Json<'a>),
    /// An object of `show -json`.
    Plain(Json<'a>),
    /// Texts by dotted names: `metadata.0.name`.
    Flat {
        /// The texts.
        texts: Json<'a>,
        /// The object's id, which is told beside them.
        id: Option<Json<'a>>,
    },
}

impl<'a> Attributes<'a> {
    /// The value at a path: names of members, and numbers of elements from 0 on. Wrappers are looked
    /// through. None where there is nothing, or null; and where a value is nested more than a hundred
    /// levels deep.
    pub fn get(&self, path: &[&str]) -> Option<Value> {
        self.fields().get(path)
    }

    /// Reads the first level, to ask for several values.
    pub fn fields(&self) -> Fields<'a> {
        match *self {
            Self::Absent => Fields::Nested(Vec::new(), Wrappers::None),
            Self::Wrapped(json) => {
                Fields::Nested(json.members().unwrap_or_default(), Wrappers::Possible)
            }
            Self::Plain(json) => Fields::Nested(json.members().unwrap_or_default(), Wrappers::None),
            Self::Flat { texts, id } => {
                let mut members = texts.members().unwrap_or_default();
                if let Some(id) = id.filter(|_| member(&members, "id").is_none()) {
                    members.push((Cow::Borrowed("id"), id));
                }
                Fields::Flat(members)
            }
        }
    }
}

/// The attributes of one instance with their first level read.
#[derive(Debug, Clone)]
pub enum Fields<'a> {
    /// Members by name.
    Nested(Vec<(Cow<'a, str>, Json<'a>)>, Wrappers),
    /// Texts by dotted names.
    Flat(Vec<(Cow<'a, str>, Json<'a>)>),
}

/// Whether values may stand in wrappers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrappers {
    /// As in `show -json`.
    None,
    /// As in a raw state.
    Possible,
}

impl<'a> Fields<'a> {
    /// The value at a path, as [`Attributes::get`] has it.
    pub fn get(&self, path: &[&str]) -> Option<Value> {
        match self {
            Self::Nested(..) => self.find(path)?.value(),
            Self::Flat(members) => flat::get(members, path),
        }
    }

    /// The text at a path, if it is one.
    pub fn text(&self, path: &[&str]) -> Option<Cow<'a, str>> {
        match self {
            Self::Nested(..) => self.find(path)?.text(),
            Self::Flat(members) => member(members, &path.join("."))?.text(),
        }
    }

    /// Whether there is something at a path that is not null.
    pub fn has(&self, path: &[&str]) -> bool {
        match self {
            Self::Nested(..) => self.find(path).is_some(),
            Self::Flat(members) => flat::get(members, path).is_some(),
        }
    }

    fn find(&self, path: &[&str]) -> Option<Json<'a>> {
        let Self::Nested(members, wrappers) = self else { return None };
        let (first, rest) = path.split_first()?;
        let mut found = attribute(member(members, first)?, *wrappers, Depth::Attribute)?;
        for name in rest {
            found = below(found, name)?;
            found = attribute(found, *wrappers, Depth::Below)?;
        }
        Some(found)
    }
}

/// Whether a value is an attribute of its own or a part of one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Attribute,
    Below,
}

fn below<'a>(json: Json<'a>, name: &str) -> Option<Json<'a>> {
    if let Some(members) = json.members() {
        return member(&members, name);
    }
    let at: usize = name.parse().ok()?;
    json.elements()?.get(at).copied()
}

/// The value without its wrapper, if it has one; none where that holds null.
fn attribute(json: Json<'_>, wrappers: Wrappers, depth: Depth) -> Option<Json<'_>> {
    let unwrapped = match wrappers {
        Wrappers::Possible => unwrapped(json, depth).unwrap_or(json),
        Wrappers::None => json,
    };
    (!unwrapped.is_null()).then_some(unwrapped)
}

/// What a wrapper holds. Blocks with a `type` and a `value` are common, so that a wrapper must name a type
/// that its value is of; inside an attribute a plain text is never one.
fn unwrapped(json: Json<'_>, depth: Depth) -> Option<Json<'_>> {
    let members = json.members().filter(|members| members.len() == 2)?;
    let named = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, json)| *json);
    let (value, of_type) = (named("value")?, named("type")?);
    let is_null = value.is_null();
    let fits = match of_type.elements() {
        Some(compound) => match compound.first().and_then(|kind| kind.text())?.as_ref() {
            "object" | "map" => is_null || value.is_object(),
            "list" | "set" | "tuple" => is_null || value.is_list(),
            _ => false,
        },
        None if depth == Depth::Below => false,
        None => match of_type.text()?.as_ref() {
            "string" => is_null || value.as_str().starts_with('"'),
            "number" => {
                is_null || value.as_str().starts_with(|c: char| c == '-' || c.is_ascii_digit())
            }
            "bool" => is_null || value.boolean().is_some(),
            "dynamic" => is_null,
            _ => false,
        },
    };
    fits.then_some(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wrapped(text: &str) -> Attributes<'_> {
        Attributes::Wrapped(Json::parse(text).unwrap())
    }

    #[test]
    fn any_attribute_is_read_by_its_path() {
        let text =
            r#"{"a": {"b": [{"c": 1}, {"c": 12345678901234567890.10}]}, "n": null, "t": "x"}"#;
        let attributes = wrapped(text);
        assert_eq!(attributes.get(&["a", "b", "0"]), Some(json!({"c": 1})));
        let exact = attributes.get(&["a", "b", "1", "c"]).unwrap();
        assert_eq!(exact.to_string(), "12345678901234567890.10");
        for path in [&["n"][..], &["z"], &["a", "b", "2"], &["a", "b", "x"], &["t", "0"], &[]] {
            assert_eq!(attributes.get(path), None, "{path:?}");
        }
    }

    #[test]
    fn wrappers_of_raw_states_are_looked_through() {
        let text = r#"{"manifest": {"value": {"kind": "Secret", "type": "Opaque"}, "type": ["object", {"kind": "string", "type": "string"}]},
            "input": {"value": "x", "type": "string"}, "nothing": {"value": null, "type": "dynamic"}}"#;
        let attributes = wrapped(text);
        assert_eq!(attributes.get(&["manifest", "kind"]), Some("Secret".into()));
        assert_eq!(attributes.get(&["manifest", "type"]), Some("Opaque".into()));
        assert_eq!(attributes.get(&["input"]), Some("x".into()));
        assert_eq!(attributes.get(&["nothing"]), None);
        let plain = Attributes::Plain(Json::parse(text).unwrap());
        assert_eq!(plain.get(&["input", "type"]), Some("string".into()));
    }

    #[test]
    fn blocks_with_a_type_and_a_value_are_not_wrappers() {
        let text = r#"{"record": {"type": "A", "value": "10.0.0.1"}, "list": [{"type": "string", "value": "x"}],
            "more": {"type": "string", "value": "x", "name": "y"}, "odd": {"type": ["object", {}], "value": "x"}}"#;
        let attributes = wrapped(text);
        assert_eq!(attributes.get(&["record"]), Some(json!({"type": "A", "value": "10.0.0.1"})));
        assert_eq!(attributes.get(&["list", "0", "value"]), Some("x".into()));
        assert_eq!(attributes.get(&["more", "name"]), Some("y".into()));
        assert_eq!(attributes.get(&["odd", "value"]), Some("x".into()));
    }

    #[test]
    fn of_a_flat_state_texts_lists_maps_and_blocks_are_made() {
        let texts = r#"{"arn": "arn:x", "metadata.#": "1", "metadata.0.name": "a", "metadata.0.labels.%": "2",
            "metadata.0.labels.app.kubernetes.io/name": "n", "metadata.0.labels.x": "y", "ids.#": "2",
            "ids.200": "two", "ids.30": "one", "none.#": "0"}"#;
        let id = Json::parse("\"i-1\"").unwrap();
        let flat = Attributes::Flat { texts: Json::parse(texts).unwrap(), id: Some(id) };
        assert_eq!(flat.get(&["id"]), Some("i-1".into()));
        assert_eq!(flat.get(&["metadata", "0", "name"]), Some("a".into()));
        assert_eq!(flat.fields().text(&["arn"]).as_deref(), Some("arn:x"));
        assert_eq!(
            flat.get(&["metadata"]),
            Some(json!([{"name": "a", "labels": {"app.kubernetes.io/name": "n", "x": "y"}}]))
        );
        assert_eq!(flat.get(&["ids"]), Some(json!(["one", "two"])));
        assert_eq!(flat.get(&["none"]), Some(json!([])));
        assert_eq!(flat.get(&["absent"]), None);
    }
}
