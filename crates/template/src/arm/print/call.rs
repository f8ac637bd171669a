//! Calls: functions of the language, of the file and of resources.

use super::Printer;
use super::bind::{Symbol, What};
use super::value::is_other_scope;
use crate::arm::expression::Expression;
use crate::codes;
use crate::syntax::ast;

impl<'t> Printer<'t, '_, '_> {
    pub(super) fn call(&mut self, view: ast::Call<'t>) -> Expression {
        let Some(name) = view.name() else { return Expression::call("null", vec![]) };
        let name = name.text();
        let function = match self.symbol_of(name) {
            Some(Symbol::Function(_)) => Some(self.own_function(name)),
            Some(Symbol::Imported(index)) => {
                let import = self.bound.imports[index];
                self.imported_function(import.file, import.original, view.span())
            }
            _ => None,
        };
        if let Some(function) = function {
            return Expression::call(function, self.arguments(view.arguments()));
        }
        self.function(ast::Expression::Call(view), name, view.arguments().collect())
    }

    pub(super) fn method_call(&mut self, view: ast::MethodCall<'t>) -> Expression {
        let (Some(base), Some(name)) = (view.base(), view.name()) else {
            return Expression::call("null", vec![]);
        };
        let name = name.text();
        if let ast::Expression::Variable(variable) = base {
            match self.symbol_of(variable.name()) {
                Some(Symbol::Extension(index)) => {
                    let name = format!("{}.{name}", self.bound.extensions[index].alias);
                    return Expression::call(name, self.arguments(view.arguments()));
                }
                Some(Symbol::Namespace(file)) => {
                    let function = self.imported_function(file, name, view.span());
                    let arguments = self.arguments(view.arguments());
                    return Expression::call(function.unwrap_or_default(), arguments);
                }
                None if matches!(variable.name(), "sys" | "az") => {
                    let whole = ast::Expression::MethodCall(view);
                    return self.function(whole, name, view.arguments().collect());
                }
                _ => {}
            }
        }
        let Some(reached) = self.resource_named(base) else {
            self.expression(base);
            let message = format!("`{name}` cannot be called on this value");
            return self.faulty(codes::NO_METHODS, view.span(), message);
        };
        let resource = &self.bound.resources[reached.resource];
        // `list*` reads an existing resource without waiting for it: nothing is deployed.
        let is_waited_for = !resource.is_existing;
        let version = match &resource.what {
            What::Azure { version, .. } => Some(Expression::text(version.as_str())),
            _ => None,
        };
        self.note(&reached, is_waited_for);
        self.is_runtime = true;
        let mut arguments = vec![self.symbolic(&reached)];
        let given = self.arguments(view.arguments());
        // A version that is given takes the place of the resource's own.
        arguments.extend(version.filter(|_| given.is_empty()));
        arguments.extend(given);
        Expression::call(name, arguments)
    }

    fn arguments(
        &mut self,
        arguments: impl Iterator<Item = ast::Expression<'t>>,
    ) -> Vec<Expression> {
        arguments.map(|it| self.expression(it)).collect()
    }

    fn function(
        &mut self,
        whole: ast::Expression<'t>,
        name: &'t str,
        arguments: Vec<ast::Expression<'t>>,
    ) -> Expression {
        match (name, arguments.as_slice()) {
            _ if is_other_scope(whole) => return Expression::call("createObject", vec![]),
            ("any", [value]) => return self.expression(*value),
            ("nameof", [value]) => return self.nameof(*value),
            _ if name.starts_with("load") => {
                if let Some(loaded) = self.loaded(whole) {
                    return loaded;
                }
            }
            _ => {}
        }
        if name == "reference" || name.len() > 4 && name.starts_with("list") {
            self.is_runtime = true;
        }
        Expression::call(name, self.arguments(arguments.into_iter()))
    }

    /// `nameof(a.b)` is `'b'`; what it names is read all the same, as far as the order goes.
    fn nameof(&mut self, value: ast::Expression<'t>) -> Expression {
        let name = match value {
            ast::Expression::Variable(variable) => Some(variable.name()),
            ast::Expression::Member(member) => member.name().map(ast::Name::text),
            ast::Expression::NestedResource(nested) => nested.name().map(ast::Name::text),
            _ => None,
        };
        // `nameof(a['b-c'])` is `'b-c'`.
        let key = match value {
            ast::Expression::Index(index) => match index.index() {
                Some(ast::Expression::String(string)) => string.literal(),
                _ => None,
            },
            _ => None,
        };
        let was = self.is_runtime;
        if !matches!(value, ast::Expression::Variable(it) if self.symbol_of(it.name()).is_some_and(|it| !matches!(it, Symbol::Resource(_))))
        {
            self.expression(value);
        }
        self.is_runtime = was;
        if let Some(name) = name.map(str::to_owned).or(key) {
            return Expression::text(name);
        }
        let message = "`nameof` expects a declared name or one of its properties";
        self.faulty(codes::WRONG_ARGUMENT, value.span(), message)
    }
}

/// The name and the arguments of a call of a function of the language.
pub(super) fn plain_call(view: ast::Expression<'_>) -> Option<(&str, Vec<ast::Expression<'_>>)> {
    match view {
        ast::Expression::Call(call) => Some((call.name()?.text(), call.arguments().collect())),
        ast::Expression::MethodCall(call) => match call.base()? {
            ast::Expression::Variable(base) if matches!(base.name(), "sys" | "az") => {
                Some((call.name()?.text(), call.arguments().collect()))
            }
            _ => None,
        },
        _ => None,
    }
}
