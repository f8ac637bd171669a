//! Text that remembers which of its parts the schema wrote and which the document gave.
//!
//! A result may be a regular expression. What the schema wrote is one; a name or an ARN that the
//! user gave is not, though it may hold dots.

use std::ops::Range;

#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    parts: Vec<Part>,
    /// Invariant: the sum of the parts' lengths.
    length: usize,
}

#[derive(Debug, Clone)]
struct Part {
    text: String,
    origin: Origin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A literal of the expression.
    Written,
    /// A value of the document.
    Given,
}

/// A longer text is not made: nothing that long is a property.
const MAX_LENGTH: usize = 1 << 20;

impl Text {
    pub(super) fn written(text: &str) -> Self {
        Self::of(text.to_owned(), Origin::Written)
    }

    pub(super) fn given(text: impl Into<String>) -> Self {
        Self::of(text.into(), Origin::Given)
    }

    fn of(text: String, origin: Origin) -> Self {
        Self { length: text.len(), parts: vec![Part { text, origin }] }
    }

    /// The text itself.
    pub(super) fn flat(&self) -> String {
        self.parts.iter().map(|part| part.text.as_str()).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// The regular expression that it is, when the schema wrote some of it as one.
    ///
    /// A written dot alone does not make one: `$join([Name, "."])` is a domain name.
    pub(super) fn pattern(&self) -> Option<String> {
        let is_expression = self.parts.iter().any(|part| {
            part.origin == Origin::Written && part.text.contains(|c| r"\*+?()|[]{}^$".contains(c))
        });
        is_expression.then(|| {
            let mut pattern = String::with_capacity(self.len());
            for part in &self.parts {
                match part.origin {
                    Origin::Written => pattern.push_str(&part.text),
                    Origin::Given => escape(&part.text, &mut pattern),
                }
            }
            pattern
        })
    }

    /// Adds a text behind this one; `None` when that becomes too long.
    pub(super) fn push(&mut self, other: Self) -> Option<()> {
        if self.length + other.length > MAX_LENGTH {
            return None;
        }
        self.length += other.length;
        self.parts.extend(other.parts);
        Some(())
    }

    /// The part of the text in a range of bytes; what does not lie on characters is left out.
    pub(super) fn slice(&self, range: Range<usize>) -> Self {
        let mut slice = Self::default();
        let mut start = 0;
        for part in &self.parts {
            let end = start + part.text.len();
            let from = range.start.clamp(start, end) - start;
            let to = range.end.clamp(start, end) - start;
            if let Some(text) = part.text.get(from..to).filter(|text| !text.is_empty()) {
                slice.length += text.len();
                slice.parts.push(Part { text: text.to_owned(), origin: part.origin });
            }
            start = end;
        }
        slice
    }

    /// The text with its case changed. An expression does not survive that: `\S` is not `\s`.
    pub(super) fn recased(&self, change: impl Fn(&str) -> String) -> Self {
        Self::given(change(&self.flat()))
    }
}

/// Writes a text so that it stands for itself in a regular expression.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(c);
    }
}
