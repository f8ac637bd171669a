//! What an expression comes to, lazily: a branch that is not taken is never looked at.
//!
//! An [`Evaluator`] sees one state of the world (`Known`) and remembers what it has computed. Problems
//! carry the place they arose at. Depth, steps and sizes are bounded (`limits`), so that no template can
//! exhaust whoever evaluates it.

mod access;
mod body;
mod bounds;
mod call;
mod collection;
mod facts;
mod guid;
mod limits;
mod operator;
mod output;
mod resource;
mod scope;
mod text;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use hangar_diag::{Code, Diagnostic, Span};

use crate::codes;
use crate::deployment::{Known, MissingParameter};
use crate::ir::{Expression, ExpressionKind, Ternary, Unit, Units};
use crate::source::Problem;
use crate::types::{Table, describe};
use crate::value::{Because, Data, Value};
pub(crate) use facts::{Facts, Instance, Settings};
pub(crate) use limits::MOST_NODES;
pub(crate) use operator::is_equal;
pub(crate) use scope::Scope;

/// A value, or what is wrong.
pub(crate) type Evaluated = Result<Value, Vec<Problem>>;

/// Evaluates the expressions of one unit in one state of the world.
pub(crate) struct Evaluator<'a> {
    pub(crate) units: &'a Units,
    pub(crate) unit: &'a Unit,
    pub(crate) facts: &'a Facts,
    known: &'a dyn Known,
    /// Variables that reach a resource: others have the same value whatever is known.
    variables: RefCell<HashMap<usize, Evaluated>>,
    /// Parts of bodies, by instance and place.
    stated: RefCell<HashMap<(usize, usize, Span), Evaluated>>,
    /// The parameter whose default is evaluated.
    parameter: Cell<Option<usize>>,
    guids: Cell<u64>,
    used: Cell<limits::Used>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(units: &'a Units, facts: &'a Facts, known: &'a dyn Known) -> Self {
        Self {
            units,
            unit: units.entry(),
            facts,
            known,
            variables: RefCell::default(),
            stated: RefCell::default(),
            parameter: Cell::new(None),
            guids: Cell::new(0),
            used: Cell::default(),
        }
    }

    /// What an expression comes to.
    pub(crate) fn value(&self, expression: &Expression, scope: Scope<'_>) -> Evaluated {
        self.enter(expression.span)?;
        let value = self.value_of_kind(expression, scope);
        self.leave();
        value
    }

    fn value_of_kind(&self, expression: &Expression, scope: Scope<'_>) -> Evaluated {
        match &expression.kind {
            ExpressionKind::Constant(value) => Ok(value.clone()),
            ExpressionKind::Text(pieces) => self.text(pieces, scope, expression.span),
            ExpressionKind::Object(entries) => self.object(entries, scope, expression.span),
            ExpressionKind::Array(items) => self.array(items, scope, expression.span),
            ExpressionKind::Parameter(index) => self.parameter(*index),
            ExpressionKind::Variable(index) => self.variable(*index),
            ExpressionKind::Local(level) => Ok(scope.local(*level)),
            ExpressionKind::Resource(_)
            | ExpressionKind::Member(_)
            | ExpressionKind::Index(_)
            | ExpressionKind::NonNull(_) => self.access(expression, scope),
            ExpressionKind::Not(operand) => self.not(operand, scope),
            ExpressionKind::Negate(operand) => self.negate(operand, scope),
            ExpressionKind::Binary(binary) => self.binary(binary, scope, expression.span),
            ExpressionKind::Ternary(ternary) => self.ternary(ternary, scope),
            ExpressionKind::Call(call) => self.call(call, scope, expression.span),
            ExpressionKind::Loop(repeat) => self.repeat(repeat, scope, expression.span),
            ExpressionKind::Environment(environment) => self.environment(environment, scope),
            // Neither is ever evaluated: a lambda is called by its function, and a faulty program not started.
            ExpressionKind::Lambda(_) | ExpressionKind::Faulty => Ok(Value::NULL),
            ExpressionKind::Module(_)
            | ExpressionKind::Imported(_)
            | ExpressionKind::CallUser(_)
            | ExpressionKind::Method(_) => {
                self.fail(codes::NOT_SUPPORTED, expression.span, "this is not supported yet")
            }
        }
    }

    fn ternary(&self, ternary: &Ternary, scope: Scope<'_>) -> Evaluated {
        let condition = self.value(&ternary.condition, scope)?;
        let taken = match &condition.data {
            Data::Bool(true) => &ternary.then,
            Data::Bool(false) => &ternary.otherwise,
            Data::Unknown(unknown) => {
                let value = Value::unknown(None, unknown.because.clone());
                return Ok(value.tainted(condition.secret));
            }
            _ => return self.wrong_condition(&condition, ternary.condition.span),
        };
        Ok(self.value(taken, scope)?.tainted(condition.secret))
    }

    pub(crate) fn wrong_condition<T>(&self, value: &Value, span: Span) -> Result<T, Vec<Problem>> {
        let found = describe(value);
        let message = format!("a condition is true or false, and this is {found}");
        self.fail(codes::WRONG_CONDITION, span, message)
    }

    /// The value of a variable, computed once.
    fn variable(&self, index: usize) -> Evaluated {
        let variable = &self.unit.variables[index];
        if !variable.reaches_resource {
            if let Some(value) = self.facts.variables[index].get() {
                return value.clone();
            }
        } else if let Some(value) = self.variables.borrow().get(&index) {
            return value.clone();
        }
        let value = self.value(&variable.value, Scope::EMPTY);
        let value = value.and_then(|value| match &variable.value_type {
            Some(declared) => match self.table().check(declared, &value) {
                Ok(()) => Ok(value),
                Err(misfit) => {
                    let what = format!("the variable `{}`", variable.name.text);
                    let span = variable.value.span;
                    self.fail(codes::WRONG_TYPE, span, misfit.describe(&what))
                }
            },
            None => Ok(value),
        });
        if variable.reaches_resource {
            self.variables.borrow_mut().insert(index, value.clone());
        } else {
            // Somebody else may have been faster, with the same value.
            let _ = self.facts.variables[index].set(value.clone());
        }
        value
    }

    /// Computes a variable so that whoever needs it finds it; what is wrong with it is told only there.
    pub(crate) fn prepare_variable(&self, index: usize) {
        let _ = self.variable(index);
    }

    /// The value of a parameter: what was given, or its default, checked once.
    pub(crate) fn parameter(&self, index: usize) -> Evaluated {
        if let Some(value) = self.facts.parameters[index].get() {
            return value.clone();
        }
        let outer = self.parameter.replace(Some(index));
        let value = self.checked_parameter(index);
        self.parameter.set(outer);
        let _ = self.facts.parameters[index].set(value.clone());
        value
    }

    fn checked_parameter(&self, index: usize) -> Evaluated {
        let declared = &self.unit.parameters[index];
        let name = &declared.name;
        let given = self.facts.inputs.parameters.get(&*name.text);
        let value = match (given, &declared.default) {
            (Some(given), _) => {
                let value = Value::from_json(given, declared.secure);
                self.check_given(declared, &value)?;
                value
            }
            (None, Some(default)) => {
                let value = self.value(default, Scope::EMPTY)?;
                if let Err(misfit) = self.table().check(&declared.value_type, &value) {
                    let what = format!("the default of `{}`", name.text);
                    return self.fail(codes::WRONG_TYPE, default.span, misfit.describe(&what));
                }
                let what = format!("the default of `{}`", name.text);
                self.check_bounds(&declared.bounds, &value, &what, default.span)?;
                value
            }
            (None, None) if self.table().is_nullable(&declared.value_type) => Value::NULL,
            (None, None) => match self.facts.inputs.missing {
                MissingParameter::Unknown => Value::unknown(
                    self.table().kind(&declared.value_type),
                    Because::Parameter(name.text.clone()),
                ),
                MissingParameter::Refused => {
                    let message = format!("the parameter `{}` has no value", name.text);
                    let hint = format!("give one with `-p {}=…`, or write a default", name.text);
                    let diagnostic = Diagnostic::error(codes::MISSING_PARAMETER, message);
                    return Err(vec![self.problem(diagnostic.at(name.span, "").hint(hint))]);
                }
            },
        };
        Ok(if declared.secure { all_secret(value) } else { value })
    }

    /// The declared types.
    pub(crate) fn table(&self) -> Table<'a> {
        Table::of(&self.units.list)
    }

    pub(crate) fn problem(&self, diagnostic: Diagnostic) -> Problem {
        Problem { file: self.unit.file.clone(), diagnostic }
    }

    /// A problem at a place.
    pub(crate) fn fail<T>(
        &self,
        code: Code,
        span: Span,
        message: impl Into<String>,
    ) -> Result<T, Vec<Problem>> {
        Err(vec![self.problem(Diagnostic::error(code, message).at(span, ""))])
    }

    /// The same, with what to do about it.
    pub(crate) fn fail_with<T>(
        &self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Result<T, Vec<Problem>> {
        Err(vec![self.problem(Diagnostic::error(code, message).at(span, "").hint(hint))])
    }
}

/// A value whose every part is secret.
fn all_secret(value: Value) -> Value {
    let data = match value.data {
        Data::Array(items) => {
            Data::Array(std::sync::Arc::new(items.iter().cloned().map(all_secret).collect()))
        }
        Data::Object(members) => {
            let members = members.iter().map(|(name, it)| (name.clone(), all_secret(it.clone())));
            Data::Object(std::sync::Arc::new(members.collect()))
        }
        data => data,
    };
    Value { data, secret: true }
}
