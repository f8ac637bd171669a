//! ARM JSON: what the compiler of Bicep writes, read and written.
//!
//! [`build`] prints a template of Bicep as ARM JSON with symbolic names (languageVersion 2.0); [`respell`] tells how an
//! expression in such a template is spelled here, so that two spellings can be compared.

mod expression;
mod json;
mod parameters;
mod print;
mod read;

use std::sync::Arc;

pub(crate) use json::{Json, Kind as JsonKind, parse as parse_json, parse_loosely};
pub use parameters::{BuiltParameters, build_parameters};
pub(crate) use read::read;

use hangar_diag::Code;

use crate::codes;
use crate::deployment::{Inputs, MissingParameter};
use crate::program::{Destination, compile, settle};
use crate::source::{Problem, Sources};

/// What became of a template that was to be printed.
#[derive(Debug)]
pub struct Built {
    /// The ARM JSON; nothing where there is an error.
    pub template: Option<String>,
    /// Everything that is wrong.
    pub problems: Vec<Problem>,
}

/// Whether a file is a template in ARM JSON, by its name.
pub fn is_compiled(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|it| it.eq_ignore_ascii_case("json") || it.eq_ignore_ascii_case("jsonc"))
}

/// Prints a Bicep file and its modules as one template in ARM JSON.
///
/// Nothing is printed if the program has an error that concerns its JSON.
pub fn build(sources: &Sources, entry: &str) -> Built {
    let errors = build_errors(sources, entry);
    if !errors.is_empty() {
        return Built { template: None, problems: errors };
    }
    let file: Arc<str> = entry.into();
    let mut build = print::Build::new(sources);
    let json = build.file(&file);
    let mut problems = build.problems;
    settle(&mut problems);
    let is_wrong = problems.iter().any(Problem::is_error);
    let template = json.filter(|_| !is_wrong).map(|json| json.to_string());
    Built { template, problems }
}

/// The errors of a program that concern its JSON.
fn build_errors(sources: &Sources, entry: &str) -> Vec<Problem> {
    let compiled = compile(sources, entry);
    let started = compiled.program.as_ref().or(compiled.partial.as_ref()).map(|program| {
        let inputs = Inputs { missing: MissingParameter::Unknown, ..Inputs::default() };
        (program.destination(), program.start(&inputs).problems)
    });
    let (destination, found) = started.unwrap_or((Destination::Any, Vec::new()));
    let found = found.into_iter().filter(|it| {
        let code = it.diagnostic.code;
        let is_made_up = match destination {
            Destination::Hangar => false,
            Destination::Any => MADE_UP_VALUES.contains(&code),
            Destination::Azure => MADE_UP_VALUES.contains(&code) || OF_VALUES.contains(&code),
        };
        concerns_build(it, destination) && !is_made_up && !compiled.explains(it)
    });
    let found: Vec<Problem> = found.collect();
    let mut problems = compiled.problems;
    problems.retain(|it| concerns_build(it, destination));
    problems.extend(found);
    settle(&mut problems);
    problems
}

/// Whether a problem of a program is an error of its JSON.
///
/// All errors are, except those that only state that Hangar cannot deploy a part of a template for Azure: Azure can.
fn concerns_build(problem: &Problem, destination: Destination) -> bool {
    let code = problem.diagnostic.code;
    let is_only_for_hangar =
        ONLY_FOR_HANGAR.contains(&code) || is_compiled(&problem.file) && OF_JSON.contains(&code);
    problem.is_error() && (destination == Destination::Hangar || !is_only_for_hangar)
}

/// Errors that state that Hangar cannot deploy something.
const ONLY_FOR_HANGAR: [Code; 4] =
    [codes::NOT_SUPPORTED, codes::CANNOT_DEPLOY, codes::LEFT_OUT_READ, codes::MODULE_SCOPE];

/// Errors that a start reports without Azure: `deployment()` has only some of its properties there.
const MADE_UP_VALUES: [Code; 2] = [codes::NO_SUCH_PROPERTY, codes::NO_SUCH_PROPERTY_NEAR];

/// Errors of values, which Azure computes when it deploys a template.
const OF_VALUES: [Code; 2] = [codes::ARITHMETIC, codes::FUNCTION_FAILED];

/// Errors in ARM JSON that Hangar cannot read. A build copies such a module.
const OF_JSON: [Code; 3] = [codes::BAD_TEMPLATE, codes::BAD_EXPRESSION, codes::DEPENDS_ON];

/// A string of a template, its expression spelled as Hangar spells it.
///
/// # Errors
/// What is wrong with the expression, and at which byte.
pub fn respell(text: &str) -> Result<String, (usize, String)> {
    match expression::Content::of(text) {
        Ok(content) => Ok(content.to_string()),
        Err(fault) => Err((fault.span.start, fault.message)),
    }
}
