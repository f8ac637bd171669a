//! Which nodes describe a place in a document that is already there: all branches, none chosen.

use std::collections::BTreeMap;

use crate::node::{Additional, NodeId, Nodes};

/// A place described by more nodes than this is described by the first of them.
const MAX_NODES: usize = 256;

/// The nodes and every branch and reference of theirs, each once.
pub(super) fn expand(nodes: &Nodes, roots: &[NodeId]) -> Vec<NodeId> {
    let mut all: Vec<NodeId> = roots.to_vec();
    let mut next = 0;
    while next < all.len().min(MAX_NODES) {
        for other in nodes.get(all[next]).alternatives() {
            if !all.contains(&other) {
                all.push(other);
            }
        }
        next += 1;
    }
    all
}

/// The members that an object at this place may have by name, each with its nodes.
pub(super) fn members<'s>(nodes: &'s Nodes, roots: &[NodeId]) -> BTreeMap<&'s str, Vec<NodeId>> {
    let mut members: BTreeMap<&'s str, Vec<NodeId>> = BTreeMap::new();
    for id in expand(nodes, roots) {
        for (name, member) in &nodes.get(id).members {
            members.entry(name).or_default().push(*member);
        }
    }
    members
}

/// The nodes of members that have no name of their own.
pub(super) fn others(nodes: &Nodes, roots: &[NodeId]) -> Vec<NodeId> {
    let mut others = Vec::new();
    for id in expand(nodes, roots) {
        let node = nodes.get(id);
        others.extend(node.patterns.iter().map(|(_, id)| *id));
        if let Additional::Schema(id) = node.additional {
            others.push(id);
        }
    }
    others
}

/// The expression that names of such members fit, where there is one.
pub(super) fn naming<'s>(nodes: &'s Nodes, roots: &[NodeId]) -> Option<&'s str> {
    let all = expand(nodes, roots);
    all.into_iter().find_map(|id| nodes.get(id).patterns.first()).map(|(text, _)| text.as_ref())
}

/// The nodes of an element.
pub(super) fn items(nodes: &Nodes, roots: &[NodeId]) -> Vec<NodeId> {
    expand(nodes, roots).into_iter().filter_map(|id| nodes.get(id).items).collect()
}

/// How many elements every description of the place allows.
pub(super) fn item_count(nodes: &Nodes, roots: &[NodeId]) -> (usize, usize) {
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let (mut least, mut most) = (0, usize::MAX);
    for id in expand(nodes, roots) {
        let bounds = &nodes.get(id).item_count;
        least = least.max(bounds.minimum.map_or(0, count));
        most = most.min(bounds.maximum.map_or(usize::MAX, count));
    }
    (least, most)
}
