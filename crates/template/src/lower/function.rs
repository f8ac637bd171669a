//! Functions that a template declares, and calls of them.

use super::Lowering;
use super::decorator::Target;
use super::expression::Here;
use super::symbols::Symbol;
use crate::codes;
use crate::ir::{
    CallUser, Expression, ExpressionKind, FunctionDeclaration, FunctionParameter, Imported,
};
use crate::syntax::Node;
use crate::syntax::ast::{self, Statement};

impl<'t> Lowering<'t> {
    pub(super) fn function_declaration(&mut self, index: usize, view: ast::Func<'t>) {
        let said = self.decorators(Statement::Func(view), Target::Function, None);
        let mut parameters = Vec::new();
        let mut names = Vec::new();
        for parameter in view.params() {
            let name = parameter.name();
            names.push(name.map(|name| (name.text(), name.span())));
            let (value_type, _) = self.type_or_any(parameter.type_expression());
            parameters.push(FunctionParameter { name: Self::name(name), value_type });
        }
        let (result, _) = self.type_or_any(view.type_expression());
        let count = names.len();
        self.enter(names);
        let name = Self::name(view.name());
        let body = self.expression_or_faulty(view.value(), Here::Value, name.span);
        self.leave(count);
        self.functions[index] = Some(FunctionDeclaration {
            name,
            parameters,
            result,
            body,
            exported: said.exported,
            remarks: said.remarks,
        });
    }

    /// A call of a function that a template declares.
    pub(super) fn call_user(
        &mut self,
        node: Node<'t>,
        name: ast::Name<'t>,
        function: Imported,
        arguments: &[ast::Expression<'t>],
    ) -> Expression {
        let span = node.span();
        let is_own = function.unit == self.around.units.len();
        let count = if is_own {
            let _ = self.refer(Symbol::Function(function.index), name.span());
            self.function_views[function.index].params().count()
        } else {
            self.around.units[function.unit].functions[function.index].parameters.len()
        };
        let signature = self.signature_of(function, name.text());
        self.check_count(name.text(), node, arguments.len(), (count, Some(count)), &signature);
        let mut values = Vec::new();
        for argument in arguments {
            if matches!(argument, ast::Expression::Lambda(_)) {
                let message = format!("`{}` does not accept a lambda", name.text());
                let hint = "pass a value: only built-in functions accept a lambda";
                self.error(codes::WRONG_ARGUMENT, argument.span(), message)
                    .hints
                    .push(hint.to_owned());
                continue;
            }
            values.push(self.expression(*argument, Here::Value));
        }
        let call = CallUser { function, arguments: values };
        Expression::new(ExpressionKind::CallUser(Box::new(call)), span)
    }

    /// How a declared function is called: `name(a string, b int)`.
    fn signature_of(&self, function: Imported, name: &str) -> String {
        let parameters: Vec<String> = if let Some(unit) = self.around.units.get(function.unit) {
            let parameters = unit.functions[function.index].parameters.iter();
            parameters.map(|it| format!("{} {}", it.name.text, it.value_type)).collect()
        } else {
            let parameters = self.function_views[function.index].params();
            parameters.map(|it| self.text_at(it.span()).to_string()).collect()
        };
        format!("{name}({})", parameters.join(", "))
    }

    /// What a function reads: its own parameters, other functions, and constants.
    pub(super) fn check_functions(&mut self) {
        let references = std::mem::take(&mut self.references);
        for reference in &references {
            if !matches!(reference.from, Symbol::Function(_)) {
                continue;
            }
            let what = match reference.to {
                Symbol::Parameter(_) => "a parameter",
                Symbol::Resource(_) => "a resource",
                Symbol::Module(_) => "a module",
                Symbol::Variable(index) => match &self.variables[index] {
                    Some(variable) if !variable.is_constant => "a variable that is not constant",
                    _ => continue,
                },
                _ => continue,
            };
            let message = format!("a function cannot reference {what}");
            let hint = "a function can use its parameters, other functions and constants; pass the value as \
                       another argument";
            self.error(codes::UNDECLARED, reference.span, message).hints.push(hint.to_owned());
        }
        self.references = references;
    }

    /// What is exported has the same value for everybody.
    pub(super) fn check_exports(&mut self) {
        let changing: Vec<_> = self
            .variables
            .iter()
            .flatten()
            .filter(|it| it.exported && !it.is_constant)
            .map(|it| it.name.clone())
            .collect();
        for name in changing {
            let message = format!(
                "`{}` is exported, but depends on a parameter, a resource or a module",
                name.text
            );
            let hint = "export only constants, or export a function that computes the value from its arguments";
            self.error(codes::EXPORT_NOT_CONSTANT, name.span, message).hints.push(hint.to_owned());
        }
    }
}
