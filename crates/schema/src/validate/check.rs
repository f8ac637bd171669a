//! The walk along the schema as written: types, required members, limits, alternatives.
//!
//! A problem is an error only where the schema proves that AWS refuses the value; whatever casts
//! doubt on that (a constraint beside a `$ref`, cfn-lint's own limits) makes it a warning.

mod group;
mod value;

use std::cell::Cell;
use std::collections::HashMap;

use hangar_diag::Severity;
use serde_json::{Map, Value};

use super::access::{self, Demand};
use super::patterns::{Answer, Patterns};
use super::place::Path;
use super::{Holes, MAX_DEPTH, Purpose, reach};
use crate::finding::{Basis, Counted, Finding, Limit, Problem};
use crate::node::{Additional, Bounds, Dependency, Node, NodeId};
use crate::spot::Spot;
use crate::type_schema::{Source, TypeSchema};

/// Checks the values in a document.
pub(super) fn check<'a>(
    schema: &'a TypeSchema,
    purpose: Purpose,
    patterns: &Patterns<'a>,
    holes: Holes<'_>,
    document: &'a Value,
) -> Vec<Finding<'a>> {
    let (steps, extent) = (Cell::new(0), Cell::default());
    let checker = Checker { schema, purpose, patterns, holes, steps, extent };
    let here = Here {
        path: &Path::ROOT,
        spot: schema.root(),
        depth: 0,
        trust: Trust::Certain,
        chain: None,
        position: Position::Always,
    };
    let mut found = Vec::new();
    checker.node(schema.root_node, document, here, &mut found);
    if checker.extent.get() == Extent::InPart {
        let place = Path::ROOT.place();
        let (severity, problem) = (Severity::Warning, Problem::InPart);
        found.push(Finding { place, severity, problem, basis: Basis::Schema });
    }
    found
}

/// Alternatives that each describe the same members make the work grow with their product; past
/// this many steps the rest is not checked. The largest public types need a few thousand.
const MAX_STEPS: usize = 1_000_000;

struct Checker<'a, 'w> {
    schema: &'a TypeSchema,
    purpose: Purpose,
    patterns: &'w Patterns<'a>,
    holes: Holes<'w>,
    steps: Cell<usize>,
    extent: Cell<Extent>,
}

/// How much of the document was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Extent {
    #[default]
    Whole,
    InPart,
}

/// Where the walk stands, in the document and in the schema.
#[derive(Clone, Copy)]
struct Here<'p> {
    path: &'p Path<'p>,
    spot: Spot,
    depth: usize,
    trust: Trust,
    /// The schemas that led to this one at the same value, the nearest first.
    chain: Option<&'p Link<'p>>,
    position: Position,
}

impl Here<'_> {
    fn doubtful(self) -> Self {
        Self { trust: Trust::Doubtful, ..self }
    }
}

/// How far a refusal by the schema at hand proves that AWS refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    Certain,
    Doubtful,
}

/// Whether the schema at hand holds whatever the value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    Always,
    Alternative,
}

#[derive(Clone, Copy)]
struct Link<'p> {
    node: NodeId,
    above: Option<&'p Link<'p>>,
}

impl<'p> Link<'p> {
    fn nodes(link: Option<&'p Self>) -> impl Iterator<Item = NodeId> + 'p {
        std::iter::successors(link, |link| link.above).map(|link| link.node)
    }
}

impl<'a> Checker<'a, '_> {
    fn node(&self, id: NodeId, value: &'a Value, here: Here<'_>, found: &mut Vec<Finding<'a>>) {
        if self.holes.has(value) {
            return;
        }
        // A schema that leads back to itself at one value says nothing new.
        if Link::nodes(here.chain).any(|node| node == id) || !self.may_go_on(here.depth) {
            return;
        }
        let node = self.schema.nodes.get(id);
        let link = Link { node: id, above: here.chain };
        let inner = Here { depth: here.depth + 1, chain: Some(&link), ..here };
        // Validators ignore what stands beside a `$ref`.
        let own = if node.reference.is_some() { inner.doubtful() } else { inner };
        // A wrong type hides everything else: the other limits speak of another kind of value.
        if !value::has_kind(node, value, own, found) {
            return;
        }
        self.limits(node, value, own, found);
        for id in node.reference.iter().chain(&node.all_of) {
            self.node(*id, value, inner, found);
        }
        self.any_of(node, value, own, found);
        self.one_of(node, value, own, found);
    }

    fn may_go_on(&self, depth: usize) -> bool {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        let may = steps <= MAX_STEPS && depth <= 2 * MAX_DEPTH;
        if !may {
            self.extent.set(Extent::InPart);
        }
        may
    }

    fn limits(
        &self,
        node: &'a Node,
        value: &'a Value,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        self.allowed(node, value, here, found);
        self.advised(node, value, here, found);
        match value {
            Value::String(text) => self.text(node, value, text, here, found),
            Value::Number(number) => self.number(node, value, number, here, found),
            Value::Array(elements) => self.array(node, elements, here, found),
            Value::Object(members) => self.object(node, value, members, here, found),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn array(
        &self,
        node: &'a Node,
        elements: &'a [Value],
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        self.count(Counted::Items, elements.len() as u64, &node.item_count, here, found);
        if node.unique_items {
            self.unique(elements, here, found);
        }
        let Some(items) = node.items else { return };
        let spot = self.schema.element(here.spot);
        for (index, element) in elements.iter().enumerate() {
            let path = here.path.element(index);
            let inner = Here { path: &path, spot, chain: None, ..here };
            self.node(items, element, inner, found);
        }
    }

    fn unique(&self, elements: &'a [Value], here: Here<'_>, found: &mut Vec<Finding<'a>>) {
        // Equal text is equal spelling: `1` and `1.0` may be two values to the service.
        let mut seen = HashMap::with_capacity(elements.len());
        let known = elements.iter().enumerate().filter(|(_, it)| !self.holes.are_in(it));
        for (index, element) in known {
            let first = *seen.entry(element.to_string()).or_insert(index);
            if first != index {
                let path = here.path.element(index);
                let here = Here { path: &path, ..here };
                self.refuse_value(here, Problem::Duplicate { first }, found);
            }
        }
    }

    fn object(
        &self,
        node: &'a Node,
        value: &'a Value,
        members: &'a Map<String, Value>,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        self.member_count(node, members, here, found);
        for name in &node.required {
            self.require(members, name, here, Problem::Missing { name }, found);
        }
        self.dependencies(node, value, members, here, found);
        for (index, (name, value)) in members.iter().enumerate() {
            let spot = self.schema.member(here.spot, name);
            let is_unstated = value.is_null() || self.holes.has(value);
            if is_unstated || access::is_set_by_aws(self.schema, here.spot, spot) {
                continue;
            }
            let path = here.path.member(index, name);
            let inner = Here { path: &path, spot, chain: None, ..here };
            // Live may show what the schema forbids, and nobody stated it.
            let is_from_live = access::is_from_live(self.schema, self.purpose, spot);
            let inner = if is_from_live { inner.doubtful() } else { inner };
            match self.described(node, name) {
                Member::Described(ids) => {
                    for id in ids {
                        self.node(id, value, inner, found);
                    }
                }
                Member::Unknown => {}
                Member::Forbidden => self.forbid(name, here, inner, found),
            }
        }
    }

    /// Which schemas a node has for a member.
    fn described(&self, node: &'a Node, name: &str) -> Member {
        let mut ids: Vec<NodeId> = node.member(name).into_iter().collect();
        let mut is_doubtful = false;
        for (pattern, id) in &node.patterns {
            match self.patterns.answer(pattern, name) {
                Answer::Match => ids.push(*id),
                Answer::Mismatch => {}
                Answer::PerhapsMismatch | Answer::Unknown => is_doubtful = true,
            }
        }
        match node.additional {
            _ if !ids.is_empty() => Member::Described(ids),
            _ if is_doubtful => Member::Unknown,
            Additional::Schema(id) => Member::Described(vec![id]),
            Additional::Allowed => Member::Unknown,
            Additional::Forbidden => Member::Forbidden,
        }
    }

    /// An alternative that is closed does not fit an object with members of another one. Members
    /// that no alternative knows are the business of `structure`.
    fn forbid(&self, name: &str, holder: Here<'_>, member: Here<'_>, found: &mut Vec<Finding<'a>>) {
        let is_known = self.schema.shape(holder.spot).find_named(name).is_some();
        if holder.position == Position::Always || !is_known {
            return;
        }
        // Where the schema around the alternatives names the member, read strictly it could never
        // be stated: more likely the schema is careless than the member forbidden.
        let around = holder.chain.and_then(|link| link.above);
        let around = reach::always(self.schema, Link::nodes(around).collect());
        let is_named_around =
            around.iter().any(|id| self.schema.nodes.get(*id).member(name).is_some());
        // Live may show members of several alternatives, and nobody asked for them.
        let is_certain = !is_named_around && self.purpose == Purpose::Desired;
        let member = if is_certain { member } else { member.doubtful() };
        refuse(member, Problem::OtherAlternative, found);
    }

    fn dependencies(
        &self,
        node: &'a Node,
        value: &'a Value,
        members: &'a Map<String, Value>,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        let here = self.about_values(here);
        for (because, dependency) in &node.dependencies {
            if !self.holes.is_surely_stated(members, because) {
                continue;
            }
            match dependency {
                Dependency::Members(names) => {
                    for name in names {
                        let problem = Problem::MissingBeside { name, because };
                        self.require(members, name, here, problem, found);
                    }
                }
                Dependency::Schema(id) => self.node(*id, value, here, found),
            }
        }
    }

    fn require(
        &self,
        members: &Map<String, Value>,
        name: &'a str,
        here: Here<'_>,
        problem: Problem<'a>,
        found: &mut Vec<Finding<'a>>,
    ) {
        if is_stated(members, name) {
            return;
        }
        match access::is_demanded(self.schema, self.purpose, here.spot, name) {
            Demand::Yes => refuse(here, problem, found),
            Demand::Perhaps => refuse(here.doubtful(), problem, found),
            Demand::No => {}
        }
    }

    fn member_count(
        &self,
        node: &'a Node,
        members: &Map<String, Value>,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        let stated = members.values().filter(|value| !value.is_null()).count() as u64;
        let open = members.values().filter(|value| self.holes.has(value)).count() as u64;
        // The same must be true of all numbers that it can come to.
        if broken(stated, &node.member_count) == broken(stated - open, &node.member_count) {
            self.count(Counted::Members, stated, &node.member_count, here, found);
        }
    }

    fn count(
        &self,
        what: Counted,
        count: u64,
        bounds: &Bounds<u64>,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        if let Some(limit) = broken(count, bounds) {
            self.refuse_value(here, Problem::Count { what, count, limit }, found);
        }
    }

    /// Reports a broken limit on values.
    fn refuse_value(&self, here: Here<'_>, problem: Problem<'a>, found: &mut Vec<Finding<'a>>) {
        refuse(self.about_values(here), problem, found);
    }

    /// Limits on values prove something only where AWS wrote them.
    fn about_values<'p>(&self, here: Here<'p>) -> Here<'p> {
        match self.schema.source() {
            Source::Aws | Source::File => here,
            Source::CfnLint => here.doubtful(),
        }
    }
}

fn refuse<'a>(here: Here<'_>, problem: Problem<'a>, found: &mut Vec<Finding<'a>>) {
    let severity = match here.trust {
        Trust::Certain => Severity::Error,
        Trust::Doubtful => Severity::Warning,
    };
    found.push(Finding { place: here.path.place(), severity, problem, basis: Basis::Schema });
}

/// What a node says of a member.
enum Member {
    Described(Vec<NodeId>),
    Unknown,
    Forbidden,
}

fn is_stated(members: &Map<String, Value>, name: &str) -> bool {
    members.get(name).is_some_and(|value| !value.is_null())
}

fn broken(count: u64, bounds: &Bounds<u64>) -> Option<Limit<u64>> {
    let below = bounds.minimum.filter(|minimum| count < *minimum).map(Limit::AtLeast);
    below.or(bounds.maximum.filter(|maximum| count > *maximum).map(Limit::AtMost))
}
