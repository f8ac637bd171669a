//! Reads a template back, and silences what schemas have against what AWS itself returned.

use std::collections::{BTreeMap, BTreeSet};

use hangar_ids::TypeName;
use hangar_template::codes::AWS_HARDCODED_ARN;
use hangar_template::deployment::{Inputs, MissingParameter};
use hangar_template::lint::{Config, lint};
use hangar_template::program::compile;
use hangar_template::source::{Problem, Sources};
use hangar_template::syntax::Dialect;

use super::Existing;
use crate::template_check::{check, codes};

/// A text that is told nothing about any more, as far as that can be.
pub(super) struct Silenced {
    pub(super) text: String,
    /// How many lines say so.
    pub(super) lines: usize,
}

const ENTRY: &str = "main.bicep";

/// What every template begins with, behind its head.
const EXTENSION: &str = "extension aws";

pub(super) fn silenced(text: &str, found: &[Existing]) -> Silenced {
    let problems = problems(text, found);
    let mut by_line: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    let of_schemas = problems.iter().map(|problem| &problem.diagnostic);
    for diagnostic in of_schemas.filter(|it| codes::FROM_SCHEMAS.contains(&it.code)) {
        let Some(span) = diagnostic.span() else { continue };
        let start = text[..span.start.min(text.len())].rfind('\n').map_or(0, |at| at + 1);
        by_line.entry(start).or_default().insert(diagnostic.code.as_str());
    }
    let mut quiet = text.to_owned();
    for (start, codes) in by_line.iter().rev() {
        let indent: String = text[*start..].chars().take_while(|it| *it == ' ').collect();
        let codes: Vec<&str> = codes.iter().copied().collect();
        quiet.insert_str(*start, &format!("{indent}#disable-next-line {}\n", codes.join(" ")));
    }
    // What AWS returned names its account where nothing in the template can be read for it. Other rules speak of what is
    // deployed, and may.
    let ruled = lint(text, Dialect::Template, &Config::default());
    if ruled.iter().any(|it| it.code == AWS_HARDCODED_ARN) {
        let start = quiet.find(EXTENSION).unwrap_or(0);
        quiet.insert_str(start, &format!("#disable-diagnostics {AWS_HARDCODED_ARN}\n"));
    }
    Silenced { text: quiet, lines: by_line.len() }
}

/// What the check of templates says of a text.
pub(super) fn problems(text: &str, found: &[Existing]) -> Vec<Problem> {
    let compiled = compile(&Sources::of(ENTRY, text.as_bytes()), ENTRY);
    let mut problems = compiled.problems;
    let Some(program) = compiled.program else { return problems };
    let inputs = Inputs { missing: MissingParameter::Unknown, ..Inputs::default() };
    let started = program.start(&inputs);
    problems.extend(started.problems);
    if let Some(deployment) = &started.deployment {
        let schema_of = |name: &TypeName| {
            found.iter().find(|it| it.type_name == *name).map(|it| it.schema.clone())
        };
        problems.extend(check(deployment, &schema_of));
    }
    problems
}
