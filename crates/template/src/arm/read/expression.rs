//! Values: JSON as it is, expressions in its strings, and where each stands.

use std::sync::Arc;

use hangar_diag::Span;

use super::{Reader, plain};
use crate::arm::expression::{self as written, Content};
use crate::arm::json::{Json, Kind};
use crate::codes;
use crate::ir::{
    Entry, Expression, ExpressionKind, Index, Item, Key, MAX_DEPTH, Member, Name, Piece,
};
use crate::value::Value;

/// The string that an expression stands in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    span: Span,
    /// Whether its bytes are those of the file.
    plain: bool,
}

impl Spot {
    pub(super) fn of(json: &Json) -> Self {
        Self { span: json.span, plain: matches!(json.kind, Kind::Text { plain: true, .. }) }
    }

    /// Where a part of the string is in the file; the whole string where escapes are in it.
    pub(super) fn at(self, part: Span) -> Span {
        if !self.plain {
            return self.span;
        }
        let start = self.span.start + 1;
        Span::new(start + part.start, start + part.end)
    }
}

impl<'j> Reader<'j, '_, '_> {
    pub(super) fn faulty(&mut self, span: Span, message: impl Into<String>) -> Expression {
        self.error(codes::BAD_EXPRESSION, span, message);
        Expression::new(ExpressionKind::Faulty, span)
    }

    pub(super) fn constant(value: Value, span: Span) -> Expression {
        Expression::new(ExpressionKind::Constant(value), span)
    }

    /// A value of the template.
    pub(super) fn value(&mut self, json: &'j Json) -> Expression {
        if self.depth >= MAX_DEPTH {
            return self.too_deep(json.span);
        }
        self.depth += 1;
        let value = self.value_kind(json);
        self.depth -= 1;
        value
    }

    fn too_deep(&mut self, span: Span) -> Expression {
        let message = format!("this is nested more than {MAX_DEPTH} levels deep");
        self.error(codes::TOO_DEEP, span, message);
        Expression::new(ExpressionKind::Faulty, span)
    }

    fn value_kind(&mut self, json: &'j Json) -> Expression {
        match &json.kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) => {
                Self::constant(Value::from_json(&plain(json), false), json.span)
            }
            Kind::Text { text, .. } => self.text(text, json),
            Kind::Array(items) => {
                let items = items.iter().map(|it| Item::Value(self.value(it))).collect();
                Expression::new(ExpressionKind::Array(items), json.span)
            }
            Kind::Object(_) => {
                let entries = self.entries(json, &[]);
                Expression::new(ExpressionKind::Object(entries), json.span)
            }
        }
    }

    fn text(&mut self, text: &str, json: &Json) -> Expression {
        let spot = Spot::of(json);
        match Content::of(text) {
            Ok(Content::Text(text)) => Self::constant(Value::string(text), json.span),
            Ok(Content::Expression(whole)) => self.expression(&whole, &spot),
            Err(fault) => self.faulty(spot.at(fault.span), fault.message),
        }
    }

    /// The members of an object but some; a `copy` is the loops of its properties.
    pub(super) fn entries(&mut self, json: &'j Json, skipped: &[&str]) -> Vec<Entry> {
        let mut entries = Vec::new();
        for member in json.members() {
            if skipped.contains(&member.name.as_str()) {
                continue;
            }
            if member.name == "copy" && is_loops(&member.value) {
                for (name, value) in self.copies(&member.value) {
                    let text = name.as_text().unwrap_or_default();
                    let key = Key::Fixed(Name { text: text.into(), span: name.span });
                    entries.push(Entry::Member { key, value });
                }
                continue;
            }
            let key = self.key(&member.name, member.name_span);
            let value = self.value(&member.value);
            entries.push(Entry::Member { key, value });
        }
        entries
    }

    fn key(&mut self, name: &str, span: Span) -> Key {
        match Content::of(name) {
            Ok(Content::Text(text)) => Key::Fixed(Name { text: text.into(), span }),
            Ok(Content::Expression(whole)) => {
                Key::Computed(self.expression(&whole, &Spot { span, plain: false }))
            }
            Err(fault) => Key::Computed(self.faulty(span, fault.message)),
        }
    }

    /// An expression in a string of the template.
    pub(super) fn expression(&mut self, whole: &written::Expression, spot: &Spot) -> Expression {
        let span = spot.at(whole.span);
        if self.depth >= MAX_DEPTH {
            return self.too_deep(span);
        }
        self.depth += 1;
        let expression = match &whole.kind {
            written::Kind::Text(text) => Self::constant(Value::string(text.as_str()), span),
            written::Kind::Number(number) => match serde_json::from_str(number) {
                Ok(number) => Self::constant(Value::from_json(&number, false), span),
                Err(_) => self.faulty(span, format!("`{number}` is not a number")),
            },
            written::Kind::Call { name, arguments } => self.call(name, arguments, spot, span),
            written::Kind::Member { base, name } => {
                let base = self.expression(base, spot);
                Self::member(base, name, false, span)
            }
            written::Kind::Index { base, at } => {
                let base = self.expression(base, spot);
                let at = self.expression(at, spot);
                Self::indexed(base, at, false, span)
            }
        };
        self.depth -= 1;
        expression
    }

    /// `base.name`; the `value` of an output of a module is the output.
    pub(super) fn member(base: Expression, name: &str, safe: bool, span: Span) -> Expression {
        if matches!(base.kind, ExpressionKind::Faulty) {
            return base;
        }
        if name == "value" && is_output(&base) {
            return base;
        }
        let name = Name { text: name.into(), span };
        Expression::new(ExpressionKind::Member(Box::new(Member { base, name, safe })), span)
    }

    pub(super) fn indexed(base: Expression, at: Expression, safe: bool, span: Span) -> Expression {
        if let ExpressionKind::Constant(value) = &at.kind
            && let crate::value::Data::String(name) = &value.data
        {
            return Self::member(base, name, safe, span);
        }
        let index = Index { base, at, safe, from_end: false };
        Expression::new(ExpressionKind::Index(Box::new(index)), span)
    }

    /// `format` with nothing but plain holes is a string with holes.
    pub(super) fn format(
        &mut self,
        arguments: &[written::Expression],
        spot: &Spot,
    ) -> Option<Vec<Piece>> {
        let [first, given @ ..] = arguments else { return None };
        let written::Kind::Text(pattern) = &first.kind else { return None };
        let parts = holes(pattern)?;
        let known = parts.iter().all(|part| match part {
            Hole::Text(_) => true,
            Hole::At(at) => *at < given.len(),
        });
        // Each one once: an argument that nobody asks for would not be looked at.
        if !known || (0..given.len()).any(|at| !parts.contains(&Hole::At(at))) {
            return None;
        }
        let pieces = parts.into_iter().map(|part| match part {
            Hole::Text(text) => Piece::Text(Arc::from(text)),
            Hole::At(at) => Piece::Hole(self.expression(&given[at], spot)),
        });
        Some(pieces.collect())
    }
}

fn is_loops(json: &Json) -> bool {
    matches!(&json.kind, Kind::Array(items) if items.iter().all(|it| it.get("count").is_some()))
}

/// Whether it is an output of a module, which the template writes as `{value}`.
fn is_output(base: &Expression) -> bool {
    let (ExpressionKind::Member(_) | ExpressionKind::Index(_)) = &base.kind else { return false };
    let ExpressionKind::Member(output) = &base.kind else { return false };
    let ExpressionKind::Member(outputs) = &output.base.kind else { return false };
    &*outputs.name.text == "outputs"
        && match &outputs.base.kind {
            ExpressionKind::Module(_) => true,
            ExpressionKind::Index(index) => matches!(index.base.kind, ExpressionKind::Module(_)),
            _ => false,
        }
}

#[derive(Debug, PartialEq, Eq)]
enum Hole {
    Text(String),
    At(usize),
}

/// The parts of a pattern of `format`; nothing where a hole says how its value is written.
fn holes(pattern: &str) -> Option<Vec<Hole>> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = pattern.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '{' if rest.peek() == Some(&'{') => {
                rest.next();
                text.push('{');
            }
            '}' if rest.peek() == Some(&'}') => {
                rest.next();
                text.push('}');
            }
            '{' => {
                let digits: String = rest.by_ref().take_while(|it| *it != '}').collect();
                if !text.is_empty() {
                    parts.push(Hole::Text(std::mem::take(&mut text)));
                }
                parts.push(Hole::At(digits.parse().ok()?));
            }
            '}' => return None,
            other => text.push(other),
        }
    }
    if !text.is_empty() {
        parts.push(Hole::Text(text));
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_cut_at_its_plain_holes() {
        let text = |text: &str| Hole::Text(text.to_owned());
        assert_eq!(
            holes("a{0}b{{{1}}}"),
            Some(vec![text("a"), Hole::At(0), text("b{"), Hole::At(1), text("}")])
        );
        assert_eq!(holes(""), Some(vec![]));
        assert_eq!(holes("{0:N2}"), None);
        assert_eq!(holes("}"), None);
    }
}
