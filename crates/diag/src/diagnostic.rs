//! The diagnostic itself and the parts it is made of.

use std::fmt;

/// A stable name for one kind of mistake: an area and four digits, never re-used (`ID0003`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(&'static str);

impl Code {
    /// Declares a code. Each crate lists its own in one file and `docs/errors.md` explains them.
    pub const fn new(code: &'static str) -> Self {
        Self(code)
    }

    /// The code as it is printed.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// How much a diagnostic matters: only an error stops the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The input is wrong and cannot be used.
    Error,
    /// The input may be wrong; the work goes on.
    Warning,
}

impl Severity {
    /// The word printed before the code.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A half-open range of bytes in the text that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A range of bytes; a reversed range becomes empty at `start`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end: if end < start { start } else { end } }
    }

    /// The single byte at `at`.
    pub const fn byte(at: usize) -> Self {
        Self { start: at, end: at + 1 }
    }
}

/// A place in the text with a few words on what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there; may be empty.
    pub text: String,
}

/// Why something has no value, where one reason may hold in many places: diagnostics with the same code and key can be
/// shown as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// Equal for the same cause.
    pub key: String,
    /// The reason without its place.
    pub message: String,
    /// The reason in words that hold in every place with this key.
    pub general: String,
    /// What differs between the places with this key, such as a name.
    pub detail: Option<String>,
    /// The place, for people.
    pub place: String,
}

/// One thing to tell the user: what happened, to what, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which kind of mistake.
    pub code: Code,
    /// Whether it stops the work.
    pub severity: Severity,
    /// One clause, lower case, no full stop.
    pub message: String,
    /// Places in the text, the main one first.
    pub labels: Vec<Label>,
    /// The JSON pointer (RFC 6901) of the value it speaks of, when it speaks of one.
    pub pointer: Option<String>,
    /// What to do next.
    pub hints: Vec<String>,
    /// The cause, if other diagnostics may have the same one.
    pub cause: Option<Box<Cause>>,
}

impl Diagnostic {
    /// An error with no place yet.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning with no place yet.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    fn new(severity: Severity, code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            labels: Vec::new(),
            pointer: None,
            hints: Vec::new(),
            cause: None,
        }
    }

    /// Adds a place in the text.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Names the value by its JSON pointer.
    #[must_use]
    pub fn pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Names the cause that other diagnostics may share.
    #[must_use]
    pub fn because(mut self, cause: Cause) -> Self {
        self.cause = Some(Box::new(cause));
        self
    }

    /// Whether both have the same cause.
    pub fn shares_cause_with(&self, other: &Self) -> bool {
        let key = |it: &Self| it.cause.as_ref().map(|cause| (it.code, cause.key.clone()));
        key(self).is_some() && key(self) == key(other)
    }

    /// Whether this stops the work.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The main place, if it has one.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity.as_str(), self.code, self.message)
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reversed_span_is_empty() {
        assert_eq!(Span::new(5, 2), Span { start: 5, end: 5 });
    }

    #[test]
    fn display_is_one_line_with_severity_and_code() {
        let diagnostic = Diagnostic::warning(Code::new("ID0001"), "odd").at(Span::byte(3), "here");
        assert_eq!(diagnostic.to_string(), "warning[ID0001]: odd");
        assert_eq!(diagnostic.span(), Some(Span { start: 3, end: 4 }));
    }
}
