//! Deployments and plans as the API answers them, as far as people are shown them.

use hangar_plan::operation::OperationId;
use serde::Deserialize;
use serde_json::Value;

use super::arm_error::ArmError;
use super::instant::Instant;
use super::waiting::Waiting;

/// A deployment: the last run of a template.
#[derive(Debug, Deserialize)]
pub(crate) struct Deployment {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) properties: DeploymentProperties,
}

/// What a deployment says of itself.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct DeploymentProperties {
    pub(crate) provisioning_state: RunState,
    pub(crate) operation: Option<OperationId>,
    /// The path of its template in its project.
    pub(crate) template_path: Option<String>,
    pub(crate) timestamp: Option<Instant>,
    pub(crate) ended_at: Option<Instant>,
    pub(crate) outputs: serde_json::Map<String, Value>,
    /// Why the run makes no progress.
    pub(crate) waiting: Option<Waiting>,
    pub(crate) resources: Vec<Row>,
    pub(crate) error: Option<ArmError>,
    /// What it manages.
    pub(crate) managed_resources: Vec<Member>,
    /// What its template does not name any more, and is still there.
    pub(crate) left_resources: Vec<Member>,
    /// What was left alone when its alias was taken away.
    pub(crate) detached_resources: Vec<Member>,
    /// What was replaced and could not be deleted.
    pub(crate) retiring_resources: Vec<Member>,
}

/// Something that a deployment manages, or once did.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Member {
    pub(crate) address: String,
    #[serde(rename = "type")]
    pub(crate) type_name: String,
    pub(crate) alias: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) identifier: Option<String>,
    /// Of its reference, or of the recipe.
    pub(crate) id: Option<String>,
    /// `kept`, or `taken over`.
    pub(crate) fate: String,
    pub(crate) reason: Option<String>,
    /// The deployment that took it.
    pub(crate) managed_by: Option<String>,
}

impl Member {
    /// The name that stays: its alias, or that of a recipe.
    pub(crate) fn key(&self) -> &str {
        self.alias.as_deref().or(self.name.as_deref()).unwrap_or(&self.address)
    }
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(from = "String")]
pub(crate) enum RunState {
    /// Not ended, whatever word the server has for it.
    #[default]
    Running,
    Succeeded,
    Failed,
    Canceled,
}

impl From<String> for RunState {
    fn from(word: String) -> Self {
        match word.as_str() {
            "Succeeded" => Self::Succeeded,
            "Failed" => Self::Failed,
            "Canceled" => Self::Canceled,
            _ => Self::Running,
        }
    }
}

impl RunState {
    pub(crate) fn is_ended(self) -> bool {
        self != Self::Running
    }

    /// As people read it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
        }
    }
}

/// One resource of a run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row {
    pub(crate) address: String,
    #[serde(rename = "type", default)]
    pub(crate) type_name: String,
    #[serde(default)]
    pub(crate) state: RowState,
    #[serde(default)]
    pub(crate) action: Option<String>,
    /// The paths that an update changed.
    #[serde(default)]
    pub(crate) changed: Vec<String>,
    #[serde(default)]
    pub(crate) identifier: Option<String>,
    #[serde(default)]
    pub(crate) operation: Option<String>,
    #[serde(default)]
    pub(crate) started_at: Option<Instant>,
    #[serde(default)]
    pub(crate) ended_at: Option<Instant>,
    #[serde(default)]
    pub(crate) waits_on: Vec<String>,
    /// Why it makes no progress.
    #[serde(default)]
    pub(crate) waiting: Option<Waiting>,
    /// What AWS is asked for: `create`, `update` or `delete`.
    #[serde(default)]
    pub(crate) verb: Option<String>,
    /// Whether it only is read.
    #[serde(default)]
    pub(crate) existing: bool,
    /// Whether it left the template, and goes.
    #[serde(default)]
    pub(crate) left: bool,
    /// The resource for whose failure it was not begun.
    #[serde(default)]
    pub(crate) because: Option<String>,
    #[serde(default)]
    pub(crate) error: Option<ArmError>,
    #[serde(default)]
    pub(crate) source: Option<SourcePlace>,
}

/// How far a resource is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
#[serde(from = "String")]
pub(crate) enum RowState {
    #[default]
    Waiting,
    Running,
    Succeeded,
    Failed,
    Skipped,
    Canceled,
}

impl From<String> for RowState {
    fn from(word: String) -> Self {
        match word.as_str() {
            "Running" => Self::Running,
            "Succeeded" => Self::Succeeded,
            "Failed" => Self::Failed,
            "Skipped" => Self::Skipped,
            "Canceled" => Self::Canceled,
            _ => Self::Waiting,
        }
    }
}

impl RowState {
    pub(crate) fn is_ended(self) -> bool {
        !matches!(self, Self::Waiting | Self::Running)
    }

    /// As people read it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Canceled => "canceled",
        }
    }
}

/// Where a resource is declared.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct SourcePlace {
    pub(crate) file: String,
    /// Nothing where the server is older.
    #[serde(default)]
    pub(crate) line: Option<usize>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// What a deployment would do.
#[derive(Debug, Deserialize)]
pub(crate) struct Plan {
    pub(crate) properties: PlanProperties,
}

/// The parts of a plan.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PlanProperties {
    pub(crate) scope: Option<String>,
    /// What the control plane knows the plan by.
    pub(crate) seal: Option<String>,
    pub(crate) changes: Vec<Change>,
    /// How many of the changes a run without leave to replace would refuse.
    pub(crate) needs_replace: u64,
    pub(crate) outputs: serde_json::Map<String, Value>,
    /// Why there would be no outputs.
    pub(crate) output_problem: Option<OutputProblem>,
}

/// Why the outputs cannot be computed.
#[derive(Debug, Deserialize)]
pub(crate) struct OutputProblem {
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) source: Option<SourcePlace>,
}

/// What would be done to one resource.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Change {
    pub(crate) address: String,
    #[serde(rename = "type", default)]
    pub(crate) type_name: String,
    #[serde(default)]
    pub(crate) identifier: Option<String>,
    pub(crate) action: Action,
    #[serde(default)]
    pub(crate) changed: Vec<Changed>,
    #[serde(default)]
    pub(crate) reason: Option<String>,
    #[serde(default)]
    pub(crate) scope: Option<String>,
    /// AWS may make a new resource of what is an update for us.
    #[serde(default)]
    pub(crate) may_replace: bool,
    /// What AWS does with properties that a reader would not expect.
    #[serde(default)]
    pub(crate) notes: Vec<PropertyNote>,
    #[serde(default)]
    pub(crate) source: Option<SourcePlace>,
    /// What Terraform plans of a recipe.
    #[serde(default)]
    pub(crate) resource_changes: Vec<ResourceChange>,
    /// How many more resources of a recipe would change.
    #[serde(default)]
    pub(crate) unlisted_changes: usize,
}

/// What AWS does with a property.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct PropertyNote {
    pub(crate) path: String,
    pub(crate) message: String,
}

/// What would be done to one resource of a recipe.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct ResourceChange {
    pub(crate) address: String,
    pub(crate) action: ResourceAction,
    #[serde(default)]
    pub(crate) changed: Vec<Changed>,
}

/// What Terraform would do with a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ResourceAction {
    Create,
    Update,
    Replace,
    Delete,
    /// It leaves the state and stays.
    Forget,
    /// One of a newer server.
    #[serde(other)]
    Other,
}

impl ResourceAction {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Replace => "replace",
            Self::Delete => "delete",
            Self::Forget => "forget",
            Self::Other => "change",
        }
    }
}

/// What would be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(from = "String")]
pub(crate) enum Action {
    Create,
    /// What has the name already is taken in.
    Adopt,
    Update,
    Replace,
    Read,
    NoOp,
    /// A recipe is run.
    Run,
    /// It cannot be told before something else is done.
    Unknown,
    /// It would fail.
    Refused,
    /// The template does not name it any more, and it stays.
    Keep,
    /// Its alias goes, and the resource is left alone.
    Detach,
    /// It goes.
    Delete,
    /// Another deployment has taken it.
    TakenOver,
}

impl Action {
    /// Whether nothing is done.
    pub(crate) fn is_quiet(self) -> bool {
        matches!(self, Self::NoOp | Self::Read | Self::Keep | Self::TakenOver)
    }
}

impl From<String> for Action {
    fn from(word: String) -> Self {
        match word.as_str() {
            "create" => Self::Create,
            "adopt" => Self::Adopt,
            "update" => Self::Update,
            "replace" => Self::Replace,
            "read" => Self::Read,
            "no-op" => Self::NoOp,
            "run" => Self::Run,
            "refused" => Self::Refused,
            "keep" => Self::Keep,
            "detach" => Self::Detach,
            "delete" => Self::Delete,
            "taken-over" => Self::TakenOver,
            _ => Self::Unknown,
        }
    }
}

/// One property that would change.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Changed {
    pub(crate) path: String,
    /// Nothing is not null: it is not there.
    #[serde(default, deserialize_with = "there")]
    pub(crate) before: Option<Value>,
    #[serde(default, deserialize_with = "there")]
    pub(crate) after: Option<Value>,
    /// Why the value is not known: `known after vpc`.
    #[serde(default)]
    pub(crate) unknown: Option<String>,
    #[serde(default)]
    pub(crate) secret: bool,
    #[serde(default)]
    pub(crate) requires_replacement: bool,
    /// AWS decides by it whether it can update the resource or must make another.
    #[serde(default)]
    pub(crate) may_replace: bool,
    /// The path with `[Key=env]` for elements that a key tells apart.
    #[serde(default)]
    pub(crate) keyed: Option<String>,
    /// Why it changes: a word that stays.
    #[serde(default)]
    pub(crate) cause: Option<String>,
    /// The same for people.
    #[serde(default)]
    pub(crate) reason: Option<String>,
    #[serde(default)]
    pub(crate) source: Option<SourcePlace>,
    /// What differs inside of it, where that is less than all of it.
    #[serde(default)]
    pub(crate) parts: Vec<Self>,
}

/// A member that is there, even if it is null.
pub(super) fn there<'de, D: serde::Deserializer<'de>>(
    reader: D,
) -> Result<Option<Value>, D::Error> {
    Value::deserialize(reader).map(Some)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_of_a_newer_server_is_still_a_row() {
        let row: Row = serde_json::from_value(json!({
            "address": "subnets[0]", "type": "AWS.EC2/Subnet", "state": "Pondering", "new": 1,
            "waitsOn": ["vpc"], "source": {"file": "main.bicep", "start": 1, "end": 4},
        }))
        .unwrap();
        assert_eq!((row.state, row.waits_on), (RowState::Waiting, vec!["vpc".to_owned()]));
    }

    #[test]
    fn null_is_told_from_nothing() {
        let changed: Changed =
            serde_json::from_value(json!({"path": "/A", "before": null})).unwrap();
        assert_eq!((changed.before, changed.after), (Some(Value::Null), None));
    }
}
