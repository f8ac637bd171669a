//! The ids of what a state holds, by the contract of the output resources of a recipe.
//!
//! Each instance of Azure, AWS and Kubernetes has the id that names it in the planes, or a reason why it has
//! none; others have a proposal beside it (`beyondId`). Where the type is known to Cloud Control, a link tells how
//! to read the resource through the AWS plane. Nothing here fails: what has no id is told.

mod aws;
mod azure;
mod beyond;
mod cloud_control;
mod kubernetes;
mod subject;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use hangar_diag::Code;
use hangar_ids::ResourceMode;
use serde::Serialize;

use crate::state::{State, Warning, codes};
use cloud_control::Tables;
pub use cloud_control::{CloudControl, Confidence};
use subject::Subject;

/// What is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ask<'a> {
    /// The account of the environment, for ARNs that carry none.
    pub aws_account: Option<&'a str>,
    /// The region of the environment, to read what is in no region through.
    pub aws_region: Option<&'a str>,
    /// Whether the proposals for other providers count, too.
    pub all_providers: bool,
    /// The ids that the recipe's author declared, which come first.
    pub declared: &'a [String],
}

/// The ids of a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Distinct ids, whatever their case; the first spelling of each.
    pub resources: Vec<String>,
    /// Every instance of the state, in its order.
    pub instances: Vec<Reported>,
    /// What should be known and stopped nothing.
    pub warnings: Vec<ReportedWarning>,
}

/// One instance of a state, and its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reported {
    /// Its address in the configuration.
    pub address: String,
    /// The provider's address.
    pub provider: String,
    /// Which configuration of the provider, where it is not the default one: another cluster, another region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_alias: Option<String>,
    /// Terraform's type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Its id.
    pub id: Option<String>,
    /// Why it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What its id would be, of a provider that has none by contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beyond_id: Option<String>,
    /// Its ARN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arn: Option<String>,
    /// The address of the instance that has the same id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
    /// Whether it is to be replaced at the next apply.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
    /// The key of an object that was replaced and is still there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deposed: Option<String>,
    /// How Cloud Control names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloud_control: Option<CloudControl>,
}

/// Something that should be known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportedWarning {
    /// Which kind of thing.
    pub code: &'static str,
    /// The instance that it is about, if it is about one.
    pub address: Option<String>,
    /// What it is.
    pub message: String,
}

/// What comes of looking for an id.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Found {
    Id(String),
    /// Why there is none; with a code where somebody should know.
    Nothing(String, Option<Code>),
}

impl Found {
    fn nothing(reason: impl Into<String>) -> Self {
        Self::Nothing(reason.into(), None)
    }

    fn warned(code: Code, reason: impl Into<String>) -> Self {
        Self::Nothing(reason.into(), Some(code))
    }

    fn id(self) -> Option<String> {
        match self {
            Self::Id(id) => Some(id),
            Self::Nothing(..) => None,
        }
    }
}

/// The ids of all that a state holds.
///
/// ```
/// use hangar_manifest::output_resources::{Ask, report};
/// use hangar_manifest::state::read;
///
/// let text = br#"{"version": 4, "resources": [{"mode": "managed", "type": "aws_s3_bucket", "name": "logs",
///   "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
///   "instances": [{"attributes": {"id": "logs", "arn": "arn:aws:s3:::logs", "region": "us-east-2"}}]}]}"#;
/// let report = report(&read(text)?, &Ask { aws_account: Some("123456789012"), ..Ask::default() });
/// assert_eq!(
///     report.resources,
///     ["/planes/aws/aws/accounts/123456789012/regions/global/providers/AWS.s3/bucket/logs"],
/// );
/// let link = report.instances[0].cloud_control.as_ref().unwrap();
/// assert_eq!((link.type_name.as_str(), link.identifier.as_str()), ("AWS.S3/Bucket", "logs"));
/// # Ok::<(), hangar_manifest::state::StateError>(())
/// ```
pub fn report(state: &State<'_>, ask: &Ask<'_>) -> Report {
    let tables = Tables::read();
    let mut ids = Ids::default();
    for id in ask.declared {
        ids.add(id);
    }
    let mut warnings: Vec<Warning> = state.warnings.clone();
    let mut instances = Vec::with_capacity(state.instances.len());
    for instance in &state.instances {
        let subject = Subject::new(instance, ask);
        let mut reported = subject.reported();
        let found = find(&subject, &tables, &mut reported);
        match found {
            Found::Id(id) => reported.id = Some(id),
            Found::Nothing(reason, code) => {
                if let Some(code) = code {
                    let address = Some(reported.address.clone());
                    warnings.push(Warning { code, address, message: reason.clone() });
                }
                reported.reason = Some(reason);
            }
        }
        let beyond = reported.beyond_id.as_ref().filter(|_| ask.all_providers);
        if let Some(id) = reported.id.as_ref().or(beyond) {
            reported.duplicate_of = ids.take(id, &reported.address);
        }
        instances.push(reported);
    }
    let warnings = warnings.into_iter().map(|warning| ReportedWarning {
        code: warning.code.as_str(),
        address: warning.address,
        message: warning.message,
    });
    Report { resources: ids.distinct, instances, warnings: warnings.collect() }
}

/// The id of one instance; what else is found goes into the report.
fn find(subject: &Subject<'_, '_>, tables: &Tables, reported: &mut Reported) -> Found {
    let instance = subject.instance;
    if instance.mode == ResourceMode::Data {
        return Found::nothing("data source: never an output resource");
    }
    if instance.deposed.is_some() {
        let reason = "deposed object: it was replaced but still exists; the next apply deletes it";
        return Found::warned(codes::DEPOSED, reason);
    }
    let provider = &instance.provider;
    if provider.is_hashicorps("aws") {
        reported.cloud_control = tables.link(subject);
        let (found, arn) = aws::find(subject);
        reported.arn = arn;
        return found;
    }
    if provider.is_hashicorps("azurerm") {
        return azure::find(subject);
    }
    if provider.is_hashicorps("kubernetes") {
        return kubernetes::find(subject, &tables.kubernetes);
    }
    if provider.is_hashicorps("awscc") {
        reported.cloud_control = tables.awscc_link(subject);
        reported.beyond_id = reported.cloud_control.as_ref().and_then(|link| link.id.clone());
    } else {
        reported.beyond_id = beyond::find(subject, &tables.kubernetes).and_then(Found::id);
    }
    Found::nothing("provider outside aws/azurerm/kubernetes")
}

/// Ids of which each counts once, whatever its case.
#[derive(Default)]
struct Ids {
    distinct: Vec<String>,
    seen: HashSet<String>,
    owners: HashMap<String, String>,
}

impl Ids {
    fn add(&mut self, id: &str) {
        if self.seen.insert(id.to_ascii_lowercase()) {
            self.distinct.push(id.to_owned());
        }
    }

    /// Adds the id of an instance; the address of the one that had it first, if another did.
    fn take(&mut self, id: &str, address: &str) -> Option<String> {
        self.add(id);
        match self.owners.entry(id.to_ascii_lowercase()) {
            std::collections::hash_map::Entry::Occupied(owner) => Some(owner.get().clone()),
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(address.to_owned());
                None
            }
        }
    }
}
