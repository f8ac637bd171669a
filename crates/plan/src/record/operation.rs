//! An operation as it is kept: the machine's state and what the edges need to know of it.

use hangar_ids::TypeName;
use serde::{Deserialize, Serialize};

use super::reference::{AwsScope, ReferenceName};
use super::{Epoch, Version};
use crate::Timestamp;
use crate::operation::Operation;

/// What an operation is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Account and region.
    pub scope: AwsScope,
    /// The type, in the catalog's spelling.
    #[serde(with = "crate::text::type_name")]
    pub type_name: TypeName,
    /// The reference, where there is one.
    pub reference: Option<ReferenceName>,
    /// What its caller marked secret though the schema does not say so, as RFC 6901 pointers.
    #[serde(default)]
    pub secret_paths: Vec<String>,
}

impl Subject {
    /// A type in a place, by a reference or without one; nothing is marked secret.
    pub fn new(scope: AwsScope, type_name: TypeName, reference: Option<ReferenceName>) -> Self {
        Self { scope, type_name, reference, secret_paths: Vec::new() }
    }

    /// The collection that the resource is in.
    pub fn collection(&self) -> String {
        format!("{}/providers/{}", self.scope, self.type_name.ucp())
    }

    /// One key for one resource of the cloud: identifiers keep their case, and an account is the same
    /// with and without its leading zeros.
    pub fn resource_key(&self, identifier: &str) -> String {
        let AwsScope { plane, account, region } = &self.scope;
        let account = account.padded();
        let type_name = self.type_name.ucp();
        let place = format!("{plane}/{account}/{region}/{type_name}").to_ascii_lowercase();
        format!("{place}/{identifier}")
    }
}

/// A caller's own name for a request: the same again is the same operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeatability {
    /// What the caller calls the request.
    pub request_id: String,
    /// A keyed hash of method, path and body.
    pub body_hash: String,
}

/// An operation as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationRecord {
    /// The machine.
    pub operation: Operation,
    /// What it is about.
    pub subject: Subject,
    /// The caller's name for the request.
    pub repeatability: Option<Repeatability>,
    /// The caller's, for logs.
    pub correlation_id: Option<String>,
    /// What its caller should know besides.
    pub warnings: Vec<String>,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When it last moved.
    pub updated_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// When a worker should look at it; never again where there is none.
    pub due_at: Option<Timestamp>,
    /// How often it was leased.
    pub epoch: Epoch,
    /// How often it was written.
    pub version: Version,
}
