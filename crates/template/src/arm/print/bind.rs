//! The names of a file, and what they are.

use std::collections::HashMap;

use hangar_diag::Span;

use crate::arm::expression::Expression;
use crate::arm::print::decorator;
use crate::arm::print::id::Target;
use crate::ir::Extension;
use crate::syntax::Tree;
use crate::syntax::ast::{self, ObjectItem, Statement};

/// What a name of the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symbol {
    Parameter(usize),
    Variable(usize),
    Resource(usize),
    Type(usize),
    Function(usize),
    Extension(usize),
    /// A declaration of another file, by its place in [`Bound::imports`].
    Imported(usize),
    /// All of another file.
    Namespace(usize),
}

/// A name of another file that is known by a name here.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImportedName<'t> {
    pub(super) file: usize,
    pub(super) original: &'t str,
    pub(super) alias: &'t str,
}

/// A variable of a loop, a lambda or a function.
#[derive(Debug, Clone)]
pub(super) enum Local {
    /// The item of a loop: the list, and the index in it.
    Item {
        list: Expression,
        index: Expression,
    },
    Index(Expression),
    Lambda(String),
    Parameter(String),
}

/// A resource or a module.
#[derive(Debug, Clone)]
pub(super) struct Resource<'t> {
    /// Its name in the template: those of the resources around it come before it.
    pub(super) symbol: String,
    pub(super) name: &'t str,
    pub(super) statement: Statement<'t>,
    pub(super) what: What<'t>,
    pub(super) is_existing: bool,
    /// The resource it is written in.
    pub(super) outer: Option<usize>,
    pub(super) repeat: Option<ast::Loop<'t>>,
    pub(super) condition: Option<ast::Expression<'t>>,
    pub(super) body: Option<ast::Object<'t>>,
}

#[derive(Debug, Clone)]
pub(super) enum What<'t> {
    Azure {
        type_name: String,
        version: String,
    },
    /// Of an extension, with the type as it is written.
    Extension {
        alias: String,
        type_name: String,
    },
    Module {
        path: Option<ast::String<'t>>,
    },
}

impl<'t> Resource<'t> {
    pub(super) fn property(&self, wanted: &str) -> Option<ast::Expression<'t>> {
        let mut properties = self.body?.items().filter_map(|item| match item {
            ObjectItem::Property(property) => Some(property),
            _ => None,
        });
        properties.find(|it| key(*it).as_deref() == Some(wanted)).and_then(ast::Property::value)
    }

    pub(super) const fn is_module(&self) -> bool {
        matches!(self.what, What::Module { .. })
    }
}

/// The key of a property, where it is not computed.
pub(super) fn key(property: ast::Property<'_>) -> Option<String> {
    match property.key()? {
        ast::PropertyKey::Name(name) => Some(name.text().to_owned()),
        ast::PropertyKey::String(string) => string.literal(),
    }
}

pub(super) struct ExtensionName<'t> {
    pub(super) alias: &'t str,
    pub(super) extension: Option<Extension>,
    pub(super) written: String,
    pub(super) span: Span,
    pub(super) configuration: Option<ast::Object<'t>>,
}

/// All names of a file.
#[derive(Default)]
pub(super) struct Bound<'t> {
    pub(super) statements: Vec<Statement<'t>>,
    pub(super) symbols: HashMap<&'t str, Symbol>,
    pub(super) parameters: Vec<ast::Param<'t>>,
    pub(super) variables: Vec<ast::Var<'t>>,
    /// What is known of each variable, once it was asked.
    pub(super) asked: Vec<Asked>,
    pub(super) resources: Vec<Resource<'t>>,
    pub(super) types: Vec<ast::TypeAlias<'t>>,
    pub(super) functions: Vec<ast::Func<'t>>,
    pub(super) outputs: Vec<ast::Output<'t>>,
    pub(super) extensions: Vec<ExtensionName<'t>>,
    pub(super) imports: Vec<ImportedName<'t>>,
}

/// What is known of a variable.
#[derive(Debug, Clone)]
pub(super) enum Asked {
    NotYet,
    Now,
    Known { is_inlined: bool, reads: Vec<super::Dependency> },
}

impl<'t> Bound<'t> {
    /// Binds a file; `find` tells which file a path is, by its place among those of the template.
    pub(super) fn of(tree: &'t Tree, find: impl Fn(&str) -> Option<usize>) -> Self {
        let statements: Vec<_> = ast::File::of(tree).statements().collect();
        let mut bound = Self { statements: statements.clone(), ..Self::default() };
        // The type of a resource tells its extension only when all are known.
        for statement in &statements {
            match statement {
                Statement::Extension(view) => bound.extension(*view),
                Statement::Import(view) => bound.import(*view, &find),
                _ => {}
            }
        }
        for statement in statements {
            bound.statement(statement);
        }
        bound
    }

    fn statement(&mut self, statement: Statement<'t>) {
        let symbol = match statement {
            Statement::Param(view) => {
                self.parameters.push(view);
                Symbol::Parameter(self.parameters.len() - 1)
            }
            Statement::Var(view) => {
                self.variables.push(view);
                self.asked.push(Asked::NotYet);
                Symbol::Variable(self.variables.len() - 1)
            }
            Statement::TypeAlias(view) => {
                self.types.push(view);
                Symbol::Type(self.types.len() - 1)
            }
            Statement::Func(view) => {
                self.functions.push(view);
                Symbol::Function(self.functions.len() - 1)
            }
            Statement::Resource(view) => Symbol::Resource(self.resource(view, None)),
            Statement::Module(view) => Symbol::Resource(self.module(view)),
            Statement::Output(view) => {
                self.outputs.push(view);
                return;
            }
            _ => return,
        };
        if let Some(name) = statement.name() {
            self.symbols.entry(name.text()).or_insert(symbol);
        }
    }

    fn import(&mut self, view: ast::Import<'t>, find: impl Fn(&str) -> Option<usize>) {
        let path = view.path().and_then(ast::String::literal);
        let Some(file) = path.and_then(|path| find(&path)) else { return };
        if let Some(alias) = view.all().and_then(ast::ImportAll::alias) {
            self.symbols.insert(alias.text(), Symbol::Namespace(file));
        }
        for item in view.items() {
            let Some(original) = item.name() else { continue };
            let (original, alias) =
                (original.text(), item.alias().map_or(original.text(), ast::Name::text));
            self.symbols.insert(alias, Symbol::Imported(self.imports.len()));
            self.imports.push(ImportedName { file, original, alias });
        }
    }

    fn extension(&mut self, view: ast::Extension<'t>) {
        let written = match (view.specification(), view.name()) {
            (Some(string), _) => string.literal().unwrap_or_default(),
            (None, Some(name)) => name.text().to_owned(),
            (None, None) => return,
        };
        let plain = written.split('@').next().unwrap_or_default();
        let extension = Extension::ALL.into_iter().find(|it| it.as_str() == plain);
        let alias = view.alias().map(ast::Name::text);
        let alias = alias.or(extension.map(Extension::as_str));
        let Some(alias) = alias.or_else(|| view.name().map(ast::Name::text)) else { return };
        let configuration = view.configuration();
        self.symbols.insert(alias, Symbol::Extension(self.extensions.len()));
        self.extensions.push(ExtensionName {
            alias,
            extension,
            written,
            span: view.span(),
            configuration,
        });
    }

    fn resource(&mut self, view: ast::Resource<'t>, outer: Option<usize>) -> usize {
        let name = view.name().map_or("", ast::Name::text);
        let (repeat, condition, body) = parts(view.value());
        let written = view.resource_type().and_then(ast::String::literal).unwrap_or_default();
        let symbol = match outer {
            Some(outer) => format!("{}::{name}", self.resources[outer].symbol),
            None => name.to_owned(),
        };
        let what = self.what(&written, outer);
        let index = self.resources.len();
        self.resources.push(Resource {
            symbol,
            name,
            statement: Statement::Resource(view),
            what,
            is_existing: view.is_existing(),
            outer,
            repeat,
            condition,
            body,
        });
        for item in body.into_iter().flat_map(ast::Object::items) {
            if let ObjectItem::Resource(nested) = item {
                self.resource(nested, Some(index));
            }
        }
        index
    }

    fn what(&self, written: &str, outer: Option<usize>) -> What<'t> {
        let prefix = written.split_once(':').filter(|(_, rest)| !rest.starts_with(':'));
        let (name, version) = written.split_once('@').unwrap_or((written, ""));
        if let Some((alias, rest)) = prefix
            && !matches!(alias, "az" | "sys")
        {
            return What::Extension { alias: alias.to_owned(), type_name: rest.to_owned() };
        }
        let name = prefix.map_or(name, |_| name.split_once(':').map_or(name, |(_, rest)| rest));
        if let Some(outer) = outer
            && let What::Azure { type_name, version: around } = &self.resources[outer].what
            && self.extension_of(name, version).is_none()
        {
            let version = if version.is_empty() { around } else { version };
            let type_name = format!("{type_name}/{name}");
            return What::Azure { type_name, version: version.to_owned() };
        }
        match self.extension_of(name, version) {
            Some(alias) => What::Extension { alias, type_name: written.to_owned() },
            None => What::Azure { type_name: name.to_owned(), version: version.to_owned() },
        }
    }

    /// By which name the extension is declared that a type belongs to; nothing where that is Azure's.
    fn extension_of(&self, type_name: &str, version: &str) -> Option<String> {
        let provider = type_name.split(['.', '/', ':']).next().unwrap_or_default();
        let is_kubernetes = version
            .strip_prefix('v')
            .is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()));
        let extension = match provider.to_ascii_lowercase().as_str() {
            "aws" => Extension::Aws,
            "hangar" => Extension::Hangar,
            "applications" | "radius" => Extension::Radius,
            _ if is_kubernetes => Extension::Kubernetes,
            _ => return None,
        };
        let mut declared = self.extensions.iter().filter(|it| it.extension == Some(extension));
        let first = declared.next();
        let plain = declared.chain(first).find(|it| it.alias == extension.as_str());
        match (plain.or(first), extension) {
            (Some(declared), _) => Some(declared.alias.to_owned()),
            // Recipes and AWS are ours whether that is said or not.
            (None, Extension::Aws | Extension::Hangar) => Some(extension.as_str().to_owned()),
            (None, _) => None,
        }
    }

    fn module(&mut self, view: ast::Module<'t>) -> usize {
        let (repeat, condition, body) = parts(view.value());
        let name = view.name().map_or("", ast::Name::text);
        self.resources.push(Resource {
            symbol: name.to_owned(),
            name,
            statement: Statement::Module(view),
            what: What::Module { path: view.path() },
            is_existing: false,
            outer: None,
            repeat,
            condition,
            body,
        });
        self.resources.len() - 1
    }

    /// The names that other files can import.
    pub(super) fn exported(&self) -> impl Iterator<Item = &'t str> {
        let exported = self.statements.iter().filter(|statement| {
            statement.decorators().any(|it| decorator::name(it) == Some("export"))
        });
        exported.filter_map(|it| it.name()).map(ast::Name::text)
    }

    /// A resource by its name in the body of another one, the nearest first.
    pub(super) fn nested(&self, name: &str, owner: Option<usize>) -> Option<usize> {
        let mut around = owner;
        while let Some(owner) = around {
            if let Some(found) = self.child(owner, name) {
                return Some(found);
            }
            around = self.resources[owner].outer;
        }
        None
    }

    /// `outer::name`.
    pub(super) fn child(&self, outer: usize, name: &str) -> Option<usize> {
        self.resources.iter().position(|it| it.outer == Some(outer) && it.name == name)
    }

    pub(super) fn target(&self) -> Target {
        let mut targets = self.statements.iter().filter_map(|statement| match statement {
            Statement::TargetScope(view) => match view.value() {
                Some(ast::Expression::String(string)) => string.literal(),
                _ => None,
            },
            _ => None,
        });
        targets.next().map_or(Target::Group, |name| Target::named(&name))
    }
}

/// The loop, the condition and the body of a resource.
fn parts(
    value: Option<ast::Expression<'_>>,
) -> (Option<ast::Loop<'_>>, Option<ast::Expression<'_>>, Option<ast::Object<'_>>) {
    let (repeat, value) = match value {
        Some(ast::Expression::Loop(repeat)) => (Some(repeat), repeat.body()),
        other => (None, other),
    };
    let (condition, body) = match value {
        Some(ast::Expression::Condition(view)) => {
            (view.condition().and_then(ast::Parenthesized::inner), view.body())
        }
        Some(ast::Expression::Object(object)) => (None, Some(object)),
        _ => (None, None),
    };
    (repeat, condition, body)
}
