//! Which schemas describe one place together, and whether they close it to other names.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::node::{Additional, NodeId};
use crate::type_schema::TypeSchema;

/// The schemas that hold wherever `roots` do: references and `allOf` followed.
pub(super) fn always(schema: &TypeSchema, roots: Vec<NodeId>) -> Vec<NodeId> {
    closure(roots, |id| {
        let node = schema.nodes.get(id);
        node.reference.iter().chain(&node.all_of).copied().collect()
    })
}

/// The schemas that may hold where `roots` do: alternatives followed too.
pub(super) fn perhaps(schema: &TypeSchema, roots: Vec<NodeId>) -> Vec<NodeId> {
    closure(roots, |id| schema.nodes.get(id).alternatives().collect())
}

/// Everything reachable from `roots`, each once.
fn closure(roots: Vec<NodeId>, next: impl Fn(NodeId) -> Vec<NodeId>) -> Vec<NodeId> {
    let mut reached: Vec<NodeId> = Vec::with_capacity(roots.len());
    let mut waiting = roots;
    while let Some(id) = waiting.pop() {
        if !reached.contains(&id) {
            reached.push(id);
            waiting.extend(next(id));
        }
    }
    reached
}

/// Which schemas allow no other members than those they name.
#[derive(Debug)]
pub(super) struct Closed<'a> {
    schema: &'a TypeSchema,
    known: RefCell<HashMap<NodeId, bool>>,
}

impl<'a> Closed<'a> {
    pub(super) fn new(schema: &'a TypeSchema) -> Self {
        Self { schema, known: RefCell::default() }
    }

    /// Whether the schema is closed: by itself, by what it refers to, or in each alternative.
    pub(super) fn is(&self, id: NodeId) -> bool {
        self.decide(id, 0)
    }

    fn decide(&self, id: NodeId, depth: usize) -> bool {
        if let Some(&known) = self.known.borrow().get(&id) {
            return known;
        }
        // Longer chains are nobody's schema; an open object refuses nothing.
        if depth > MAX_CHAIN {
            return false;
        }
        // What leads back to itself is not closed by that.
        self.known.borrow_mut().insert(id, false);
        let node = self.schema.nodes.get(id);
        let closed = |id: &NodeId| self.decide(*id, depth + 1);
        let all_closed = |ids: &[NodeId]| !ids.is_empty() && ids.iter().all(closed);
        // Validators ignore what stands beside a `$ref`.
        let own = node.additional == Additional::Forbidden && node.reference.is_none();
        let is_closed = own
            || node.reference.iter().any(closed)
            || node.all_of.iter().any(closed)
            || all_closed(&node.any_of)
            || all_closed(&node.one_of);
        self.known.borrow_mut().insert(id, is_closed);
        is_closed
    }
}

const MAX_CHAIN: usize = 64;
