//! What becomes of something that a deployment manages and its template does not name any more.

use serde::{Deserialize, Serialize};

use super::{Member, Removal, RowKind};
use crate::record::DeploymentName;

/// What a run does with what left its template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnRemove {
    /// Nothing: it stays managed.
    #[default]
    Keep,
    /// Its alias goes, and the resource is left alone.
    Detach,
    /// It is deleted, if it is ours; else it is detached.
    Delete,
}

impl OnRemove {
    /// The word used in requests and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Detach => "detach",
            Self::Delete => "delete",
        }
    }
}

/// How a member stands to its deployment, from what is kept of its alias.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// There is no such alias any more.
    Absent,
    /// The deployment manages it.
    Own {
        /// Whether deleting it would delete the resource.
        owned: bool,
        /// The resource.
        identifier: Option<String>,
        /// What it rests on, by id.
        depends_on: Vec<String>,
    },
    /// Another deployment took it.
    Other(DeploymentName),
    /// Nobody manages it.
    Nobody,
}

/// What becomes of a member that left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It stays, and stays managed.
    Kept {
        /// Why, where it was to go.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<String>,
    },
    /// It goes.
    Removed {
        /// How.
        how: Removal,
        /// Why so, where it was to go otherwise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        because: Option<String>,
    },
    /// It is another deployment's, and is left alone.
    TakenOver {
        /// Whose.
        by: DeploymentName,
    },
}

/// Something that left, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// What it is.
    #[serde(flatten)]
    pub member: Member,
    /// The resource, where it is known.
    pub identifier: Option<String>,
    /// What becomes of it.
    pub fate: Fate,
}

/// What becomes of a member that left; nothing where it is gone from the deployment already. `is_marked` tells
/// whether the record of the deployment is of a time when aliases say who manages them.
pub fn fate(
    member: &Member,
    standing: &Standing,
    on_remove: OnRemove,
    is_marked: bool,
) -> Option<Fate> {
    let owned = match standing {
        Standing::Absent => return None,
        Standing::Other(by) => return Some(Fate::TakenOver { by: by.clone() }),
        // Somebody took it away and made another by the same alias.
        Standing::Nobody if is_marked => return None,
        Standing::Nobody => return Some(kept(UNMARKED)),
        Standing::Own { owned, .. } => *owned,
    };
    let removed =
        |how, because: Option<&str>| Fate::Removed { how, because: because.map(str::to_owned) };
    Some(match (on_remove, &member.kind) {
        (OnRemove::Keep, _) => Fate::Kept { because: None },
        (OnRemove::Detach, RowKind::Recipe) => kept(NO_DETACH),
        (OnRemove::Detach, RowKind::Aws(_)) => removed(Removal::Detach, None),
        (OnRemove::Delete, RowKind::Aws(_)) if !owned => removed(Removal::Detach, Some(FOREIGN)),
        (OnRemove::Delete, _) => removed(Removal::Delete, None),
    })
}

fn kept(because: &str) -> Fate {
    Fate::Kept { because: Some(because.to_owned()) }
}

const UNMARKED: &str = "it was deployed before Hangar recorded managers; the next run whose \
                        template has it records the manager";
const NO_DETACH: &str = "a recipe cannot be detached: only Hangar has its Terraform state";
const FOREIGN: &str = "it is not owned, so only its alias is removed";
