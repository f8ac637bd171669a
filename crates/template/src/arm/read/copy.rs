//! Loops: `copy` of resources, properties, variables and outputs, and the index in them.

use hangar_diag::Span;

use super::Reader;
use super::expression::Spot;
use crate::arm::expression::{self as written, Content};
use crate::arm::json::{Json, Kind};
use crate::codes;
use crate::functions;
use crate::ir::{Call, Expression, ExpressionKind, Loop, LoopNames};
use crate::value::Value;

/// Something that has a value in a part of a template.
#[derive(Debug, Clone)]
pub(super) enum Local {
    /// The loop of a resource or an output: `copyIndex()`, and with its name.
    Own { name: Option<String>, level: usize },
    /// The loop of a property or a variable: `copyIndex('name')`.
    Named { name: String, level: usize },
    /// `lambdaVariables('name')`.
    Lambda { name: String, level: usize },
    /// `parameters('name')` in a function.
    Parameter { name: String, level: usize },
}

impl<'j> Reader<'j, '_, '_> {
    /// What a loop goes over: the list whose length is the count, or as many numbers.
    pub(super) fn list(&mut self, count: Option<&'j Json>, around: Span) -> Expression {
        let Some(count) = count else {
            let message = "the `copy` lacks the required property `count`";
            self.error(codes::BAD_TEMPLATE, around, message);
            return Expression::new(ExpressionKind::Faulty, around);
        };
        if let Some(text) = count.as_text()
            && let Ok(Content::Expression(whole)) = Content::of(text)
            && let written::Kind::Call { name, arguments } = &whole.kind
            && name.eq_ignore_ascii_case("length")
            && let [list] = arguments.as_slice()
        {
            return self.expression(list, &Spot::of(count));
        }
        let count_value = self.value(count);
        let range = functions::find(Some("sys"), "range").expect("it is in the table");
        let zero = Expression::new(ExpressionKind::Constant(Value::int(0)), count.span);
        let call = Call { function: range, arguments: vec![zero, count_value], extension: None };
        Expression::new(ExpressionKind::Call(Box::new(call)), count.span)
    }

    /// `{name, count, input}` as a loop.
    pub(super) fn repeated(
        &mut self,
        copy: &'j Json,
        local: impl FnOnce(usize) -> Local,
    ) -> Expression {
        let list = self.list(copy.get("count"), copy.span);
        let level = self.level;
        self.locals.push(local(level + 1));
        self.level += 2;
        let body = if let Some(input) = copy.get("input") {
            self.value(input)
        } else {
            self.error(
                codes::BAD_TEMPLATE,
                copy.span,
                "the `copy` lacks the required property `input`",
            );
            Expression::new(ExpressionKind::Faulty, copy.span)
        };
        self.level -= 2;
        self.locals.pop();
        let repeat = Loop { level, names: LoopNames::default(), list, body };
        Expression::new(ExpressionKind::Loop(Box::new(repeat)), copy.span)
    }

    /// The loops of an object or of the variables: their names and values.
    pub(super) fn copies(&mut self, copies: &'j Json) -> Vec<(&'j Json, Expression)> {
        let Kind::Array(items) = &copies.kind else {
            let message = "`copy` must be an array of objects `{name, count, input}`";
            self.error(codes::BAD_TEMPLATE, copies.span, message);
            return Vec::new();
        };
        let mut read = Vec::new();
        for copy in items {
            let Some(name) = copy.get("name").filter(|it| it.as_text().is_some()) else {
                self.error(
                    codes::BAD_TEMPLATE,
                    copy.span,
                    "the `copy` lacks the required property `name`",
                );
                continue;
            };
            let text = name.as_text().unwrap_or_default().to_owned();
            let value = self.repeated(copy, |level| Local::Named { name: text, level });
            read.push((name, value));
        }
        read
    }

    /// `copyIndex()`, `copyIndex(1)`, `copyIndex('name')`, `copyIndex('name', 1)`.
    pub(super) fn copy_index(
        &mut self,
        arguments: &[written::Expression],
        spot: &Spot,
        span: Span,
    ) -> Expression {
        let (name, offset) = match arguments {
            [] => (None, None),
            [first] => match &first.kind {
                written::Kind::Text(name) => (Some(name), None),
                _ => (None, Some(first)),
            },
            [first, second, ..] => match &first.kind {
                written::Kind::Text(name) => (Some(name), Some(second)),
                _ => (None, Some(first)),
            },
        };
        let level = self.locals.iter().rev().find_map(|local| match (local, name) {
            (Local::Own { level, .. }, None) => Some(*level),
            (Local::Own { name: Some(own), level }, Some(name))
                if own.eq_ignore_ascii_case(name) =>
            {
                Some(*level)
            }
            (Local::Named { name: own, level }, Some(name)) if own.eq_ignore_ascii_case(name) => {
                Some(*level)
            }
            _ => None,
        });
        let Some(level) = level else {
            let message = match name {
                Some(name) => format!(
                    "`copyIndex` refers to the loop `{name}`, but is used outside that loop"
                ),
                None => "`copyIndex` is used outside a loop".to_owned(),
            };
            self.error(codes::UNDECLARED, span, message);
            return Expression::new(ExpressionKind::Faulty, span);
        };
        let index = Expression::new(ExpressionKind::Local(level), span);
        match offset {
            Some(offset) => {
                let offset = self.expression(offset, spot);
                super::call::binary(crate::ir::Operator::Add, index, offset, span)
            }
            None => index,
        }
    }
}
