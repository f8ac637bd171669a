//! Whether live shows what desired states, however each spells it.
//!
//! Ownership decides what counts: a member that desired does not state is no difference, an array
//! or a map is owned whole, hidden values are not looked at (a read never returns them).

use serde_json::{Map, Value};

use crate::class::{Class, ClassSet};
use crate::node::ArrayType;
use crate::pairing;
use crate::respell::{self, is_respelled};
use crate::same::same;
use crate::shape::Order;
use crate::spot::{Rewriting, Spot};
use crate::tagging::{self, TagOwner};
use crate::type_schema::TypeSchema;
use crate::{number, policy};

/// How two values came out equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// Letter by letter.
    Exact,
    /// Spelled otherwise, for this reason.
    Spelled(Spelling),
    /// Not provably equal.
    Different,
}

/// Why two values that look different are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// `1` and `1.0`.
    Number,
    /// `8080` and `"8080"`.
    NumberAsText,
    /// `true` and `"true"`.
    BooleanAsText,
    /// The same JSON inside strings.
    JsonInString,
    /// Policy documents that allow the same.
    Policy,
    /// The schema says how the service rewrites the value.
    Transform,
    /// The service is known to spell the value in another way.
    Service,
    /// A value that can only be set at creation, in another spelling.
    CreateOnly,
}

/// The objects of the desired document around a value, which property transforms refer to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Holders<'a> {
    /// The object that holds the property.
    pub(crate) nearest: &'a Value,
    /// The whole document.
    pub(crate) root: &'a Value,
    /// What the document is compared with.
    pub(crate) against: Against,
}

/// What a desired document is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Against {
    /// What AWS returned, in an order of its own where the schema does not state one.
    Read,
    /// What a user stated.
    Stated,
}

/// Compares two values that are not both objects with members to walk: scalars, and documents
/// that are scalars in one spelling.
pub(crate) fn likeness(
    schema: &TypeSchema,
    spot: Spot,
    holders: Holders<'_>,
    desired: &Value,
    live: &Value,
) -> Likeness {
    if desired == live {
        return Likeness::Exact;
    }
    if let Some(spelling) = same_scalar(schema, spot, desired, live) {
        return Likeness::Spelled(spelling);
    }
    if let Some(spelling) = same_document(desired, live, schema.is_shared(spot)) {
        return Likeness::Spelled(spelling);
    }
    if let Rewriting::Known(transform) = schema.rewriting(spot)
        && transform.proves_equal(holders.nearest, holders.root, live)
    {
        return Likeness::Spelled(Spelling::Transform);
    }
    service_spelling(schema, spot, desired, live).map_or(Likeness::Different, Likeness::Spelled)
}

/// Spellings of a service that its schema does not state.
fn service_spelling(
    schema: &TypeSchema,
    spot: Spot,
    desired: &Value,
    live: &Value,
) -> Option<Spelling> {
    let classes = schema.at(spot);
    let is_keyword = schema.keyword(spot).is_some_and(|keyword| keyword == desired);
    if is_keyword
        || respell::is_same_pem(desired, live)
        || (classes.has_spelling() && is_respelled(classes, desired, live))
    {
        return Some(Spelling::Service);
    }
    let allowed = ClassSet::of(&respell::OF_CREATE_ONLY);
    (classes.has(Class::CreateOnly) && is_respelled(allowed, desired, live))
        .then_some(Spelling::CreateOnly)
}

fn same_scalar(schema: &TypeSchema, spot: Spot, a: &Value, b: &Value) -> Option<Spelling> {
    let kinds = schema.shape(spot).kinds;
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => number::equal(a, b).then_some(Spelling::Number),
        (Value::Number(number), Value::String(text))
        | (Value::String(text), Value::Number(number))
            if kinds.has_numeric() || kinds.is_unstated() =>
        {
            let read = number::parse(text)?;
            number::equal(number, &read).then_some(Spelling::NumberAsText)
        }
        (Value::Bool(flag), Value::String(text)) | (Value::String(text), Value::Bool(flag))
            if kinds.has(crate::kind::Kind::Boolean) || kinds.is_unstated() =>
        {
            let word = if *flag { "true" } else { "false" };
            text.eq_ignore_ascii_case(word).then_some(Spelling::BooleanAsText)
        }
        _ => None,
    }
}

/// Documents that may be written as objects or as JSON text.
fn same_document(a: &Value, b: &Value, is_shared: bool) -> Option<Spelling> {
    let is_text = a.is_string() || b.is_string();
    let (parsed_a, parsed_b) = (parse_document(a)?, parse_document(b)?);
    let (a, b) = (parsed_a.as_ref().unwrap_or(a), parsed_b.as_ref().unwrap_or(b));
    if is_text && (same(a, b) || (is_shared && contains(b, a))) {
        return Some(Spelling::JsonInString);
    }
    let are_policies = policy::looks_like_policy(a) && policy::looks_like_policy(b);
    (are_policies && policy::equal(a, b)).then_some(Spelling::Policy)
}

/// Whether `whole` has everything that `part` states, at the places where `part` states it.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part
            .iter()
            .all(|(name, member)| whole.get(name).is_some_and(|other| contains(other, member))),
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len()
                && whole.iter().zip(part).all(|(whole, part)| contains(whole, part))
        }
        _ => same(whole, part),
    }
}

/// `Some(None)` for an object or array as it is, `Some(Some(_))` for one read out of a string.
#[allow(clippy::option_option)]
fn parse_document(value: &Value) -> Option<Option<Value>> {
    match value {
        Value::Object(_) | Value::Array(_) => Some(None),
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).ok().map(Some)
        }
        _ => None,
    }
}

/// Whether `live` shows everything that `desired` states.
pub(crate) fn shows<'a>(
    schema: &'a TypeSchema,
    spot: Spot,
    holders: Holders<'a>,
    desired: &'a Value,
    live: Option<&'a Value>,
) -> bool {
    if schema.is_secret(spot, desired) {
        return true;
    }
    let live = live.filter(|live| !live.is_null());
    match (desired, live) {
        (Value::Null, live) => live.is_none(),
        // A deprecated property may not be returned; whether it changed is told by what was applied.
        (_, None) if schema.at(spot).has(Class::Deprecated) => true,
        (_, None) if schema.at(spot).has(Class::NotReturned) => true,
        (_, None) => is_same_as_absent(schema, spot, desired),
        (Value::Object(stated), Some(live @ Value::Object(shown))) => {
            let is_map = schema.shape(spot).is_map();
            if is_map && same_document(desired, live, schema.is_shared(spot)).is_some() {
                return true;
            }
            let inner = Holders { nearest: desired, ..holders };
            members_show(schema, spot, inner, stated, shown)
                && (!is_map
                    || schema.is_shared(spot)
                    || shown
                        .keys()
                        .all(|key| stated.contains_key(key) || is_hidden_tag(schema, spot, key)))
        }
        (Value::Array(stated), Some(live @ Value::Array(shown))) => {
            desired == live
                || arrays_show(schema, spot, holders, stated, shown)
                || likeness(schema, spot, holders, desired, live) != Likeness::Different
        }
        (_, Some(live)) => likeness(schema, spot, holders, desired, live) != Likeness::Different,
    }
}

/// Whether two stated values ask for the same.
pub(crate) fn asks_the_same<'a>(
    schema: &'a TypeSchema,
    spot: Spot,
    holders: Holders<'a>,
    one: &'a Value,
    other: &'a Value,
) -> bool {
    let holders = Holders { against: Against::Stated, ..holders };
    same(one, other)
        || (shows(schema, spot, holders, one, Some(other))
            && shows(schema, spot, holders, other, Some(one)))
}

/// Whether stating this where live has nothing is no difference: an empty array or map, or an
/// object of which a read returns nothing.
pub(crate) fn is_same_as_absent(schema: &TypeSchema, spot: Spot, desired: &Value) -> bool {
    match desired {
        Value::Null => true,
        Value::Array(items) => items.is_empty() || is_wholly_hidden(schema, spot, desired),
        // A key with nothing under it equals an absent key.
        Value::Object(members) if schema.shape(spot).is_map() => members
            .iter()
            .all(|(name, member)| is_same_as_absent(schema, schema.member(spot, name), member)),
        Value::Object(_) => is_wholly_hidden(schema, spot, desired),
        _ => false,
    }
}

/// Whether a value says nothing but its being there: empty objects and arrays, nulls.
pub(crate) fn is_hollow(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.values().all(is_hollow),
        Value::Array(items) => items.is_empty(),
        Value::Null => true,
        _ => false,
    }
}

/// Whether all that an object or an array states is hidden from reads.
pub(crate) fn is_wholly_hidden(schema: &TypeSchema, spot: Spot, value: &Value) -> bool {
    if schema.at(spot).is_hidden() {
        return true;
    }
    match value {
        Value::Object(members) => {
            let mut stated = members.iter().filter(|(_, member)| !member.is_null()).peekable();
            stated.peek().is_some()
                && stated.all(|(name, member)| {
                    is_wholly_hidden(schema, schema.member(spot, name), member)
                })
        }
        Value::Array(items) => {
            let element = schema.element(spot);
            !items.is_empty() && items.iter().all(|item| is_wholly_hidden(schema, element, item))
        }
        _ => false,
    }
}

fn members_show<'a>(
    schema: &'a TypeSchema,
    spot: Spot,
    holders: Holders<'a>,
    stated: &'a Map<String, Value>,
    shown: &'a Map<String, Value>,
) -> bool {
    stated.iter().all(|(name, desired)| {
        shows(schema, schema.member(spot, name), holders, desired, shown.get(name))
    })
}

fn arrays_show<'a>(
    schema: &'a TypeSchema,
    spot: Spot,
    holders: Holders<'a>,
    stated: &'a [Value],
    shown: &'a [Value],
) -> bool {
    let element = schema.element(spot);
    let is_tags = schema.is_tags(spot);
    let stated: Vec<&Value> = visible(is_tags, stated).collect();
    let shown: Vec<&Value> = visible(is_tags, shown).collect();
    let is_partial = schema.shape(spot).array_type == ArrayType::AttributeList
        || (schema.is_shared(spot) && holders.against == Against::Read);
    if stated.len() > shown.len() || (stated.len() != shown.len() && !is_partial) {
        return false;
    }
    let is_ordered = match schema.order(spot) {
        Order::Ordered => true,
        Order::Unstated => holders.against == Against::Stated,
        Order::Unordered => false,
    };
    if is_ordered && !is_partial {
        return stated
            .iter()
            .zip(&shown)
            .all(|(desired, live)| shows(schema, element, holders, desired, Some(live)));
    }
    let pairs = pairing::pair(schema, element, holders, &stated, &shown);
    pairs.of_left.iter().enumerate().all(|(at, pair)| {
        pair.is_some_and(|live| shows(schema, element, holders, stated[at], Some(shown[live])))
    })
}

/// The elements of an array that take part in comparison.
pub(crate) fn visible(is_tags: bool, items: &[Value]) -> impl Iterator<Item = &Value> {
    items.iter().filter(move |item| !is_tags || tagging::owner_of_element(item) == TagOwner::User)
}

/// Whether a member of a tag map is nobody's business.
pub(crate) fn is_hidden_tag(schema: &TypeSchema, spot: Spot, key: &str) -> bool {
    schema.is_tags(spot) && tagging::owner(key) != TagOwner::User
}
