//! Why a call came to nothing.

use crate::source::Problem;

/// Why a call came to nothing. It never holds the text of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The call itself is wrong.
    Wrong {
        /// The argument to point at, from 0; nothing for the call as a whole.
        argument: Option<usize>,
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// Something inside of a lambda is wrong, and has its own place.
    Inner(Vec<Problem>),
}

impl Fault {
    /// The call as a whole is wrong.
    pub fn call(message: impl Into<String>) -> Self {
        Self::Wrong { argument: None, message: message.into(), hint: None }
    }

    /// One argument is wrong.
    pub fn argument(index: usize, message: impl Into<String>) -> Self {
        Self::Wrong { argument: Some(index), message: message.into(), hint: None }
    }

    /// The same with what to do about it; what lies inside of a lambda has its own hints.
    #[must_use]
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        if let Self::Wrong { hint, .. } = &mut self {
            *hint = Some(text.into());
        }
        self
    }

    pub(super) fn too_large(function: &str, most: usize, unit: &str) -> Self {
        Self::call(format!("the result of `{function}` would have more than {most} {unit}"))
    }
}
