//! What a query adds to a route: filters, modes, shapes.

use hangar_engine::DeleteMode;
use hangar_plan::deployment::OnRemove;
use hangar_plan::operation::{EntryState, OperationId};
use hangar_plan::record::{DriftState, GroupName};
use hangar_store::OperationFilter;
use serde_json::{Map, Value};

use super::{Shape, Sight};
use crate::error::ApiError;
use crate::names;
use crate::query::{self, Query};
use crate::render::{drift_word, entry_word};

/// Which references a list is to hold, beside those of its group and type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Only {
    pub(crate) state: Option<EntryState>,
    pub(crate) drift: Option<DriftState>,
}

pub(crate) const STATE: &str = "state";
pub(crate) const DRIFT: &str = "drift";

const STATES: [EntryState; 5] = [
    EntryState::Reserved,
    EntryState::Ready,
    EntryState::Failed,
    EntryState::Unknown,
    EntryState::Missing,
];
const DRIFTS: [DriftState; 4] =
    [DriftState::InSync, DriftState::Drifted, DriftState::Missing, DriftState::Unknown];

/// Which references a list is to hold.
pub(super) fn only(query: &Query) -> Result<Only, ApiError> {
    Ok(Only {
        state: word(query, STATE, &STATES, entry_word)?,
        drift: word(query, DRIFT, &DRIFTS, drift_word)?,
    })
}

/// The value whose word a parameter is.
fn word<T: Copy>(
    query: &Query,
    name: &str,
    all: &[T],
    to_word: fn(T) -> &'static str,
) -> Result<Option<T>, ApiError> {
    let Some(text) = query.one(name)? else { return Ok(None) };
    let found = all.iter().find(|value| names::is(text, to_word(**value)));
    found.copied().map(Some).ok_or_else(|| {
        let words = all.iter().map(|value| format!("`{}`", to_word(*value))).collect::<Vec<_>>();
        query::wrong(name, &format!("is not one of {}", words.join(", ")))
    })
}

/// What becomes of what a deployment manages when it is forgotten: nothing, as with ARM, unless the query says so.
pub(super) fn on_remove(query: &Query) -> Result<OnRemove, ApiError> {
    let all = [OnRemove::Keep, OnRemove::Detach, OnRemove::Delete];
    Ok(word(query, "onRemove", &all, OnRemove::as_str)?.unwrap_or_default())
}

/// What deleting a reference does with its resource.
pub(super) fn delete_mode(query: &Query) -> Result<DeleteMode, ApiError> {
    match query.one("mode")? {
        None => Ok(DeleteMode::ByOwnership),
        Some(mode) if names::is(mode, "detach") => Ok(DeleteMode::Detach),
        Some(mode) if names::is(mode, "delete") => Ok(DeleteMode::Delete),
        Some(_) => Err(query::wrong("mode", "is neither `detach` nor `delete`")),
    }
}

/// Where the properties of a shown reference come from.
pub(super) fn sight(query: &Query) -> Result<Sight, ApiError> {
    Ok(if query.flag("live")? { Sight::Live } else { Sight::Stored })
}

/// What a list below a parent is told of the parent: `parent.RestApiId=a1`.
pub(super) fn parent(query: &Query) -> Result<Option<Value>, ApiError> {
    let mut parent = Map::new();
    for (key, value) in query.with_prefix("parent.") {
        if key.is_empty() {
            return Err(query::wrong("parent.", "does not name a property"));
        }
        if parent.insert(key.to_owned(), value.into()).is_some() {
            return Err(query::wrong(&format!("parent.{key}"), "is set twice"));
        }
    }
    Ok((!parent.is_empty()).then_some(Value::Object(parent)))
}

/// Which operations a list in a plane is to hold.
pub(super) fn operations(plane: &str, query: &Query) -> Result<OperationFilter, ApiError> {
    let group = match query.one("group")? {
        None => None,
        Some(text) if text.starts_with('/') => match names::find_group(&names::parse_id(text)?) {
            None => return Err(query::wrong("group", "is not the name or the id of a group")),
            found => found,
        },
        Some(name) => Some(GroupName { plane: plane.to_owned(), group: name.to_owned() }),
    };
    let reference = match query.one("reference")? {
        None => None,
        Some(text) => match names::find_reference(&names::parse_id(text)?)? {
            None => return Err(query::wrong("reference", "is not the id of a reference")),
            found => found,
        },
    };
    let parent = match query.one("parent")? {
        None => None,
        // Its id, or only the last of it.
        Some(text) => match text.rsplit('/').next().and_then(OperationId::parse) {
            None => return Err(query::wrong("parent", "is not the id of an operation")),
            found => found,
        },
    };
    Ok(OperationFilter { reference, group, parent, running: query.flag("running")? })
}

/// Which body a finished write has.
pub(super) fn shape(query: &Query) -> Result<Shape, ApiError> {
    match query.one(SHAPE)? {
        None => Ok(Shape::Resource),
        Some(word) if names::is(word, Shape::Resource.word()) => Ok(Shape::Resource),
        Some(word) if names::is(word, Shape::Reference.word()) => Ok(Shape::Reference),
        Some(_) => Err(query::wrong(SHAPE, "is neither `resource` nor `reference`")),
    }
}

/// Which version of a Terraform state is asked for; the current one where none is named.
pub(super) fn state_version(query: &Query) -> Result<Option<u64>, ApiError> {
    let Some(text) = query.one(VERSION)? else { return Ok(None) };
    match text.parse() {
        Ok(number) if number > 0 => Ok(Some(number)),
        _ => Err(query::wrong(VERSION, "is not a positive number")),
    }
}

const VERSION: &str = "version";

/// The lock that the writer of a Terraform state holds.
pub(super) fn lock_id(query: &Query) -> Result<Option<String>, ApiError> {
    Ok(query.one("ID")?.filter(|id| !id.is_empty()).map(str::to_owned))
}

/// The parameter by which a result URL remembers which surface the write came in by.
pub(crate) const SHAPE: &str = "shape";
