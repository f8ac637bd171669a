//! Addresses as people write them: the quotes of a key may be left out.

use std::fmt;

use hangar_ids::{InstanceKey, ModulePath, TerraformAddress};

use super::{Block, LookupError};

/// A block and which of its instances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) block: Block,
    pub(super) key: Option<InstanceKey>,
}

impl Address {
    pub(super) fn parse(text: &str) -> Result<Self, LookupError> {
        let read = TerraformAddress::parse(text)
            .or_else(|first| TerraformAddress::parse(&with_quotes(text)).map_err(|_| first));
        match read {
            Ok(address) => Ok(Self {
                block: Block {
                    module: address.module().to_string(),
                    mode: address.mode(),
                    type_name: address.resource_type().to_owned(),
                    name: address.name().to_owned(),
                },
                key: address.key().cloned(),
            }),
            Err(diagnostic) => {
                let problem = diagnostic.labels.first().map(|label| label.text.clone());
                let problem = problem.unwrap_or_default();
                Err(LookupError::Address { address: text.to_owned(), problem })
            }
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.block.fmt(f)?;
        self.key.iter().try_for_each(|key| key.fmt(f))
    }
}

/// The address with quotes around keys that have none and are no numbers.
fn with_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('[') {
        out.push_str(before);
        let (key, after) = if behind.starts_with('"') {
            let end = behind.find("\"]").map_or(behind.len(), |at| at + 2);
            (None, end)
        } else {
            match behind.find(']') {
                Some(end) if behind[..end].parse::<u64>().is_ok() => (None, end + 1),
                Some(end) => (Some(&behind[..end]), end + 1),
                None => (None, behind.len()),
            }
        };
        if let Some(key) = key {
            out.push_str(&InstanceKey::Text(key.to_owned()).to_string());
        } else {
            out.push('[');
            out.push_str(&behind[..after]);
        }
        rest = &behind[after..];
    }
    out.push_str(rest);
    out
}

/// The path of a module as Terraform prints it now; one that cannot be read as it is.
pub(super) fn module_text(written: &str) -> String {
    ModulePath::parse(written).map_or_else(|_| written.to_owned(), |path| path.to_string())
}

/// Whether two keys are the same but for the quotes.
pub(super) fn is_alike(a: &InstanceKey, b: &InstanceKey) -> bool {
    match (a, b) {
        (InstanceKey::Index(index), InstanceKey::Text(text))
        | (InstanceKey::Text(text), InstanceKey::Index(index)) => text == &index.to_string(),
        _ => a == b,
    }
}
