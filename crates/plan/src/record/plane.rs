//! A plane: the first name in every id, and what is said of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Version;
use crate::Timestamp;

/// What kind of names a plane holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlaneKind {
    /// Accounts and regions of AWS.
    Aws,
    /// Groups.
    Radius,
}

impl PlaneKind {
    /// The word in ids.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Aws => "aws",
            Self::Radius => "radius",
        }
    }
}

/// The name of a plane, as first spelt.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlaneName {
    /// Its kind.
    pub kind: PlaneKind,
    /// Its own name.
    pub name: String,
}

impl PlaneName {
    /// The form that is compared and ordered by.
    pub fn key(&self) -> String {
        format!("{}/{}", self.kind.as_str(), self.name.to_ascii_lowercase())
    }

    /// Its resource id.
    pub fn id(&self) -> String {
        format!("/planes/{}/{}", self.kind.as_str(), self.name)
    }
}

/// A plane. `aws/aws` and `radius/local` are there from the first start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plane {
    /// Its name.
    pub name: PlaneName,
    /// The caller's own.
    pub location: Option<String>,
    /// The caller's own.
    pub tags: BTreeMap<String, String>,
    /// The caller's own.
    pub properties: BTreeMap<String, Value>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its caller last changed it.
    pub updated_at: Timestamp,
    /// How often it was written.
    pub version: Version,
}
