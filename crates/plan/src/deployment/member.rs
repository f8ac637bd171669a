//! What a deployment manages, and what is kept of what left it.
//!
//! A member counts only while its alias says that this deployment manages it: the list may name more than that,
//! and never less.

use hangar_template::recipe::RECIPE_TYPE;
use serde::{Deserialize, Serialize};

use super::{Left, Row, RowKind, RowTarget};
use crate::record::{GroupName, RecipeName, ReferenceName};

/// Something that a run of a deployment named: an alias with its type and place, or a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// What it is.
    #[serde(flatten)]
    pub kind: RowKind,
    /// Its alias, or the name of a recipe: the key that it is known by, whatever symbol a template has for it.
    pub name: String,
    /// How the template named it last.
    pub address: String,
    /// What it rests on, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
}

impl Member {
    /// The reference that it is, where it is of AWS.
    pub fn reference(&self, group: &GroupName) -> Option<ReferenceName> {
        let RowKind::Aws(aws) = &self.kind else { return None };
        let (type_name, alias) = (aws.type_name.clone(), self.name.clone());
        Some(ReferenceName { group: group.clone(), type_name, alias })
    }

    /// The recipe that it is.
    pub fn recipe(&self, group: &GroupName) -> Option<RecipeName> {
        let RowKind::Recipe = self.kind else { return None };
        Some(RecipeName { group: group.clone(), name: self.name.clone() })
    }

    /// Its id.
    pub fn id(&self, group: &GroupName) -> String {
        let reference = self.reference(group).map(|name| name.id());
        let recipe = self.recipe(group).map(|name| name.id());
        reference.or(recipe).unwrap_or_default()
    }

    /// Its type as ids and templates spell it.
    pub fn type_text(&self) -> String {
        match &self.kind {
            RowKind::Aws(aws) => aws.type_name.ucp(),
            RowKind::Recipe => RECIPE_TYPE.to_owned(),
        }
    }

    /// What tells it from every other of its group.
    pub fn key(&self, group: &GroupName) -> String {
        self.id(group).to_ascii_lowercase()
    }
}

/// A resource that was left alone when its alias was taken away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detached {
    /// What it was.
    #[serde(flatten)]
    pub member: Member,
    /// The resource.
    pub identifier: Option<String>,
}

/// A resource that was replaced and could not be deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leftover {
    /// How the template names what took its place.
    pub address: String,
    /// The resource.
    pub identifier: String,
}

/// What a deployment manages, and what became of what left it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Holdings {
    /// What it manages; nothing in records from before this was kept, and while a run is under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed: Option<Vec<Member>>,
    /// What the template does not name any more and the last run did not take away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Left>,
    /// What was detached, in this run and before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub detached: Vec<Detached>,
    /// What was replaced and stays.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retiring: Vec<Leftover>,
}

/// What the rows of a run make a deployment manage: all that it puts, and what it was to take away and did not.
pub fn members_of(rows: &[Row], group: &GroupName) -> Vec<Member> {
    let members = rows.iter().filter_map(|row| {
        let (name, depends_on) = match &row.target {
            RowTarget::Managed(name) => {
                let before = row.depends_on.iter().filter_map(|index| rows.get(*index));
                (name, before.filter_map(|row| row.id(group)).collect())
            }
            RowTarget::Removed { alias, depends_on, .. } if !row.is_done() => {
                (alias, depends_on.clone())
            }
            RowTarget::Removed { .. } | RowTarget::Existing { .. } => return None,
        };
        let (kind, name, address) = (row.kind.clone(), name.clone(), row.address.clone());
        Some(Member { kind, name, address, depends_on })
    });
    members.collect()
}
