//! A bracket that is not closed before the next statement.

use hangar_diag::{Diagnostic, Span};

use super::statement_starts;
use crate::codes;
use crate::syntax::{Dialect, Parsed, Token, TokenKind, Tree, parse};

pub(super) struct Unclosed {
    pub(super) diagnostic: Diagnostic,
    /// The statement that has it.
    pub(super) statement: Span,
    /// The text with an empty body in the place of what is in the bracket.
    pub(super) mended: String,
    /// The text with the bracket closed where that is missing, if there is room for it.
    with_bracket: Option<String>,
    /// From the bracket to where it should be closed.
    content: Span,
}

/// A text whose bracket was closed.
pub(super) struct Closed {
    pub(super) text: String,
    pub(super) parsed: Parsed,
    /// What is in the bracket, if it cannot be read.
    pub(super) spoiled: Option<Span>,
}

impl Unclosed {
    /// The text with the bracket closed, if its statement can be read then.
    pub(super) fn closed(&self, dialect: Dialect) -> Option<Closed> {
        let text = self.with_bracket.clone()?;
        let parsed = parse(&text, dialect);
        let is_before = |it: &Self| it.statement.start <= self.statement.start;
        if unclosed(&parsed.tree, dialect).as_ref().is_some_and(is_before) {
            return None;
        }
        let starts = parsed.diagnostics.iter().filter_map(Diagnostic::span).map(|it| it.start);
        let in_span = |span: Span| starts.clone().any(|at| span.start <= at && at <= span.end);
        // The mistakes in an object are those of its properties.
        let is_object = text.as_bytes().get(self.content.start) == Some(&b'{');
        let is_content_wrong = !is_object && in_span(self.content);
        let before = Span::new(self.statement.start, self.content.start);
        let after = Span::new(self.content.end + 1, self.statement.end);
        // A bracket in the wrong place makes mistakes around it.
        if in_span(before) || after.start < after.end && in_span(after) {
            return None;
        }
        Some(Closed { text, parsed, spoiled: is_content_wrong.then_some(self.content) })
    }
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
        with_bracket: with_bracket(text, inner, end, statement.end),
        content: Span::new(inner.token.start as usize, end),
    })
}

/// The text with the closing bracket at `end`, in the place of a line break that is not needed, or of a space before
/// the closing bracket of another one.
fn with_bracket(text: &str, opened: Open, end: usize, statement_end: usize) -> Option<String> {
    let bracket = match opened.token.kind {
        TokenKind::LeftBrace => b'}',
        TokenKind::LeftParen => b')',
        TokenKind::LeftSquare => b']',
        _ => return None,
    };
    // What is not indented further may belong to what is around the bracket.
    let mut lines = text.get(opened.token.end as usize..end)?.split('\n').skip(1);
    let is_outside = |line: &str| !line.trim().is_empty() && indent(line, 0) <= opened.indent;
    let is_closed_there = |line: &str| line.trim_start().starts_with(['}', ')', ']']);
    if lines.any(|line| is_outside(line) && !is_closed_there(line)) {
        return None;
    }
    let mut bytes = text.as_bytes().to_vec();
    let rest = text.get(end..statement_end)?;
    let is_last = rest.trim().is_empty();
    let is_line_break_free = if is_last {
        rest.matches('\n').count() > 1 || statement_end == text.len()
    } else {
        rest.trim_start().starts_with(['}', ')', ']'])
    };
    if is_line_break_free && rest.starts_with(['\n', ' ']) {
        *bytes.get_mut(end)? = bracket;
    } else {
        let last = *bytes.get(end.checked_sub(1)?)?;
        let before = bytes.get(end.checked_sub(2)?)?;
        if !matches!(last, b'}' | b')' | b']') || *before != b' ' {
            return None;
        }
        bytes[end - 2] = last;
        bytes[end - 1] = bracket;
    }
    String::from_utf8(bytes).ok()
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
