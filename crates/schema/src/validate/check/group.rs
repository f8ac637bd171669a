//! `anyOf` and `oneOf`: which alternative a value fits, and what to say when it fits none.

use hangar_diag::Severity;
use serde_json::{Map, Value};

use super::super::Purpose;
use super::super::place::Place;
use super::{Checker, Here, Position, Trust, is_stated, refuse};
use crate::finding::{Basis, Choice, Finding, Problem};
use crate::kind::{Kind, Kinds};
use crate::node::{Additional, Node, NodeId};

impl<'a> Checker<'a, '_> {
    pub(super) fn any_of(
        &self,
        node: &'a Node,
        value: &'a Value,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        if node.any_of.is_empty() {
            return;
        }
        let tried = self.tried(&node.any_of, value, here, found);
        if tried.iter().all(|found| !found.is_empty()) {
            self.explain(&node.any_of, tried, Choice::AtLeastOne, value, here, found);
        }
    }

    pub(super) fn one_of(
        &self,
        node: &'a Node,
        value: &'a Value,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        if node.one_of.is_empty() {
            return;
        }
        let tried = self.tried(&node.one_of, value, here, found);
        match tried.iter().filter(|found| found.is_empty()).count() {
            0 => self.explain(&node.one_of, tried, Choice::ExactlyOne, value, here, found),
            1 => {}
            fitting => self.several(&node.one_of, fitting, value, here, found),
        }
    }

    /// What each alternative has against the value. Warnings of cfn-lint decide nothing; those of the only one that
    /// fits are reported.
    fn tried(
        &self,
        branches: &[NodeId],
        value: &'a Value,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) -> Vec<Vec<Finding<'a>>> {
        let here = Here { position: Position::Alternative, ..here };
        let attempt = |id: &NodeId| {
            let mut found = Vec::new();
            self.node(*id, value, here, &mut found);
            found.into_iter().partition(|finding: &Finding<'_>| finding.basis == Basis::CfnLint)
        };
        let (advice, tried): (Vec<Vec<_>>, Vec<Vec<_>>) = branches.iter().map(attempt).unzip();
        let mut fitting = advice.into_iter().zip(&tried).filter(|(_, found)| found.is_empty());
        if let (Some((advice, _)), None) = (fitting.next(), fitting.next()) {
            found.extend(advice);
        }
        tried
    }

    /// No alternative fits: one diagnostic for a choice of members, else what the nearest
    /// alternative has against the value.
    fn explain(
        &self,
        branches: &'a [NodeId],
        tried: Vec<Vec<Finding<'a>>>,
        choice: Choice,
        value: &'a Value,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        let here = self.about_values(here);
        let place = here.path.place();
        let is_certain = tried.iter().all(|found| found.iter().any(Finding::is_error));
        if is_certain {
            let common = common_type(&tried, &place, value)
                .or_else(|| self.choice_of_members(branches, &tried, &place, choice, value));
            if let Some(problem) = common {
                refuse(here, problem, found);
                return;
            }
        }
        // Where some alternative is refused for doubtful reasons only, it is the one to speak of.
        let nearest = tried
            .into_iter()
            .filter(|found| is_certain || !found.iter().any(Finding::is_error))
            .min_by_key(|found| Distance::of(found, &place));
        for mut finding in nearest.into_iter().flatten() {
            if here.trust == Trust::Doubtful {
                finding.severity = Severity::Warning;
            }
            found.push(finding);
        }
    }

    /// Every alternative is refused for the members that the object states, and for no other
    /// reason: the schema asks for a choice among groups of members.
    fn choice_of_members(
        &self,
        branches: &'a [NodeId],
        tried: &[Vec<Finding<'a>>],
        place: &Place,
        choice: Choice,
        value: &'a Value,
    ) -> Option<Problem<'a>> {
        let members = value.as_object()?;
        let groups = self.groups(branches)?;
        let is_choice = |finding: &Finding<'_>| match finding.problem {
            Problem::Missing { .. } => finding.place == *place,
            Problem::OtherAlternative => finding.place.is_child_of(place),
            _ => false,
        };
        if branches.len() < 2 || !tried.iter().all(|found| found.iter().all(is_choice)) {
            return None;
        }
        let stated = stated(&groups, members);
        Some(Problem::NoAlternative { groups, stated, choice })
    }

    /// The members that each alternative requires; none where some requires nothing.
    fn groups(&self, branches: &'a [NodeId]) -> Option<Vec<&'a [Box<str>]>> {
        let required = |id: &NodeId| self.schema.nodes.get(*id).required.as_slice();
        let groups: Vec<&[Box<str>]> = branches.iter().map(required).collect();
        groups.iter().all(|group| !group.is_empty()).then_some(groups)
    }

    /// More than one alternative fits. Careless schemas have alternatives that include each other,
    /// so this is an error only where they are plainly a choice among distinct members.
    fn several(
        &self,
        branches: &'a [NodeId],
        fitting: usize,
        value: &'a Value,
        here: Here<'_>,
        found: &mut Vec<Finding<'a>>,
    ) {
        let here = self.about_values(here);
        let nodes: Vec<&'a Node> = branches.iter().map(|id| self.schema.nodes.get(*id)).collect();
        // With an alternative that takes anything the schema cannot mean a choice.
        if nodes.iter().any(|node| only_requires(node) && node.required.is_empty()) {
            return;
        }
        let is_open = self.holes.are_in(value);
        let Some(members) = value.as_object() else {
            if is_open {
                return;
            }
            let problem = Problem::SeveralAlternatives { groups: Vec::new(), count: fitting };
            refuse(here.doubtful(), problem, found);
            return;
        };
        let whole: Vec<&'a [Box<str>]> = nodes
            .iter()
            .map(|node| node.required.as_slice())
            .filter(|group| !group.is_empty())
            .filter(|group| group.iter().all(|name| self.holes.is_surely_stated(members, name)))
            .collect();
        let is_choice_of_members = nodes.iter().all(|node| only_requires(node));
        // What is not known yet may still tell the alternatives apart.
        if is_open && !is_choice_of_members {
            return;
        }
        // The others fit only because nobody can be asked for what they require.
        if is_choice_of_members && whole.len() < 2 {
            return;
        }
        // Live may show the members of several groups, and nobody asked for them.
        let is_certain =
            is_choice_of_members && are_disjoint(&nodes) && self.purpose == Purpose::Desired;
        let here = if is_certain { here } else { here.doubtful() };
        let groups = if whole.len() > 1 { whole } else { Vec::new() };
        refuse(here, Problem::SeveralAlternatives { groups, count: fitting }, found);
    }
}

/// Every alternative wants another type than the value has.
fn common_type<'a>(
    tried: &[Vec<Finding<'a>>],
    place: &Place,
    value: &'a Value,
) -> Option<Problem<'a>> {
    let is_type = |finding: &Finding<'_>| {
        matches!(finding.problem, Problem::WrongType { .. }) && finding.place == *place
    };
    if tried.len() < 2 || !tried.iter().all(|found| found.iter().all(is_type)) {
        return None;
    }
    let mut expected = Kinds::UNSTATED;
    for finding in tried.iter().flatten() {
        if let Problem::WrongType { expected: kinds, .. } = finding.problem {
            expected = expected.union(kinds);
        }
    }
    Some(Problem::WrongType { expected, found: value })
}

/// How far a value is from an alternative: what is said of the value itself weighs more than what
/// is said of its members, so that `{"S3": <broken>}` is nearest to the alternative of `S3`.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Distance {
    own: usize,
    direct: usize,
    errors: usize,
    all: usize,
}

impl Distance {
    fn of(found: &[Finding<'_>], place: &Place) -> Self {
        let count = |is: &dyn Fn(&Finding<'_>) -> bool| found.iter().filter(|it| is(it)).count();
        Self {
            own: count(&|it| {
                it.is_error()
                    && (it.place == *place || matches!(it.problem, Problem::OtherAlternative))
            }),
            direct: count(&|it| {
                it.place.is_child_of(place) && matches!(it.problem, Problem::NotAllowed { .. })
            }),
            errors: count(&|it| it.is_error()),
            all: found.len(),
        }
    }
}

/// The members of the groups that an object states, each once.
fn stated<'a>(groups: &[&'a [Box<str>]], members: &Map<String, Value>) -> Vec<&'a str> {
    let mut names: Vec<&'a str> = Vec::new();
    for name in groups.iter().flat_map(|group| group.iter()) {
        if is_stated(members, name) && !names.contains(&name.as_ref()) {
            names.push(name);
        }
    }
    names
}

fn are_disjoint(nodes: &[&Node]) -> bool {
    let mut names: Vec<&str> =
        nodes.iter().flat_map(|node| node.required.iter().map(AsRef::as_ref)).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    names.len() == count
}

/// Whether a schema says nothing but which members are required.
fn only_requires(node: &Node) -> bool {
    let is_object = node.kinds.is_unstated()
        || (node.kinds.has(Kind::Object) && node.kinds.iter().count() == 1);
    let has_members = !node.members.is_empty()
        || !node.patterns.is_empty()
        || !node.dependencies.is_empty()
        || node.additional != Additional::Allowed;
    let has_limits = !node.allowed.is_empty()
        || node.pattern.is_some()
        || node.format.is_some()
        || node.multiple_of.is_some()
        || node.items.is_some()
        || node.unique_items
        || has_bound(&node.length)
        || has_bound(&node.item_count)
        || has_bound(&node.member_count)
        || has_bound(&node.range)
        || has_bound(&node.exclusive_range);
    is_object && !has_members && !has_limits && node.alternatives().next().is_none()
}

fn has_bound<T>(bounds: &crate::node::Bounds<T>) -> bool {
    bounds.minimum.is_some() || bounds.maximum.is_some()
}
