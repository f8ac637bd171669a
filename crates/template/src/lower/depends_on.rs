//! `dependsOn`: any expression that leads to resources and modules.
//!
//! Every resource that the expression names is waited for, whatever its conditions come to: Bicep's compiler does the
//! same. Here is only decided whether an expression can lead to resources at all.

use std::collections::HashSet;

use hangar_diag::Span;

use super::Lowering;
use crate::codes;
use crate::ir::{Entry, Expression, ExpressionKind, Item, Key, ModuleDeclaration};
use crate::ir::{ResourceDeclaration, Variable};
use crate::value::Data;

/// What has to stand in a place of `dependsOn`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Wanted {
    List,
    /// One resource, or a list of them.
    OneOrMany,
}

/// The declarations that an expression is followed through.
struct Declarations<'a> {
    variables: &'a [Option<Variable>],
    resources: &'a [Option<ResourceDeclaration>],
    modules: &'a [Option<ModuleDeclaration>],
}

impl Lowering<'_> {
    /// The parts of a `dependsOn`: the items of a list that is written out, else the whole expression.
    pub(super) fn depends_on(&mut self, value: Expression) -> Vec<Expression> {
        let ExpressionKind::Array(items) = value.kind else {
            let mut wrong = Vec::new();
            // One resource in place of a list is known now; what variables hold is known when all are lowered.
            let is_single = match value.kind {
                ExpressionKind::Resource(index) => !self.outlines[index].repeats,
                ExpressionKind::Module(index) => !self.module_outlines[index].repeats,
                _ => false,
            };
            if is_single {
                wrong.push(value.span);
            }
            self.report_dependencies(wrong);
            self.is_any(&value);
            return vec![value];
        };
        let items = items.into_iter();
        let parts: Vec<Expression> =
            items.map(|(Item::Value(item) | Item::Spread(item))| item).collect();
        for part in &parts {
            self.is_any(part);
        }
        parts
    }

    /// Reports parts of `dependsOn` that lead to no resource.
    pub(super) fn check_dependencies(&mut self) {
        let declarations = Declarations {
            variables: &self.variables,
            resources: &self.resources,
            modules: &self.modules,
        };
        let mut wrong = Vec::new();
        for resource in self.resources.iter().flatten() {
            for part in &resource.depends_on {
                declarations.check(part, Wanted::OneOrMany, &mut wrong);
            }
            if let Some(list) = resource.whole.as_ref().and_then(depends_on_member) {
                declarations.check(list, Wanted::List, &mut wrong);
            }
        }
        for module in self.modules.iter().flatten() {
            for part in &module.depends_on {
                declarations.check(part, Wanted::OneOrMany, &mut wrong);
            }
        }
        self.report_dependencies(wrong);
    }

    fn report_dependencies(&mut self, wrong: Vec<Span>) {
        for span in wrong {
            let message = "`dependsOn` must be an array of the names of resources and modules";
            let hint = "write `dependsOn: [vpc]`; for a loop, write `subnets[0]` for one resource or `subnets` for all";
            self.error(codes::DEPENDS_ON, span, message).hints.push(hint.to_owned());
        }
    }
}

/// The `dependsOn` of a body that is kept as one object.
fn depends_on_member(body: &Expression) -> Option<&Expression> {
    let ExpressionKind::Object(entries) = &body.kind else { return None };
    entries.iter().find_map(|entry| match entry {
        Entry::Member { key: Key::Fixed(name), value } if &*name.text == "dependsOn" => Some(value),
        _ => None,
    })
}

impl Declarations<'_> {
    /// Adds the places that cannot lead to a resource. Follows variables without recursion: their chains are long.
    fn check(&self, whole: &Expression, wanted: Wanted, wrong: &mut Vec<Span>) {
        let mut followed = HashSet::new();
        let mut open: Vec<(&Expression, Wanted, Option<Span>)> = vec![(whole, wanted, None)];
        while let Some((expression, wanted, read_at)) = open.pop() {
            let span = read_at.unwrap_or(expression.span);
            let mut follow = |part, wanted| open.push((part, wanted, read_at));
            let is_possible = match &expression.kind {
                // `any()` was reported where it stands in the list itself.
                ExpressionKind::Faulty | ExpressionKind::Local(_) | ExpressionKind::Any(_) => true,
                ExpressionKind::Resource(index) => {
                    let resource = self.resources.get(*index).and_then(Option::as_ref);
                    wanted == Wanted::OneOrMany || resource.is_none_or(|it| it.repeat.is_some())
                }
                ExpressionKind::Module(index) => {
                    let module = self.modules.get(*index).and_then(Option::as_ref);
                    wanted == Wanted::OneOrMany || module.is_none_or(|it| it.repeat.is_some())
                }
                ExpressionKind::Constant(value) => match &value.data {
                    Data::Null => true,
                    Data::Array(items) => items.is_empty(),
                    _ => false,
                },
                ExpressionKind::Array(items) => {
                    for Item::Value(item) | Item::Spread(item) in items {
                        follow(item, Wanted::OneOrMany);
                    }
                    true
                }
                ExpressionKind::Variable(index) => {
                    let variable = self.variables.get(*index).and_then(Option::as_ref);
                    if let Some(variable) = variable
                        && followed.insert((*index, wanted))
                    {
                        open.push((&variable.value, wanted, Some(span)));
                    }
                    true
                }
                ExpressionKind::Member(member) => is_of_variable(&member.base),
                ExpressionKind::Index(index) => {
                    follow(&index.base, Wanted::OneOrMany);
                    true
                }
                ExpressionKind::NonNull(inner) => {
                    follow(inner, wanted);
                    true
                }
                ExpressionKind::Ternary(ternary) => {
                    follow(&ternary.then, wanted);
                    follow(&ternary.otherwise, wanted);
                    true
                }
                ExpressionKind::Binary(binary) => {
                    follow(&binary.left, wanted);
                    follow(&binary.right, wanted);
                    binary.operator == crate::ir::Operator::Coalesce
                }
                ExpressionKind::Loop(repeat) => {
                    follow(&repeat.body, Wanted::OneOrMany);
                    true
                }
                ExpressionKind::Call(call) => {
                    let lists = listed_arguments(call.function.name, &call.arguments);
                    for part in lists.into_iter().flatten() {
                        follow(part, Wanted::OneOrMany);
                    }
                    lists.is_some()
                }
                _ => false,
            };
            if !is_possible && !wrong.contains(&span) {
                wrong.push(span);
            }
        }
    }
}

/// The arguments of a function that its result is made of; nothing if its result holds no resources.
fn listed_arguments<'e>(function: &str, arguments: &'e [Expression]) -> Option<&'e [Expression]> {
    match function {
        "concat" | "union" | "intersection" | "flatten" | "array" => Some(arguments),
        "filter" | "sort" | "first" | "last" | "take" | "skip" => arguments.get(..1),
        // What their lambdas return is data as often as resources.
        "map" | "mapValues" | "reduce" | "groupBy" => Some(&[]),
        _ => None,
    }
}

/// Whether a chain of members begins at a variable, whose value may hold resources.
fn is_of_variable(expression: &Expression) -> bool {
    let mut base = expression;
    loop {
        base = match &base.kind {
            ExpressionKind::Variable(_) | ExpressionKind::Local(_) | ExpressionKind::Faulty => {
                return true;
            }
            ExpressionKind::Member(member) => &member.base,
            ExpressionKind::Index(index) => &index.base,
            ExpressionKind::NonNull(inner) => inner,
            _ => return false,
        };
    }
}
