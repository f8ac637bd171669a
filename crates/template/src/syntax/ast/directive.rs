//! Directives: comments that silence diagnostics.

use hangar_diag::Span;

use crate::syntax::{Tree, TriviaKind};

/// What a directive does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectiveKind {
    /// `#disable-next-line`: silences the line after it.
    DisableNextLine,
    /// `#disable-diagnostics`: silences everything after it.
    Disable,
    /// `#restore-diagnostics`: ends what the former began.
    Restore,
}

/// A directive and the codes that it names.
#[derive(Debug, Clone)]
pub struct Directive<'t> {
    /// What it does.
    pub kind: DirectiveKind,
    /// Where it stands, without a comment after it.
    pub span: Span,
    /// The codes with their places.
    pub codes: Vec<(&'t str, Span)>,
}

/// All directives of a tree in the order of the text.
pub fn directives(tree: &Tree) -> impl Iterator<Item = Directive<'_>> {
    let trivia = tree.trivia().iter().filter(|trivia| trivia.kind == TriviaKind::Directive);
    trivia.filter_map(|trivia| {
        let start = trivia.start as usize;
        let text = tree.text()[start..trivia.end as usize].trim_ascii_end();
        let mut words = text.split_ascii_whitespace();
        let kind = match words.next()? {
            "#disable-next-line" => DirectiveKind::DisableNextLine,
            "#disable-diagnostics" => DirectiveKind::Disable,
            _ => DirectiveKind::Restore,
        };
        let codes = words.map(|word| (word, place_in(text, word, start))).collect();
        Some(Directive { kind, span: Span::new(start, start + text.len()), codes })
    })
}

/// Where a slice of `text`, which stands at `start`, is in the whole.
fn place_in(text: &str, word: &str, start: usize) -> Span {
    let offset = word.as_ptr() as usize - text.as_ptr() as usize;
    Span::new(start + offset, start + offset + word.len())
}
