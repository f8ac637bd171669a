//! What is no longer stated: what goes, what stays, and what is written in its place.

use serde_json::{Map, Value};

use super::elements::{added_by_others, items_of};
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
        let is_attributes = self.schema.shape(site.spot).array_type == ArrayType::AttributeList;
        match (site.live, site.applied) {
            (Some(live), _) if self.is_asked_to_lose_create_only(site.spot, live) => {
                self.reason(Cause::CreateOnly);
            }
            // Only what was stated is owned.
            (live, Some(before)) if is_attributes => {
                self.unstated(site.spot, before, live, Rule::StatedNull);
            }
            (live, before) => {
                if let Some(before) = live.or(before) {
                    self.unstated(site.spot, before, live, Rule::StatedNull);
                }
            }
        }
    }

    /// Null asks for the removal of a value that can only be set at creation.
    fn is_asked_to_lose_create_only(&self, spot: Spot, live: &Value) -> bool {
        let is_empty = is_empty(live, self.schema.shape(spot).is_map());
        self.schema.is_create_only(spot) && !self.schema.is_read_only(spot) && !is_empty
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
            Value::Object(members) if self.has_hidden_tags(spot, members) => {
                self.visible_tags_go(spot, members, rule);
            }
            Value::Object(_) if keeps_something(self.schema, spot, Some(before), live) => {
                self.stated_members_go(spot, before, live, rule);
            }
            Value::Array(items) => self.array_goes(spot, before, items, rule),
            _ => self.remove_or_warn(spot, rule),
        }
    }

    /// Removes a value, with a remark where the service is known to keep it.
    fn remove_or_warn(&mut self, spot: Spot, rule: Rule) {
        if self.schema.own(spot).has(Class::RemovalIgnored) {
            self.explain(Rule::RemovalIgnored);
        }
        self.remove(spot, rule);
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
            self.remove(spot, rule);
        }
    }

    fn has_hidden_tags(&self, spot: Spot, tags: &Map<String, Value>) -> bool {
        tags.keys().any(|key| equal::is_hidden_tag(self.schema, spot, key))
    }

    /// A map of tags goes key by key where some keys are not the user's.
    fn visible_tags_go(&mut self, spot: Spot, tags: &'a Map<String, Value>, rule: Rule) {
        for (name, value) in tags {
            self.path.push(Segment::Member(name));
            if equal::is_hidden_tag(self.schema, spot, name) {
                self.explain(Rule::HiddenTag);
            } else if !value.is_null() {
                self.map_key_goes(self.schema.member(spot, name), value, rule);
            }
            self.path.pop();
        }
    }

    /// Something below has to stay, so only what was stated goes.
    fn stated_members_go(&mut self, spot: Spot, before: &'a Value, live: &'a Value, rule: Rule) {
        let (Value::Object(stated), Value::Object(shown)) = (before, live) else { return };
        for (name, member) in stated.iter().filter(|(_, member)| !member.is_null()) {
            self.path.push(Segment::Member(name));
            self.unstated(self.schema.member(spot, name), member, shown.get(name), rule);
            self.path.pop();
        }
        let is_kept = |name: &str| stated.get(name).is_none_or(Value::is_null);
        for (name, _) in shown.iter().filter(|(name, _)| is_kept(name)) {
            self.path.push(Segment::Member(name));
            self.explain_unstated(self.schema.member(spot, name));
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
            let stays = |item: &&Value| tagging::owner_of_element(item) != TagOwner::User;
            if live.iter().all(|item| tagging::owner_of_element(item) != TagOwner::User) {
                return self.explain(Rule::HiddenTag);
            }
            live.iter().filter(stays).cloned().collect()
        } else if self.schema.shape(spot).array_type == ArrayType::AttributeList {
            not_stated_in(self.schema, element, before, live)
        } else if self.schema.is_shared(spot) {
            let (stated, shown) = (items_of(Some(before)), live);
            let (stated, shown) =
                (stated.iter().collect::<Vec<_>>(), shown.iter().collect::<Vec<_>>());
            let holders = self.holders(before);
            let kept = added_by_others(self.schema, element, holders, &stated, &shown);
            kept.into_iter().map(|at| live[at].clone()).collect()
        } else {
            Vec::new()
        };
        if stays.is_empty() {
            self.remove_or_warn(spot, rule);
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

/// Whether something below must outlive a removal of what was stated: a read-only or create-only
/// value. An array that was stated goes whole, and what is read-only in its elements with it.
fn keeps_something(schema: &TypeSchema, spot: Spot, before: Option<&Value>, live: &Value) -> bool {
    let has = |class| has_value(schema, spot, live, class);
    match (live, before) {
        (Value::Null, _) => false,
        (Value::Object(shown), Some(Value::Object(stated)))
            if !schema.is_read_only(spot) && !schema.is_create_only(spot) =>
        {
            shown.iter().any(|(name, member)| {
                keeps_something(schema, schema.member(spot, name), stated.get(name), member)
            })
        }
        (Value::Array(_), Some(_)) if !schema.is_read_only(spot) => has(Class::CreateOnly),
        _ => has(Class::ReadOnly) || has(Class::CreateOnly),
    }
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
