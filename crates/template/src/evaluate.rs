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
mod module;
mod moment;
mod operator;
mod output;
mod prepare;
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
use crate::types::{Table, Type, describe};
use crate::value::{Because, Data, Value};
pub(crate) use facts::{
    Facts, Frame, Instance, ModuleInstance, Origin, Round, Settings, position, with_round,
};
pub(crate) use limits::MOST_NODES;
pub(crate) use operator::is_equal;
pub(crate) use scope::Scope;

/// A value, or what is wrong.
pub(crate) type Evaluated = Result<Value, Vec<Problem>>;

/// One state of the world, and what was computed in it.
pub(crate) struct Shared<'a> {
    pub(crate) units: &'a Units,
    pub(crate) facts: &'a Facts,
    known: &'a dyn Known,
    /// Parameters of modules, by frame: what they are given may reach a resource.
    parameters: RefCell<HashMap<(usize, usize), Evaluated>>,
    /// Variables that reach a resource, and those of modules, by frame: others have the same value whatever is known.
    variables: RefCell<HashMap<(usize, usize), Evaluated>>,
    /// Outputs, by frame.
    outputs: RefCell<HashMap<(usize, usize), Evaluated>>,
    /// Parts of bodies, by frame, resource, instance and place.
    stated: RefCell<HashMap<(usize, usize, usize, Span), Evaluated>>,
    /// The parameter whose default is evaluated.
    parameter: RefCell<Option<moment::Evaluating>>,
    guids: Cell<u64>,
    used: Cell<limits::Used>,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(units: &'a Units, facts: &'a Facts, known: &'a dyn Known) -> Self {
        Self {
            units,
            facts,
            known,
            parameters: RefCell::default(),
            variables: RefCell::default(),
            outputs: RefCell::default(),
            stated: RefCell::default(),
            parameter: RefCell::default(),
            guids: Cell::new(0),
            used: Cell::default(),
        }
    }

    /// The evaluator of the template itself.
    pub(crate) fn root(&'a self) -> Evaluator<'a> {
        Evaluator { shared: self, frame: &self.facts.root, unit: self.units.entry() }
    }
}

/// Evaluates the expressions of one frame in one state of the world.
#[derive(Clone, Copy)]
pub(crate) struct Evaluator<'a> {
    pub(crate) shared: &'a Shared<'a>,
    pub(crate) frame: &'a Frame,
    /// The file of the frame.
    pub(crate) unit: &'a Unit,
}

impl<'a> Evaluator<'a> {
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
            | ExpressionKind::Module(_)
            | ExpressionKind::Member(_)
            | ExpressionKind::Index(_)
            | ExpressionKind::NonNull(_)
            | ExpressionKind::Any(_) => self.access(expression, scope),
            ExpressionKind::Not(operand) => self.not(operand, scope, expression.span),
            ExpressionKind::Negate(operand) => self.negate(operand, scope, expression.span),
            ExpressionKind::Binary(binary) => self.binary(binary, scope, expression.span),
            ExpressionKind::Ternary(ternary) => self.ternary(ternary, scope),
            ExpressionKind::Call(call) => self.call(call, scope, expression.span),
            ExpressionKind::Loop(repeat) => self.repeat(repeat, scope, expression.span),
            ExpressionKind::Environment(environment) => self.environment(environment, scope),
            // Never evaluated: a lambda is called by its function.
            ExpressionKind::Lambda(_) => Ok(Value::NULL),
            // A program with an error is only checked: what is wrong here is not known.
            ExpressionKind::Faulty => Ok(resource::unresolved()),
            ExpressionKind::Imported(imported) => self.imported(*imported),
            ExpressionKind::CallUser(call) => self.call_user(call, scope, expression.span),
            ExpressionKind::Method(method) => self.foreign_call(method),
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
        let message = format!("expected a `bool` as the condition, found {found}");
        self.fail(codes::WRONG_CONDITION, span, message)
    }

    /// Whether what reaches no resource has the same value whatever is known.
    const fn is_lasting(&self) -> bool {
        self.frame.origin.is_none()
    }

    /// The value of a variable, computed once.
    fn variable(&self, index: usize) -> Evaluated {
        let variable = &self.unit.variables[index];
        let key = (self.frame.id, index);
        let is_lasting = self.is_lasting() && !variable.reaches_resource;
        if is_lasting {
            if let Some(value) = self.frame.variables[index].get() {
                return value.clone();
            }
        } else if let Some(value) = self.shared.variables.borrow().get(&key) {
            return value.clone();
        }
        let value = self.value(&variable.value, Scope::EMPTY).and_then(|value| {
            if let Some(declared) = &variable.value_type {
                let what = format!("the variable `{}`", variable.name.text);
                self.fits(declared, &value, &what, &variable.value, codes::WRONG_TYPE)?;
            }
            Ok(value)
        });
        if is_lasting {
            // Somebody else may have been faster, with the same value.
            let _ = self.frame.variables[index].set(value.clone());
        } else {
            self.shared.variables.borrow_mut().insert(key, value.clone());
        }
        value
    }

    /// Computes a variable so that whoever needs it finds it; what is wrong with it is told only there.
    pub(crate) fn prepare_variable(&self, index: usize) {
        let _ = self.variable(index);
    }

    /// The value of a parameter: what was given, or its default, checked once.
    pub(crate) fn parameter(&self, index: usize) -> Evaluated {
        let key = (self.frame.id, index);
        if self.is_lasting() {
            if let Some(value) = self.frame.parameters[index].get() {
                return value.clone();
            }
        } else if let Some(value) = self.shared.parameters.borrow().get(&key) {
            return value.clone();
        }
        // What a default calls has the same answer whenever it is evaluated.
        let evaluating = self.evaluating(index);
        let outer = self.shared.parameter.replace(Some(evaluating));
        let guids = self.shared.guids.replace(0);
        let value = self.checked_parameter(index);
        self.shared.parameter.replace(outer);
        self.shared.guids.set(guids);
        if self.is_lasting() {
            let _ = self.frame.parameters[index].set(value.clone());
        } else {
            self.shared.parameters.borrow_mut().insert(key, value.clone());
        }
        value
    }

    fn checked_parameter(&self, index: usize) -> Evaluated {
        let declared = &self.unit.parameters[index];
        let name = &declared.name;
        let inputs = &self.shared.facts.inputs;
        let given = if self.frame.origin.is_some() {
            self.given_by_module(declared)?
        } else if let Some(given) = inputs.parameters.get(&*name.text) {
            let value = Value::from_json(given, declared.secure);
            self.check_given(declared, &value)?;
            Some(value)
        } else {
            None
        };
        let value = match (given, &declared.default) {
            (Some(given), _) => given,
            (None, Some(default)) => {
                self.note_new_moment(default);
                let value = self.value(default, Scope::EMPTY)?;
                let what = format!("the default of `{}`", name.text);
                self.fits(&declared.value_type, &value, &what, default, codes::WRONG_TYPE)?;
                self.check_bounds(&declared.bounds, &value, &what, default.span)?;
                value
            }
            (None, None) if self.table().is_nullable(&declared.value_type) => Value::NULL,
            (None, None) => match inputs.missing {
                MissingParameter::Unknown => Value::unknown(
                    self.table().kind(&declared.value_type),
                    Because::Parameter(name.text.clone()),
                ),
                MissingParameter::Refused => {
                    let message = format!("the parameter `{}` has no value", name.text);
                    let is_secure =
                        declared.secure || self.table().holds_secure(&declared.value_type);
                    let hint = how_to_give(&name.text, is_secure);
                    let diagnostic = Diagnostic::error(codes::MISSING_PARAMETER, message);
                    return Err(vec![self.problem(diagnostic.at(name.span, "").hint(hint))]);
                }
            },
        };
        let value = self.table().secured_type(&declared.value_type, value);
        Ok(if declared.secure { all_secret(value) } else { value })
    }

    /// Whether the value of an expression is of a type; where it is written out, the part that is not is told.
    pub(crate) fn fits(
        &self,
        wanted: &Type,
        value: &Value,
        what: &str,
        expression: &Expression,
        code: Code,
    ) -> Result<(), Vec<Problem>> {
        let Err(misfit) = self.table().check(wanted, value) else { return Ok(()) };
        let text = self.unit.sources.text(&self.unit.file).unwrap_or_default();
        let diagnostic = misfit.diagnostic(what, expression, code, text);
        Err(vec![self.problem(diagnostic)])
    }

    /// The declared types.
    pub(crate) fn table(&self) -> Table<'a> {
        Table::of(&self.shared.units.list)
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

/// The hint for a parameter without a value. The value of a secure one does not belong on the command line, where other
/// users see it and the shell keeps it.
fn how_to_give(name: &str, is_secure: bool) -> String {
    if is_secure {
        format!(
            "the parameter is secure: enter it at the prompt on a terminal, pass `-p {name}=@FILE` or `-p \
            {name}=env:VARIABLE`, or write `param {name} = readEnvironmentVariable('VARIABLE')` in a \
            .bicepparam file"
        )
    } else {
        format!("pass a value with `-p {name}=…`, or write a default")
    }
}
