//! Entity tags: a hash of what a caller can change or see, not of leases and operations.

use hangar_plan::record::{Group, Reference};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// An entity tag without its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ETag(String);

impl ETag {
    pub(crate) fn of_group(group: &Group) -> Self {
        Self::of(&json!([
            group.name.key(),
            group.location,
            group.tags,
            group.aws_scope,
            group.properties,
            group.created_at,
        ]))
    }

    pub(crate) fn of_reference(reference: &Reference) -> Self {
        Self::of(&json!([
            reference.collection(),
            reference.entry.identifier,
            reference.entry.owned,
            reference.documents.applied,
            reference.documents.observed,
        ]))
    }

    fn of(value: &Value) -> Self {
        use std::fmt::Write as _;
        let digest = Sha256::digest(value.to_string().as_bytes());
        let mut text = String::with_capacity(32);
        for byte in &digest[..16] {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    #[cfg(test)]
    pub(crate) fn test(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// As the header and the body have it.
    pub(crate) fn quoted(&self) -> String {
        format!("\"{}\"", self.0)
    }
}
