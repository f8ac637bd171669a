//! What the patterns of a type say of the texts in a document.

use crate::pattern::{Certainty, Kept, Verdict};

/// What a pattern says of a text, with the certainty of the pattern folded in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Match,
    /// AWS would say the same.
    Mismatch,
    /// Here it does not match; AWS may read the pattern otherwise.
    PerhapsMismatch,
    Unknown,
}

#[derive(Debug)]
pub(super) struct Patterns<'a>(pub(super) &'a Kept);

impl Patterns<'_> {
    pub(super) fn answer(&self, source: &str, text: &str) -> Answer {
        let pattern = self.0.pattern(source);
        match (pattern.matches(text), pattern.certainty()) {
            (Verdict::Match, _) => Answer::Match,
            (Verdict::Mismatch, Certainty::Checked) => Answer::Mismatch,
            (Verdict::Mismatch, Certainty::Advisory(_)) => Answer::PerhapsMismatch,
            (Verdict::Mismatch, Certainty::Unchecked(_)) | (Verdict::Unknown, _) => Answer::Unknown,
        }
    }
}
