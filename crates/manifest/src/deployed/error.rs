//! Why a state has no answer: what was asked, what is there instead, and what to do.

use hangar_diag::{Code, Diagnostic};
use thiserror::Error;

use super::{Names, codes};

/// Why a value is not found in a state.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LookupError {
    /// No such resource.
    #[error(
        "the state has no `{address}`{}{} Are you sure you deployed the CDKTF stack?",
        deposed_text(*deposed),
        ended(there.told_for(address))
    )]
    NoResource {
        /// What was asked for.
        address: String,
        /// What is there.
        there: Names,
        /// Objects of it that were replaced and not deleted.
        deposed: usize,
    },
    /// The resource is there, and this instance is not, or none is named.
    #[error("`{address}` does not name one instance; available: {}", there.told())]
    NoInstance {
        /// What was asked for.
        address: String,
        /// The instances that are there.
        there: Names,
    },
    /// The object has no such attribute.
    #[error("`{address}` has no `{path}`{}", there.told_for(asked))]
    NoAttribute {
        /// The instance.
        address: String,
        /// The whole path that was asked for.
        path: String,
        /// The step of it that leads nowhere.
        asked: String,
        /// What is there.
        there: Names,
    },
    /// The path cannot be read.
    #[error("`{path}` is not a path in `{address}`: {problem}")]
    Path {
        /// The instance.
        address: String,
        /// What was asked for.
        path: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// The address cannot be read.
    #[error("`{address}` is not a Terraform address: {problem}")]
    Address {
        /// What was asked for.
        address: String,
        /// What is wrong.
        problem: String,
    },
    /// No such output.
    #[error("the state has no output `{name}`{}", there.told_for(name))]
    NoOutput {
        /// What was asked for.
        name: String,
        /// What is there.
        there: Names,
    },
    /// Something that is in a configuration and not in its state.
    #[error("`{written}` is {}, which a state does not contain", what.noun())]
    NotHeld {
        /// What kind of thing.
        what: NotHeld,
        /// As it was written.
        written: String,
    },
    /// A value of too many levels.
    #[error("`{what}` is nested too deeply to read")]
    TooDeep {
        /// What was asked for.
        what: String,
    },
}

/// What an expression may name and no state holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotHeld {
    /// `var.x`.
    Variable,
    /// `local.x`.
    Local,
    /// `module.m.x`.
    ModuleOutput,
    /// `path.module`.
    Path,
    /// `terraform.workspace`.
    Terraform,
    /// `each.key`, `count.index`, `self`.
    Instance,
}

impl NotHeld {
    /// What the first word of a reference means, if it is no resource.
    pub(crate) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "var" => Self::Variable,
            "local" => Self::Local,
            "module" => Self::ModuleOutput,
            "path" => Self::Path,
            "terraform" => Self::Terraform,
            "each" | "count" | "self" => Self::Instance,
            _ => return None,
        })
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Variable => "a variable",
            Self::Local => "a local value",
            Self::ModuleOutput => "an output of a module",
            Self::Path => "a path in the configuration",
            Self::Terraform => "a value of the Terraform run",
            Self::Instance => "a value of the instance that is being evaluated",
        }
    }
}

impl LookupError {
    /// The code of this kind of error.
    pub fn code(&self) -> Code {
        match self {
            Self::NoResource { .. } => codes::NO_RESOURCE,
            Self::NoInstance { .. } => codes::NO_INSTANCE,
            Self::NoAttribute { .. } | Self::Path { .. } => codes::NO_ATTRIBUTE,
            Self::NoOutput { .. } => codes::NO_OUTPUT,
            Self::NotHeld { .. } => codes::NOT_HELD,
            Self::Address { .. } => codes::ADDRESS,
            Self::TooDeep { .. } => codes::TOO_DEEP,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Self::NoResource { .. } => {
                "was it applied? run `cdktf deploy` or `terraform apply`; `terraform state list` shows the resources of the state".to_owned()
            }
            Self::NoInstance { .. } => "name the instance: `[0]` for `count`, `[\"key\"]` for `for_each`".to_owned(),
            Self::NoAttribute { address, .. } | Self::Path { address, .. } => format!(
                "`terraform state show '{address}'` shows its attributes; was the last change of the resource applied?"
            ),
            Self::NoOutput { .. } => {
                "declare the output and apply, or refer to the attribute itself: `TYPE.NAME#ATTRIBUTE`".to_owned()
            }
            Self::NotHeld { what: NotHeld::ModuleOutput, .. } => {
                "declare an output of the root module for it and apply, or refer to the resource in the \
                 module: `module.NAME.TYPE.NAME#ATTRIBUTE`"
                    .to_owned()
            }
            Self::NotHeld { .. } => {
                "declare an output for it, apply, and refer to the output".to_owned()
            }
            Self::Address { .. } => {
                "write it as `terraform state list` prints it, such as `module.net.aws_subnet.a[0]`".to_owned()
            }
            Self::TooDeep { .. } => "refer to a part of it".to_owned(),
        }
    }

    /// The error as people are told of it.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic::error(self.code(), self.to_string()).hint(self.hint())
    }

    /// Whether `try` passes over it: what was never deployed is told in any case.
    pub(crate) fn is_soft(&self) -> bool {
        matches!(self, Self::NoAttribute { .. } | Self::NoInstance { .. })
    }
}

fn deposed_text(count: usize) -> &'static str {
    match count {
        0 => "",
        _ => " (only replaced objects that are not deleted yet)",
    }
}

/// A sentence needs one mark at its end.
fn ended(mut told: String) -> String {
    if !told.ends_with('?') {
        told.push('.');
    }
    told
}
