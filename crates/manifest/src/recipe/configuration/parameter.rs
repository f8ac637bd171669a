//! Which values the module is passed: parameters over each other, the context, and what is missing.

use std::collections::BTreeMap;

use hangar_diag::nearest;
use serde_json::Value;

use super::{ConfigurationProblem, Parts};
use crate::recipe::expression;

/// The name of the variable by which a module asks for the context.
const CONTEXT: &str = "context";

/// One value that the module is passed.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) value: Value,
    pub(super) is_sensitive: bool,
}

/// The inputs by name; all that is wrong with them goes to `problems`.
pub(super) fn inputs(parts: &Parts<'_>, problems: &mut Vec<ConfigurationProblem>) -> Vec<Input> {
    let declared = &parts.module.variables;
    let wants_context = declared.contains_key(CONTEXT);
    let context = parts.context.to_value();
    let mut values = BTreeMap::new();
    for (name, given) in merged(parts) {
        if name == CONTEXT && wants_context {
            problems.push(ConfigurationProblem::ContextGiven);
        } else if !declared.contains_key(name) {
            let near =
                nearest(name, declared.keys().map(String::as_str).filter(|it| *it != CONTEXT));
            let near = near.map(str::to_owned);
            problems.push(ConfigurationProblem::UnknownParameter { name: name.to_owned(), near });
        } else if wants_context {
            values.insert(name, given.clone());
        } else {
            let mut errors = Vec::new();
            values.insert(name, expression::resolve(given, &context, &mut errors));
            problems.extend(errors.into_iter().map(|error| ConfigurationProblem::Expression {
                parameter: name.to_owned(),
                error,
            }));
        }
    }
    // An expression may come to null, and a null is no value.
    values.retain(|_, value| !value.is_null());
    if wants_context {
        values.insert(CONTEXT, context);
    }
    let failed: Vec<&str> = problems.iter().filter_map(failed_parameter).collect();
    let missing: Vec<_> = declared
        .values()
        .filter(|it| it.required && !values.contains_key(it.name.as_str()))
        .filter(|it| !failed.contains(&it.name.as_str()))
        .map(|it| ConfigurationProblem::MissingParameter {
            name: it.name.clone(),
            type_text: it.type_text.clone(),
        })
        .collect();
    problems.extend(missing);
    values
        .into_iter()
        .map(|(name, value)| Input {
            name: name.to_owned(),
            value,
            is_sensitive: declared.get(name).is_some_and(|it| it.sensitive)
                || parts.secret_parameters.contains(name),
        })
        .collect()
}

/// The parameters, later ones over earlier ones; null takes a value away.
fn merged<'a>(parts: &Parts<'a>) -> BTreeMap<&'a str, &'a Value> {
    let mut merged = BTreeMap::new();
    for (name, value) in parts.parameters.iter().copied().flatten() {
        merged.insert(name.as_str(), value);
    }
    merged.retain(|_, value| !value.is_null());
    merged
}

/// A parameter whose expression failed is there, whatever else is wrong with it.
fn failed_parameter(problem: &ConfigurationProblem) -> Option<&str> {
    match problem {
        ConfigurationProblem::Expression { parameter, .. } => Some(parameter),
        _ => None,
    }
}
