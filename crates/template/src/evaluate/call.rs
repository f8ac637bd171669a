//! Calls of functions, and what they may ask.

use std::sync::Arc;

use hangar_diag::{Diagnostic, Span};

use super::guid::guid;
use super::{Evaluated, Evaluator, Scope};
use crate::codes;
use crate::deployment::Inputs;
use crate::functions::{Argument, Call, Context, Fault, Lambda as Callable};
use crate::ir::{Call as Called, Environment, Expression, ExpressionKind, Lambda, Method};
use crate::path;
use crate::source::{Problem, add};
use crate::types::describe;
use crate::value::{Because, Data, Kind, Value};

/// The hint for functions that only Azure answers.
const ASKS_AZURE: &str =
    "only Azure can evaluate it; pass its value as a parameter, with `@secure()` if it is a secret";

impl Evaluator<'_> {
    pub(super) fn call(&self, call: &Called, scope: Scope<'_>, span: Span) -> Evaluated {
        let lambdas: Vec<Option<Box<Callable<'_>>>> =
            call.arguments.iter().map(|it| self.callable(it, scope)).collect();
        let mut arguments = Vec::with_capacity(lambdas.len());
        let mut problems = Vec::new();
        for (argument, lambda) in call.arguments.iter().zip(&lambdas) {
            match lambda {
                Some(lambda) => arguments.push(Argument::Lambda(&**lambda)),
                None => match self.value(argument, scope) {
                    Ok(value) => arguments.push(Argument::Value(value)),
                    Err(found) => add(&mut problems, found),
                },
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let asked = Asked { evaluator: self, extension: call.extension };
        match call.function.call(Call { arguments, context: &asked }) {
            Ok(value) => {
                let name = call.function.name;
                self.weighed_result(
                    value,
                    name.contains("Json") || name.contains("Yaml") || name == "json",
                    span,
                )
            }
            Err(fault) => Err(self.told(fault, call, span)),
        }
    }

    fn callable<'s>(
        &'s self,
        argument: &'s Expression,
        scope: Scope<'s>,
    ) -> Option<Box<Callable<'s>>> {
        let ExpressionKind::Lambda(lambda) = &argument.kind else { return None };
        Some(Box::new(move |values: &[Value]| {
            self.apply(lambda, lambda.level, values, scope).map_err(Fault::Inner)
        }))
    }

    /// The body of a lambda, with its variables from `level` on bound to `values`.
    fn apply(
        &self,
        lambda: &Lambda,
        level: usize,
        values: &[Value],
        scope: Scope<'_>,
    ) -> Evaluated {
        match values {
            [first, rest @ ..] if level < lambda.level + lambda.names.len() => {
                let local = scope.local_at(level, first);
                self.apply(lambda, level + 1, rest, Scope::inside(&local))
            }
            _ => self.value(&lambda.body, scope),
        }
    }

    fn told(&self, fault: Fault, call: &Called, span: Span) -> Vec<Problem> {
        match fault {
            Fault::Inner(problems) => problems,
            Fault::Wrong { argument, message, hint } => {
                let at = argument.and_then(|it| call.arguments.get(it)).map_or(span, |it| it.span);
                let is_supported = !call.function.is_only_in_azure();
                let code = if is_supported { codes::FUNCTION_FAILED } else { codes::NOT_SUPPORTED };
                let mut diagnostic = Diagnostic::error(code, message).at(at, "");
                diagnostic.hints.extend(hint);
                vec![self.problem(diagnostic)]
            }
        }
    }

    /// A call that only Azure, or the tool that deploys to it, answers.
    pub(super) fn foreign_call(&self, method: &Method) -> Evaluated {
        let (name, span) = (&*method.name.text, method.name.span);
        let (message, hint) = match (&method.base, name) {
            (None, "externalInput") => (
                "the value of `externalInput` comes from the tool that deploys to Azure, not from Hangar".to_owned(),
                "write `readEnvironmentVariable('NAME')`, or pass the value with `-p NAME=VALUE`; `hangar \
                build-params` supports it for Azure",
            ),
            (None, "getSecret") => (
                "only Azure can read the secrets of a key vault".to_owned(),
                "write `readEnvironmentVariable('NAME')`, or pass the value with `-p NAME=env:VARIABLE`; \
                `hangar build-params` supports it for Azure",
            ),
            (Some(_), _) => {
                let what = format!("resource functions, such as `{name}`, are");
                (format!("{what} not supported yet"), ASKS_AZURE)
            }
            (None, _) => (format!("the function `{name}` is not supported yet"), ASKS_AZURE),
        };
        self.fail_with(codes::NOT_SUPPORTED, span, message, hint)
    }

    /// `readEnvironmentVariable(name, default)`: a parameters file has its environment as parameters.
    pub(super) fn environment(&self, environment: &Environment, scope: Scope<'_>) -> Evaluated {
        let span = environment.name.span;
        let name = self.value(&environment.name, scope)?;
        let Data::String(text) = &name.data else {
            let message = format!(
                "expected a `string` as the name of the environment variable, found {}",
                describe(&name)
            );
            return self.fail(codes::WRONG_ARGUMENT, span, message);
        };
        if let Some(value) = self.shared.facts.inputs.parameters.get(&**text) {
            return Ok(Value::from_json(value, false));
        }
        let Some(default) = &environment.default else {
            let message = format!("the environment variable `{text}` is not set");
            let hint = "set it, or pass a default as the second argument";
            return self.fail_with(codes::NO_ENVIRONMENT_VARIABLE, span, message, hint);
        };
        let value = self.value(default, scope)?;
        match value.kind() {
            Some(Kind::String) | None => Ok(value),
            _ => {
                let message = format!(
                    "expected a `string` as the default of the environment variable, \
                                      found {}",
                    describe(&value)
                );
                self.fail(codes::WRONG_ARGUMENT, default.span, message)
            }
        }
    }
}

/// What a function may ask.
struct Asked<'a> {
    evaluator: &'a Evaluator<'a>,
    extension: Option<usize>,
}

impl Context for Asked<'_> {
    fn inputs(&self) -> &Inputs {
        let frame = self.evaluator.frame;
        let settings = self.extension.and_then(|it| frame.settings.get(it)?.get());
        let settings = settings.and_then(|it| it.inputs.as_deref());
        settings.or(frame.inputs.as_ref()).unwrap_or(&self.evaluator.shared.facts.inputs)
    }

    fn file(&self, path: &str) -> Result<Arc<[u8]>, Fault> {
        let unit = self.evaluator.unit;
        let Some(resolved) = path::resolve(&unit.file, path) else {
            return Err(Fault::call(format!("`{path}` is outside the project"))
                .hint("only files inside the project folder can be read"));
        };
        let content = unit.sources.get(&resolved).cloned();
        content.ok_or_else(|| Fault::call(format!("the file `{resolved}` was not found")))
    }

    fn now(&self) -> Option<i64> {
        let shared = self.evaluator.shared;
        match &*shared.parameter.borrow() {
            Some(evaluating) => evaluating.now,
            None => shared.facts.inputs.now,
        }
    }

    fn folder(&self, path: &str) -> Result<Vec<String>, Fault> {
        let unit = self.evaluator.unit;
        let files = unit.sources.folder(&unit.file, path);
        files.ok_or_else(|| Fault::call(format!("`{path}` is outside the project")))
    }

    fn next_guid(&self) -> Value {
        let shared = self.evaluator.shared;
        let parameter = shared.parameter.borrow();
        let (seed, name) = match &*parameter {
            Some(evaluating) => (evaluating.seed, evaluating.address.as_str()),
            None => (shared.facts.inputs.seed, ""),
        };
        let Some(seed) = seed else {
            return Value::unknown(Some(Kind::String), Because::Moment);
        };
        let count = shared.guids.get();
        shared.guids.set(count + 1);
        Value::string(guid(seed, name, count))
    }
}
