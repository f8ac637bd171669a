//! The recipes of a template held against their modules, before anything runs: what is wrong is told at its place
//! in the template. Of a module that Terraform fetches nothing but its address can be looked at.

use std::collections::{BTreeMap, BTreeSet};

use hangar_diag::{Code, Diagnostic};
use hangar_manifest::recipe::configuration::ConfigurationProblem;
use hangar_manifest::recipe::source::{self, SourceError};
use hangar_template::codes;
use hangar_template::deployment::{Deployment, NothingKnown};
use hangar_template::recipe::{Module, Recipe};
use hangar_template::source::{Place, Problem, Sources};
use hangar_template::value::{Data, Value};
use serde_json::Value as Json;

use super::{RecipeSource, RecipeTerms};

/// What is wrong with the modules of a template's recipes, and with what they are given.
pub fn recipe_problems(deployment: &Deployment, sources: &Sources) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    for node in 0..deployment.nodes().len() {
        // What is wrong with the body itself was told when the template was started.
        let Ok(Some(recipe)) = deployment.recipe(node, &NothingKnown) else { continue };
        for problem in against_module(&recipe, sources) {
            // Every turn of a loop may say the same.
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    problems.sort_by_key(|it| it.diagnostic.span());
    problems
}

/// The files of a directory, by their path in it.
pub(crate) fn directory(sources: &Sources, path: &str) -> BTreeMap<String, Vec<u8>> {
    let below = sources.iter().filter_map(|(file, content)| {
        let name = file.strip_prefix(path)?.strip_prefix('/')?;
        Some((name.to_owned(), content.to_vec()))
    });
    below.collect()
}

fn against_module(recipe: &Recipe, sources: &Sources) -> Vec<Problem> {
    match &recipe.module {
        None => Vec::new(),
        Some(Module::Remote(address)) => {
            let version = recipe.version.as_ref().and_then(text);
            match source::parse(address, version) {
                Ok(_) => Vec::new(),
                Err(error) => {
                    vec![problem(codes::RECIPE_MODULE, &recipe.source_place, said(&error))]
                }
            }
        }
        Some(Module::Directory { written, path }) => {
            against_files(recipe, written, directory(sources, path))
        }
    }
}

fn against_files(recipe: &Recipe, written: &str, files: BTreeMap<String, Vec<u8>>) -> Vec<Problem> {
    let of_module = |message: String| problem(codes::RECIPE_MODULE, &recipe.source_place, message);
    if files.is_empty() {
        return vec![of_module(format!("the directory `{written}` does not exist or is empty"))];
    }
    let source = RecipeSource::Files { label: written.to_owned(), files };
    if !source.has_terraform() {
        let message =
            format!("`{written}` has no Terraform file (`*.tf`, `*.tf.json`) at its top level");
        return vec![of_module(message)];
    }
    let Some(outline) = source.outline() else { return Vec::new() };
    if !outline.problems.is_empty() {
        let told = outline
            .problems
            .iter()
            .map(|it| of_module(format!("{written}/{}:{}: {}", it.file, it.line, it.message)));
        return told.collect();
    }
    let Data::Object(members) = &recipe.parameters.data else { return Vec::new() };
    if recipe.parameters.secret {
        // Its names came with the secret; they are held against the module when it is run.
        return Vec::new();
    }
    // Only names are looked at here: what is not known yet may stand for itself.
    let parameters = members.keys().map(|name| (name.to_string(), Json::String(String::new())));
    let terms = RecipeTerms {
        source,
        parameters: parameters.collect(),
        secret_parameters: BTreeSet::new(),
    };
    let misfits = terms.misfits(&outline);
    misfits
        .iter()
        .map(|misfit| problem(codes::RECIPE_PARAMETERS, place(recipe, misfit), misfit.to_string()))
        .collect()
}

/// Where a parameter that does not fit is written; of one that is missing, where it should be.
fn place<'a>(recipe: &'a Recipe, misfit: &ConfigurationProblem) -> &'a Place {
    match misfit {
        ConfigurationProblem::UnknownParameter { name, .. } => recipe.parameter_place(name),
        ConfigurationProblem::ContextGiven => recipe.parameter_place("context"),
        _ => &recipe.parameters_place,
    }
}

/// What is wrong with an address, in a template's words.
fn said(error: &SourceError) -> String {
    match error {
        SourceError::VersionInside { source_text, module, version } => format!(
            "`{source_text}` contains a version; write `source: '{module}'` and `version: \
             '{version}'`"
        ),
        SourceError::VersionWithoutRegistry { shown, is_git } => {
            let hint = if *is_git { " (set the revision with `?ref=` in the source)" } else { "" };
            format!("`version` is only for registry modules, and `{shown}` is not one{hint}")
        }
        other => other.to_string(),
    }
}

fn text(value: &Value) -> Option<&str> {
    match &value.data {
        Data::String(text) => Some(text),
        _ => None,
    }
}

fn problem(code: Code, place: &Place, message: String) -> Problem {
    let diagnostic = Diagnostic::error(code, message).at(place.span, "");
    Problem { file: place.file.clone(), diagnostic }
}
