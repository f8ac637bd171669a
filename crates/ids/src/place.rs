//! Moves a diagnostic's places when a part of a text was read on its own.

use hangar_diag::{Diagnostic, Span};

/// The same diagnostic about a text in which the part that was read begins at byte `by`.
pub(crate) fn moved(mut diagnostic: Diagnostic, by: usize) -> Diagnostic {
    for label in &mut diagnostic.labels {
        label.span = Span::new(label.span.start + by, label.span.end + by);
    }
    diagnostic
}

/// The bytes of one character of a text, for a place which never splits a character.
pub(crate) fn character(at: usize, character: char) -> Span {
    Span::new(at, at + character.len_utf8())
}
