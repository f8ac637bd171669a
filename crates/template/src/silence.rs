//! Directives in comments that keep a file's warnings quiet. Errors are always told.

use std::collections::BTreeMap;

use hangar_diag::Diagnostic;

use crate::syntax::Tree;
use crate::syntax::ast::{DirectiveKind, directives};

/// Which warnings a file asks not to be told, and where.
#[derive(Debug, Default)]
pub(crate) struct Silence {
    /// By code: the ranges of bytes in which it is quiet.
    ranges: BTreeMap<String, Vec<(usize, usize)>>,
}

impl Silence {
    pub(crate) fn of(tree: &Tree) -> Self {
        let text = tree.text();
        let mut silence = Self::default();
        let mut open: BTreeMap<&str, usize> = BTreeMap::new();
        for directive in directives(tree) {
            let end = directive.span.end;
            for (code, _) in directive.codes {
                match directive.kind {
                    DirectiveKind::DisableNextLine => silence.add(code, next_line(text, end)),
                    DirectiveKind::Disable => {
                        open.entry(code).or_insert(end);
                    }
                    DirectiveKind::Restore => {
                        if let Some(start) = open.remove(code) {
                            silence.add(code, (start, end));
                        }
                    }
                }
            }
        }
        for (code, start) in open {
            silence.add(code, (start, text.len()));
        }
        silence
    }

    fn add(&mut self, code: &str, range: (usize, usize)) {
        self.ranges.entry(code.to_owned()).or_default().push(range);
    }

    /// Whether a diagnostic is one of them.
    pub(crate) fn covers(&self, diagnostic: &Diagnostic) -> bool {
        !diagnostic.is_error() && self.names(diagnostic)
    }

    /// Whether the code of a diagnostic is named for its place, also where it is an error.
    pub(crate) fn names(&self, diagnostic: &Diagnostic) -> bool {
        let Some(span) = diagnostic.span() else { return false };
        let ranges = self.ranges.get(diagnostic.code.as_str());
        ranges.is_some_and(|ranges| {
            ranges.iter().any(|(start, end)| (*start..=*end).contains(&span.start))
        })
    }
}

/// The bytes of the line after the one that `at` is in.
fn next_line(text: &str, at: usize) -> (usize, usize) {
    let start = text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1);
    let end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    (start, end)
}
