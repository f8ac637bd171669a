//! The ids that may be in the value of an expression, and in which part of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use hangar_diag::Span;

use super::Shared;
use crate::ir::{
    Entry, Expression, ExpressionKind, Item, Key, Operator, Piece, Repeat, Unit, Units, What,
};

/// What of ids may be in a value.
#[derive(Debug, Clone)]
pub(super) enum Trace {
    /// Nothing.
    Clear,
    /// A value that is made of these ids, by their places in the list of sites.
    Held(Shared<BTreeSet<usize>>),
    /// Members by name.
    Object(Shared<ObjectTrace>),
    /// A list, with the trace of any item.
    List(Shared<ListTrace>),
    /// One resource, or all of a loop.
    Resource(Named),
    /// One module, or all of a loop, by the context of its file.
    Module { inside: usize, many: bool },
    /// The outputs of a module.
    Outputs(usize),
    /// One of them.
    Either(Shared<Vec<Self>>),
}

#[derive(Debug)]
pub(super) struct ListTrace {
    pub(super) item: Trace,
    depth: usize,
}

#[derive(Debug)]
pub(super) struct ObjectTrace {
    pub(super) members: BTreeMap<Arc<str>, Trace>,
    /// Of members whose names are not known.
    pub(super) rest: Trace,
    depth: usize,
}

/// A resource, with the place where it is named.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named {
    pub(super) context: usize,
    pub(super) resource: usize,
    pub(super) many: bool,
    unit: usize,
    span: Span,
}

/// A place where an id is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Site {
    /// The file that it is in.
    pub(super) unit: usize,
    pub(super) span: Span,
    /// The expression before `.id`.
    pub(super) base: Span,
    /// The file and the place in it of the resource that is read.
    pub(super) owner: usize,
    pub(super) resource: usize,
}

/// A file in one place of the program: the template, a module, or what a library is evaluated in.
#[derive(Debug, Clone, Copy)]
struct Context {
    unit: usize,
    /// For a module: the context around it, and the module there.
    origin: Option<(usize, usize)>,
}

/// How many steps are taken for one program: enough for any that a person wrote.
const MOST_STEPS: usize = 2_000_000;

/// Expressions inside of each other: as deep as those of one declaration can be.
const MOST_DEPTH: usize = crate::ir::MAX_DEPTH;

/// How deep a trace may be nested: deeper, its parts are not told apart.
const MOST_NESTING: usize = 40;

/// How many alternatives a value may be: one more would only be one more place of the same mistake.
const MOST_ALTERNATIVES: usize = 64;

/// Follows ids through the expressions of a program.
pub(super) struct Tracer<'u> {
    pub(super) units: &'u Units,
    contexts: Vec<Context>,
    modules: HashMap<(usize, usize), usize>,
    libraries: HashMap<usize, usize>,
    known: HashMap<(usize, Kept), Trace>,
    sites: Vec<Site>,
    site_numbers: HashMap<Site, usize>,
    steps: usize,
    depth: usize,
}

/// A declaration whose trace is kept; while it is computed, it is clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kept {
    Parameter(usize),
    Variable(usize),
    Output(usize),
    Recipe(usize),
}

impl<'u> Tracer<'u> {
    pub(super) const ROOT: usize = 0;

    pub(super) fn new(units: &'u Units) -> Self {
        Self {
            units,
            contexts: vec![Context { unit: units.entry, origin: None }],
            modules: HashMap::new(),
            libraries: HashMap::new(),
            known: HashMap::new(),
            sites: Vec::new(),
            site_numbers: HashMap::new(),
            steps: 0,
            depth: 0,
        }
    }

    pub(super) fn unit(&self, context: usize) -> &'u Unit {
        &self.units.list[self.contexts[context].unit]
    }

    pub(super) fn site(&self, number: usize) -> Site {
        self.sites[number]
    }

    /// Takes a step; says no where too many were taken, and nothing more is found.
    pub(super) const fn pay(&mut self) -> bool {
        self.steps += 1;
        self.steps < MOST_STEPS
    }

    /// The context of a module's file.
    pub(super) fn module(&mut self, around: usize, module: usize) -> usize {
        let unit = self.unit(around).modules.get(module).map_or(0, |it| it.unit);
        let next = self.contexts.len();
        let inside = *self.modules.entry((around, module)).or_insert(next);
        if inside == next {
            self.contexts.push(Context { unit, origin: Some((around, module)) });
        }
        inside
    }

    /// The context that functions of a file are evaluated in.
    pub(super) fn library(&mut self, unit: usize) -> usize {
        let next = self.contexts.len();
        let inside = *self.libraries.entry(unit).or_insert(next);
        if inside == next {
            self.contexts.push(Context { unit, origin: None });
        }
        inside
    }

    /// The locals of a resource's or module's body.
    pub(super) fn round(&mut self, context: usize, repeat: Option<&'u Repeat>) -> Vec<Trace> {
        match repeat {
            None => Vec::new(),
            Some(repeat) => {
                vec![self.items_of(context, &repeat.list, &mut Vec::new()), Trace::Clear]
            }
        }
    }

    /// Any item of a list.
    pub(super) fn items_of(
        &mut self,
        context: usize,
        list: &'u Expression,
        locals: &mut Vec<Trace>,
    ) -> Trace {
        let list = self.expression(context, list, locals);
        self.item(&list)
    }

    pub(super) fn parameter(&mut self, context: usize, index: usize) -> Trace {
        self.kept(context, Kept::Parameter(index), |tracer| {
            let Some(declared) = tracer.unit(context).parameters.get(index) else {
                return Trace::Clear;
            };
            if let Some((around, module)) = tracer.contexts[context].origin
                && let Some(module) = tracer.unit(around).modules.get(module)
                && let Some(given) =
                    module.params.iter().find(|it| it.name.text == declared.name.text)
            {
                let mut locals = tracer.round(around, module.repeat.as_ref());
                return tracer.expression(around, &given.value, &mut locals);
            }
            match &declared.default {
                Some(default) => tracer.expression(context, default, &mut Vec::new()),
                None => Trace::Clear,
            }
        })
    }

    pub(super) fn variable(&mut self, context: usize, index: usize) -> Trace {
        self.kept(context, Kept::Variable(index), |tracer| {
            match tracer.unit(context).variables.get(index) {
                Some(variable) => tracer.expression(context, &variable.value, &mut Vec::new()),
                None => Trace::Clear,
            }
        })
    }

    pub(super) fn output(&mut self, context: usize, index: usize) -> Trace {
        self.kept(context, Kept::Output(index), |tracer| {
            match tracer.unit(context).outputs.get(index) {
                Some(output) => tracer.expression(context, &output.value, &mut Vec::new()),
                None => Trace::Clear,
            }
        })
    }

    fn kept(
        &mut self,
        context: usize,
        what: Kept,
        compute: impl FnOnce(&mut Self) -> Trace,
    ) -> Trace {
        if let Some(trace) = self.known.get(&(context, what)) {
            return trace.clone();
        }
        self.known.insert((context, what), Trace::Clear);
        let trace = compute(self);
        self.known.insert((context, what), trace.clone());
        trace
    }

    /// The trace of an expression.
    pub(super) fn expression(
        &mut self,
        context: usize,
        expression: &'u Expression,
        locals: &mut Vec<Trace>,
    ) -> Trace {
        if self.depth >= MOST_DEPTH || !self.pay() {
            return Trace::Clear;
        }
        self.depth += 1;
        let trace = self.expression_kind(context, expression, locals);
        self.depth -= 1;
        trace
    }

    fn expression_kind(
        &mut self,
        context: usize,
        expression: &'u Expression,
        locals: &mut Vec<Trace>,
    ) -> Trace {
        match &expression.kind {
            ExpressionKind::Parameter(index) => self.parameter(context, *index),
            ExpressionKind::Variable(index) => self.variable(context, *index),
            ExpressionKind::Local(level) => locals.get(*level).cloned().unwrap_or(Trace::Clear),
            ExpressionKind::Resource(resource) => {
                let declared = self.unit(context).resources.get(*resource);
                let many = declared.is_some_and(|it| it.repeat.is_some());
                let (unit, span) = (self.contexts[context].unit, expression.span);
                Trace::Resource(Named { context, resource: *resource, many, unit, span })
            }
            ExpressionKind::Module(module) => {
                let declared = self.unit(context).modules.get(*module);
                // A module without a file, which is an error, names its own.
                if declared.is_none_or(|it| it.unit >= self.contexts[context].unit) {
                    return Trace::Clear;
                }
                let many = declared.is_some_and(|it| it.repeat.is_some());
                Trace::Module { inside: self.module(context, *module), many }
            }
            ExpressionKind::Member(member) => {
                let base = self.expression(context, &member.base, locals);
                let at = (context, expression.span, member.base.span);
                self.member(&base, &member.name.text, at)
            }
            ExpressionKind::Index(index) => {
                let base = self.expression(context, &index.base, locals);
                self.part(&base)
            }
            ExpressionKind::NonNull(inner) | ExpressionKind::Any(inner) => {
                self.expression(context, inner, locals)
            }
            ExpressionKind::Text(pieces) => {
                let mut sites = BTreeSet::new();
                for piece in pieces {
                    if let Piece::Hole(hole) = piece {
                        let hole = self.expression(context, hole, locals);
                        self.sites_in(&hole, &mut sites);
                    }
                }
                held(sites)
            }
            ExpressionKind::Object(entries) => self.object(context, entries, locals),
            ExpressionKind::Array(items) => {
                let mut any = Trace::Clear;
                for item in items {
                    let item = match item {
                        Item::Value(value) => self.expression(context, value, locals),
                        Item::Spread(spread) => self.items_of(context, spread, locals),
                    };
                    any = join(any, item);
                }
                self.list_of(any)
            }
            ExpressionKind::Ternary(ternary) => {
                let then = self.expression(context, &ternary.then, locals);
                join(then, self.expression(context, &ternary.otherwise, locals))
            }
            ExpressionKind::Binary(binary) if binary.operator == Operator::Coalesce => {
                let left = self.expression(context, &binary.left, locals);
                join(left, self.expression(context, &binary.right, locals))
            }
            ExpressionKind::Loop(repeat) => {
                let item = self.items_of(context, &repeat.list, locals);
                let values = [item, Trace::Clear];
                let body = self.with_locals(context, &repeat.body, locals, repeat.level, values);
                self.list_of(body)
            }
            ExpressionKind::Call(call) => self.call(context, call, locals),
            ExpressionKind::CallUser(call) => {
                let arguments = call.arguments.iter();
                let mut values: Vec<Trace> =
                    arguments.map(|it| self.expression(context, it, locals)).collect();
                let function =
                    self.units.list[call.function.unit].functions.get(call.function.index);
                let Some(function) = function else { return Trace::Clear };
                let inside = self.library(call.function.unit);
                self.expression(inside, &function.body, &mut values)
            }
            // Numbers, truths and constants; a lambda is called by its function.
            ExpressionKind::Constant(_)
            | ExpressionKind::Imported(_)
            | ExpressionKind::Not(_)
            | ExpressionKind::Negate(_)
            | ExpressionKind::Binary(_)
            | ExpressionKind::Method(_)
            | ExpressionKind::Lambda(_)
            | ExpressionKind::Environment(_)
            | ExpressionKind::Faulty => Trace::Clear,
        }
    }

    /// An expression with values as the locals from a level on.
    pub(super) fn with_locals(
        &mut self,
        context: usize,
        body: &'u Expression,
        locals: &mut Vec<Trace>,
        level: usize,
        values: impl IntoIterator<Item = Trace>,
    ) -> Trace {
        locals.truncate(level);
        locals.extend(values);
        let trace = self.expression(context, body, locals);
        locals.truncate(level);
        trace
    }

    fn object(&mut self, context: usize, entries: &'u [Entry], locals: &mut Vec<Trace>) -> Trace {
        let mut members = BTreeMap::new();
        let mut rest = Trace::Clear;
        for entry in entries {
            match entry {
                Entry::Member { key: Key::Fixed(name), value } => {
                    members.insert(name.text.clone(), self.expression(context, value, locals));
                }
                Entry::Member { key: Key::Computed(key), value } => {
                    let key = self.expression(context, key, locals);
                    let value = self.expression(context, value, locals);
                    rest = join(rest, join(self.flat(&key), value));
                }
                Entry::Spread(spread) => match self.expression(context, spread, locals) {
                    Trace::Clear => {}
                    Trace::Object(object) => {
                        members.extend(
                            object.members.iter().map(|(name, it)| (name.clone(), it.clone())),
                        );
                        rest = join(rest, object.rest.clone());
                    }
                    other => rest = join(rest, self.any_member(&other)),
                },
            }
        }
        self.object_of(members, rest)
    }

    /// What a member of a value holds.
    fn member(&mut self, base: &Trace, name: &str, at: (usize, Span, Span)) -> Trace {
        if !self.pay() {
            return Trace::Clear;
        }
        match base {
            Trace::Resource(named) => self.resource_member(*named, name, at),
            Trace::Module { inside, many: false } if name == "outputs" => Trace::Outputs(*inside),
            Trace::Outputs(inside) => {
                let outputs = &self.unit(*inside).outputs;
                match outputs.iter().position(|it| &*it.name.text == name) {
                    Some(index) => self.output(*inside, index),
                    None => Trace::Clear,
                }
            }
            Trace::Object(object) => match object.members.get(name) {
                Some(member) => member.clone(),
                None => object.rest.clone(),
            },
            Trace::Either(all) => {
                all.iter().fold(Trace::Clear, |any, it| join(any, self.member(it, name, at)))
            }
            // What was text is read as a document.
            Trace::Held(_) => base.clone(),
            Trace::Clear | Trace::List(_) | Trace::Module { .. } => Trace::Clear,
        }
    }

    fn resource_member(
        &mut self,
        named: Named,
        name: &str,
        (context, span, base): (usize, Span, Span),
    ) -> Trace {
        let Some(declared) = self.unit(named.context).resources.get(named.resource) else {
            return Trace::Clear;
        };
        match (&declared.what, name) {
            _ if named.many => Trace::Clear,
            (What::Aws { .. } | What::Recipe, "id") => {
                let unit = self.contexts[context].unit;
                let number = self.number_of(named, unit, span, base);
                held(BTreeSet::from([number]))
            }
            // A property of AWS that holds an id is reported itself; one of a recipe may hold it.
            (What::Recipe, "properties") => {
                self.kept(named.context, Kept::Recipe(named.resource), |tracer| {
                    let mut locals = tracer.round(named.context, declared.repeat.as_ref());
                    match &declared.properties {
                        Some(it) => tracer.expression(named.context, it, &mut locals),
                        None => Trace::Clear,
                    }
                })
            }
            _ => Trace::Clear,
        }
    }

    fn number_of(&mut self, named: Named, unit: usize, span: Span, base: Span) -> usize {
        let owner = self.contexts[named.context].unit;
        let site = Site { unit, span, base, owner, resource: named.resource };
        let next = self.sites.len();
        let number = *self.site_numbers.entry(site).or_insert(next);
        if number == next {
            self.sites.push(site);
        }
        number
    }

    /// What a part of a value holds whose index or name is not known.
    pub(super) fn part(&mut self, base: &Trace) -> Trace {
        match base {
            Trace::List(_)
            | Trace::Resource(Named { many: true, .. })
            | Trace::Module { many: true, .. } => self.item(base),
            Trace::Either(all) if self.pay() => {
                all.iter().fold(Trace::Clear, |any, it| join(any, self.part(it)))
            }
            _ => self.any_member(base),
        }
    }

    /// What an item of a list holds.
    pub(super) fn item(&mut self, list: &Trace) -> Trace {
        match list {
            Trace::List(list) => list.item.clone(),
            Trace::Resource(named) => Trace::Resource(Named { many: false, ..*named }),
            Trace::Module { inside, .. } => Trace::Module { inside: *inside, many: false },
            Trace::Either(all) if self.pay() => {
                all.iter().fold(Trace::Clear, |any, it| join(any, self.item(it)))
            }
            Trace::Held(_) => list.clone(),
            _ => Trace::Clear,
        }
    }

    /// What any member of an object holds.
    pub(super) fn any_member(&mut self, object: &Trace) -> Trace {
        match object {
            Trace::Object(object) if self.pay() => {
                object.members.values().cloned().fold(object.rest.clone(), join)
            }
            Trace::Either(all) if self.pay() => {
                all.iter().fold(Trace::Clear, |any, it| join(any, self.any_member(it)))
            }
            other => self.flat(other),
        }
    }

    /// A value that is made of all ids in another.
    pub(super) fn flat(&mut self, trace: &Trace) -> Trace {
        let mut sites = BTreeSet::new();
        self.sites_in(trace, &mut sites);
        held(sites)
    }

    /// Every id in a value.
    pub(super) fn sites_in(&mut self, trace: &Trace, sites: &mut BTreeSet<usize>) {
        if !self.pay() {
            return;
        }
        match trace {
            Trace::Clear => {}
            Trace::Held(numbers) => sites.extend(numbers.iter()),
            Trace::Object(object) => {
                object.members.values().for_each(|it| self.sites_in(it, sites));
                self.sites_in(&object.rest, sites);
            }
            Trace::List(list) => self.sites_in(&list.item, sites),
            Trace::Resource(named) => {
                let declared = self.unit(named.context).resources.get(named.resource);
                if declared.is_some_and(|it| matches!(it.what, What::Aws { .. } | What::Recipe)) {
                    sites.insert(self.number_of(*named, named.unit, named.span, named.span));
                }
            }
            Trace::Module { inside, .. } | Trace::Outputs(inside) => {
                for index in 0..self.unit(*inside).outputs.len() {
                    let output = self.output(*inside, index);
                    self.sites_in(&output, sites);
                }
            }
            Trace::Either(all) => all.iter().for_each(|it| self.sites_in(it, sites)),
        }
    }
}

/// A value that is one or the other.
pub(super) fn join(first: Trace, second: Trace) -> Trace {
    let (mut all, more) = match (first, second) {
        (Trace::Clear, other) | (other, Trace::Clear) => return other,
        (Trace::Either(all), second) => (all, second),
        (first, second) => (Shared::new(vec![first]), second),
    };
    let alternatives = Shared::make_mut(&mut all);
    let room = MOST_ALTERNATIVES.saturating_sub(alternatives.len());
    match more {
        Trace::Either(more) => alternatives.extend(more.iter().take(room).cloned()),
        more => alternatives.extend(Some(more).filter(|_| room > 0)),
    }
    Trace::Either(all)
}

fn held(sites: BTreeSet<usize>) -> Trace {
    if sites.is_empty() { Trace::Clear } else { Trace::Held(Shared::new(sites)) }
}

const fn is_clear(trace: &Trace) -> bool {
    matches!(trace, Trace::Clear)
}

fn nesting(trace: &Trace) -> usize {
    match trace {
        Trace::List(list) => list.depth,
        Trace::Object(object) => object.depth,
        Trace::Either(all) => all.iter().map(nesting).max().unwrap_or(0),
        _ => 0,
    }
}

impl Tracer<'_> {
    /// A list of such items.
    pub(super) fn list_of(&mut self, item: Trace) -> Trace {
        match nesting(&item) + 1 {
            _ if is_clear(&item) => Trace::Clear,
            depth if depth > MOST_NESTING => self.flat(&item),
            depth => Trace::List(Shared::new(ListTrace { item, depth })),
        }
    }

    /// An object of such members.
    pub(super) fn object_of(&mut self, members: BTreeMap<Arc<str>, Trace>, rest: Trace) -> Trace {
        if is_clear(&rest) && members.values().all(is_clear) {
            return Trace::Clear;
        }
        let depth = 1 + members.values().chain([&rest]).map(nesting).max().unwrap_or(0);
        let object = Trace::Object(Shared::new(ObjectTrace { members, rest, depth }));
        if depth > MOST_NESTING { self.flat(&object) } else { object }
    }
}
