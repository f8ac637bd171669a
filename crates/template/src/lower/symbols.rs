//! The names of a file: what each statement declares, nested resources included.

use std::collections::HashMap;

use hangar_diag::{Code, Span};

use super::Lowering;
use super::resource_type::Family;
use crate::codes;
use crate::ir::Imported;
use crate::syntax::Dialect;
use crate::syntax::ast::{self, Expression, File, Object, ObjectItem, Statement};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Symbol {
    Parameter(usize),
    Variable(usize),
    Resource(usize),
    Module(usize),
    Type(usize),
    Function(usize),
    ImportedType(Imported),
    ImportedVariable(Imported),
    ImportedFunction(Imported),
    /// All that a file exports, by its unit.
    Namespace(usize),
    Extension(usize),
    /// A variable of a loop or a lambda, by its level.
    Local(usize),
    /// Its declaration is not supported, and was reported.
    Reported,
}

/// The names that are added by what is around an expression.
pub(super) type Scope<'t> = HashMap<&'t str, Symbol>;

/// What is known of a resource before it is lowered.
pub(super) struct Outline<'t> {
    pub(super) view: ast::Resource<'t>,
    pub(super) parent: Option<usize>,
    pub(super) repeats: bool,
    /// What it is, by its type's text.
    pub(super) family: Family,
    /// The resources in its body by name.
    pub(super) nested: HashMap<&'t str, usize>,
}

impl<'t> Lowering<'t> {
    /// Declares all names of the file.
    pub(super) fn declare(&mut self) {
        let mut places: HashMap<&'t str, Vec<Span>> = HashMap::new();
        for statement in File::of(self.tree).statements() {
            if let Statement::Import(view) = statement {
                for (name, symbol) in self.import(view) {
                    places.entry(name.text()).or_default().push(name.span());
                    self.symbols.entry(name.text()).or_insert(symbol);
                }
                continue;
            }
            let symbol = self.declare_statement(statement);
            self.statements.push((statement, symbol));
            if let (Some(symbol), Some(name)) = (symbol, statement.name()) {
                places.entry(name.text()).or_default().push(name.span());
                self.symbols.entry(name.text()).or_insert(symbol);
            }
        }
        self.report_duplicates(places, codes::DUPLICATE_NAME);
        for places in [self.outputs_by_name.clone(), self.metadata_by_name.clone()] {
            self.report_duplicates(places, codes::DUPLICATE_OUTPUT);
        }
    }

    fn report_duplicates(&mut self, places: HashMap<&'t str, Vec<Span>>, code: Code) {
        for (name, spans) in places {
            if spans.len() > 1 {
                for (at, span) in spans.iter().enumerate() {
                    let other = spans[usize::from(at == 0)];
                    let message = format!("`{name}` is declared {} times", spans.len());
                    let hint = format!(
                        "rename or remove one of them; the name `{}` is free",
                        self.free_name(name)
                    );
                    let diagnostic = self.error(code, *span, message);
                    diagnostic.hints.push(hint);
                    diagnostic.labels.push(hangar_diag::Label {
                        span: other,
                        text: "another declaration".to_owned(),
                    });
                }
            }
        }
    }

    /// A name like this one that is not declared.
    fn free_name(&self, name: &str) -> String {
        let is_free = |name: &String| {
            !self.symbols.contains_key(name.as_str())
                && !self.outputs_by_name.contains_key(name.as_str())
                && !self.metadata_by_name.contains_key(name.as_str())
        };
        let mut names = (2_usize..).map(|number| format!("{name}{number}"));
        names.find(is_free).unwrap_or_default()
    }

    fn declare_statement(&mut self, statement: Statement<'t>) -> Option<Symbol> {
        match statement {
            Statement::Param(view) => {
                view.name()?;
                self.parameter_count += 1;
                Some(Symbol::Parameter(self.parameter_count - 1))
            }
            Statement::Var(_) | Statement::ParamAssignment(_) => {
                statement.name()?;
                self.variables.push(None);
                Some(Symbol::Variable(self.variables.len() - 1))
            }
            Statement::Resource(view) => Some(Symbol::Resource(self.outline(view, None))),
            Statement::Module(view) => Some(Symbol::Module(self.module_outline(view))),
            Statement::TypeAlias(view) => Some(Symbol::Type(self.type_outline(view))),
            Statement::Func(view) => {
                self.function_views.push(view);
                self.functions.push(None);
                Some(Symbol::Function(self.functions.len() - 1))
            }
            Statement::Extension(view) if self.dialect == Dialect::Template => {
                Some(self.extension(view).map_or(Symbol::Reported, Symbol::Extension))
            }
            Statement::Output(view) => {
                let name = view.name()?;
                self.outputs_by_name.entry(name.text()).or_default().push(name.span());
                None
            }
            Statement::Metadata(view) => {
                let name = view.name()?;
                self.metadata_by_name.entry(name.text()).or_default().push(name.span());
                None
            }
            _ => self.declare_unsupported(statement),
        }
    }

    /// Statements that are read and not evaluated yet.
    fn declare_unsupported(&mut self, statement: Statement<'t>) -> Option<Symbol> {
        let (code, what, instead) = match statement {
            Statement::Assert(_) => (
                codes::ASSERTION,
                "assertions are",
                "check a parameter with decorators such as `@allowed` or `@minValue`, or call `fail()`, as \
                in `var size = n > 0 ? n : fail('n is not positive')`",
            ),
            Statement::Test(_) => (
                codes::TEST,
                "tests are",
                "run `hangar plan` with a `.bicepparam` file that contains the parameters of the test",
            ),
            Statement::ExtensionConfig(_) | Statement::Extension(_) => (
                codes::NOT_SUPPORTED,
                "extensions in a parameter file are",
                "configure the extension in the template: `extension aws with { … }`",
            ),
            _ => return None,
        };
        let message = format!("{what} not supported yet");
        self.error(code, head(statement), message).hints.push(instead.to_owned());
        None
    }

    /// Notes a resource and those in its body.
    fn outline(&mut self, view: ast::Resource<'t>, parent: Option<usize>) -> usize {
        let index = self.outlines.len();
        let (repeats, body) = body_of(view.value());
        let text = view.resource_type().and_then(ast::String::literal).unwrap_or_default();
        let family = Family::of(&text);
        self.outlines.push(Outline { view, parent, repeats, family, nested: HashMap::new() });
        self.resources.push(None);
        let mut places: HashMap<&'t str, Vec<Span>> = HashMap::new();
        let items = body.into_iter().flat_map(Object::items);
        for item in items {
            if let ObjectItem::Resource(nested) = item {
                let child = self.outline(nested, Some(index));
                if let Some(name) = nested.name() {
                    places.entry(name.text()).or_default().push(name.span());
                    self.outlines[index].nested.insert(name.text(), child);
                }
            }
        }
        self.report_duplicates(places, codes::DUPLICATE_NAME);
        index
    }
}

/// Whether a body is a loop, and the object that it comes to.
pub(super) fn body_of(value: Option<Expression<'_>>) -> (bool, Option<Object<'_>>) {
    match value {
        Some(Expression::Loop(repeat)) => (true, body_of(repeat.body()).1),
        Some(Expression::Condition(condition)) => (false, condition.body()),
        Some(Expression::Object(object)) => (false, Some(object)),
        _ => (false, None),
    }
}

/// The first words of a statement: its name, or where it has none its first token.
fn head(statement: Statement<'_>) -> Span {
    let name = statement.name().map(ast::Name::span);
    let first = || statement.node().tokens().next().map(crate::syntax::SyntaxToken::span);
    name.or_else(first).unwrap_or_else(|| statement.span())
}
