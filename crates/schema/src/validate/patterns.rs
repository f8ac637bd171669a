//! The compiled patterns of one validation: a schema repeats a few patterns at many places.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::pattern::{Certainty, Pattern, Verdict};

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

#[derive(Debug, Default)]
pub(super) struct Patterns<'a>(RefCell<HashMap<&'a str, Rc<Pattern>>>);

impl<'a> Patterns<'a> {
    pub(super) fn answer(&self, source: &'a str, text: &str) -> Answer {
        let pattern = self.pattern(source);
        match (pattern.matches(text), pattern.certainty()) {
            (Verdict::Match, _) => Answer::Match,
            (Verdict::Mismatch, Certainty::Checked) => Answer::Mismatch,
            (Verdict::Mismatch, Certainty::Advisory(_)) => Answer::PerhapsMismatch,
            (Verdict::Mismatch, Certainty::Unchecked(_)) | (Verdict::Unknown, _) => Answer::Unknown,
        }
    }

    fn pattern(&self, source: &'a str) -> Rc<Pattern> {
        let mut compiled = self.0.borrow_mut();
        Rc::clone(compiled.entry(source).or_insert_with(|| Rc::new(Pattern::compile(source))))
    }
}
