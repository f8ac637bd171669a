//! What the service could return of a document that was applied.

use serde_json::{Map, Value, json};

use super::maker::{Author, Maker, Need, Target};
use super::random::Random;
use super::{Sampler, Size, survey};
use crate::class::Class;
use crate::fingerprint;
use crate::kind::Kind;
use crate::node::{ArrayType, NodeId};
use crate::number;
use crate::pointer::{PropertyPointer, Step};
use crate::secret::{holds_secrets, without_secrets};
use crate::shape::Order;
use crate::spot::Spot;
use crate::tagging::MARKER_TAG;
use crate::type_schema::TypeSchema;

/// How many values the service adds at most.
const BUDGET: usize = 120;

/// The service adds nothing below this depth.
const MAX_DEPTH: usize = 8;

/// See [`Sampler::live`].
pub(super) fn live(sampler: &mut Sampler<'_>, desired: &Value, seed: u64) -> Value {
    let schema = sampler.schema;
    let mut live = without_secrets(schema, desired);
    let mut maker = sampler.maker(seed, "live", Size::Small, Author::Service);
    maker.budget = BUDGET;
    let mut service = Service { maker };
    service.complete(&mut live, Some(desired), &[schema.root_node], schema.root(), 0);
    service.tag(&mut live);
    reordered(schema, &live, &mut service.maker.random)
}

/// The document with its unordered arrays in another order. Secrets stay as they are: they are
/// compared by their bytes.
pub(super) fn reordered(schema: &TypeSchema, document: &Value, random: &mut Random) -> Value {
    let mut document = document.clone();
    reorder(schema, schema.root(), &mut document, random, 0);
    document
}

/// Deeper than any document is compared.
const MAX_WALK: usize = 128;

fn reorder(schema: &TypeSchema, spot: Spot, value: &mut Value, random: &mut Random, depth: usize) {
    if depth > MAX_WALK || schema.is_secret(spot, value) {
        return;
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                reorder(schema, schema.member(spot, name), member, random, depth + 1);
            }
        }
        Value::Array(items) => {
            let element = schema.element(spot);
            for item in items.iter_mut() {
                reorder(schema, element, item, random, depth + 1);
            }
            if schema.order(spot) == Order::Unordered && are_told_apart(schema, element, items) {
                random.shuffle(items);
            }
        }
        _ => {}
    }
}

/// Whether the elements can be told apart by what a read returns. Where only their secrets differ
/// nothing but their place names them.
fn are_told_apart(schema: &TypeSchema, element: Spot, items: &[Value]) -> bool {
    if !holds_secrets(schema, element) {
        return true;
    }
    let mut prints: Vec<u64> =
        items.iter().map(|item| fingerprint::of_readable(schema, element, item)).collect();
    prints.sort_unstable();
    prints.windows(2).all(|pair| pair[0] != pair[1])
}

struct Service<'m, 's> {
    maker: Maker<'m, 's>,
}

impl Service<'_, '_> {
    /// Adds what the service knows, and spells some values its own way.
    fn complete(
        &mut self,
        value: &mut Value,
        desired: Option<&Value>,
        roots: &[NodeId],
        spot: Spot,
        depth: usize,
    ) {
        if depth > MAX_DEPTH {
            return;
        }
        match value {
            Value::Object(members) => {
                self.forget(members, desired, spot);
                self.complete_members(members, desired, roots, spot, depth);
                let is_document = self.maker.schema.shape(spot).kinds.has(Kind::String);
                if is_document && desired.is_some() && self.maker.random.once_in(4) {
                    *value = value.to_string().into();
                }
            }
            Value::Array(items) => {
                let nodes = survey::items(&self.maker.schema.nodes, roots);
                let element = self.maker.schema.element(spot);
                for (index, item) in items.iter_mut().enumerate() {
                    let desired = desired.and_then(|desired| desired.get(index));
                    self.complete(item, desired, &nodes, element, depth + 1);
                }
                if self.maker.schema.shape(spot).array_type == ArrayType::AttributeList {
                    self.add_attribute(items, &nodes, element, depth);
                }
            }
            _ if desired.is_some() && self.maker.random.once_in(12) => {
                self.respell(value, spot);
            }
            _ => {}
        }
    }

    fn complete_members(
        &mut self,
        members: &mut Map<String, Value>,
        desired: Option<&Value>,
        roots: &[NodeId],
        spot: Spot,
        depth: usize,
    ) {
        let schema = self.maker.schema;
        let declared = survey::members(&schema.nodes, roots);
        let others = survey::others(&schema.nodes, roots);
        for (name, member) in members.iter_mut() {
            let nodes = declared.get(name.as_str()).unwrap_or(&others);
            let desired = desired.and_then(|desired| desired.get(name));
            self.complete(member, desired, nodes, schema.member(spot, name), depth + 1);
        }
        for (name, nodes) in &declared {
            let next = schema.member(spot, name);
            if members.contains_key(*name)
                || desired.is_some_and(|desired| desired.get(*name).is_some())
                || !self.adds(name, next, depth)
            {
                continue;
            }
            let target = Target { spot: next, name, depth: depth + 1, need: Need::Optional };
            if let Some(mut value) = self.maker.value(&nodes[..1], target) {
                self.complete(&mut value, None, nodes, next, depth + 1);
                members.insert((*name).to_owned(), value);
            }
        }
    }

    /// Whether the service adds a member that nobody stated.
    fn adds(&mut self, name: &str, spot: Spot, depth: usize) -> bool {
        let schema = self.maker.schema;
        if schema.at(spot).is_hidden() || self.maker.budget == 0 {
            return false;
        }
        if schema.is_read_only(spot) {
            let is_identifier = depth == 0
                && schema.primary_identifier().iter().any(
                    |part| matches!(part.steps(), [Step::Member(part)] if part.as_ref() == name),
                );
            return is_identifier || !self.maker.random.once_in(3);
        }
        if schema.is_tags(spot) {
            return false;
        }
        let times = if schema.below(spot).has(Class::ReadOnly) { 2 } else { 7 };
        self.maker.random.once_in(times)
    }

    /// Leaves out what some services do not return: objects of which nothing is left without
    /// their secrets, and deprecated values.
    fn forget(&mut self, members: &mut Map<String, Value>, desired: Option<&Value>, spot: Spot) {
        let schema = self.maker.schema;
        let random = &mut self.maker.random;
        members.retain(|name, member| {
            let next = schema.member(spot, name);
            let stated = desired.and_then(|desired| desired.get(name));
            let is_hollow = is_hollow(member) && stated.is_some_and(is_filled);
            let is_deprecated = schema.at(next).has(Class::Deprecated);
            !((is_hollow || is_deprecated) && random.once_in(2))
        });
    }

    fn add_attribute(
        &mut self,
        items: &mut Vec<Value>,
        nodes: &[NodeId],
        element: Spot,
        depth: usize,
    ) {
        let target =
            Target { spot: element, name: "Attribute", depth: depth + 1, need: Need::Required };
        let Some(mut extra) = self.maker.value(nodes, target) else { return };
        if let Some(key) = extra.get_mut("Key") {
            *key = format!("service.{}", self.maker.random.tail()).into();
            items.push(extra);
        }
    }

    /// Another spelling of the same value.
    fn respell(&self, value: &mut Value, spot: Spot) {
        let kinds = self.maker.schema.shape(spot).kinds;
        match value {
            Value::Number(number) if kinds.has_numeric() => {
                *value = number.to_string().into();
            }
            Value::Bool(flag) if kinds.has(Kind::Boolean) => {
                *value = flag.to_string().into();
            }
            Value::String(text) if text.starts_with('{') => {
                if let Ok(document @ Value::Object(_)) = serde_json::from_str::<Value>(text) {
                    *text = format!("{document:#}");
                }
            }
            Value::String(text) if kinds.has_numeric() => {
                if let Some(number) = number::parse(text) {
                    *value = Value::Number(number);
                }
            }
            _ => {}
        }
    }

    /// Adds a tag of AWS's and the marker of ours, which no user states.
    fn tag(&mut self, live: &mut Value) {
        let schema = self.maker.schema;
        let Some(names) = schema.tag_property().and_then(PropertyPointer::member_names) else {
            return;
        };
        let spot = names.iter().fold(schema.root(), |spot, name| schema.member(spot, name));
        if schema.at(spot).is_hidden() || schema.is_read_only(spot) {
            return;
        }
        let Some((last, parents)) = names.split_last() else { return };
        let mut at = live;
        for name in parents {
            match at.get_mut(*name) {
                Some(next) => at = next,
                None => return,
            }
        }
        let Value::Object(holder) = at else { return };
        if !holder.contains_key(*last) {
            // One that is deprecated was perhaps stated and not returned.
            if schema.at(spot).has(Class::Deprecated) || !self.maker.random.once_in(4) {
                return;
            }
            let shape = schema.shape(spot);
            let is_array = shape.kinds.has(Kind::Array);
            holder.insert((*last).to_owned(), if is_array { json!([]) } else { json!({}) });
        }
        let element = schema.element(spot);
        let tags = [("aws:cloudformation:stack-name", "stack"), (MARKER_TAG, "operation")];
        for (key, text) in tags {
            if self.maker.random.once_in(2) {
                continue;
            }
            match holder.get_mut(*last) {
                Some(Value::Array(items)) if schema.shape(element).find_named("Key").is_some() => {
                    items.push(json!({"Key": key, "Value": text}));
                }
                Some(Value::Object(members)) if schema.shape(spot).is_map() => {
                    members.insert(key.to_owned(), text.into());
                }
                _ => {}
            }
        }
    }
}

/// Whether a value, or each of its elements, states something.
fn is_filled(value: &Value) -> bool {
    match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty() && items.iter().all(is_filled),
        _ => true,
    }
}

fn is_hollow(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.iter().all(is_hollow),
        _ => false,
    }
}
