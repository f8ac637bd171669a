//! Computes an expression with the resources that a scope knows.
//!
//! Work and sizes are counted together: each value that is made costs its weight, so that no expression
//! takes more than [`MOST_WORK`]. `operate` has the operators, `collect` lists, objects and `for`,
//! `template` the texts, `traverse` what leads into a value and to a resource.

mod collect;
mod operate;
mod template;
mod traverse;

use hangar_diag::Span;
use hangar_ids::{InstanceKey, ResourceMode};

use super::error::EvaluateError;
use super::expression::{Call, Expression, Kind, Literal};
use super::function::{self, Problem};
use super::value::{Data, Datum};
use crate::deployed::LookupError;
use crate::state::Warning;

/// Values made while one expression is computed, and 64 bytes of text as one more.
const MOST_WORK: usize = 2_000_000;

/// Who knows the values of resources.
pub(crate) trait Scope {
    /// How much it takes to load this, in values as they are counted here.
    fn cost(&self, reference: &Reference<'_>) -> usize;

    /// The value of a resource, of an instance, or of one attribute of it.
    fn load(&self, reference: &Reference<'_>) -> Result<Loaded, LookupError>;
}

/// What an expression refers to.
#[derive(Debug)]
pub(crate) struct Reference<'e> {
    pub(crate) mode: ResourceMode,
    pub(crate) type_name: &'e str,
    pub(crate) name: &'e str,
    /// The instance, where a key follows.
    pub(crate) key: Option<InstanceKey>,
    /// The attribute, where a name follows.
    pub(crate) attribute: Option<&'e str>,
}

/// What was found, and what is odd about it.
pub(crate) struct Loaded {
    pub(crate) datum: Datum,
    pub(crate) warnings: Vec<Warning>,
}

pub(crate) fn evaluate(
    expression: &Expression,
    scope: &dyn Scope,
) -> Result<Loaded, EvaluateError> {
    let mut evaluator = Evaluator { scope, locals: Vec::new(), work: 0, warnings: Vec::new() };
    let datum = evaluator.value(expression)?;
    Ok(Loaded { datum, warnings: evaluator.warnings })
}

type Evaluated = Result<Datum, EvaluateError>;

struct Evaluator<'s> {
    scope: &'s dyn Scope,
    /// What the `for`s around name, the innermost last.
    locals: Vec<(String, Datum)>,
    work: usize,
    warnings: Vec<Warning>,
}

impl Evaluator<'_> {
    fn value(&mut self, expression: &Expression) -> Evaluated {
        let span = expression.span;
        self.spend(1, span)?;
        let datum = match &expression.kind {
            Kind::Literal(literal) => Datum::new(match literal {
                Literal::Null => Data::Null,
                Literal::Bool(is_true) => Data::Bool(*is_true),
                Literal::Number(number) => Data::Number(number.clone()),
                Literal::Text(text) => Data::Text(text.clone()),
            }),
            Kind::Template(parts) => self.template(parts, span)?,
            Kind::List(elements) => self.list(elements)?,
            Kind::Object(members) => self.object(members)?,
            Kind::For(parts) => self.for_each(parts)?,
            Kind::Unary(sign, operand) => self.unary(*sign, operand)?,
            Kind::Chain(first, rest) => self.chain(first, rest)?,
            Kind::Choice(parts) => self.choice(parts)?,
            Kind::Variable(name) => self.traverse(name, &[], span)?,
            Kind::Call(call) => self.call(call, span)?,
            Kind::Traverse(base, steps) => {
                if let Kind::Variable(name) = &base.kind {
                    self.traverse(name, steps, base.span)?
                } else {
                    let datum = self.value(base)?;
                    self.walk(datum, steps)?
                }
            }
        };
        self.spend(datum.weight(), span)?;
        Ok(datum)
    }

    fn spend(&mut self, work: usize, span: Span) -> Result<(), EvaluateError> {
        self.work = self.work.saturating_add(work);
        if self.work > MOST_WORK {
            return Err(EvaluateError::TooMuch { span });
        }
        Ok(())
    }

    fn call(&mut self, call: &Call, span: Span) -> Evaluated {
        let name = call.name.strip_prefix("core::").unwrap_or(&call.name);
        match name {
            "try" => return self.first_that_works(call, span),
            "can" => return self.can(call, span),
            _ => {}
        }
        let function = match function::find(name) {
            Ok(function) => function,
            Err(why) => {
                let (name, span) = (call.name.clone(), call.name_span);
                return Err(match why {
                    Some(why) => EvaluateError::RefusedFunction { name, why, span },
                    None => EvaluateError::UnknownFunction { name, span },
                });
            }
        };
        let arguments = self.arguments(call)?;
        function.run(arguments).map_err(|problem| match problem {
            Problem::Wrong(problem) => {
                EvaluateError::Arguments { function: name.to_owned(), problem, span }
            }
            Problem::Refused(why) => {
                EvaluateError::RefusedFunction { name: name.to_owned(), why, span }
            }
            Problem::TooMuch => EvaluateError::TooMuch { span },
        })
    }

    fn arguments(&mut self, call: &Call) -> Result<Vec<Datum>, EvaluateError> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            arguments.push(self.value(argument)?);
        }
        if !call.expands {
            return Ok(arguments);
        }
        let Some(last) = arguments.pop() else { return Ok(arguments) };
        let noun = last.noun();
        match last.data {
            Data::List(items) | Data::Set(items) => {
                arguments.extend(items.into_iter().map(|item| item.marked(last.sensitive)));
                Ok(arguments)
            }
            _ => Err(EvaluateError::Arguments {
                function: call.name.clone(),
                problem: format!("the argument before `...` must be a list, not {noun}"),
                span: call.name_span,
            }),
        }
    }

    /// `try(a, b, …)`: the first that has a value.
    fn first_that_works(&mut self, call: &Call, span: Span) -> Evaluated {
        for argument in &call.arguments {
            match self.value(argument) {
                Err(error) if error.is_soft() => {}
                result => return result,
            }
        }
        Err(EvaluateError::Arguments {
            function: "try".to_owned(),
            problem: "no argument has a value".to_owned(),
            span,
        })
    }

    fn can(&mut self, call: &Call, span: Span) -> Evaluated {
        let [argument] = call.arguments.as_slice() else {
            let problem = format!("it takes 1 argument, not {}", call.arguments.len());
            return Err(EvaluateError::Arguments { function: "can".to_owned(), problem, span });
        };
        match self.value(argument) {
            Ok(_) => Ok(Datum::bool(true)),
            Err(error) if error.is_soft() => Ok(Datum::bool(false)),
            Err(error) => Err(error),
        }
    }
}

fn wrong(span: Span, problem: impl Into<String>) -> EvaluateError {
    EvaluateError::Operation { problem: problem.into(), span }
}
