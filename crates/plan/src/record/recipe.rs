//! A recipe as it is kept: what is run, what came of it, and Terraform's state of it with its lock.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Version;
use super::deployment::DeploymentName;
use super::group::GroupName;
use crate::Timestamp;
use crate::operation::{Ending, OperationId};
use crate::recipe::RecipeTask;

/// The name of a recipe: its group and its own, as first spelt.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RecipeName {
    /// The group that it deploys to.
    pub group: GroupName,
    /// Its own name.
    pub name: String,
}

impl RecipeName {
    /// The form that is compared and ordered by, and what its secrets are sealed to.
    pub fn key(&self) -> String {
        format!("{}/{}", self.group.key(), self.name.to_ascii_lowercase())
    }

    /// Its resource id.
    pub fn id(&self) -> String {
        let name = hangar_ids::encode_name(&self.name);
        format!("{}/providers/Hangar.Recipes/recipes/{name}", self.group.id())
    }
}

/// The resource of AWS's plane that an output resource is, as far as that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CloudControlLink {
    /// Our name of the type (`AWS.EC2/VPC`).
    pub type_name: String,
    /// Cloud Control's identifier.
    pub identifier: String,
    /// How sure that is.
    pub confidence: String,
    /// Its id in the AWS plane, where account and region are known: what a GET reads it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// A resource that a recipe made, or that its author named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputResource {
    /// Its id.
    pub id: String,
    /// Terraform's address of it; none where only the author named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Terraform's type of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terraform_type: Option<String>,
    /// The provider that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// What it is in the AWS plane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloud_control: Option<CloudControlLink>,
}

/// What a recipe's state holds, as its last run left it; no secret is in it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RecipeStatus {
    /// What it made, and what its author named.
    pub resources: Vec<OutputResource>,
    /// The values of its result, by name.
    pub values: Option<Value>,
    /// The names of the secrets of its result; their values are only in the state.
    pub secrets: Vec<String>,
    /// What was odd in what it left.
    pub warnings: Vec<String>,
    /// Which program ran it (`terraform 1.11.4`).
    pub tool: Option<String>,
    /// Whether a run has left a state: from then on it must be there.
    #[serde(default)]
    pub has_state: bool,
}

/// A recipe. While its last run is under way, that operation tells how far it is.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct RecipeRecord {
    /// Its name.
    pub name: RecipeName,
    /// Its last run.
    pub operation: OperationId,
    /// What that run does.
    pub task: RecipeTask,
    /// When that began.
    pub started_at: Timestamp,
    /// When that ended.
    pub ended_at: Option<Timestamp>,
    /// How it ended; nothing while it is under way.
    pub ending: Option<Ending>,
    /// Where the module comes from, as it may be shown.
    pub source: String,
    /// The version of it, of a registry's module.
    pub source_version: Option<String>,
    /// Its parameters, those left out that are secret.
    pub parameters: Value,
    /// The names of parameters that are secret.
    pub secret_parameters: Vec<String>,
    /// What it came to.
    pub status: RecipeStatus,
    /// The deployment that manages it: whose template last named it. It counts while that deployment is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<DeploymentName>,
    /// All that a run needs: the module's files, every parameter. Sealed to its key, for deleting needs it as
    /// deploying does. Kept beside the rest, not in it.
    #[serde(skip)]
    pub sealed: Vec<u8>,
    /// When it was first deployed.
    pub created_at: Timestamp,
    /// How often it was written.
    pub version: Version,
}

impl fmt::Debug for RecipeRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecipeRecord({}, {}, «sealed»)", self.name.id(), self.version.0)
    }
}

/// Who holds a recipe's state, in Terraform's words and in ours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateLock {
    /// Terraform's id of the lock.
    pub id: String,
    /// What Terraform told with it: `Operation`, `Who`, `Version`, `Created`, `Info`, `Path`.
    pub info: Value,
    /// When it was taken.
    pub taken_at: Timestamp,
    /// The operation whose run took it; none where somebody else did.
    pub operation: Option<OperationId>,
}

/// One version of a recipe's state, without what is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateVersion {
    /// Counts from 1; set by the store.
    pub number: u64,
    /// Terraform's own count.
    pub serial: Option<u64>,
    /// Terraform's name for the line of states that it belongs to.
    pub lineage: Option<String>,
    /// How many resource instances it holds.
    pub instances: u64,
    /// Bytes of it.
    pub size: u64,
    /// SHA-256 of it, in hex.
    pub digest: String,
    /// The operation whose run wrote it; none where somebody else did.
    pub operation: Option<OperationId>,
    /// When it was written.
    pub written_at: Timestamp,
    /// Whether it came from a run that was over already: it is kept, and is not the current one.
    pub stray: bool,
}

/// How a recipe's state stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StateHead {
    /// Who holds it.
    pub lock: Option<StateLock>,
    /// Its current version: the newest that is not stray.
    pub current: Option<StateVersion>,
}
