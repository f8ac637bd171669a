//! Expressions, kind by kind.

use std::sync::Arc;

use hangar_diag::Span;

use super::Lowering;
use super::symbols::{Scope, Symbol};
use crate::codes;
use crate::ir::{
    Expression, ExpressionKind, Index, Item, Lambda, Loop, LoopNames, MAX_DEPTH, Member, Name,
    Piece, Ternary,
};
use crate::near::near;
use crate::syntax::SyntaxToken;
use crate::syntax::ast::{self, LiteralValue, StringPart};
use crate::value::Value;

/// Where an expression stands: what only goes in some places asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Here {
    /// The value of a declaration or of a property: a loop may stand here.
    Declaration,
    /// Anywhere else.
    Value,
}

impl<'t> Lowering<'t> {
    /// Lowers an expression; where its syntax is broken, which was reported, it is faulty.
    pub(super) fn expression(&mut self, view: ast::Expression<'t>, here: Here) -> Expression {
        if self.depth >= MAX_DEPTH {
            let message = format!("this is nested more than {MAX_DEPTH} levels deep");
            return self.faulty(codes::TOO_DEEP, view.span(), message);
        }
        self.depth += 1;
        let lowered = self.expression_kind(view, here);
        self.depth -= 1;
        lowered
    }

    pub(super) fn expression_or_faulty(
        &mut self,
        view: Option<ast::Expression<'t>>,
        here: Here,
        around: Span,
    ) -> Expression {
        match view {
            Some(view) => self.expression(view, here),
            None => Expression::new(ExpressionKind::Faulty, around),
        }
    }

    /// Where the properties of an object and the rounds of a loop stand: only the bodies of resources have
    /// loops in them.
    pub(super) const fn in_object(&self) -> Here {
        if self.in_body { Here::Declaration } else { Here::Value }
    }

    fn part(&mut self, view: Option<ast::Expression<'t>>, around: Span) -> Expression {
        self.expression_or_faulty(view, Here::Value, around)
    }

    fn expression_kind(&mut self, view: ast::Expression<'t>, here: Here) -> Expression {
        match view {
            ast::Expression::Literal(view) => self.literal(view),
            ast::Expression::String(view) => self.string(view),
            ast::Expression::Object(view) => self.object(view),
            ast::Expression::Array(view) => self.array(view),
            ast::Expression::Variable(view) => self.variable_access(view),
            ast::Expression::Call(view) => self.call(view),
            ast::Expression::MethodCall(view) => self.method_call(view),
            ast::Expression::Member(view) => self.member(view),
            ast::Expression::Index(view) => self.index(view),
            ast::Expression::NestedResource(view) => self.nested_access(view),
            ast::Expression::NonNull(view) => {
                let base = self.part(view.base(), view.span());
                Expression::new(ExpressionKind::NonNull(Box::new(base)), view.span())
            }
            ast::Expression::Parenthesized(view) => self.part(view.inner(), view.span()),
            ast::Expression::Unary(view) => self.unary(view),
            ast::Expression::Binary(view) => self.binary(view),
            ast::Expression::Ternary(view) => self.ternary(view),
            ast::Expression::Lambda(view) => {
                let message =
                    "a lambda is only allowed as the argument of a function that accepts one";
                let hint =
                    "pass it to a function, as in `map(list, item => item.name)`, or use `func`";
                self.faulty_with(codes::LAMBDA_HERE, view.span(), message, hint)
            }
            ast::Expression::Loop(view) => self.loop_of_values(view, here),
            ast::Expression::Condition(view) => {
                let hint = "use `filter(list, item => condition)` on the list";
                self.not_supported(view.span(), "conditions in value loops are", hint);
                Expression::new(ExpressionKind::Faulty, view.span())
            }
        }
    }

    fn literal(&mut self, view: ast::Literal<'t>) -> Expression {
        let value = match view.value() {
            Some(LiteralValue::Bool(truth)) => Value::bool(truth),
            Some(LiteralValue::Null) => Value::NULL,
            Some(LiteralValue::Number(number)) => {
                let Ok(number) = i64::try_from(number) else {
                    // The least integer is a minus before a number that is one too large.
                    let message = "the number does not fit in 64 bits";
                    let hint =
                        format!("write a number up to {}, or a string: `'{number}'`", i64::MAX);
                    return self.faulty_with(codes::NUMBER_TOO_LARGE, view.span(), message, hint);
                };
                Value::int(number)
            }
            None => return Expression::new(ExpressionKind::Faulty, view.span()),
        };
        Expression::new(ExpressionKind::Constant(value), view.span())
    }

    pub(super) fn string(&mut self, view: ast::String<'t>) -> Expression {
        let span = view.span();
        if let Some(text) = view.literal() {
            return Expression::new(ExpressionKind::Constant(Value::string(text)), span);
        }
        let mut pieces = Vec::new();
        for part in view.parts() {
            pieces.push(match part {
                StringPart::Text(text) => Piece::Text(text.into()),
                StringPart::Hole(hole) => Piece::Hole(self.expression(hole, Here::Value)),
            });
        }
        Expression::new(ExpressionKind::Text(pieces), span)
    }

    fn array(&mut self, view: ast::Array<'t>) -> Expression {
        let mut items = Vec::new();
        for item in view.items() {
            items.push(match item {
                ast::Item::Value(value) => Item::Value(self.expression(value, Here::Value)),
                ast::Item::Spread(spread) => Item::Spread(self.part(spread.value(), spread.span())),
            });
        }
        Expression::new(ExpressionKind::Array(items), view.span())
    }

    fn ternary(&mut self, view: ast::Ternary<'t>) -> Expression {
        let span = view.span();
        let condition = self.part(view.condition(), span);
        let then = self.part(view.then(), span);
        let otherwise = self.part(view.otherwise(), span);
        let ternary = Ternary { condition, then, otherwise };
        Expression::new(ExpressionKind::Ternary(Box::new(ternary)), span)
    }

    fn member(&mut self, view: ast::Member<'t>) -> Expression {
        let span = view.span();
        // `file.name`: what a file exports.
        if let (Some(ast::Expression::Variable(base)), Some(name)) = (view.base(), view.name())
            && let Some(Symbol::Namespace(unit)) = self.find(base.name())
        {
            let kind = match self.imported(unit, name.text(), name.span()) {
                Symbol::ImportedType(_) => {
                    let message = format!("`{}` is a type, not a value", name.text());
                    let written = self.text_at(span);
                    let hint =
                        format!("declare a value of this type, as in `param value {written}`");
                    return self.faulty_with(codes::TYPE_AS_VALUE, name.span(), message, hint);
                }
                symbol => self.refer(symbol, span),
            };
            return Expression::new(kind, span);
        }
        let base = self.part(view.base(), span);
        let Some(name) = view.name() else {
            return Expression::new(ExpressionKind::Faulty, span);
        };
        self.check_resource_member(&base, name.text(), name.span());
        self.check_module_member(&base, name.text(), name.span());
        let name = Name { text: name.text().into(), span: name.span() };
        let member = Member { base, name, safe: view.is_safe() };
        Expression::new(ExpressionKind::Member(Box::new(member)), span)
    }

    fn index(&mut self, view: ast::Index<'t>) -> Expression {
        let span = view.span();
        let base = self.part(view.base(), span);
        let index = self.part(view.index(), span);
        // `a['b']` is `a.b`, whatever reads it.
        if let ExpressionKind::Constant(value) = &index.kind
            && let crate::value::Data::String(text) = &value.data
            && !view.is_from_end()
        {
            let name = Name { text: text.clone(), span: index.span };
            self.check_resource_member(&base, text, index.span);
            self.check_module_member(&base, text, index.span);
            let member = Member { base, name, safe: view.is_safe() };
            return Expression::new(ExpressionKind::Member(Box::new(member)), span);
        }
        let index = Index { base, at: index, safe: view.is_safe(), from_end: view.is_from_end() };
        Expression::new(ExpressionKind::Index(Box::new(index)), span)
    }

    /// `base::name`.
    fn nested_access(&mut self, view: ast::NestedResource<'t>) -> Expression {
        let span = view.span();
        let base = self.part(view.base(), span);
        let Some(name) = view.name() else {
            return Expression::new(ExpressionKind::Faulty, span);
        };
        let parent = match base.kind {
            ExpressionKind::Resource(parent) => parent,
            ExpressionKind::Faulty => return base,
            _ => {
                let message = "only a resource can have nested resources";
                let hint = "read a property with `.`; use `::` only for a resource in the body of another one";
                return self.faulty_with(codes::NOT_A_PARENT, base.span, message, hint);
            }
        };
        if let Some(child) = self.outlines[parent].nested.get(name.text()).copied() {
            let kind = self.refer(Symbol::Resource(child), span);
            return Expression::new(kind, span);
        }
        let mut names: Vec<&str> = self.outlines[parent].nested.keys().copied().collect();
        names.sort_unstable();
        let near = near(name.text(), names.iter().copied()).map(str::to_owned);
        let message =
            format!("the nested resource `{}` does not exist in this resource", name.text());
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => {
                format!(
                    "this resource has no nested resources; read a property with `.{}`",
                    name.text()
                )
            }
            None => format!("nested resources: `{}`", names.join("`, `")),
        };
        self.error(codes::NO_SUCH_NESTED, name.span(), message).hints.push(hint);
        Expression::new(ExpressionKind::Faulty, span)
    }

    fn loop_of_values(&mut self, view: ast::Loop<'t>, here: Here) -> Expression {
        let span = view.span();
        if here != Here::Declaration {
            let message =
                "a loop is only allowed as the value of a declaration or of a resource's property";
            let hint = "declare it with `var`, or use `map(list, item => …)`";
            let word = view.node().tokens().find(|it| it.text() == "for").map(SyntaxToken::span);
            let word = word.unwrap_or(span);
            self.error(codes::LOOP_HERE, word, message).hints.push(hint.to_owned());
            return Expression::new(ExpressionKind::Faulty, span);
        }
        let list = self.part(view.list(), span);
        let level = self.level;
        self.enter_loop(view);
        let body = self.expression_or_faulty(view.body(), self.in_object(), span);
        self.leave(2);
        let repeat = Loop { level, names: loop_names(view), list, body };
        Expression::new(ExpressionKind::Loop(Box::new(repeat)), span)
    }

    /// The names of a loop, from here to [`Lowering::leave`]: always two locals, item and index.
    pub(super) fn enter_loop(&mut self, view: ast::Loop<'t>) {
        let names = [view.item(), view.index()];
        self.enter(names.map(|name| name.map(|name| (name.text(), name.span()))));
    }

    /// Names for the next levels, `None` where a level has none.
    pub(super) fn enter(&mut self, names: impl IntoIterator<Item = Option<(&'t str, Span)>>) {
        let mut scope = Scope::new();
        for name in names {
            if let Some((name, span)) = name
                && scope.insert(name, Symbol::Local(self.level)).is_some()
            {
                let message = format!("`{name}` is declared twice");
                let hint = format!("rename one of them, for example to `{name}2`");
                self.error(codes::DUPLICATE_NAME, span, message).hints.push(hint);
            }
            self.level += 1;
        }
        self.scopes.push(scope);
    }

    pub(super) fn leave(&mut self, levels: usize) {
        self.scopes.pop();
        self.level -= levels;
    }

    /// A lambda, where a function takes one.
    pub(super) fn lambda(&mut self, view: ast::Lambda<'t>) -> Expression {
        let span = view.span();
        let names: Vec<_> = view.variables().map(|node| Some((node.text(), node.span()))).collect();
        let variables = names.len();
        let written = names.iter().flatten().map(|(name, _)| Arc::from(*name)).collect();
        let level = self.level;
        self.enter(names);
        let body = self.part(view.body(), span);
        self.leave(variables);
        let lambda = Lambda { level, names: written, body };
        Expression::new(ExpressionKind::Lambda(Box::new(lambda)), span)
    }

    /// The text of a place.
    pub(super) fn text_at(&self, span: Span) -> Arc<str> {
        self.tree.text()[span.start..span.end].into()
    }
}

/// The variables of a loop as they are written.
pub(super) fn loop_names(view: ast::Loop<'_>) -> LoopNames {
    let text = |name: Option<ast::Name<'_>>| name.map(|name| Arc::from(name.text()));
    LoopNames { item: text(view.item()), index: text(view.index()) }
}
