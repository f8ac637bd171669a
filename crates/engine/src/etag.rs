//! What tells one state of a reference or a group from another: a hash of what its owner can change.

use hangar_plan::record::{CredentialRecord, Group, Plane, RecipeRecord, Reference};
use serde_json::json;

use crate::hash::sha256;

/// The etag of a reference: of what it maps to, who owns it, what was applied and what was observed;
/// not of leases or operations.
pub fn etag_of_reference(reference: &Reference) -> String {
    // Written as it stands: a copy of both documents would cost more than the hash of them.
    let documents = &reference.documents;
    let text = serde_json::to_string(&(
        reference.collection(),
        &reference.entry.identifier,
        reference.entry.owned,
        &documents.applied,
        &documents.secrets,
        &documents.observed,
    ));
    hash(&text.expect("what is kept has text for keys"))
}

/// The etag of a group: of what its caller said of it.
pub fn etag_of_group(group: &Group) -> String {
    hash(
        &json!([
            group.name.id(),
            group.location,
            group.tags,
            group.aws_scope.as_ref().map(ToString::to_string),
            group.properties,
            group.secrets,
        ])
        .to_string(),
    )
}

/// The etag of a plane: of what its caller said of it.
pub fn etag_of_plane(plane: &Plane) -> String {
    hash(&json!([plane.name.id(), plane.location, plane.tags, plane.properties]).to_string())
}

/// The etag of a credential. Of its secrets nothing may be told, not even that two are the same, so it
/// changes with every write.
pub fn etag_of_credential(credential: &CredentialRecord) -> String {
    let written = (credential.updated_at.as_micros(), credential.version.0);
    hash(
        &json!([credential.name.id(), credential.shown, credential.tags, written.0, written.1])
            .to_string(),
    )
}

/// The etag of a recipe. Of its secrets nothing may be told, so it changes with every run and with every end.
pub fn etag_of_recipe(recipe: &RecipeRecord) -> String {
    hash(&json!([recipe.name.id(), recipe.operation.to_string(), recipe.version.0]).to_string())
}

fn hash(text: &str) -> String {
    format!("\"{}\"", &sha256(text)[..32])
}
