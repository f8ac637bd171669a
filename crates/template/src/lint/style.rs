//! What can be written more simply.

use std::collections::HashSet;

use hangar_diag::Span;

use super::{Found, Scene, below, called};
use crate::codes;
use crate::syntax::ast::{
    Call, Expression, Index, MethodCall, Name, Property, PropertyKey, Statement, String,
    StringPart, TypeExpression,
};
use crate::syntax::{Node, NodeKind, TokenKind};
use crate::write::is_plain_key;

pub(super) fn look(file: &Scene<'_>, found: &mut Found) {
    let names = Names::of(file);
    for node in below(file.root) {
        match node.kind() {
            NodeKind::Call | NodeKind::MethodCall => concatenation(&names, node, found),
            NodeKind::String => interpolation(&names, node, found),
            NodeKind::Property => key(node, found),
            NodeKind::Index => index(node, found),
            _ => {}
        }
    }
}

/// What the rules ask of the whole file, gathered once.
#[derive(Default)]
struct Names<'t> {
    /// Parameters and variables that are texts.
    texts: HashSet<&'t str>,
    /// Variables of loops and lambdas: where one of the file has the same name, it may be another thing.
    locals: HashSet<&'t str>,
    /// Where the keys of properties begin.
    keys: HashSet<usize>,
}

impl<'t> Names<'t> {
    fn of(file: &Scene<'t>) -> Self {
        let mut names = Self::default();
        for statement in &file.statements {
            let is_text = match statement {
                Statement::Param(it) => matches!(
                    it.type_expression(),
                    Some(TypeExpression::TypeName(it)) if it.node().text() == "string"
                ),
                Statement::Var(it) => matches!(it.value(), Some(Expression::String(_))),
                _ => false,
            };
            if is_text {
                names.texts.extend(statement.name().map(Name::text));
            }
        }
        for node in below(file.root) {
            match node.kind() {
                NodeKind::Loop
                | NodeKind::LoopVariables
                | NodeKind::Lambda
                | NodeKind::LambdaVariables
                | NodeKind::FuncParam => {
                    let declared = node
                        .children()
                        .filter(|it| matches!(it.kind(), NodeKind::Name | NodeKind::Variable));
                    names.locals.extend(declared.map(Node::text));
                }
                NodeKind::Property => {
                    if let Some(PropertyKey::String(key)) =
                        Property::cast(node).and_then(Property::key)
                    {
                        names.keys.insert(key.span().start);
                    }
                }
                _ => {}
            }
        }
        names
    }
}

/// `concat('a', b)` of texts; lists are put together by it, too.
fn concatenation(names: &Names<'_>, node: Node<'_>, found: &mut Found) {
    if called(node) != Some("concat") {
        return;
    }
    let arguments: Vec<Expression<'_>> = match (Call::cast(node), MethodCall::cast(node)) {
        (Some(call), _) => call.arguments().collect(),
        (_, Some(call)) => call.arguments().collect(),
        _ => return,
    };
    let is_text = |it: &Expression<'_>| match it {
        Expression::String(_) => true,
        Expression::Variable(it) => {
            names.texts.contains(it.name()) && !names.locals.contains(it.name())
        }
        _ => false,
    };
    if arguments.len() > 1 && arguments.iter().any(is_text) {
        let message = "strings are joined with `concat()`";
        let hint = "write one string with interpolation, as in `'${name}-logs'`";
        found.tell(codes::PREFER_INTERPOLATION, node.span(), message, hint);
    }
}

/// `'${name}'` where the name is that of a text already.
fn interpolation(names: &Names<'_>, node: Node<'_>, found: &mut Found) {
    // A raw text and a key are not simpler without.
    let is_plain = node.text().starts_with("'$") && !names.keys.contains(&node.span().start);
    let Some(text) = String::cast(node).filter(|_| is_plain) else { return };
    let parts = text.parts();
    let [StringPart::Hole(Expression::Variable(hole))] = parts.as_slice() else { return };
    let name = hole.name();
    if names.texts.contains(name) && !names.locals.contains(name) {
        let message = format!("the interpolation is not needed: `{name}` is already a string");
        let hint = format!("write `{name}`");
        found.tell(codes::SIMPLIFY_INTERPOLATION, node.span(), message, &hint);
    }
}

/// `'name': value`.
fn key(node: Node<'_>, found: &mut Found) {
    let Some(PropertyKey::String(key)) = Property::cast(node).and_then(Property::key) else {
        return;
    };
    let Some(text) = key.literal() else { return };
    if is_plain_key(&text) {
        let message = format!("the property name `{text}` does not need quotes");
        let hint = format!("write `{text}:`");
        found.tell(codes::PREFER_UNQUOTED, key.span(), message, &hint);
    }
}

/// `object['name']`.
fn index(node: Node<'_>, found: &mut Found) {
    let Some(view) = Index::cast(node).filter(|it| !it.is_safe() && !it.is_from_end()) else {
        return;
    };
    let Some(Expression::String(at)) = view.index() else { return };
    let Some(text) = at.literal().filter(|it| is_plain_key(it)) else { return };
    let brackets = (node.token(TokenKind::LeftSquare), node.token(TokenKind::RightSquare));
    let (Some(open), Some(close)) = brackets else { return };
    let message = format!("the property `{text}` does not need brackets");
    let hint = format!("write `.{text}`");
    let span = Span::new(open.span().start, close.span().end);
    found.tell(codes::PREFER_UNQUOTED, span, message, &hint);
}
