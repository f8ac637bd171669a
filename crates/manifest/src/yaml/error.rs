//! Why a text cannot be read as YAML, and what to do next.

use granit_parser::{ErrorKind, Options, ScanError};
use hangar_diag::{Code, Diagnostic, Span};

use super::codes;

/// How deep a text may be nested: more than anybody writes, and far from any stack's end.
pub(crate) const MAX_DEPTH: usize = 200;

/// Why a text is not YAML that can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum YamlError {
    /// The text breaks a rule of YAML.
    #[error("the text is not YAML: {reason}")]
    Syntax {
        /// Which rule.
        reason: String,
        /// Where that was seen.
        span: Span,
        /// What to do next.
        hint: &'static str,
    },
    /// `[${…}]`: inside `[]` and `{}` a `{` begins a map.
    #[error(
        "`${{` is not quoted inside `[…]` or `{{…}}`, where YAML reads `{{` as the start of a map"
    )]
    Unquoted {
        /// The `${`.
        span: Span,
    },
    /// Maps in lists in maps, and so on.
    #[error("the text is nested more than {MAX_DEPTH} levels deep")]
    TooDeep {
        /// The first place that is too deep.
        span: Span,
    },
}

impl YamlError {
    /// The code of this kind of error.
    pub fn code(&self) -> Code {
        match self {
            Self::Syntax { .. } => codes::NOT_YAML,
            Self::Unquoted { .. } => codes::UNQUOTED,
            Self::TooDeep { .. } => codes::TOO_DEEP,
        }
    }

    /// Where it was seen.
    pub fn span(&self) -> Span {
        match self {
            Self::Syntax { span, .. } | Self::Unquoted { span } | Self::TooDeep { span } => *span,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Syntax { hint, .. } => hint,
            Self::Unquoted { .. } => "quote it: `[\"${…}\"]`",
            Self::TooDeep { .. } => "reduce the nesting, or exclude this file",
        }
    }

    /// The error as people are told of it.
    pub fn diagnostic(&self) -> Diagnostic {
        let label = match self {
            Self::Syntax { .. } => "here",
            Self::Unquoted { .. } => "quote this",
            Self::TooDeep { .. } => "too deep",
        };
        Diagnostic::error(self.code(), self.to_string()).at(self.span(), label).hint(self.hint())
    }
}

/// How every text of ours is read.
pub(crate) fn options() -> Options {
    let mut options = Options::default();
    options.emit_comments = false;
    options.flow_nesting_limit = MAX_DEPTH;
    options.block_nesting_limit = MAX_DEPTH;
    options
}

/// What the parser refused, in our words where people meet it often.
pub(crate) fn syntax(error: &ScanError, text: &str) -> YamlError {
    let mut at = error.marker().byte_offset().unwrap_or(0).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let length = text[at..].chars().next().filter(|c| !c.is_control()).map_or(0, char::len_utf8);
    let span = Span::new(at, at + length);
    if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
        return YamlError::TooDeep { span };
    }
    if text[at..].starts_with('{') && text[..at].ends_with('$') {
        return YamlError::Unquoted { span: Span::new(at - 1, at + 1) };
    }
    let line = text[text[..at].rfind('\n').map_or(0, |end| end + 1)..].lines().next().unwrap_or("");
    let (reason, hint) = match error.kind() {
        ErrorKind::UnexpectedCharacter { character: '\0' } => (
            "it contains a NUL character".to_owned(),
            "the file may be binary or UTF-16; save it as UTF-8",
        ),
        ErrorKind::UnknownAnchor => (
            "an alias refers to an anchor that does not exist".to_owned(),
            "define the anchor (`&name`) before the alias, or quote the text if it is not an alias",
        ),
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart => {
            ("a tab is used where only spaces are allowed".to_owned(), "indent with spaces")
        }
        kind => (kind.to_string(), "fix the syntax there, or quote the value if it is a string"),
    };
    let hint = if line.contains("{{") {
        "this looks like a Helm template; pass the output of `helm template`"
    } else {
        hint
    };
    YamlError::Syntax { reason, span, hint }
}
