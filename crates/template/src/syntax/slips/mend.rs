//! Slips whose meaning is plain: quotes, `=` for `==` or `:`, commas and semicolons at the end of a line.

use hangar_diag::{Diagnostic, Span};

use crate::codes;
use crate::syntax::{TokenKind, Tree};

// What is said of each slip.
const COMMA: &str = "unexpected comma at the end of the line";
const SEMICOLON: &str = "unexpected `;` at the end of the statement";
const QUOTES: &str = "strings must be in single quotes";
const COLON: &str = "a property must be set with `:`";
const COMPARISON: &str = "`=` does not compare values";

/// The text with the first mistake mended, in the same number of bytes, and what is said of it; nothing where it is
/// not plain what was meant.
pub(super) fn mend(text: &str, tree: &Tree, open: &[&Diagnostic]) -> Option<(String, Diagnostic)> {
    let first = open.first()?;
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |it| at + it);
    let end = line_end(first.span()?.start);
    let on_line = || open.iter().filter(move |it| it.span().is_some_and(|it| it.start <= end));
    if let Some(quote) = on_line().find(|it| it.code == codes::DOUBLE_QUOTE) {
        return double_quotes(text, quote);
    }
    // What follows a string that does not end is not what it looks like.
    let is_open_string = |it: &&&Diagnostic| {
        [codes::OPEN_STRING_AT_NEW_LINE, codes::OPEN_STRING_AT_END].contains(&it.code)
    };
    if on_line().any(|it| is_open_string(&it)) {
        return None;
    }
    if first.code == codes::NEW_LINE_AFTER_COMMA {
        let comma = text[..first.span()?.start].rfind(',')?;
        let span = Span::new(comma, comma + 1);
        let diagnostic = Diagnostic::error(first.code, COMMA)
            .at(span, "")
            .hint("remove the comma: items on separate lines do not need one");
        return Some((replaced(text, span, " ")?, diagnostic));
    }
    let text_of = |it: &Diagnostic| it.span().and_then(|span| text.get(span.start..span.end));
    if let Some(semicolon) = on_line().find(|it| text_of(it) == Some(";")) {
        let span = semicolon.span()?;
        let diagnostic =
            Diagnostic::error(semicolon.code, SEMICOLON).at(span, "").hint("remove the `;`");
        return Some((replaced(text, span, " ")?, diagnostic));
    }
    let assign = on_line().find(|it| text_of(it) == Some("="))?;
    equals(text, tree, assign)
}

/// `"x"`: as `'x'`, whose quotes have other bytes of the same number.
fn double_quotes(text: &str, found: &Diagnostic) -> Option<(String, Diagnostic)> {
    let start = found.span()?.start;
    let line = text.get(start..)?.lines().next()?;
    let length = line.get(1..)?.find('"')? + 2;
    let span = Span::new(start, start + length);
    let inner = line[1..length - 1].replace('\'', "_");
    let diagnostic =
        Diagnostic::error(found.code, QUOTES).at(span, "").hint("write `'` instead of `\"`");
    Some((replaced(text, span, &format!("'{inner}'"))?, diagnostic))
}

/// An `=` where none can be: a property wants `:`, a comparison `==`.
fn equals(text: &str, tree: &Tree, found: &Diagnostic) -> Option<(String, Diagnostic)> {
    let span = found.span()?;
    if found.message == format!("expected {} here", TokenKind::Colon) {
        let diagnostic =
            Diagnostic::error(found.code, COLON).at(span, "").hint("write `:` instead of `=`");
        return Some((replaced(text, span, ":")?, diagnostic));
    }
    let at = tree.tokens().iter().position(|it| it.start as usize == span.start)?;
    let is_value = |kind: TokenKind| {
        matches!(
            kind,
            TokenKind::Identifier
                | TokenKind::Number
                | TokenKind::String
                | TokenKind::StringRight
                | TokenKind::RightParen
                | TokenKind::RightSquare
        )
    };
    let before = tree.tokens().get(at.checked_sub(1)?)?.kind;
    if !is_value(before) || !is_first_slip(tree, at) {
        return None;
    }
    let diagnostic = Diagnostic::error(found.code, COMPARISON)
        .at(span, "")
        .hint("write `==` to compare two values");
    let bytes = text.as_bytes();
    // Two bytes where there is room, else any other comparison: the tree is of the same kind.
    let better = if bytes.get(span.end) == Some(&b' ') {
        replaced(text, Span::new(span.start, span.end + 1), "==")
    } else if bytes.get(span.start.checked_sub(1)?) == Some(&b' ') {
        replaced(text, Span::new(span.start - 1, span.end), "==")
    } else {
        replaced(text, span, "<")
    };
    Some((better?, diagnostic))
}

/// Whether the `=` is not the one of a declaration: another stands before it, or a bracket is open there.
fn is_first_slip(tree: &Tree, at: usize) -> bool {
    let line = tree.tokens()[..at].iter().rev().take_while(|it| it.kind != TokenKind::NewLine);
    line.into_iter().any(|it| {
        matches!(
            it.kind,
            TokenKind::Assign | TokenKind::LeftParen | TokenKind::Colon | TokenKind::Arrow
        )
    })
}

/// A text with other bytes in one place, of the same number.
fn replaced(text: &str, span: Span, by: &str) -> Option<String> {
    let old = text.get(span.start..span.end)?;
    (old.len() == by.len()).then(|| format!("{}{by}{}", &text[..span.start], &text[span.end..]))
}
