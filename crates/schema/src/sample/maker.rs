//! Makes one value that a schema allows, from the document down to the last scalar.
//!
//! Recursive definitions end by depth and by budget: past either only what is required is made.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::demand::Demand;
use super::random::Random;
use super::text::Texts;
use super::{Size, amount};
use crate::class::Class;
use crate::kind::Kind;
use crate::node::NodeId;
use crate::same::same;
use crate::spot::Spot;
use crate::tagging::{self, TagOwner};
use crate::type_schema::TypeSchema;

/// Who writes the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    /// A user, who cannot set what is read-only.
    User,
    /// The service, which never returns what is hidden.
    Service,
}

/// Makes values for one document.
pub(super) struct Maker<'m, 's> {
    pub(super) schema: &'s TypeSchema,
    pub(super) texts: &'m mut Texts<'s>,
    pub(super) random: Random,
    pub(super) size: Size,
    pub(super) author: Author,
    /// How many values may still be made beside those that are required.
    pub(super) budget: usize,
    /// How many values may still be made at all: a definition that requires two of itself.
    pub(super) fuel: usize,
}

/// Where a value goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'n> {
    pub(super) spot: Spot,
    pub(super) name: &'n str,
    pub(super) depth: usize,
    pub(super) need: Need,
}

/// Whether the place can be left empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// The schema requires a value, if only an empty one.
    Required,
    /// It can be left out.
    Optional,
}

/// Past this depth a value is empty, even where the schema requires members.
const MAX_DEPTH: usize = 16;

/// Past so many values the rest is empty, even where the schema requires members.
pub(super) const MAX_VALUES: usize = 4000;

/// An array that must be longer than this is shorter all the same.
const MAX_ITEMS: usize = 32;

/// How often an element is made again that is like another one.
const ATTEMPTS: usize = 8;

impl<'s> Maker<'_, 's> {
    /// A value for a place; none where nothing may be given.
    pub(super) fn value(&mut self, roots: &[NodeId], target: Target<'_>) -> Option<Value> {
        if !self.may_be_given(target.spot) {
            return None;
        }
        self.budget = self.budget.saturating_sub(1);
        self.fuel = self.fuel.saturating_sub(1);
        let (schema, author) = (self.schema, self.author);
        let can_be_given = |name: &str| is_given(schema, author, schema.member(target.spot, name));
        let demand = Demand::gather(&schema.nodes, roots, &mut self.random, &can_be_given);
        if let Some(value) = self.random.pick(&demand.allowed) {
            return Some((*value).clone());
        }
        match self.kind(&demand) {
            Kind::Null => Some(Value::Null),
            Kind::Boolean => Some(self.random.once_in(2).into()),
            Kind::Integer => Some(amount::integer(&mut self.random, &demand)),
            Kind::Number => Some(amount::number(&mut self.random, &demand)),
            Kind::String => Some(self.text(&demand, target)),
            Kind::Array => self.array(&demand, target),
            Kind::Object => self.object(&demand, target),
        }
    }

    fn may_be_given(&self, spot: Spot) -> bool {
        is_given(self.schema, self.author, spot)
    }

    fn is_exhausted(&self, target: Target<'_>) -> bool {
        target.depth > MAX_DEPTH || self.fuel == 0
    }

    fn kind(&mut self, demand: &Demand<'s>) -> Kind {
        let stated: Vec<Kind> = demand.kinds.iter().filter(|kind| *kind != Kind::Null).collect();
        if let Some(kind) = self.random.pick(&stated) {
            return *kind;
        }
        if !demand.members.is_empty() || !demand.required.is_empty() || !demand.named_by.is_empty()
        {
            Kind::Object
        } else if !demand.items.is_empty() {
            Kind::Array
        } else if demand.least.is_some() || demand.most.is_some() {
            Kind::Number
        } else {
            demand.default.map_or(Kind::String, Kind::of)
        }
    }

    fn text(&mut self, demand: &Demand<'s>, target: Target<'_>) -> Value {
        // Documents come as objects or as their text where the schema allows both.
        if demand.kinds.has(Kind::Object) && demand.patterns.is_empty() {
            return self.free_object(target.name).to_string().into();
        }
        self.texts.text(&mut self.random, demand, target.name).into()
    }

    fn object(&mut self, demand: &Demand<'s>, target: Target<'_>) -> Option<Value> {
        let is_map = demand.members.is_empty();
        if is_map && demand.required.is_empty() {
            return Some(self.map(demand, target));
        }
        if self.is_exhausted(target) {
            return Some(json!({}));
        }
        let mut made = Map::new();
        for name in self.names(demand, target) {
            let next = Target {
                spot: self.schema.member(target.spot, name),
                name,
                depth: target.depth + 1,
                need: if demand.required.contains(name) { Need::Required } else { Need::Optional },
            };
            let member = match demand.members.get(name) {
                Some(roots) => self.value(roots, next),
                // Required, but declared nowhere: a schema's slip, or a map with a fixed key.
                None => self.undeclared(demand, next),
            };
            if let Some(member) = member {
                made.insert(name.to_owned(), member);
            }
        }
        // All that it could hold is for the service to say.
        let is_hollow = made.is_empty() && self.schema.below(target.spot).has(Class::ReadOnly);
        let is_kept = !is_hollow || target.need == Need::Required || self.author == Author::Service;
        is_kept.then_some(Value::Object(made))
    }

    fn undeclared(&mut self, demand: &Demand<'s>, target: Target<'_>) -> Option<Value> {
        match demand.additional.first().or(demand.named_by.first().map(|(_, id)| id)) {
            Some(id) => self.value(&[*id], target),
            None if demand.is_closed => None,
            None => self.may_be_given(target.spot).then(|| self.random.anything()),
        }
    }

    /// The members to make: the required ones, and others as the size says.
    fn names(&mut self, demand: &Demand<'s>, target: Target<'_>) -> BTreeSet<&'s str> {
        let spot = target.spot;
        let mut names: BTreeSet<&'s str> = demand.required.clone();
        if names.is_empty()
            && let Some(name) = self.random.pick(&demand.telling)
            && self.may_be_given(self.schema.member(spot, name))
        {
            names.insert(name);
        }
        demand.close(&self.schema.nodes, &mut names);
        let mut optional: Vec<&'s str> = demand
            .members
            .keys()
            .copied()
            .filter(|name| !names.contains(name) && !demand.unwelcome.contains(name))
            .filter(|name| self.may_be_given(self.schema.member(spot, name)))
            .collect();
        self.random.shuffle(&mut optional);
        let (least, most) = demand.member_count;
        let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
        for name in optional {
            let is_needed = (names.len() as u64) < least;
            if !is_needed && (names.len() >= most || !self.takes_optional(target.depth)) {
                continue;
            }
            let mut with = names.clone();
            with.insert(name);
            demand.close(&self.schema.nodes, &mut with);
            let is_fine = with.iter().all(|name| !demand.unwelcome.contains(name));
            if with.len() <= most && is_fine {
                names = with;
            }
        }
        names
    }

    fn takes_optional(&mut self, depth: usize) -> bool {
        if self.budget == 0 {
            return false;
        }
        match (self.size, depth) {
            (Size::Small, _) | (_, 7..) => false,
            (Size::Medium, 0..=1) => self.random.once_in(3),
            (Size::Medium, _) => self.random.once_in(5),
            (Size::Large, 0..=2) => true,
            (Size::Large, _) => self.random.once_in(4),
        }
    }

    /// An object whose members the schema does not name.
    fn map(&mut self, demand: &Demand<'s>, target: Target<'_>) -> Value {
        let described = demand.named_by.first().map(|(pattern, id)| (Some(*pattern), *id));
        let described = described.or(demand.additional.first().map(|id| (None, *id)));
        let Some((pattern, id)) = described else {
            return if demand.is_closed { json!({}) } else { self.free_object(target.name) };
        };
        let mut made = Map::new();
        if self.is_exhausted(target) {
            return Value::Object(made);
        }
        for _ in 0..self.count(demand.member_count) {
            let key = match pattern {
                Some(pattern) => self.texts.key(&mut self.random, pattern),
                None => format!("key-{}", self.random.tail()),
            };
            if self.schema.is_tags(target.spot) && tagging::owner(&key) != TagOwner::User {
                continue;
            }
            let spot = self.schema.member(target.spot, &key);
            let next =
                Target { spot, name: "Value", depth: target.depth + 1, need: Need::Required };
            if let Some(value) = self.value(&[id], next) {
                made.insert(key, value);
            }
        }
        Value::Object(made)
    }

    /// An object of which the schema says nothing: a policy where the name says so.
    fn free_object(&mut self, name: &str) -> Value {
        let tail = self.random.tail();
        if name.contains("Policy") {
            return json!({"Version": "2012-10-17", "Statement": [{
                "Effect": "Allow",
                "Action": ["s3:GetObject", format!("s3:Put{tail}")],
                "Resource": format!("arn:aws:s3:::sample-{tail}/*"),
                "Principal": {"AWS": "123456789012"}
            }]});
        }
        json!({format!("key-{tail}"): format!("value-{tail}")})
    }

    fn array(&mut self, demand: &Demand<'s>, target: Target<'_>) -> Option<Value> {
        let element = self.schema.element(target.spot);
        if !self.may_be_given(element) {
            return None;
        }
        if self.is_exhausted(target) {
            return Some(json!([]));
        }
        let count = self.count(demand.item_count);
        let is_tags = self.schema.is_tags(target.spot);
        let next = Target {
            spot: element,
            name: target.name,
            depth: target.depth + 1,
            need: Need::Required,
        };
        let mut made: Vec<Value> = Vec::with_capacity(count);
        let size = self.size;
        for _ in 0..count {
            for attempt in 0..ATTEMPTS {
                // Elements of which nothing is required differ in what is not.
                self.size = if attempt > 1 && size == Size::Small { Size::Large } else { size };
                self.budget = self.budget.max(if attempt > 1 { 4 } else { 0 });
                let item = match demand.items.as_slice() {
                    [] => Some(self.random.anything()),
                    roots => self.value(roots, next),
                };
                let Some(item) = item else { break };
                let is_ours = is_tags && tagging::owner_of_element(&item) != TagOwner::User;
                let is_named = made.iter().any(|other| share_a_name(other, &item));
                // A multiset may hold a value twice; few do.
                let is_double = made.iter().any(|other| same(other, &item))
                    && (demand.is_unique || !self.random.once_in(4));
                if !is_ours && !is_named && !is_double {
                    made.push(item);
                    break;
                }
            }
        }
        self.size = size;
        Some(Value::Array(made))
    }

    /// How many elements or keys to make.
    fn count(&mut self, (least, most): (u64, Option<u64>)) -> usize {
        let limit = |count: u64| usize::try_from(count).unwrap_or(MAX_ITEMS).min(MAX_ITEMS);
        let least = limit(least);
        let most = most.map_or(MAX_ITEMS, limit);
        let usual = match self.size {
            _ if self.budget == 0 => least,
            Size::Small => least.max(1),
            Size::Medium => least.max(1) + self.random.below(3),
            Size::Large => least.max(2) + self.random.below(3),
        };
        usual.clamp(least, most.max(least))
    }
}

fn is_given(schema: &TypeSchema, author: Author, spot: Spot) -> bool {
    match author {
        Author::User => !schema.is_read_only(spot),
        Author::Service => !schema.at(spot).is_hidden(),
    }
}

/// Whether two elements have one name: most services refuse the second.
fn share_a_name(a: &Value, b: &Value) -> bool {
    ["Key", "Name", "Id"].into_iter().any(|name| match (a.get(name), b.get(name)) {
        (Some(Value::String(a)), Some(Value::String(b))) => a == b,
        _ => false,
    })
}
