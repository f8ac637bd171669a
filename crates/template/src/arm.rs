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

use crate::codes;
use crate::deployment::{Inputs, MissingParameter};
use crate::program::{compile, settle};
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
pub fn build(sources: &Sources, entry: &str) -> Built {
    let errors = language_errors(sources, entry);
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

/// The errors of a program that no compiler of Bicep accepts. Those that only say that Hangar cannot deploy it are left
/// out: it can be built for Azure.
fn language_errors(sources: &Sources, entry: &str) -> Vec<Problem> {
    let compiled = compile(sources, entry);
    let mut problems = compiled.problems;
    if let Some(program) = &compiled.program {
        let inputs = Inputs { missing: MissingParameter::Unknown, ..Inputs::default() };
        let started = program.start(&inputs).problems.into_iter();
        problems.extend(started.filter(|it| !MADE_UP_VALUES.contains(&it.diagnostic.code)));
    }
    // Hangar's own codes are about deploying, the others are the language's; so is the form of `dependsOn`.
    let is_of_language = |it: &Problem| {
        let code = it.diagnostic.code;
        let is_order = code == codes::DEPENDS_ON && !is_compiled(&it.file);
        is_order || !code.as_str().starts_with("TMPL")
    };
    problems.retain(|it| it.is_error() && is_of_language(it));
    settle(&mut problems);
    problems
}

/// Errors that a start reports for want of Azure: `deployment()` has only some of its properties there.
const MADE_UP_VALUES: [hangar_diag::Code; 2] =
    [codes::NO_SUCH_PROPERTY, codes::NO_SUCH_PROPERTY_NEAR];

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
