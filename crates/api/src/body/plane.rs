//! The body of a plane's `PUT` and `PATCH`: `{location, tags, properties: {…}}`.

use std::collections::BTreeMap;

use hangar_plan::record::Plane;
use serde_json::{Map, Value, json};

use super::group::tags_of;
use super::{Members, PROVISIONING_STATE, merged_with_tags};
use crate::error::ApiError;

/// What a caller wants of a plane.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct PlaneBody {
    pub(crate) location: Option<String>,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) properties: BTreeMap<String, Value>,
    pub(crate) provisioning_state: Option<String>,
}

impl PlaneBody {
    /// All of a plane: what is left out is removed.
    pub(crate) fn of(body: Option<Value>) -> Result<Self, ApiError> {
        let Some(body) = body else { return Ok(Self::default()) };
        let mut members = Members::of(body)?;
        let mut plane = Self { location: members.take_text("location")?, ..Self::default() };
        if let Some(tags) = members.take_object("tags")? {
            plane.tags = tags_of(tags)?;
        }
        if let Some(mut properties) = members.take_members("properties")? {
            plane.provisioning_state = properties.take_text(PROVISIONING_STATE)?;
            plane.properties = properties.rest().into_iter().collect();
        }
        members.ignore(&["id", "name", "type", "etag", "systemData"]);
        members.end()?;
        Ok(plane)
    }

    /// A plane with some of it changed.
    pub(crate) fn patched(plane: &Plane, patch: Option<Value>) -> Result<Self, ApiError> {
        let properties: Map<String, Value> =
            plane.properties.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut whole = json!({ "tags": plane.tags, "properties": properties });
        if let Some(location) = &plane.location {
            whole["location"] = location.as_str().into();
        }
        Self::of(Some(merged_with_tags(whole, patch)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hangar_plan::Timestamp;
    use hangar_plan::record::{PlaneKind, PlaneName, Version};

    #[test]
    fn a_patch_changes_what_it_states_and_replaces_tags_whole() {
        let plane = Plane {
            name: PlaneName { kind: PlaneKind::Aws, name: "aws".into() },
            location: Some("here".into()),
            tags: [("a".to_owned(), "1".to_owned())].into(),
            properties: [("x".to_owned(), json!({"y": 1})), ("z".to_owned(), json!(2))].into(),
            created_at: Timestamp::from_micros(0),
            updated_at: Timestamp::from_micros(0),
            version: Version(1),
        };
        let patch = json!({"tags": {"b": "2"}, "properties": {"x": {"w": 3}, "z": null}});
        let body = PlaneBody::patched(&plane, Some(patch)).unwrap();
        assert_eq!(body.location.as_deref(), Some("here"));
        assert_eq!(body.tags, [("b".to_owned(), "2".to_owned())].into());
        assert_eq!(body.properties, [("x".to_owned(), json!({"y": 1, "w": 3}))].into());
        assert_eq!(PlaneBody::patched(&plane, None).unwrap().tags, plane.tags);
        for patch in [json!([]), json!({"odd": 1}), json!({"tags": {"a": null}})] {
            assert!(PlaneBody::patched(&plane, Some(patch.clone())).is_err(), "{patch}");
        }
    }

    #[test]
    fn the_body_may_be_empty() {
        assert_eq!(PlaneBody::of(None).unwrap(), PlaneBody::default());
        assert_eq!(PlaneBody::of(Some(json!({}))).unwrap(), PlaneBody::default());
    }
}
