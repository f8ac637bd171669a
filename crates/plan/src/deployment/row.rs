//! One resource of a deployment, and how far it is.

use hangar_ids::TypeName;
use hangar_template::recipe::RECIPE_TYPE;
use serde::{Deserialize, Serialize};

use super::RowPlan;
use crate::operation::{Failure, OperationId, SuccessKind, Verb};
use crate::record::{AwsScope, GroupName, RecipeName, ReferenceName};
use crate::{Timestamp, Waiting};

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

/// What a resource of a deployment is. It is kept as its type, with a scope where it is of AWS: so rows are that
/// were written before there were recipes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "KeptKind", into = "KeptKind")]
pub enum RowKind {
    /// A resource of AWS.
    Aws(AwsRow),
    /// A recipe; its target's alias is its name.
    Recipe,
}

/// What a resource of AWS is, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwsRow {
    /// Its type, in the catalog's spelling.
    pub type_name: TypeName,
    /// Where it is.
    pub scope: AwsScope,
}

#[derive(Serialize, Deserialize)]
struct KeptKind {
    type_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<AwsScope>,
}

impl From<RowKind> for KeptKind {
    fn from(kind: RowKind) -> Self {
        match kind {
            RowKind::Aws(AwsRow { type_name, scope }) => {
                Self { type_name: type_name.to_string(), scope: Some(scope) }
            }
            RowKind::Recipe => Self { type_name: RECIPE_TYPE.to_owned(), scope: None },
        }
    }
}

impl TryFrom<KeptKind> for RowKind {
    type Error = String;

    fn try_from(kept: KeptKind) -> Result<Self, String> {
        let KeptKind { type_name, scope } = kept;
        if type_name == RECIPE_TYPE {
            return Ok(Self::Recipe);
        }
        let type_name = TypeName::parse(&type_name).map_err(|problem| problem.message)?;
        let scope = scope.ok_or_else(|| format!("a row of {type_name} has no scope"))?;
        Ok(Self::Aws(AwsRow { type_name, scope }))
    }
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
    /// Take it away: the template does not name it any more.
    Removed {
        /// Its alias, or the name of a recipe.
        alias: String,
        /// What becomes of it.
        how: Removal,
        /// What it rests on, by id: that goes after it.
        depends_on: Vec<String>,
    },
}

/// What becomes of something that left its template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Removal {
    /// It is deleted, if it is ours.
    Delete,
    /// Its alias goes, and the resource is left alone.
    Detach,
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
    /// It was to go, and another deployment has taken it: it was left alone.
    Taken,
}

impl Stated {
    /// The word used in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Put(SuccessKind::Noop) => "unchanged",
            Self::Put(SuccessKind::Unlinked) => "detached",
            Self::Put(kind) => kind.as_str(),
            Self::Read => "read",
            Self::Absent => "absent",
            Self::Taken => "taken over",
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
    /// What it is.
    #[serde(flatten)]
    pub kind: RowKind,
    /// What is to be done with it.
    pub target: RowTarget,
    /// The rows that must be done before it, by their places; never a cycle.
    pub depends_on: Vec<usize>,
    /// Where it is declared; nowhere where it left the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<SourcePlace>,
    /// The operation that puts it, or takes it away.
    pub operation: OperationId,
    /// The resource, once it is known.
    pub identifier: Option<String>,
    /// What was changed of it, as RFC 6901 pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// The ids of what a recipe made, as many as are kept here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<String>,
    /// Whether its operation dealt with a resource that was replaced: some of it may be left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retires: bool,
    /// What was planned of it, where the run is held to a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<RowPlan>,
    /// Why its operation waits, or why it could not be started yet; only of a row that was begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// What its operation asks AWS for right now; only of a row that was begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verb: Option<Verb>,
    /// How far it is.
    pub state: RowState,
}

impl Row {
    /// The reference that it is put or read by, where it is of AWS and has an alias.
    pub fn reference(&self, group: &GroupName) -> Option<ReferenceName> {
        let RowKind::Aws(aws) = &self.kind else { return None };
        self.name().map(|alias| ReferenceName {
            group: group.clone(),
            type_name: aws.type_name.clone(),
            alias: alias.to_owned(),
        })
    }

    /// The recipe that it is.
    pub fn recipe(&self, group: &GroupName) -> Option<RecipeName> {
        let RowKind::Recipe = self.kind else { return None };
        self.name().map(|name| RecipeName { group: group.clone(), name: name.to_owned() })
    }

    /// The name that the template gives it: an alias, or a recipe's name.
    pub fn name(&self) -> Option<&str> {
        match &self.target {
            RowTarget::Managed(name) | RowTarget::Removed { alias: name, .. } => Some(name),
            RowTarget::Existing { alias, .. } => alias.as_deref(),
        }
    }

    /// What it is in AWS, if it is of AWS.
    pub const fn aws(&self) -> Option<&AwsRow> {
        match &self.kind {
            RowKind::Aws(aws) => Some(aws),
            RowKind::Recipe => None,
        }
    }

    /// Its type as ids and templates spell it.
    pub fn type_text(&self) -> String {
        match &self.kind {
            RowKind::Aws(aws) => aws.type_name.ucp(),
            RowKind::Recipe => RECIPE_TYPE.to_owned(),
        }
    }

    /// The id of what it puts, takes away or reads by name.
    pub fn id(&self, group: &GroupName) -> Option<String> {
        let reference = self.reference(group).map(|name| name.id());
        reference.or_else(|| self.recipe(group).map(|name| name.id()))
    }

    /// Whether it takes away what the template does not name any more.
    pub const fn is_removal(&self) -> bool {
        matches!(self.target, RowTarget::Removed { .. })
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
