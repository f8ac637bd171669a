//! `.bicepparam`: the template it is for, and the values it gives.

use std::collections::BTreeMap;
use std::sync::Arc;

use hangar_diag::{Diagnostic, Span};
use serde_json::Value as Json;

use crate::codes;
use crate::deployment::{Inputs, NothingKnown};
use crate::evaluate::{Evaluator, Facts, Scope};
use crate::ir::Units;
use crate::lower::{Around, Lowered, lower};
use crate::path;
use crate::program::{settle, text_of, told};
use crate::source::{Problem, Sources};
use crate::syntax::ast::{self, File, Statement};
use crate::syntax::{Dialect, Tree, parse};

/// What a parameters file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParametersFile {
    /// The path of the template it is for; nothing for `using none`, or where it is missing.
    pub using: Option<String>,
    /// Values of parameters by name; only complete where no problem is an error.
    pub values: BTreeMap<String, Json>,
    /// Everything that is wrong, in the order of the text.
    pub problems: Vec<Problem>,
}

/// Reads a parameters file.
pub fn parameters_file(
    sources: &Sources,
    entry: &str,
    environment: &BTreeMap<String, String>,
) -> ParametersFile {
    let file: Arc<str> = entry.into();
    let text = match text_of(sources, &file) {
        Ok(text) => text,
        Err(problem) => {
            return ParametersFile { problems: vec![*problem], ..ParametersFile::default() };
        }
    };
    let parsed = parse(text, Dialect::Parameters);
    let Lowered { unit, found, assignments } = lower(
        &parsed.tree,
        Dialect::Parameters,
        file.clone(),
        sources.clone(),
        Around { units: &[] },
    );
    let (using, more) = using(&parsed.tree, &file);
    let found = parsed.diagnostics.into_iter().chain(found).chain(more);
    let mut problems = told(&unit, found);
    let mut values = BTreeMap::new();
    if !problems.iter().any(Problem::is_error) {
        // What a parameters file is told from outside is its environment.
        let parameters =
            environment.iter().map(|(name, it)| (name.clone(), Json::String(it.clone())));
        let inputs = Inputs { parameters: parameters.collect(), ..Inputs::default() };
        let facts = Facts::new(&unit, inputs);
        let units = Units { list: vec![unit], entry: 0 };
        let unit = units.entry();
        let evaluator = Evaluator::new(&units, &facts, &NothingKnown);
        for index in assignments {
            let variable = &unit.variables[index];
            match evaluator.value(&variable.value, Scope::EMPTY) {
                Ok(value) => {
                    let Some(document) = value.to_json() else {
                        let message = format!("the value of `{}` is not known", variable.name.text);
                        let diagnostic = Diagnostic::error(codes::NOT_KNOWN_AT_START, message);
                        problems.push(evaluator.problem(diagnostic.at(variable.value.span, "")));
                        continue;
                    };
                    values.insert(variable.name.text.to_string(), document);
                }
                Err(found) => problems.extend(found),
            }
        }
        settle(&mut problems);
    }
    ParametersFile { using, values, problems }
}

/// The template that a parameters file is for, and what is wrong with how it says so.
fn using(tree: &Tree, file: &str) -> (Option<String>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let mut statements = File::of(tree).statements().filter_map(|statement| match statement {
        Statement::Using(using) => Some(using),
        _ => None,
    });
    let Some(first) = statements.next() else {
        let message = "the file does not say which template it is for";
        let hint = "write `using 'main.bicep'` at its top, or `using none`";
        let diagnostic = Diagnostic::error(codes::NO_USING, message).at(Span::new(0, 0), "");
        return (None, vec![diagnostic.hint(hint)]);
    };
    for second in statements {
        let message = "a parameters file is for one template";
        found.push(Diagnostic::error(codes::SECOND_USING, message).at(second.span(), ""));
    }
    if first.configuration().is_some() {
        let message = "`with` after `using` is not supported yet";
        found.push(Diagnostic::error(codes::NOT_SUPPORTED, message).at(first.span(), ""));
    }
    // `using none` has no path, and neither has what was reported.
    let Some(path) = first.path() else { return (None, found) };
    let resolved = path.literal().and_then(|text| path::resolve(file, &text));
    if resolved.is_none() {
        let message = "the path of a template is written out, relative, and inside of the project";
        found.push(Diagnostic::error(codes::UNREADABLE_FILE, message).at(path.span(), ""));
    }
    (resolved, found)
}

/// The names that `readEnvironmentVariable()` is called with in a parameters file.
pub fn environment_of(text: &str) -> Vec<String> {
    let parsed = parse(text, Dialect::Parameters);
    let mut names = literal_arguments(&parsed.tree, &["readEnvironmentVariable"]);
    names.sort_unstable();
    names.dedup();
    names
}

/// The files that a template or a parameters file reads, by their paths in the project: those whose path is
/// written out. What lies outside of the root is left out; compiling tells of it.
pub fn files_of(text: &str, path: &str) -> Vec<String> {
    let is_parameters = path.ends_with(".bicepparam");
    let dialect = if is_parameters { Dialect::Parameters } else { Dialect::Template };
    let parsed = parse(text, dialect);
    let loads = ["loadTextContent", "loadFileAsBase64", "loadJsonContent", "loadYamlContent"];
    let mut relative = literal_arguments(&parsed.tree, &loads);
    relative.extend(File::of(&parsed.tree).statements().filter_map(|statement| match statement {
        Statement::Using(using) => using.path()?.literal(),
        _ => None,
    }));
    let mut files: Vec<String> =
        relative.iter().filter_map(|relative| path::resolve(path, relative)).collect();
    files.sort_unstable();
    files.dedup();
    files
}

/// The first arguments of calls of some functions, where they are written out.
fn literal_arguments(tree: &Tree, functions: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![tree.root()];
    while let Some(node) = open.pop() {
        open.extend(node.children());
        let (name, argument) = if let Some(call) = ast::Call::cast(node) {
            (call.name(), call.arguments().next())
        } else if let Some(call) = ast::MethodCall::cast(node) {
            (call.name(), call.arguments().next())
        } else {
            continue;
        };
        if name.is_some_and(|name| functions.contains(&name.text()))
            && let Some(ast::Expression::String(string)) = argument
        {
            found.extend(string.literal());
        }
    }
    found
}
