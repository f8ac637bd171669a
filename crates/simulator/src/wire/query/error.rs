//! Why a call is refused, in AWS's words.

use std::fmt;

use super::call::Service;

/// The namespace of errors that no service has made its own.
const FAULT_NAMESPACE: &str = "http://webservices.amazon.com/AWSFault/2005-15-09";

/// Why a form is no call, or a call has no answer. `Display` is the message that is sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The form cannot be read.
    #[error("The query string contains a syntax error")]
    Malformed,
    /// No action is named.
    #[error("Missing Action")]
    MissingAction,
    /// There is no such action in the version.
    #[error(
        "Could not find operation {action} for version {}",
        version.as_deref().unwrap_or("NO_VERSION_SPECIFIED")
    )]
    InvalidAction {
        /// The action named.
        action: String,
        /// The version named.
        version: Option<String>,
    },
    /// Parameters break their constraints.
    #[error("{}", detected(violations))]
    Invalid {
        /// Whose parameters they are.
        service: Service,
        /// Each of them.
        violations: Vec<Violation>,
    },
    /// The page asked for was never offered.
    #[error("{token} is not a valid NextToken")]
    InvalidToken {
        /// What was given.
        token: String,
    },
    /// It is not said which type is meant.
    #[error("You must specify either TypeName and Type, or Arn")]
    NoType,
    /// The role is none.
    #[error("{arn} is invalid")]
    NoRole {
        /// What was given.
        arn: String,
    },
    /// There is no such type.
    #[error("The type '{name}' cannot be found.")]
    TypeNotFound {
        /// The name or ARN asked for.
        name: String,
    },
    /// The catalog has the type and cannot give it.
    #[error("Internal Failure")]
    Internal,
}

/// A parameter that breaks a constraint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Value {value}at '{path}' failed to satisfy constraint: {constraint}")]
pub struct Violation {
    /// What was given.
    pub value: Given,
    /// Where, `filters.typeNamePrefix`.
    pub path: &'static str,
    /// What it must satisfy.
    pub constraint: String,
}

/// A value that breaks a constraint, as the message tells it: with the space after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// This one.
    Value(String),
    /// None.
    Nothing,
    /// One that is not told.
    Secret,
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => write!(f, "'{value}' "),
            Self::Nothing => f.write_str("null "),
            Self::Secret => Ok(()),
        }
    }
}

impl QueryError {
    /// The code that SDKs make an exception of.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed => "MalformedQueryString",
            Self::MissingAction => "MissingAction",
            Self::InvalidAction { .. } => "InvalidAction",
            Self::Invalid { .. } | Self::InvalidToken { .. } | Self::NoRole { .. } => {
                "ValidationError"
            }
            Self::NoType => "CFNRegistryException",
            Self::TypeNotFound { .. } => "TypeNotFoundException",
            Self::Internal => "InternalFailure",
        }
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            Self::Malformed | Self::TypeNotFound { .. } => 404,
            Self::MissingAction
            | Self::InvalidAction { .. }
            | Self::Invalid { .. }
            | Self::InvalidToken { .. }
            | Self::NoRole { .. }
            | Self::NoType => 400,
            Self::Internal => 500,
        }
    }

    /// The XML namespace: the service's, once it is known which one was called.
    pub fn namespace(&self) -> &'static str {
        match self {
            Self::Malformed | Self::MissingAction | Self::InvalidAction { .. } => FAULT_NAMESPACE,
            Self::Invalid { service, .. } => service.namespace(),
            Self::NoRole { .. } => Service::Sts.namespace(),
            Self::InvalidToken { .. }
            | Self::NoType
            | Self::TypeNotFound { .. }
            | Self::Internal => Service::CloudFormation.namespace(),
        }
    }
}

fn detected(violations: &[Violation]) -> String {
    let plural = if violations.len() == 1 { "" } else { "s" };
    let each: Vec<String> = violations.iter().map(ToString::to_string).collect();
    format!("{} validation error{plural} detected: {}", violations.len(), each.join("; "))
}
