//! Entity tags as HTTP writes them; what they are made of is the engine's, which checks them.

use hangar_engine::{
    etag_of_credential, etag_of_group, etag_of_plane, etag_of_recipe, etag_of_reference,
};
use hangar_plan::record::{
    CredentialRecord, DeploymentRecord, Group, Plane, RecipeRecord, Reference,
};

/// An entity tag with its quotes: the header and the body have the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ETag(String);

impl ETag {
    pub(crate) fn of_credential(credential: &CredentialRecord) -> Self {
        Self(etag_of_credential(credential))
    }

    /// Of a run, and of whether it has ended: no two runs have one name.
    pub(crate) fn of_deployment(deployment: &DeploymentRecord) -> Self {
        let ended = if deployment.ending.is_some() { "-ended" } else { "" };
        Self(format!("\"{}{ended}\"", deployment.operation))
    }

    pub(crate) fn of_group(group: &Group) -> Self {
        Self(etag_of_group(group))
    }

    pub(crate) fn of_plane(plane: &Plane) -> Self {
        Self(etag_of_plane(plane))
    }

    pub(crate) fn of_recipe(recipe: &RecipeRecord) -> Self {
        Self(etag_of_recipe(recipe))
    }

    pub(crate) fn of_reference(reference: &Reference) -> Self {
        Self(etag_of_reference(reference))
    }

    #[cfg(test)]
    pub(crate) fn test(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}
