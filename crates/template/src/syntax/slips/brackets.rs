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
                    return None;
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
    let from = outer.token.end as usize;
    let closer = match outer.token.kind {
        TokenKind::LeftParen => b')',
        TokenKind::LeftSquare => b']',
        _ => b'}',
    };
    let mut bytes = text.as_bytes().to_vec();
    let body = bytes.get_mut(from..statement.end)?;
    body.fill(b' ');
    if let Some(first) = body.first_mut() {
        *first = closer;
    }
    if body.len() > 1 && statement.end < text.len() {
        *body.last_mut()? = b'\n';
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
