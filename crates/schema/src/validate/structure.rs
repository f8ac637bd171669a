//! The names that a document states: unknown members, members that AWS sets, deprecated ones.
//!
//! A place may be described by several schemas at once. A name is unknown only where none of them
//! allows it, so this walk goes along all of them together and needs no choice of branch.

use hangar_diag::{Severity, nearest};
use serde_json::{Map, Value};

use super::access;
use super::patterns::{Answer, Patterns};
use super::place::Path;
use super::reach::{self, Closed};
use super::{MAX_DEPTH, Purpose};
use crate::class::Class;
use crate::finding::{Basis, Finding, Problem, Suggestion};
use crate::node::{Additional, Node, NodeId};
use crate::spot::Spot;
use crate::type_schema::{Source, TypeSchema};

/// Checks the names in a document.
pub(super) fn check<'a>(
    schema: &'a TypeSchema,
    purpose: Purpose,
    patterns: &Patterns<'a>,
    document: &'a Value,
) -> Vec<Finding<'a>> {
    let mut walker = Walker::new(schema, purpose, patterns);
    walker.value(document, &Described::root(schema), schema.root(), &Path::ROOT, 0);
    walker.found
}

pub(super) struct Walker<'a, 'w> {
    schema: &'a TypeSchema,
    purpose: Purpose,
    patterns: &'w Patterns<'a>,
    closed: Closed<'a>,
    found: Vec<Finding<'a>>,
}

impl<'a, 'w> Walker<'a, 'w> {
    pub(super) fn new(
        schema: &'a TypeSchema,
        purpose: Purpose,
        patterns: &'w Patterns<'a>,
    ) -> Self {
        Self { schema, purpose, patterns, closed: Closed::new(schema), found: Vec::new() }
    }

    fn value(
        &mut self,
        value: &'a Value,
        described: &Described,
        spot: Spot,
        path: &Path<'_>,
        depth: usize,
    ) {
        let below = self.schema.below(spot);
        let has_classes = below.has(Class::ReadOnly) || below.has(Class::Deprecated);
        if depth > MAX_DEPTH || (described.every.is_empty() && !has_classes) {
            return;
        }
        match value {
            Value::Object(members) => self.members(members, described, spot, path, depth),
            Value::Array(elements) => {
                let inner = described.elements(self.schema);
                let spot = self.schema.element(spot);
                for (index, element) in elements.iter().enumerate() {
                    self.value(element, &inner, spot, &path.element(index), depth + 1);
                }
            }
            _ => {}
        }
    }

    fn members(
        &mut self,
        members: &'a Map<String, Value>,
        described: &Described,
        spot: Spot,
        path: &Path<'_>,
        depth: usize,
    ) {
        for (index, (name, value)) in members.iter().enumerate() {
            // What live shows as null says nothing.
            if value.is_null() && self.purpose == Purpose::Merged {
                continue;
            }
            let path = path.member(index, name);
            let member = self.schema.member(spot, name);
            if access::is_set_by_aws(self.schema, spot, member) {
                // Null leaves it out, which is what is asked for.
                if self.purpose == Purpose::Desired && !value.is_null() {
                    self.push(&path, Severity::Error, Problem::ReadOnly);
                }
                continue;
            }
            if let Some(unknown) = self.unknown(described, name) {
                let suggestion = self.suggestion(described, spot, name, members, depth);
                let is_near = matches!(suggestion, Suggestion::Near(_) | Suggestion::NearTaken(_));
                let problem = Problem::Unknown { name, suggestion };
                match unknown {
                    // What live shows of a create-only object nobody stated.
                    Unknown::Closed if !access::is_from_live(self.schema, self.purpose, spot) => {
                        self.push(&path, Severity::Error, problem);
                    }
                    Unknown::Closed | Unknown::Doubtful => {
                        self.push(&path, Severity::Warning, problem);
                    }
                    // An open object takes any name; only a slip of the pen is worth a word.
                    Unknown::Open if is_near => self.push(&path, Severity::Warning, problem),
                    Unknown::Open => {}
                }
                continue;
            }
            // A null member is one that is left out or removed: its name counts, its value does not.
            if value.is_null() {
                continue;
            }
            let is_deprecated = |spot| self.schema.at(spot).has(Class::Deprecated);
            if is_deprecated(member) && !is_deprecated(spot) {
                self.push(&path, Severity::Warning, Problem::Deprecated);
            }
            let inner = described.member(self.schema, self.patterns, name);
            self.value(value, &inner, member, &path, depth + 1);
        }
    }

    fn push(&mut self, path: &Path<'_>, severity: Severity, problem: Problem<'a>) {
        self.found.push(Finding { place: path.place(), severity, problem, basis: Basis::Schema });
    }

    /// Whether no description of this place has the member.
    pub(super) fn unknown(&self, described: &Described, name: &str) -> Option<Unknown> {
        let mut names_members = false;
        let mut is_doubtful = false;
        for node in described.nodes(self.schema) {
            if node.member(name).is_some() || matches!(node.additional, Additional::Schema(_)) {
                return None;
            }
            names_members |= !node.members.is_empty();
            for (pattern, _) in &node.patterns {
                match self.patterns.answer(pattern, name) {
                    Answer::Match => return None,
                    Answer::Mismatch => is_doubtful |= self.schema.source() == Source::CfnLint,
                    Answer::PerhapsMismatch | Answer::Unknown => is_doubtful = true,
                }
            }
        }
        if described.is_closed(&self.closed) {
            return Some(if is_doubtful { Unknown::Doubtful } else { Unknown::Closed });
        }
        names_members.then_some(Unknown::Open)
    }

    fn suggestion(
        &self,
        described: &Described,
        spot: Spot,
        name: &str,
        stated: &Map<String, Value>,
        depth: usize,
    ) -> Suggestion<'a> {
        let mut valid = described.names(self.schema);
        valid.retain(|name| !self.schema.is_read_only(self.schema.member(spot, name)));
        let (taken, valid): (Vec<&'a str>, Vec<&'a str>) =
            valid.into_iter().partition(|valid| stated.contains_key(*valid));
        if let Some(near) = nearest(name, valid.iter().copied()) {
            return Suggestion::Near(near);
        }
        if let Some(near) = nearest(name, taken) {
            return Suggestion::NearTaken(near);
        }
        if let Some(pointer) = self.elsewhere(name, depth) {
            return Suggestion::Elsewhere(pointer);
        }
        let mut patterns: Vec<&'a str> = described
            .nodes(self.schema)
            .flat_map(|node| node.patterns.iter().map(|(pattern, _)| pattern.as_ref()))
            .collect();
        patterns.sort_unstable();
        patterns.dedup();
        if patterns.is_empty() { Suggestion::Valid(valid) } else { Suggestion::Matching(patterns) }
    }

    /// The same name at the top level, or one level below it when that is where it was stated.
    fn elsewhere(&self, name: &str, depth: usize) -> Option<String> {
        let root = self.schema.root();
        let top = self.schema.shape(root);
        let is_settable = |spot| !self.schema.is_read_only(spot);
        if depth > 0 {
            let is_there =
                top.find_named(name).is_some() && is_settable(self.schema.member(root, name));
            return is_there.then(|| format!("/{}", crate::pointer::escape(name)));
        }
        top.members().find_map(|(holder, _)| {
            let spot = self.schema.member(root, holder);
            let is_there = self.schema.shape(spot).find_named(name).is_some()
                && is_settable(self.schema.member(spot, name));
            let (holder, name) = (crate::pointer::escape(holder), crate::pointer::escape(name));
            is_there.then(|| format!("/{holder}/{name}"))
        })
    }
}

/// How a name is unknown.
pub(super) enum Unknown {
    /// The object is closed to other names.
    Closed,
    /// The object is closed to names that do not match a pattern, and this one may match.
    Doubtful,
    /// The object names its members and is not closed.
    Open,
}

/// The schemas that describe one place.
pub(super) struct Described {
    /// Those that hold whatever the value is, references and `allOf` included.
    sure: Vec<NodeId>,
    /// Where the rest begins.
    perhaps: Vec<NodeId>,
    /// All of them.
    every: Vec<NodeId>,
}

impl Described {
    pub(super) fn root(schema: &TypeSchema) -> Self {
        Self::expand(schema, vec![schema.root_node], Vec::new())
    }

    fn expand(schema: &TypeSchema, sure: Vec<NodeId>, perhaps: Vec<NodeId>) -> Self {
        let sure = reach::always(schema, sure);
        let roots = sure.iter().chain(&perhaps).copied().collect();
        let every = reach::perhaps(schema, roots);
        Self { sure, perhaps, every }
    }

    fn nodes<'a>(&self, schema: &'a TypeSchema) -> impl Iterator<Item = &'a Node> {
        self.every.iter().map(|id| schema.nodes.get(*id))
    }

    /// The names that they have for members, sorted, each once.
    pub(super) fn names<'a>(&self, schema: &'a TypeSchema) -> Vec<&'a str> {
        let mut names: Vec<&'a str> = self
            .nodes(schema)
            .flat_map(|node| node.members.iter().map(|(name, _)| name.as_ref()))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn is_closed(&self, closed: &Closed<'_>) -> bool {
        if self.sure.is_empty() {
            return !self.perhaps.is_empty() && self.perhaps.iter().all(|id| closed.is(*id));
        }
        self.sure.iter().any(|id| closed.is(*id))
    }

    pub(super) fn member<'a>(
        &self,
        schema: &'a TypeSchema,
        patterns: &Patterns<'a>,
        name: &str,
    ) -> Self {
        self.inner(schema, |node| {
            let mut inner: Vec<NodeId> = node.member(name).into_iter().collect();
            for (pattern, id) in &node.patterns {
                if patterns.answer(pattern, name) == Answer::Match {
                    inner.push(*id);
                }
            }
            match node.additional {
                Additional::Schema(id) if inner.is_empty() => inner.push(id),
                _ => {}
            }
            inner
        })
    }

    fn elements(&self, schema: &TypeSchema) -> Self {
        self.inner(schema, |node| node.items.into_iter().collect())
    }

    fn inner<'a>(&self, schema: &'a TypeSchema, next: impl Fn(&'a Node) -> Vec<NodeId>) -> Self {
        let (mut sure, mut perhaps) = (Vec::new(), Vec::new());
        for id in &self.every {
            let side = if self.sure.contains(id) { &mut sure } else { &mut perhaps };
            side.extend(next(schema.nodes.get(*id)));
        }
        Self::expand(schema, sure, perhaps)
    }
}
