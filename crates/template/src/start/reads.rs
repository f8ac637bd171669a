//! Every property of a resource that the text of a template reads, taken or not: to be held against schemas.

use std::sync::Arc;

use hangar_diag::Span;

use super::Start;
use super::edges::{self, Around};
use crate::deployment::Read;
use crate::evaluate::Instance;
use crate::ir::{Expression, ExpressionKind, Name};

impl Start<'_> {
    pub(super) fn reads(&self, reads: &mut Vec<Read>) {
        for expression in self.unit.expressions() {
            self.reads_in(expression, reads);
        }
    }

    fn reads_in(&self, expression: &Expression, reads: &mut Vec<Read>) {
        let mut chain = Chain { members: Vec::new(), is_safe: false };
        let root = self.chain(expression, &mut chain, reads);
        if let Some((resource, at)) = root {
            self.add(resource, at, chain, reads);
        }
    }

    /// Goes down a chain to its beginning; what stands beside it is looked at by itself. Returns the resource
    /// it begins at, and the instance where that is known.
    fn chain<'e>(
        &self,
        expression: &'e Expression,
        chain: &mut Chain<'e>,
        reads: &mut Vec<Read>,
    ) -> Option<(usize, Option<usize>)> {
        match &expression.kind {
            ExpressionKind::Resource(resource) => Some((*resource, None)),
            ExpressionKind::Member(member) => {
                let root = self.chain(&member.base, chain, reads);
                chain.members.push(Some(&member.name));
                chain.is_safe |= member.safe;
                root
            }
            ExpressionKind::NonNull(base) | ExpressionKind::Any(base) => {
                self.chain(base, chain, reads)
            }
            ExpressionKind::Index(index) => {
                self.reads_in(&index.at, reads);
                if let ExpressionKind::Resource(resource) = index.base.kind {
                    let around = Around::NOTHING;
                    return Some((
                        resource,
                        edges::position(self.evaluator, resource, index, around),
                    ));
                }
                let root = self.chain(&index.base, chain, reads);
                chain.members.push(None);
                chain.is_safe |= index.safe;
                root
            }
            _ => {
                expression.for_each_part(|part| self.reads_in(part, reads));
                None
            }
        }
    }

    fn add(&self, resource: usize, at: Option<usize>, chain: Chain<'_>, reads: &mut Vec<Read>) {
        let mut members = chain.members.into_iter();
        let is_properties =
            members.next().flatten().is_some_and(|name| &*name.text == "properties");
        let path: Vec<&Name> = members.map_while(|it| it).collect();
        let (Some(first), Some(last)) = (path.first(), path.last()) else { return };
        let instances = self.frame.instances_of(resource);
        let instance = match at.and_then(|at| instances.get(at)) {
            Some(instance) => instance.as_ref(),
            None => instances.iter().flatten().next(),
        };
        let Some(instance) = instance.filter(|_| is_properties) else { return };
        reads.push(Read {
            node: Instance::node(instance),
            path: path.iter().map(|name| Arc::clone(&name.text)).collect(),
            is_safe: chain.is_safe,
            place: self.unit.place(Span::new(first.span.start, last.span.end)),
        });
    }
}

/// The members of a chain; an index is nothing.
struct Chain<'e> {
    members: Vec<Option<&'e Name>>,
    is_safe: bool,
}
