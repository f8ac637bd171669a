//! What the API answers with, as far as people are shown it. Programs get the documents whole.

use hangar_ids::ResourceId;
use hangar_plan::operation::OperationId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::arm_error::ArmError;
use super::deployment::there;
use super::instant::Instant;
use super::learned::LearnedForm;
use super::waiting::Waiting;

/// One page of a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page {
    pub(crate) value: Vec<Value>,
    #[serde(default)]
    pub(crate) next_link: Option<String>,
}

/// How a server is.
#[derive(Debug, Deserialize)]
pub(crate) struct Health {
    pub(crate) instance: String,
}

/// A resource group.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Group {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) properties: GroupProperties,
    #[serde(default)]
    pub(crate) system_data: SystemData,
    #[serde(default)]
    pub(crate) resources: Vec<Reference>,
    #[serde(default)]
    pub(crate) resources_next_link: Option<String>,
}

/// What a group says of itself.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupProperties {
    #[serde(default)]
    pub(crate) provisioning_state: Option<String>,
    #[serde(default)]
    pub(crate) providers: Providers,
}

/// A group's defaults for each provider.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Providers {
    #[serde(default)]
    pub(crate) aws: Option<AwsProvider>,
}

/// A group's defaults for AWS.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct AwsProvider {
    #[serde(default)]
    pub(crate) scope: Option<String>,
}

impl Group {
    /// Where the group's AWS resources go, if it says.
    pub(crate) fn aws_place(&self) -> Option<AwsPlace> {
        AwsPlace::of(self.properties.providers.aws.as_ref()?.scope.as_deref()?)
    }
}

/// A plane: the first name in every id.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Plane {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) location: Option<String>,
    #[serde(default)]
    pub(crate) system_data: SystemData,
}

impl Plane {
    /// What kind of names it holds: `aws`, `radius`.
    pub(crate) fn kind(&self) -> &str {
        self.id.split('/').nth(2).unwrap_or("-")
    }
}

/// An account and a region, taken from a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AwsPlace {
    pub(crate) account: String,
    pub(crate) region: String,
}

impl AwsPlace {
    /// The account and the region of a scope, or of anything below one.
    pub(crate) fn of(scope: &str) -> Option<Self> {
        let id = ResourceId::parse(scope).ok()?;
        let account = id.scope_name("accounts")?.to_owned();
        Some(Self { account, region: id.scope_name("regions")?.to_owned() })
    }

    /// As ids spell it.
    pub(crate) fn to_scope(&self) -> String {
        format!("/planes/aws/aws/accounts/{}/regions/{}", self.account, self.region)
    }
}

/// When something was made and changed.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SystemData {
    #[serde(default)]
    pub(crate) created_at: Option<Instant>,
    #[serde(default)]
    pub(crate) last_modified_at: Option<Instant>,
}

/// A reference: an alias and what it stands for; or a resource of AWS, which has less to tell.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reference {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) type_name: String,
    #[serde(default)]
    pub(crate) maps_to: MapsTo,
    #[serde(default)]
    pub(crate) owned_resource: Option<bool>,
    #[serde(default)]
    pub(crate) properties: Value,
    #[serde(default)]
    pub(crate) applied_properties: Value,
    /// Where properties are secret, and so not shown.
    #[serde(default)]
    pub(crate) secret_paths: Vec<String>,
    #[serde(default)]
    pub(crate) observed_at: Option<Instant>,
    #[serde(default)]
    pub(crate) state: Option<String>,
    #[serde(default)]
    pub(crate) operation: Option<String>,
    #[serde(default)]
    pub(crate) last_operation: Option<LastOperation>,
    /// Replaced resources that are still to be deleted.
    #[serde(default)]
    pub(crate) retiring: Vec<String>,
    #[serde(default)]
    pub(crate) depends_on: Vec<String>,
    /// The id of the deployment that manages it.
    #[serde(default)]
    pub(crate) managed_by: Option<String>,
    /// How the resource stood to what was applied when it was last looked at.
    #[serde(default)]
    pub(crate) drift: Option<Drift>,
    /// Values that AWS returns in another form than they were sent.
    #[serde(default)]
    pub(crate) learned: Vec<LearnedForm>,
    /// Creates whose end is not known.
    #[serde(default)]
    pub(crate) unsettled: Vec<Unsettled>,
    /// The recipe that made it, where no alias stands for it.
    #[serde(default)]
    pub(crate) recipe: Option<String>,
    /// What Terraform calls it then.
    #[serde(default)]
    pub(crate) address: Option<String>,
    #[serde(default)]
    pub(crate) system_data: SystemData,
}

/// How a resource stands to what was applied.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Drift {
    pub(crate) state: DriftState,
    #[serde(default)]
    pub(crate) paths: Vec<String>,
    #[serde(default)]
    pub(crate) differences: Vec<Difference>,
    #[serde(default)]
    pub(crate) reason: Option<String>,
    #[serde(default)]
    pub(crate) checked_at: Option<Instant>,
}

/// One value that is not what was applied.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Difference {
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) keyed: Option<String>,
    #[serde(default, deserialize_with = "there")]
    pub(crate) applied: Option<Value>,
    #[serde(default, deserialize_with = "there")]
    pub(crate) live: Option<Value>,
    #[serde(default)]
    pub(crate) secret: bool,
}

impl Difference {
    /// `/DelaySeconds: 120 → 5` on one line.
    fn on_line(&self) -> String {
        let path = self.keyed.as_deref().unwrap_or(&self.path);
        match (&self.applied, &self.live) {
            _ if self.secret => format!("{path}: «secret»"),
            (Some(applied), Some(live)) => format!("{path}: {applied} → {live}"),
            (Some(applied), None) => format!("{path}: {applied} removed"),
            (None, Some(live)) => format!("{path}: {live} added"),
            (None, None) => path.to_owned(),
        }
    }
}

impl Drift {
    /// Where it differs, or why that cannot be told.
    pub(crate) fn place(&self) -> String {
        match &self.reason {
            Some(reason) if self.paths.is_empty() => reason.clone(),
            _ => self.paths.join(", "),
        }
    }

    /// The values that differ, on one line; the paths if the server sent no values.
    pub(crate) fn values(&self) -> String {
        if self.differences.is_empty() {
            return self.place();
        }
        self.differences.iter().map(Difference::on_line).collect::<Vec<_>>().join(", ")
    }
}

/// In one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
pub(crate) enum DriftState {
    InSync,
    Drifted,
    Missing,
    Unknown,
}

impl DriftState {
    /// As people read it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::InSync => "in sync",
            Self::Drifted => "drifted",
            Self::Missing => "missing",
            Self::Unknown => "unknown",
        }
    }

    /// As the API spells it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::InSync => "InSync",
            Self::Drifted => "Drifted",
            Self::Missing => "Missing",
            Self::Unknown => "Unknown",
        }
    }
}

/// A create whose end is not known.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Unsettled {
    pub(crate) operation: String,
    #[serde(default)]
    pub(crate) sent_at: Option<Instant>,
}

/// A resource of AWS, as far as it is known by an alias.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Mapped {
    /// The id of the reference that stands for it.
    #[serde(default)]
    pub(crate) tracked_by: Option<String>,
}

/// A resource of AWS in a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Found {
    /// What AWS calls it.
    pub(crate) name: String,
    /// The alias that stands for it.
    #[serde(default)]
    pub(crate) alias: Option<String>,
    /// The id of the reference that stands for it.
    #[serde(default)]
    pub(crate) tracked_by: Option<String>,
}

/// Anything, as far as its own name goes.
#[derive(Debug, Deserialize)]
pub(crate) struct Named {
    pub(crate) name: String,
}

/// What a reference stands for.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MapsTo {
    #[serde(default)]
    pub(crate) scope: Option<String>,
    #[serde(default)]
    pub(crate) primary_identifier: Option<String>,
}

/// The last operation that ended on a reference.
#[derive(Debug, Deserialize)]
pub(crate) struct LastOperation {
    pub(crate) id: String,
    pub(crate) status: OperationState,
    #[serde(default)]
    pub(crate) error: Option<ArmError>,
}

impl LastOperation {
    /// Its id, whether it is written alone or as the path of the operation.
    pub(crate) fn operation_id(&self) -> Option<OperationId> {
        OperationId::parse(self.id.rsplit('/').next()?)
    }
}

impl Reference {
    /// The type of what it stands for: `AWS.EC2/VPC`.
    pub(crate) fn resource_type(&self) -> &str {
        self.type_name.strip_suffix(":reference").unwrap_or(&self.type_name)
    }

    /// What AWS calls it, once it is known.
    pub(crate) fn identifier(&self) -> Option<&str> {
        if self.is_reference() {
            self.maps_to.primary_identifier.as_deref()
        } else {
            Some(&self.name)
        }
    }

    /// Whether it is a reference and not a resource of AWS.
    pub(crate) fn is_reference(&self) -> bool {
        self.type_name.ends_with(":reference")
    }

    /// The name of the deployment that manages it.
    pub(crate) fn manager(&self) -> Option<&str> {
        self.managed_by.as_deref()?.rsplit('/').next()
    }

    /// Where the resource is.
    pub(crate) fn aws_place(&self) -> Option<AwsPlace> {
        AwsPlace::of(self.maps_to.scope.as_deref().unwrap_or(&self.id))
    }

    /// How it is, in one word: what is being done to it, or else its state.
    pub(crate) fn state_word(&self) -> String {
        let doing = self.properties.get("provisioningState").and_then(Value::as_str);
        match (doing, &self.state) {
            (Some(doing), Some(_)) if self.operation.is_some() => doing.to_ascii_lowercase(),
            (_, Some(state)) => state.clone(),
            (Some(doing), None) => doing.to_ascii_lowercase(),
            (None, None) => "-".to_owned(),
        }
    }
}

/// How far an operation is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub(crate) enum OperationState {
    Succeeded,
    Failed,
    Canceled,
    /// Not ended; the word says what is being done.
    Running(String),
}

impl From<String> for OperationState {
    fn from(word: String) -> Self {
        match word.as_str() {
            "Succeeded" => Self::Succeeded,
            "Failed" => Self::Failed,
            "Canceled" => Self::Canceled,
            _ => Self::Running(word),
        }
    }
}

impl OperationState {
    pub(crate) fn is_ended(&self) -> bool {
        !matches!(self, Self::Running(_))
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Canceled => "Canceled",
            Self::Running(word) => word,
        }
    }
}

/// How an operation is doing.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Operation {
    pub(crate) name: OperationId,
    pub(crate) status: OperationState,
    #[serde(default)]
    pub(crate) start_time: Option<Instant>,
    #[serde(default)]
    pub(crate) end_time: Option<Instant>,
    #[serde(default)]
    pub(crate) resource_id: Option<String>,
    #[serde(default)]
    pub(crate) properties: Option<OperationResult>,
    #[serde(default)]
    pub(crate) error: Option<ArmError>,
    /// Why it makes no progress.
    #[serde(default)]
    pub(crate) waiting: Option<Waiting>,
    #[serde(default)]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) resource_type: String,
    #[serde(default)]
    pub(crate) reference: Option<String>,
    #[serde(default)]
    pub(crate) attempts: Vec<Attempt>,
    #[serde(default)]
    pub(crate) events: Vec<Event>,
    #[serde(default)]
    pub(crate) warnings: Vec<String>,
    /// The operation on a group that it is a part of.
    #[serde(default)]
    pub(crate) parent: Option<String>,
    /// What an operation on a group has found so far.
    #[serde(default)]
    pub(crate) counts: Option<Counts>,
    /// What it cost; older servers do not tell.
    #[serde(default)]
    pub(crate) calls: Option<Calls>,
}

/// Calls of AWS that were made for one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Calls {
    pub(crate) writes: u64,
    pub(crate) polls: u64,
    pub(crate) reads: u64,
}

impl Calls {
    /// In words.
    pub(crate) fn told(self) -> String {
        let counts = [(self.writes, "write"), (self.polls, "poll"), (self.reads, "read")];
        let told = counts
            .map(|(count, word)| format!("{count} {word}{}", if count == 1 { "" } else { "s" }));
        told.join(", ")
    }
}

/// How many resources of a group were found how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Counts {
    pub(crate) done: u64,
    pub(crate) in_sync: u64,
    pub(crate) drifted: u64,
    pub(crate) missing: u64,
    pub(crate) unknown: u64,
    pub(crate) repaired: u64,
    pub(crate) recreated: u64,
    pub(crate) pruned: u64,
    pub(crate) refused: u64,
}

impl Counts {
    /// Those that are not 0, in words.
    pub(crate) fn told(&self) -> String {
        let counts = [
            (self.in_sync, "in sync"),
            (self.drifted, "drifted"),
            (self.missing, "missing"),
            (self.unknown, "unknown"),
            (self.repaired, "repaired"),
            (self.recreated, "recreated"),
            (self.pruned, "pruned"),
            (self.refused, "refused"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        counts.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    }
}

impl Operation {
    /// Whether it works on all of a group by operations of their own.
    pub(crate) fn is_on_a_group(&self) -> bool {
        self.resource_type.ends_with("/resourceGroups")
    }

    /// Whether it consists of operations of their own.
    pub(crate) fn has_parts(&self) -> bool {
        self.is_on_a_group() || self.kind == "deploy"
    }

    /// What it is for, as a verb.
    pub(crate) fn deed(&self) -> &str {
        match self.kind.as_str() {
            "delete-group" | "delete-recipe" => "delete",
            "deploy-recipe" => "deploy",
            "drift" => "detect drift in",
            "unlink" => "detach",
            kind => kind,
        }
    }

    /// The type of the resource: `AWS.EC2/VPC`.
    pub(crate) fn bare_type(&self) -> &str {
        if self.is_on_a_group() {
            return "group";
        }
        if self.resource_type == "Microsoft.Resources/deployments" {
            return "deployment";
        }
        if self.resource_type == "Hangar.Recipes/recipes" {
            return "recipe";
        }
        self.resource_type.strip_suffix(":reference").unwrap_or(&self.resource_type)
    }

    /// The group and the name of what it is about: the alias, or else what AWS calls it.
    pub(crate) fn place_and_name(&self) -> (Option<String>, Option<String>) {
        let parse = |id: &Option<String>| ResourceId::parse(id.as_deref()?).ok();
        let Some(id) = parse(&self.reference).or_else(|| parse(&self.resource_id)) else {
            return (None, None);
        };
        let group = id.scope_name("resourceGroups").map(str::to_owned);
        (group, id.name().map(str::to_owned))
    }

    /// What it is about, in a sentence.
    pub(crate) fn subject(&self) -> String {
        match self.place_and_name() {
            (Some(group), _) if self.is_on_a_group() => format!("group `{group}`"),
            (_, Some(name)) => format!("{} `{name}`", self.bare_type()),
            (_, None) => self.bare_type().to_owned(),
        }
    }
}

/// What a successful operation did.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OperationResult {
    #[serde(default)]
    pub(crate) outcome: String,
    #[serde(default)]
    pub(crate) convergence: String,
    #[serde(default)]
    pub(crate) not_effective: Vec<String>,
    #[serde(default)]
    pub(crate) identifier: Option<String>,
}

/// One call to AWS.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attempt {
    pub(crate) number: u64,
    pub(crate) verb: String,
    #[serde(default)]
    pub(crate) request_token: Option<String>,
    pub(crate) outcome: String,
}

/// One thing that happened to an operation.
#[derive(Debug, Deserialize)]
pub(crate) struct Event {
    pub(crate) sequence: u64,
    #[serde(default)]
    pub(crate) at: Option<Instant>,
    pub(crate) message: String,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reference_is_shown_by_what_is_done_to_it_and_else_by_its_state() {
        let reference = |operation: Value| -> Reference {
            serde_json::from_value(json!({
                "id": "/planes/radius/local/resourceGroups/g/providers/AWS.EC2/VPC:reference/net",
                "name": "net", "type": "AWS.EC2/VPC:reference",
                "mapsTo": {"scope": "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.EC2/VPC",
                           "primaryIdentifier": "vpc-1"},
                "properties": {"provisioningState": "Updating"}, "state": "ready",
                "operation": operation, "observedAt": "2026-01-02T03:04:05Z",
            }))
            .unwrap()
        };
        assert_eq!(
            reference(json!("0191f3a8-7c2e-7abc-8def-0123456789ab")).state_word(),
            "updating"
        );
        let idle = reference(Value::Null);
        assert_eq!((idle.state_word().as_str(), idle.resource_type()), ("ready", "AWS.EC2/VPC"));
        assert_eq!(idle.aws_place().unwrap().account, "1");
        assert_eq!(idle.identifier(), Some("vpc-1"));
    }

    #[test]
    fn an_operation_is_named_by_its_alias() {
        let operation: Operation = serde_json::from_value(json!({
            "name": "0191f3a8-7c2e-7abc-8def-0123456789ab", "status": "Creating",
            "resourceType": "AWS.EC2/VPC", "kind": "put",
            "reference": "/planes/radius/local/resourceGroups/g/providers/AWS.EC2/VPC:reference/net",
        }))
        .unwrap();
        assert_eq!(operation.subject(), "AWS.EC2/VPC `net`");
        assert!(!operation.status.is_ended());
    }

    #[test]
    fn an_operation_on_a_group_is_named_by_the_group() {
        let operation: Operation = serde_json::from_value(json!({
            "name": "0191f3a8-7c2e-7abc-8def-0123456789ab", "status": "Deleting",
            "resourceType": "System.Resources/resourceGroups", "kind": "delete-group",
            "resourceId": "/planes/radius/local/resourceGroups/prod",
            "counts": {"done": 3, "refused": 1},
        }))
        .unwrap();
        assert_eq!((operation.deed(), &*operation.subject()), ("delete", "group `prod`"));
        assert_eq!(operation.counts.unwrap().told(), "1 refused");
    }
}
