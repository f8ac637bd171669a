//! A bracket that is not closed before the next statement.

use hangar_diag::{Diagnostic, Span};

use super::statement_starts;
use crate::codes;
use crate::syntax::{Dialect, Token, TokenKind, Tree};

pub(super) struct Unclosed {
    pub(super) diagnostic: Diagnostic,
    /// The statement that has it.
    pub(super) statement: Span,
    /// The text with an empty body in the place of what is in the bracket.
    pub(super) mended: String,
}

/// A bracket that is open, and how far its line is indented.
#[derive(Clone, Copy)]
struct Open {
    token: Token,
    indent: usize,
}

/// The first statement whose brackets are open where the next one begins.
pub(super) fn unclosed(tree: &Tree, dialect: Dialect) -> Option<Unclosed> {
    let text = tree.text();
    let starts = statement_starts(tree, dialect);
    let mut open: Vec<Open> = Vec::new();
    // The bracket that a closing one further left shows to be open, and the end of what is in it.
    let mut shown: Option<(Open, usize)> = None;
    let (mut statement, mut last_end) = (0, 0);
    for token in tree.tokens() {
        let start = token.start as usize;
        let is_boundary =
            starts.binary_search(&start).is_ok() || token.kind == TokenKind::EndOfFile;
        if is_boundary {
            if let Some(outer) = open.first() {
                let (inner, end) = shown.unwrap_or((*open.last()?, last_end));
                return report(text, *outer, inner, end, Span::new(statement, start));
            }
            (statement, shown) = (start, None);
        }
        match closing(token.kind) {
            Some(_) => open.push(Open { token: *token, indent: indent(text, start) }),
            None if is_closing(token.kind) => {
                let inner = open.pop()?;
                if closing(inner.token.kind) != Some(token.kind) {
                    // The bracket closes one further out, so the inner one is not closed.
                    let outer = open.first()?;
                    let is_closed = |it: &Open| closing(it.token.kind) == Some(token.kind);
                    if !open.iter().any(is_closed) {
                        return None;
                    }
                    let next = starts.iter().find(|it| **it > start).copied();
                    let statement = Span::new(statement, next.unwrap_or(text.len()));
                    return report(text, *outer, inner, last_end, statement);
                }
                let indent = indent(text, start);
                let begins_line = text[..start].ends_with(' ') || text[..start].ends_with('\n');
                let is_alone = begins_line && text[..start].rsplit('\n').next()?.trim().is_empty();
                if is_alone && indent < inner.indent && shown.is_none() {
                    shown = Some((inner, last_end));
                }
            }
            None => {}
        }
        if token.kind != TokenKind::NewLine {
            last_end = token.end as usize;
        }
    }
    None
}

fn report(text: &str, outer: Open, inner: Open, end: usize, statement: Span) -> Option<Unclosed> {
    let closer = closing(inner.token.kind)?;
    let opened = Span::new(inner.token.start as usize, inner.token.end as usize);
    let diagnostic = Diagnostic::error(codes::EXPECTED_TOKEN, format!("expected {closer} here"))
        .at(Span::new(end, end), "")
        .at(opened, "opened here")
        .hint(format!("close it with {closer}"));
    let mut bytes = text.as_bytes().to_vec();
    let bracket = bytes.get_mut(outer.token.start as usize..statement.end)?;
    let (first, body) = bracket.split_first_mut()?;
    body.fill(b' ');
    if statement.end < text.len() {
        *body.last_mut()? = b'\n';
    }
    match (body, outer.token.kind) {
        // There is no room for a closing bracket, so a number stands for the body.
        ([] | [_], _) => *first = b'0',
        ([closer, ..], TokenKind::LeftParen) => *closer = b')',
        ([closer, ..], TokenKind::LeftSquare) => *closer = b']',
        ([closer, ..], _) => *closer = b'}',
    }
    let mended = String::from_utf8(bytes).ok()?;
    Some(Unclosed {
        diagnostic,
        statement: Span::new(statement.start, statement.end.saturating_sub(1)),
        mended,
    })
}

const fn closing(kind: TokenKind) -> Option<TokenKind> {
    Some(match kind {
        TokenKind::LeftBrace => TokenKind::RightBrace,
        TokenKind::LeftParen => TokenKind::RightParen,
        TokenKind::LeftSquare => TokenKind::RightSquare,
        _ => return None,
    })
}

const fn is_closing(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightSquare)
}

/// How far the line of a byte is indented.
fn indent(text: &str, at: usize) -> usize {
    let line = text[..at].rfind('\n').map_or(0, |it| it + 1);
    text[line..].bytes().take_while(|it| matches!(it, b' ' | b'\t')).count()
}
