//! A `.bicepparam` file as the parameters JSON of ARM, as Bicep's compiler writes it.
//!
//! Most values are evaluated here. Secrets of a key vault become references to it, and values that hang on
//! `externalInput()` become expressions: the tool that deploys to Azure resolves both.

mod expression;

use std::collections::{BTreeMap, HashMap};

use hangar_diag::{Diagnostic, Span};
use serde_json::Value as Data;

use super::expression::{Content, Expression};
use super::json::Json;
use crate::codes;
use crate::evaluate::{Evaluator, Scope};
use crate::ir::{self, Declared, ExpressionKind, Method, Unit, Variable};
use crate::parameters_file::{Assignments, ParametersFile, known_value, read_assignments};
use crate::source::{Problem, Sources};

const SCHEMA: &str =
    "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#";

/// The result of printing a parameters file.
#[derive(Debug)]
pub struct BuiltParameters {
    /// The parameters JSON; nothing if there is an error.
    pub json: Option<String>,
    /// The file as a deployment reads it: its template, the known values and the problems.
    pub file: ParametersFile,
    /// The parameters whose values only Azure knows.
    pub deferred: Vec<String>,
}

/// Prints a `.bicepparam` file, with the files that it extends, as parameters JSON.
pub fn build_parameters(
    sources: &Sources,
    entry: &str,
    environment: &BTreeMap<String, String>,
) -> BuiltParameters {
    let mut written = Written::default();
    let file = read_assignments(sources, entry, environment, &mut written);
    let is_wrong = file.problems.iter().any(Problem::is_error);
    let deferred = written.deferred();
    let json = (!is_wrong).then(|| written.into_json().to_string());
    BuiltParameters { json, file, deferred }
}

/// The members of the document while the files are read.
#[derive(Default)]
struct Written {
    entries: Vec<(String, Entry)>,
    definitions: Vec<(String, Json)>,
    /// The external inputs of the file that is read.
    inputs: ExternalInputs,
}

enum Entry {
    Value(Data),
    /// A value that only Azure knows: the member that stands in its place.
    Deferred(&'static str, Json),
}

/// The calls of `externalInput()` in one file.
#[derive(Default)]
struct ExternalInputs {
    /// The name of each call, by where it stands.
    names: HashMap<usize, String>,
    /// For each variable whether its value hangs on one.
    variables: Vec<bool>,
}

impl Written {
    fn deferred(&self) -> Vec<String> {
        let entries = self.entries.iter();
        let deferred = entries.filter(|(_, entry)| matches!(entry, Entry::Deferred(..)));
        deferred.map(|(name, _)| name.clone()).collect()
    }

    fn into_json(self) -> Json {
        let mut parameters = Json::object();
        for (name, entry) in self.entries {
            let (member, value) = match entry {
                Entry::Value(value) => ("value", Json::of(&value)),
                Entry::Deferred(member, value) => (member, value),
            };
            parameters.set(name, Json::object().with(member, value));
        }
        let mut json = Json::object()
            .with("$schema", Json::text(SCHEMA))
            .with("contentVersion", Json::text("1.0.0.0"))
            .with("parameters", parameters);
        if !self.definitions.is_empty() {
            let mut definitions = Json::object();
            for (name, definition) in self.definitions {
                definitions.set(name, definition);
            }
            json.set("externalInputDefinitions", definitions);
        }
        json
    }

    fn entry(&self, value: &Variable, evaluator: Evaluator<'_>) -> Result<Entry, Vec<Problem>> {
        if let ExpressionKind::Method(method) = &value.value.kind
            && method.base.is_none()
            && &*method.name.text == "getSecret"
        {
            let reference = self.secret(method, value.value.span, evaluator)?;
            return Ok(Entry::Deferred("reference", reference));
        }
        if !self.inputs.reaches(&value.value) {
            return known_value(value, evaluator).map(Entry::Value);
        }
        let expression = self.inputs.spell(&value.value, evaluator)?;
        let text = Content::Expression(expression).to_string();
        Ok(Entry::Deferred("expression", Json::text(text)))
    }

    /// `az.getSecret(subscription, group, vault, secret, version)`.
    fn secret(
        &self,
        method: &Method,
        span: Span,
        evaluator: Evaluator<'_>,
    ) -> Result<Json, Vec<Problem>> {
        let mut parts = Vec::new();
        for argument in &method.arguments {
            parts.push(self.inputs.spell(argument, evaluator)?);
        }
        let mut parts = parts.into_iter();
        let (Some(subscription), Some(group), Some(vault), Some(name), version, None) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        else {
            let message = "`getSecret` expects a subscription, a resource group, a vault, the name of a \
                          secret and optionally its version";
            return evaluator.fail(codes::ARGUMENT_COUNT, span, message);
        };
        let id = vault_id(subscription, group, vault);
        let mut reference = Json::object()
            .with("keyVault", Json::object().with("id", in_place(id)))
            .with("secretName", in_place(name));
        if let Some(version) = version {
            reference.set("secretVersion", in_place(version));
        }
        Ok(reference)
    }
}

impl Assignments for Written {
    fn begin(&mut self, unit: &Unit, evaluator: Evaluator<'_>) -> Result<(), Vec<Problem>> {
        let mut calls = Vec::new();
        for variable in &unit.variables {
            external_inputs(&variable.value, &mut calls);
        }
        calls.sort_by_key(|(at, _)| *at);
        self.inputs = ExternalInputs { variables: reaching(unit), ..ExternalInputs::default() };
        for (at, method) in calls {
            let definition = definition(method, evaluator)?;
            let kind = definition.get("kind").and_then(Json::as_text).unwrap_or_default();
            let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '_' };
            let kind: String = kind.chars().map(plain).collect();
            let name = format!("{kind}_{}", self.definitions.len());
            self.inputs.names.insert(at, name.clone());
            self.definitions.push((name, definition));
        }
        Ok(())
    }

    fn assign(
        &mut self,
        variable: &Variable,
        evaluator: Evaluator<'_>,
    ) -> Result<(), Vec<Problem>> {
        let name = variable.name.text.to_string();
        let entry = self.entry(variable, evaluator)?;
        // A file that extends this one may have assigned it.
        if self.entries.iter().all(|(known, _)| *known != name) {
            self.entries.push((name, entry));
        }
        Ok(())
    }

    fn values(&mut self) -> BTreeMap<String, Data> {
        let known = self.entries.iter().filter_map(|(name, entry)| match entry {
            Entry::Value(value) => Some((name.clone(), value.clone())),
            Entry::Deferred(..) => None,
        });
        known.collect()
    }
}

/// Whether a call is one of `externalInput()`.
fn is_external_input(method: &Method) -> bool {
    method.base.is_none() && &*method.name.text == "externalInput"
}

/// The calls of `externalInput()` in an expression, with where they stand.
fn external_inputs<'e>(expression: &'e ir::Expression, found: &mut Vec<(usize, &'e Method)>) {
    if let ExpressionKind::Method(method) = &expression.kind
        && is_external_input(method)
    {
        found.push((expression.span.start, method));
    }
    expression.for_each_part(|part| external_inputs(part, found));
}

/// For each variable whether its value hangs on an external input.
fn reaching(unit: &Unit) -> Vec<bool> {
    let mut inputs = ExternalInputs {
        variables: vec![false; unit.variables.len()],
        ..ExternalInputs::default()
    };
    // What others need comes first.
    for declared in &unit.sequence {
        if let Declared::Variable(index) = declared {
            inputs.variables[*index] = inputs.reaches(&unit.variables[*index].value);
        }
    }
    inputs.variables
}

/// `{kind, options}` of an external input.
fn definition(method: &Method, evaluator: Evaluator<'_>) -> Result<Json, Vec<Problem>> {
    let mut values = Vec::new();
    for argument in &method.arguments {
        let value = evaluator.value(argument, Scope::EMPTY)?;
        values.push(value.to_json().unwrap_or(Data::Null));
    }
    match values.as_slice() {
        [Data::String(kind)] => Ok(Json::object().with("kind", Json::text(kind))),
        [Data::String(kind), options] => {
            let definition = Json::object().with("kind", Json::text(kind));
            Ok(definition.with("options", Json::of(options)))
        }
        _ => {
            let message = "`externalInput` expects the kind of the input as a string and optionally its options";
            let diagnostic = Diagnostic::error(codes::WRONG_ARGUMENT, message);
            Err(vec![evaluator.problem(diagnostic.at(method.name.span, ""))])
        }
    }
}

/// The id of a key vault: a text if all parts are known.
fn vault_id(subscription: Expression, group: Expression, vault: Expression) -> Expression {
    use super::expression::Kind::Text;
    if let (Text(subscription), Text(group), Text(vault)) =
        (&subscription.kind, &group.kind, &vault.kind)
    {
        return Expression::text(format!(
            "/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.KeyVault/vaults/{vault}"
        ));
    }
    let (provider, kind) = (Expression::text("Microsoft.KeyVault"), Expression::text("vaults"));
    Expression::call("resourceId", vec![subscription, group, provider, kind, vault])
}

/// A text as it is, anything else as an expression.
fn in_place(expression: Expression) -> Json {
    match expression.kind {
        super::expression::Kind::Text(text) => Json::text(text),
        _ => Json::text(Content::Expression(expression).to_string()),
    }
}
