//! Addresses of Terraform: where an instance stands in a configuration's modules.
//!
//! `read` takes the text apart; `key` is what tells the instances of one block apart.

mod key;
mod read;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use hangar_diag::Diagnostic;

pub use key::InstanceKey;

/// The address of one instance: `module.net["a/b"].aws_subnet.main[0]`.
///
/// It prints as Terraform does; the `.0` of versions before 0.12 is read and printed as `[0]`.
///
/// ```
/// use hangar_ids::{InstanceKey, TerraformAddress};
///
/// let address: TerraformAddress = r#"module.net["a.b"].data.aws_subnet.main[0]"#.parse()?;
/// assert_eq!(address.module().to_string(), r#"module.net["a.b"]"#);
/// assert_eq!((address.resource_type(), address.name()), ("aws_subnet", "main"));
/// assert_eq!(address.key(), Some(&InstanceKey::Index(0)));
/// # Ok::<(), hangar_diag::Diagnostic>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TerraformAddress {
    module: ModulePath,
    mode: ResourceMode,
    resource_type: String,
    name: String,
    key: Option<InstanceKey>,
}

/// Whether Terraform made a thing or only read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ResourceMode {
    /// A `resource` block.
    Managed,
    /// A `data` block.
    Data,
}

/// The modules around an instance, the outermost first; empty for the root.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModulePath(Vec<ModuleCall>);

/// One `module` block, and which of its instances.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleCall {
    /// The block's label.
    pub name: String,
    /// Which instance, where the block has `count` or `for_each`.
    pub key: Option<InstanceKey>,
}

impl TerraformAddress {
    /// Reads an address of a resource's instance.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        read::address(text)
    }

    /// The modules around it.
    pub fn module(&self) -> &ModulePath {
        &self.module
    }

    /// Whether it is a resource or a data source.
    pub fn mode(&self) -> ResourceMode {
        self.mode
    }

    /// The resource type: `aws_subnet`.
    pub fn resource_type(&self) -> &str {
        &self.resource_type
    }

    /// The block's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Which instance of its block.
    pub fn key(&self) -> Option<&InstanceKey> {
        self.key.as_ref()
    }
}

impl ModulePath {
    /// Reads a path of modules; the empty text is the root.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        read::module_path(text)
    }

    /// The calls, the outermost first.
    pub fn calls(&self) -> &[ModuleCall] {
        &self.0
    }
}

impl FromStr for TerraformAddress {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        Self::parse(text)
    }
}

impl fmt::Display for TerraformAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.module.0.is_empty() {
            write!(f, "{}.", self.module)?;
        }
        if self.mode == ResourceMode::Data {
            f.write_str("data.")?;
        }
        write!(f, "{}.{}", self.resource_type, self.name)?;
        self.key.iter().try_for_each(|key| write!(f, "{key}"))
    }
}

impl fmt::Display for ModulePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, call) in self.0.iter().enumerate() {
            let dot = if at == 0 { "" } else { "." };
            write!(f, "{dot}module.{}", call.name)?;
            call.key.iter().try_for_each(|key| write!(f, "{key}"))?;
        }
        Ok(())
    }
}
