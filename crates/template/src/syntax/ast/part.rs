//! Parts that many views share: names, decorators, keys, and how they are found in a node.

use super::view::views;
use super::{Expression, String, TypeExpression};
use crate::syntax::{Node, TokenKind};

views! {
    /// A name, where it is declared or used.
    Name;
    /// `@name(…)` before a declaration.
    Decorator;
}

impl<'t> Name<'t> {
    /// The name as it is written.
    pub fn text(self) -> &'t str {
        self.node().text()
    }
}

impl<'t> Decorator<'t> {
    /// The call, or the name without one, after the `@`.
    pub fn expression(self) -> Option<Expression<'t>> {
        expression(self.node())
    }
}

/// The key of a property.
#[derive(Debug, Clone, Copy)]
pub enum PropertyKey<'t> {
    /// `key:`.
    Name(Name<'t>),
    /// `'key':`, with or without holes.
    String(String<'t>),
}

pub(super) fn name(node: Node<'_>) -> Option<Name<'_>> {
    node.children().find_map(Name::cast)
}

pub(super) fn names(node: Node<'_>) -> impl Iterator<Item = Name<'_>> {
    node.children().filter_map(Name::cast)
}

pub(super) fn decorators(node: Node<'_>) -> impl Iterator<Item = Decorator<'_>> {
    node.children().filter_map(Decorator::cast)
}

pub(super) fn expressions(node: Node<'_>) -> impl DoubleEndedIterator<Item = Expression<'_>> {
    node.children().filter_map(Expression::cast)
}

pub(super) fn expression(node: Node<'_>) -> Option<Expression<'_>> {
    node.children().find_map(Expression::cast)
}

pub(super) fn type_expression(node: Node<'_>) -> Option<TypeExpression<'_>> {
    node.children().find_map(TypeExpression::cast)
}

pub(super) fn type_expressions(node: Node<'_>) -> impl Iterator<Item = TypeExpression<'_>> {
    node.children().filter_map(TypeExpression::cast)
}

pub(super) fn string(node: Node<'_>) -> Option<String<'_>> {
    node.children().find_map(String::cast)
}

/// The first expression after a token of a kind.
pub(super) fn expression_after(node: Node<'_>, kind: TokenKind) -> Option<Expression<'_>> {
    let end = node.token(kind)?.span().end;
    node.children().filter(|child| child.span().start >= end).find_map(Expression::cast)
}

/// The first expression before a token of a kind.
pub(super) fn expression_before(node: Node<'_>, kind: TokenKind) -> Option<Expression<'_>> {
    let start = node.token(kind)?.span().start;
    node.children().filter(|child| child.span().end <= start).find_map(Expression::cast)
}

pub(super) fn property_key(node: Node<'_>) -> Option<PropertyKey<'_>> {
    let colon = node.token(TokenKind::Colon).map_or(usize::MAX, |colon| colon.span().start);
    node.children().filter(|child| child.span().end <= colon).find_map(|child| {
        Name::cast(child)
            .map(PropertyKey::Name)
            .or_else(|| String::cast(child).map(PropertyKey::String))
    })
}
