//! What a Terraform module declares, read from its files without running anything.

mod declare;
mod json;
mod literal;
mod native;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use thiserror::Error;

pub(super) use declare::is_identifier;

/// The key of the one module block of every run.
pub const MODULE_KEY: &str = "recipe";

/// The declarations of one module directory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outline {
    /// What can be passed to it, by name.
    pub variables: BTreeMap<String, Variable>,
    /// What it gives back, by name.
    pub outputs: BTreeMap<String, Output>,
    /// Providers that it asks for, by the local name it gives them.
    pub required_providers: BTreeMap<String, ProviderRequirement>,
    /// Local names of the providers that its resources are of or that it configures, asked for or not.
    pub used_providers: BTreeSet<String>,
    /// What could not be read, in the order of files and lines.
    pub problems: Vec<Problem>,
}

/// A variable of a module.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type as written.
    pub type_text: Option<String>,
    /// What its author says of it.
    pub description: Option<String>,
    /// Its default as a value, where that is a literal.
    pub default: Option<Value>,
    /// Its default as written.
    pub default_text: Option<String>,
    /// Whether it has no default.
    pub required: bool,
    /// Whether its value is hidden.
    pub sensitive: bool,
    /// Whether null is a value of it.
    pub nullable: bool,
}

/// An output of a module.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// What its author says of it.
    pub description: Option<String>,
    /// Whether its value is hidden.
    pub sensitive: bool,
    /// Whether its value is never kept, so that a root module cannot give it on.
    pub ephemeral: bool,
}

/// What a module asks of a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderRequirement {
    /// Its address as written; without one it is `hashicorp/` and the local name.
    pub source: Option<String>,
    /// Version constraints, each as written.
    pub versions: Vec<String>,
    /// Aliases of configurations that the caller must pass, without the provider's name.
    pub configuration_aliases: Vec<String>,
    /// Whether the caller must pass its default configuration too: the bare name among the aliases.
    pub wants_default: bool,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file's name as it was given.
    pub file: String,
    /// The line, counted from one.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// What the module in these files declares. Files that are no configuration are not looked at.
pub fn outline(files: &[(&str, &[u8])]) -> Outline {
    let mut outline = Outline::default();
    let mut sorted: Vec<_> =
        files.iter().filter_map(|&(name, bytes)| Some((form(name)?, name, bytes))).collect();
    // Overrides last, each group by name, as Terraform reads them.
    sorted.sort_by_key(|&((role, _), name, _)| (role == declare::Role::Override, name));
    for ((role, syntax), name, bytes) in sorted {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let before = &bytes[..error.valid_up_to()];
                outline.problems.push(Problem {
                    file: name.to_owned(),
                    line: line_after(before),
                    message: "the file is not UTF-8".to_owned(),
                });
                continue;
            }
        };
        let body = match syntax {
            Syntax::Native => native::parse(name, text, &mut outline.problems),
            Syntax::Json => json::parse(name, text, &mut outline.problems),
        };
        declare::add(&mut outline, name, &body, role);
    }
    outline
}

/// The line that comes after these bytes, counted from one.
fn line_after(before: &[u8]) -> usize {
    before.split(|&byte| byte == b'\n').count()
}

#[derive(Clone, Copy)]
enum Syntax {
    Native,
    Json,
}

/// How Terraform reads a file of this name; it passes over what editors leave behind.
fn form(name: &str) -> Option<(declare::Role, Syntax)> {
    if name.contains('/') || name.starts_with(['.', '#']) {
        return None;
    }
    let (stem, syntax) = match name.strip_suffix(".tf.json") {
        Some(stem) => (stem, Syntax::Json),
        None => (name.strip_suffix(".tf")?, Syntax::Native),
    };
    let is_override = stem == "override" || stem.ends_with("_override");
    Some((if is_override { declare::Role::Override } else { declare::Role::Base }, syntax))
}

/// Why the manifest of downloaded modules is of no use.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ModulesError {
    /// It has another shape than Terraform writes.
    #[error("the list of downloaded modules has no `Modules` with keys and directories")]
    Shape,
    /// The run's module is not in it.
    #[error("the list of downloaded modules does not name `{MODULE_KEY}`")]
    Missing,
}

/// Where the modules of a run are, relative to its directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleDirectories {
    /// The recipe's own module.
    pub recipe: String,
    /// The modules that it calls, and those that they call; each directory once.
    pub nested: Vec<String>,
}

/// The directories in `.terraform/modules/modules.json`, which alone tells them for local sources.
pub fn modules_json(manifest: &Value) -> Result<ModuleDirectories, ModulesError> {
    let modules = manifest.get("Modules").and_then(Value::as_array).ok_or(ModulesError::Shape)?;
    let mut recipe = None;
    let mut nested = Vec::new();
    for module in modules {
        let text = |name| module.get(name).and_then(Value::as_str).ok_or(ModulesError::Shape);
        let (key, directory) = (text("Key")?, text("Dir")?);
        if key == MODULE_KEY {
            recipe = Some(directory.to_owned());
        } else if key.strip_prefix(MODULE_KEY).is_some_and(|rest| rest.starts_with('.'))
            && !nested.iter().any(|known| known == directory)
        {
            nested.push(directory.to_owned());
        }
    }
    Ok(ModuleDirectories { recipe: recipe.ok_or(ModulesError::Missing)?, nested })
}
