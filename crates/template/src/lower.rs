//! From the tree of a Bicep file to what it says: every name bound, every declaration checked.
//!
//! Two passes: `symbols` declares all names of the file, then each declaration is lowered by itself.
//! What is wrong is a diagnostic, and the expression in its place is [`ExpressionKind::Faulty`]: it is never
//! evaluated, for a program with an error is not started.

mod call;
mod cycle;
mod decorator;
mod depends_on;
mod derived_type;
mod discriminator;
mod expression;
mod extension;
mod file;
mod function;
mod import;
mod module;
mod name;
mod object;
mod operator;
mod parameter;
mod resource;
mod resource_read;
mod resource_type;
mod symbols;
mod type_declaration;
mod type_expression;

use std::collections::HashMap;
use std::sync::Arc;

use hangar_diag::{Code, Diagnostic, Span};

use crate::codes;
use crate::ir::{
    Expression, ExpressionKind, ExtensionDeclaration, FunctionDeclaration, Metadata,
    ModuleDeclaration, Name, OutputDeclaration, ParameterDeclaration, Remarks, ResourceDeclaration,
    TypeDeclaration, Unit, Variable,
};
use crate::resource_types::ResourceTypeSource;
use crate::silence::Silence;
use crate::source::Sources;
use crate::syntax::ast::{self, Statement};
use crate::syntax::{Dialect, Tree};
use crate::types::{Part, Table};
pub(crate) use cycle::components;
use derived_type::DerivedType;
use discriminator::{DiscriminatedType, WrittenUnion, unions_with_more};
use expression::Here;
pub(crate) use file::{MOST_DEPTH, Reached};
use module::ModuleOutline;
use symbols::{Outline, Scope, Symbol};
use type_expression::decorated;

/// A file that was lowered, and what is wrong with it.
pub(crate) struct Lowered {
    pub(crate) unit: Unit,
    pub(crate) found: Vec<Diagnostic>,
    /// Of a parameters file: the values it gives, which are variables of the unit.
    pub(crate) assignments: Vec<usize>,
}

/// Lowers a file.
pub(crate) fn lower(
    tree: &Tree,
    dialect: Dialect,
    file: Arc<str>,
    sources: Sources,
    around: Around<'_>,
) -> Lowered {
    let mut lowering = Lowering::new(tree, dialect, around);
    lowering.declare();
    let statements = std::mem::take(&mut lowering.statements);
    // Types before all that is declared with them.
    for (statement, symbol) in &statements {
        if let (Statement::TypeAlias(view), Some(Symbol::Type(index))) = (statement, symbol) {
            lowering.type_declaration(*index, *view);
        }
    }
    lowering.check_type_circles();
    for (statement, symbol) in &statements {
        lowering.statement(*statement, *symbol);
    }
    lowering.nested_resources();
    lowering.into_lowered(file, sources)
}

/// The files that were lowered before.
#[derive(Clone, Copy)]
pub(crate) struct Around<'t> {
    pub(crate) units: &'t [Unit],
    /// The file that is lowered.
    pub(crate) file: &'t str,
    /// What became of each file that it names, by the path in the project.
    pub(crate) files: &'t HashMap<String, Reached>,
    /// The types of AWS's resources.
    pub(crate) types: &'t ResourceTypeSource,
}

/// One reading of a name, for cycles.
struct Reference {
    from: Symbol,
    to: Symbol,
    span: Span,
}

struct Lowering<'t> {
    tree: &'t Tree,
    dialect: Dialect,
    around: Around<'t>,
    /// What each statement of the file declares.
    statements: Vec<(Statement<'t>, Option<Symbol>)>,
    /// The names of the file.
    symbols: HashMap<&'t str, Symbol>,
    outputs_by_name: HashMap<&'t str, Vec<Span>>,
    metadata_by_name: HashMap<&'t str, Vec<Span>>,
    /// All resources, nested ones too.
    outlines: Vec<Outline<'t>>,
    /// The names of what is around the expression that is lowered, the innermost last.
    scopes: Vec<Scope<'t>>,
    /// How many locals are around it.
    level: usize,
    depth: usize,
    /// Whose declaration is lowered.
    owner: Option<Symbol>,
    in_default: bool,
    /// Whether the body of a resource is lowered.
    in_body: bool,
    references: Vec<Reference>,
    parameter_count: usize,
    parameters: Vec<ParameterDeclaration>,
    variables: Vec<Option<Variable>>,
    resources: Vec<Option<ResourceDeclaration>>,
    outputs: Vec<OutputDeclaration>,
    extensions: Vec<ExtensionDeclaration>,
    assignments: Vec<usize>,
    types: Vec<TypeDeclaration>,
    /// The types of resources that were asked for.
    derived: Vec<DerivedType>,
    /// Parts of types that are named, with their places.
    parts: Vec<(Part, Span)>,
    /// Unions that are written in the file.
    unions: Vec<WrittenUnion>,
    /// Those in which more is allowed than literals of one kind.
    unions_with_more: HashMap<Span, discriminator::Around>,
    /// Types behind `@discriminator()` with the place and the argument of that.
    discriminated: Vec<DiscriminatedType>,
    function_views: Vec<ast::Func<'t>>,
    functions: Vec<Option<FunctionDeclaration>>,
    module_outlines: Vec<ModuleOutline>,
    modules: Vec<Option<ModuleDeclaration>>,
    metadata: Vec<Metadata>,
    target_scope: Option<Name>,
    /// How many names were compared with those that are not declared.
    comparisons: usize,
    found: Vec<Diagnostic>,
}

impl<'t> Lowering<'t> {
    fn new(tree: &'t Tree, dialect: Dialect, around: Around<'t>) -> Self {
        Self {
            tree,
            dialect,
            around,
            statements: Vec::new(),
            symbols: HashMap::new(),
            outputs_by_name: HashMap::new(),
            metadata_by_name: HashMap::new(),
            outlines: Vec::new(),
            scopes: Vec::new(),
            level: 0,
            depth: 0,
            owner: None,
            in_default: false,
            in_body: false,
            references: Vec::new(),
            parameter_count: 0,
            parameters: Vec::new(),
            variables: Vec::new(),
            resources: Vec::new(),
            outputs: Vec::new(),
            extensions: Vec::new(),
            assignments: Vec::new(),
            types: Vec::new(),
            derived: Vec::new(),
            parts: Vec::new(),
            unions: Vec::new(),
            unions_with_more: unions_with_more(tree),
            discriminated: Vec::new(),
            function_views: Vec::new(),
            functions: Vec::new(),
            module_outlines: Vec::new(),
            modules: Vec::new(),
            metadata: Vec::new(),
            target_scope: None,
            comparisons: 0,
            found: Vec::new(),
        }
    }

    fn statement(&mut self, statement: Statement<'t>, symbol: Option<Symbol>) {
        self.owner = symbol;
        match (statement, symbol) {
            (Statement::Param(view), Some(Symbol::Parameter(_))) => self.parameter(view),
            (Statement::Var(view), Some(Symbol::Variable(index))) => {
                let said = self.decorators_of_variable(statement);
                self.variable(index, view.name(), view.type_expression(), view.value());
                if let Some(Some(variable)) = self.variables.get_mut(index) {
                    variable.remarks = said.remarks;
                    variable.exported = said.exported;
                }
            }
            (Statement::ParamAssignment(view), Some(Symbol::Variable(index))) => {
                self.no_decorators(statement);
                self.variable(index, view.name(), None, view.value());
                self.assignments.push(index);
            }
            (Statement::Resource(view), Some(Symbol::Resource(index))) => {
                self.resource(index, view);
            }
            (Statement::Module(view), Some(Symbol::Module(index))) => self.module(index, view),
            (Statement::Func(view), Some(Symbol::Function(index))) => {
                self.function_declaration(index, view);
            }
            (Statement::Extension(view), Some(Symbol::Extension(index))) => {
                self.extension_configuration(index, view);
            }
            (Statement::Output(view), _) => self.output(view),
            (Statement::TargetScope(view), _) => self.target_scope(view),
            (Statement::Metadata(view), _) => {
                self.metadata_decorators(statement);
                let name = Self::name(view.name());
                if let Some(value) = view.value() {
                    let value = self.constant_expression(value, "the value of a metadata entry");
                    self.metadata.push(Metadata { name, value });
                }
            }
            (Statement::LooseDecorators(view), _) => {
                self.error(
                    codes::LOOSE_DECORATOR,
                    view.span(),
                    "the decorator is not followed by a declaration",
                )
                .hints
                .push("write the declaration after it, or remove the decorator".to_owned());
            }
            // What is not supported was reported where it is declared.
            _ => {}
        }
    }

    fn variable(
        &mut self,
        index: usize,
        name: Option<ast::Name<'t>>,
        declared: Option<ast::TypeExpression<'t>>,
        value: Option<ast::Expression<'t>>,
    ) {
        let name = Self::name(name);
        let value_type = declared.map(|declared| self.declared_type(declared));
        let value = self.expression_or_faulty(value, Here::Declaration, name.span);
        self.variables[index] = Some(Variable {
            name,
            value_type,
            value,
            reaches_resource: false,
            is_constant: false,
            exported: false,
            remarks: Remarks::default(),
        });
    }

    fn output(&mut self, view: ast::Output<'t>) {
        let name = Self::name(view.name());
        let (value_type, type_text) = self.type_or_any(view.type_expression());
        let decorators = self.decorators_of_output(Statement::Output(view), &value_type);
        let value = self.expression_or_faulty(view.value(), Here::Declaration, name.span);
        self.outputs.push(OutputDeclaration {
            name,
            value_type: decorated(value_type, decorators.remarks.sealed, decorators.discriminator),
            type_text,
            secure: decorators.secure,
            bounds: decorators.bounds,
            value,
            remarks: decorators.remarks,
        });
    }

    /// A file states its target scope once.
    fn check_target_scopes(&mut self) {
        let scopes = self.statements_of_file().filter_map(|it| match it {
            Statement::TargetScope(view) => {
                view.node().tokens().find(|token| token.text() == "targetScope")
            }
            _ => None,
        });
        let keywords: Vec<Span> = scopes.map(crate::syntax::SyntaxToken::span).collect();
        if keywords.len() > 1 {
            for span in keywords {
                let message = "the target scope is declared more than once";
                let hint = "keep one `targetScope` and remove the others";
                self.error(codes::SECOND_TARGET_SCOPE, span, message).hints.push(hint.to_owned());
            }
        }
    }

    fn statements_of_file(&self) -> impl Iterator<Item = Statement<'t>> + use<'t> {
        ast::File::of(self.tree).statements()
    }

    fn target_scope(&mut self, view: ast::TargetScope<'t>) {
        self.no_decorators(Statement::TargetScope(view));
        let Some(value) = view.value() else { return };
        let literal = match value {
            ast::Expression::String(string) => string.literal(),
            _ => None,
        };
        self.target_scope = literal.map(|text| Name { text: text.into(), span: value.span() });
    }

    /// The declared types that are known by now.
    fn table(&self) -> Table<'_> {
        Table::with_own(self.around.units, self.around.units.len(), &self.types)
    }

    fn name(name: Option<ast::Name<'t>>) -> Name {
        match name {
            Some(name) => Name { text: name.text().into(), span: name.span() },
            // Its absence was reported.
            None => Name { text: "".into(), span: Span::new(0, 0) },
        }
    }

    /// What is wrong, to which labels and hints may be added.
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.tell(Diagnostic::error(code, message).at(span, ""))
    }

    fn tell(&mut self, diagnostic: Diagnostic) -> &mut Diagnostic {
        let at = self.found.len();
        self.found.push(diagnostic);
        &mut self.found[at]
    }

    fn faulty(&mut self, code: Code, span: Span, message: impl Into<String>) -> Expression {
        self.error(code, span, message);
        Expression::new(ExpressionKind::Faulty, span)
    }

    /// A faulty expression, with what to do next.
    fn faulty_with(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Expression {
        self.error(code, span, message).hints.push(hint.into());
        Expression::new(ExpressionKind::Faulty, span)
    }

    /// What is parsed, and not evaluated yet; and what to write in its place.
    fn not_supported(&mut self, span: Span, what: &str, hint: &str) {
        let message = format!("{what} not supported yet");
        self.error(codes::NOT_SUPPORTED, span, message).hints.push(hint.to_owned());
    }

    fn into_lowered(mut self, file: Arc<str>, sources: Sources) -> Lowered {
        self.check_type_parts();
        self.check_unions();
        self.check_discriminators();
        self.check_target_scopes();
        let sequence = self.check_cycles();
        self.check_dependencies();
        self.check_functions();
        self.check_exports();
        let has_gaps = self.variables.iter().any(Option::is_none)
            || self.resources.iter().any(Option::is_none)
            || self.modules.iter().any(Option::is_none)
            || self.functions.iter().any(Option::is_none)
            || self.parameters.len() != self.parameter_count;
        let unit = Unit {
            file,
            sources,
            target_scope: self.target_scope,
            metadata: self.metadata,
            types: self.types,
            functions: self.functions.into_iter().flatten().collect(),
            modules: self.modules.into_iter().flatten().collect(),
            is_faulty: false,
            has_gaps,
            parameters: self.parameters,
            // Whatever was declared was lowered: a hole here is a statement that was reported.
            variables: self.variables.into_iter().flatten().collect(),
            resources: self.resources.into_iter().flatten().collect(),
            outputs: self.outputs,
            extensions: self.extensions,
            sequence,
            silence: Silence::of(self.tree),
        };
        let mut found = self.found;
        found.extend(crate::check::check(self.around.units, &unit));
        found.sort_by_key(|it| it.span().map(|span| (span.start, span.end)));
        Lowered { unit, found, assignments: self.assignments }
    }
}
