//! Terraform state in any of its forms, as one list of instances.
//!
//! [`read`] takes what `terraform state pull`, a state file or `terraform show -json` hold. Attributes
//! stay in the text that was given and are read when they are asked for, so that a large state needs
//! little more than its own text. What is odd and can be passed over is a warning, never a failure.

mod attributes;
pub mod codes;
mod error;
mod instance;
mod json;
mod provider;
mod recognize;
mod sensitive;
mod show;
#[cfg(test)]
mod tests;
mod v3;
mod v4;

use std::borrow::Cow;

use hangar_diag::Code;
use hangar_ids::{InstanceKey, ResourceMode};

pub use attributes::{Attributes, Fields};
pub use error::StateError;
pub use instance::Instance;
pub use json::Json;
pub use provider::Provider;
pub use sensitive::Sensitive;

use json::{Members, member};
use recognize::Recognized;

/// What a state holds.
#[derive(Debug, Clone)]
pub struct State<'a> {
    /// In which form it was written.
    pub form: Form,
    /// The version of Terraform or OpenTofu that wrote it.
    pub terraform_version: Option<Cow<'a, str>>,
    /// Counts the writes of one lineage; `show -json` does not tell it.
    pub serial: Option<u64>,
    /// Tells one state's history from another's; `show -json` does not tell it.
    pub lineage: Option<Cow<'a, str>>,
    /// What it knows of, in its order: resources and data sources, deposed objects too.
    pub instances: Vec<Instance<'a>>,
    /// The outputs of the root module.
    pub outputs: Vec<Output<'a>>,
    /// What was odd and passed over.
    pub warnings: Vec<Warning>,
}

/// In which form a state was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// A state file of version 4, since Terraform 0.12.
    Raw4,
    /// A state file of version 3, Terraform 0.7 to 0.11.
    Raw3,
    /// What `terraform show -json` prints.
    Show,
}

/// One output of the root module.
#[derive(Debug, Clone)]
pub struct Output<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Its value; null where the state has none.
    pub value: Json<'a>,
    /// Whether its value must not be shown.
    pub sensitive: bool,
}

/// Something odd that did not stop the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Which kind of thing.
    pub code: Code,
    /// The instance that it is about, if it is about one.
    pub address: Option<String>,
    /// What was odd, and what became of it.
    pub message: String,
}

impl Warning {
    fn odd(address: Option<String>, message: impl Into<String>) -> Self {
        Self { code: codes::ODD_PART, address, message: message.into() }
    }
}

/// Reads a state.
///
/// ```
/// use hangar_manifest::state::{Form, read};
///
/// let text = br#"{"version": 4, "serial": 1, "lineage": "x", "resources": [
///   {"mode": "managed", "type": "aws_vpc", "name": "net", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
///    "instances": [{"index_key": "a", "attributes": {"id": "vpc-1", "tags": {"Name": "x"}}}]}]}"#;
/// let state = read(text)?;
/// assert_eq!(state.form, Form::Raw4);
/// let vpc = &state.instances[0];
/// assert_eq!(vpc.address, r#"aws_vpc.net["a"]"#);
/// assert_eq!(vpc.provider.to_string(), "registry.terraform.io/hashicorp/aws");
/// assert_eq!(vpc.attributes.get(&["tags", "Name"]), Some("x".into()));
/// # Ok::<(), hangar_manifest::state::StateError>(())
/// ```
pub fn read(text: &[u8]) -> Result<State<'_>, StateError> {
    match recognize::recognize(text)? {
        Recognized::Raw4(document) => v4::read(&document),
        Recognized::Raw3(document) => v3::read(&document),
        Recognized::Show(document) => show::read(&document),
    }
}

/// A state of which nothing but its head is read.
fn head<'a>(form: Form, document: &Members<'a>) -> State<'a> {
    State {
        form,
        terraform_version: member(document, "terraform_version").and_then(Json::text),
        serial: member(document, "serial").and_then(Json::number),
        lineage: member(document, "lineage").and_then(Json::text),
        instances: Vec::new(),
        outputs: Vec::new(),
        warnings: Vec::new(),
    }
}

/// The outputs of a module, which all forms write alike; a bare value is one too.
fn outputs<'a>(outputs: Option<Json<'a>>) -> Vec<Output<'a>> {
    let members = outputs.and_then(Json::members).unwrap_or_default();
    let read = |(name, output): (Cow<'a, str>, Json<'a>)| match output.members() {
        Some(parts) => Output {
            name,
            value: member(&parts, "value").unwrap_or(Json::NULL),
            // What is marked in a way that is not known is not shown.
            sensitive: member(&parts, "sensitive").is_some_and(|it| it.boolean() != Some(false)),
        },
        None => Output { name, value: output, sensitive: false },
    };
    members.into_iter().map(read).collect()
}

/// The list that a part of a state must be; where it is absent or null, an empty one.
fn list<'a>(document: &Members<'a>, part: &'static str) -> Result<Vec<Json<'a>>, StateError> {
    let Some(json) = member(document, part) else { return Ok(Vec::new()) };
    json.elements().ok_or(StateError::Malformed { part, found: json.noun(), wanted: "a list" })
}

/// The key of an instance; a number that is no index is kept as it is written.
fn instance_key(json: Option<Json<'_>>) -> Option<InstanceKey> {
    let json = json?;
    Some(match (json.number(), json.text()) {
        (Some(index), _) => InstanceKey::Index(index),
        (None, Some(text)) => InstanceKey::Text(text.into_owned()),
        (None, None) => InstanceKey::Text(json.as_str().to_owned()),
    })
}

/// Whether Terraform made it; none for a mode that is not known.
fn mode(text: Option<&str>) -> Option<ResourceMode> {
    match text {
        Some("managed") => Some(ResourceMode::Managed),
        Some("data") => Some(ResourceMode::Data),
        _ => None,
    }
}
