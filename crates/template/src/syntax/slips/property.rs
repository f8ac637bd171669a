//! The property that a mistake is in, if the rest of its statement can be read.

use hangar_diag::{Diagnostic, Span};

use crate::syntax::{NodeKind, TokenKind, Tree};

/// The innermost property around a mistake. Nothing if the mistake is in no property, or if the brackets of the
/// statement do not match: then it is not known where the property ends.
pub(super) fn around(tree: &Tree, statement: Span, mistake: &Diagnostic) -> Option<Span> {
    let place = mistake.span()?;
    if !has_matching_brackets(tree, statement) {
        return None;
    }
    let mut node = tree.root();
    let mut found = None;
    // The parser follows a limited depth, so this ends.
    loop {
        let holds = |span: Span| {
            span.start <= place.start && place.start <= end_of_line_after(tree.text(), span.end)
        };
        let children: Vec<_> = node.children().filter(|child| holds(child.span())).collect();
        let Some(child) = children.last() else { break };
        match child.kind() {
            NodeKind::Error => break,
            NodeKind::Property | NodeKind::TypeProperty => {
                let span = child.span();
                found = Some(Span::new(span.start, span.end.max(place.end)));
            }
            _ => {}
        }
        node = *child;
    }
    found
}

/// The end of the line of a place if only spaces follow, else the place.
fn end_of_line_after(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    if line.trim().is_empty() { at + line.len() } else { at }
}

/// Whether each bracket of a statement is closed by its own kind.
fn has_matching_brackets(tree: &Tree, statement: Span) -> bool {
    let mut open = Vec::new();
    for token in tree.tokens() {
        let start = token.start as usize;
        if start < statement.start || start >= statement.end {
            continue;
        }
        match token.kind {
            TokenKind::LeftBrace => open.push(TokenKind::RightBrace),
            TokenKind::LeftParen => open.push(TokenKind::RightParen),
            TokenKind::LeftSquare => open.push(TokenKind::RightSquare),
            TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightSquare
                if open.pop() != Some(token.kind) =>
            {
                return false;
            }
            _ => {}
        }
    }
    open.is_empty()
}
