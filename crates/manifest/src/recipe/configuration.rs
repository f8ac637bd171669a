//! The configuration that a run is generated: one module block, and around it what it needs.
//!
//! No value of a parameter and no secret is in `main.tf.json`: values go by root variables, so that a
//! `${` in one is never taken for a template, and what is secret is a sensitive variable.

mod facts;
mod parameter;
mod provider;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::context::Context;
use super::expression::ExpressionError;
use super::module::{MODULE_KEY, Outline};
use super::source::Source;

pub use facts::{Aws, AwsCredential, AwsEndpoint, Azure, Facts, Kubernetes, S3PathStyle};
pub use provider::ProviderBlock;

/// What a configuration is made from.
pub struct Parts<'a> {
    /// Where the module comes from.
    pub source: &'a Source,
    /// What it declares.
    pub module: &'a Outline,
    /// What the modules that it calls declare: their providers are inherited from the root.
    pub nested: &'a [Outline],
    /// The parameters, later ones over earlier ones by name: the environment's, then the resource's.
    pub parameters: &'a [&'a Map<String, Value>],
    /// Parameters that the caller calls secret.
    pub secret_parameters: &'a BTreeSet<String>,
    /// What the run is about.
    pub context: &'a Context,
    /// Provider configurations of the environment, by provider name.
    pub providers: &'a BTreeMap<String, Vec<ProviderBlock>>,
    /// What providers are built from that the environment does not configure.
    pub facts: &'a Facts,
}

/// The two files of a run.
#[derive(Clone, PartialEq)]
pub struct Configuration {
    /// `main.tf.json`: without values.
    pub main_tf: Value,
    /// `hangar.auto.tfvars.json`: the values, secrets among them.
    pub variables: Value,
}

/// Everything that is wrong with the parts, at once.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
#[error("{}", told(.problems))]
pub struct ConfigurationError {
    /// What is wrong; never empty.
    pub problems: Vec<ConfigurationProblem>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub enum ConfigurationProblem {
    /// The module has no such variable.
    #[error("the module has no variable `{name}`{}", did_you_mean(.near.as_deref()))]
    UnknownParameter {
        /// What was given.
        name: String,
        /// What may have been meant.
        near: Option<String>,
    },
    /// The module needs a value.
    #[error("the module needs a value for `{name}`{}", of_type(.type_text.as_deref()))]
    MissingParameter {
        /// Of which variable.
        name: String,
        /// Its type as written.
        type_text: Option<String>,
    },
    /// `context` is not the caller's to give.
    #[error("`context` is set by Hangar and cannot be passed as a parameter")]
    ContextGiven,
    /// An expression of a parameter has no value.
    #[error("parameter `{parameter}`: {error}")]
    Expression {
        /// Which parameter.
        parameter: String,
        /// What is wrong with it.
        error: ExpressionError,
    },
    /// The module wants a provider configuration that nobody has.
    #[error(
        "the module requires the provider configuration `{provider}.{alias}`, but the environment has no configuration with that alias"
    )]
    MissingAlias {
        /// The provider.
        provider: String,
        /// The alias.
        alias: String,
    },
    /// The environment configures something that is no provider.
    #[error("`{0}` is not a provider name")]
    ProviderName(String),
}

/// The configuration of a run, or everything that is wrong with its parts.
pub fn configuration(parts: &Parts<'_>) -> Result<Configuration, ConfigurationError> {
    let mut problems = Vec::new();
    let inputs = parameter::inputs(parts, &mut problems);
    let providers = provider::providers(parts, &mut problems);
    if !problems.is_empty() {
        return Err(ConfigurationError { problems });
    }
    let mut module = module_block(parts.source);
    if !providers.passed.is_empty() {
        module.insert("providers".to_owned(), Value::Object(providers.passed));
    }
    let mut declared = Map::new();
    let mut variables = Map::new();
    for input in inputs {
        module.insert(input.name.clone(), reference(&input.name));
        declared.insert(input.name.clone(), declaration(input.is_sensitive));
        variables.insert(input.name, input.value);
    }
    for (name, secret) in providers.secrets {
        declared.insert(name.clone(), declaration(true));
        variables.insert(name, secret);
    }
    let mut main_tf = skeleton_of(module);
    main_tf["terraform"] = terraform_block(providers.required);
    for (name, section) in
        [("variable", declared), ("provider", providers.blocks), ("output", outputs(parts.module))]
    {
        if !section.is_empty() {
            main_tf[name] = Value::Object(section);
        }
    }
    Ok(Configuration { main_tf, variables: Value::Object(variables) })
}

/// The `main.tf.json` that is enough for `get`, before anyone knows what the module declares.
pub fn skeleton(source: &Source) -> Value {
    skeleton_of(module_block(source))
}

fn skeleton_of(module: Map<String, Value>) -> Value {
    let module = Value::Object(module);
    json!({"terraform": terraform_block(Map::new()), "module": {MODULE_KEY: module}})
}

fn terraform_block(required: Map<String, Value>) -> Value {
    // Where the state is, and who may touch it, is in the environment of the process.
    let mut block = json!({"backend": {"http": {}}});
    if !required.is_empty() {
        block["required_providers"] = Value::Object(required);
    }
    block
}

fn module_block(source: &Source) -> Map<String, Value> {
    let mut module = Map::new();
    module.insert("source".to_owned(), source.expose().into());
    if let Some(version) = source.version() {
        module.insert("version".to_owned(), version.into());
    }
    module
}

/// `result` alone where the module declares it, always sensitive; else all that a root can give on.
fn outputs(module: &Outline) -> Map<String, Value> {
    let output = |name: &str, is_sensitive: bool| {
        let mut block = json!({"value": format!("${{module.{MODULE_KEY}.{name}}}")});
        if is_sensitive {
            block["sensitive"] = true.into();
        }
        (name.to_owned(), block)
    };
    if module.outputs.contains_key("result") {
        return Map::from_iter([output("result", true)]);
    }
    let given = module.outputs.values().filter(|it| !it.ephemeral);
    given.map(|it| output(&it.name, it.sensitive)).collect()
}

fn declaration(is_sensitive: bool) -> Value {
    if is_sensitive { json!({"sensitive": true}) } else { json!({}) }
}

fn reference(name: &str) -> Value {
    format!("${{var.{name}}}").into()
}

fn told(problems: &[ConfigurationProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn did_you_mean(near: Option<&str>) -> String {
    near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

fn of_type(type_text: Option<&str>) -> String {
    type_text.map(|it| format!(" ({it})")).unwrap_or_default()
}

impl fmt::Debug for Configuration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Configuration")
            .field("main_tf", &self.main_tf)
            .finish_non_exhaustive()
    }
}
