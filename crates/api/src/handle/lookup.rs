//! The reads that several routes make, with the answer of a thing that is not there.

use std::collections::HashMap;

use hangar_plan::operation::{Operation, OperationId};
use hangar_plan::record::{
    AwsScope, DeploymentName, DeploymentRecord, Group, GroupName, OperationRecord, Plane,
    PlaneKind, PlaneName, RecipeName, RecipeRecord, Reference, ReferenceName, Subject, Work,
};
use hangar_store::mapping;

use crate::access::Reads;
use crate::error::{ApiError, Code};
use crate::failure::of_store;

/// A plane that must be there.
pub(crate) async fn plane(reads: &Reads, name: &PlaneName) -> Result<Plane, ApiError> {
    find_plane(reads, name).await?.ok_or_else(|| {
        let message = format!(
            "there is no plane `{}/{}`; create it with PUT {}",
            name.kind.as_str(),
            name.name,
            name.id()
        );
        ApiError::new(Code::PlaneNotFound, message).with_target(name.id())
    })
}

pub(crate) async fn find_plane(reads: &Reads, name: &PlaneName) -> Result<Option<Plane>, ApiError> {
    reads.store().plane_find(name).await.map_err(|error| of_store(&error))
}

/// The name of a plane that must be there, as it was first spelt.
pub(crate) async fn plane_spelling(
    reads: &Reads,
    kind: PlaneKind,
    name: &str,
) -> Result<String, ApiError> {
    let name = PlaneName { kind, name: name.to_owned() };
    Ok(plane(reads, &name).await?.name.name)
}

/// An account and a region whose plane must be there.
pub(crate) async fn scope(reads: &Reads, scope: AwsScope) -> Result<AwsScope, ApiError> {
    let plane = plane_spelling(reads, PlaneKind::Aws, &scope.plane).await?;
    Ok(AwsScope { plane, ..scope })
}

/// A group that must be there. Where its plane is not, that is what is said.
pub(crate) async fn group(reads: &Reads, name: &GroupName) -> Result<Group, ApiError> {
    if let Some(group) = find_group(reads, name).await? {
        return Ok(group);
    }
    plane_spelling(reads, PlaneKind::Radius, &name.plane).await?;
    Err(no_group(name))
}

pub(crate) async fn find_group(reads: &Reads, name: &GroupName) -> Result<Option<Group>, ApiError> {
    reads.store().group_find(name).await.map_err(|error| of_store(&error))
}

fn no_group(name: &GroupName) -> ApiError {
    let message = format!("there is no group `{}`; create it with PUT {}", name.group, name.id());
    ApiError::new(Code::ResourceGroupNotFound, message).with_target(name.id())
}

/// A reference that must be there. Where its group is not, that is what is said.
pub(crate) async fn reference(reads: &Reads, name: &ReferenceName) -> Result<Reference, ApiError> {
    if let Some(reference) = find_reference(reads, name).await? {
        return Ok(reference);
    }
    group(reads, &name.group).await?;
    let message = format!(
        "there is no {} with the alias `{}` in the group `{}`",
        name.type_name, name.alias, name.group.group
    );
    Err(ApiError::new(Code::ResourceNotFound, message).with_target(name.id()))
}

pub(crate) async fn find_reference(
    reads: &Reads,
    name: &ReferenceName,
) -> Result<Option<Reference>, ApiError> {
    reads.store().reference_find(name).await.map_err(|error| of_store(&error))
}

/// The reference that maps a resource.
pub(crate) async fn find_mapping(
    reads: &Reads,
    subject: &Subject,
    identifier: &str,
) -> Result<Option<Reference>, ApiError> {
    let found = mapping::find_mapping(reads.store(), subject, identifier).await;
    found.map_err(|error| of_store(&error))
}

/// A deployment that must be there. Where its group is not, that is what is said.
pub(crate) async fn deployment(
    reads: &Reads,
    name: &DeploymentName,
) -> Result<DeploymentRecord, ApiError> {
    if let Some(deployment) = find_deployment(reads, name).await? {
        return Ok(deployment);
    }
    group(reads, &name.group).await?;
    let message =
        format!("there is no deployment `{}` in the group `{}`", name.name, name.group.group);
    Err(ApiError::new(Code::ResourceNotFound, message).with_target(name.id()))
}

pub(crate) async fn find_deployment(
    reads: &Reads,
    name: &DeploymentName,
) -> Result<Option<DeploymentRecord>, ApiError> {
    reads.store().deployment_find(name).await.map_err(|error| of_store(&error))
}

/// A recipe that must be there. Where its group is not, that is what is said.
pub(crate) async fn recipe(reads: &Reads, name: &RecipeName) -> Result<RecipeRecord, ApiError> {
    if let Some(recipe) = find_recipe(reads, name).await? {
        return Ok(recipe);
    }
    group(reads, &name.group).await?;
    Err(no_recipe(name))
}

pub(crate) async fn find_recipe(
    reads: &Reads,
    name: &RecipeName,
) -> Result<Option<RecipeRecord>, ApiError> {
    reads.store().recipe_find(name).await.map_err(|error| of_store(&error))
}

pub(crate) fn no_recipe(name: &RecipeName) -> ApiError {
    let message = format!("there is no recipe `{}` in the group `{}`", name.name, name.group.group);
    ApiError::new(Code::ResourceNotFound, message).with_target(name.id())
}

/// As many recipes are read at once: each comes with all that it is run with.
const RECIPES_AT_ONCE: usize = 16;

/// So many recipes of a group in the order of their names, after the given one, without what they are run with.
pub(crate) async fn recipes(
    reads: &Reads,
    group: &GroupName,
    after: Option<String>,
    limit: usize,
) -> Result<Vec<RecipeRecord>, ApiError> {
    let (mut found, mut after) = (Vec::new(), after);
    while found.len() < limit {
        let wanted = RECIPES_AT_ONCE.min(limit - found.len());
        let some = reads.store().recipe_list(group, after.as_deref(), wanted).await;
        let some = some.map_err(|error| of_store(&error))?;
        let is_last = some.len() < wanted;
        found.extend(some.into_iter().map(|it| RecipeRecord { sealed: Vec::new(), ..it }));
        if is_last {
            break;
        }
        after = found.last().map(recipe_place);
    }
    Ok(found)
}

/// Where a recipe stands among those of its group.
pub(crate) fn recipe_place(recipe: &RecipeRecord) -> String {
    recipe.name.name.to_ascii_lowercase()
}

/// An operation that must be there.
pub(crate) async fn operation(reads: &Reads, id: OperationId) -> Result<OperationRecord, ApiError> {
    find_operation(reads, id).await?.ok_or_else(|| {
        let message =
            format!("there is no operation `{id}`; ended operations are kept for seven days");
        ApiError::new(Code::OperationNotFound, message)
    })
}

pub(crate) async fn find_operation(
    reads: &Reads,
    id: OperationId,
) -> Result<Option<OperationRecord>, ApiError> {
    reads.store().operation_find(id).await.map_err(|error| of_store(&error))
}

/// The operation that runs on a reference.
pub(crate) async fn running(
    reads: &Reads,
    reference: &Reference,
) -> Result<Option<Operation>, ApiError> {
    let Some(id) = reference.entry.operation else { return Ok(None) };
    let found = find_operation(reads, id).await?;
    let Some(OperationRecord { work: Work::Resource(work), .. }) = found else { return Ok(None) };
    // An end and what it leaves in the reference are written together: this reference was read
    // before, so for its reader the operation still runs.
    Ok(Some(Operation { ending: None, ..work.operation }))
}

/// The write under way on a resource that no reference maps.
pub(crate) async fn holding(
    reads: &Reads,
    resource_key: &str,
) -> Result<Option<Operation>, ApiError> {
    let found = reads.store().operation_find_holding(resource_key).await;
    match found.map_err(|error| of_store(&error))? {
        Some(OperationRecord { work: Work::Resource(work), .. }) => Ok(Some(work.operation)),
        _ => Ok(None),
    }
}

/// The operations that run on references, by id.
pub(crate) async fn all_running(
    reads: &Reads,
    references: &[Reference],
) -> Result<HashMap<OperationId, Operation>, ApiError> {
    let mut found = HashMap::new();
    for reference in references {
        if let Some(operation) = running(reads, reference).await? {
            found.insert(operation.id, operation);
        }
    }
    Ok(found)
}
