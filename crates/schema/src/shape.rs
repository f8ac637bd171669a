//! What a schema says of one place, with references and alternatives merged.
//!
//! `node` keeps the schema as written; a place is often described by several nodes (`$ref` with
//! siblings, `oneOf`, `anyOf`, `allOf`). A shape is the union of all that describe one place, so a
//! walker needs no choice of branch. Where branches disagree the careful answer wins: an array is
//! unordered only if every branch that speaks of arrays says so.

use std::collections::HashMap;

use crate::kind::{Kind, Kinds};
use crate::node::{Additional, ArrayType, NodeId, Nodes};

/// The index of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ShapeId(u32);

impl ShapeId {
    /// The shape of a place that the schema does not describe.
    pub(crate) const UNKNOWN: Self = Self(0);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Whether the order of an array's elements means anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Order {
    /// Elements are compared by place (`insertionOrder: true`).
    Ordered,
    /// The schema does not say. A change of the order in desired is sent; another order that only
    /// live has is the service's own.
    #[default]
    Unstated,
    /// Elements are compared as a multiset (`insertionOrder: false`).
    Unordered,
}

/// What the schema says of one place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shape {
    pub(crate) kinds: Kinds,
    members: Vec<(Box<str>, ShapeId)>,
    /// The shape of members that are not named: pattern and additional properties.
    other: Option<ShapeId>,
    items: Option<ShapeId>,
    pub(crate) order: Order,
    pub(crate) array_type: ArrayType,
    required: Vec<Box<str>>,
    /// The schemas of the place as its holders name them, references and alternatives not followed.
    pub(crate) roots: Vec<NodeId>,
}

impl Shape {
    /// The shape of a member, named or not.
    pub(crate) fn member(&self, name: &str) -> ShapeId {
        self.find_named(name).or(self.other).unwrap_or(ShapeId::UNKNOWN)
    }

    /// The shape of a member that the schema names.
    pub(crate) fn find_named(&self, name: &str) -> Option<ShapeId> {
        let at = self.members.binary_search_by(|(key, _)| key.as_ref().cmp(name)).ok()?;
        Some(self.members[at].1)
    }

    /// The shape of members that the schema does not name, where it describes them.
    pub(crate) fn find_other(&self) -> Option<ShapeId> {
        self.other
    }

    /// The shape of an element.
    pub(crate) fn element(&self) -> ShapeId {
        self.items.unwrap_or(ShapeId::UNKNOWN)
    }

    /// Whether the schema describes elements here.
    pub(crate) fn has_elements(&self) -> bool {
        self.items.is_some()
    }

    /// The members that the schema names, sorted.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, ShapeId)> {
        self.members.iter().map(|(name, shape)| (name.as_ref(), *shape))
    }

    /// Whether some branch requires this member.
    pub(crate) fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|required| required.as_ref() == name)
    }

    /// Whether an object here is a map: the schema names none of its members.
    pub(crate) fn is_map(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether the schema says nothing at all of this place.
    pub(crate) fn is_unknown(&self) -> bool {
        self.kinds.is_unstated()
            && self.members.is_empty()
            && self.other.is_none()
            && self.items.is_none()
    }
}

/// All shapes of a type.
#[derive(Debug, Clone)]
pub(crate) struct Shapes(Vec<Shape>);

impl Shapes {
    pub(crate) fn get(&self, id: ShapeId) -> &Shape {
        &self.0[id.index()]
    }
}

/// Merges the nodes reachable from `root` into shapes.
pub(crate) fn merge(nodes: &Nodes, root: NodeId) -> (Shapes, ShapeId) {
    let mut merger = Merger {
        nodes,
        // The first shape is the unknown one.
        shapes: vec![Shape::default()],
        by_set: HashMap::new(),
        waiting: Vec::new(),
    };
    let root = merger.shape(&[root]);
    // A work list and not recursion: definitions nest as deep as their authors like.
    while let Some((id, set)) = merger.waiting.pop() {
        let shape = merger.describe(&set);
        let roots = std::mem::take(&mut merger.shapes[id.index()].roots);
        merger.shapes[id.index()] = Shape { roots, ..shape };
    }
    (Shapes(merger.shapes), root)
}

/// A hostile schema can name exponentially many sets of branches; the largest public type needs
/// fewer than 4,000 shapes. Past the limit a place is simply not described.
const MAX_SHAPES: usize = 100_000;

struct Merger<'a> {
    nodes: &'a Nodes,
    shapes: Vec<Shape>,
    by_set: HashMap<Vec<NodeId>, ShapeId>,
    waiting: Vec<(ShapeId, Vec<NodeId>)>,
}

impl Merger<'_> {
    fn shape(&mut self, roots: &[NodeId]) -> ShapeId {
        let set = self.expand(roots);
        if let Some(&id) = self.by_set.get(&set) {
            return id;
        }
        if self.shapes.len() >= MAX_SHAPES {
            return ShapeId::UNKNOWN;
        }
        let id = ShapeId(u32::try_from(self.shapes.len()).unwrap_or(u32::MAX));
        self.shapes.push(Shape { roots: roots.to_vec(), ..Shape::default() });
        self.by_set.insert(set.clone(), id);
        self.waiting.push((id, set));
        id
    }

    /// Every node that describes the same place as `roots`, sorted, each once.
    fn expand(&self, roots: &[NodeId]) -> Vec<NodeId> {
        let mut set: Vec<NodeId> = roots.to_vec();
        let mut next = 0;
        while next < set.len() {
            for alternative in self.nodes.get(set[next]).alternatives() {
                if !set.contains(&alternative) {
                    set.push(alternative);
                }
            }
            next += 1;
        }
        set.sort_unstable();
        set.dedup();
        set
    }

    fn describe(&mut self, set: &[NodeId]) -> Shape {
        let nodes = self.nodes;
        let mut shape = Shape::default();
        let mut members: Vec<(&str, Vec<NodeId>)> = Vec::new();
        let mut other = Vec::new();
        let mut items = Vec::new();
        let mut orders = Vec::new();
        for node in set.iter().map(|id| nodes.get(*id)) {
            shape.kinds = shape.kinds.union(node.kinds);
            for (name, member) in &node.members {
                match members.binary_search_by(|(key, _)| (*key).cmp(name)) {
                    Ok(at) => members[at].1.push(*member),
                    Err(at) => members.insert(at, (name, vec![*member])),
                }
            }
            other.extend(node.patterns.iter().map(|(_, id)| *id));
            if let Additional::Schema(id) = node.additional {
                other.push(id);
            }
            items.extend(node.items);
            shape.required.extend(node.required.iter().cloned());
            if node.describes_arrays() {
                orders.push(node.insertion_order);
                if node.array_type == ArrayType::AttributeList {
                    shape.array_type = ArrayType::AttributeList;
                }
            }
        }
        if orders.contains(&Some(true)) {
            shape.order = Order::Ordered;
        } else if !orders.is_empty() && orders.iter().all(|order| *order == Some(false)) {
            shape.order = Order::Unordered;
        }
        if shape.kinds.is_unstated() && !members.is_empty() {
            shape.kinds = shape.kinds.with(Kind::Object);
        }
        shape.members =
            members.into_iter().map(|(name, ids)| (name.into(), self.shape(&ids))).collect();
        shape.other = (!other.is_empty()).then(|| self.shape(&other));
        shape.items = (!items.is_empty()).then(|| self.shape(&items));
        shape
    }
}
