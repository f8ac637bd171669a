//! Kinds and types, as far as the text alone tells: what is wrong with a file whatever it is given.
//!
//! Every expression has a shape: a value of which what only an evaluation can tell is unknown, often with its kind.
//! What a shape already contradicts is told; all else is looked at again when it is evaluated. Whatever is told here
//! an evaluation would refuse too, if it came there: a branch may never be taken. The exception are declared types: a
//! `string[]` is no `int[]`, although both can be empty.

mod access;
mod declared;
mod shape;

use hangar_diag::{Code, Diagnostic, Severity, Span};

use crate::codes;
use crate::ir::{Bounds, Declared, Expression, Repeat, Unit};
use crate::types::{Table, Type, advice_for_kind, describe};
use crate::value::{Because, Data, Kind, Value};

/// How many expressions of a file are looked at.
const MOST_STEPS: usize = 2_000_000;

/// How many parts the shape of a variable has: a larger one is only known by its kind.
const MOST_PARTS: usize = 100;

/// What is wrong with a file; the units are those that it names, and it will be the next of them.
pub(crate) fn check(units: &[Unit], unit: &Unit) -> Vec<Diagnostic> {
    let table = Table::with_own(units, units.len(), &unit.types);
    let variables = vec![None; unit.variables.len()];
    let variable_types = vec![None; unit.variables.len()];
    let mut check = Check {
        units,
        unit,
        table,
        variables,
        variable_types,
        locals: Vec::new(),
        steps: 0,
        found: Vec::new(),
    };
    check.file();
    check.found
}

struct Check<'a> {
    units: &'a [Unit],
    unit: &'a Unit,
    table: Table<'a>,
    /// The shapes of variables, as far as they are known.
    variables: Vec<Option<Value>>,
    /// The types of variables, as far as they are declared somewhere.
    variable_types: Vec<Option<&'a Type>>,
    /// The types of the parameters of the function that is looked at.
    locals: Vec<&'a Type>,
    steps: usize,
    found: Vec<Diagnostic>,
}

impl<'a> Check<'a> {
    fn file(&mut self) {
        let unit = self.unit;
        for declared in &unit.sequence {
            match declared {
                Declared::Parameter(index) => {
                    let declared = &unit.parameters[*index];
                    let Some(default) = &declared.default else { continue };
                    let what = format!("the default of `{}`", declared.name.text);
                    let shape = self.fits(&declared.value_type, default, &what, codes::WRONG_TYPE);
                    self.keeps(&declared.bounds, &shape, default, &what);
                }
                Declared::Variable(index) => self.variable(*index),
                Declared::Resource(index) => {
                    let declared = &unit.resources[*index];
                    self.condition(declared.condition.as_ref());
                    self.repeat(declared.repeat.as_ref());
                    let body = declared.alias.iter().chain(&declared.identifier);
                    let body = body.chain(&declared.properties).chain(&declared.whole);
                    for expression in body.chain(&declared.depends_on) {
                        self.shape(expression);
                    }
                }
                Declared::Module(index) => self.module(*index),
            }
        }
        for function in &unit.functions {
            let what = format!("the result of `{}`", function.name.text);
            self.locals = function.parameters.iter().map(|it| &it.value_type).collect();
            self.fits(&function.result, &function.body, &what, codes::WRONG_TYPE);
            self.locals.clear();
        }
        for output in &unit.outputs {
            let what = format!("the output `{}`", output.name.text);
            let shape = self.fits(&output.value_type, &output.value, &what, codes::WRONG_TYPE);
            self.keeps(&output.bounds, &shape, &output.value, &what);
        }
    }

    fn variable(&mut self, index: usize) {
        let unit = self.unit;
        let variable = &unit.variables[index];
        let what = format!("the variable `{}`", variable.name.text);
        let shape = match &variable.value_type {
            Some(declared) => self.fits(declared, &variable.value, &what, codes::WRONG_TYPE),
            None => self.shape(&variable.value),
        };
        let declared = variable.value_type.as_ref();
        self.variable_types[index] = declared.or_else(|| self.type_of(&variable.value));
        let mut left = MOST_PARTS;
        let shape = if is_small(&shape, &mut left) { shape } else { unknown(shape.kind()) };
        self.variables[index] = Some(shape);
    }

    fn module(&mut self, index: usize) {
        let own = self.unit;
        let declared = &own.modules[index];
        self.condition(declared.condition.as_ref());
        self.repeat(declared.repeat.as_ref());
        let others = declared.others.iter().map(|(_, it)| it);
        let others =
            declared.title.iter().chain(&declared.scope).chain(&declared.depends_on).chain(others);
        for expression in others {
            self.shape(expression);
        }
        let unit = self.units.get(declared.unit).filter(|it| !it.is_faulty);
        for given in &declared.params {
            let parameters = unit.into_iter().flat_map(|it| &it.parameters);
            let taken = parameters.into_iter().find(|it| it.name.text == given.name.text);
            let Some(taken) = taken else {
                self.shape(&given.value);
                continue;
            };
            let shape = self.shape(&given.value);
            // A null where there is a default stands for that.
            if matches!(shape.data, Data::Null) && taken.default.is_some() {
                continue;
            }
            let what = format!(
                "the parameter `{}` of the module `{}`",
                taken.name.text, declared.name.text
            );
            self.held(&taken.value_type, &shape, &given.value, &what, codes::WRONG_PROPERTY);
            self.keeps(&taken.bounds, &shape, &given.value, &what);
        }
    }

    /// Whether an expression is of a type; its shape.
    fn fits(
        &mut self,
        wanted: &'a Type,
        expression: &'a Expression,
        what: &str,
        code: Code,
    ) -> Value {
        let shape = self.shape(expression);
        self.held(wanted, &shape, expression, what, code);
        shape
    }

    fn held(
        &mut self,
        wanted: &'a Type,
        shape: &Value,
        expression: &'a Expression,
        what: &str,
        code: Code,
    ) {
        let misfit = self.table.check(wanted, shape).err();
        if let Some(misfit) = misfit.or_else(|| self.clash(wanted, expression, &mut Vec::new())) {
            let diagnostic = misfit.diagnostic(what, expression, code, self.text());
            self.found.push(diagnostic);
        } else if let Some(misfit) = self.table.check_advice(wanted, shape) {
            let mut diagnostic = misfit.diagnostic(what, expression, code, self.text());
            diagnostic.severity = Severity::Warning;
            self.found.push(diagnostic);
        }
    }

    /// Whether what is written out keeps to what decorators ask.
    fn keeps(&mut self, bounds: &Bounds, shape: &Value, expression: &Expression, what: &str) {
        if shape.first_unknown().is_some() {
            return;
        }
        if let Err(breach) = bounds.check(shape) {
            self.tell(breach.code, expression.span, format!("{what} {}", breach.text));
            if let Some(last) = self.found.last_mut() {
                last.hints.extend(breach.hint);
            }
        }
    }

    fn condition(&mut self, condition: Option<&'a Expression>) {
        let Some(condition) = condition else { return };
        let shape = self.shape(condition);
        self.is_condition(&shape, condition.span);
    }

    /// Tells of a condition that is neither true nor false.
    fn is_condition(&mut self, shape: &Value, span: Span) {
        if shape.kind().is_some_and(|kind| kind != Kind::Bool) {
            let message = format!("expected a `bool` as the condition, found {}", describe(shape));
            let hint = self.hint_for_kind(Kind::Bool, shape, span);
            self.tell(codes::WRONG_CONDITION, span, message).hints.extend(hint);
        }
    }

    fn repeat(&mut self, repeat: Option<&'a Repeat>) {
        if let Some(repeat) = repeat {
            self.list(&repeat.list);
        }
    }

    /// What a loop goes over.
    fn list(&mut self, list: &'a Expression) {
        let shape = self.shape(list);
        if shape.kind().is_some_and(|kind| kind != Kind::Array) {
            let message = format!("expected an `array` to loop over, found {}", describe(&shape));
            let hint = match shape.kind() {
                Some(Kind::Int) => Some(format!("write `range(0, {})`", self.written(list.span))),
                _ => self.hint_for_kind(Kind::Array, &shape, list.span),
            };
            self.tell(codes::LOOP_OVER, list.span, message).hints.extend(hint);
        }
    }

    /// Reports an error, to which hints may be added.
    fn tell(&mut self, code: Code, span: Span, message: String) -> &mut Diagnostic {
        let at = self.found.len();
        self.found.push(Diagnostic::error(code, message).at(span, ""));
        &mut self.found[at]
    }

    /// How to get a value of a kind from an expression of another.
    fn hint_for_kind(&self, wanted: Kind, shape: &Value, span: Span) -> Option<String> {
        Some(advice_for_kind(wanted, shape)?.hint(self.written(span)))
    }

    /// The text of the file.
    fn text(&self) -> &'a str {
        self.unit.sources.text(&self.unit.file).unwrap_or_default()
    }

    /// The text of a place, if it is short.
    fn written(&self, span: Span) -> &'a str {
        let written = self.text().get(span.start..span.end);
        written.filter(|it| it.len() <= 40 && !it.contains('\n')).unwrap_or("…")
    }

    /// A value of a type, as far as the type tells.
    fn of_type(&self, declared: &'a Type) -> Value {
        let is_open = self.table.is_nullable(declared);
        unknown(if is_open { None } else { self.table.kind(declared) })
    }
}

/// A value that only an evaluation can tell.
fn unknown(kind: Option<Kind>) -> Value {
    // A null is known, so what is of its kind is.
    Value::unknown(kind.filter(|it| *it != Kind::Null), Because::Moment)
}

fn is_small(shape: &Value, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1) else { return false };
    *left = rest;
    match &shape.data {
        Data::Array(items) => items.iter().all(|it| is_small(it, left)),
        Data::Object(members) => members.values().all(|it| is_small(it, left)),
        _ => true,
    }
}
