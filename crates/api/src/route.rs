//! Which of the routes a request takes: a pure function of method, path and query.
//!
//! `target` tells what a path names, `methods` what can be done with it; here the two meet, and what
//! the query adds (`asked`) is read. The path is the one below the base path, as it came over the wire.

mod asked;
mod name;
mod target;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use hangar_engine::DeleteMode;
use hangar_ids::TypeName;
use hangar_plan::deployment::OnRemove;
use hangar_plan::record::{
    CredentialName, DeploymentName, GroupName, PlaneKind, PlaneName, RecipeName, ReferenceName,
};
use hangar_store::OperationFilter;
use http::Method;
use serde_json::Value;

use crate::api_version::{self, ApiVersion};
use crate::error::ApiError;
use crate::events;
use crate::names::{self, Collection};
use crate::page::PageAsk;
use crate::query::Query;
pub(crate) use asked::{DRIFT, Only, SHAPE, STATE};
pub(crate) use name::RouteName;
pub(crate) use target::OperationName;
use target::{
    Action, DeploymentAction, GroupAction, RecipeAction, ReferenceAction, Target, find_target,
};

/// Where the properties of a shown reference come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// The last that was seen.
    Stored,
    /// The cloud, now.
    Live,
}

/// Which body a finished write has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The reference's, as a `PUT` on an alias answers.
    Reference,
    /// The AWS resource's, as all other writes answer.
    Resource,
}

impl Shape {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Resource => "resource",
        }
    }
}

/// What a request asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Route {
    Discovery,
    OpenApi,
    PlaneList(Option<PlaneKind>),
    PlaneShow(PlaneName),
    PlaneHead(PlaneName),
    PlanePut(PlaneName),
    PlanePatch(PlaneName),
    PlaneDelete(PlaneName),
    CredentialList { plane: String },
    CredentialShow(CredentialName),
    CredentialHead(CredentialName),
    CredentialPut(CredentialName),
    CredentialDelete(CredentialName),
    GroupList { plane: String, page: PageAsk },
    GroupShow(GroupName),
    GroupHead(GroupName),
    GroupPut(GroupName),
    GroupPatch(GroupName),
    GroupDelete(GroupName),
    GroupDrift(GroupName),
    ReferenceList { group: GroupName, type_name: Option<TypeName>, only: Only, page: PageAsk },
    ReferenceShow { name: ReferenceName, sight: Sight },
    ReferenceHead(ReferenceName),
    ReferencePut(ReferenceName),
    ReferencePatch(ReferenceName),
    ReferenceDelete { name: ReferenceName, mode: DeleteMode },
    ReferenceDrift(ReferenceName),
    ReferenceRepair(ReferenceName),
    ReferenceRename(ReferenceName),
    ReferenceUnlearn(ReferenceName),
    DeploymentList { group: GroupName, page: PageAsk },
    DeploymentShow(DeploymentName),
    DeploymentHead(DeploymentName),
    DeploymentPut(DeploymentName),
    DeploymentDelete { name: DeploymentName, on_remove: OnRemove },
    DeploymentCancel(DeploymentName),
    DeploymentWhatIf(DeploymentName),
    RecipeList { group: GroupName, page: PageAsk },
    RecipeShow(RecipeName),
    RecipeHead(RecipeName),
    RecipePut(RecipeName),
    RecipeDelete(RecipeName),
    RecipeCancel(RecipeName),
    RecipeSecrets(RecipeName),
    RecipeUnlock(RecipeName),
    StateShow { recipe: RecipeName, version: Option<u64> },
    StateWrite { recipe: RecipeName, lock_id: Option<String> },
    StateLock(RecipeName),
    StateUnlock(RecipeName),
    StateVersions(RecipeName),
    ResourceList { collection: Collection, parent: Option<Value>, page: PageAsk },
    ResourceShow { collection: Collection, identifier: String },
    ResourceHead { collection: Collection, identifier: String },
    ResourcePut { collection: Collection, identifier: String },
    ResourcePatch { collection: Collection, identifier: String },
    ResourceDelete { collection: Collection, identifier: String },
    ActionGet(Collection),
    ActionPut(Collection),
    ActionDelete(Collection),
    OperationList { plane: String, filter: OperationFilter, page: PageAsk },
    OperationStatus(OperationName),
    OperationEvents { name: OperationName, after: u64 },
    OperationResult { name: OperationName, shape: Shape },
    OperationCancel(OperationName),
}

impl Route {
    /// Its name in metrics, logs and the API's own description.
    pub(crate) const fn name(&self) -> RouteName {
        match self {
            Self::Discovery => RouteName::Discovery,
            Self::OpenApi => RouteName::OpenApi,
            Self::PlaneList(None) => RouteName::PlaneListAll,
            Self::PlaneList(Some(_)) => RouteName::PlaneList,
            Self::PlaneShow(_) => RouteName::PlaneShow,
            Self::PlaneHead(_) => RouteName::PlaneHead,
            Self::PlanePut(_) => RouteName::PlanePut,
            Self::PlanePatch(_) => RouteName::PlanePatch,
            Self::PlaneDelete(_) => RouteName::PlaneDelete,
            Self::CredentialList { .. } => RouteName::CredentialList,
            Self::CredentialShow(_) => RouteName::CredentialShow,
            Self::CredentialHead(_) => RouteName::CredentialHead,
            Self::CredentialPut(_) => RouteName::CredentialPut,
            Self::CredentialDelete(_) => RouteName::CredentialDelete,
            Self::GroupList { .. } => RouteName::GroupList,
            Self::GroupShow(_) => RouteName::GroupShow,
            Self::GroupHead(_) => RouteName::GroupHead,
            Self::GroupPut(_) => RouteName::GroupPut,
            Self::GroupPatch(_) => RouteName::GroupPatch,
            Self::GroupDelete(_) => RouteName::GroupDelete,
            Self::GroupDrift(_) => RouteName::GroupDrift,
            Self::ReferenceList { type_name: None, .. } => RouteName::ReferenceListAll,
            Self::ReferenceList { type_name: Some(_), .. } => RouteName::ReferenceList,
            Self::ReferenceShow { .. } => RouteName::ReferenceShow,
            Self::ReferenceHead(_) => RouteName::ReferenceHead,
            Self::ReferencePut(_) => RouteName::ReferencePut,
            Self::ReferencePatch(_) => RouteName::ReferencePatch,
            Self::ReferenceDelete { .. } => RouteName::ReferenceDelete,
            Self::ReferenceDrift(_) => RouteName::ReferenceDrift,
            Self::ReferenceRepair(_) => RouteName::ReferenceRepair,
            Self::ReferenceRename(_) => RouteName::ReferenceRename,
            Self::ReferenceUnlearn(_) => RouteName::ReferenceUnlearn,
            Self::DeploymentList { .. } => RouteName::DeploymentList,
            Self::DeploymentShow(_) => RouteName::DeploymentShow,
            Self::DeploymentHead(_) => RouteName::DeploymentHead,
            Self::DeploymentPut(_) => RouteName::DeploymentPut,
            Self::DeploymentDelete { .. } => RouteName::DeploymentDelete,
            Self::DeploymentCancel(_) => RouteName::DeploymentCancel,
            Self::DeploymentWhatIf(_) => RouteName::DeploymentWhatIf,
            Self::RecipeList { .. } => RouteName::RecipeList,
            Self::RecipeShow(_) => RouteName::RecipeShow,
            Self::RecipeHead(_) => RouteName::RecipeHead,
            Self::RecipePut(_) => RouteName::RecipePut,
            Self::RecipeDelete(_) => RouteName::RecipeDelete,
            Self::RecipeCancel(_) => RouteName::RecipeCancel,
            Self::RecipeSecrets(_) => RouteName::RecipeSecrets,
            Self::RecipeUnlock(_) => RouteName::RecipeUnlock,
            Self::StateShow { .. } => RouteName::StateShow,
            Self::StateWrite { .. } => RouteName::StateWrite,
            Self::StateLock(_) => RouteName::StateLock,
            Self::StateUnlock(_) => RouteName::StateUnlock,
            Self::StateVersions(_) => RouteName::StateVersions,
            Self::ResourceList { .. } => RouteName::ResourceList,
            Self::ResourceShow { .. } => RouteName::ResourceShow,
            Self::ResourceHead { .. } => RouteName::ResourceHead,
            Self::ResourcePut { .. } => RouteName::ResourcePut,
            Self::ResourcePatch { .. } => RouteName::ResourcePatch,
            Self::ResourceDelete { .. } => RouteName::ResourceDelete,
            Self::ActionGet(_) => RouteName::ActionGet,
            Self::ActionPut(_) => RouteName::ActionPut,
            Self::ActionDelete(_) => RouteName::ActionDelete,
            Self::OperationList { .. } => RouteName::OperationList,
            Self::OperationStatus(_) => RouteName::OperationStatus,
            Self::OperationEvents { .. } => RouteName::OperationEvents,
            Self::OperationResult { .. } => RouteName::OperationResult,
            Self::OperationCancel(_) => RouteName::OperationCancel,
        }
    }

    /// The plane that must be there before anything is done: its kind, and its name as it was spelt in
    /// the path. Where a group is asked for the group is looked for first, and its plane only where
    /// there is no such group.
    pub(crate) fn plane_mut(&mut self) -> Option<(PlaneKind, &mut String)> {
        match self {
            Self::ResourceList { collection, .. }
            | Self::ResourceShow { collection, .. }
            | Self::ResourceHead { collection, .. }
            | Self::ResourcePut { collection, .. }
            | Self::ResourcePatch { collection, .. }
            | Self::ResourceDelete { collection, .. }
            | Self::ActionGet(collection)
            | Self::ActionPut(collection)
            | Self::ActionDelete(collection) => Some((PlaneKind::Aws, &mut collection.scope.plane)),
            Self::CredentialList { plane }
            | Self::CredentialShow(CredentialName { plane, .. })
            | Self::CredentialHead(CredentialName { plane, .. })
            | Self::CredentialPut(CredentialName { plane, .. })
            | Self::CredentialDelete(CredentialName { plane, .. }) => Some((PlaneKind::Aws, plane)),
            Self::GroupList { plane, .. } => Some((PlaneKind::Radius, plane)),
            Self::OperationList { plane, .. }
            | Self::OperationStatus(OperationName { plane, .. })
            | Self::OperationEvents { name: OperationName { plane, .. }, .. }
            | Self::OperationResult { name: OperationName { plane, .. }, .. }
            | Self::OperationCancel(OperationName { plane, .. }) => {
                // The URLs of operations that are given out work whatever becomes of their plane.
                (!names::is(plane, names::LOCAL)).then_some((PlaneKind::Radius, plane))
            }
            _ => None,
        }
    }
}

/// The route that a request takes.
pub(crate) fn route(method: &Method, path: &str, query: &Query) -> Result<Route, ApiError> {
    let target = find_target(path)?;
    let allowed = methods(&target);
    if !allowed.contains(method) {
        return Err(ApiError::method_not_allowed(method, allowed));
    }
    let version = ApiVersion::of(query)?;
    if version.is_none() && needs_version(method, &target) {
        return Err(api_version::missing());
    }
    match target {
        Target::Root => Ok(Route::Discovery),
        Target::OpenApi => Ok(Route::OpenApi),
        Target::Planes(kind) => Ok(Route::PlaneList(kind)),
        Target::Plane(name) => plane(method, name),
        Target::Credentials { plane } => Ok(Route::CredentialList { plane }),
        Target::Credential(name) => Ok(credential(method, name)),
        Target::Groups { plane } => Ok(Route::GroupList { plane, page: PageAsk::of(query)? }),
        Target::Group(name) => group(method, name),
        Target::GroupAction { group, action: GroupAction::Drift } => Ok(Route::GroupDrift(group)),
        Target::References { group, type_name } => {
            let (only, page) = (asked::only(query)?, PageAsk::of(query)?);
            Ok(Route::ReferenceList { group, type_name, only, page })
        }
        Target::Reference(name) => reference(method, name, query),
        Target::ReferenceAction { name, action } => Ok(match action {
            ReferenceAction::Drift => Route::ReferenceDrift(name),
            ReferenceAction::Repair => Route::ReferenceRepair(name),
            ReferenceAction::Rename => Route::ReferenceRename(name),
            ReferenceAction::Unlearn => Route::ReferenceUnlearn(name),
        }),
        Target::Deployments { group } => {
            Ok(Route::DeploymentList { group, page: PageAsk::of(query)? })
        }
        Target::Deployment(name) => deployment(method, name, query),
        Target::DeploymentAction { name, action: DeploymentAction::Cancel } => {
            Ok(Route::DeploymentCancel(name))
        }
        Target::DeploymentAction { name, action: DeploymentAction::WhatIf } => {
            names::check_deployment_name(&name.name)?;
            Ok(Route::DeploymentWhatIf(name))
        }
        Target::Recipes { group } => Ok(Route::RecipeList { group, page: PageAsk::of(query)? }),
        Target::Recipe(name) => recipe(method, name),
        Target::RecipeAction { name, action } => Ok(match action {
            RecipeAction::Cancel => Route::RecipeCancel(name),
            RecipeAction::Secrets => Route::RecipeSecrets(name),
            RecipeAction::Unlock => Route::RecipeUnlock(name),
        }),
        Target::State(recipe) => state(method, recipe, query),
        Target::StateVersions(recipe) => Ok(Route::StateVersions(recipe)),
        Target::Collection(collection) => Ok(Route::ResourceList {
            collection,
            parent: asked::parent(query)?,
            page: PageAsk::of(query)?,
        }),
        Target::Resource { collection, identifier } => Ok(resource(method, collection, identifier)),
        Target::Action { collection, action } => Ok(match action {
            Action::Get => Route::ActionGet(collection),
            Action::Put => Route::ActionPut(collection),
            Action::Delete => Route::ActionDelete(collection),
        }),
        Target::Operations { plane } => {
            let filter = asked::operations(&plane, query)?;
            Ok(Route::OperationList { plane, filter, page: PageAsk::of(query)? })
        }
        Target::Status(name) => Ok(Route::OperationStatus(name)),
        Target::Events(name) => {
            Ok(Route::OperationEvents { name, after: events::asked_after(query)? })
        }
        Target::Result(name) => Ok(Route::OperationResult { name, shape: asked::shape(query)? }),
        Target::Cancel(name) => Ok(Route::OperationCancel(name)),
    }
}

/// The recipe whose Terraform state a path names: what may be asked for in more ways than the rest.
pub(crate) fn state_of(path: &str) -> Option<RecipeName> {
    match find_target(path) {
        Ok(Target::State(recipe)) => Some(recipe),
        _ => None,
    }
}

/// What can be done at a path.
#[cfg(test)]
pub(crate) fn methods_of(path: &str) -> Result<&'static [Method], ApiError> {
    Ok(methods(&find_target(path)?))
}

/// What can be done with what a path names.
fn methods(target: &Target) -> &'static [Method] {
    match target {
        Target::Root
        | Target::OpenApi
        | Target::Planes(_)
        | Target::Credentials { .. }
        | Target::Groups { .. }
        | Target::References { .. }
        | Target::Deployments { .. }
        | Target::Recipes { .. }
        | Target::StateVersions(_)
        | Target::Collection(_)
        | Target::Operations { .. }
        | Target::Status(_)
        | Target::Events(_)
        | Target::Result(_) => &[Method::GET],
        Target::Plane(_) | Target::Group(_) | Target::Reference(_) | Target::Resource { .. } => {
            &[Method::GET, Method::HEAD, Method::PUT, Method::PATCH, Method::DELETE]
        }
        Target::Credential(_) | Target::Recipe(_) | Target::Deployment(_) => {
            &[Method::GET, Method::HEAD, Method::PUT, Method::DELETE]
        }
        Target::Action { .. }
        | Target::GroupAction { .. }
        | Target::ReferenceAction { .. }
        | Target::DeploymentAction { .. }
        | Target::RecipeAction { .. }
        | Target::Cancel(_) => &[Method::POST],
        Target::State(_) => &*STATE_METHODS,
    }
}

/// What Terraform's HTTP backend calls; the words for its lock are its own.
static STATE_METHODS: LazyLock<[Method; 4]> =
    LazyLock::new(|| [Method::GET, Method::POST, own_method(LOCK), own_method(UNLOCK)]);

const LOCK: &str = "LOCK";
const UNLOCK: &str = "UNLOCK";

fn own_method(word: &str) -> Method {
    Method::from_bytes(word.as_bytes()).expect("a word of letters is a method")
}

/// Writes must name a version, but for those of AWS resources and operations: the seeds' examples
/// have none there.
fn needs_version(method: &Method, target: &Target) -> bool {
    let is_read = method == Method::GET || method == Method::HEAD;
    let is_ours = matches!(
        target,
        Target::Plane(_)
            | Target::Credential(_)
            | Target::Group(_)
            | Target::GroupAction { .. }
            | Target::Reference(_)
            | Target::ReferenceAction { .. }
            | Target::Deployment(_)
            | Target::DeploymentAction { .. }
            | Target::Recipe(_)
            | Target::RecipeAction { .. }
    );
    !is_read && is_ours
}

/// What can be done with one thing.
enum Verb {
    Show,
    Head,
    Put,
    Patch,
    Delete,
}

impl Verb {
    /// Of a method that `methods` lets through.
    fn of(method: &Method) -> Self {
        match *method {
            Method::HEAD => Self::Head,
            Method::PUT => Self::Put,
            Method::PATCH => Self::Patch,
            Method::DELETE => Self::Delete,
            _ => Self::Show,
        }
    }
}

fn plane(method: &Method, name: PlaneName) -> Result<Route, ApiError> {
    Ok(match Verb::of(method) {
        Verb::Show => Route::PlaneShow(name),
        Verb::Head => Route::PlaneHead(name),
        Verb::Put => {
            names::check_plane_name(&name.name)?;
            Route::PlanePut(name)
        }
        Verb::Patch => Route::PlanePatch(name),
        Verb::Delete => Route::PlaneDelete(name),
    })
}

fn credential(method: &Method, name: CredentialName) -> Route {
    match Verb::of(method) {
        Verb::Show | Verb::Patch => Route::CredentialShow(name),
        Verb::Head => Route::CredentialHead(name),
        Verb::Put => Route::CredentialPut(name),
        Verb::Delete => Route::CredentialDelete(name),
    }
}

fn group(method: &Method, name: GroupName) -> Result<Route, ApiError> {
    Ok(match Verb::of(method) {
        Verb::Show => Route::GroupShow(name),
        Verb::Head => Route::GroupHead(name),
        Verb::Put => {
            names::check_group_name(&name.group)?;
            Route::GroupPut(name)
        }
        Verb::Patch => Route::GroupPatch(name),
        Verb::Delete => Route::GroupDelete(name),
    })
}

fn reference(method: &Method, name: ReferenceName, query: &Query) -> Result<Route, ApiError> {
    Ok(match Verb::of(method) {
        Verb::Show => Route::ReferenceShow { name, sight: asked::sight(query)? },
        Verb::Head => Route::ReferenceHead(name),
        Verb::Put => {
            names::check_alias(&name.alias)?;
            Route::ReferencePut(name)
        }
        Verb::Patch => Route::ReferencePatch(name),
        Verb::Delete => Route::ReferenceDelete { name, mode: asked::delete_mode(query)? },
    })
}

fn deployment(method: &Method, name: DeploymentName, query: &Query) -> Result<Route, ApiError> {
    Ok(match Verb::of(method) {
        Verb::Show | Verb::Patch => Route::DeploymentShow(name),
        Verb::Delete => Route::DeploymentDelete { name, on_remove: asked::on_remove(query)? },
        Verb::Head => Route::DeploymentHead(name),
        Verb::Put => {
            names::check_deployment_name(&name.name)?;
            Route::DeploymentPut(name)
        }
    })
}

fn recipe(method: &Method, name: RecipeName) -> Result<Route, ApiError> {
    Ok(match Verb::of(method) {
        Verb::Show | Verb::Patch => Route::RecipeShow(name),
        Verb::Head => Route::RecipeHead(name),
        Verb::Put => {
            names::check_recipe_name(&name.name)?;
            Route::RecipePut(name)
        }
        Verb::Delete => Route::RecipeDelete(name),
    })
}

fn state(method: &Method, recipe: RecipeName, query: &Query) -> Result<Route, ApiError> {
    Ok(match method.as_str() {
        LOCK => Route::StateLock(recipe),
        UNLOCK => Route::StateUnlock(recipe),
        "POST" => Route::StateWrite { recipe, lock_id: asked::lock_id(query)? },
        _ => Route::StateShow { recipe, version: asked::state_version(query)? },
    })
}

fn resource(method: &Method, collection: Collection, identifier: String) -> Route {
    match Verb::of(method) {
        Verb::Show => Route::ResourceShow { collection, identifier },
        Verb::Head => Route::ResourceHead { collection, identifier },
        Verb::Put => Route::ResourcePut { collection, identifier },
        Verb::Patch => Route::ResourcePatch { collection, identifier },
        Verb::Delete => Route::ResourceDelete { collection, identifier },
    }
}
