//! Calls: which function it is, how many arguments it takes, and the few that are part of the language.

use hangar_diag::{Code, Span};

use super::Lowering;
use super::expression::Here;
use super::name::NAMESPACES;
use super::symbols::Symbol;
use crate::codes;
use crate::functions::{self, Function};
use crate::ir::{
    Call, Environment, Expression, ExpressionKind, Extension, Imported, Member, Method, Name,
    SECRETS,
};
use crate::near::near;
use crate::syntax::ast;
use crate::syntax::{Dialect, Node, NodeKind, TokenKind};
use crate::value::Value;

/// Functions of Bicep that Hangar has no answer for; `list…` functions are too.
const FOREIGN: &[&str] = &[
    "deployer",
    "environment",
    "extensionResourceId",
    "externalInput",
    "getSecret",
    "managementGroup",
    "managementGroupResourceId",
    "pickZones",
    "providers",
    "reference",
    "references",
    "resourceId",
    "subscription",
    "subscriptionResourceId",
    "tenant",
    "tenantResourceId",
    "toLogicalZone",
    "toLogicalZones",
    "toPhysicalZone",
    "toPhysicalZones",
];

/// Functions of ARM's JSON that the language has other words for.
const OF_JSON: &[(&str, Code, &str)] = &[
    ("variables", codes::VARIABLES_FUNCTION, "write the name of the variable"),
    ("parameters", codes::PARAMETERS_FUNCTION, "write the name of the parameter"),
    ("if", codes::IF_FUNCTION, "write `condition ? a : b`"),
    ("createArray", codes::ARRAY_FUNCTION, "write `[a, b]`"),
    ("createObject", codes::OBJECT_FUNCTION, "write `{ a: b }`"),
    ("add", codes::OPERATOR_FUNCTION, "write `a + b`"),
    ("sub", codes::OPERATOR_FUNCTION, "write `a - b`"),
    ("mul", codes::OPERATOR_FUNCTION, "write `a * b`"),
    ("div", codes::OPERATOR_FUNCTION, "write `a / b`"),
    ("mod", codes::OPERATOR_FUNCTION, "write `a % b`"),
    ("less", codes::OPERATOR_FUNCTION, "write `a < b`"),
    ("lessOrEquals", codes::OPERATOR_FUNCTION, "write `a <= b`"),
    ("greater", codes::OPERATOR_FUNCTION, "write `a > b`"),
    ("greaterOrEquals", codes::OPERATOR_FUNCTION, "write `a >= b`"),
    ("equals", codes::OPERATOR_FUNCTION, "write `a == b`"),
    ("not", codes::OPERATOR_FUNCTION, "write `!a`"),
    ("and", codes::OPERATOR_FUNCTION, "write `a && b`"),
    ("or", codes::OPERATOR_FUNCTION, "write `a || b`"),
    ("coalesce", codes::OPERATOR_FUNCTION, "write `a ?? b`"),
];

/// Where the name of a function is looked for.
#[derive(Clone, Copy)]
struct Namespace<'a> {
    name: Option<&'a str>,
    extension: Option<usize>,
}

impl<'t> Lowering<'t> {
    /// `name(…)`.
    pub(super) fn call(&mut self, view: ast::Call<'t>) -> Expression {
        let span = view.span();
        let Some(name) = view.name() else {
            return Expression::new(ExpressionKind::Faulty, span);
        };
        let arguments: Vec<_> = view.arguments().collect();
        let anywhere = Namespace { name: None, extension: None };
        match name.text() {
            "any" => self.any(view, &arguments),
            "nameof" => self.nameof(view, &arguments),
            "readEnvironmentVariable" if self.dialect == Dialect::Parameters => {
                self.environment(view, &arguments)
            }
            _ => match self.find(name.text()) {
                Some(Symbol::Reported) => {
                    self.values(&arguments);
                    Expression::new(ExpressionKind::Faulty, span)
                }
                Some(Symbol::Function(index)) => {
                    let function = Imported { unit: self.around.units.len(), index };
                    self.call_user(view.node(), name, function, &arguments)
                }
                Some(Symbol::ImportedFunction(function)) => {
                    self.call_user(view.node(), name, function, &arguments)
                }
                Some(_) if functions::find(None, name.text()).is_none() => {
                    self.values(&arguments);
                    let message = format!("`{}` is not a function", name.text());
                    let hint = format!("write `{}` without parentheses", name.text());
                    self.faulty_with(codes::NOT_A_FUNCTION, name.span(), message, hint)
                }
                _ => self.function(view.node(), anywhere, name, &arguments),
            },
        }
    }

    /// `base.name(…)`: a function of a namespace; no value has functions of its own.
    pub(super) fn method_call(&mut self, view: ast::MethodCall<'t>) -> Expression {
        let span = view.span();
        let arguments: Vec<_> = view.arguments().collect();
        let (Some(base), Some(name)) = (view.base(), view.name()) else {
            return Expression::new(ExpressionKind::Faulty, span);
        };
        if let ast::Expression::Variable(variable) = base {
            if let Some(Symbol::Namespace(unit)) = self.find(variable.name()) {
                return self.call_of_file(view, unit, name, &arguments);
            }
            let namespace = match self.find(variable.name()) {
                Some(Symbol::Extension(index)) => {
                    let extension = self.extensions[index].extension;
                    let is_aws = extension == Extension::Aws;
                    Some(Namespace {
                        name: Some(extension.as_str()),
                        extension: is_aws.then_some(index),
                    })
                }
                None if NAMESPACES.contains(&variable.name()) => {
                    Some(Namespace { name: Some(variable.name()), extension: None })
                }
                _ => None,
            };
            if let Some(namespace) = namespace {
                return self.function(view.node(), namespace, name, &arguments);
            }
        }
        let base = self.expression(base, Here::Value);
        if self.is_foreign(&base) {
            let name = Self::name(Some(name));
            let arguments = arguments.iter().map(|it| self.expression(*it, Here::Value)).collect();
            let method = Method { base: Some(base), name, arguments };
            return Expression::new(ExpressionKind::Method(Box::new(method)), span);
        }
        self.values(&arguments);
        match base.kind {
            ExpressionKind::Faulty => base,
            _ if name.text() == "listSecrets" && self.is_one_recipe(&base) => {
                let signature = format!("{}()", name.text());
                self.check_count(
                    name.text(),
                    view.node(),
                    arguments.len(),
                    (0, Some(0)),
                    &signature,
                );
                let name = Name { text: SECRETS.into(), span: name.span() };
                let member = Member { base, name, safe: false };
                Expression::new(ExpressionKind::Member(Box::new(member)), span)
            }
            ExpressionKind::Resource(_) | ExpressionKind::Index(_) => {
                let what = format!("resource functions, such as `{}`, are", name.text());
                let hint = "read a property that AWS returns, as in `logs.properties.Arn`";
                self.not_supported(name.span(), &what, hint);
                Expression::new(ExpressionKind::Faulty, span)
            }
            _ => {
                let message = format!("`{}` cannot be called on this value", name.text());
                let hint = match functions::find(None, name.text()) {
                    Some(function) => {
                        format!("pass the value as an argument: `{}`", function.signature())
                    }
                    None => format!("read a property with `.{}`, without parentheses", name.text()),
                };
                self.faulty_with(codes::NO_METHODS, name.span(), message, hint)
            }
        }
    }

    /// `file.name(…)`.
    fn call_of_file(
        &mut self,
        view: ast::MethodCall<'t>,
        unit: usize,
        name: ast::Name<'t>,
        arguments: &[ast::Expression<'t>],
    ) -> Expression {
        match self.imported(unit, name.text(), name.span()) {
            Symbol::ImportedFunction(function) => {
                self.call_user(view.node(), name, function, arguments)
            }
            Symbol::Reported => Expression::new(ExpressionKind::Faulty, view.span()),
            _ => {
                let message = format!("`{}` is not a function", name.text());
                let hint = format!("write `{}` without parentheses", name.text());
                self.faulty_with(codes::NOT_A_FUNCTION, name.span(), message, hint)
            }
        }
    }

    fn function(
        &mut self,
        node: Node<'t>,
        namespace: Namespace<'_>,
        name: ast::Name<'t>,
        arguments: &[ast::Expression<'t>],
    ) -> Expression {
        let span = node.span();
        let Some(function) = functions::find(namespace.name, name.text()) else {
            if is_foreign(name.text()) {
                let name = Self::name(Some(name));
                let arguments = arguments.iter().map(|it| self.expression(*it, Here::Value));
                let method = Method { base: None, name, arguments: arguments.collect() };
                return Expression::new(ExpressionKind::Method(Box::new(method)), span);
            }
            self.values(arguments);
            return self.no_such_function(namespace.name, name);
        };
        if matches!(function.name, "utcNow" | "newGuid") && !self.in_default {
            let message =
                format!("`{}` can only be used in the default of a parameter", function.name);
            let hint = "its value changes on every call; declare a parameter with this default and use the \
                       parameter";
            self.error(codes::ONLY_IN_DEFAULT, name.span(), message).hints.push(hint.to_owned());
        }
        let takes = (function.least, function.most);
        self.check_count(function.name, node, arguments.len(), takes, &function.signature());
        let arguments =
            arguments.iter().enumerate().map(|(at, it)| self.argument(function, at, *it)).collect();
        let call = Call { function, arguments, extension: namespace.extension };
        Expression::new(ExpressionKind::Call(Box::new(call)), span)
    }

    fn argument(
        &mut self,
        function: &Function,
        at: usize,
        view: ast::Expression<'t>,
    ) -> Expression {
        let mut inner = view;
        while let ast::Expression::Parenthesized(around) = inner
            && let Some(next) = around.inner()
        {
            inner = next;
        }
        let ast::Expression::Lambda(lambda) = inner else {
            return self.expression(view, Here::Value);
        };
        let last = function.parameters.len().saturating_sub(1);
        let takes = function.parameters.get(at.min(last)).and_then(|it| it.variables);
        let Some((least, most)) = takes else {
            let message = format!("`{}` does not accept a lambda here", function.name);
            let hint = format!("call it as `{}`", function.signature());
            return self.faulty_with(codes::WRONG_ARGUMENT, view.span(), message, hint);
        };
        let variables = lambda.variables().count();
        if !(least..=most).contains(&variables) {
            let wanted = range(least, Some(most)).replace("argument", "variable");
            let message =
                format!("`{}` expects a lambda with {wanted}, found {variables}", function.name);
            let names = ["item", "index", "all"];
            let names = names.get(..least).unwrap_or(&names).join(", ");
            let hint = format!("write `({names}) => …`");
            self.error(codes::WRONG_ARGUMENT, view.span(), message).hints.push(hint);
        }
        if self.depth >= crate::ir::MAX_DEPTH {
            return self.expression(view, Here::Value);
        }
        self.depth += 1;
        let lowered = self.lambda(lambda);
        self.depth -= 1;
        lowered
    }

    fn no_such_function(&mut self, namespace: Option<&str>, name: ast::Name<'t>) -> Expression {
        let (text, span) = (name.text(), name.span());
        if let Some((_, code, hint)) = OF_JSON.iter().find(|(name, _, _)| *name == text) {
            let message = format!("`{text}` is a function of ARM JSON, not of Bicep");
            self.error(*code, span, message).hints.push((*hint).to_owned());
            return Expression::new(ExpressionKind::Faulty, span);
        }
        let Some(namespace) = namespace else {
            return self.unknown_function(text, span);
        };
        let names = functions::all().filter(|it| it.namespace.as_str() == namespace);
        let near = near(text, names.map(|it| it.name));
        let elsewhere = functions::all().find(|it| it.name == text).map(|it| it.namespace);
        let message =
            format!("the function `{text}` does not exist in the namespace `{namespace}`");
        let (code, hint) = match (near, elsewhere) {
            (Some(near), _) => (codes::NO_SUCH_FUNCTION_NEAR, format!("did you mean `{near}`?")),
            (None, Some(namespace)) => {
                (codes::NO_SUCH_FUNCTION, format!("write `{}.{text}`", namespace.as_str()))
            }
            (None, None) => (
                codes::NO_SUCH_FUNCTION,
                "see the list of functions in docs/templates.md".to_owned(),
            ),
        };
        self.error(code, span, message).hints.push(hint);
        Expression::new(ExpressionKind::Faulty, span)
    }

    fn unknown_function(&mut self, name: &str, span: Span) -> Expression {
        let own = self
            .symbols
            .iter()
            .filter(|(_, it)| matches!(it, Symbol::Function(_) | Symbol::ImportedFunction(_)));
        let mut names: Vec<&str> = own.map(|(name, _)| *name).collect();
        names.sort_unstable();
        let own = near(name, names).map(str::to_owned);
        let near = own.or_else(|| near(name, functions::names()).map(str::to_owned));
        let meant = near.or_else(|| functions::known_elsewhere(name).map(str::to_owned));
        let message = format!("the function `{name}` does not exist");
        let (code, hint) = match meant {
            Some(near) => (codes::UNDECLARED_NEAR, format!("did you mean `{near}`?")),
            None => {
                (codes::UNDECLARED, "see the list of functions in docs/templates.md".to_owned())
            }
        };
        self.error(code, span, message).hints.push(hint);
        Expression::new(ExpressionKind::Faulty, span)
    }

    pub(super) fn check_count(
        &mut self,
        name: &str,
        node: Node<'t>,
        count: usize,
        (least, most): (usize, Option<usize>),
        signature: &str,
    ) {
        let is_broken = node.child(NodeKind::Error).is_some();
        if is_broken || count >= least && most.is_none_or(|most| count <= most) {
            return;
        }
        let wanted = range(least, most);
        let message = format!("`{name}` expects {wanted}, found {count}");
        let hint = format!("call it as `{signature}`");
        self.error(codes::ARGUMENT_COUNT, arguments_span(node), message).hints.push(hint);
    }

    /// Arguments whose function is wrong: what is wrong with them is told all the same.
    fn values(&mut self, arguments: &[ast::Expression<'t>]) {
        for argument in arguments {
            if !matches!(argument, ast::Expression::Lambda(_)) {
                self.expression(*argument, Here::Value);
            }
        }
    }

    /// `any(value)` is the value.
    fn any(&mut self, view: ast::Call<'t>, arguments: &[ast::Expression<'t>]) -> Expression {
        self.check_count("any", view.node(), arguments.len(), (1, Some(1)), "any(value)");
        match arguments {
            [value] => {
                let value = self.expression(*value, Here::Value);
                Expression::new(ExpressionKind::Any(Box::new(value)), view.span())
            }
            _ => Expression::new(ExpressionKind::Faulty, view.span()),
        }
    }

    /// `nameof(a.b)` is `'b'`, and so is `nameof(a['b'])`.
    fn nameof(&mut self, view: ast::Call<'t>, arguments: &[ast::Expression<'t>]) -> Expression {
        let span = view.span();
        self.check_count("nameof", view.node(), arguments.len(), (1, Some(1)), "nameof(name)");
        let [argument] = arguments else {
            return Expression::new(ExpressionKind::Faulty, span);
        };
        let lowered = self.expression(*argument, Here::Value);
        let name = match argument {
            ast::Expression::Variable(variable) => Some(variable.name().to_owned()),
            ast::Expression::Member(member) => member.name().map(|it| it.text().to_owned()),
            ast::Expression::NestedResource(nested) => nested.name().map(|it| it.text().to_owned()),
            ast::Expression::Index(index) => match index.index() {
                Some(ast::Expression::String(key)) => key.literal(),
                _ => None,
            },
            _ => None,
        };
        match (name, lowered.kind) {
            (_, ExpressionKind::Faulty) => Expression::new(ExpressionKind::Faulty, span),
            (Some(name), _) => Expression::new(ExpressionKind::Constant(Value::string(name)), span),
            (None, _) => {
                let message = "`nameof` expects a declared name or one of its properties";
                let hint = "write a declared name, as in `nameof(vpc)` or `nameof(vpc.properties)`";
                self.faulty_with(codes::NAME_OF, argument.span(), message, hint)
            }
        }
    }

    fn environment(
        &mut self,
        view: ast::Call<'t>,
        arguments: &[ast::Expression<'t>],
    ) -> Expression {
        let (name, count) = ("readEnvironmentVariable", arguments.len());
        let signature = "readEnvironmentVariable(name string, [default string])";
        self.check_count(name, view.node(), count, (1, Some(2)), signature);
        let mut lowered = arguments.iter().map(|it| self.expression(*it, Here::Value));
        let (name, default) = (lowered.next(), lowered.next());
        drop(lowered);
        let Some(name) = name else {
            return Expression::new(ExpressionKind::Faulty, view.span());
        };
        let environment = Environment { name, default };
        Expression::new(ExpressionKind::Environment(Box::new(environment)), view.span())
    }
}

/// Whether only Azure has an answer to a function.
fn is_foreign(name: &str) -> bool {
    FOREIGN.contains(&name) || name.len() > 4 && name.starts_with("list")
}

/// From the opening parenthesis of a call to its end.
fn arguments_span(node: Node<'_>) -> Span {
    let start = node.token(TokenKind::LeftParen).map_or(node.span().start, |it| it.span().start);
    Span::new(start, node.span().end)
}

/// "1 argument", "2 to 3 arguments", "at least 1 argument".
fn range(least: usize, most: Option<usize>) -> String {
    let noun = |count: usize| if count == 1 { "" } else { "s" };
    match most {
        Some(most) if most == least => format!("{least} argument{}", noun(least)),
        Some(most) => format!("{least} to {most} arguments"),
        None => format!("at least {least} argument{}", noun(least)),
    }
}
