//! Why a text is no template, and what to do next.

use hangar_diag::{Code, Diagnostic, Span};

use crate::yaml::{YamlError, codes};

/// Why a text cannot be read as a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateTextError {
    /// It is not even YAML.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// Nothing, only space, or only comments.
    #[error("the template is empty")]
    Empty,
    /// A list or one value.
    #[error("the template is not a map")]
    NotMap,
    /// `---` between two of them.
    #[error("the template contains more than one YAML document")]
    Many {
        /// Where the second one begins.
        span: Span,
    },
    /// Two members of one name.
    #[error("the key `{key}` appears twice in the same map")]
    KeyTwice {
        /// The key.
        key: String,
        /// The second one.
        span: Span,
    },
    /// A list, a map or a function as a key.
    #[error("a key of the template is not a string")]
    Key {
        /// The key.
        span: Span,
    },
    /// `<<`, which `CloudFormation` does not have.
    #[error("CloudFormation does not support the merge key `<<`")]
    MergeKey {
        /// The key.
        span: Span,
    },
    /// A tag that names no function.
    #[error("the tag `{tag}` is not a CloudFormation function")]
    Tag {
        /// The tag as it is written.
        tag: String,
        /// What it stands on.
        span: Span,
    },
    /// `&a [*a]`.
    #[error("an alias refers to a value that contains the alias itself")]
    AliasOfItself {
        /// The alias.
        span: Span,
    },
    /// Too much, by itself or because aliases repeat it.
    #[error("the template is too large once its aliases are expanded")]
    TooLarge {
        /// Where it became so.
        span: Span,
    },
}

impl TemplateTextError {
    /// The code of this kind of error.
    pub fn code(&self) -> Code {
        match self {
            Self::Yaml(error) => error.code(),
            Self::Empty => codes::TEMPLATE_EMPTY,
            Self::NotMap => codes::TEMPLATE_NOT_MAP,
            Self::Many { .. } => codes::TEMPLATE_MANY,
            Self::KeyTwice { .. } => codes::TEMPLATE_KEY_TWICE,
            Self::Key { .. } | Self::MergeKey { .. } => codes::TEMPLATE_KEY,
            Self::Tag { .. } => codes::TEMPLATE_TAG,
            Self::AliasOfItself { .. } => codes::TEMPLATE_ALIAS,
            Self::TooLarge { .. } => codes::TEMPLATE_LARGE,
        }
    }

    /// Where it was seen, where it has one place.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Yaml(error) => Some(error.span()),
            Self::Empty | Self::NotMap => None,
            Self::Many { span }
            | Self::KeyTwice { span, .. }
            | Self::Key { span }
            | Self::MergeKey { span }
            | Self::Tag { span, .. }
            | Self::AliasOfItself { span }
            | Self::TooLarge { span } => Some(*span),
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Yaml(error) => error.hint(),
            Self::Empty | Self::NotMap => "pass a CloudFormation template: a map with `Resources`",
            Self::Many { .. } => "put each template into its own file",
            Self::KeyTwice { .. } => "remove one of them",
            Self::Key { .. } => "write the key as a string",
            Self::MergeKey { .. } => "write out the merged members",
            Self::Tag { .. } => "write the function in its long form, or remove the tag",
            Self::AliasOfItself { .. } => "write out the value instead of the alias",
            Self::TooLarge { .. } => "split the template, or use fewer aliases",
        }
    }

    /// The error as people are told of it.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code(), self.to_string()).hint(self.hint());
        match self.span() {
            Some(span) => diagnostic.at(span, "here"),
            None => diagnostic,
        }
    }
}
