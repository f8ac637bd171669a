//! Values where JSON stands: what can be JSON is, everything else is an expression in brackets.

use super::Printer;
use super::bind::{Local, Symbol};
use super::call::plain_call;
use crate::arm::expression::{Content, Expression, Kind, literal};
use crate::arm::json::{self, Json};
use crate::codes;
use crate::syntax::TokenKind;
use crate::syntax::ast::{self, LiteralValue, ObjectItem, PropertyKey};

impl<'t> Printer<'t, '_, '_> {
    /// A value in its place in the template.
    pub(super) fn value(&mut self, view: ast::Expression<'t>) -> Json {
        if !self.enter(view.span()) {
            return Json::NULL;
        }
        let json = self.value_kind(view);
        self.leave();
        json
    }

    fn value_kind(&mut self, view: ast::Expression<'t>) -> Json {
        match view {
            ast::Expression::Literal(view) => match view.value() {
                Some(LiteralValue::Number(number)) => Json::number(number),
                Some(LiteralValue::Bool(value)) => Json::bool(value),
                _ => Json::NULL,
            },
            ast::Expression::Parenthesized(view) if view.inner().is_some() => {
                view.inner().map_or(Json::NULL, |inner| self.value(inner))
            }
            ast::Expression::Object(view) if !has_spread(view) => self.object_value(view),
            ast::Expression::Array(view)
                if view.items().all(|it| matches!(it, ast::Item::Value(_))) =>
            {
                let items = view.items().filter_map(|item| match item {
                    ast::Item::Value(value) => Some(value),
                    ast::Item::Spread(_) => None,
                });
                Json::array(items.map(|it| self.value(it)).collect())
            }
            ast::Expression::Unary(unary)
                if unary.operator().is_some_and(|it| it.kind() == TokenKind::Minus)
                    && matches!(unary.operand(), Some(ast::Expression::Literal(_))) =>
            {
                let operand = unary.operand().map_or("", |it| it.node().text());
                Json::number(format!("-{operand}"))
            }
            ast::Expression::Variable(name) => match self.symbol_of(name.name()) {
                // It is written out where it is used, in the form that it has.
                Some(Symbol::Variable(index)) if self.is_inlined(index) => {
                    self.inlined(index, Self::value).unwrap_or(Json::NULL)
                }
                _ => self.bracketed(view),
            },
            ast::Expression::Call(call) if call.name().is_some_and(|it| it.text() == "any") => {
                call.arguments().next().map_or(Json::NULL, |argument| self.value(argument))
            }
            ast::Expression::Call(_) | ast::Expression::MethodCall(_) if is_other_scope(view) => {
                Json::object()
            }
            ast::Expression::Call(_) | ast::Expression::MethodCall(_) if self.is_in_function => {
                self.load(view).unwrap_or_else(|| self.bracketed(view))
            }
            _ => self.bracketed(view),
        }
    }

    fn bracketed(&mut self, view: ast::Expression<'t>) -> Json {
        let expression = self.expression(view);
        in_place(expression)
    }

    fn object_value(&mut self, view: ast::Object<'t>) -> Json {
        let items: Vec<_> = view.items().collect();
        self.members(&items)
    }

    /// Properties as an object; those that are loops are in its `copy`.
    pub(super) fn members(&mut self, items: &[ObjectItem<'t>]) -> Json {
        let mut object = Json::object();
        let mut copies = Vec::new();
        for item in items {
            let property = match item {
                ObjectItem::Property(property) => property,
                ObjectItem::Spread(spread) => {
                    let message = "a spread is not allowed in the body of a resource";
                    self.error(codes::SPREAD_HERE, spread.span(), message);
                    continue;
                }
                ObjectItem::Resource(_) => continue,
            };
            let (Some(key), Some(value)) = (property.key(), property.value()) else { continue };
            let name = self.key(key);
            if let ast::Expression::Loop(repeat) = value {
                copies.push(self.copy(&name, repeat));
            } else {
                let value = self.value(value);
                object.set(name, value);
            }
        }
        if copies.is_empty() {
            return object;
        }
        let mut whole = Json::object().with("copy", Json::array(copies));
        for member in object.members() {
            whole.set(&member.name, member.value.clone());
        }
        whole
    }

    fn key(&mut self, key: PropertyKey<'t>) -> String {
        let text = match key {
            PropertyKey::Name(name) => name.text().to_owned(),
            PropertyKey::String(string) => match string.literal() {
                Some(text) => text,
                None => return format!("[{}]", self.string(string)),
            },
        };
        // A member of this name would be a loop.
        if text == "copy" { "[string('copy')]".to_owned() } else { literal(&text) }
    }

    /// A loop of a property or a variable: `{name, count, input}`.
    pub(super) fn copy(&mut self, name: &str, repeat: ast::Loop<'t>) -> Json {
        let index = Expression::call("copyIndex", vec![Expression::text(name)]);
        let (count, input) = self.repeated(repeat, index);
        Json::object().with("name", Json::text(name)).with("count", count).with("input", input)
    }

    pub(super) fn copy_of_output(&mut self, repeat: ast::Loop<'t>) -> Json {
        let (count, input) = self.repeated(repeat, Expression::call("copyIndex", vec![]));
        Json::object().with("count", count).with("input", input)
    }

    fn repeated(&mut self, repeat: ast::Loop<'t>, index: Expression) -> (Json, Json) {
        let list = self.optional(repeat.list());
        let count = in_place(Expression::call("length", vec![list.clone()]));
        let before = self.locals.len();
        self.bind_loop(repeat, list, index);
        let input = repeat.body().map_or(Json::NULL, |body| self.input(body));
        self.locals.truncate(before);
        (count, input)
    }

    /// What each round of a `copy` gives: only objects and texts stand there as they are.
    fn input(&mut self, body: ast::Expression<'t>) -> Json {
        let value = match body {
            ast::Expression::Array(_) => return self.bracketed(body),
            _ => self.value(body),
        };
        let expression = match value.kind {
            json::Kind::Number(number) => Expression::call("int", vec![Expression::number(number)]),
            json::Kind::Bool(true) => Expression::call("true", vec![]),
            json::Kind::Bool(false) => Expression::call("false", vec![]),
            json::Kind::Null => Expression::call("null", vec![]),
            _ => return value,
        };
        in_place(expression)
    }

    pub(super) fn bind_loop(&mut self, repeat: ast::Loop<'t>, list: Expression, index: Expression) {
        if let Some(item) = repeat.item() {
            self.locals.push((item.text(), Local::Item { list, index: index.clone() }));
        }
        if let Some(name) = repeat.index() {
            self.locals.push((name.text(), Local::Index(index)));
        }
    }
}

/// An expression in its place in the template: a text and a number need no brackets.
pub(super) fn in_place(expression: Expression) -> Json {
    match expression.kind {
        Kind::Text(text) => Json::text(literal(&text)),
        Kind::Number(number) => Json::number(number),
        _ => Json::text(Content::Expression(expression).to_string()),
    }
}

/// Whether it names a scope elsewhere: that is no value of a template.
pub(super) fn is_other_scope(view: ast::Expression<'_>) -> bool {
    let Some((name, arguments)) = plain_call(view) else { return false };
    matches!(name, "resourceGroup" | "subscription" | "managementGroup") && !arguments.is_empty()
}

pub(super) fn has_spread(view: ast::Object<'_>) -> bool {
    view.items().any(|it| matches!(it, ObjectItem::Spread(_)))
}
