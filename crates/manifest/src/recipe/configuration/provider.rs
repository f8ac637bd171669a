//! The providers of a run: which ones are needed, how each is configured, which the module is handed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::facts::built;
use super::{ConfigurationProblem, Parts, reference};
use crate::recipe::module::{Outline, ProviderRequirement, is_identifier};

/// One configuration of a provider by the environment.
#[derive(Clone, Default)]
pub struct ProviderBlock {
    /// Its settings, `alias` among them.
    pub settings: Map<String, Value>,
    /// JSON pointers to those that are secret.
    pub secrets: BTreeSet<String>,
}

/// What a configuration says of providers.
#[derive(Default)]
pub(super) struct Providers {
    /// `required_providers`.
    pub(super) required: Map<String, Value>,
    /// A list of configurations by provider name.
    pub(super) blocks: Map<String, Value>,
    /// The module's `providers`.
    pub(super) passed: Map<String, Value>,
    /// Root variables that hold secrets of the settings.
    pub(super) secrets: Vec<(String, Value)>,
}

/// The providers of a run; what is wrong goes to `problems`.
pub(super) fn providers(parts: &Parts<'_>, problems: &mut Vec<ConfigurationProblem>) -> Providers {
    let mut out = Providers::default();
    for (name, source) in needed(parts) {
        let requirement = parts.module.required_providers.get(&name);
        if let Some(required) = required(requirement, source.as_deref()) {
            out.required.insert(name.clone(), required);
        }
        let blocks = match parts.providers.get(&name) {
            Some(configured) => configured.clone(),
            None => built(&address(&name, source.as_deref()), parts.facts).into_iter().collect(),
        };
        let aliases = requirement.map_or(&[][..], |it| &it.configuration_aliases);
        pass(&name, aliases, &blocks, &mut out, problems);
        if !blocks.is_empty() {
            let written =
                blocks.iter().map(|it| write(it, parts.module, &mut out.secrets)).collect();
            out.blocks.insert(name, written);
        }
    }
    // Left out of the module's map, a default configuration would still be inherited; written, it is
    // plain which one is meant. Where the module asks for it, it must be written.
    let has_aliases = !out.passed.is_empty();
    for (name, requirement) in &parts.module.required_providers {
        let blocks = out.blocks.get(name).and_then(Value::as_array);
        let has_default = blocks.is_some_and(|all| all.iter().any(|it| it.get("alias").is_none()));
        if requirement.wants_default || has_aliases && has_default {
            out.passed.insert(name.clone(), name.clone().into());
        }
    }
    let odd = parts.providers.keys().filter(|name| !is_identifier(name));
    problems.extend(odd.map(|name| ConfigurationProblem::ProviderName(name.clone())));
    out
}

/// The providers that the module needs, and those that the modules it calls inherit, by the root's name
/// for each, with the address where one is written.
fn needed(parts: &Parts<'_>) -> BTreeMap<String, Option<String>> {
    let mut needed = local_names(parts.module);
    for nested in parts.nested {
        for (local, source) in local_names(nested) {
            let address = address(&local, source.as_deref());
            let is_known = needed
                .iter()
                .any(|(name, source)| self::address(name, source.as_deref()) == address);
            // Local names are each module's own: the root takes the one that the address ends in.
            let name = address.rsplit('/').next().unwrap_or(&local).to_owned();
            if !is_known {
                needed.entry(name).or_insert(source);
            }
        }
    }
    needed
}

fn local_names(module: &Outline) -> BTreeMap<String, Option<String>> {
    let required = module.required_providers.iter();
    let mut names: BTreeMap<String, Option<String>> =
        required.map(|(name, it)| (name.clone(), it.source.clone())).collect();
    for name in &module.used_providers {
        names.entry(name.clone()).or_insert(None);
    }
    names.retain(|name, _| is_identifier(name));
    names
}

/// `namespace/type` in lower case; the host says where a provider comes from, not which one it is.
fn address(local: &str, source: Option<&str>) -> String {
    let written = source.unwrap_or(local).to_ascii_lowercase();
    let parts: Vec<&str> = written.split('/').collect();
    match parts.as_slice() {
        [.., namespace, kind] => format!("{namespace}/{kind}"),
        _ => format!("hashicorp/{written}"),
    }
}

/// The requirement without its aliases, which no root module may have.
fn required(requirement: Option<&ProviderRequirement>, source: Option<&str>) -> Option<Value> {
    let mut members = Map::new();
    if let Some(source) = source {
        members.insert("source".to_owned(), source.into());
    }
    if let Some(versions) = requirement.map(|it| &it.versions).filter(|it| !it.is_empty()) {
        members.insert("version".to_owned(), versions.join(", ").into());
    }
    (!members.is_empty()).then_some(Value::Object(members))
}

/// Hands the module the aliased configurations that it declares.
fn pass(
    name: &str,
    aliases: &[String],
    blocks: &[ProviderBlock],
    out: &mut Providers,
    problems: &mut Vec<ConfigurationProblem>,
) {
    for alias in aliases {
        let is_there = blocks
            .iter()
            .any(|block| block.settings.get("alias").and_then(Value::as_str) == Some(alias));
        if is_there {
            let path = format!("{name}.{alias}");
            out.passed.insert(path.clone(), path.into());
        } else {
            problems.push(ConfigurationProblem::MissingAlias {
                provider: name.to_owned(),
                alias: alias.clone(),
            });
        }
    }
}

/// The settings as literals, with a sensitive root variable in the place of each secret.
fn write(block: &ProviderBlock, module: &Outline, secrets: &mut Vec<(String, Value)>) -> Value {
    let mut settings = escaped(Value::Object(block.settings.clone()));
    for pointer in &block.secrets {
        let original = json_pointer(&block.settings, pointer);
        let (Some(value), Some(place)) = (original, settings.pointer_mut(pointer)) else {
            continue;
        };
        let name = free_name(module, secrets.len());
        *place = reference(&name);
        secrets.push((name, value.clone()));
    }
    settings
}

fn json_pointer<'a>(settings: &'a Map<String, Value>, pointer: &str) -> Option<&'a Value> {
    let path = pointer.strip_prefix('/')?;
    let (first, rest) = match path.find('/') {
        Some(end) => path.split_at(end),
        None => (path, ""),
    };
    settings.get(&first.replace("~1", "/").replace("~0", "~"))?.pointer(rest)
}

/// A name that no variable of the module has.
fn free_name(module: &Outline, index: usize) -> String {
    let mut name = format!("hangar_provider_secret_{index}");
    while module.variables.contains_key(&name) {
        name.push('_');
    }
    name
}

/// Strings as they are meant, where the configuration would take some for templates.
fn escaped(value: Value) -> Value {
    match value {
        Value::String(text) => text.replace("${", "$${").replace("%{", "%%{").into(),
        Value::Array(items) => items.into_iter().map(escaped).collect(),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, it)| (name, escaped(it))).collect())
        }
        scalar => scalar,
    }
}
