//! Write-only values: where they are, how each is named, and whether one has changed.
//!
//! AWS never returns them, so the only thing to compare with is what was applied last. A store
//! keeps a keyed hash of each value under its path; the command line has the plain values. Both
//! answer [`SecretRecord::compare`]. In an array a path names the element by its key, else by a
//! fingerprint of its readable part, never by index.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use crate::same::same;
use crate::spot::Spot;
use crate::type_schema::TypeSchema;
use crate::{fingerprint, pairing};

/// What is known of the last applied value of a write-only property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// Nothing: the resource was imported, or the value was never sent by us.
    Never,
    /// It is the same value.
    Same,
    /// It is another value.
    Different,
    /// There is a record, but it cannot be compared (its key is gone).
    Incomparable,
}

/// The last applied write-only values of one resource.
pub trait SecretRecord {
    /// How `value` compares with what was last applied at `path`.
    fn compare(&self, path: &str, value: &Value) -> Recorded;
}

/// A write-only value in a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Secret<'a> {
    /// Its path with elements named, not counted: `/DefaultActions[#5f3a]/…/ClientSecret`.
    pub path: String,
    /// The value itself, nulls left out: they say nothing.
    pub value: Cow<'a, Value>,
}

/// Every write-only value in `document`, in document order.
pub fn secrets<'a>(schema: &TypeSchema, document: &'a Value) -> Vec<Secret<'a>> {
    let mut collector = Collector { schema, path: String::new(), found: Vec::new() };
    collector.visit(schema.root(), document);
    collector.found
}

/// `document` without its write-only values: what a read could return, and what may be stored.
pub fn without_secrets(schema: &TypeSchema, document: &Value) -> Value {
    strip(schema, schema.root(), document).unwrap_or(Value::Null)
}

/// `document` without the objects that hold nothing and could hold write-only values: of what [`without_secrets`]
/// leaves, nobody can tell whether a read returns them.
pub fn without_hollow(schema: &TypeSchema, document: &Value) -> Value {
    let mut whole = document.clone();
    drop_hollow(schema, schema.root(), &mut whole);
    whole
}

fn drop_hollow(schema: &TypeSchema, spot: Spot, value: &mut Value) {
    if !holds_secrets(schema, spot) {
        return;
    }
    match value {
        Value::Object(members) => members.retain(|name, member| {
            let spot = schema.member(spot, name);
            drop_hollow(schema, spot, member);
            !holds_secrets(schema, spot) || member.as_object().is_none_or(|it| !it.is_empty())
        }),
        Value::Array(items) => {
            for item in items {
                drop_hollow(schema, schema.element(spot), item);
            }
        }
        _ => {}
    }
}

/// Whether the write-only value at a path of [`secrets`] can only be set at creation. It is then the value that the
/// resource was created with, also if a later document does not state it.
pub fn is_set_at_creation(schema: &TypeSchema, path: &str) -> bool {
    let mut spot = schema.root();
    for segment in path.split('/').skip(1) {
        let is_element = schema.shape(spot).has_elements();
        // An element that is no longer there took its values with it.
        if is_element {
            return false;
        }
        spot = schema.member(spot, &segment.replace("~1", "/").replace("~0", "~"));
    }
    schema.at(spot).is_hidden() && schema.is_create_only_secret(spot)
}

/// The RFC 6901 pointers of the write-only values in `document`, for those who must not show them.
pub fn secret_pointers(schema: &TypeSchema, document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    point(schema, schema.root(), document, &mut String::new(), &mut found);
    found
}

fn point(
    schema: &TypeSchema,
    spot: Spot,
    value: &Value,
    path: &mut String,
    found: &mut Vec<String>,
) {
    if !holds_secrets(schema, spot) {
        return;
    }
    if schema.is_secret(spot, value) {
        return found.push(path.clone());
    }
    let length = path.len();
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                push_member(path, name);
                point(schema, schema.member(spot, name), member, path, found);
                path.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                push_member(path, &index.to_string());
                point(schema, schema.element(spot), item, path, found);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

fn strip(schema: &TypeSchema, spot: Spot, value: &Value) -> Option<Value> {
    // Whatever lies in a hidden place is hidden, one secret or several.
    if schema.at(spot).is_hidden() {
        return None;
    }
    if !holds_secrets(schema, spot) {
        return Some(value.clone());
    }
    Some(match value {
        Value::Object(members) => {
            let kept = members.iter().filter_map(|(name, member)| {
                strip(schema, schema.member(spot, name), member).map(|kept| (name.clone(), kept))
            });
            Value::Object(kept.collect())
        }
        Value::Array(items) => {
            let element = schema.element(spot);
            Value::Array(items.iter().filter_map(|item| strip(schema, element, item)).collect())
        }
        scalar => scalar.clone(),
    })
}

/// Whether a write-only value can lie at or below this spot.
pub(crate) fn holds_secrets(schema: &TypeSchema, spot: Spot) -> bool {
    schema.at(spot).is_hidden() || schema.below(spot).is_hidden()
}

struct Collector<'s, 'a> {
    schema: &'s TypeSchema,
    path: String,
    found: Vec<Secret<'a>>,
}

impl<'a> Collector<'_, 'a> {
    fn visit(&mut self, spot: Spot, value: &'a Value) {
        if value.is_null() || !holds_secrets(self.schema, spot) {
            return;
        }
        if self.schema.is_secret(spot, value) {
            self.found.push(Secret { path: self.path.clone(), value: without_nulls(value) });
            return;
        }
        let length = self.path.len();
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    push_member(&mut self.path, name);
                    self.visit(self.schema.member(spot, name), member);
                    self.path.truncate(length);
                }
            }
            Value::Array(items) => {
                let element = self.schema.element(spot);
                let items: Vec<&Value> = items.iter().collect();
                let names = element_names(self.schema, element, &items);
                for (item, name) in items.into_iter().zip(names) {
                    self.path.push_str(&name);
                    self.visit(element, item);
                    self.path.truncate(length);
                }
            }
            _ => {}
        }
    }
}

/// A value without the null members of its objects.
pub fn without_nulls(value: &Value) -> Cow<'_, Value> {
    fn has_null(value: &Value) -> bool {
        match value {
            Value::Object(members) => members.values().any(|it| it.is_null() || has_null(it)),
            Value::Array(items) => items.iter().any(has_null),
            _ => false,
        }
    }
    fn copy(value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let stated = members.iter().filter(|(_, member)| !member.is_null());
                Value::Object(stated.map(|(name, member)| (name.clone(), copy(member))).collect())
            }
            Value::Array(items) => Value::Array(items.iter().map(copy).collect()),
            scalar => scalar.clone(),
        }
    }
    if has_null(value) { Cow::Owned(copy(value)) } else { Cow::Borrowed(value) }
}

/// Appends a member's name to a secret path.
pub(crate) fn push_member(path: &mut String, name: &str) {
    path.push('/');
    path.push_str(&crate::pointer::escape(name));
}

/// Names for the elements of one array: by key, else by a fingerprint of the readable part, with
/// a count where two elements read the same.
pub(crate) fn element_names(schema: &TypeSchema, element: Spot, items: &[&Value]) -> Vec<String> {
    if let Some(identity) = pairing::identity(schema, element, &[items]) {
        return items.iter().map(|item| format!("[{}]", identity.describe(item))).collect();
    }
    let mut seen: HashMap<u64, usize> = HashMap::new();
    items
        .iter()
        .map(|item| {
            let print = fingerprint::of_readable(schema, element, item);
            let count = seen.entry(print).or_default();
            *count += 1;
            if *count == 1 { format!("[#{print:x}]") } else { format!("[#{print:x}.{count}]") }
        })
        .collect()
}

/// The plain values of an applied document, for the command line and for tests.
#[derive(Debug, Default)]
pub struct PlainSecrets<'a>(HashMap<String, Cow<'a, Value>>);

impl<'a> PlainSecrets<'a> {
    /// The write-only values of `applied`.
    pub fn of(schema: &TypeSchema, applied: Option<&'a Value>) -> Self {
        // Most types have no write-only property at all.
        if !schema.below(schema.root()).is_hidden() {
            return Self::default();
        }
        let found = applied.map(|document| secrets(schema, document)).unwrap_or_default();
        Self(found.into_iter().map(|secret| (secret.path, secret.value)).collect())
    }
}

impl SecretRecord for PlainSecrets<'_> {
    fn compare(&self, path: &str, value: &Value) -> Recorded {
        match self.0.get(path) {
            None => Recorded::Never,
            Some(recorded) if same(recorded, value) => Recorded::Same,
            Some(_) => Recorded::Different,
        }
    }
}
