//! One resource of a deployment, and how far it is.

use hangar_ids::TypeName;
use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::operation::{Failure, OperationId, SuccessKind};
use crate::record::{AwsScope, GroupName, ReferenceName};

/// A place in the template, for people and for editors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePlace {
    /// The path of the file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// What is to be done with a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowTarget {
    /// Make it so, by this alias.
    Managed(String),
    /// Read it, by its alias or by its identifier.
    Existing {
        /// The alias, where the template names one.
        alias: Option<String>,
        /// Whether it may be missing.
        or_null: bool,
    },
}

/// What a finished row came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stated {
    /// What its operation did.
    Put(SuccessKind),
    /// It was read.
    Read,
    /// It is not there, and may be missing.
    Absent,
}

impl Stated {
    /// The word used in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Put(SuccessKind::Noop) => "unchanged",
            Self::Put(kind) => kind.as_str(),
            Self::Read => "read",
            Self::Absent => "absent",
        }
    }
}

/// How far a resource is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowState {
    /// It waits for others, or for its turn.
    Waiting,
    /// It was decided to begin it; its operation is under way, or about to be.
    Begun {
        /// When.
        at: Timestamp,
    },
    /// It is as it should be.
    Done {
        /// When it began.
        begun_at: Timestamp,
        /// When it was done.
        at: Timestamp,
        /// What was done.
        stated: Stated,
    },
    /// It is not.
    Failed {
        /// When it began.
        begun_at: Timestamp,
        /// When it failed.
        at: Timestamp,
        /// Why.
        failure: Failure,
        /// Where in the template that is, if it is a mistake in it.
        place: Option<SourcePlace>,
    },
    /// Not begun, because what it depends on failed.
    Skipped {
        /// The row that failed, by its place.
        because: usize,
    },
    /// Not begun, because the deployment was stopped.
    Canceled,
}

/// One resource of a deployment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// How people name it (`subnets[0]`).
    pub address: String,
    /// Its type, in the catalog's spelling.
    #[serde(with = "crate::text::type_name")]
    pub type_name: TypeName,
    /// What is to be done with it.
    pub target: RowTarget,
    /// Where it is.
    pub scope: AwsScope,
    /// The rows that must be done before it, by their places; never a cycle.
    pub depends_on: Vec<usize>,
    /// Where it is declared.
    pub place: SourcePlace,
    /// The operation that puts it.
    pub operation: OperationId,
    /// The resource, once it is known.
    pub identifier: Option<String>,
    /// What was changed of it, as RFC 6901 pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// How far it is.
    pub state: RowState,
}

impl Row {
    /// The reference that it is put or read by, where it has an alias.
    pub fn reference(&self, group: &GroupName) -> Option<ReferenceName> {
        let alias = match &self.target {
            RowTarget::Managed(alias) => Some(alias),
            RowTarget::Existing { alias, .. } => alias.as_ref(),
        };
        alias.map(|alias| ReferenceName {
            group: group.clone(),
            type_name: self.type_name.clone(),
            alias: alias.clone(),
        })
    }

    /// Whether nothing more will happen to it.
    pub const fn is_over(&self) -> bool {
        !matches!(self.state, RowState::Waiting | RowState::Begun { .. })
    }

    /// Whether what depends on it may begin.
    pub const fn is_done(&self) -> bool {
        matches!(self.state, RowState::Done { .. })
    }
}
