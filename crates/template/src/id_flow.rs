//! Which properties of AWS resources hold Hangar's id of a resource.
//!
//! `vpc.id` is an address in Hangar, and AWS does not know it. The flow is found in the text alone, over all
//! files of a program: every expression has a `Trace` of the ids that may be in its value, through variables,
//! parameters and outputs of modules, functions, loops, both sides of a condition, and text. A digest of an id
//! (`uniqueString`), a number and a truth are no id any more. This file walks the sinks; `trace` follows values.

mod calls;
mod trace;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use hangar_diag::position_of;
use hangar_ids::TypeName;

use crate::arm::is_compiled;
use crate::ir::{Declared, Entry, Expression, ExpressionKind, Item, Key, Units, What};
use crate::source::Place;
use trace::{Site, Trace, Tracer};

/// A property of an AWS resource that holds the id of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdUse {
    /// The type of the resource that has the property.
    pub type_name: TypeName,
    /// The names on the way to the property; empty for the `name` of an existing resource.
    pub path: Vec<Arc<str>>,
    /// Where the value of the property is written.
    pub place: Place,
    /// Where the id is read.
    pub read: Place,
    /// The line and column of `read` for people, if it is in another file (`main.bicep:3:7`).
    pub elsewhere: Option<String>,
    /// The resource whose id it is, as an expression of the text (`vpcs[0]`).
    pub base: String,
    /// The type of that resource; nothing for a recipe.
    pub of: Option<TypeName>,
}

/// Every such property, in the order of the files and their texts.
pub(crate) fn id_uses(units: &Units) -> Vec<IdUse> {
    let mut sinks = Sinks { tracer: Tracer::new(units), uses: Vec::new() };
    sinks.context(Tracer::ROOT);
    let mut uses = sinks.uses;
    let key =
        |it: &IdUse| (it.place.file.clone(), it.place.span, it.read.file.clone(), it.read.span);
    uses.sort_by_key(key);
    uses.dedup();
    uses
}

struct Sinks<'u> {
    tracer: Tracer<'u>,
    uses: Vec<IdUse>,
}

impl<'u> Sinks<'u> {
    /// Goes along a file, what is needed by others first, so that no trace goes deep.
    fn context(&mut self, context: usize) {
        let unit = self.tracer.unit(context);
        for declared in &unit.sequence {
            match declared {
                Declared::Parameter(index) => drop(self.tracer.parameter(context, *index)),
                Declared::Variable(index) => drop(self.tracer.variable(context, *index)),
                Declared::Module(index) => {
                    let inside = self.tracer.module(context, *index);
                    self.context(inside);
                }
                Declared::Resource(index) => self.resource(context, *index),
            }
        }
        for index in 0..unit.outputs.len() {
            drop(self.tracer.output(context, index));
        }
    }

    fn resource(&mut self, context: usize, index: usize) {
        let Some(declared) = self.tracer.unit(context).resources.get(index) else { return };
        let What::Aws { type_name, .. } = &declared.what else { return };
        let mut locals = self.tracer.round(context, declared.repeat.as_ref());
        let mut sink = Sink { context, type_name, path: Vec::new() };
        if let Some(name) = &declared.identifier {
            self.value(&mut sink, name, &mut locals);
        }
        if let Some(properties) = &declared.properties {
            self.value(&mut sink, properties, &mut locals);
        }
    }

    /// Looks at a part of a body; what is written out is looked at part by part, for its place.
    fn value(&mut self, sink: &mut Sink<'u>, value: &'u Expression, locals: &mut Vec<Trace>) {
        match &value.kind {
            ExpressionKind::Object(entries) => {
                for entry in entries {
                    match entry {
                        Entry::Member { key: Key::Fixed(name), value } => {
                            sink.path.push(name.text.clone());
                            self.value(sink, value, locals);
                            sink.path.pop();
                        }
                        Entry::Member { key: Key::Computed(key), value } => {
                            self.computed(sink, key, locals);
                            self.value(sink, value, locals);
                        }
                        Entry::Spread(spread) => self.computed(sink, spread, locals),
                    }
                }
            }
            ExpressionKind::Array(items) => {
                for item in items {
                    match item {
                        Item::Value(value) => self.value(sink, value, locals),
                        Item::Spread(spread) => self.computed(sink, spread, locals),
                    }
                }
            }
            ExpressionKind::Ternary(ternary) => {
                self.value(sink, &ternary.then, locals);
                self.value(sink, &ternary.otherwise, locals);
            }
            ExpressionKind::Loop(repeat) => {
                let item = self.tracer.items_of(sink.context, &repeat.list, locals);
                locals.truncate(repeat.level);
                locals.extend([item, Trace::Clear]);
                self.value(sink, &repeat.body, locals);
                locals.truncate(repeat.level);
            }
            _ => self.computed(sink, value, locals),
        }
    }

    fn computed(&mut self, sink: &mut Sink<'u>, value: &'u Expression, locals: &mut Vec<Trace>) {
        let trace = self.tracer.expression(sink.context, value, locals);
        self.report(sink, value, &trace);
    }

    /// Reports the ids in a value, each with the property of the value that it is in.
    fn report(&mut self, sink: &mut Sink<'u>, value: &Expression, trace: &Trace) {
        match trace {
            Trace::Clear => {}
            Trace::Object(object) if self.tracer.pay() => {
                for (name, member) in &object.members {
                    sink.path.push(name.clone());
                    self.report(sink, value, member);
                    sink.path.pop();
                }
                self.report(sink, value, &object.rest);
            }
            Trace::List(list) => self.report(sink, value, &list.item),
            Trace::Either(all) if self.tracer.pay() => {
                all.iter().for_each(|it| self.report(sink, value, it));
            }
            _ => {
                let mut sites = BTreeSet::new();
                self.tracer.sites_in(trace, &mut sites);
                for site in sites {
                    let site = self.tracer.site(site);
                    self.uses.push(self.id_use(sink, value, &site));
                }
            }
        }
    }

    fn id_use(&self, sink: &Sink<'u>, value: &Expression, site: &Site) -> IdUse {
        let units = self.tracer.units;
        let place = self.tracer.unit(sink.context).place(value.span);
        let unit = &units.list[site.unit];
        let read = unit.place(site.span);
        let declared = &units.list[site.owner].resources[site.resource];
        let of = match &declared.what {
            What::Aws { type_name, .. } => Some(type_name.clone()),
            _ => None,
        };
        let text = unit.sources.text(&unit.file).unwrap_or_default();
        let base = if is_compiled(&unit.file) {
            format!("reference('{}')", declared.name.text)
        } else {
            let written = text.get(site.base.start..site.base.end);
            written.unwrap_or(&declared.name.text).to_owned()
        };
        let elsewhere = (read.file != place.file).then(|| {
            let at = position_of(text, read.span.start);
            format!("{}:{}:{}", read.file, at.line, at.column)
        });
        let (type_name, path) = (sink.type_name.clone(), sink.path.clone());
        IdUse { type_name, path, place, read, elsewhere, base, of }
    }
}

/// The property that is looked at.
struct Sink<'u> {
    context: usize,
    type_name: &'u TypeName,
    path: Vec<Arc<str>>,
}

/// A trace that is shared.
type Shared<T> = Rc<T>;
