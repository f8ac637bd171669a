//! Which name of an id is written how, and what it may not be.

use hangar_diag::{Diagnostic, Span};

use super::Case;
use super::segment::folded;
use crate::codes;
use crate::encoding::{encode_identifier, encode_name};

/// How a word of an id is written and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// A scope, a type, an alias, an Azure or Kubernetes name: no slash, any case.
    Plain,
    /// The identifier of an AWS resource: any text but NUL, its case counts.
    Identifier,
}

impl Rule {
    pub(super) fn encode(self, name: &str, case: Case) -> String {
        match self {
            Self::Plain => encode_name(&folded(name, case)),
            Self::Identifier => encode_identifier(name),
        }
    }

    /// Checks a decoded word; what it finds has no place yet.
    pub(super) fn check(self, text: &str) -> Result<(), Flaw> {
        if text.is_empty() {
            return Err(Flaw::Empty);
        }
        if let Some(at) = text.find('\0') {
            return Err(Flaw::Nul { at });
        }
        if self == Self::Identifier {
            return Ok(());
        }
        if let Some(at) = text.find('/') {
            return Err(Flaw::Slash { at });
        }
        if matches!(text, "." | "..") {
            return Err(Flaw::Dots);
        }
        if text.starts_with(':') {
            return Err(Flaw::Action);
        }
        Ok(())
    }
}

/// Why a word cannot be part of an id; `at` is a byte of the decoded word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    Empty,
    Nul { at: usize },
    Slash { at: usize },
    Dots,
    Action,
}

impl Flaw {
    /// The diagnostic of a decoded word which is about to be appended.
    pub(super) fn in_word(self, word: &str) -> Diagnostic {
        let span = match self {
            Self::Nul { at } | Self::Slash { at } => Span::byte(at),
            Self::Action => Span::byte(0),
            Self::Empty | Self::Dots => Span::new(0, word.len()),
        };
        self.diagnostic(word, span)
    }

    pub(super) fn diagnostic(self, word: &str, span: Span) -> Diagnostic {
        match self {
            Self::Empty => Diagnostic::error(codes::EMPTY_SEGMENT, "a segment of the id is empty")
                .at(span, "the segment is empty here")
                .hint("remove the extra `/`, or write the missing name"),
            Self::Nul { .. } => {
                Diagnostic::error(codes::CONTROL_CHARACTER, "the name contains a NUL character")
                    .at(span, "NUL")
                    .hint("remove the NUL character: names cannot contain it")
            }
            Self::Slash { .. } => Diagnostic::error(
                codes::SLASH_IN_NAME,
                format!("`{word}` contains a slash, which only an AWS identifier can contain"),
            )
            .at(span, "a slash inside a name")
            .hint("choose a name without `/`; aliases, scopes and types cannot contain one"),
            Self::Dots => Diagnostic::error(
                codes::DOT_SEGMENT,
                format!("`{word}` cannot be a segment of an id"),
            )
            .at(span, "a relative segment")
            .hint("write the full id; write the AWS identifier `.` as `%2E` and `..` as `%2E%2E`"),
            Self::Action => Diagnostic::error(
                codes::ACTION,
                format!("`{word}` is an action, not part of an id"),
            )
            .at(span, "starts like an action")
            .hint("remove the action; write `%3A` for a `:` at the start of an AWS identifier"),
        }
    }
}
