//! `.bicepparam`: the template it is for, and the values it gives.

use std::collections::BTreeMap;
use std::sync::Arc;

use hangar_diag::{Diagnostic, Span};
use serde_json::Value as Json;

use crate::codes;
use crate::deployment::{Inputs, NothingKnown};
use crate::evaluate::{Evaluator, Facts, Scope, Shared};
use crate::functions::matches_pattern;
use crate::ir::{Unit, Variable};
use crate::path;
use crate::program::{Reporting, files, settle, text_of};
use crate::source::{Place, Problem, Sources};
use crate::syntax::ast::{self, File, Statement};
use crate::syntax::{Dialect, Tree, parse};

/// What a parameters file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParametersFile {
    /// The path of the template it is for; nothing for `using none`, or where it is missing.
    pub using: Option<String>,
    /// Where it names that template.
    pub using_place: Option<Place>,
    /// Where each parameter that gets a value is named.
    pub places: BTreeMap<String, Place>,
    /// Where each value is written, by the name of its parameter.
    pub value_places: BTreeMap<String, Place>,
    /// Values of parameters by name; only complete where no problem is an error.
    pub values: BTreeMap<String, Json>,
    /// Everything that is wrong, in the order of the text.
    pub problems: Vec<Problem>,
}

/// How many files may extend each other.
const MOST_EXTENDED: usize = 16;

/// Reads a parameters file, and those that it extends.
pub fn parameters_file(
    sources: &Sources,
    entry: &str,
    environment: &BTreeMap<String, String>,
) -> ParametersFile {
    read_assignments(sources, entry, environment, &mut Values::default())
}

/// What evaluates the values that a parameters file assigns.
pub(crate) trait Assignments {
    /// Called once for each file, before its assignments.
    fn begin(&mut self, unit: &Unit, evaluator: Evaluator<'_>) -> Result<(), Vec<Problem>>;

    /// Takes a value, unless a file that extends this one assigned it.
    fn assign(&mut self, variable: &Variable, evaluator: Evaluator<'_>)
    -> Result<(), Vec<Problem>>;

    /// The values by name.
    fn values(&mut self) -> BTreeMap<String, Json>;
}

/// Values as a deployment takes them.
#[derive(Default)]
struct Values(BTreeMap<String, Json>);

impl Assignments for Values {
    fn begin(&mut self, _: &Unit, _: Evaluator<'_>) -> Result<(), Vec<Problem>> {
        Ok(())
    }

    fn assign(
        &mut self,
        variable: &Variable,
        evaluator: Evaluator<'_>,
    ) -> Result<(), Vec<Problem>> {
        let value = known_value(variable, evaluator)?;
        self.0.entry(variable.name.text.to_string()).or_insert(value);
        Ok(())
    }

    fn values(&mut self) -> BTreeMap<String, Json> {
        std::mem::take(&mut self.0)
    }
}

/// The value of an assignment, which has to be known.
pub(crate) fn known_value(
    variable: &Variable,
    evaluator: Evaluator<'_>,
) -> Result<Json, Vec<Problem>> {
    let value = evaluator.value(&variable.value, Scope::EMPTY)?;
    value.to_json().ok_or_else(|| {
        let message = format!("the value of `{}` is not known", variable.name.text);
        let diagnostic = Diagnostic::error(codes::NOT_KNOWN_AT_START, message);
        vec![evaluator.problem(diagnostic.at(variable.value.span, ""))]
    })
}

/// Reads a parameters file, and those that it extends; what is assigned goes to `assignments`.
pub(crate) fn read_assignments(
    sources: &Sources,
    entry: &str,
    environment: &BTreeMap<String, String>,
    assignments: &mut impl Assignments,
) -> ParametersFile {
    let mut whole = ParametersFile::default();
    let mut read: Vec<String> = Vec::new();
    let mut next = Some(entry.to_owned());
    while let Some(path) = next.take() {
        let file: Arc<str> = path.as_str().into();
        let text = match text_of(sources, &file) {
            Ok(text) => text,
            Err(problem) => {
                whole.problems.push(*problem);
                break;
            }
        };
        let is_entry = read.is_empty();
        read.push(path);
        let parsed = parse(text, Dialect::Parameters);
        let mut found = Vec::new();
        if is_entry {
            let (using, more) = using(&parsed.tree, &file);
            if let Some((using, span)) = using {
                whole.using = Some(using);
                whole.using_place = Some(Place { file: file.clone(), span });
            }
            found.extend(more);
        }
        for Assigned { name, name_span, value_span } in assigned(&parsed.tree) {
            let place = |span| Place { file: file.clone(), span };
            whole.value_places.entry(name.clone()).or_insert(place(value_span));
            whole.places.entry(name).or_insert(place(name_span));
        }
        next = extended(&parsed.tree, &read, sources, &mut found);
        // What extends is read before what is extended: its values hold.
        let mut problems = assign(sources, &file, environment, assignments);
        problems
            .extend(found.into_iter().map(|diagnostic| Problem { file: file.clone(), diagnostic }));
        whole.problems.extend(problems);
    }
    whole.values = assignments.values();
    settle(&mut whole.problems);
    whole
}

/// Evaluates what one file assigns; returns what is wrong with it.
fn assign(
    sources: &Sources,
    file: &Arc<str>,
    environment: &BTreeMap<String, String>,
    taken: &mut impl Assignments,
) -> Vec<Problem> {
    let files::Read { units, mut problems, assignments, .. } =
        files::read(sources, file, Dialect::Parameters, Reporting::OnePerSlip);
    if problems.iter().any(Problem::is_error) {
        return problems;
    }
    // What a parameters file is told from outside is its environment.
    let parameters = environment.iter().map(|(name, it)| (name.clone(), Json::String(it.clone())));
    let inputs = Inputs { parameters: parameters.collect(), ..Inputs::default() };
    let facts = Facts::new(&units, inputs);
    let shared = Shared::new(&units, &facts, &NothingKnown);
    let evaluator = shared.root();
    let unit = units.entry();
    problems.extend(taken.begin(unit, evaluator).err().unwrap_or_default());
    for index in assignments {
        let result = taken.assign(&unit.variables[index], evaluator);
        problems.extend(result.err().unwrap_or_default());
    }
    problems
}

/// The file that a parameters file extends, and what is wrong with how it says so.
fn extended(
    tree: &Tree,
    read: &[String],
    sources: &Sources,
    found: &mut Vec<Diagnostic>,
) -> Option<String> {
    let mut statements = File::of(tree).statements().filter_map(|statement| match statement {
        Statement::Extends(extends) => Some(extends),
        _ => None,
    });
    let first = statements.next()?;
    for second in statements {
        let message = "a parameter file can extend only one other file";
        let diagnostic = Diagnostic::error(codes::EXTENDS, message).at(second.span(), "");
        found.push(diagnostic.hint("remove it, or extend that file in the other one"));
    }
    // A path that is missing was reported.
    let path = first.path()?;
    let file = read.last().map_or("", String::as_str);
    let mut wrong = |message: String| {
        found.push(Diagnostic::error(codes::EXTENDS, message).at(path.span(), ""));
        None
    };
    let Some(resolved) = path.literal().and_then(|text| path::resolve(file, &text)) else {
        return wrong("the path must be a literal, relative and inside the project".to_owned());
    };
    if read.contains(&resolved) {
        let way: Vec<String> = read.iter().map(|file| format!("`{file}`")).collect();
        return wrong(format!(
            "the files extend each other in a cycle: {} → `{resolved}`",
            way.join(" → ")
        ));
    }
    if read.len() >= MOST_EXTENDED {
        return wrong(format!("more than {MOST_EXTENDED} files extend each other"));
    }
    if sources.get(&resolved).is_none() {
        return wrong(format!("the file `{resolved}` was not found"));
    }
    Some(resolved)
}

/// The template that a parameters file is for, and what is wrong with how it says so.
fn using(tree: &Tree, file: &str) -> (Option<(String, Span)>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let mut statements = File::of(tree).statements().filter_map(|statement| match statement {
        Statement::Using(using) => Some(using),
        _ => None,
    });
    let Some(first) = statements.next() else {
        let message = "the parameter file has no `using` declaration";
        let hint = "write `using 'main.bicep'` or `using none` at the top of the file";
        let diagnostic = Diagnostic::error(codes::NO_USING, message).at(Span::new(0, 0), "");
        return (None, vec![diagnostic.hint(hint)]);
    };
    for second in statements {
        let message = "the parameter file has more than one `using` declaration";
        let diagnostic = Diagnostic::error(codes::SECOND_USING, message).at(second.span(), "");
        found.push(
            diagnostic.hint("keep one `using`, and write a separate file for the other template"),
        );
    }
    if first.configuration().is_some() {
        let message = "`with` after `using` is not supported yet";
        let diagnostic = Diagnostic::error(codes::NOT_SUPPORTED, message).at(first.span(), "");
        found.push(diagnostic.hint("remove `with` and its object"));
    }
    // `using none` has no path, and neither has what was reported.
    let Some(path) = first.path() else { return (None, found) };
    let resolved = path.literal().and_then(|text| path::resolve(file, &text));
    if resolved.is_none() {
        let message = "the path of the template must be a literal, relative and inside the project";
        let diagnostic = Diagnostic::error(codes::UNREADABLE_FILE, message).at(path.span(), "");
        found.push(diagnostic.hint("write the path as in `using 'main.bicep'`"));
    }
    (resolved.map(|it| (it, path.span())), found)
}

/// A parameter that a file gives a value to.
struct Assigned {
    name: String,
    name_span: Span,
    value_span: Span,
}

/// The parameters that a file gives values to.
fn assigned(tree: &Tree) -> impl Iterator<Item = Assigned> {
    File::of(tree).statements().filter_map(|statement| match statement {
        Statement::ParamAssignment(view) => view.name().map(|name| Assigned {
            name: name.text().to_owned(),
            name_span: name.span(),
            value_span: view.value().map_or(name.span(), ast::Expression::span),
        }),
        _ => None,
    })
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
        Statement::Extends(extends) => extends.path()?.literal(),
        _ => None,
    }));
    let mut files: Vec<String> =
        relative.iter().filter_map(|relative| path::resolve(path, relative)).collect();
    files.extend(files::named_files(&parsed.tree, path));
    files.sort_unstable();
    files.dedup();
    files
}

/// A folder whose files a template lists with `loadDirectoryFileInfo()`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedFolder {
    /// Its path in the project; empty for the root.
    pub path: String,
    pattern: String,
}

impl ListedFolder {
    /// Whether a file of this name is listed.
    pub fn lists(&self, name: &str) -> bool {
        matches_pattern(name, &self.pattern)
    }
}

/// The folders that a template or a parameters file lists, where their paths are written out.
pub fn folders_of(text: &str, path: &str) -> Vec<ListedFolder> {
    let is_parameters = path.ends_with(".bicepparam");
    let dialect = if is_parameters { Dialect::Parameters } else { Dialect::Template };
    let parsed = parse(text, dialect);
    let literal = |argument: Option<&ast::Expression<'_>>| match argument {
        Some(ast::Expression::String(string)) => string.literal(),
        _ => None,
    };
    let mut folders = Vec::new();
    for arguments in calls(&parsed.tree, &["loadDirectoryFileInfo"]) {
        let Some(folder) = literal(arguments.first()) else { continue };
        let Some(folder) = path::resolve_folder(path, &folder) else { continue };
        let pattern = literal(arguments.get(1)).unwrap_or_else(|| "*".to_owned());
        folders.push(ListedFolder { path: folder, pattern });
    }
    folders.sort_unstable();
    folders.dedup();
    folders
}

/// The first arguments of calls of some functions, where they are written out.
fn literal_arguments(tree: &Tree, functions: &[&str]) -> Vec<String> {
    let first = calls(tree, functions).into_iter().filter_map(|it| it.first().copied());
    let literals = first.filter_map(|argument| match argument {
        ast::Expression::String(string) => string.literal(),
        _ => None,
    });
    literals.collect()
}

/// The arguments of all calls of some functions.
fn calls<'t>(tree: &'t Tree, functions: &[&str]) -> Vec<Vec<ast::Expression<'t>>> {
    let mut found = Vec::new();
    let mut open = vec![tree.root()];
    while let Some(node) = open.pop() {
        open.extend(node.children());
        let (name, arguments): (_, Vec<_>) = if let Some(call) = ast::Call::cast(node) {
            (call.name(), call.arguments().collect())
        } else if let Some(call) = ast::MethodCall::cast(node) {
            (call.name(), call.arguments().collect())
        } else {
            continue;
        };
        if name.is_some_and(|name| functions.contains(&name.text())) {
            found.push(arguments);
        }
    }
    found
}
