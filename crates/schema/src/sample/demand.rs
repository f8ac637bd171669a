//! What a schema asks of one value, with references followed and one branch of each choice taken.
//!
//! `shape` merges every branch, which is right for reading a document; a document that is made has
//! to settle on one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Number, Value};

use super::random::Random;
use crate::kind::{Kind, Kinds};
use crate::node::{Additional, Bounds, Dependency, Node, NodeId, Nodes};
use crate::number;

/// What the nodes that describe a place ask together.
#[derive(Debug, Default)]
pub(super) struct Demand<'s> {
    /// The kinds that every node allows; unstated where none says.
    pub(super) kinds: Kinds,
    /// Whether the nodes agree on no kind at all.
    pub(super) is_contradictory: bool,
    pub(super) allowed: Vec<&'s Value>,
    pub(super) default: Option<&'s Value>,
    pub(super) members: BTreeMap<&'s str, Vec<NodeId>>,
    pub(super) required: BTreeSet<&'s str>,
    /// Members that would make a second branch of a `oneOf` fit.
    pub(super) unwelcome: BTreeSet<&'s str>,
    /// Members that tell the chosen branch of a `oneOf` from the others, where it requires none.
    pub(super) telling: Vec<&'s str>,
    pub(super) dependencies: Vec<(&'s str, &'s Dependency)>,
    /// The schemas of members by the expression that their names fit.
    pub(super) named_by: Vec<(&'s str, NodeId)>,
    pub(super) additional: Vec<NodeId>,
    pub(super) is_closed: bool,
    pub(super) items: Vec<NodeId>,
    pub(super) is_unique: bool,
    pub(super) patterns: Vec<&'s str>,
    pub(super) format: Option<&'s str>,
    pub(super) length: (u64, Option<u64>),
    pub(super) item_count: (u64, Option<u64>),
    pub(super) member_count: (u64, Option<u64>),
    pub(super) least: Option<Limit<'s>>,
    pub(super) most: Option<Limit<'s>>,
    pub(super) multiple_of: Option<&'s Number>,
}

/// One end of a range.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit<'s> {
    pub(super) number: &'s Number,
    pub(super) is_exclusive: bool,
}

/// A choice that comes out contradictory is made again this often.
const ATTEMPTS: usize = 6;

/// A place described by more nodes than this is described by the first of them.
const MAX_NODES: usize = 256;

impl<'s> Demand<'s> {
    /// Gathers what `roots` ask of one value. A branch that requires a member that cannot be
    /// given is avoided where another is left.
    pub(super) fn gather(
        nodes: &'s Nodes,
        roots: &[NodeId],
        random: &mut Random,
        can_be_given: &dyn Fn(&str) -> bool,
    ) -> Self {
        let mut demand = Self::default();
        for _ in 0..ATTEMPTS {
            demand = Self::default();
            demand.settle(nodes, roots, random, can_be_given);
            let is_refused = demand.required.iter().any(|name| demand.unwelcome.contains(name));
            if !demand.is_contradictory && !is_refused {
                break;
            }
        }
        demand
    }

    fn settle(
        &mut self,
        nodes: &'s Nodes,
        roots: &[NodeId],
        random: &mut Random,
        can_be_given: &dyn Fn(&str) -> bool,
    ) {
        let mut waiting: Vec<NodeId> = roots.to_vec();
        let mut next = 0;
        while next < waiting.len().min(MAX_NODES) {
            let node = nodes.get(waiting[next]);
            next += 1;
            self.add(node);
            let mut also: Vec<NodeId> =
                node.reference.into_iter().chain(node.all_of.clone()).collect();
            also.extend(choose(nodes, &node.any_of, random, can_be_given));
            if let Some(chosen) = choose(nodes, &node.one_of, random, can_be_given) {
                also.push(chosen);
                self.refuse_others(nodes, &node.one_of, chosen);
            }
            for id in also {
                if !waiting.contains(&id) {
                    waiting.push(id);
                }
            }
        }
    }

    fn add(&mut self, node: &'s Node) {
        if let Some(kinds) = intersection(self.kinds, node.kinds) {
            self.kinds = kinds;
        } else {
            self.is_contradictory = true;
            // What stands beside a `$ref` counts for nothing (JSON Schema draft 7).
            self.kinds = node.kinds;
        }
        if !node.allowed.is_empty() {
            self.restrict(&node.allowed);
        }
        if let Some(advice) = node.advice.as_deref() {
            if self.allowed.is_empty() {
                self.allowed = advice.allowed.iter().collect();
            }
            self.patterns.extend(advice.pattern.as_deref());
        }
        self.default = self.default.or(node.default.as_ref());
        for (name, member) in &node.members {
            self.members.entry(name).or_default().push(*member);
        }
        self.required.extend(node.required.iter().map(AsRef::as_ref));
        self.dependencies
            .extend(node.dependencies.iter().map(|(name, rule)| (name.as_ref(), rule)));
        self.named_by.extend(node.patterns.iter().map(|(text, id)| (text.as_ref(), *id)));
        match node.additional {
            Additional::Allowed => {}
            Additional::Forbidden => self.is_closed = true,
            Additional::Schema(id) => self.additional.push(id),
        }
        self.items.extend(node.items);
        self.is_unique |= node.unique_items;
        self.patterns.extend(node.pattern.as_deref());
        self.format = self.format.or(node.format.as_deref());
        narrow(&mut self.length, &node.length);
        narrow(&mut self.item_count, &node.item_count);
        narrow(&mut self.member_count, &node.member_count);
        self.limit(&node.range, false);
        self.limit(&node.exclusive_range, true);
        self.multiple_of = self.multiple_of.or(node.multiple_of.as_ref());
    }

    fn restrict(&mut self, allowed: &'s [Value]) {
        if self.allowed.is_empty() {
            self.allowed = allowed.iter().collect();
        } else {
            self.allowed.retain(|value| allowed.contains(value));
            self.is_contradictory |= self.allowed.is_empty();
        }
    }

    fn limit(&mut self, range: &'s Bounds<Number>, is_exclusive: bool) {
        if let Some(number) = &range.minimum
            && self.least.is_none_or(|least| number::compare(number, least.number).is_gt())
        {
            self.least = Some(Limit { number, is_exclusive });
        }
        if let Some(number) = &range.maximum
            && self.most.is_none_or(|most| number::compare(number, most.number).is_lt())
        {
            self.most = Some(Limit { number, is_exclusive });
        }
    }

    /// A member that another branch requires and the chosen one does not is left out, so that
    /// exactly one branch fits.
    fn refuse_others(&mut self, nodes: &'s Nodes, branches: &[NodeId], chosen: NodeId) {
        let branch = nodes.get(chosen);
        let wanted = &branch.required;
        if wanted.is_empty() {
            self.telling.extend(branch.members.iter().map(|(name, _)| name.as_ref()));
        }
        for other in branches.iter().filter(|other| **other != chosen) {
            let theirs = &nodes.get(*other).required;
            self.unwelcome.extend(
                theirs.iter().filter(|name| !wanted.contains(name)).map(AsRef::<str>::as_ref),
            );
        }
    }

    /// The members that must be there once these are: asked by dependencies, and theirs.
    pub(super) fn close(&self, nodes: &'s Nodes, names: &mut BTreeSet<&'s str>) {
        // Each round adds a name or ends, and there are as many names as dependencies.
        for _ in 0..=self.dependencies.len() {
            let before = names.len();
            for (name, rule) in &self.dependencies {
                if !names.contains(name) {
                    continue;
                }
                let also = match rule {
                    Dependency::Members(also) => also,
                    Dependency::Schema(id) => &nodes.get(*id).required,
                };
                names.extend(also.iter().map(AsRef::<str>::as_ref));
            }
            if names.len() == before {
                break;
            }
        }
    }
}

/// A branch by chance, one that can be satisfied if there is one.
fn choose(
    nodes: &Nodes,
    branches: &[NodeId],
    random: &mut Random,
    can_be_given: &dyn Fn(&str) -> bool,
) -> Option<NodeId> {
    let possible: Vec<NodeId> = branches
        .iter()
        .copied()
        .filter(|id| nodes.get(*id).required.iter().all(|name| can_be_given(name)))
        .collect();
    let choices = if possible.is_empty() { branches } else { &possible };
    random.pick(choices).copied()
}

/// None where both sets say something and nothing is in both.
fn intersection(a: Kinds, b: Kinds) -> Option<Kinds> {
    if a.is_unstated() || b.is_unstated() {
        return Some(a.union(b));
    }
    let holds =
        |kinds: Kinds, kind| kinds.has(kind) || (kind == Kind::Integer && kinds.has(Kind::Number));
    let both = a
        .union(b)
        .iter()
        .filter(|kind| holds(a, *kind) && holds(b, *kind))
        .fold(Kinds::UNSTATED, Kinds::with);
    (!both.is_unstated()).then_some(both)
}

fn narrow(bounds: &mut (u64, Option<u64>), asked: &Bounds<u64>) {
    bounds.0 = bounds.0.max(asked.minimum.unwrap_or(0));
    bounds.1 = match (bounds.1, asked.maximum) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
}
