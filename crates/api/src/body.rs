//! The bodies of requests: read strictly, once, into what the handlers work with.
//!
//! `members` takes an object apart and knows what is left over; each other file is one body.

mod action;
mod base64;
mod change;
mod credential;
mod deployment;
mod group;
mod members;
mod merge;
mod permit;
mod plane;
mod recipe;
mod recipe_config;
mod reference;
mod resource;
mod secret;
mod small;
mod state;
mod text;

pub(crate) use action::{ActionBody, Tracking};
pub(crate) use base64::decode as decode_base64;
pub(crate) use change::ReferenceChange;
pub(crate) use credential::CredentialBody;
pub(crate) use deployment::{DeploymentBody, PLAN_PLACE, SCOPE};
pub(crate) use group::GroupBody;
pub(crate) use permit::Permits;
pub(crate) use plane::PlaneBody;
pub(crate) use recipe::RecipeBody;
pub(crate) use recipe_config::RecipeConfig;
pub(crate) use reference::ReferenceBody;
pub(crate) use resource::ResourceBody;
pub(crate) use small::{DriftBody, learned_path, new_alias, nothing};
pub(crate) use state::{ID as LOCK_ID, LockBody, UnlockBody};
pub(crate) use text::{Limit, Sent, announced, discard, read};

use serde_json::{Map, Value};

use crate::error::{ApiError, Code};
use members::Members;

/// What a caller wants of a resource, and what of it is secret.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) properties: Map<String, Value>,
    /// What the caller sent back of ARM's own member.
    pub(crate) provisioning_state: Option<String>,
}

impl Wanted {
    /// Takes `properties` out of a body; nothing where it has none.
    fn take(members: &mut Members) -> Result<Option<Self>, ApiError> {
        let Some(mut properties) = members.take_object("properties")? else { return Ok(None) };
        let provisioning_state = match properties.remove(PROVISIONING_STATE) {
            None | Some(Value::Null) => None,
            Some(Value::String(state)) => Some(state),
            Some(_) => {
                return Err(ApiError::new(
                    Code::InvalidRequestContent,
                    "`properties.provisioningState` is not a string",
                ));
            }
        };
        Ok(Some(Self { properties, provisioning_state }))
    }

    /// Refuses a state that is not the current one: it is ours to set.
    pub(crate) fn check_state(&self, current: Option<&str>) -> Result<(), ApiError> {
        check_state(self.provisioning_state.as_deref(), current)
    }

    pub(crate) fn value(self) -> Value {
        Value::Object(self.properties)
    }
}

/// Refuses a stated `provisioningState` that is not the current one.
pub(crate) fn check_state(stated: Option<&str>, current: Option<&str>) -> Result<(), ApiError> {
    let Some(state) = stated.filter(|_| stated != current) else { return Ok(()) };
    let is = current
        .map_or(String::from("it does not exist yet"), |current| format!("it is `{current}`"));
    let message =
        format!("`properties.provisioningState` cannot be set to `{state}`: {is}; remove it");
    Err(ApiError::new(Code::InvalidRequestContent, message)
        .with_target("/properties/provisioningState"))
}

/// ARM's member among the properties; AWS names are `PascalCase`, so nothing clashes.
pub(crate) const PROVISIONING_STATE: &str = "provisioningState";

/// A thing of ours with the changes of a merge patch; its tags are replaced whole.
fn merged_with_tags(mut whole: Value, patch: Option<Value>) -> Result<Value, ApiError> {
    const TAGS: &str = "tags";
    let Some(patch) = patch else { return Ok(whole) };
    let Value::Object(mut patch) = patch else {
        return Err(ApiError::new(Code::InvalidRequestContent, "the body is not an object"));
    };
    if let Some(tags) = patch.remove(TAGS) {
        whole[TAGS] = tags;
    }
    Ok(merge::merged(whole, Value::Object(patch)))
}

/// Refuses a body without the one member that says what is wanted.
fn required<T>(found: Option<T>, what: &str) -> Result<T, ApiError> {
    found.ok_or_else(|| {
        let message = format!("the body has no `{what}`; `\"{what}\": {{}}` is valid");
        ApiError::new(Code::InvalidRequestContent, message).with_target(format!("/{what}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_is_sent_back_must_be_the_current_one() {
        let wanted =
            Wanted { properties: Map::new(), provisioning_state: Some("Succeeded".into()) };
        assert!(wanted.check_state(Some("Succeeded")).is_ok());
        assert!(wanted.check_state(Some("Creating")).is_err());
        assert!(wanted.check_state(None).is_err());
        let silent = Wanted { properties: Map::new(), provisioning_state: None };
        assert!(silent.check_state(None).is_ok());
    }
}
