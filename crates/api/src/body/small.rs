//! The bodies that hold a word or two: `:drift`, `:rename`, and those that hold nothing.

use serde_json::Value;

use super::Members;
use crate::error::{ApiError, Code};
use crate::names;

/// What is to be done with what a look for drift finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct DriftBody {
    /// Apply again where it differs.
    pub(crate) repair: bool,
    /// Remove references whose resource is gone.
    pub(crate) prune: bool,
}

impl DriftBody {
    pub(crate) fn of(body: Option<Value>) -> Result<Self, ApiError> {
        let Some(body) = body else { return Ok(Self::default()) };
        let mut members = Members::of(body)?;
        let repair = members.take_flag("repair")?.unwrap_or(false);
        let prune = members.take_flag("prune")?.unwrap_or(false);
        members.end()?;
        Ok(Self { repair, prune })
    }
}

/// The new alias that a `:rename` asks for.
pub(crate) fn new_alias(body: Option<Value>) -> Result<String, ApiError> {
    let mut members = Members::of(body.unwrap_or_else(|| Value::Object(serde_json::Map::new())))?;
    let alias = members.take_text("alias")?;
    members.end()?;
    let Some(alias) = alias else {
        let message = "the body has no `alias`; send the new alias as `{\"alias\": \"new\"}`";
        return Err(ApiError::new(Code::InvalidRequestContent, message).with_target("/alias"));
    };
    names::check_alias(&alias).map_err(|error| error.with_target("/alias"))?;
    Ok(alias)
}

/// The path whose learned form an `:unlearn` removes; without one it removes all.
pub(crate) fn learned_path(body: Option<Value>) -> Result<Option<String>, ApiError> {
    let Some(body) = body else { return Ok(None) };
    let mut members = Members::of(body)?;
    let path = members.take_text("path")?;
    members.end()?;
    Ok(path)
}

/// Refuses a body that says anything.
pub(crate) fn nothing(body: Option<Value>) -> Result<(), ApiError> {
    match body {
        None => Ok(()),
        Some(body) => Members::of(body)?.end(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_look_for_drift_only_looks_unless_it_is_told_more() {
        assert_eq!(DriftBody::of(None).unwrap(), DriftBody::default());
        assert_eq!(DriftBody::of(Some(json!({}))).unwrap(), DriftBody::default());
        let all = DriftBody { repair: true, prune: true };
        assert_eq!(DriftBody::of(Some(json!({"repair": true, "prune": true}))).unwrap(), all);
        for body in [json!([]), json!({"repair": 1}), json!({"repare": true})] {
            assert!(DriftBody::of(Some(body.clone())).is_err(), "{body}");
        }
    }

    #[test]
    fn a_new_alias_is_one_that_can_be_made() {
        assert_eq!(new_alias(Some(json!({"alias": "b"}))).unwrap(), "b");
        assert_eq!(new_alias(Some(json!({"alias": "a/b"}))).unwrap_err().code(), "InvalidAlias");
        for body in [None, Some(json!({})), Some(json!({"name": "b"})), Some(json!("b"))] {
            let error = new_alias(body.clone()).unwrap_err();
            assert_eq!(error.code(), "InvalidRequestContent", "{body:?}");
        }
    }

    #[test]
    fn what_takes_nothing_takes_nothing() {
        assert!(nothing(None).is_ok() && nothing(Some(json!({}))).is_ok());
        assert!(nothing(Some(json!({"a": 1}))).is_err() && nothing(Some(json!(1))).is_err());
    }
}
