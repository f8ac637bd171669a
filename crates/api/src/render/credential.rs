//! A credential as callers see it: never a secret.

use hangar_plan::record::CredentialRecord;
use serde_json::{Map, Value, json};

use super::state::SUCCEEDED;
use super::time::system_data;
use crate::body::PROVISIONING_STATE;
use crate::etag::ETag;

/// A credential, without its secrets: the store keeps what may be shown apart from what is sealed.
pub(crate) fn credential(credential: &CredentialRecord) -> Value {
    let mut properties = Map::new();
    for (name, value) in credential.shown.as_object().into_iter().flatten() {
        if !value.is_null() {
            properties.insert(name.clone(), value.clone());
        }
    }
    properties.insert("storage".into(), json!({"kind": "Internal"}));
    properties.insert(PROVISIONING_STATE.into(), SUCCEEDED.into());
    let mut body = Map::new();
    body.insert("id".into(), credential.name.id().into());
    body.insert("name".into(), credential.name.name.as_str().into());
    body.insert("type".into(), "System.AWS/credentials".into());
    if let Some(location) = &credential.location {
        body.insert("location".into(), location.as_str().into());
    }
    if !credential.tags.is_empty() {
        body.insert("tags".into(), json!(credential.tags));
    }
    body.insert("etag".into(), ETag::of_credential(credential).as_str().into());
    body.insert("properties".into(), Value::Object(properties));
    body.insert("systemData".into(), system_data(credential.created_at, credential.updated_at));
    Value::Object(body)
}
