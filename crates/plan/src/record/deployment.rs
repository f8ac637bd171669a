//! A deployment as it is kept: what its last run was, and what came of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Version;
use super::group::GroupName;
use crate::Timestamp;
use crate::deployment::{Holdings, Member, Row, members_of};
use crate::operation::{Ending, OperationId};

/// The name of a deployment: its group and its own, as first spelt.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DeploymentName {
    /// The group that it deploys to.
    pub group: GroupName,
    /// Its own name.
    pub name: String,
}

impl DeploymentName {
    /// The form that is compared and ordered by.
    pub fn key(&self) -> String {
        format!("{}/{}", self.group.key(), self.name.to_ascii_lowercase())
    }

    /// Whether both name the same deployment, however they spell it.
    pub fn is_same(&self, other: &Self) -> bool {
        self.key() == other.key()
    }

    /// Its resource id.
    pub fn id(&self) -> String {
        let name = hangar_ids::encode_name(&self.name);
        format!("{}/providers/Microsoft.Resources/deployments/{name}", self.group.id())
    }
}

/// A deployment. While its last run is under way, that operation has the rows; they are kept here when
/// it ends, and stay when the operation is forgotten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeploymentRecord {
    /// Its name.
    pub name: DeploymentName,
    /// Its last run.
    pub operation: OperationId,
    /// When that began.
    pub started_at: Timestamp,
    /// When that ended.
    pub ended_at: Option<Timestamp>,
    /// How it ended; nothing while it is under way.
    pub ending: Option<Ending>,
    /// The resources, as its last run left them.
    pub rows: Vec<Row>,
    /// Its outputs by name, without secrets: `{"type", "value"}`.
    pub outputs: Option<Value>,
    /// What it manages, and what became of what left it.
    #[serde(default)]
    pub holdings: Holdings,
    /// The path of its template in its project, if the caller gave one: two templates do not share a deployment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_path: Option<String>,
    /// The values of `newGuid()` and `utcNow()` in parameter defaults, for its next runs; sealed, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_defaults: Option<String>,
    /// When it was first deployed.
    pub created_at: Timestamp,
    /// How often it was written.
    pub version: Version,
}

/// Whether two paths name the same template: `main.json` beside `main.bicep` is its compiled form.
pub fn is_same_template(one: &str, other: &str) -> bool {
    let without_extension = |path: &str| match path.rsplit_once('.') {
        Some((name, "bicep" | "json")) => name.to_owned(),
        _ => path.to_owned(),
    };
    without_extension(one) == without_extension(other)
}

impl DeploymentRecord {
    /// What it manages: all that its runs named and that has not left it for good. What another deployment took
    /// since is among them. Of a record from before this was kept, what its rows name.
    pub fn members(&self) -> Vec<Member> {
        match &self.holdings.managed {
            Some(managed) => managed.clone(),
            None => members_of(&self.rows, &self.name.group),
        }
    }
}
