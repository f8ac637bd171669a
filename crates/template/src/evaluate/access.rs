//! Members and indices: how far a chain such as `a.b[0].?c` gets, step by step.
//!
//! A chain that begins at a resource is not read member by member: what of it is known depends on the
//! whole path, so the steps are gathered and read at once (`resource`).

use std::sync::Arc;

use hangar_diag::{Diagnostic, Span};

use super::module::ModuleAt;
use super::{Evaluated, Evaluator, Scope};
use crate::codes;
use crate::ir::{Expression, ExpressionKind, Index};
use crate::near::near;
use crate::source::Problem;
use crate::types::describe;
use crate::value::{Because, Data, Value};

/// How far a chain has got.
pub(super) enum Reached {
    Value(Value),
    /// One resource.
    Resource(At),
    /// All resources of a loop.
    Collection(usize),
    /// Something in the properties of a resource.
    Properties(At, Vec<Step>),
    /// One module.
    Module(ModuleAt),
    /// All modules of a loop.
    Modules(usize),
    /// The outputs of a module.
    Outputs(ModuleAt),
    /// A resource that is not there: a condition left it out, or none was found.
    Missing(Absence),
    /// A safe step found nothing: the rest of the chain is not looked at.
    Nothing {
        secret: bool,
    },
}

/// An instance of a resource.
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    pub(super) resource: usize,
    pub(super) instance: usize,
}

/// Why a resource or module is not there, with its name.
#[derive(Debug, Clone)]
pub(super) enum Absence {
    LeftOut(Arc<str>),
    NotFound(Arc<str>),
}

/// One step of a chain.
pub(super) struct Step {
    pub(super) to: To,
    pub(super) span: Span,
    pub(super) safe: bool,
}

pub(super) enum To {
    Member(Arc<str>),
    Item { index: i64, from_end: bool },
}

impl To {
    /// The position in a list of so many items.
    pub(super) fn position(&self, count: usize) -> Option<usize> {
        match self {
            Self::Member(_) => None,
            Self::Item { index, from_end } => {
                let index = usize::try_from(*index).ok()?;
                let position = if *from_end { count.checked_sub(index)? } else { index };
                (position < count).then_some(position)
            }
        }
    }
}

impl Evaluator<'_> {
    /// What a chain comes to.
    pub(super) fn access(&self, expression: &Expression, scope: Scope<'_>) -> Evaluated {
        let reached = self.reach(expression, scope)?;
        self.settle(reached)
    }

    /// The same, where a resource that is not there is null whatever is read of it.
    pub(super) fn access_or_null(&self, expression: &Expression, scope: Scope<'_>) -> Evaluated {
        if let Some(base) = root_of(expression)
            && let Reached::Missing(_) = self.reach(base, scope)?
        {
            return Ok(Value::NULL);
        }
        self.value(expression, scope)
    }

    pub(super) fn reach(
        &self,
        expression: &Expression,
        scope: Scope<'_>,
    ) -> Result<Reached, Vec<Problem>> {
        match &expression.kind {
            ExpressionKind::Resource(resource) => self.reach_resource(*resource, expression.span),
            ExpressionKind::Module(module) => Ok(self.reach_module(*module)),
            ExpressionKind::Member(member) => {
                let base = self.reach_base(&member.base, scope)?;
                let to = To::Member(member.name.text.clone());
                self.step(base, Step { to, span: member.name.span, safe: member.safe })
            }
            ExpressionKind::Index(index) => {
                let base = self.reach_base(&index.base, scope)?;
                self.index(base, index, scope)
            }
            ExpressionKind::NonNull(base) | ExpressionKind::Any(base) => {
                self.reach_base(base, scope)
            }
            _ => Ok(Reached::Value(self.value(expression, scope)?)),
        }
    }

    fn reach_base(&self, base: &Expression, scope: Scope<'_>) -> Result<Reached, Vec<Problem>> {
        self.enter(base.span)?;
        let reached = self.reach(base, scope);
        self.leave();
        reached
    }

    fn index(
        &self,
        base: Reached,
        index: &Index,
        scope: Scope<'_>,
    ) -> Result<Reached, Vec<Problem>> {
        if matches!(base, Reached::Nothing { .. }) {
            return Ok(base);
        }
        let value = self.value(&index.at, scope)?;
        let (span, safe) = (index.at.span, index.safe);
        let to = match &value.data {
            Data::Int(number) => To::Item { index: *number, from_end: index.from_end },
            Data::String(text) if !index.from_end => To::Member(text.clone()),
            Data::Unknown(unknown) => {
                let unknown = Value::unknown(None, unknown.because.clone());
                return Ok(Reached::Value(unknown.tainted(value.secret)));
            }
            _ => {
                let message =
                    format!("the index must be an `int` or a `string`, found {}", describe(&value));
                return self.fail(codes::LIST_INDEX, span, message);
            }
        };
        let reached = self.step(base, Step { to, span, safe })?;
        Ok(match reached {
            // Which part it is tells something of the index.
            Reached::Value(part) => Reached::Value(part.tainted(value.secret)),
            other => other,
        })
    }

    fn step(&self, base: Reached, step: Step) -> Result<Reached, Vec<Problem>> {
        match base {
            Reached::Value(value) => self.step_into(&value, &step),
            Reached::Resource(at) => self.step_into_resource(at, &step),
            Reached::Collection(resource) => self.step_into_collection(resource, &step),
            Reached::Properties(at, mut steps) => {
                steps.push(step);
                Ok(Reached::Properties(at, steps))
            }
            Reached::Module(at) => self.step_into_module(at, &step),
            Reached::Modules(module) => self.step_into_modules(module, &step),
            Reached::Outputs(at) => self.step_into_outputs(at, &step),
            Reached::Missing(_) if step.safe => Ok(Reached::Nothing { secret: false }),
            Reached::Missing(absence) => self.not_there(absence, step.span),
            Reached::Nothing { .. } => Ok(base),
        }
    }

    fn step_into(&self, value: &Value, step: &Step) -> Result<Reached, Vec<Problem>> {
        match self.part(value, step)? {
            Some(part) if step.safe && matches!(part.data, Data::Null) => {
                Ok(Reached::Nothing { secret: value.secret })
            }
            Some(part) => Ok(Reached::Value(part)),
            None if step.safe => Ok(Reached::Nothing { secret: value.secret }),
            None => Err(vec![self.no_such_part(value, step)]),
        }
    }

    /// A part of a value; nothing where it has none there.
    pub(super) fn part(&self, value: &Value, step: &Step) -> Result<Option<Value>, Vec<Problem>> {
        let part = match (&value.data, &step.to) {
            (Data::Unknown(unknown), to) => {
                Some(Value::unknown(None, further(&unknown.because, to)))
            }
            (Data::Object(members), To::Member(name)) => members.get(name).cloned(),
            (Data::Array(items), to @ To::Item { .. }) => {
                to.position(items.len()).map(|at| items[at].clone())
            }
            (Data::Null, _) => return Ok(None),
            (Data::Array(_), To::Member(_)) => {
                let message = "the index of an array must be an `int`";
                return self.fail(codes::LIST_INDEX, step.span, message);
            }
            (Data::Object(_), To::Item { .. }) => {
                let message = "the index of an object must be a `string`, the name of a property";
                return self.fail(codes::OBJECT_INDEX, step.span, message);
            }
            (_, To::Member(name)) => {
                let message = format!(
                    "cannot read the property `{name}` of {}: only objects have properties",
                    describe(value)
                );
                return self.fail(codes::NO_PROPERTIES, step.span, message);
            }
            (_, To::Item { .. }) => {
                let message =
                    format!("only arrays and objects can be indexed, found {}", describe(value));
                return self.fail(codes::NOT_INDEXED, step.span, message);
            }
        };
        Ok(part.map(|part| part.tainted(value.secret)))
    }

    fn no_such_part(&self, value: &Value, step: &Step) -> Problem {
        match &value.data {
            Data::Array(items) => self.no_such_item(items.len(), step),
            // The names of a secret object are part of the secret.
            Data::Object(_) if value.secret => self.no_such_member(std::iter::empty(), step),
            Data::Object(members) => self.no_such_member(members.keys().map(AsRef::as_ref), step),
            _ => {
                let message = "cannot read a property or an item: the value is null";
                let hint = "use `.?` if the value may be null";
                let diagnostic = Diagnostic::error(codes::NULL_READ, message);
                self.problem(diagnostic.at(step.span, "").hint(hint))
            }
        }
    }

    pub(super) fn no_such_item(&self, count: usize, step: &Step) -> Problem {
        let message = match (&step.to, count) {
            (_, 0) => "the array is empty".to_owned(),
            (To::Item { index, from_end: true }, _) => {
                format!(
                    "the index {index} from the end is out of range: the array has length {count}, counted from 1"
                )
            }
            (To::Item { index, .. }, _) => {
                format!(
                    "the index {index} is out of range: the array has length {count}, counted from 0"
                )
            }
            (To::Member(_), _) => "the index of an array must be an `int`".to_owned(),
        };
        self.problem(Diagnostic::error(codes::NO_SUCH_ITEM, message).at(step.span, ""))
    }

    pub(super) fn no_such_member<'n>(
        &self,
        names: impl Iterator<Item = &'n str>,
        step: &Step,
    ) -> Problem {
        const SHOWN: usize = 12;
        let To::Member(name) = &step.to else {
            return self.no_such_item(0, step);
        };
        // Names in large documents are not compared one by one.
        let names: Vec<&str> = names.take(2_000).collect();
        let message = format!("the property `{name}` does not exist on the object");
        let diagnostic = match near(name, names.iter().copied()) {
            Some(near) => Diagnostic::error(codes::NO_SUCH_PROPERTY_NEAR, message)
                .hint(format!("did you mean `{near}`?")),
            None if names.is_empty() => Diagnostic::error(codes::EMPTY_OBJECT, message),
            None => {
                let more = if names.len() > SHOWN { ", …" } else { "" };
                let shown: Vec<_> = names.iter().take(SHOWN).map(|it| format!("`{it}`")).collect();
                Diagnostic::error(codes::NO_SUCH_PROPERTY, message)
                    .hint(format!("available properties: {}{more}", shown.join(", ")))
            }
        };
        let mut problem = self.problem(diagnostic);
        problem.diagnostic = problem.diagnostic.at(step.span, "");
        problem
    }
}

/// The resource that a chain begins at, as an expression: a name, or a name with an index.
fn root_of(expression: &Expression) -> Option<&Expression> {
    match &expression.kind {
        ExpressionKind::Resource(_) | ExpressionKind::Module(_) => Some(expression),
        ExpressionKind::Index(index)
            if matches!(
                index.base.kind,
                ExpressionKind::Resource(_) | ExpressionKind::Module(_)
            ) =>
        {
            Some(expression)
        }
        ExpressionKind::Member(member) => root_of(&member.base),
        ExpressionKind::Index(index) => root_of(&index.base),
        ExpressionKind::NonNull(base) | ExpressionKind::Any(base) => root_of(base),
        _ => None,
    }
}

/// What a part of an unknown value waits for.
fn further(because: &Because, to: &To) -> Because {
    match because {
        Because::Resource { node, address, pointer } => {
            let pointer = format!("{pointer}{}", segment(to)).into();
            Because::Resource { node: *node, address: address.clone(), pointer }
        }
        other => other.clone(),
    }
}

/// A step as a part of an RFC 6901 pointer.
pub(super) fn segment(to: &To) -> String {
    match to {
        To::Member(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
        To::Item { index, from_end: false } => format!("/{index}"),
        To::Item { .. } => "/-".to_owned(),
    }
}
