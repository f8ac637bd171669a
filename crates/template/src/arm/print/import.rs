//! Declarations of other files: what is used of them is written into the template.
//!
//! One that is imported by a name has that name; all others, which those need, are told apart by the number of their
//! file: `_1.name`.

use std::sync::Arc;

use hangar_diag::{Diagnostic, Span};

use super::bind::Symbol;
use super::types::reference;
use super::{Build, Printer};
use crate::arm::expression::Expression;
use crate::arm::is_compiled;
use crate::arm::json::{self, Json};
use crate::codes;
use crate::path;
use crate::source::Problem;
use crate::syntax::ast::{self, Statement};
use crate::syntax::{Dialect, Tree, parse};

/// How to do without a registry.
pub(super) const COPY_FROM_REGISTRY: &str = "copy the files into the project and use their path";

/// How many files may be imported by one.
const MAX_FILES: usize = 200;

/// A declaration of another file that is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) file: usize,
    pub(super) name: String,
    /// What it is called in the template; of a function after its namespace.
    pub(super) called: String,
    /// Whether the template imports it by another name than its own.
    is_renamed: bool,
}

/// A file that is imported from.
pub(super) struct ImportedFile {
    pub(super) path: Arc<str>,
    pub(super) content: Content,
}

pub(super) enum Content {
    Bicep(Tree),
    Compiled(Json),
}

/// Where a declaration comes from.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    /// The path of its file, relative to the template.
    pub(super) source: &'a str,
    pub(super) used: &'a Used,
}

impl Build<'_> {
    /// All files that a file imports from, and those that they import from, in the order they are named.
    pub(super) fn imported_files(&mut self, file: &Arc<str>, tree: &Tree) -> Vec<ImportedFile> {
        let mut found: Vec<ImportedFile> = Vec::new();
        let mut open = paths(file, tree);
        open.reverse();
        while let Some((from, span, path)) = open.pop() {
            let known = found.iter().any(|it| *it.path == *path) || *path == **file;
            if known {
                continue;
            }
            let text = self.sources.text(&path);
            if is_registry(&path) {
                let message =
                    format!("imports from a registry, such as `{path}`, are not supported yet");
                let diagnostic = Diagnostic::error(codes::NOT_SUPPORTED, message).at(span, "");
                let diagnostic = diagnostic.hint(COPY_FROM_REGISTRY);
                self.problems.push(Problem { file: from, diagnostic });
                continue;
            }
            let why = match text {
                _ if found.len() >= MAX_FILES => {
                    Some("exceeds the number of files that can be imported")
                }
                None => Some("was not found, or is not text"),
                Some(_) => None,
            };
            if let Some(why) = why {
                let message = format!("the file `{path}` {why}");
                let diagnostic = Diagnostic::error(codes::UNREADABLE_FILE, message).at(span, "");
                self.problems.push(Problem { file: from, diagnostic });
                continue;
            }
            let name: Arc<str> = path.into();
            if is_compiled(&name) {
                match json::parse(text.unwrap_or_default()) {
                    Ok(json) => {
                        found.push(ImportedFile { path: name, content: Content::Compiled(json) });
                    }
                    Err(fault) => {
                        let diagnostic = Diagnostic::error(codes::BAD_JSON, fault.message);
                        let diagnostic = diagnostic.at(fault.span, "");
                        self.problems.push(Problem { file: name, diagnostic });
                    }
                }
                continue;
            }
            let parsed = parse(text.unwrap_or_default(), Dialect::Template);
            let told = parsed.diagnostics.into_iter().filter(Diagnostic::is_error);
            self.problems.extend(told.map(|diagnostic| Problem { file: name.clone(), diagnostic }));
            let mut more = paths(&name, &parsed.tree);
            more.reverse();
            open.splice(0..0, more);
            found.push(ImportedFile { path: name, content: Content::Bicep(parsed.tree) });
        }
        found
    }
}

/// Whether a path names something in a registry: `br:…`, `br/public:…`, `ts:…`.
pub(super) fn is_registry(written: &str) -> bool {
    let scheme = written.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|it| matches!(it.split('/').next(), Some("br" | "ts" | "oci")))
}

/// The files that a file imports from, and where it says so.
fn paths(file: &Arc<str>, tree: &Tree) -> Vec<(Arc<str>, Span, String)> {
    let statements = ast::File::of(tree).statements();
    let imports = statements.filter_map(|statement| match statement {
        Statement::Import(view) => view.path(),
        _ => None,
    });
    let named = imports.filter_map(|path| {
        let written = path.literal()?;
        let resolved = if is_registry(&written) { written } else { path::resolve(file, &written)? };
        Some((file.clone(), path.span(), resolved))
    });
    named.collect()
}

impl Printer<'_, '_, '_> {
    /// Prints in another file, with the names that are known there.
    pub(super) fn in_file<T>(&mut self, file: usize, print: impl FnOnce(&mut Self) -> T) -> T {
        if file == self.current {
            return print(self);
        }
        let before = self.current;
        self.enter_file(file);
        let printed = self.outside(None, Vec::new(), print);
        self.enter_file(before);
        printed
    }

    fn enter_file(&mut self, file: usize) {
        std::mem::swap(&mut self.bound, &mut self.files[self.current].1);
        self.current = file;
        std::mem::swap(&mut self.bound, &mut self.files[file].1);
        self.file = self.files[file].0.clone();
    }

    /// What a declaration is called in the template; one of another file is noted.
    pub(super) fn called(&mut self, file: usize, name: &str) -> String {
        if file == 0 {
            return name.to_owned();
        }
        let own = if self.current == 0 { &self.bound } else { &self.files[0].1 };
        let by_name = own.imports.iter().find(|it| it.file == file && it.original == name);
        let alias = by_name.map(|it| it.alias.to_owned());
        let is_renamed = alias.as_deref().is_some_and(|alias| alias != name);
        let called = alias.unwrap_or_else(|| format!("_{}.{name}", self.number_of(file)));
        let used = Used { file, name: name.to_owned(), called: called.clone(), is_renamed };
        if !self.is_trial && !self.used.contains(&used) {
            self.used.push(used);
        }
        called
    }

    /// The number of an imported file: its place in the order of the paths.
    fn number_of(&self, file: usize) -> usize {
        let path = |at: usize| path::relative(&self.files[0].0, &self.files[at].0);
        let own = path(file);
        1 + (1..self.files.len()).filter(|at| path(*at) < own).count()
    }

    /// Marks all that the template itself imports as used: the compiler of Bicep writes it out, read or not.
    fn use_imports(&mut self) {
        for import in self.bound.imports.clone() {
            self.called(import.file, import.original);
        }
        let namespaces = self.bound.symbols.values().filter_map(|symbol| match symbol {
            Symbol::Namespace(file) => Some(*file),
            _ => None,
        });
        for file in namespaces.collect::<Vec<_>>() {
            let exported: Vec<String> = match self.compiled.get(&file) {
                Some(json) => Self::compiled_exports(json),
                None => self.files[file].1.exported().map(str::to_owned).collect(),
            };
            for name in exported {
                self.called(file, &name);
            }
        }
    }

    pub(super) fn own_variable(&mut self, name: &str) -> String {
        self.called(self.current, name)
    }

    pub(super) fn own_type(&mut self, name: &str) -> String {
        self.called(self.current, name)
    }

    pub(super) fn own_function(&mut self, name: &str) -> String {
        let called = self.called(self.current, name);
        qualified(&called)
    }

    pub(super) fn imported_variable(&mut self, file: usize, name: &str, span: Span) -> Expression {
        if !matches!(self.symbol_in(file, name), Some(Symbol::Variable(_))) {
            return self.faulty(codes::NOT_EXPORTED, span, self.not_there(file, name, "variable"));
        }
        let called = self.called(file, name);
        Expression::call("variables", vec![Expression::text(called)])
    }

    pub(super) fn imported_function(
        &mut self,
        file: usize,
        name: &str,
        span: Span,
    ) -> Option<String> {
        if !matches!(self.symbol_in(file, name), Some(Symbol::Function(_))) {
            self.error(codes::NOT_EXPORTED, span, self.not_there(file, name, "function"));
            return None;
        }
        let called = self.called(file, name);
        Some(qualified(&called))
    }

    pub(super) fn imported_type(&mut self, file: usize, name: &str, span: Span) -> Json {
        if !matches!(self.symbol_in(file, name), Some(Symbol::Type(_))) {
            self.error(codes::NOT_EXPORTED, span, self.not_there(file, name, "type"));
            return Json::object();
        }
        let called = self.called(file, name);
        reference(&called)
    }

    fn symbol_in(&self, file: usize, name: &str) -> Option<Symbol> {
        if let Some(json) = self.compiled.get(&file) {
            return Self::compiled_symbol(json, name);
        }
        let bound = if file == self.current { &self.bound } else { &self.files[file].1 };
        bound.symbols.get(name).copied()
    }

    fn not_there(&self, file: usize, name: &str, what: &str) -> String {
        format!("the {what} `{name}` does not exist in `{}`", self.files[file].0)
    }

    /// Writes out what is used of other files, and what that uses.
    pub(super) fn imported(
        &mut self,
        definitions: &mut Json,
        functions: &mut Vec<(String, Json)>,
        variables: &mut Json,
    ) {
        self.use_imports();
        let mut at = 0;
        while let Some(used) = self.used.get(at).cloned() {
            at += 1;
            let source = path::relative(&self.files[0].0, &self.files[used.file].0);
            if let Some(json) = self.compiled.get(&used.file).copied() {
                self.imported_of_json(json, &used, &source, definitions, functions, variables);
                continue;
            }
            let origin = Origin { source: &source, used: &used };
            self.in_file(used.file, |it| match it.bound.symbols.get(used.name.as_str()) {
                Some(Symbol::Type(index)) => {
                    let view = it.bound.types[*index];
                    let decorators: Vec<_> = Statement::TypeAlias(view).decorators().collect();
                    let mut json = it.typed(view.type_expression(), &decorators);
                    json.note_origin(origin);
                    definitions.set(&used.called, json);
                }
                Some(Symbol::Function(index)) => {
                    let Some(mut json) = it.function_json(it.bound.functions[*index]) else {
                        return;
                    };
                    json.note_origin(origin);
                    add_function(functions, &used.called, json);
                }
                Some(Symbol::Variable(index)) => {
                    let Some(value) = it.bound.variables[*index].value() else { return };
                    let value = match it.loaded_text(value) {
                        Some(text) => text,
                        None => it.value(value),
                    };
                    variables.set(&used.called, value);
                }
                _ => {}
            });
        }
    }
}

impl Json {
    /// Says where a declaration comes from, as the compiler does.
    pub(super) fn note_origin(&mut self, origin: Origin<'_>) {
        let used = origin.used;
        let mut origin = Json::object().with("sourceTemplate", Self::text(origin.source));
        if used.is_renamed {
            origin.set("originalIdentifier", Self::text(used.name.as_str()));
        }
        let mut metadata = Json::object();
        for member in self.get("metadata").map_or(&[][..], Json::members) {
            if !matches!(member.name.as_str(), "__bicep_export!" | "__bicep_imported_from!") {
                metadata.set(&member.name, member.value.clone());
            }
        }
        metadata.set("__bicep_imported_from!", origin);
        self.replace("metadata", metadata);
    }
}

/// Adds a function to those of its namespace.
pub(super) fn add_function(functions: &mut Vec<(String, Json)>, called: &str, json: Json) {
    let whole = qualified(called);
    let (namespace, name) = whole.split_once('.').unwrap_or(("__bicep", &whole));
    match functions.iter_mut().find(|(it, _)| it == namespace) {
        Some((_, members)) => members.set(name, json),
        None => functions.push((namespace.to_owned(), Json::object().with(name, json))),
    }
}

/// A function with its namespace: one that is called `_1.name` has it already.
pub(super) fn qualified(called: &str) -> String {
    if called.contains('.') { called.to_owned() } else { format!("__bicep.{called}") }
}

/// The functions of a template by their namespaces.
pub(super) fn namespaces(functions: Vec<(String, Json)>) -> Option<Json> {
    let filled = functions.into_iter().filter(|(_, members)| !members.members().is_empty());
    let list: Vec<Json> = filled
        .map(|(namespace, members)| {
            Json::object().with("namespace", Json::text(namespace)).with("members", members)
        })
        .collect();
    (!list.is_empty()).then(|| Json::array(list))
}
