//! What is no longer stated: what goes, what stays, and what is written in its place.

use serde_json::Value;

use super::report::Segment;
use super::walk::{Site, Walk};
use super::{Cause, Rule};
use crate::class::Class;
use crate::equal;
use crate::node::ArrayType;
use crate::pairing;
use crate::spot::Spot;
use crate::tagging::{self, TagOwner};
use crate::type_schema::TypeSchema;

impl<'a> Walk<'a> {
    /// Desired says null: whatever live has goes, stated before or not.
    pub(super) fn stated_null(&mut self, site: Site<'a>) {
        if let Some(before) = site.live.or(site.applied) {
            self.unstated(site.spot, before, site.live, Rule::StatedNull);
        }
    }

    /// A member that was stated as `before` and is stated no more.
    pub(super) fn unstated(
        &mut self,
        spot: Spot,
        before: &'a Value,
        live: Option<&'a Value>,
        rule: Rule,
    ) {
        if equal::is_wholly_hidden(self.schema, spot, before) {
            return self.explain(Rule::WriteOnlyDropped);
        }
        let Some(live) = live.filter(|live| !live.is_null()) else { return };
        let classes = self.schema.at(spot);
        if classes.has(Class::ReadOnly) {
            return self.explain(Rule::ReadOnlyKept);
        }
        if classes.has(Class::CreateOnly) {
            return self.explain(Rule::CreateOnlyKept);
        }
        if let Some(default) = self.schema.removal_value(spot) {
            let holders = self.holders(default);
            if !equal::shows(self.schema, spot, holders, default, Some(live)) {
                self.add(spot, default.clone(), Rule::DefaultWritten);
            }
            return;
        }
        if is_empty(live, self.schema.shape(spot).is_map()) {
            return;
        }
        match live {
            Value::Object(_) if keeps_something(self.schema, spot, live) => {
                self.stated_members_go(spot, before, live, rule);
            }
            Value::Array(items) => self.array_goes(spot, before, items, rule),
            _ => self.remove(rule),
        }
    }

    /// A key that a stated map does not have: it goes whole, read-only children and all, as an
    /// element of an array would.
    pub(super) fn map_key_goes(&mut self, spot: Spot, live: &'a Value, rule: Rule) {
        if self.schema.is_read_only(spot) {
            self.explain(Rule::ReadOnlyKept);
        } else if self.schema.is_create_only(spot) {
            self.reason(Cause::CreateOnly);
        } else if has_value(self.schema, spot, live, Class::CreateOnly) {
            self.reason(Cause::CreateOnlyInElement);
        } else {
            self.remove(rule);
        }
    }

    /// Something below has to stay, so only what was stated goes.
    fn stated_members_go(&mut self, spot: Spot, before: &'a Value, live: &'a Value, rule: Rule) {
        let Value::Object(members) = before else { return };
        for (name, member) in members {
            self.path.push(Segment::Member(name));
            if equal::is_hidden_tag(self.schema, spot, name) {
                self.explain(Rule::HiddenTag);
            } else if !member.is_null() {
                self.unstated(self.schema.member(spot, name), member, live.get(name), rule);
            }
            self.path.pop();
        }
    }

    fn array_goes(&mut self, spot: Spot, before: &'a Value, live: &'a [Value], rule: Rule) {
        let element = self.schema.element(spot);
        if let Some(index) =
            live.iter().position(|item| has_value(self.schema, element, item, Class::CreateOnly))
        {
            self.path.push(Segment::Element(index, None));
            self.reason(Cause::CreateOnlyInElement);
            self.path.pop();
            return;
        }
        let stays: Vec<Value> = if self.schema.is_tags(spot) {
            let ours = |item: &&Value| tagging::owner_of_element(item) == TagOwner::Marker;
            if live.iter().all(|item| tagging::owner_of_element(item) != TagOwner::User) {
                return self.explain(Rule::HiddenTag);
            }
            live.iter().filter(ours).cloned().collect()
        } else if self.schema.shape(spot).array_type == ArrayType::AttributeList {
            not_stated_in(self.schema, element, before, live)
        } else {
            Vec::new()
        };
        if stays.is_empty() {
            self.remove(rule);
        } else if stays.len() < live.len() {
            self.add(spot, Value::Array(stays), rule);
        }
    }
}

/// The attributes whose key `before` does not state.
fn not_stated_in(schema: &TypeSchema, element: Spot, before: &Value, live: &[Value]) -> Vec<Value> {
    let stated: Vec<&Value> =
        before.as_array().map(|items| items.iter().collect()).unwrap_or_default();
    let shown: Vec<&Value> = live.iter().collect();
    let Some(identity) = pairing::attribute_identity(schema, element, &[&stated, &shown]) else {
        return Vec::new();
    };
    let pairs = pairing::pair_by_identity(&identity, &shown, &stated);
    live.iter()
        .zip(pairs.of_left)
        .filter(|(_, pair)| pair.is_none())
        .map(|(item, _)| item.clone())
        .collect()
}

/// Whether a value says no more than its absence.
fn is_empty(value: &Value, is_map: bool) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => is_map && members.is_empty(),
        _ => false,
    }
}

/// Whether something below must outlive a removal: a read-only or create-only value, or a tag
/// that is not the user's.
fn keeps_something(schema: &TypeSchema, spot: Spot, live: &Value) -> bool {
    has_value(schema, spot, live, Class::ReadOnly)
        || has_value(schema, spot, live, Class::CreateOnly)
        || live.as_object().is_some_and(|members| {
            members.keys().any(|key| equal::is_hidden_tag(schema, spot, key))
        })
}

/// Whether `live` has a value of this class at or below `spot`.
pub(super) fn has_value(schema: &TypeSchema, spot: Spot, live: &Value, class: Class) -> bool {
    if live.is_null() {
        return false;
    }
    if schema.at(spot).has(class) {
        return true;
    }
    if !schema.below(spot).has(class) {
        return false;
    }
    match live {
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| has_value(schema, schema.member(spot, name), member, class)),
        Value::Array(items) => {
            let element = schema.element(spot);
            items.iter().any(|item| has_value(schema, element, item, class))
        }
        _ => false,
    }
}

/// Whether `desired` states every create-only value that `live` has.
pub(super) fn states_create_only(
    schema: &TypeSchema,
    spot: Spot,
    desired: Option<&Value>,
    live: &Value,
) -> bool {
    if live.is_null() || !has_value(schema, spot, live, Class::CreateOnly) {
        return true;
    }
    match (desired, live) {
        (None | Some(Value::Null), _) => false,
        (Some(Value::Object(stated)), Value::Object(shown)) => {
            shown.iter().all(|(name, member)| {
                states_create_only(schema, schema.member(spot, name), stated.get(name), member)
            })
        }
        // Whether the values are equal is the walk's to say.
        (Some(_), _) => true,
    }
}
