//! A reference: an alias, what it stands for, and the documents of it that may be kept.

use std::collections::BTreeMap;
use std::fmt;

use hangar_ids::{AccountId, Region, TypeName, encode_name};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Version;
use super::deployment::DeploymentName;
use super::drift::Drift;
use super::group::GroupName;
use super::normal_form::NormalForm;
use crate::Timestamp;
use crate::operation::{Ending, Entry, OperationId, QUARANTINE};

/// An account and a region of an AWS plane.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AwsScope {
    /// The plane's name (`aws`).
    pub plane: String,
    /// The account.
    #[serde(with = "crate::text::account")]
    pub account: AccountId,
    /// The region.
    #[serde(with = "crate::text::region")]
    pub region: Region,
}

impl AwsScope {
    /// Whether both name the same account and region, however they spell it.
    pub fn is_same_place(&self, other: &Self) -> bool {
        self.plane.eq_ignore_ascii_case(&other.plane)
            && self.account.padded() == other.account.padded()
            && self.region == other.region
    }
}

impl fmt::Display for AwsScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plane, account, region } = self;
        write!(f, "/planes/aws/{plane}/accounts/{account}/regions/{region}")
    }
}

/// The name of a reference, as first spelt.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReferenceName {
    /// The group it is in.
    pub group: GroupName,
    /// The type of what it stands for, in the catalog's spelling.
    #[serde(with = "crate::text::type_name")]
    pub type_name: TypeName,
    /// The user's name for it, unique per type in the group.
    pub alias: String,
}

impl ReferenceName {
    /// The type in the form that is compared and ordered by.
    pub fn type_key(&self) -> String {
        self.type_name.ucp().to_ascii_lowercase()
    }

    /// The alias in the form that is compared and ordered by.
    pub fn alias_key(&self) -> String {
        self.alias.to_ascii_lowercase()
    }

    /// Group, type and alias in the form that is compared: one key for one reference.
    pub fn key(&self) -> String {
        format!("{}/{}/{}", self.group.key(), self.type_key(), self.alias_key())
    }

    /// Its resource id.
    pub fn id(&self) -> String {
        let alias = encode_name(&self.alias);
        format!("{}/providers/{}:reference/{alias}", self.group.id(), self.type_name.ucp())
    }
}

/// The documents of a reference. Write-only and secret values are in none of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Documents {
    /// What was last applied, without secrets.
    pub applied: Option<Value>,
    /// A keyed hash of each secret that was last applied, by path.
    pub secrets: BTreeMap<String, String>,
    /// What a caller marked secret though the schema does not say so, as RFC 6901 pointers.
    pub secret_paths: Vec<String>,
    /// What was last read, without secrets.
    pub observed: Option<Value>,
    /// When it was read.
    pub observed_at: Option<Timestamp>,
    /// The schema that was applied with.
    pub schema_hash: Option<String>,
    /// AWS's forms of what was sent, as reads after writes returned them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learned: Vec<NormalForm>,
    /// When the last operation that wrote ended, if no read showed what it wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unshown_since: Option<Timestamp>,
}

impl Documents {
    /// The paths of the record that only a caller marked secret: what was applied there, or the array around it, is
    /// not in the documents, and AWS does return it.
    pub fn taken_out(&self) -> Vec<&str> {
        self.secrets.keys().map(String::as_str).filter(|path| self.is_taken_out(path)).collect()
    }

    /// Whether only a caller marked what lies there secret, or something in it.
    pub fn is_taken_out(&self, path: &str) -> bool {
        let is_of = |it: &String| {
            it.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.secret_paths.iter().any(is_of)
    }
}

/// A reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// Its name.
    pub name: ReferenceName,
    /// Where the resource is; never changes.
    pub scope: AwsScope,
    /// What it stands for right now.
    pub entry: Entry,
    /// What is known of the resource.
    pub documents: Documents,
    /// References that must be there before this one, and go after it, by id.
    pub depends_on: Vec<String>,
    /// What the last look at the resource found.
    pub drift: Option<Drift>,
    /// The keys that it had before it was renamed, oldest first: what it made and what was hashed then
    /// is told by them.
    pub former_keys: Vec<String>,
    /// The deployment that manages it: whose template last named it. It counts while that deployment is there.
    pub managed_by: Option<DeploymentName>,
    /// The last operation that ended on it, and how.
    pub last_operation: Option<(OperationId, Ending)>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When an operation last changed it.
    pub updated_at: Timestamp,
    /// How often it was written.
    pub version: Version,
}

impl Reference {
    /// The key that it had first: what its secrets are salted with, whatever it is called by now.
    pub fn first_key(&self) -> String {
        self.former_keys.first().cloned().unwrap_or_else(|| self.name.key())
    }

    /// Whether it is or once was called by this key.
    pub fn is_known_as(&self, key: &str) -> bool {
        self.name.key() == key || self.former_keys.iter().any(|it| it == key)
    }

    /// Whether this deployment manages it.
    pub fn is_managed_by(&self, deployment: &DeploymentName) -> bool {
        self.managed_by.as_ref().is_some_and(|it| it.is_same(deployment))
    }

    /// Whether a read may still be late to show the last write, or its call may still arrive.
    pub fn is_unsettled(&self, now: Timestamp) -> bool {
        self.documents.unshown_since.is_some_and(|since| now.since(since) <= QUARANTINE)
    }

    /// The collection that the resource is in.
    pub fn collection(&self) -> String {
        format!("{}/providers/{}", self.scope, self.name.type_name.ucp())
    }
}
