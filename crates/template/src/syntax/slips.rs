//! One message per slip: a text is read with each mistake of its syntax mended, so that none hides or makes another.
//!
//! [`parse`](super::parse) reports as Bicep's compiler does, which is several messages for `"x"` or a missing
//! `}`. Here the first mistake is reported alone and its text is replaced by one of the same length that can be
//! read; then the text is parsed again. What cannot be mended spoils the property that it is in, or else its statement:
//! nothing else is reported there. Every place stays what it was, for no byte moves.

mod brackets;
mod mend;
mod property;

use hangar_diag::{Diagnostic, Span};

use super::{Dialect, Parsed, TokenKind, Tree, parse};
use crate::codes;
use crate::near::near;
use crate::other_language::OtherLanguage;

/// A text that was read, with one message per slip.
#[derive(Debug, Clone)]
pub(crate) struct Mended {
    /// The tree of the mended text, and what is wrong with the text as it was.
    pub(crate) parsed: Parsed,
    /// What could not be read.
    pub(crate) spoiled: Vec<Spoiled>,
    /// Mistakes that hide nothing: the rest was read as it was meant.
    repaired: Vec<Diagnostic>,
}

/// A statement, or a property in it, that could not be read.
#[derive(Debug, Clone)]
pub(crate) struct Spoiled {
    pub(crate) span: Span,
    /// The statement that it is, or is in.
    pub(crate) statement: Span,
    /// What it would have declared.
    name: Option<String>,
}

/// How many mistakes are mended: whoever has more has another file in mind.
const MOST_MENDED: usize = 50;

/// Reads a text.
pub(crate) fn parse_mended(text: &str, dialect: Dialect) -> Mended {
    let mut parsed = parse(text, dialect);
    if !parsed.diagnostics.is_empty()
        && let Some(language) = OtherLanguage::of(text)
    {
        parsed.diagnostics = vec![language.diagnostic()];
        let span = Span::new(0, text.len());
        let spoiled = vec![Spoiled { span, statement: span, name: None }];
        return Mended { parsed, spoiled, repaired: Vec::new() };
    }
    let mut repaired: Vec<Diagnostic> = Vec::new();
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut spoiled: Vec<Spoiled> = Vec::new();
    let mut mended = text.to_owned();
    while found.len() < MOST_MENDED {
        let is_open = |it: &&Diagnostic| !spoiled.iter().any(|around| around.holds(it));
        let open: Vec<&Diagnostic> = parsed.diagnostics.iter().filter(is_open).collect();
        let Some(first) = open.first() else { break };
        if let Some((better, diagnostic)) = mend::mend(&mended, &parsed.tree, &open) {
            repaired.push(diagnostic.clone());
            found.push(diagnostic);
            mended = better;
            parsed = parse(&mended, dialect);
            continue;
        }
        if let Some(bracket) = brackets::unclosed(&parsed.tree, dialect)
            && !spoiled.iter().any(|it| it.span == bracket.statement)
        {
            if let Some(closed) = bracket.closed(dialect) {
                match closed.spoiled {
                    Some(span) => {
                        let statement = bracket.statement;
                        spoiled.push(Spoiled { span, statement, name: None });
                    }
                    None => repaired.push(bracket.diagnostic.clone()),
                }
                found.push(bracket.diagnostic);
                (mended, parsed) = (closed.text, closed.parsed);
                continue;
            }
            spoiled.push(Spoiled::of(&mended, bracket.statement));
            found.push(bracket.diagnostic);
            mended = bracket.mended;
            parsed = parse(&mended, dialect);
            continue;
        }
        let statement = statement_of(&parsed.tree, dialect, first);
        found.push(with_keyword(first, &mended, dialect));
        spoiled.push(match property::around(&parsed.tree, statement, first) {
            Some(span) => Spoiled { span, statement, name: None },
            None => Spoiled::of(&mended, statement),
        });
    }
    found.sort_by_key(|it| it.span().map(|span| (span.start, span.end)));
    parsed.diagnostics = found;
    Mended { parsed, spoiled, repaired }
}

impl Mended {
    /// A text as it is, with every message.
    pub(crate) fn unmended(text: &str, dialect: Dialect) -> Self {
        Self { parsed: parse(text, dialect), spoiled: Vec::new(), repaired: Vec::new() }
    }

    /// Whether the rest of the text was read as it was meant in spite of a mistake.
    pub(crate) fn is_repaired(&self, diagnostic: &Diagnostic) -> bool {
        self.repaired.contains(diagnostic)
    }

    /// The statements and properties that could not be read.
    pub(crate) fn unreadable(&self) -> impl Iterator<Item = Span> {
        self.spoiled.iter().map(|it| it.span)
    }

    /// Whether a mistake that was found later follows from the syntax: it is in a part that could not be read, or
    /// misses a name that such a one would have declared.
    pub(crate) fn explains(&self, diagnostic: &Diagnostic) -> bool {
        let is_name = [codes::UNDECLARED, codes::UNDECLARED_NEAR].contains(&diagnostic.code);
        self.spoiled.iter().any(|around| {
            let name = around.name.as_ref().filter(|_| is_name);
            around.holds(diagnostic)
                || name.is_some_and(|name| diagnostic.message.contains(&format!("`{name}`")))
        })
    }
}

impl Spoiled {
    fn of(text: &str, span: Span) -> Self {
        let statement = text.get(span.start..span.end).unwrap_or_default();
        let mut words =
            statement.lines().find(|it| !it.starts_with('@')).unwrap_or_default().split(' ');
        let name = words.nth(1).map(|it| it.trim_end_matches([':', '=']).to_owned());
        Self { span, statement: span, name: name.filter(|it| !it.is_empty()) }
    }

    fn holds(&self, diagnostic: &Diagnostic) -> bool {
        let span = self.span;
        diagnostic.span().is_some_and(|it| span.start <= it.start && it.start <= span.end)
    }
}

/// The words that statements begin with.
fn keywords(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Template => &[
            "param",
            "var",
            "resource",
            "module",
            "output",
            "type",
            "func",
            "import",
            "extension",
            "provider",
            "metadata",
            "assert",
            "test",
            "targetScope",
        ],
        Dialect::Parameters => {
            &["using", "extends", "param", "var", "type", "func", "import", "extensionConfig"]
        }
    }
}

/// Where statements begin: at the start of a line, with a keyword and what follows one, or with a decorator.
fn statement_starts(tree: &Tree, dialect: Dialect) -> Vec<usize> {
    let (text, tokens) = (tree.text(), tree.tokens());
    let keywords = keywords(dialect);
    let mut starts: Vec<usize> = Vec::new();
    let mut decorated = false;
    for (at, token) in tokens.iter().enumerate() {
        let start = token.start as usize;
        let begins_line = start == 0 || text.as_bytes()[start - 1] == b'\n';
        if !begins_line || at > 0 && tokens[at - 1].kind != TokenKind::NewLine {
            continue;
        }
        let next = tokens.get(at + 1).map_or(TokenKind::EndOfFile, |it| it.kind);
        let is_statement = match token.kind {
            TokenKind::At => true,
            TokenKind::Identifier => {
                keywords.contains(&&text[start..token.end as usize])
                    && matches!(
                        next,
                        TokenKind::Identifier
                            | TokenKind::String
                            | TokenKind::LeftBrace
                            | TokenKind::Star
                            | TokenKind::Assign
                    )
            }
            _ => false,
        };
        if is_statement {
            // A decorator and what it is for are one statement.
            if !decorated {
                starts.push(start);
            }
            decorated = token.kind == TokenKind::At;
        }
    }
    starts
}

/// The statement that a mistake is in.
fn statement_of(tree: &Tree, dialect: Dialect, found: &Diagnostic) -> Span {
    let at = found.span().map_or(0, |span| span.start);
    let starts = statement_starts(tree, dialect);
    let before = starts.iter().rev().find(|it| **it <= at).copied().unwrap_or(0);
    let end = starts.iter().find(|it| **it > at).map_or(tree.text().len(), |it| it - 1);
    let is_unknown = found.code == codes::UNKNOWN_STATEMENT;
    Span::new(if is_unknown { at } else { before }, end)
}

/// With the keyword that was perhaps meant.
fn with_keyword(found: &Diagnostic, text: &str, dialect: Dialect) -> Diagnostic {
    let mut found = found.clone();
    let word = found.span().and_then(|span| text.get(span.start..span.end)).unwrap_or_default();
    if ![codes::UNKNOWN_STATEMENT, codes::NOT_IN_PARAMETERS_FILE].contains(&found.code) {
        return found;
    }
    match near(word, keywords(dialect).iter().copied()) {
        Some(keyword) => {
            found.hints = vec![format!("did you mean `{keyword}`?")];
            found
        }
        None => found,
    }
}

#[cfg(test)]
mod tests;
