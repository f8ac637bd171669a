//! Which of the routes a request takes: a pure function of method, path and query.
//!
//! `target` tells what a path names, `methods` what can be done with it; here the two meet, and what
//! the query adds is read. The path is the one below the base path, as it came over the wire.

mod target;
#[cfg(test)]
mod tests;

use hangar_engine::DeleteMode;
use hangar_ids::TypeName;
use hangar_plan::operation::OperationId;
use hangar_plan::record::{GroupName, ReferenceName};
use hangar_store::OperationFilter;
use http::Method;
use serde_json::{Map, Value};

use crate::api_version::{self, ApiVersion};
use crate::error::ApiError;
use crate::names::{self, Collection};
use crate::page::PageAsk;
use crate::query::{self, Query};
use target::{Action, Target, find_target};

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

/// What a request asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Route {
    Discovery,
    GroupList(PageAsk),
    GroupShow(GroupName),
    GroupHead(GroupName),
    GroupPut(GroupName),
    ReferenceList { group: GroupName, type_name: Option<TypeName>, page: PageAsk },
    ReferenceShow { name: ReferenceName, sight: Sight },
    ReferenceHead(ReferenceName),
    ReferencePut(ReferenceName),
    ReferenceDelete { name: ReferenceName, mode: DeleteMode },
    ResourceList { collection: Collection, parent: Option<Value>, page: PageAsk },
    ResourceShow { collection: Collection, identifier: String },
    ResourceHead { collection: Collection, identifier: String },
    ResourcePut { collection: Collection, identifier: String },
    ResourceDelete { collection: Collection, identifier: String },
    ActionGet(Collection),
    ActionPut(Collection),
    ActionDelete(Collection),
    OperationList { filter: OperationFilter, page: PageAsk },
    OperationStatus(OperationId),
    OperationResult { id: OperationId, shape: Shape },
    OperationCancel(OperationId),
}

impl Route {
    /// Its name in metrics and logs.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Discovery => "discovery",
            Self::GroupList(_) => "group.list",
            Self::GroupShow(_) => "group.show",
            Self::GroupHead(_) => "group.head",
            Self::GroupPut(_) => "group.put",
            Self::ReferenceList { .. } => "reference.list",
            Self::ReferenceShow { .. } => "reference.show",
            Self::ReferenceHead(_) => "reference.head",
            Self::ReferencePut(_) => "reference.put",
            Self::ReferenceDelete { .. } => "reference.delete",
            Self::ResourceList { .. } => "resource.list",
            Self::ResourceShow { .. } => "resource.show",
            Self::ResourceHead { .. } => "resource.head",
            Self::ResourcePut { .. } => "resource.put",
            Self::ResourceDelete { .. } => "resource.delete",
            Self::ActionGet(_) => "action.get",
            Self::ActionPut(_) => "action.put",
            Self::ActionDelete(_) => "action.delete",
            Self::OperationList { .. } => "operation.list",
            Self::OperationStatus(_) => "operation.status",
            Self::OperationResult { .. } => "operation.result",
            Self::OperationCancel(_) => "operation.cancel",
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
        Target::Groups => Ok(Route::GroupList(PageAsk::of(query)?)),
        Target::Group(name) => group(method, name),
        Target::References { group, type_name } => {
            Ok(Route::ReferenceList { group, type_name, page: PageAsk::of(query)? })
        }
        Target::Reference(name) => reference(method, name, query),
        Target::Collection(collection) => Ok(Route::ResourceList {
            collection,
            parent: parent(query)?,
            page: PageAsk::of(query)?,
        }),
        Target::Resource { collection, identifier } => Ok(resource(method, collection, identifier)),
        Target::Action { collection, action } => Ok(match action {
            Action::Get => Route::ActionGet(collection),
            Action::Put => Route::ActionPut(collection),
            Action::Delete => Route::ActionDelete(collection),
        }),
        Target::Operations => {
            Ok(Route::OperationList { filter: filter(query)?, page: PageAsk::of(query)? })
        }
        Target::Status(id) => Ok(Route::OperationStatus(id)),
        Target::Result(id) => Ok(Route::OperationResult { id, shape: shape(query)? }),
        Target::Cancel(id) => Ok(Route::OperationCancel(id)),
    }
}

/// What can be done with what a path names.
fn methods(target: &Target) -> &'static [Method] {
    match target {
        Target::Root
        | Target::Groups
        | Target::References { .. }
        | Target::Collection(_)
        | Target::Operations
        | Target::Status(_)
        | Target::Result(_) => &[Method::GET],
        Target::Group(_) => &[Method::GET, Method::HEAD, Method::PUT],
        Target::Reference(_) | Target::Resource { .. } => {
            &[Method::GET, Method::HEAD, Method::PUT, Method::DELETE]
        }
        Target::Action { .. } | Target::Cancel(_) => &[Method::POST],
    }
}

/// Writes must name a version, but for those of AWS planes and operations: the seeds' examples
/// have none there.
fn needs_version(method: &Method, target: &Target) -> bool {
    let is_read = method == Method::GET || method == Method::HEAD;
    !is_read && matches!(target, Target::Group(_) | Target::Reference(_))
}

fn group(method: &Method, name: GroupName) -> Result<Route, ApiError> {
    if method == Method::PUT {
        names::check_group_name(&name.group)?;
        return Ok(Route::GroupPut(name));
    }
    Ok(if method == Method::HEAD { Route::GroupHead(name) } else { Route::GroupShow(name) })
}

fn reference(method: &Method, name: ReferenceName, query: &Query) -> Result<Route, ApiError> {
    if method == Method::PUT {
        names::check_alias(&name.alias)?;
        return Ok(Route::ReferencePut(name));
    }
    if method == Method::DELETE {
        let mode = match query.one("mode")? {
            None => DeleteMode::ByOwnership,
            Some(mode) if names::is(mode, "detach") => DeleteMode::Detach,
            Some(mode) if names::is(mode, "delete") => DeleteMode::Delete,
            Some(_) => return Err(query::wrong("mode", "is neither `detach` nor `delete`")),
        };
        return Ok(Route::ReferenceDelete { name, mode });
    }
    if method == Method::HEAD {
        return Ok(Route::ReferenceHead(name));
    }
    let sight = if query.flag("live")? { Sight::Live } else { Sight::Stored };
    Ok(Route::ReferenceShow { name, sight })
}

fn resource(method: &Method, collection: Collection, identifier: String) -> Route {
    if method == Method::PUT {
        Route::ResourcePut { collection, identifier }
    } else if method == Method::DELETE {
        Route::ResourceDelete { collection, identifier }
    } else if method == Method::HEAD {
        Route::ResourceHead { collection, identifier }
    } else {
        Route::ResourceShow { collection, identifier }
    }
}

/// What a list below a parent is told of the parent: `parent.RestApiId=a1`.
fn parent(query: &Query) -> Result<Option<Value>, ApiError> {
    let mut parent = Map::new();
    for (key, value) in query.with_prefix("parent.") {
        if key.is_empty() {
            return Err(query::wrong("parent.", "names no property"));
        }
        if parent.insert(key.to_owned(), value.into()).is_some() {
            return Err(query::wrong(&format!("parent.{key}"), "is given twice"));
        }
    }
    Ok((!parent.is_empty()).then_some(Value::Object(parent)))
}

fn filter(query: &Query) -> Result<OperationFilter, ApiError> {
    let group = match query.one("group")? {
        None => None,
        Some(text) if text.starts_with('/') => match names::find_group(&names::parse_id(text)?)? {
            None => return Err(query::wrong("group", "is not the name or the id of a group")),
            found => found,
        },
        Some(name) => Some(names::group_name(name)),
    };
    let reference = match query.one("reference")? {
        None => None,
        Some(text) => match names::find_reference(&names::parse_id(text)?)? {
            None => return Err(query::wrong("reference", "is not the id of a reference")),
            found => found,
        },
    };
    Ok(OperationFilter { reference, group, parent: None, running: query.flag("running")? })
}

fn shape(query: &Query) -> Result<Shape, ApiError> {
    match query.one(SHAPE)? {
        None => Ok(Shape::Resource),
        Some(word) if names::is(word, Shape::Resource.word()) => Ok(Shape::Resource),
        Some(word) if names::is(word, Shape::Reference.word()) => Ok(Shape::Reference),
        Some(_) => Err(query::wrong(SHAPE, "is neither `resource` nor `reference`")),
    }
}

/// The parameter by which a result URL remembers which surface the write came in by.
pub(crate) const SHAPE: &str = "shape";

impl Shape {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Resource => "resource",
        }
    }
}
