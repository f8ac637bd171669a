//! How an operation ended, as its caller is told; never changed afterwards.

use serde::{Deserialize, Serialize};

/// How an operation ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// Done.
    Succeeded(Success),
    /// Not done; what is known is kept.
    Failed(Failure),
    /// Stopped on request.
    Canceled(Failure),
}

/// What a successful operation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SuccessKind {
    /// Made a resource.
    Created,
    /// Changed one.
    Updated,
    /// Found nothing to do; no write was sent.
    Noop,
    /// Deleted one.
    Deleted,
    /// Took in one that existed.
    Imported,
    /// Removed the reference and left the resource alone.
    Unlinked,
    /// Made another in the place of one.
    Replaced,
    /// Looked at the resources of a group.
    Checked,
    /// Made what a template says.
    Deployed,
    /// Told what a template would do.
    Planned,
}

impl SuccessKind {
    /// The word used in answers, logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Noop => "noop",
            Self::Deleted => "deleted",
            Self::Imported => "imported",
            Self::Unlinked => "unlinked",
            Self::Replaced => "replaced",
            Self::Checked => "checked",
            Self::Deployed => "deployed",
            Self::Planned => "planned",
        }
    }
}

/// Whether a read after the write showed what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Convergence {
    /// It did.
    Converged,
    /// The cloud accepted the write, and a read does not show all of it.
    AcceptedNotEffective,
    /// The type cannot be read, or the read failed.
    Unverified,
}

/// A successful end.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Success {
    /// What was done.
    pub kind: SuccessKind,
    /// What a read showed afterwards.
    pub convergence: Convergence,
    /// Where the read differs from what was asked, as RFC 6901 pointers.
    pub not_effective: Vec<String>,
}

impl Ending {
    /// Whether a read showed what was written.
    pub fn is_shown(&self) -> bool {
        matches!(self, Self::Succeeded(success) if success.convergence == Convergence::Converged)
    }
}

/// What kind of failure it was; the edge makes a status code of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The properties, or the request, are not acceptable.
    Invalid,
    /// There is no such resource.
    NotFound,
    /// It collides with what exists or runs.
    Conflict,
    /// Only a replacement could do it.
    ReplaceRequired,
    /// A call may have made a resource that is not known.
    Unknown,
    /// The cloud does not let us.
    Forbidden,
    /// The cloud is asked too often.
    Throttled,
    /// The cloud cannot be reached, or did not answer in time.
    Unavailable,
    /// The cloud tried and failed.
    Provider,
    /// Stopped on request.
    Canceled,
    /// A defect of ours.
    Internal,
}

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// A code that does not change (`SCHEMA0102`, `CreateOnly`).
    pub code: String,
    /// RFC 6901 pointer into the properties.
    pub path: String,
    /// What is wrong there.
    pub message: String,
}

/// A failed end.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Failure {
    /// What kind it was.
    pub kind: FailureKind,
    /// Ours, or the cloud's own, unchanged.
    pub code: String,
    /// What happened, and what can be done.
    pub message: String,
    /// The places that it is about.
    pub findings: Vec<Finding>,
}
