//! Names and what is read of them: members, indices, and what a resource tells.

use hangar_diag::Span;

use super::Printer;
use super::bind::{Local, Symbol, What};
use super::depends::Dependency;
use super::module::MODULE_VERSION;
use crate::arm::expression::{Expression, Kind};
use crate::codes;
use crate::near::near;
use crate::syntax::ast;

/// A resource, or one of those that a loop makes.
#[derive(Debug, Clone)]
pub(super) struct Reached {
    pub(super) resource: usize,
    pub(super) index: Option<Expression>,
}

/// One step from a value to a part of it.
#[derive(Clone, Copy)]
enum Step<'t> {
    Member { name: &'t str, safe: bool },
    Index { at: ast::Expression<'t>, safe: bool, from_end: bool },
    NonNull,
}

impl Step<'_> {
    const fn is_safe(&self) -> bool {
        matches!(self, Self::Member { safe: true, .. } | Self::Index { safe: true, .. })
    }
}

impl<'t> Printer<'t, '_, '_> {
    /// A name, or what is read of something.
    pub(super) fn access(&mut self, view: ast::Expression<'t>) -> Expression {
        let (base, steps) = steps(view);
        if let Some((reached, taken)) = self.reach(base, &steps) {
            return self.resource_access(&reached, &steps[taken..]);
        }
        let mut taken = 0;
        let value = match base {
            ast::Expression::Variable(variable) => {
                match (self.symbol_of(variable.name()), steps.first()) {
                    (Some(Symbol::Namespace(file)), Some(Step::Member { name, .. })) => {
                        taken = 1;
                        self.imported_variable(file, name, variable.span())
                    }
                    _ => self.name(variable.name(), variable.span()),
                }
            }
            ast::Expression::NestedResource(nested) => {
                let message = "the nested resource does not exist in this resource";
                self.faulty(codes::UNDECLARED, nested.span(), message)
            }
            other => self.expression(other),
        };
        self.walk(value, &steps[taken..])
    }

    fn name(&mut self, name: &'t str, span: Span) -> Expression {
        let local = self.locals.iter().rev().find(|(local, _)| *local == name);
        if let Some((_, local)) = local {
            return match local.clone() {
                Local::Item { list, index } => list.index(index),
                Local::Index(index) => index,
                Local::Lambda(name) => {
                    Expression::call("lambdaVariables", vec![Expression::text(name)])
                }
                Local::Parameter(name) => {
                    Expression::call("parameters", vec![Expression::text(name)])
                }
            };
        }
        match self.symbol_of(name) {
            Some(Symbol::Parameter(_)) => {
                Expression::call("parameters", vec![Expression::text(name)])
            }
            Some(Symbol::Variable(index)) => {
                if self.is_inlined(index) {
                    self.is_runtime = true;
                    let inlined = self.inlined(index, Self::expression);
                    return inlined.unwrap_or_else(|| Expression::call("null", vec![]));
                }
                self.note_variable(index);
                let name = self.own_variable(name);
                Expression::call("variables", vec![Expression::text(name)])
            }
            Some(Symbol::Imported(index)) => {
                let import = self.bound.imports[index];
                self.imported_variable(import.file, import.original, span)
            }
            Some(_) => {
                let message = format!("`{name}` is not a value");
                self.faulty(codes::NOT_A_VALUE, span, message)
            }
            None => {
                let message = format!("the name `{name}` is not declared");
                let near = near(name, self.bound.symbols.keys().copied()).map(str::to_owned);
                let error = self.error(codes::UNDECLARED, span, message);
                error.hints.extend(near.map(|near| format!("did you mean `{near}`?")));
                Expression::call("null", vec![])
            }
        }
    }

    /// The resource that an expression names, and nothing else.
    pub(super) fn resource_named(&mut self, view: ast::Expression<'t>) -> Option<Reached> {
        let (base, steps) = steps(view);
        let (reached, taken) = self.reach(base, &steps)?;
        (taken == steps.len()).then_some(reached)
    }

    /// The resource at the beginning of an access, and how many steps lead to it.
    fn reach(&mut self, base: ast::Expression<'t>, steps: &[Step<'t>]) -> Option<(Reached, usize)> {
        let resource = self.resource_at(base)?;
        let is_repeated = self.bound.resources[resource].repeat.is_some();
        if let (true, Some(Step::Index { at, .. })) = (is_repeated, steps.first()) {
            let index = Some(self.expression(*at));
            return Some((Reached { resource, index }, 1));
        }
        Some((Reached { resource, index: None }, 0))
    }

    fn resource_at(&self, base: ast::Expression<'t>) -> Option<usize> {
        match base {
            ast::Expression::Variable(variable) => match self.symbol_of(variable.name()) {
                Some(Symbol::Resource(index)) => Some(index),
                _ => None,
            },
            ast::Expression::NestedResource(nested) => {
                // Resources are not nested deeper than the parser follows.
                let outer = self.resource_at(nested.base()?)?;
                self.bound.child(outer, nested.name()?.text())
            }
            ast::Expression::Parenthesized(view) => self.resource_at(view.inner()?),
            _ => None,
        }
    }

    fn resource_access(&mut self, reached: &Reached, steps: &[Step<'t>]) -> Expression {
        let resource = self.bound.resources[reached.resource].clone();
        let member = match steps.first() {
            Some(Step::Member { name, .. }) => Some(*name),
            Some(Step::Index { at: ast::Expression::String(string), from_end: false, .. }) => {
                let text = string.literal();
                return self.resource_by_key(reached, steps, text.as_deref());
            }
            _ => None,
        };
        match &resource.what {
            What::Azure { type_name, version } => {
                let known = match member {
                    Some("id") => Some(self.id(reached)),
                    Some("name") => Some(self.own_name(reached)),
                    Some("type") => Some(Expression::text(type_name.as_str())),
                    Some("apiVersion") => Some(Expression::text(version.as_str())),
                    _ => None,
                };
                if let Some(known) = known {
                    self.note(reached, false);
                    return self.walk(known, &steps[1..]);
                }
                self.note(reached, true);
                self.is_runtime = true;
                let name = self.symbolic(reached);
                if resource.repeat.is_some() && reached.index.is_none() {
                    let whole = vec![name, Expression::text("full")];
                    return self.walk(Expression::call("references", whole), steps);
                }
                if member == Some("properties") {
                    let reference = Expression::call("reference", vec![name]);
                    if let Some(tried) = self.tried_reference(reached, &reference, steps) {
                        // The reference stands for `properties` itself: what follows is tried.
                        return self.walk_on(tried, true, &steps[1..]);
                    }
                    return self.walk_after(reference, steps);
                }
                let full = vec![name, Expression::text(version.as_str()), Expression::text("full")];
                let reference = Expression::call("reference", full);
                let tried = self.tried_reference(reached, &reference, steps);
                self.walk(tried.unwrap_or(reference), steps)
            }
            What::Extension { .. } => {
                self.note(reached, true);
                self.is_runtime = true;
                let name = self.symbolic(reached);
                let is_list = resource.repeat.is_some() && reached.index.is_none();
                let function = if is_list { "references" } else { "reference" };
                let reference = Expression::call(function, vec![name]);
                let tried = self.tried_reference(reached, &reference, steps);
                self.walk(tried.unwrap_or(reference), steps)
            }
            What::Module { .. } => self.module_access(reached, steps, member),
        }
    }

    /// `resource['key']` is `resource.key`.
    fn resource_by_key(
        &mut self,
        reached: &Reached,
        steps: &[Step<'t>],
        key: Option<&str>,
    ) -> Expression {
        self.note(reached, true);
        self.is_runtime = true;
        let name = self.symbolic(reached);
        let resource = &self.bound.resources[reached.resource];
        if let (What::Azure { .. }, Some("properties")) = (&resource.what, key) {
            return self.walk_after(Expression::call("reference", vec![name]), steps);
        }
        let mut arguments = vec![name];
        if let What::Azure { version, .. } = &resource.what {
            arguments.extend([Expression::text(version.as_str()), Expression::text("full")]);
        }
        self.walk(Expression::call("reference", arguments), steps)
    }

    fn module_access(
        &mut self,
        reached: &Reached,
        steps: &[Step<'t>],
        member: Option<&'t str>,
    ) -> Expression {
        if member == Some("name") {
            self.note(reached, false);
            let name = self.own_name(reached);
            return self.walk(name, &steps[1..]);
        }
        self.note(reached, true);
        self.is_runtime = true;
        let symbol = self.symbolic(reached);
        if reached.index.is_none() && self.bound.resources[reached.resource].repeat.is_some() {
            return self.walk(Expression::call("references", vec![symbol]), steps);
        }
        let mut reference = Expression::call("reference", vec![symbol.clone()]);
        let conditional = self.tried_reference(reached, &reference, steps);
        let is_tried = conditional.is_some();
        reference = conditional.unwrap_or(reference);
        let (Some("outputs"), Some(output)) = (member, steps.get(1)) else {
            return self.walk(reference, steps);
        };
        if let Step::Member { name, .. } = output
            && self.is_secure_output(reached.resource, name)
        {
            let arguments = vec![symbol, Expression::text(MODULE_VERSION)];
            let values = Expression::call("listOutputsWithSecureValues", arguments);
            return self.walk(values, &steps[1..]);
        }
        if is_tried && !output.is_safe() {
            let value = self.walk(reference, &steps[..2]);
            let value = tried(value, Expression::text("value"));
            return self.walk_on(value, true, &steps[2..]);
        }
        let is_safe = output.is_safe();
        let value = self.walk(reference, &steps[..2]);
        if is_safe {
            let value = Expression::call("tryGet", vec![value, Expression::text("value")]);
            return self.walk_on(value, true, &steps[2..]);
        }
        self.walk(value.member("value"), &steps[2..])
    }

    /// The reference of a resource with a condition whose first step is `.?`: null where the condition is false.
    fn tried_reference(
        &mut self,
        reached: &Reached,
        reference: &Expression,
        steps: &[Step<'t>],
    ) -> Option<Expression> {
        if !steps.first()?.is_safe() {
            return None;
        }
        let condition = self.aside(reached, |it| it.whole_condition(reached.resource))?;
        let null = Expression::call("null", vec![]);
        Some(Expression::call("if", vec![condition, reference.clone(), null]))
    }

    /// The name by which a resource is referred to: `'vpc'`, `format('subnets[{0}]', 1)`.
    pub(super) fn symbolic(&self, reached: &Reached) -> Expression {
        let symbol = &self.bound.resources[reached.resource].symbol;
        match &reached.index {
            None => Expression::text(symbol.as_str()),
            Some(index) => {
                let pattern = Expression::text(format!("{symbol}[{{0}}]"));
                Expression::call("format", vec![pattern, index.clone()])
            }
        }
    }

    pub(super) fn note(&mut self, reached: &Reached, is_runtime: bool) {
        if self.is_noting {
            let Reached { resource, index } = reached.clone();
            self.read.push(Dependency { resource, index, is_runtime });
        }
    }

    fn walk(&mut self, value: Expression, steps: &[Step<'t>]) -> Expression {
        self.walk_on(value, false, steps)
    }

    /// The steps after the first, which the value stands for; a safe one keeps being safe.
    fn walk_after(&mut self, value: Expression, steps: &[Step<'t>]) -> Expression {
        self.walk_on(value, false, &steps[1..])
    }

    /// Follows steps; while the value is a `tryGet`, what comes next is tried by the same call.
    fn walk_on(
        &mut self,
        mut value: Expression,
        mut is_trying: bool,
        steps: &[Step<'t>],
    ) -> Expression {
        for step in steps {
            let (key, safe, from_end) = match *step {
                Step::NonNull => {
                    is_trying = false;
                    continue;
                }
                Step::Member { name, safe } => (Expression::text(name), safe, false),
                Step::Index { at, safe, from_end } => (self.expression(at), safe, from_end),
            };
            if safe {
                let function = if from_end { "tryIndexFromEnd" } else { "tryGet" };
                value = Expression::call(function, vec![value, key]);
                is_trying = true;
            } else if is_trying {
                let key = if from_end {
                    let is_true = Expression::call("true", vec![]);
                    let (at, end) = (Expression::text("value"), Expression::text("fromEnd"));
                    Expression::call("createObject", vec![at, key, end, is_true])
                } else {
                    key
                };
                value = tried(value, key);
            } else if from_end {
                value = Expression::call("indexFromEnd", vec![value, key]);
            } else if let Kind::Text(name) = key.kind {
                value = value.member(name);
            } else {
                value = value.index(key);
            }
        }
        value
    }
}

fn tried(mut value: Expression, key: Expression) -> Expression {
    if let Kind::Call { name, arguments } = &mut value.kind
        && name == "tryGet"
    {
        arguments.push(key);
        return value;
    }
    Expression::call("tryGet", vec![value, key])
}

/// What an access begins with, and its steps in order.
fn steps(view: ast::Expression<'_>) -> (ast::Expression<'_>, Vec<Step<'_>>) {
    let mut steps = Vec::new();
    let mut base = view;
    loop {
        let next = match base {
            ast::Expression::Member(member) => {
                let name = member.name().map_or("", ast::Name::text);
                steps.push(Step::Member { name, safe: member.is_safe() });
                member.base()
            }
            ast::Expression::Index(index) => {
                if let Some(at) = index.index() {
                    let (safe, from_end) = (index.is_safe(), index.is_from_end());
                    steps.push(Step::Index { at, safe, from_end });
                }
                index.base()
            }
            ast::Expression::NonNull(view) => {
                steps.push(Step::NonNull);
                view.base()
            }
            // `(m!).outputs` is `m!.outputs`; `(m.?a).b` is not `m.?a.b`.
            ast::Expression::Parenthesized(view) => view.inner().filter(|it| is_plain_chain(*it)),
            _ => None,
        };
        match next {
            Some(next) => base = next,
            None => break,
        }
    }
    steps.reverse();
    // `!` ends an access that is tried; before one it says nothing.
    let first_safe = steps.iter().position(Step::is_safe).unwrap_or(steps.len());
    let mut at = 0;
    steps.retain(|it| {
        at += 1;
        at > first_safe || !matches!(it, Step::NonNull)
    });
    (base, steps)
}

/// Whether an expression is a name with steps of which none is safe.
fn is_plain_chain(view: ast::Expression<'_>) -> bool {
    let mut view = Some(view);
    while let Some(here) = view {
        view = match here {
            ast::Expression::Variable(_) | ast::Expression::NestedResource(_) => return true,
            ast::Expression::Member(member) if !member.is_safe() => member.base(),
            ast::Expression::Index(index) if !index.is_safe() => index.base(),
            ast::Expression::NonNull(view) => view.base(),
            ast::Expression::Parenthesized(view) => view.inner(),
            _ => None,
        };
    }
    false
}
