//! An AWS resource as callers see it.

use hangar_ids::encode_identifier;
use hangar_plan::record::{Reference, Subject};
use serde_json::{Map, Value};

use super::hidden;
use crate::body::PROVISIONING_STATE;

/// A resource in a state, without what its write marks secret, and the reference that it is mapped by,
/// if there is one. One whose identifier is not known yet has neither id nor name.
pub(crate) fn resource(
    subject: &Subject,
    identifier: Option<&str>,
    properties: Value,
    state: &str,
    mapped_by: Option<&Reference>,
) -> Value {
    let mut properties = match hidden(properties, &subject.secret_paths, mapped_by) {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    properties.insert(PROVISIONING_STATE.into(), state.into());
    let mut body = Map::new();
    if let Some(identifier) = identifier {
        let id = format!("{}/{}", subject.collection(), encode_identifier(identifier));
        body.insert("id".into(), id.into());
        body.insert("name".into(), identifier.into());
    }
    body.insert("type".into(), subject.type_name.ucp().into());
    body.insert("properties".into(), Value::Object(properties));
    if let Some(reference) = mapped_by {
        body.insert("alias".into(), reference.name.alias.as_str().into());
        body.insert("trackedBy".into(), reference.name.id().into());
    }
    Value::Object(body)
}
