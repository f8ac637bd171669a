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
    #[error("the state is not UTF-8 from byte {at} on")]
    NotText {
        /// The first such byte.
        at: usize,
    },
    /// UTF-16, as PowerShell writes what is sent to a file.
    #[error("the state is UTF-16 and not UTF-8")]
    Utf16,
    /// A packed file.
    #[error("the state is packed by gzip")]
    Gzip,
    /// A plan as `terraform plan -out` writes it.
    #[error("this is a saved plan of Terraform, not a state")]
    PlanFile,
    /// A plan as `terraform show -json PLAN` prints it.
    #[error("this is a plan of Terraform as JSON, not a state")]
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
    #[error("this is {found}, not a state of Terraform")]
    NotState {
        /// What it is.
        found: &'static str,
    },
    /// `.terraform/terraform.tfstate`, which only names the backend.
    #[error("this only says where the state is kept (backend `{kind}`), and holds no state")]
    BackendOnly {
        /// The backend's type.
        kind: String,
    },
    /// State that OpenTofu encrypted.
    #[error("the state is encrypted by OpenTofu")]
    Encrypted,
    /// Version 1 or 2, from before Terraform 0.7.
    #[error("the state is of version {version}, which is too old")]
    TooOld {
        /// The version.
        version: u64,
    },
    /// A version that is not known.
    #[error("the state is of version {version}, which is not known")]
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
                "nothing was applied there yet, or the backend is another one; run `terraform apply`, \
                 then `terraform state pull`"
            }
            Self::NotText { .. } | Self::NotJson { .. } => {
                "give what `terraform state pull` or `terraform show -json` prints, whole and unchanged"
            }
            Self::Utf16 => {
                "save it as UTF-8; in PowerShell: `terraform state pull | Out-File -Encoding utf8 FILE`"
            }
            Self::Gzip => "unpack it first: `gunzip -c FILE | hangar terraform ids -`",
            Self::PlanFile | Self::PlanJson => {
                "apply the plan, then give what `terraform show -json` prints without a plan's name"
            }
            Self::NotState { .. } | Self::Malformed { .. } => {
                "give a state file, or what `terraform state pull` or `terraform show -json` prints"
            }
            Self::BackendOnly { .. } => {
                "give what `terraform state pull` prints in the folder of the configuration"
            }
            Self::Encrypted => {
                "give what `tofu state pull` prints, which is decrypted, in the folder of the configuration"
            }
            Self::TooOld { .. } => {
                "open it once with Terraform 0.11, which writes version 3: `terraform apply` or `terraform refresh`"
            }
            Self::UnknownVersion { .. } => {
                "versions 3 and 4 are known; give what `terraform show -json` prints, or use a newer hangar"
            }
        }
    }

    /// The error as people are told of it, with its place in the text where it has one.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = Diagnostic::error(self.code(), self.to_string()).hint(self.hint());
        match *self {
            Self::NotText { at } => diagnostic.at(Span::new(at, at), "the text ends here"),
            Self::NotJson { at, .. } => diagnostic.at(Span::new(at, at), "seen here"),
            _ => diagnostic,
        }
    }
}
