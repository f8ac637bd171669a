//! Why a text cannot be read as a state: what it is instead, and what to do next.

use hangar_diag::{Code, Diagnostic, Span};

use super::codes;

/// Why a text is not a state that can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// Nothing, or only space.
    #[error("the state is empty")]
    Empty,
    /// Bytes that are no text.
    #[error("the state is not UTF-8: invalid data at byte {at}")]
    NotText {
        /// The first such byte.
        at: usize,
    },
    /// UTF-16, as PowerShell writes what is sent to a file.
    #[error("the state is UTF-16, not UTF-8")]
    Utf16,
    /// A packed file.
    #[error("the state is compressed with gzip")]
    Gzip,
    /// A plan as `terraform plan -out` writes it.
    #[error("this is a saved Terraform plan, not a state")]
    PlanFile,
    /// A plan as `terraform show -json PLAN` prints it.
    #[error("this is a Terraform plan as JSON, not a state")]
    PlanJson,
    /// Text that is not JSON.
    #[error("the state is not JSON: {reason}")]
    NotJson {
        /// What is wrong with it.
        reason: String,
        /// The byte at which that was seen.
        at: usize,
    },
    /// JSON that is something else.
    #[error("this is {found}, not a Terraform state")]
    NotState {
        /// What it is.
        found: &'static str,
    },
    /// `.terraform/terraform.tfstate`, which only names the backend.
    #[error("this only configures the backend of the state (`{kind}`) and contains no state")]
    BackendOnly {
        /// The backend's type.
        kind: String,
    },
    /// State that OpenTofu encrypted.
    #[error("the state is encrypted by OpenTofu")]
    Encrypted,
    /// Version 1 or 2, from before Terraform 0.7.
    #[error("state version {version} is too old")]
    TooOld {
        /// The version.
        version: u64,
    },
    /// A version that is not known.
    #[error("state version {version} is unknown")]
    UnknownVersion {
        /// What stands where the version does.
        version: String,
    },
    /// A part that all else hangs on is of another kind.
    #[error("`{part}` of the state is {found}, not {wanted}")]
    Malformed {
        /// Which part.
        part: &'static str,
        /// What it is.
        found: &'static str,
        /// What it must be.
        wanted: &'static str,
    },
}

impl StateError {
    /// The code of this kind of error.
    pub fn code(&self) -> Code {
        match self {
            Self::Empty => codes::EMPTY,
            Self::NotText { .. } | Self::Utf16 | Self::Gzip => codes::NOT_TEXT,
            Self::NotJson { .. } => codes::NOT_JSON,
            Self::NotState { .. } => codes::NOT_STATE,
            Self::PlanFile | Self::PlanJson => codes::PLAN,
            Self::BackendOnly { .. } => codes::BACKEND_ONLY,
            Self::Encrypted => codes::ENCRYPTED,
            Self::TooOld { .. } => codes::TOO_OLD,
            Self::UnknownVersion { .. } => codes::UNKNOWN_VERSION,
            Self::Malformed { .. } => codes::MALFORMED,
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Empty => {
                "nothing was applied yet, or the state is in another backend; run `terraform apply`, \
                 then `terraform state pull`"
            }
            Self::NotText { .. } | Self::NotJson { .. } => {
                "pass the complete, unchanged output of `terraform state pull` or `terraform show -json`"
            }
            Self::Utf16 => {
                "save it as UTF-8; in PowerShell: `terraform state pull | Out-File -Encoding utf8 FILE`"
            }
            Self::Gzip => "decompress it first: `gunzip -c FILE | hangar terraform ids -`",
            Self::PlanFile | Self::PlanJson => {
                "apply the plan, then pass the output of `terraform show -json` without a plan file"
            }
            Self::NotState { .. } | Self::Malformed { .. } => {
                "pass a state file, or the output of `terraform state pull` or `terraform show -json`"
            }
            Self::BackendOnly { .. } => {
                "run `terraform state pull` in the folder of the configuration and pass its output"
            }
            Self::Encrypted => {
                "run `tofu state pull` in the folder of the configuration and pass its output, which is decrypted"
            }
            Self::TooOld { .. } => {
                "open it once with Terraform 0.11, which writes version 3: `terraform apply` or `terraform refresh`"
            }
            Self::UnknownVersion { .. } => {
                "versions 3 and 4 are supported; pass the output of `terraform show -json`, or use a newer version of Hangar"
            }
        }
    }

    /// The error as people are told of it, with its place in the text where it has one.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code(), self.to_string()).hint(self.hint());
        match *self {
            Self::NotText { at } => diagnostic.at(Span::new(at, at), "invalid UTF-8"),
            Self::NotJson { at, .. } => diagnostic.at(Span::new(at, at), "here"),
            _ => diagnostic,
        }
    }
}
