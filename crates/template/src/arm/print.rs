//! From the tree of a Bicep file to ARM JSON with symbolic names, as the compiler of Bicep writes it.
//!
//! It is printed from the tree and not from what is evaluated: a template may be compiled whose resources Hangar
//! could not deploy. What is wrong with it beyond its names is for the compiler of the deployment to tell.

mod access;
mod bind;
mod call;
mod decorator;
mod depends;
mod expression;
mod id;
mod import;
mod import_json;
mod load;
mod module;
mod resource;
mod types;
mod union;
mod value;

use std::collections::HashMap;
use std::sync::Arc;

use hangar_diag::{Code, Diagnostic, Span};

use super::expression::Expression;
use super::is_compiled;
use super::json::{self, Json};
use crate::codes;
use crate::path;
use crate::program::text_of;
use crate::source::{Problem, Sources};
use crate::syntax::ast::{self, Statement};
use crate::syntax::{Dialect, Tree, parse, parse_mended};
use bind::{Bound, Local};
use depends::Dependency;
use id::Target;
use import::{Content, ImportedFile, Used, namespaces};

/// How many templates one may hold, modules in modules counted each time; as many as a deployment may.
const MAX_TEMPLATES: usize = 5_000;
/// How many bytes of modules a template may hold. Azure takes templates of 4 MB.
const MAX_MODULE_BYTES: usize = 10_000_000;
/// How deep modules stand in each other.
const MAX_MODULES: usize = 20;
/// How many expressions a file may come to: names and variables are written out where they are used.
const MAX_EXPRESSIONS: usize = 500_000;

/// What a file came to.
#[derive(Clone)]
struct Template {
    json: Json,
    target: Target,
    /// The outputs that are secret.
    secure_outputs: Vec<String>,
    extent: Extent,
}

/// How much a template comes to, with the modules in it.
#[derive(Clone, Copy, Default)]
struct Extent {
    templates: usize,
    bytes: usize,
}

/// All files of one build.
pub(super) struct Build<'s> {
    sources: &'s Sources,
    pub(super) problems: Vec<Problem>,
    /// The files that are being printed, the outermost first.
    open: Vec<Arc<str>>,
    done: HashMap<Arc<str>, Option<Template>>,
}

impl<'s> Build<'s> {
    pub(super) fn new(sources: &'s Sources) -> Self {
        Self { sources, problems: Vec::new(), open: Vec::new(), done: HashMap::new() }
    }

    /// The template of a file; nothing where that is broken, which was reported.
    pub(super) fn file(&mut self, file: &Arc<str>) -> Option<Json> {
        self.template(file).map(|it| it.json)
    }

    fn template(&mut self, file: &Arc<str>) -> Option<Template> {
        if let Some(template) = self.done.get(file) {
            return template.clone();
        }
        self.open.push(file.clone());
        let template = if is_compiled(file) { self.compiled(file) } else { self.printed(file) };
        self.open.pop();
        self.done.insert(file.clone(), template.clone());
        template
    }

    fn printed(&mut self, file: &Arc<str>) -> Option<Template> {
        let text = match text_of(self.sources, file) {
            Ok(text) => text,
            Err(problem) => {
                self.problems.push(*problem);
                return None;
            }
        };
        let parsed = parse(text, Dialect::Template);
        let is_broken = parsed.diagnostics.iter().any(Diagnostic::is_error);
        if is_broken {
            let found = parse_mended(text, Dialect::Template).parsed.diagnostics.into_iter();
            self.problems
                .extend(found.map(|diagnostic| Problem { file: file.clone(), diagnostic }));
            return None;
        }
        let before = self.problems.len();
        let imported = self.imported_files(file, &parsed.tree);
        if self.problems.len() > before {
            return None;
        }
        let template = Printer::new(self, file, &parsed.tree, &imported).print();
        (self.problems.len() == before).then_some(template)
    }

    /// A module that is ARM JSON already.
    fn compiled(&mut self, file: &Arc<str>) -> Option<Template> {
        let text = match text_of(self.sources, file) {
            Ok(text) => text,
            Err(problem) => {
                self.problems.push(*problem);
                return None;
            }
        };
        match json::parse(text) {
            Ok(json) => {
                let target = Target::of_schema(json.get("$schema").and_then(Json::as_text));
                let outputs = json.get("outputs").map_or(&[][..], Json::members);
                let is_secure = |it: &json::Member| {
                    let kind = it.value.get("type").and_then(Json::as_text).unwrap_or_default();
                    kind.to_ascii_lowercase().starts_with("secure")
                };
                let secure = outputs.iter().filter(|it| is_secure(it)).map(|it| it.name.clone());
                let secure_outputs = secure.collect();
                let extent = Extent { templates: 1, bytes: text.len() };
                Some(Template { secure_outputs, target, extent, json: json.clone() })
            }
            Err(fault) => {
                let diagnostic = Diagnostic::error(codes::BAD_JSON, fault.message);
                let diagnostic = diagnostic.at(fault.span, "");
                self.problems.push(Problem { file: file.clone(), diagnostic });
                None
            }
        }
    }
}

/// One file that is printed.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is about what is printed just now and is set around it; no two of them make a state"
)]
struct Printer<'t, 'b, 's> {
    build: &'b mut Build<'s>,
    file: Arc<str>,
    bound: Bound<'t>,
    /// The files that are imported, after a place for the template itself.
    files: Vec<(Arc<str>, Bound<'t>)>,
    /// Those of them that are ARM JSON.
    compiled: HashMap<usize, &'t Json>,
    /// Which of them is printed.
    current: usize,
    /// The declarations of other files that are used.
    used: Vec<Used>,
    target: Target,
    /// The variables of loops, lambdas and functions around what is printed, the innermost last.
    locals: Vec<(&'t str, Local)>,
    /// The resource whose body is printed: its nested ones are known by their names there.
    owner: Option<usize>,
    /// What was read of resources, while somebody wants to know.
    read: Vec<Dependency>,
    /// Whether that is noted: not while the name of another resource is written out.
    is_noting: bool,
    /// Whether something was read that only the run of a deployment tells.
    is_runtime: bool,
    /// Whether files are written as variables; not where it is only asked what something reads.
    is_trial: bool,
    is_in_function: bool,
    /// What files said, each a variable of its own.
    loaded: Vec<Json>,
    /// The base type of the default of the parameter that is printed, if its type is a part of a resource's.
    default_kind: Option<&'static str>,
    /// What the modules come to that were written so far.
    modules: Extent,
    depth: usize,
    expressions: usize,
}

impl<'t, 'b, 's> Printer<'t, 'b, 's> {
    fn new(
        build: &'b mut Build<'s>,
        file: &Arc<str>,
        tree: &'t Tree,
        imported: &'t [ImportedFile],
    ) -> Self {
        let place = |from: &Arc<str>| {
            let from = from.clone();
            move |path: &str| {
                let path = path::resolve(&from, path)?;
                imported.iter().position(|it| *it.path == *path).map(|at| at + 1)
            }
        };
        let others = imported.iter().map(|it| match &it.content {
            Content::Bicep(tree) => (it.path.clone(), Bound::of(tree, place(&it.path))),
            Content::Compiled(_) => (it.path.clone(), Bound::default()),
        });
        let compiled = imported.iter().enumerate().filter_map(|(at, it)| match &it.content {
            Content::Compiled(json) => Some((at + 1, json)),
            Content::Bicep(_) => None,
        });
        let bound = Bound::of(tree, place(file));
        Self {
            build,
            file: file.clone(),
            bound,
            files: std::iter::once((file.clone(), Bound::default())).chain(others).collect(),
            compiled: compiled.collect(),
            current: 0,
            used: Vec::new(),
            target: Target::Group,
            locals: Vec::new(),
            owner: None,
            read: Vec::new(),
            is_noting: true,
            is_runtime: false,
            is_trial: false,
            is_in_function: false,
            loaded: Vec::new(),
            default_kind: None,
            modules: Extent::default(),
            depth: 0,
            expressions: 0,
        }
    }

    fn print(mut self) -> Template {
        self.target = self.bound.target();
        self.refuse_unknown_extensions();
        let metadata = self.metadata();
        let mut definitions = self.definitions();
        let mut functions = vec![("__bicep".to_owned(), self.functions())];
        let parameters = self.parameters();
        let mut variables = self.variables();
        let imports = self.imports();
        let resources = self.resources();
        let (outputs, secure_outputs) = self.outputs();
        self.imported(&mut definitions, &mut functions, &mut variables);
        // What resources and outputs load are variables too.
        let variables = self.with_loaded(&variables);
        let definitions = (!definitions.members().is_empty()).then_some(definitions);
        let functions = namespaces(functions);
        let mut json = Json::object()
            .with("$schema", Json::text(self.target.schema()))
            .with("languageVersion", Json::text("2.0"))
            .with("contentVersion", Json::text("1.0.0.0"))
            .with("metadata", metadata);
        let parts = [
            ("definitions", definitions),
            ("functions", functions),
            ("parameters", parameters),
            ("variables", variables),
            ("imports", imports),
        ];
        for (name, part) in parts {
            if let Some(part) = part {
                json.set(name, part);
            }
        }
        json.set("resources", resources);
        if let Some(outputs) = outputs {
            json.set("outputs", outputs);
        }
        // A template without modules is measured once; the modules were measured before.
        let own = if self.modules.templates == 0 { json.to_string().len() } else { 0 };
        let extent =
            Extent { templates: self.modules.templates + 1, bytes: self.modules.bytes + own };
        Template { json, target: self.target, secure_outputs, extent }
    }

    fn metadata(&mut self) -> Json {
        let generator = Json::object()
            .with("name", Json::text("hangar"))
            .with("version", Json::text(env!("CARGO_PKG_VERSION")));
        let mut metadata = Json::object().with("_generator", generator);
        for statement in self.bound.statements.clone() {
            if let Statement::Metadata(view) = statement
                && let (Some(name), Some(value)) = (view.name(), view.value())
            {
                let value = self.value(value);
                metadata.set(name.text(), value);
            }
        }
        let exported = self.exported_variables();
        if !exported.is_empty() {
            metadata.set("__bicep_exported_variables!", Json::array(exported));
        }
        metadata
    }

    /// The variables that other templates can import.
    fn exported_variables(&mut self) -> Vec<Json> {
        let mut exported = Vec::new();
        for view in self.bound.variables.clone() {
            let decorators: Vec<_> = Statement::Var(view).decorators().collect();
            let is_exported = decorators.iter().any(|it| decorator::name(*it) == Some("export"));
            let Some(name) = view.name().filter(|_| is_exported) else { continue };
            let mut json = Json::object().with("name", Json::text(name.text()));
            if view.type_expression().is_some() {
                let declared = self.typed(view.type_expression(), &[]);
                json.set("type", declared);
            }
            let mut described =
                decorators.iter().filter(|it| decorator::name(**it) == Some("description"));
            if let Some(text) = described.next().and_then(|it| decorator::argument(*it)) {
                let text = self.description(text);
                json.set("description", text);
            }
            exported.push(json);
        }
        exported
    }

    fn variables(&mut self) -> Json {
        let mut copies = Vec::new();
        let mut variables = Json::object();
        for index in 0..self.bound.variables.len() {
            let view = self.bound.variables[index];
            let (Some(name), Some(value)) = (view.name(), view.value()) else { continue };
            if self.is_inlined(index) {
                continue;
            }
            if let ast::Expression::Loop(repeat) = value {
                copies.push(self.copy(name.text(), repeat));
            } else if let Some(text) = self.loaded_text(value) {
                variables.set(name.text(), text);
            } else {
                let value = self.value(value);
                variables.set(name.text(), value);
            }
        }
        let mut all = Json::object();
        if !copies.is_empty() {
            all.set("copy", Json::array(copies));
        }
        for member in variables.members() {
            all.set(&member.name, member.value.clone());
        }
        all
    }

    /// The variables with those that hold what files say.
    fn with_loaded(&mut self, variables: &Json) -> Option<Json> {
        let mut all = Json::object();
        for (at, value) in std::mem::take(&mut self.loaded).into_iter().enumerate() {
            all.set(format!("$fxv#{at}"), value);
        }
        for member in variables.members() {
            all.set(&member.name, member.value.clone());
        }
        (!all.members().is_empty()).then_some(all)
    }

    fn parameters(&mut self) -> Option<Json> {
        let mut parameters = Json::object();
        for view in self.bound.parameters.clone() {
            let Some(name) = view.name() else { continue };
            let statement = Statement::Param(view);
            let decorators: Vec<_> = statement.decorators().collect();
            let is_derived = view.type_expression().is_some_and(types::is_derived);
            let default = view.value().filter(|_| is_derived);
            self.default_kind = default.and_then(types::literal_kind);
            let mut json = self.typed(view.type_expression(), &decorators);
            self.default_kind = None;
            if let Some(value) = view.value() {
                let value = self.value(value);
                json.set("defaultValue", value);
            }
            parameters.set(name.text(), json);
        }
        (!parameters.members().is_empty()).then_some(parameters)
    }

    fn outputs(&mut self) -> (Option<Json>, Vec<String>) {
        let mut outputs = Json::object();
        let mut secure = Vec::new();
        for view in self.bound.outputs.clone() {
            let (Some(name), Some(value)) = (view.name(), view.value()) else { continue };
            let statement = Statement::Output(view);
            let decorators: Vec<_> = statement.decorators().collect();
            if decorators.iter().any(|it| decorator::name(*it) == Some("secure")) {
                secure.push(name.text().to_owned());
            }
            let mut json = self.typed(view.type_expression(), &decorators);
            if let ast::Expression::Loop(repeat) = value {
                let copy = self.copy_of_output(repeat);
                json.set("copy", copy);
            } else {
                let value = self.value(value);
                json.set("value", value);
            }
            outputs.set(name.text(), json);
        }
        let outputs = (!outputs.members().is_empty()).then_some(outputs);
        (outputs, secure)
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        let diagnostic = Diagnostic::error(code, message).at(span, "");
        let at = self.build.problems.len();
        self.build.problems.push(Problem { file: self.file.clone(), diagnostic });
        &mut self.build.problems[at].diagnostic
    }

    /// An expression in the place of a wrong one; the template is not used.
    fn faulty(&mut self, code: Code, span: Span, message: impl Into<String>) -> Expression {
        self.error(code, span, message);
        Expression::call("null", vec![])
    }

    /// The path of a file that this one names.
    fn path(&mut self, view: ast::String<'t>) -> Option<Arc<str>> {
        let written = view.literal()?;
        if import::is_registry(&written) {
            let message =
                format!("modules from a registry, such as `{written}`, are not supported yet");
            let error = self.error(codes::NOT_SUPPORTED, view.span(), message);
            error.hints.push(import::COPY_FROM_REGISTRY.to_owned());
            return None;
        }
        let resolved = path::resolve(&self.file, &written);
        if resolved.is_none() {
            let message = format!("`{written}` is outside the project");
            let hint = "only files inside the project folder can be read".to_owned();
            self.error(codes::UNREADABLE_FILE, view.span(), message).hints.push(hint);
        }
        resolved.map(Into::into)
    }
}
