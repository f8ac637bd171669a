//! Rules on how a template is written: what the language lets pass and is hardly ever meant.
//!
//! A rule looks at the text of one file alone, so it holds whatever the file is given; and it speaks only where it is
//! right nearly always. Bicep's rules have Bicep's names, those for AWS begin with `aws-`. What is found is a warning
//! unless a configuration, or who asks, wants it otherwise.

mod aws;
mod config;
mod secret;
mod style;
mod unused;

use std::collections::HashMap;

use hangar_diag::{Code, Diagnostic, Severity, Span};

pub use config::{Config, ConfigError, Level};

use crate::codes;
use crate::silence::Silence;
use crate::syntax::ast::{
    Call, Expression, Name, Object, ObjectItem, Param, Property, PropertyKey, Resource, Statement,
    String as Text,
};
use crate::syntax::{Dialect, Node, NodeKind, Tree, parse};

/// Whether a property of a resource holds a secret, by its name.
pub fn is_secret_property(name: &str) -> bool {
    secret::is_secret_name(name) || name == "SecretString" || name == "AuthToken"
}

/// Every rule.
pub const RULES: &[Code] = &[
    codes::NO_UNUSED_PARAMS,
    codes::NO_UNUSED_VARS,
    codes::NO_UNUSED_TYPES,
    codes::NO_UNUSED_IMPORTS,
    codes::NO_UNUSED_EXISTING,
    codes::NO_UNNECESSARY_DEPENDS_ON,
    codes::PREFER_INTERPOLATION,
    codes::SIMPLIFY_INTERPOLATION,
    codes::PREFER_UNQUOTED,
    codes::SECURE_DEFAULT,
    codes::SECURE_SECRETS_IN_PARAMS,
    codes::OUTPUT_SECRETS,
    codes::AWS_HARDCODED_ARN,
    codes::AWS_SECRET_LITERAL,
    codes::AWS_OPEN_POLICY,
    codes::AWS_OPEN_INGRESS,
    codes::AWS_PUBLIC_BUCKET,
    codes::AWS_UNSTABLE_ALIAS,
];

/// What the rules find in a file, in the order of the text; without what the file silences.
pub fn lint(text: &str, dialect: Dialect, config: &Config) -> Vec<Diagnostic> {
    let tree = parse(text, dialect).tree;
    let mut found = Found::default();
    let file = Scene::of(&tree, dialect);
    unused::look(&file, &mut found);
    style::look(&file, &mut found);
    secret::look(&file, &mut found);
    aws::look(&file, &mut found);
    let silence = Silence::of(&tree);
    let mut found = found.0;
    found.retain(|it| !silence.covers(it));
    found.retain_mut(|it| match config.level(it.code.as_str()) {
        Level::Off => false,
        Level::Info | Level::Warning => true,
        Level::Error => {
            it.severity = Severity::Error;
            true
        }
    });
    found.sort_by_key(|it| (it.span().map(|span| (span.start, span.end)), it.code));
    found.dedup();
    found
}

/// Whether a code is that of a rule.
pub fn is_rule(code: &str) -> bool {
    RULES.iter().any(|it| it.as_str() == code)
}

/// What was found so far.
#[derive(Default)]
struct Found(Vec<Diagnostic>);

impl Found {
    fn tell(&mut self, code: Code, span: Span, message: impl Into<String>, hint: &str) {
        self.0.push(Diagnostic::warning(code, message).at(span, "").hint(hint));
    }
}

/// A file, with what several rules ask of it.
struct Scene<'t> {
    root: Node<'t>,
    dialect: Dialect,
    statements: Vec<Statement<'t>>,
    /// The parameters by name.
    params: HashMap<&'t str, Param<'t>>,
}

impl<'t> Scene<'t> {
    fn of(tree: &'t Tree, dialect: Dialect) -> Self {
        let root = tree.root();
        let statements: Vec<_> = root.children().filter_map(Statement::cast).collect();
        let mut params = HashMap::new();
        for statement in &statements {
            if let Statement::Param(param) = statement
                && let Some(name) = param.name()
            {
                params.insert(name.text(), *param);
            }
        }
        Self { root, dialect, statements, params }
    }

    /// The resources of AWS that are written, not read, with their types: `EC2/SecurityGroup`.
    fn aws_resources(&self) -> impl Iterator<Item = (String, Resource<'t>)> {
        let resources = below(self.root).filter_map(Resource::cast);
        resources.filter(|it| !it.is_existing()).filter_map(|it| {
            let written = it.resource_type()?.literal()?;
            let name = written.split('@').next()?.strip_prefix("AWS.")?.to_owned();
            Some((name, it))
        })
    }

    /// Whether a name is that of a parameter that is declared without `@secure()`.
    fn is_open_parameter(&self, name: &str) -> bool {
        self.params.get(name).is_some_and(|it| !is_decorated(Statement::Param(*it), "secure"))
    }
}

/// A node and all below it, in the order of the text.
fn below(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut open = vec![node];
    std::iter::from_fn(move || {
        let next = open.pop()?;
        open.extend(next.children().rev());
        Some(next)
    })
}

/// Whether a decorator of this name stands before a statement, by itself or of `sys`.
fn is_decorated(statement: Statement<'_>, name: &str) -> bool {
    statement.decorators().any(|it| match it.expression() {
        Some(Expression::Call(call)) => call.name().is_some_and(|it| it.text() == name),
        Some(Expression::MethodCall(call)) => call.name().is_some_and(|it| it.text() == name),
        _ => false,
    })
}

/// The object that a body comes to, through a loop and a condition.
fn body(value: Option<Expression<'_>>) -> Option<Object<'_>> {
    match value? {
        Expression::Object(object) => Some(object),
        Expression::Condition(condition) => condition.body(),
        Expression::Loop(repeat) => body(repeat.body()),
        _ => None,
    }
}

/// A property of an object by its name.
fn property<'t>(object: Object<'t>, name: &str) -> Option<Property<'t>> {
    properties(object).find(|(key, _)| key == name).map(|(_, it)| it)
}

/// The properties of an object whose names are written out.
fn properties(object: Object<'_>) -> impl Iterator<Item = (String, Property<'_>)> {
    object.items().filter_map(|item| {
        let ObjectItem::Property(property) = item else { return None };
        Some((key_of(property)?, property))
    })
}

/// The name of a property, if it is written out.
fn key_of(property: Property<'_>) -> Option<String> {
    match property.key()? {
        PropertyKey::Name(name) => Some(name.text().to_owned()),
        PropertyKey::String(text) => text.literal(),
    }
}

/// The text of an expression that is a string without holes.
fn literal(expression: Option<Expression<'_>>) -> Option<String> {
    let Some(Expression::String(text)) = expression else { return None };
    Text::literal(text)
}

/// The name of a function that is called, by itself or of `sys`.
fn called(node: Node<'_>) -> Option<&str> {
    if node.kind() == NodeKind::Call {
        return Call::cast(node)?.name().map(Name::text);
    }
    let call = crate::syntax::ast::MethodCall::cast(node)?;
    let is_system = matches!(call.base(), Some(Expression::Variable(base)) if base.name() == "sys");
    if is_system { call.name().map(Name::text) } else { None }
}
