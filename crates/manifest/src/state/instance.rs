//! One instance of a resource or a data source.

use std::borrow::Cow;

use hangar_ids::{InstanceKey, ResourceMode};

use super::{Attributes, Json, Provider, Sensitive};

/// What a state knows of one object.
#[derive(Debug, Clone)]
pub struct Instance<'a> {
    /// Its address as Terraform prints it; of a state of version 3 as that writes it.
    pub address: String,
    /// The path of its module, as written; empty for the root.
    pub module: Cow<'a, str>,
    /// Whether Terraform made it or only read it.
    pub mode: ResourceMode,
    /// The resource type: `aws_vpc`.
    pub type_name: Cow<'a, str>,
    /// The block's name.
    pub name: Cow<'a, str>,
    /// Which instance of its block.
    pub key: Option<InstanceKey>,
    /// The provider that it belongs to.
    pub provider: Provider<'a>,
    /// All that is known of it.
    pub attributes: Attributes<'a>,
    /// Which of that must not be shown.
    pub sensitive: Sensitive<'a>,
    /// Whether it is to be replaced at the next apply.
    pub tainted: bool,
    /// The key of an object that was replaced and could not be deleted; it shares its address with the
    /// current one.
    pub deposed: Option<Cow<'a, str>>,
    /// What tells the object from all others in the words of its provider, since Terraform 1.12.
    pub identity: Option<Json<'a>>,
    /// The whole of what the state has on it, for what is not told here.
    pub document: Json<'a>,
}

impl Instance<'_> {
    /// Whether it is an object that Terraform made and still wants.
    pub fn is_current_resource(&self) -> bool {
        self.mode == ResourceMode::Managed && self.deposed.is_none()
    }
}

/// The address of an instance.
pub(super) fn address(
    module: &str,
    mode: ResourceMode,
    type_name: &str,
    name: &str,
    key: Option<&InstanceKey>,
) -> String {
    let dot = if module.is_empty() { "" } else { "." };
    let data = if mode == ResourceMode::Data { "data." } else { "" };
    let key = key.map(ToString::to_string).unwrap_or_default();
    format!("{module}{dot}{data}{type_name}.{name}{key}")
}
