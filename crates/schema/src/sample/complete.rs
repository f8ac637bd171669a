//! What the service adds to a document that it was given: read-only values, the identifier that
//! nobody chose, the defaults that the schema states.
//!
//! Unlike `live`, which plays every trick that a service may play, this does what is always done.
//! The caller may propose values; one that the schema does not allow is made anew.

use serde_json::{Map, Value, json};

use super::Sampler;
use super::Size;
use super::demand::Demand;
use super::maker::{Author, Maker, Need, Target};
use super::survey;
use crate::class::Class;
use crate::kind::Kind;
use crate::node::NodeId;
use crate::pointer::{PropertyPointer, Step, escape};
use crate::same::same;
use crate::spot::Spot;

/// How many values the service adds at most.
const BUDGET: usize = 400;

/// The service adds nothing below this depth.
const MAX_DEPTH: usize = 8;

/// Why a value is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// It is read-only: the service says it, if it knows anything of it.
    ReadOnly,
    /// It is read-only inside an object of the caller's: often there only with some feature.
    Nested,
    /// It is part of the identifier, and nobody chose it.
    Identifier,
    /// It can be stated and was not: the service may say it.
    Unstated,
}

/// A place that holds nothing yet.
#[derive(Debug)]
pub struct Unset<'a> {
    /// Where, by names from the root; `*` for any element: `/Endpoint/Address`.
    pub pointer: &'a str,
    /// The name of the member.
    pub name: &'a str,
    /// Why it is asked for.
    pub want: Want,
    /// The values that the schema lists for it; empty where it lists none.
    pub allowed: &'a [&'a Value],
    /// The JSON types that it may have.
    pub kinds: crate::kind::Kinds,
}

/// Who knows what a service says of its resources.
pub trait Knowledge {
    /// A value for a place. Where there is none, an identifier is made from the schema, and
    /// anything else is left out.
    fn propose(&mut self, unset: &Unset<'_>) -> Option<Value>;

    /// Whether the service fills in the defaults that the schema states.
    fn fills_defaults(&self) -> bool;

    /// Better values than `made`, which the schema allows and nobody knows anything of; the first
    /// that the schema allows too is taken.
    fn mend(&mut self, made: &str) -> Vec<String>;
}

/// See [`Sampler::completed`].
pub(super) fn completed(
    sampler: &mut Sampler<'_>,
    stated: &Value,
    seed: u64,
    knowledge: &mut dyn Knowledge,
) -> Value {
    let schema = sampler.schema;
    let mut document = stated.clone();
    let mut maker = sampler.maker(seed, "completed", Size::Small, Author::Service);
    maker.budget = BUDGET;
    let mut service = Service { maker, knowledge };
    service.complete(&mut document, &[schema.root_node], schema.root(), "", 0);
    document
}

struct Service<'m, 's, 'k> {
    maker: Maker<'m, 's>,
    knowledge: &'k mut dyn Knowledge,
}

impl Service<'_, '_, '_> {
    fn complete(
        &mut self,
        value: &mut Value,
        roots: &[NodeId],
        spot: Spot,
        path: &str,
        depth: usize,
    ) {
        if depth > MAX_DEPTH || self.maker.schema.at(spot).is_hidden() {
            return;
        }
        match value {
            Value::Object(members) => self.complete_members(members, roots, spot, path, depth),
            Value::Array(items) => {
                let nodes = survey::items(&self.maker.schema.nodes, roots);
                let element = self.maker.schema.element(spot);
                let path = format!("{path}/*");
                for item in items {
                    self.complete(item, &nodes, element, &path, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn complete_members(
        &mut self,
        members: &mut Map<String, Value>,
        roots: &[NodeId],
        spot: Spot,
        path: &str,
        depth: usize,
    ) {
        let schema = self.maker.schema;
        let declared = survey::members(&schema.nodes, roots);
        let others = survey::others(&schema.nodes, roots);
        for (name, member) in members.iter_mut() {
            let nodes = declared.get(name.as_str()).unwrap_or(&others);
            let next = schema.member(spot, name);
            self.complete(member, nodes, next, &format!("{path}/{}", escape(name)), depth + 1);
        }
        for (name, nodes) in &declared {
            let next = schema.member(spot, name);
            if members.contains_key(*name) || schema.at(next).is_hidden() || self.maker.budget == 0
            {
                continue;
            }
            let path = format!("{path}/{}", escape(name));
            let target = Target { spot: next, name, depth: depth + 1, need: Need::Optional };
            let is_within_callers = depth > 0 && !schema.is_read_only(spot);
            if let Some(mut value) = self.addition(nodes, target, &path, is_within_callers) {
                self.complete(&mut value, nodes, next, &path, depth + 1);
                // An object that was made only to be filled, and of which nothing is known.
                let is_empty = matches!(&value, Value::Object(left) if left.is_empty());
                let is_services =
                    schema.is_read_only(next) || schema.below(next).has(Class::ReadOnly);
                if !(is_empty && is_services) {
                    members.insert((*name).to_owned(), value);
                }
            }
        }
    }

    /// What the service puts at a place of which nobody stated anything.
    fn addition(
        &mut self,
        nodes: &[NodeId],
        target: Target<'_>,
        path: &str,
        is_within_callers: bool,
    ) -> Option<Value> {
        let schema = self.maker.schema;
        let spot = target.spot;
        let is_identifier = schema.primary_identifier().iter().any(|part| is_at(part, path));
        let want = match () {
            () if is_identifier => Want::Identifier,
            () if schema.is_read_only(spot) && is_within_callers => Want::Nested,
            () if schema.is_read_only(spot) => Want::ReadOnly,
            () => Want::Unstated,
        };
        let demand = Demand::gather(&schema.nodes, nodes, &mut self.maker.random, &|_: &str| true);
        let unset = Unset {
            pointer: path,
            name: target.name,
            want,
            allowed: &demand.allowed,
            kinds: schema.shape(spot).kinds,
        };
        let proposed = self.knowledge.propose(&unset);
        let is_known = proposed.is_some();
        if let Some(proposed) = proposed
            && self.fits(&proposed, &demand)
        {
            self.maker.budget = self.maker.budget.saturating_sub(1);
            return Some(proposed);
        }
        match want {
            Want::ReadOnly if schema.shape(spot).kinds.has(Kind::Object) => Some(json!({})),
            // What is known of and does not fit is made from the schema, and mended.
            Want::Identifier => self.made(nodes, target, &demand),
            Want::ReadOnly if is_known => self.made(nodes, target, &demand),
            Want::ReadOnly | Want::Nested => None,
            Want::Unstated if self.is_all_read_only(nodes, spot) => Some(json!({})),
            Want::Unstated if schema.primary_identifier().iter().any(|it| is_below(it, path)) => {
                Some(json!({}))
            }
            Want::Unstated
                if schema.at(spot).has(Class::Deprecated) || !self.knowledge.fills_defaults() =>
            {
                None
            }
            Want::Unstated => {
                let default = demand.default.filter(|value| self.is_a_default(value, nodes));
                default.filter(|value| self.fits(value, &demand)).cloned()
            }
        }
    }

    /// A value made from the schema alone, and what is known of such values put into it.
    fn made(&mut self, nodes: &[NodeId], target: Target<'_>, demand: &Demand<'_>) -> Option<Value> {
        let made = self.maker.value(&nodes[..1], target)?;
        let better = made.as_str().map(|text| self.knowledge.mend(text)).unwrap_or_default();
        let better = better.into_iter().map(Value::from).find(|value| self.fits(value, demand));
        Some(better.unwrap_or(made))
    }

    /// Whether a default is a value and not a remark: some schemas write how it is found
    /// (`arn:<partition>:…`), or a piece of a schema.
    fn is_a_default(&self, value: &Value, nodes: &[NodeId]) -> bool {
        match value {
            Value::Null => false,
            Value::String(text) => !text.contains('<'),
            Value::Object(members) => {
                let declared = survey::members(&self.maker.schema.nodes, nodes);
                members.keys().all(|name| declared.contains_key(name.as_str()))
            }
            _ => true,
        }
    }

    /// Whether an object here holds nothing but what the service says, so that it is there
    /// though nobody stated it.
    fn is_all_read_only(&self, nodes: &[NodeId], spot: Spot) -> bool {
        let schema = self.maker.schema;
        if !schema.below(spot).has(Class::ReadOnly) || !schema.shape(spot).kinds.has(Kind::Object) {
            return false;
        }
        let declared = survey::members(&schema.nodes, nodes);
        !declared.is_empty()
            && declared.keys().all(|name| schema.is_read_only(schema.member(spot, name)))
    }

    fn fits(&mut self, value: &Value, demand: &Demand<'_>) -> bool {
        let kind = Kind::of(value);
        let allows = |kind| demand.kinds.is_unstated() || demand.kinds.has(kind);
        let is_whole = value.is_i64() || value.is_u64();
        let is_kind = allows(kind) || (is_whole && allows(Kind::Integer));
        let is_listed =
            demand.allowed.is_empty() || demand.allowed.iter().any(|other| same(other, value));
        is_kind
            && is_listed
            && value.as_str().is_none_or(|text| self.maker.texts.allow(text, demand))
    }
}

/// Whether the pointer leads through this path and on.
fn is_below(pointer: &PropertyPointer, path: &str) -> bool {
    pointer.to_string().strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether the pointer, which crosses nothing but members, is this path.
fn is_at(pointer: &PropertyPointer, path: &str) -> bool {
    let mut rest = path;
    for step in pointer.steps() {
        let Step::Member(name) = step else { return false };
        let name = escape(name);
        let next = rest.strip_prefix('/').and_then(|rest| rest.strip_prefix(name.as_ref()));
        match next {
            Some(next) if next.is_empty() || next.starts_with('/') => rest = next,
            _ => return false,
        }
    }
    rest.is_empty()
}
