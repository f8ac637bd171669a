//! What a resource waits for: the resources that are read in its body, and those that it names.

use super::Printer;
use crate::arm::expression::{Expression, Kind};
use crate::arm::json::Json;
use crate::arm::print::value::in_place;

/// A resource that something reads.
#[derive(Debug, Clone)]
pub(super) struct Dependency {
    pub(super) resource: usize,
    /// Which one of those that a loop makes.
    pub(super) index: Option<Expression>,
    /// Whether something is read that only the deployment tells.
    pub(super) is_runtime: bool,
}

impl Printer<'_, '_, '_> {
    /// `dependsOn` of a resource, each once, in the order of the names; `reads` is what each resource reads.
    pub(super) fn depends_on(&mut self, owner: usize, reads: &[Vec<Dependency>]) -> Option<Json> {
        let mut found: Vec<Dependency> = Vec::new();
        let mut looked_through = vec![owner];
        let mut open: Vec<Dependency> = reads[owner].iter().rev().cloned().collect();
        while let Some(dependency) = open.pop() {
            if dependency.resource == owner {
                continue;
            }
            // One that exists is waited for only where something is asked of it; else what it is made of is.
            if self.bound.resources[dependency.resource].is_existing && !dependency.is_runtime {
                if !looked_through.contains(&dependency.resource) {
                    looked_through.push(dependency.resource);
                    open.extend(reads[dependency.resource].iter().rev().cloned());
                }
                continue;
            }
            let index = dependency.index.filter(is_known_outside);
            let is_there = index.is_none()
                && found.iter().any(|it| it.resource == dependency.resource && it.index.is_none());
            if !is_there {
                found.push(Dependency { index, ..dependency });
            }
        }
        let whole: Vec<usize> =
            found.iter().filter(|it| it.index.is_none()).map(|it| it.resource).collect();
        found.retain(|it| it.index.is_none() || !whole.contains(&it.resource));
        // The compiler of Bicep sorts them without regard to case.
        found.sort_by_cached_key(|it| {
            let symbol = &self.bound.resources[it.resource].symbol;
            (symbol.to_ascii_uppercase(), symbol.clone())
        });
        let items = found.into_iter().map(|it| {
            let reached = super::access::Reached { resource: it.resource, index: it.index };
            in_place(self.symbolic(&reached))
        });
        let items: Vec<_> = items.collect();
        (!items.is_empty()).then(|| Json::array(items))
    }
}

/// Whether an index means the same outside of the loops and lambdas inside of a body.
fn is_known_outside(index: &Expression) -> bool {
    match &index.kind {
        Kind::Text(_) | Kind::Number(_) => true,
        Kind::Call { name, arguments } => match name.as_str() {
            "lambdaVariables" => false,
            "copyIndex" => arguments.is_empty(),
            _ => arguments.iter().all(is_known_outside),
        },
        Kind::Member { base, .. } => is_known_outside(base),
        Kind::Index { base, at } => is_known_outside(base) && is_known_outside(at),
    }
}
