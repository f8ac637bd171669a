//! A plane as callers see it.

use hangar_plan::Timestamp;
use hangar_plan::record::{Plane, PlaneKind};
use serde_json::{Map, Value, json};

use super::state::SUCCEEDED;
use super::time::system_data;
use crate::body::PROVISIONING_STATE;
use crate::etag::ETag;

/// A plane. It is written at once, so it is never on its way.
pub(crate) fn plane(plane: &Plane) -> Value {
    let mut properties: Map<String, Value> =
        plane.properties.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    properties.insert(PROVISIONING_STATE.into(), SUCCEEDED.into());
    let type_text = match plane.name.kind {
        PlaneKind::Aws => "System.AWS/planes",
        PlaneKind::Radius => "System.Radius/planes",
    };
    let mut body = Map::new();
    body.insert("id".into(), plane.name.id().into());
    body.insert("name".into(), plane.name.name.as_str().into());
    body.insert("type".into(), type_text.into());
    if let Some(location) = &plane.location {
        body.insert("location".into(), location.as_str().into());
    }
    if !plane.tags.is_empty() {
        body.insert("tags".into(), json!(plane.tags));
    }
    body.insert("etag".into(), ETag::of_plane(plane).as_str().into());
    body.insert("properties".into(), Value::Object(properties));
    // Those that are there from the start were made by nobody.
    if plane.updated_at > Timestamp::default() {
        body.insert("systemData".into(), system_data(plane.created_at, plane.updated_at));
    }
    Value::Object(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hangar_plan::record::{PlaneName, Version};

    #[test]
    fn a_plane_shows_its_kind_and_what_its_caller_gave() {
        let stored = Plane {
            name: PlaneName { kind: PlaneKind::Aws, name: "Two".into() },
            location: Some("here".into()),
            tags: [("a".to_owned(), "b".to_owned())].into(),
            properties: [("x".to_owned(), json!(1))].into(),
            created_at: Timestamp::from_micros(0),
            updated_at: Timestamp::from_micros(1_000_000),
            version: Version(1),
        };
        let mut shown = plane(&stored);
        assert_eq!(shown["etag"].take(), ETag::of_plane(&stored).as_str());
        assert_eq!(
            shown,
            json!({
                "id": "/planes/aws/Two", "name": "Two", "type": "System.AWS/planes",
                "location": "here", "tags": {"a": "b"}, "etag": null,
                "properties": {"x": 1, "provisioningState": "Succeeded"},
                "systemData": {"createdAt": "1970-01-01T00:00:00Z", "lastModifiedAt": "1970-01-01T00:00:01Z"},
            })
        );
    }
}
