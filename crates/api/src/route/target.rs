//! What a path names, before anybody asks what is to be done with it.

use hangar_ids::{Kind, ResourceId, TypeName};
use hangar_plan::operation::OperationId;
use hangar_plan::record::{GroupName, ReferenceName};

use crate::error::{ApiError, Code};
use crate::names::{self, Collection, is};

/// What a path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Root,
    Groups,
    Group(GroupName),
    References { group: GroupName, type_name: Option<TypeName> },
    Reference(ReferenceName),
    Collection(Collection),
    Resource { collection: Collection, identifier: String },
    Action { collection: Collection, action: Action },
    Operations,
    Status(OperationId),
    Result(OperationId),
    Cancel(OperationId),
}

/// What can be done with a collection whose caller does not know the identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Get,
    Put,
    Delete,
}

pub(super) fn find_target(path: &str) -> Result<Target, ApiError> {
    if matches!(path, "" | "/") {
        return Ok(Target::Root);
    }
    let (path, action) = split_action(path)?;
    let id = names::parse_id(path)?;
    let Some((plane_type, plane)) = id.plane() else { return Err(not_in_a_plane(&id)) };
    if is(plane_type, "aws") {
        return aws(&id, action);
    }
    if is(plane_type, "radius") && action.is_none() {
        names::check_radius_plane(plane)?;
        return radius(&id);
    }
    Err(match plane_type {
        radius if is(radius, "radius") => no_route(&id, "only AWS collections have actions"),
        other if is(other, "azure") || is(other, "kubernetes") => ApiError::new(
            Code::PlaneHasNoProvider,
            format!(
                "nothing can be done in `{other}` planes in this version; the planes `aws` and \
                 `radius` work"
            ),
        ),
        other => invalid_plane_type(other),
    })
}

fn invalid_plane_type(plane_type: &str) -> ApiError {
    let message = format!("there is no plane type `{plane_type}`; use `aws` or `radius`");
    ApiError::new(Code::InvalidPlaneType, message)
}

/// Takes a last segment off that is an action; ids cannot hold one.
fn split_action(path: &str) -> Result<(&str, Option<Action>), ApiError> {
    let Some((before, last)) = path.rsplit_once('/') else { return Ok((path, None)) };
    let Some(word) = last.strip_prefix(':') else { return Ok((path, None)) };
    let action = match word {
        get if is(get, "get") => Action::Get,
        put if is(put, "put") => Action::Put,
        delete if is(delete, "delete") => Action::Delete,
        _ => {
            let message =
                format!("there is no action `:{word}`; there are `:get`, `:put` and `:delete`");
            return Err(ApiError::new(Code::RouteNotFound, message));
        }
    };
    Ok((before, Some(action)))
}

fn aws(id: &ResourceId, action: Option<Action>) -> Result<Target, ApiError> {
    let of_aws = id.provider().is_some_and(|namespace| !is_of_system(namespace));
    if !of_aws || !id.extensions().is_empty() {
        return Err(no_route(id, "AWS planes hold `…/accounts/…/regions/…/providers/<type>`"));
    }
    let scope = names::aws_scope(id)?;
    let type_name = names::known_type(&id.resource_type().unwrap_or_default())?;
    let collection = Collection { scope, type_name };
    match (id.kind(), id.name(), action) {
        (Kind::ResourceCollection, _, Some(action)) => Ok(Target::Action { collection, action }),
        (Kind::ResourceCollection, _, None) => Ok(Target::Collection(collection)),
        (Kind::Resource, Some(name), None) => {
            Ok(Target::Resource { collection, identifier: name.to_owned() })
        }
        _ => Err(no_route(id, "an action stands after the type, not after an identifier")),
    }
}

fn radius(id: &ResourceId) -> Result<Target, ApiError> {
    if let Some(group) = names::find_group(id)? {
        return Ok(Target::Group(group));
    }
    if let Some(reference) = names::find_reference(id)? {
        return Ok(Target::Reference(reference));
    }
    match id.kind() {
        Kind::ScopeCollection => scope_collection(id),
        Kind::ResourceCollection | Kind::Resource => below_providers(id),
        _ => Err(no_route(id, "a radius plane holds `resourceGroups` and operations")),
    }
}

fn scope_collection(id: &ResourceId) -> Result<Target, ApiError> {
    match id.scopes() {
        [_, groups] if names::is_group(groups) => Ok(Target::Groups),
        [_, _, resources] if is(resources.type_text(), "resources") => {
            match names::find_group(&id.scope())? {
                Some(group) => Ok(Target::References { group, type_name: None }),
                None => Err(no_route(id, "`resources` are listed below a group")),
            }
        }
        _ => Err(no_route(id, "a radius plane holds `resourceGroups` and operations")),
    }
}

fn below_providers(id: &ResourceId) -> Result<Target, ApiError> {
    if let [operations, rest @ ..] = id.types()
        && id.scopes().len() == 1
        && id.provider().is_some_and(is_of_system)
    {
        let id_text = operations.name();
        let operation = || {
            let id = id_text.and_then(OperationId::parse);
            id.ok_or_else(|| not_an_operation(id_text.unwrap_or_default()))
        };
        match (operations.type_text(), id_text.is_some(), rest) {
            (t, false, []) if is(t, STATUSES) => return Ok(Target::Operations),
            (t, true, []) if is(t, STATUSES) => return Ok(Target::Status(operation()?)),
            (t, true, []) if is(t, RESULTS) => return Ok(Target::Result(operation()?)),
            (t, true, [last])
                if is(t, STATUSES) && is(last.type_text(), "cancel") && last.name().is_none() =>
            {
                return Ok(Target::Cancel(operation()?));
            }
            _ => return Err(no_route(id, "there are `operationStatuses` and `operationResults`")),
        }
    }
    let group = names::find_group(&id.scope())?;
    match (group, id.reference_type()) {
        (Some(group), Some(type_text)) if id.types().len() == 1 => {
            Ok(Target::References { group, type_name: Some(names::known_type(&type_text)?) })
        }
        (Some(_), None) => Err(no_route(
            id,
            "a group holds references: write the type with `:reference`, as in \
             `AWS.EC2/VPC:reference`",
        )),
        _ => Err(no_route(id, "references are in groups, resources in AWS planes")),
    }
}

const STATUSES: &str = "System.Resources/operationStatuses";
const RESULTS: &str = "System.Resources/operationResults";

fn is_of_system(namespace: &str) -> bool {
    let vendor = namespace.split('.').next().unwrap_or_default();
    is(vendor, "System") || is(vendor, "Microsoft")
}

pub(super) fn not_an_operation(id: &str) -> ApiError {
    ApiError::new(Code::OperationNotFound, format!("there is no operation `{id}`"))
}

fn not_in_a_plane(id: &ResourceId) -> ApiError {
    match id.scopes().first() {
        Some(plane) if id.kind() == Kind::ScopeCollection => {
            let plane_type = plane.type_text();
            match plane_type {
                known if is(known, "aws") || is(known, "radius") => {
                    no_route(id, "planes are not listed in this version")
                }
                other => invalid_plane_type(other),
            }
        }
        _ => no_route(id, "paths begin with `/planes/radius/local` or `/planes/aws/aws`"),
    }
}

fn no_route(id: &ResourceId, hint: &str) -> ApiError {
    ApiError::new(Code::RouteNotFound, format!("nothing answers at `{id}`; {hint}"))
}
