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
    /// It is read-only: the service must say it.
    ReadOnly,
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

/// Proposes a value for a place, or leaves it to the schema.
pub type Propose<'a> = dyn FnMut(&Unset<'_>) -> Option<Value> + 'a;

/// See [`Sampler::completed`].
pub(super) fn completed<'p>(
    sampler: &mut Sampler<'_>,
    stated: &Value,
    seed: u64,
    propose: &'p mut Propose<'p>,
) -> Value {
    let schema = sampler.schema;
    let mut document = stated.clone();
    let mut maker = sampler.maker(seed, "completed", Size::Small, Author::Service);
    maker.budget = BUDGET;
    let mut service = Service { maker, propose };
    service.complete(&mut document, &[schema.root_node], schema.root(), "", 0);
    document
}

struct Service<'m, 's, 'p> {
    maker: Maker<'m, 's>,
    propose: &'p mut Propose<'p>,
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
            if let Some(mut value) = self.addition(nodes, target, &path) {
                self.complete(&mut value, nodes, next, &path, depth + 1);
                members.insert((*name).to_owned(), value);
            }
        }
    }

    /// What the service puts at a place of which nobody stated anything.
    fn addition(&mut self, nodes: &[NodeId], target: Target<'_>, path: &str) -> Option<Value> {
        let schema = self.maker.schema;
        let spot = target.spot;
        let is_identifier = schema.primary_identifier().iter().any(|part| is_at(part, path));
        let want = match () {
            () if is_identifier => Want::Identifier,
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
        if let Some(proposed) = (self.propose)(&unset)
            && self.fits(&proposed, &demand)
        {
            return Some(proposed);
        }
        match want {
            // A list that nobody knows anything of is empty rather than made up.
            Want::ReadOnly if is_list(&demand) => Some(json!([])),
            Want::ReadOnly | Want::Identifier => self.maker.value(&nodes[..1], target),
            Want::Unstated if self.is_all_read_only(nodes, spot) => Some(json!({})),
            Want::Unstated if schema.primary_identifier().iter().any(|it| is_below(it, path)) => {
                Some(json!({}))
            }
            Want::Unstated if schema.at(spot).has(Class::Deprecated) => None,
            Want::Unstated => demand.default.filter(|value| !value.is_null()).cloned(),
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
        let is_kind = allows(kind) || (kind == Kind::Integer && allows(Kind::Number));
        let is_listed =
            demand.allowed.is_empty() || demand.allowed.iter().any(|other| same(other, value));
        is_kind
            && is_listed
            && value.as_str().is_none_or(|text| self.maker.texts.allow(text, demand))
    }
}

fn is_list(demand: &Demand<'_>) -> bool {
    let mut kinds = demand.kinds.iter().filter(|kind| *kind != Kind::Null);
    kinds.next() == Some(Kind::Array) && kinds.next().is_none() && demand.item_count.0 == 0
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
