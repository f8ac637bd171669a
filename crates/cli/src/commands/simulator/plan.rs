//! What is to be deployed: templates and assemblies, read and put in order, each with its account and
//! region, its parameters and the files that go with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hangar_diag::Diagnostic;
use hangar_manifest::cloudformation::text;
use serde_json::Value;

use super::assembly::asset::{self, Env, Object};
use super::assembly::{self, AssemblyStack, MANIFEST};
use crate::codes;
use crate::failure::Failure;
use crate::input::Inputs;

/// Nested stacks of one stack; a template has at most 500 resources.
const MAX_NESTED: usize = 500;

/// A stack to deploy. Where it goes is as far as its source says.
#[derive(Debug)]
pub(super) struct Wish {
    pub(super) name: String,
    pub(super) account: Option<String>,
    pub(super) region: Option<String>,
    /// The text of its template.
    pub(super) template: String,
    pub(super) parameters: Vec<(String, String)>,
    pub(super) tags: Vec<(String, String)>,
    /// What may be asked for files that go with it.
    files: Files,
    /// What the text says; null where it cannot be read, which the simulator tells better.
    document: Value,
}

/// The files around a template.
#[derive(Debug, Default)]
struct Files {
    folder: PathBuf,
    assets: Vec<asset::Asset>,
}

/// What is deployed from the paths that were typed.
pub(super) fn wishes(
    paths: &[PathBuf],
    names: &[String],
    inputs: &mut Inputs,
) -> Result<Vec<Wish>, Failure> {
    let templates = paths.iter().filter(|path| !path.is_dir()).count();
    if templates > 1 && !names.is_empty() || templates == 1 && names.len() > 1 {
        let message = "--stack sets the name of one template, but several templates were passed";
        return Err(Diagnostic::error(codes::USAGE, message)
            .hint("deploy each template with a separate command, or omit --stack")
            .into());
    }
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            let names = if templates == 0 { names } else { &[] };
            all.extend(of_assembly(path, names, inputs)?);
        } else {
            all.push(of_template(path, names.first(), inputs)?);
        }
    }
    Ok(all)
}

fn of_template(path: &Path, name: Option<&String>, inputs: &mut Inputs) -> Result<Wish, Failure> {
    let template = inputs.read(path)?.text;
    let name = match name {
        Some(name) => name.clone(),
        None => name_of(path)?,
    };
    let document = text::parse(&template).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let files = Files { folder, assets: Vec::new() };
    let (parameters, tags) = (Vec::new(), Vec::new());
    Ok(Wish { name, account: None, region: None, template, parameters, tags, files, document })
}

fn of_assembly(folder: &Path, names: &[String], inputs: &mut Inputs) -> Result<Vec<Wish>, Failure> {
    if !folder.join(MANIFEST).is_file() {
        let message = format!("`{}` is not an assembly: it has no {MANIFEST}", folder.display());
        return Err(Diagnostic::error(codes::SIMULATOR_ASSEMBLY, message)
            .hint("pass the folder that `cdk synth` wrote (`cdk.out`), or a template")
            .into());
    }
    let mut read = |path: &Path| inputs.read(path).map(|source| source.text);
    let stacks = assembly::chosen(assembly::stacks(folder, &mut read)?, names)?;
    stacks.into_iter().map(|stack| of_stack(stack, &mut read)).collect()
}

fn of_stack(stack: AssemblyStack, read: &mut assembly::Read<'_>) -> Result<Wish, Failure> {
    let AssemblyStack { name, account, region, template, parameters, tags, assets, .. } = stack;
    let folder = template.parent().unwrap_or(Path::new("")).to_owned();
    let template = read(&template)?;
    let document = text::parse(&template).unwrap_or_default();
    let files = Files { folder, assets };
    Ok(Wish { name, account, region, template, parameters, tags, files, document })
}

/// The name of a stack, from the name of its file.
fn name_of(path: &Path) -> Result<String, Failure> {
    let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let endings = [".json", ".yaml", ".yml", ".template"];
    let stem = endings.iter().fold(file, |name, ending| name.strip_suffix(ending).unwrap_or(name));
    let is_name = stem.starts_with(|c: char| c.is_ascii_alphabetic())
        && stem.len() <= 128
        && stem.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if is_name {
        return Ok(stem.to_owned());
    }
    let message = format!("cannot derive a stack name from `{}`", path.display());
    Err(Diagnostic::error(codes::SIMULATOR_ASSEMBLY, message)
        .hint("pass one: --stack NAME, with letters, digits and `-`")
        .into())
}

impl Wish {
    /// The names of its parameters.
    fn declared(&self) -> impl Iterator<Item = &str> {
        let declared = self.document.get("Parameters").and_then(Value::as_object);
        declared.into_iter().flatten().map(|(name, _)| name.as_str())
    }

    /// The templates that its nested stacks name, as texts: those that its assembly lists, and those that
    /// lie beside it.
    pub(super) fn assets(&self, env: Env<'_>, inputs: &mut Inputs) -> BTreeMap<Object, String> {
        let mut found = BTreeMap::new();
        let mut used = BTreeSet::new();
        for asset in &self.files.assets {
            // What is gone or no template is nothing that a stack is made from.
            let Ok(source) = inputs.read(&asset.path) else { continue };
            if text::parse(&source.text).is_ok_and(|it| it.get("Resources").is_some()) {
                used.insert(asset.path.clone());
                found.insert(asset.object(env), source.text);
            }
        }
        let mut waiting = asset::nested(&self.document, env);
        waiting.extend(
            found
                .values()
                .filter_map(|text| text::parse(text).ok())
                .flat_map(|it| asset::nested(&it, env)),
        );
        while let Some(nested) = waiting.pop() {
            if found.len() >= MAX_NESTED || found.contains_key(&nested.object) {
                continue;
            }
            let named = nested.path.map(|path| self.files.folder.join(path));
            let named = named.filter(|path| path.is_file());
            let Some(path) = named.or_else(|| sole(self.files.unused(&used))) else { continue };
            let Ok(source) = inputs.read(&path) else { continue };
            waiting.extend(text::parse(&source.text).iter().flat_map(|it| asset::nested(it, env)));
            used.insert(path);
            found.insert(nested.object, source.text);
        }
        found
    }
}

impl Files {
    /// The templates of nested stacks beside it that nothing was found for yet.
    fn unused(&self, used: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let is_nested = |path: &PathBuf| {
            path.to_str().is_some_and(|name| name.ends_with(".nested.template.json"))
        };
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        paths.filter(|path| is_nested(path) && !used.contains(path)).collect()
    }
}

/// The only one of them: of several nobody can tell which is meant.
fn sole(mut all: Vec<PathBuf>) -> Option<PathBuf> {
    if all.len() == 1 { all.pop() } else { None }
}

/// Gives parameters to the stacks that have them; one that no stack has is a mistake.
pub(super) fn give(wishes: &mut [Wish], values: &[(String, String)]) -> Result<(), Failure> {
    for (name, value) in values {
        let mut is_known = false;
        for wish in wishes.iter_mut() {
            if !wish.declared().any(|declared| declared == name) {
                continue;
            }
            is_known = true;
            wish.parameters.retain(|(given, _)| given != name);
            wish.parameters.push((name.clone(), value.clone()));
        }
        if !is_known {
            let known: BTreeSet<&str> = wishes.iter().flat_map(Wish::declared).collect();
            let known: Vec<&str> = known.into_iter().collect();
            let hint = match known.as_slice() {
                [] => "the templates have no parameters; omit --parameter".to_owned(),
                known => format!("the parameters are: {}", known.join(", ")),
            };
            let message = format!("no template has a parameter `{name}`");
            return Err(Diagnostic::error(codes::BAD_PARAMETER, message).hint(hint).into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
