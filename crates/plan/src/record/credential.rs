//! A credential as it is kept: what may be shown, and the rest sealed.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Version;
use crate::Timestamp;

/// The name of a credential: a plane's `default`, or the number of the account that it is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CredentialName {
    /// The AWS plane.
    pub plane: String,
    /// `default`, or an account's number.
    pub name: String,
}

impl CredentialName {
    /// The form that is compared and ordered by, and what its secrets are sealed to.
    pub fn key(&self) -> String {
        format!("{}/{}", self.plane, self.name).to_ascii_lowercase()
    }

    /// Its resource id.
    pub fn id(&self) -> String {
        format!("/planes/aws/{}/providers/System.AWS/credentials/{}", self.plane, self.name)
    }
}

/// A credential as it is kept.
#[derive(Clone, PartialEq)]
pub struct CredentialRecord {
    /// Its name.
    pub name: CredentialName,
    /// The caller's own.
    pub location: Option<String>,
    /// The caller's own.
    pub tags: BTreeMap<String, String>,
    /// What may be shown: its kind, its role, never a secret.
    pub shown: Value,
    /// All of it, sealed to its key.
    pub sealed: Vec<u8>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its caller last changed it.
    pub updated_at: Timestamp,
    /// How often it was written.
    pub version: Version,
}

impl fmt::Debug for CredentialRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CredentialRecord({}, {}, «sealed»)", self.name.id(), self.version.0)
    }
}
