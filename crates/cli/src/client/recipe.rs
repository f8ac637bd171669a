//! Recipes as the API answers them, as far as people are shown them.

use hangar_plan::operation::OperationId;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::arm_error::ArmError;
use super::deployment::RunState;
use super::instant::Instant;

/// A recipe: a Terraform module by a name, and what it has made.
#[derive(Debug, Deserialize)]
pub(crate) struct Recipe {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) properties: RecipeProperties,
}

/// What a recipe says of itself.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RecipeProperties {
    /// The word of the API: `Running`, `Deleting`, `Succeeded`, `Failed`, `Canceled`.
    pub(crate) provisioning_state: String,
    pub(crate) source: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) parameters: Map<String, Value>,
    pub(crate) secret_parameters: Vec<String>,
    #[serde(deserialize_with = "operation_of")]
    pub(crate) operation: Option<OperationId>,
    pub(crate) start_time: Option<Instant>,
    pub(crate) end_time: Option<Instant>,
    pub(crate) error: Option<ArmError>,
    pub(crate) outcome: Option<String>,
    pub(crate) stage: Option<String>,
    pub(crate) rows: Vec<RecipeRow>,
    pub(crate) unlisted: u64,
    pub(crate) summary: Option<Summary>,
    pub(crate) status: RecipeStatus,
    pub(crate) state: Option<StateHead>,
}

impl RecipeProperties {
    /// How far its last run is.
    pub(crate) fn run_state(&self) -> RunState {
        RunState::from(self.provisioning_state.clone())
    }

    /// As people read it.
    pub(crate) fn state_word(&self) -> String {
        self.provisioning_state.to_ascii_lowercase()
    }
}

/// The id of an operation, whether it is written alone or as the path of the operation.
fn operation_of<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<OperationId>, D::Error> {
    let text: Option<String> = Option::deserialize(reader)?;
    Ok(text.and_then(|text| OperationId::parse(text.rsplit('/').next()?)))
}

/// One resource that a run changes, by Terraform's address.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct RecipeRow {
    pub(crate) address: String,
    /// Terraform's word: `create`, `update`, `replace`, `delete`.
    #[serde(default)]
    pub(crate) action: String,
    #[serde(default)]
    pub(crate) progress: Progress,
}

/// How far a resource is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(from = "String")]
pub(crate) enum Progress {
    /// It will be changed, or a newer server has another word.
    #[default]
    Planned,
    Running,
    Done,
    Failed,
}

impl From<String> for Progress {
    fn from(word: String) -> Self {
        match word.as_str() {
            "running" => Self::Running,
            "done" => Self::Done,
            "failed" => Self::Failed,
            _ => Self::Planned,
        }
    }
}

/// How much a run changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Summary {
    pub(crate) add: u64,
    pub(crate) change: u64,
    pub(crate) remove: u64,
}

/// What a recipe's state holds.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RecipeStatus {
    pub(crate) output_resources: Vec<OutputResource>,
    pub(crate) values: Map<String, Value>,
    /// Their names.
    pub(crate) secrets: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) tool: Option<String>,
}

/// One resource that Terraform made, by its id.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct OutputResource {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) address: Option<String>,
}

/// The current version of a state, and its lock.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct StateHead {
    pub(crate) version: Option<u64>,
    pub(crate) serial: Option<u64>,
    pub(crate) instances: Option<u64>,
    pub(crate) lock: Option<StateLock>,
}

/// Who holds a state.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StateLock {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) who: Option<String>,
    /// Terraform's word for what it is held for.
    #[serde(default)]
    pub(crate) operation: Option<String>,
    #[serde(default)]
    pub(crate) age_seconds: Option<u64>,
    /// The operation whose run holds it.
    #[serde(default)]
    pub(crate) hangar_operation: Option<String>,
}

/// The versions of a state.
#[derive(Debug, Deserialize)]
pub(crate) struct StateVersions {
    #[serde(default)]
    pub(crate) value: Vec<StateVersion>,
    #[serde(default)]
    pub(crate) current: Option<u64>,
    #[serde(default)]
    pub(crate) lock: Option<StateLock>,
}

/// One version of a state.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StateVersion {
    pub(crate) version: u64,
    #[serde(default)]
    pub(crate) serial: Option<u64>,
    #[serde(default)]
    pub(crate) lineage: Option<String>,
    #[serde(default)]
    pub(crate) instances: Option<u64>,
    #[serde(default)]
    pub(crate) size: Option<u64>,
    #[serde(default)]
    pub(crate) written_at: Option<Instant>,
    #[serde(default)]
    pub(crate) operation: Option<String>,
    /// Kept beside the others: the run that wrote it was over already.
    #[serde(default)]
    pub(crate) stray: bool,
}

/// What an unlocking freed.
#[derive(Debug, Deserialize)]
pub(crate) struct Unlocked {
    #[serde(default)]
    pub(crate) lock: Option<StateLock>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_recipe_of_a_newer_server_is_still_a_recipe() {
        let recipe: Recipe = serde_json::from_value(json!({
            "id": "/x", "name": "net", "properties": {
                "provisioningState": "Pondering", "new": 1,
                "operation": "/a/operationStatuses/0191f3a8-7c2e-7abc-8def-0123456789ab",
                "rows": [{"address": "aws_vpc.main", "action": "create", "progress": "odd"}],
                "state": {"version": 3, "lock": {"id": "l", "ageSeconds": 4}},
            },
        }))
        .unwrap();
        let properties = recipe.properties;
        assert!(!properties.run_state().is_ended());
        assert!(properties.operation.is_some());
        assert_eq!(properties.rows[0].progress, Progress::Planned);
        assert_eq!(properties.state.unwrap().lock.unwrap().age_seconds, Some(4));
    }
}
