//! Who needs whom: every name of a resource in a body, through variables, is an edge.

use std::collections::BTreeSet;

use hangar_diag::Diagnostic;

use super::Start;
use crate::codes;
use crate::deployment::Node;
use crate::evaluate::{Instance, Scope};
use crate::ir::{Declared, Expression, ExpressionKind, ResourceDeclaration};
use crate::value::Data;

/// A resource that is named: one of its instances, or all.
type Named = BTreeSet<(usize, Option<usize>)>;

/// Edges of one deployment.
const MOST_EDGES: usize = 2_000_000;

impl Start<'_> {
    /// Fills in what each node depends on.
    pub(super) fn edges(&mut self, nodes: &mut [Node]) {
        let through = self.named_by_variables();
        let mut count = 0;
        for (resource, declared) in self.unit.resources.iter().enumerate() {
            let instances = self.evaluator.facts.instances_of(resource);
            for (at, instance) in instances.iter().enumerate() {
                let Some(instance) = instance else { continue };
                let mut needed = self.needed(declared, instance, &through);
                if let Some(size) = declared.batch {
                    let batch = at / size;
                    let before = batch.saturating_sub(1) * size..batch * size;
                    let before = instances.get(before).unwrap_or_default();
                    needed.extend(before.iter().flatten().map(Instance::node));
                }
                needed.remove(&instance.node());
                count += needed.len();
                if count > MOST_EDGES {
                    let message =
                        format!("resources depend on each other more than {MOST_EDGES} times");
                    let diagnostic = Diagnostic::error(codes::TOO_MANY_RESOURCES, message);
                    let problem = self.evaluator.problem(diagnostic.at(declared.name.span, ""));
                    self.problems.push(problem);
                    return;
                }
                if let Some(node) = nodes.get_mut(instance.node()) {
                    node.depends_on = needed.into_iter().collect();
                }
            }
        }
    }

    fn needed(
        &self,
        declared: &ResourceDeclaration,
        instance: &Instance,
        through: &[Named],
    ) -> BTreeSet<usize> {
        let levels = if instance.round.is_some() { 2 } else { 0 };
        let mut named = Named::new();
        named.extend(declared.parent.map(|parent| (parent, None)));
        instance.with_scope(|scope| {
            let around = Around { scope, levels };
            for expression in declared.expressions() {
                self.named(expression, around, through, &mut named);
            }
        });
        let mut needed = BTreeSet::new();
        for (resource, one) in named {
            let instances = self.evaluator.facts.instances_of(resource);
            match one {
                Some(at) => {
                    needed.extend(instances.get(at).into_iter().flatten().map(Instance::node));
                }
                None => needed.extend(instances.iter().flatten().map(Instance::node)),
            }
        }
        needed
    }

    /// What each variable names, through other variables.
    fn named_by_variables(&self) -> Vec<Named> {
        let mut through = vec![Named::new(); self.unit.variables.len()];
        for declared in &self.unit.sequence {
            let Declared::Variable(index) = declared else { continue };
            let variable = &self.unit.variables[*index];
            if variable.reaches_resource {
                let mut named = Named::new();
                let around = Around { scope: Scope::EMPTY, levels: 0 };
                self.named(&variable.value, around, &through, &mut named);
                through[*index] = named;
            }
        }
        through
    }

    fn named(
        &self,
        expression: &Expression,
        around: Around<'_>,
        through: &[Named],
        found: &mut Named,
    ) {
        match &expression.kind {
            ExpressionKind::Resource(resource) => {
                found.insert((*resource, None));
            }
            ExpressionKind::Variable(index) => {
                found.extend(through.get(*index).into_iter().flatten());
            }
            ExpressionKind::Index(index)
                if matches!(index.base.kind, ExpressionKind::Resource(_)) =>
            {
                if let ExpressionKind::Resource(resource) = index.base.kind {
                    let one = self.position(resource, index, around);
                    found.insert((resource, one));
                }
                self.named(&index.at, around, through, found);
            }
            _ => expression.for_each_part(|part| self.named(part, around, through, found)),
        }
    }

    /// Which instance an index names, where that is known at the start.
    pub(super) fn position(
        &self,
        resource: usize,
        index: &crate::ir::Index,
        around: Around<'_>,
    ) -> Option<usize> {
        if uses_locals_from(&index.at, around.levels) {
            return None;
        }
        // What is wrong with it is told where the body is evaluated.
        let value = self.evaluator.value(&index.at, around.scope).ok()?;
        let Data::Int(number) = value.data else { return None };
        let number = usize::try_from(number).ok()?;
        self.evaluator.facts.position(resource, |count| {
            if index.from_end { count.checked_sub(number) } else { Some(number) }
        })
    }
}

/// The locals that have a value.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) levels: usize,
}

fn uses_locals_from(expression: &Expression, level: usize) -> bool {
    if let ExpressionKind::Local(at) = expression.kind {
        return at >= level;
    }
    let mut uses = false;
    expression.for_each_part(|part| uses = uses || uses_locals_from(part, level));
    uses
}
