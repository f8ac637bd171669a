//! Whole attributes, with null where it is written and without wrappers.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Attributes, Depth, Fields, Json, Wrappers, flat, unwrapped};

/// A value has more levels than are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooDeep;

impl Attributes<'_> {
    /// The names of all attributes.
    pub(crate) fn names(&self) -> Vec<String> {
        match self.fields() {
            Fields::Nested(members, _) => {
                let names: BTreeSet<_> = members.into_iter().map(|(name, _)| name).collect();
                names.into_iter().map(Cow::into_owned).collect()
            }
            Fields::Flat(members) => {
                let first = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
                let names: BTreeSet<_> = members.iter().map(|(name, _)| first(name)).collect();
                names.into_iter().collect()
            }
        }
    }

    /// The value of one attribute; none where it is absent.
    pub(crate) fn plain(&self, name: &str) -> Option<Result<Value, TooDeep>> {
        match self.fields() {
            Fields::Nested(members, wrappers) => {
                let (_, json) = members.iter().rev().find(|(key, _)| key == name)?;
                Some(without_wrappers(*json, wrappers).ok_or(TooDeep))
            }
            Fields::Flat(members) => flat::get(&members, &[name]).map(Ok),
        }
    }
}

fn without_wrappers(json: Json<'_>, wrappers: Wrappers) -> Option<Value> {
    if wrappers == Wrappers::None {
        return json.value();
    }
    match unwrapped(json, Depth::Attribute) {
        // What a wrapper holds is of a type that is known: there is none in it.
        Some(inner) => inner.value(),
        None => json.value().map(below),
    }
}

/// A part of an attribute; the depth is that of a value of JSON, which is bounded where it is read.
fn below(value: Value) -> Value {
    match value {
        Value::Object(members) if is_wrapper(&members) => {
            members.into_iter().find(|(name, _)| name == "value").map_or(Value::Null, |(_, it)| it)
        }
        Value::Object(members) => {
            members.into_iter().map(|(name, member)| (name, below(member))).collect()
        }
        Value::Array(items) => items.into_iter().map(below).collect(),
        scalar => scalar,
    }
}

/// As [`unwrapped`] tells it of a part of an attribute.
fn is_wrapper(members: &Map<String, Value>) -> bool {
    let (2, Some(inner), Some(of_type)) =
        (members.len(), members.get("value"), members.get("type"))
    else {
        return false;
    };
    match of_type.get(0).and_then(Value::as_str) {
        Some("object" | "map") => inner.is_null() || inner.is_object(),
        Some("list" | "set" | "tuple") => inner.is_null() || inner.is_array(),
        _ => false,
    }
}
