//! What is wrong with a template, found before anything is sent.

use std::path::Path;
use std::sync::Arc;

use hangar_engine::recipe_problems;
use hangar_ids::TypeName;
use hangar_plan::template_check;
use hangar_schema::Catalog;
use hangar_template::codes;
use hangar_template::deployment::{Deployment, Inputs, MissingParameter};
use hangar_template::program::{self, Program};
use hangar_template::source::Problem;

use super::files::Files;
use crate::failure::Failure;

/// A template that was looked at.
pub(crate) struct Checked {
    /// What it comes to; nothing where it is wrong.
    pub(crate) deployment: Option<Deployment>,
    /// What is wrong with it, and what may be.
    pub(crate) problems: Vec<Problem>,
}

/// The program that a file is.
pub(crate) fn compile(files: &Files, file: &str) -> (Option<Program>, Vec<Problem>) {
    let compiled = program::compile(&files.sources, file);
    let mut problems = compiled.problems.clone();
    if let Some(partial) = &compiled.partial {
        let inputs = Inputs { missing: MissingParameter::Unknown, ..Inputs::default() };
        // What a mistake leaves open is no second mistake.
        let more = start(partial, &inputs).problems.into_iter();
        add(&mut problems, more.filter(|it| !compiled.explains(it)));
        sort(&mut problems);
    }
    (compiled.program, problems)
}

/// Sorts problems by their places in the text.
pub(crate) fn sort(problems: &mut [Problem]) {
    let place = |it: &Problem| it.diagnostic.span();
    problems.sort_by(|a, b| (&a.file, place(a)).cmp(&(&b.file, place(b))));
}

/// Adds problems that are not among those that were found before.
pub(crate) fn add(problems: &mut Vec<Problem>, more: impl Iterator<Item = Problem>) {
    for problem in more {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

/// What a program comes to with these inputs, held against the schemas of its resources.
pub(crate) fn start(program: &Program, inputs: &Inputs) -> Checked {
    let started = program.start(inputs);
    let mut problems = started.problems;
    if let Some(deployment) = started.deployment.as_ref().or(started.partial.as_ref()) {
        add(&mut problems, against_schemas(deployment).into_iter());
    }
    Checked { deployment: started.deployment, problems }
}

/// The errors of a template that its language does not know of: what the schemas of AWS and the modules of recipes
/// find fault with. Those of the language are [`hangar_template::arm::build`]'s.
pub(crate) fn errors_beyond_language(
    files: &mut Files,
    data_dir: &Path,
) -> Result<Vec<Problem>, Failure> {
    let compiled = program::compile(&files.sources, &files.entry);
    let program = compiled.program.as_ref().or(compiled.partial.as_ref());
    let Some(program) = program else { return Ok(Vec::new()) };
    let inputs = Inputs { missing: MissingParameter::Unknown, ..Inputs::default() };
    let started = program.start(&inputs);
    let mut problems = Vec::new();
    if let Some(deployment) = started.deployment.as_ref().or(started.partial.as_ref()) {
        let found = against_schemas(deployment).into_iter();
        problems.extend(found.filter(|it| !compiled.explains(it)));
    }
    if let Some(deployment) = &started.deployment {
        add(&mut problems, recipes(files, deployment, Some(data_dir))?.into_iter());
    }
    problems.retain(Problem::is_error);
    Ok(problems)
}

/// What is wrong with the modules of a deployment's recipes, whose files are read for it.
pub(crate) fn recipes(
    files: &mut Files,
    deployment: &Deployment,
    data_dir: Option<&Path>,
) -> Result<Vec<Problem>, Failure> {
    files.add_recipes(deployment, data_dir)?;
    Ok(recipe_problems(deployment, &files.sources))
}

/// The parameters that have neither a value nor a default, where they are declared.
pub(crate) fn missing(program: &Program, inputs: &Inputs) -> Vec<Problem> {
    let inputs = Inputs { missing: MissingParameter::Refused, ..inputs.clone() };
    let is_missing = |found: &Problem| found.diagnostic.code == codes::MISSING_PARAMETER;
    program.start(&inputs).problems.into_iter().filter(is_missing).collect()
}

/// What the schemas of the bundled catalog find fault with.
fn against_schemas(deployment: &Deployment) -> Vec<Problem> {
    let catalog = Catalog::bundled();
    let schema_of = |name: &TypeName| catalog.get(&name.cloud_formation()).ok().map(Arc::new);
    template_check::check(deployment, &schema_of)
}
