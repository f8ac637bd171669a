//! Names that are used: what they stand for, and what they were meant to be.

use hangar_diag::Span;

use super::symbols::Symbol;
use super::{Lowering, Reference};
use crate::codes;
use crate::functions;
use crate::ir::{Expression, ExpressionKind};
use crate::near::near;
use crate::syntax::{Dialect, ast};

/// Namespaces that are there without a declaration.
pub(super) const NAMESPACES: [&str; 3] = ["sys", "az", "aws"];

/// How many names are compared with wrong ones.
const MAX_COMPARISONS: usize = 200_000;

impl<'t> Lowering<'t> {
    /// What a name stands for here.
    pub(super) fn find(&self, name: &str) -> Option<Symbol> {
        let inner = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        inner.or_else(|| self.symbols.get(name)).copied()
    }

    /// A name that stands for a value.
    pub(super) fn variable_access(&mut self, view: ast::Variable<'t>) -> Expression {
        let (name, span) = (view.name(), view.span());
        let kind = match self.find(name) {
            Some(Symbol::Extension(_)) => {
                let message = format!("`{name}` is an extension, not a value");
                let hint = format!("call one of its functions, as in `{name}.region()`");
                return self.faulty_with(codes::NOT_A_VALUE, span, message, hint);
            }
            Some(Symbol::Type(_) | Symbol::ImportedType(_)) => {
                let message = format!("`{name}` is a type, not a value");
                let hint = format!("declare a value of this type, as in `param value {name}`");
                return self.faulty_with(codes::TYPE_AS_VALUE, span, message, hint);
            }
            Some(Symbol::Function(_) | Symbol::ImportedFunction(_)) => {
                let message = format!("`{name}` is a function, not a value");
                let hint = format!("call it: `{name}(…)`");
                return self.faulty_with(codes::NOT_A_VALUE, span, message, hint);
            }
            Some(Symbol::Namespace(_)) => {
                let message = format!("`{name}` is an imported file, not a value");
                let hint = format!("use an export of the file, as in `{name}.value`");
                return self.faulty_with(codes::NOT_A_VALUE, span, message, hint);
            }
            Some(symbol) => self.refer(symbol, span),
            None => return self.undeclared(name, span),
        };
        Expression::new(kind, span)
    }

    /// An expression that reads a symbol; the reading is noted.
    pub(super) fn refer(&mut self, symbol: Symbol, span: Span) -> ExpressionKind {
        if let Some(from) = self.owner {
            self.references.push(Reference { from, to: symbol, span });
        }
        match symbol {
            Symbol::Parameter(index) => ExpressionKind::Parameter(index),
            Symbol::Variable(index) => ExpressionKind::Variable(index),
            Symbol::Resource(index) => ExpressionKind::Resource(index),
            Symbol::Module(index) => ExpressionKind::Module(index),
            Symbol::ImportedVariable(imported) => ExpressionKind::Imported(imported),
            Symbol::Local(level) => ExpressionKind::Local(level),
            Symbol::Type(_)
            | Symbol::Function(_)
            | Symbol::ImportedType(_)
            | Symbol::ImportedFunction(_)
            | Symbol::Namespace(_)
            | Symbol::Extension(_)
            | Symbol::Reported => ExpressionKind::Faulty,
        }
    }

    fn undeclared(&mut self, name: &str, span: Span) -> Expression {
        if self.outputs_by_name.contains_key(name) {
            let message = format!("`{name}` is an output, and outputs cannot be referenced");
            let hint = "declare the value with `var`, and use the variable in both places";
            self.error(codes::UNDECLARED, span, message).hints.push(hint.to_owned());
            return Expression::new(ExpressionKind::Faulty, span);
        }
        if let Some(function) = functions::find(None, name) {
            let message = format!("`{name}` is a function, not a value");
            let hint = format!("call it: `{}`", function.signature());
            return self.faulty_with(codes::NOT_A_VALUE, span, message, hint);
        }
        if NAMESPACES.contains(&name) {
            let message = format!("`{name}` is a namespace, not a value");
            let function = functions::all().find(|it| it.namespace.as_str() == name);
            let function = function.map_or("concat", |it| it.name);
            let hint = format!("call one of its functions, as in `{name}.{function}(…)`");
            return self.faulty_with(codes::NOT_A_VALUE, span, message, hint);
        }
        let near = self.near_name(name);
        self.undeclared_near(name, span, near.as_deref())
    }

    pub(super) fn undeclared_near(
        &mut self,
        name: &str,
        span: Span,
        near: Option<&str>,
    ) -> Expression {
        let message = format!("the name `{name}` is not declared");
        let (code, hint) = near.map_or_else(
            || (codes::UNDECLARED, self.hint_for_undeclared(name, span)),
            |near| (codes::UNDECLARED_NEAR, format!("did you mean `{near}`?")),
        );
        self.error(code, span, message).hints.push(hint);
        Expression::new(ExpressionKind::Faulty, span)
    }

    /// How to declare a name, by how it is used.
    fn hint_for_undeclared(&self, name: &str, span: Span) -> String {
        let literal = match name.to_ascii_lowercase().as_str() {
            "none" | "nil" | "undefined" | "null" => Some("null"),
            "yes" | "on" | "true" => Some("true"),
            "no" | "off" | "false" => Some("false"),
            _ => None,
        };
        if let Some(literal) = literal {
            return format!("write `{literal}`");
        }
        let (before, after) = self.tree.text().split_at(span.end);
        let before = &before[..span.start];
        if before.ends_with('@') {
            return "available decorators include `@description()`, `@secure()`, `@allowed()` and \
                   `@export()`; see docs/templates.md"
                .to_owned();
        }
        if self.dialect == Dialect::Parameters {
            return format!("declare it with `var {name} = …`, or write the string `'{name}'`");
        }
        if after.starts_with('[') {
            return format!("declare it with `param {name} array` or `var {name} = [ … ]`");
        }
        if after.starts_with('.') || after.starts_with("::") {
            return format!(
                "declare it with `resource {name} '…' = {{ … }}`, `param {name} object` or `var {name} = {{ … }}`"
            );
        }
        if before.trim_end().ends_with(" in") {
            return format!("declare it with `param {name} array` or `var {name} = [ … ]`");
        }
        if before.trim_end().ends_with("if (") {
            return format!("declare it with `param {name} bool`");
        }
        format!(
            "declare it with `param {name} string` or `var {name} = …`, or write the string `'{name}'`"
        )
    }

    /// The name in sight that is nearest to one that is not declared.
    fn near_name(&mut self, name: &str) -> Option<String> {
        // Every comparison costs: many wrong names in a large file are told without the near ones.
        self.comparisons += self.symbols.len() + 1;
        if self.comparisons > MAX_COMPARISONS {
            return None;
        }
        let mut names: Vec<&str> =
            self.scopes.iter().flat_map(|scope| scope.keys()).copied().collect();
        let file = self.symbols.iter();
        names.extend(
            file.filter(|(_, it)| !matches!(it, Symbol::Extension(_))).map(|(name, _)| *name),
        );
        names.sort_unstable();
        near(name, names).map(str::to_owned)
    }
}
