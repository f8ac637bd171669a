//! What a path names, before anybody asks what is to be done with it.
//!
//! A path is an id, or an id and an action (`…/:put`). What is in a plane is told by the plane's own
//! function: `aws`, `radius`. Whether the plane is there is not asked here.

use hangar_ids::{Kind, ResourceId, TypeName};
use hangar_plan::operation::OperationId;
use hangar_plan::record::{
    CredentialName, DeploymentName, GroupName, PlaneKind, PlaneName, RecipeName, ReferenceName,
};

use crate::error::{ApiError, Code};
use crate::names::{self, Collection, is};

/// What a path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Root,
    OpenApi,
    Planes(Option<PlaneKind>),
    Plane(PlaneName),
    Credentials { plane: String },
    Credential(CredentialName),
    Groups { plane: String },
    Group(GroupName),
    GroupAction { group: GroupName, action: GroupAction },
    References { group: GroupName, type_name: Option<TypeName> },
    Reference(ReferenceName),
    ReferenceAction { name: ReferenceName, action: ReferenceAction },
    Deployments { group: GroupName },
    Deployment(DeploymentName),
    DeploymentAction { name: DeploymentName, action: DeploymentAction },
    Recipes { group: GroupName },
    Recipe(RecipeName),
    RecipeAction { name: RecipeName, action: RecipeAction },
    State(RecipeName),
    StateVersions(RecipeName),
    Collection(Collection),
    Resource { collection: Collection, identifier: String },
    Action { collection: Collection, action: Action },
    Operations { plane: String },
    Status(OperationName),
    Events(OperationName),
    Result(OperationName),
    Cancel(OperationName),
}

/// An operation, and the radius plane that it is asked for in: every plane knows all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OperationName {
    pub(crate) plane: String,
    pub(crate) id: OperationId,
}

/// What can be done with a collection whose caller does not know the identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Get,
    Put,
    Delete,
}

/// What can be done with a group beside the methods of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupAction {
    Drift,
}

/// What can be done with a reference beside the methods of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferenceAction {
    Drift,
    Repair,
    Rename,
    Unlearn,
}

/// What can be done with a deployment beside the methods of HTTP; ARM writes these without a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeploymentAction {
    Cancel,
    WhatIf,
}

/// What can be done with a recipe beside the methods of HTTP, written as those of deployments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecipeAction {
    Cancel,
    Secrets,
    Unlock,
}

const ACTIONS: [(&str, Action); 3] =
    [("get", Action::Get), ("put", Action::Put), ("delete", Action::Delete)];
const GROUP_ACTIONS: [(&str, GroupAction); 1] = [("drift", GroupAction::Drift)];
const REFERENCE_ACTIONS: [(&str, ReferenceAction); 4] = [
    ("drift", ReferenceAction::Drift),
    ("repair", ReferenceAction::Repair),
    ("rename", ReferenceAction::Rename),
    ("unlearn", ReferenceAction::Unlearn),
];

pub(super) fn find_target(path: &str) -> Result<Target, ApiError> {
    match path {
        "" | "/" => return Ok(Target::Root),
        "/openapi.json" => return Ok(Target::OpenApi),
        _ => {}
    }
    let (path, action) = split_action(path);
    let id = names::parse_id(path)?;
    let Some((plane_type, plane)) = id.plane() else { return planes(&id, action) };
    match names::plane_kind(plane_type) {
        Some(PlaneKind::Aws) => aws(&id, action),
        Some(PlaneKind::Radius) => radius(&id, plane, action),
        None => Err(other_plane(&id, plane_type)),
    }
}

/// Takes a last segment off that is an action; ids cannot hold one.
fn split_action(path: &str) -> (&str, Option<&str>) {
    let split = path.rsplit_once('/').and_then(|(id, last)| Some((id, last.strip_prefix(':')?)));
    split.map_or((path, None), |(id, word)| (id, Some(word)))
}

/// The action of this word, of those that there are.
fn find_action<A: Copy>(word: &str, all: &[(&str, A)]) -> Result<A, ApiError> {
    let found = all.iter().find(|(name, _)| is(word, name));
    found.map(|(_, action)| *action).ok_or_else(|| {
        let names = all.iter().map(|(name, _)| format!("`:{name}`")).collect::<Vec<_>>();
        let message =
            format!("there is no action `:{word}` here; known actions: {}", names.join(", "));
        ApiError::new(Code::RouteNotFound, message)
    })
}

fn planes(id: &ResourceId, action: Option<&str>) -> Result<Target, ApiError> {
    match (id.kind(), id.scopes(), action) {
        (Kind::ScopeCollection, [], None) => Ok(Target::Planes(None)),
        (Kind::ScopeCollection, [plane], None) => match names::plane_kind(plane.type_text()) {
            Some(kind) => Ok(Target::Planes(Some(kind))),
            None => Err(invalid_plane_type(plane.type_text())),
        },
        _ => Err(no_route(id, "paths start with `/planes/radius/local` or `/planes/aws/aws`")),
    }
}

fn other_plane(id: &ResourceId, plane_type: &str) -> ApiError {
    let is_only_a_name = is(plane_type, "azure") || is(plane_type, "kubernetes");
    if !is_only_a_name || id.kind() == Kind::Scope && id.scopes().len() == 1 {
        return invalid_plane_type(plane_type);
    }
    ApiError::new(
        Code::PlaneHasNoProvider,
        format!(
            "`{plane_type}` planes are not supported in this version; use `aws` or `radius` planes"
        ),
    )
}

fn invalid_plane_type(plane_type: &str) -> ApiError {
    let message = format!("there is no plane type `{plane_type}`; use `aws` or `radius`");
    ApiError::new(Code::InvalidPlaneType, message)
}

fn aws(id: &ResourceId, action: Option<&str>) -> Result<Target, ApiError> {
    if let (Some(plane), None) = (names::find_plane(id), action) {
        return Ok(Target::Plane(plane));
    }
    if let Some(credential) = credentials(id)?
        && action.is_none()
    {
        return Ok(credential);
    }
    let of_aws = id.provider().is_some_and(|namespace| !is_of_system(namespace));
    if !of_aws || !id.extensions().is_empty() {
        return Err(no_route(id, "AWS planes contain `…/accounts/…/regions/…/providers/<type>`"));
    }
    let scope = names::aws_scope(id)?;
    let type_name = names::known_type(&id.resource_type().unwrap_or_default())?;
    let collection = Collection { scope, type_name };
    match (id.kind(), id.name(), action) {
        (Kind::ResourceCollection, _, Some(word)) => {
            Ok(Target::Action { collection, action: find_action(word, &ACTIONS)? })
        }
        (Kind::ResourceCollection, _, None) => Ok(Target::Collection(collection)),
        (Kind::Resource, Some(name), None) => {
            Ok(Target::Resource { collection, identifier: name.to_owned() })
        }
        _ => Err(no_route(id, "an action follows the type, not an identifier")),
    }
}

/// What a path below `System.AWS/credentials` names.
fn credentials(id: &ResourceId) -> Result<Option<Target>, ApiError> {
    let ([_], [types], Some((_, plane))) = (id.scopes(), id.types(), id.plane()) else {
        return Ok(None);
    };
    if !is(types.type_text(), CREDENTIALS) || !id.extensions().is_empty() {
        return Ok(None);
    }
    let plane = plane.to_owned();
    let Some(name) = types.name() else { return Ok(Some(Target::Credentials { plane })) };
    let name = names::credential_name(name)?;
    Ok(Some(Target::Credential(CredentialName { plane, name })))
}

const CREDENTIALS: &str = "System.AWS/credentials";

fn radius(id: &ResourceId, plane: &str, action: Option<&str>) -> Result<Target, ApiError> {
    if let Some(group) = names::find_group(id) {
        return match action {
            None => Ok(Target::Group(group)),
            Some(word) => {
                let action = find_action(word, &GROUP_ACTIONS)?;
                Ok(Target::GroupAction { group, action })
            }
        };
    }
    if let Some(name) = names::find_reference(id)? {
        return match action {
            None => Ok(Target::Reference(name)),
            Some(word) => {
                let action = find_action(word, &REFERENCE_ACTIONS)?;
                Ok(Target::ReferenceAction { name, action })
            }
        };
    }
    match (id.kind(), names::find_plane(id)) {
        _ if action.is_some() => {
            Err(no_route(id, "only groups, references and AWS collections have actions"))
        }
        (_, Some(plane)) => Ok(Target::Plane(plane)),
        (Kind::ScopeCollection, None) => scope_collection(id, plane),
        (Kind::ResourceCollection | Kind::Resource, None) => below_providers(id, plane),
        _ => Err(no_route(id, "a radius plane contains `resourceGroups` and operations")),
    }
}

fn scope_collection(id: &ResourceId, plane: &str) -> Result<Target, ApiError> {
    match id.scopes() {
        [_, groups] if names::is_group(groups) => Ok(Target::Groups { plane: plane.to_owned() }),
        [_, _, resources] if is(resources.type_text(), "resources") => {
            match names::find_group(&id.scope()) {
                Some(group) => Ok(Target::References { group, type_name: None }),
                None => Err(no_route(id, "`resources` are listed under a group")),
            }
        }
        _ => Err(no_route(id, "a radius plane contains `resourceGroups` and operations")),
    }
}

fn below_providers(id: &ResourceId, plane: &str) -> Result<Target, ApiError> {
    if let [operations, rest @ ..] = id.types()
        && id.scopes().len() == 1
        && id.provider().is_some_and(is_of_system)
    {
        let id_text = operations.name();
        let operation = || {
            let found = id_text.and_then(OperationId::parse);
            let found = found.ok_or_else(|| not_an_operation(id_text.unwrap_or_default()))?;
            Ok(OperationName { plane: plane.to_owned(), id: found })
        };
        match (operations.type_text(), id_text.is_some(), rest) {
            (t, false, []) if is(t, STATUSES) => {
                return Ok(Target::Operations { plane: plane.to_owned() });
            }
            (t, true, []) if is(t, STATUSES) => return Ok(Target::Status(operation()?)),
            (t, true, []) if is(t, RESULTS) => return Ok(Target::Result(operation()?)),
            (t, true, [last]) if is(t, STATUSES) && last.name().is_none() => {
                match last.type_text() {
                    word if is(word, "events") => return Ok(Target::Events(operation()?)),
                    word if is(word, "cancel") => return Ok(Target::Cancel(operation()?)),
                    _ => return Err(no_route(id, "an operation has `events` and `cancel`")),
                }
            }
            _ => return Err(no_route(id, "use `operationStatuses` or `operationResults`")),
        }
    }
    if let Some(found) = deployments(id)? {
        return Ok(found);
    }
    if let Some(found) = recipes(id)? {
        return Ok(found);
    }
    match (names::find_group(&id.scope()), id.reference_type()) {
        (Some(group), Some(type_text)) if id.types().len() == 1 => {
            Ok(Target::References { group, type_name: Some(names::known_type(&type_text)?) })
        }
        (Some(_), None) => Err(no_route(
            id,
            "a group contains references (write the type with `:reference`, as in \
             `AWS.EC2/VPC:reference`), `Microsoft.Resources/deployments` and \
             `Hangar.Recipes/recipes`",
        )),
        _ => Err(no_route(id, "references are in groups, resources in AWS planes")),
    }
}

/// What a path below `Microsoft.Resources/deployments` of a group names.
fn deployments(id: &ResourceId) -> Result<Option<Target>, ApiError> {
    let (Some(group), [deployment, rest @ ..]) = (names::find_group(&id.scope()), id.types())
    else {
        return Ok(None);
    };
    if !is(deployment.type_text(), DEPLOYMENTS) || !id.extensions().is_empty() {
        return Ok(None);
    }
    let Some(name) = deployment.name() else { return Ok(Some(Target::Deployments { group })) };
    let name = DeploymentName { group, name: name.to_owned() };
    let action = match rest {
        [] => return Ok(Some(Target::Deployment(name))),
        [last] if last.name().is_none() => DEPLOYMENT_ACTIONS
            .iter()
            .find(|(word, _)| is(last.type_text(), word))
            .map(|(_, action)| *action),
        _ => None,
    };
    match action {
        Some(action) => Ok(Some(Target::DeploymentAction { name, action })),
        None => Err(no_route(id, "a deployment has `cancel` and `whatIf`")),
    }
}

const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";
const DEPLOYMENT_ACTIONS: [(&str, DeploymentAction); 2] =
    [("cancel", DeploymentAction::Cancel), ("whatIf", DeploymentAction::WhatIf)];

/// What a path below `Hangar.Recipes/recipes` of a group names.
fn recipes(id: &ResourceId) -> Result<Option<Target>, ApiError> {
    let (Some(group), [recipe, rest @ ..]) = (names::find_group(&id.scope()), id.types()) else {
        return Ok(None);
    };
    if !is(recipe.type_text(), RECIPES) || !id.extensions().is_empty() {
        return Ok(None);
    }
    let Some(name) = recipe.name() else { return Ok(Some(Target::Recipes { group })) };
    let name = RecipeName { group, name: name.to_owned() };
    let word = match rest {
        [] => return Ok(Some(Target::Recipe(name))),
        [last] if last.name().is_none() => last.type_text(),
        _ => "",
    };
    let action = |action| Target::RecipeAction { name: name.clone(), action };
    Ok(Some(match word {
        _ if is(word, "cancel") => action(RecipeAction::Cancel),
        _ if is(word, "listSecrets") => action(RecipeAction::Secrets),
        _ if is(word, "unlock") => action(RecipeAction::Unlock),
        _ if is(word, "state") => Target::State(name),
        _ if is(word, "stateVersions") => Target::StateVersions(name),
        _ => {
            let hint = "a recipe has `cancel`, `listSecrets`, `state`, `stateVersions`, `unlock`";
            return Err(no_route(id, hint));
        }
    }))
}

const RECIPES: &str = "Hangar.Recipes/recipes";

const STATUSES: &str = "System.Resources/operationStatuses";
const RESULTS: &str = "System.Resources/operationResults";

fn is_of_system(namespace: &str) -> bool {
    let vendor = namespace.split('.').next().unwrap_or_default();
    is(vendor, "System") || is(vendor, "Microsoft")
}

fn not_an_operation(id: &str) -> ApiError {
    ApiError::new(Code::OperationNotFound, format!("there is no operation `{id}`"))
}

fn no_route(id: &ResourceId, hint: &str) -> ApiError {
    ApiError::new(Code::RouteNotFound, format!("there is no route `{id}`; {hint}"))
}
