//! Why a text is no expression, and why an expression has no value.

use hangar_diag::{Code, Diagnostic, Span, nearest};
use thiserror::Error;

use super::function;
use super::parse::DEEPEST;
use crate::deployed::{LookupError, Names, codes};

/// Why a text is no expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the expression cannot be read: {reason}")]
pub struct HclError {
    /// What is wrong.
    pub reason: Reason,
    /// Where, in bytes of the text.
    pub span: Span,
}

/// What is wrong with a text that should be an expression.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Reason {
    /// It is not written as one.
    #[error("{0}")]
    Syntax(String),
    /// `<<EOT`, which stands in files and not in references.
    #[error("heredocs (`<<`) are not supported here")]
    Heredoc,
    /// Brackets, calls or templates inside of each other without end.
    #[error("it is nested more than {DEEPEST} levels deep")]
    TooDeep,
    /// A text that nobody wrote.
    #[error("it has {bytes} bytes; the maximum is {most}")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// A number of very many digits.
    #[error("the number has too many digits")]
    NumberTooLong,
}

impl HclError {
    /// The code of this kind of error.
    pub fn code(&self) -> Code {
        match self.reason {
            Reason::Syntax(_) => codes::SYNTAX,
            Reason::Heredoc => codes::HEREDOC,
            Reason::TooDeep | Reason::TooLong { .. } | Reason::NumberTooLong => codes::TOO_LARGE,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self.reason {
            Reason::Syntax(_) => "write it as in a Terraform configuration: `${aws_vpc.main.id}`",
            Reason::Heredoc => "write the string in quotes, with `\\n` for each line break",
            Reason::TooDeep | Reason::TooLong { .. } | Reason::NumberTooLong => {
                "declare an output with this expression, and refer to the output"
            }
        }
    }

    /// The error as people are told of it, with its place in the text.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error(self.code(), self.to_string()).at(self.span, "here").hint(self.hint())
    }
}

/// Why an expression has no value. No message shows one: what went wrong may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EvaluateError {
    /// No function has this name.
    #[error("there is no function `{name}`{}", did_you_mean(name))]
    UnknownFunction {
        /// What was called.
        name: String,
        /// Where.
        span: Span,
    },
    /// A function of Terraform that is not computed here.
    #[error("the function `{name}` is not supported: {why}")]
    RefusedFunction {
        /// What was called.
        name: String,
        /// Why not.
        why: &'static str,
        /// Where.
        span: Span,
    },
    /// A function was given what it does not take.
    #[error("`{function}`: {problem}")]
    Arguments {
        /// What was called.
        function: String,
        /// What is wrong.
        problem: String,
        /// Where.
        span: Span,
    },
    /// An operator, a template or a key got what it cannot be used with.
    #[error("{problem}")]
    Operation {
        /// What is wrong.
        problem: String,
        /// Where.
        span: Span,
    },
    /// An object has no member of this name.
    #[error("the object has no `{asked}`{}", there.told_for(asked))]
    NoMember {
        /// What was asked for.
        asked: String,
        /// What is there.
        there: Names,
        /// Where.
        span: Span,
    },
    /// The value would be too large, or takes too long.
    #[error("the expression needs more steps or memory than allowed")]
    TooMuch {
        /// Where that was seen.
        span: Span,
    },
    /// What is referred to is not there.
    #[error("{error}")]
    Lookup {
        /// What is missing.
        error: LookupError,
        /// Where.
        span: Span,
    },
}

impl EvaluateError {
    /// The code of this kind of error.
    pub fn code(&self) -> Code {
        match self {
            Self::UnknownFunction { .. } => codes::UNKNOWN_FUNCTION,
            Self::RefusedFunction { .. } => codes::REFUSED_FUNCTION,
            Self::Arguments { .. } => codes::ARGUMENTS,
            Self::Operation { .. } | Self::NoMember { .. } => codes::OPERATION,
            Self::TooMuch { .. } => codes::TOO_MUCH,
            Self::Lookup { error, .. } => error.code(),
        }
    }

    /// Where in the text of the expression.
    pub fn span(&self) -> Span {
        match self {
            Self::UnknownFunction { span, .. }
            | Self::RefusedFunction { span, .. }
            | Self::Arguments { span, .. }
            | Self::Operation { span, .. }
            | Self::NoMember { span, .. }
            | Self::TooMuch { span }
            | Self::Lookup { span, .. } => *span,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownFunction { .. } => {
                format!("the functions are {}", function::names().collect::<Vec<_>>().join(", "))
            }
            Self::RefusedFunction { .. } | Self::TooMuch { .. } => {
                "declare an output with this expression, apply, and refer to the output".to_owned()
            }
            Self::Arguments { .. } | Self::Operation { .. } | Self::NoMember { .. } => {
                "check the values of the expression in the state: `terraform state show ADDRESS`"
                    .to_owned()
            }
            Self::Lookup { error, .. } => error.hint(),
        }
    }

    /// The error as people are told of it, with its place in the text.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error(self.code(), self.to_string()).at(self.span(), "here").hint(self.hint())
    }

    /// Whether `try` and `can` pass over it. What was never deployed, what is no expression and what
    /// takes too long are told in any case.
    pub(super) fn is_soft(&self) -> bool {
        match self {
            Self::Arguments { .. } | Self::Operation { .. } | Self::NoMember { .. } => true,
            Self::Lookup { error, .. } => error.is_soft(),
            Self::UnknownFunction { .. } | Self::RefusedFunction { .. } | Self::TooMuch { .. } => {
                false
            }
        }
    }
}

fn did_you_mean(name: &str) -> String {
    match nearest(name, function::names()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    }
}
