//! A group as callers see it.

use hangar_engine::RECIPE_CONFIG;
use hangar_plan::record::Group;
use serde_json::{Map, Value, json};

use super::state::group_state;
use super::time::system_data;
use crate::body::PROVISIONING_STATE;
use crate::etag::ETag;

/// A group, without its references.
pub(crate) fn group(group: &Group) -> Map<String, Value> {
    let mut properties: Map<String, Value> =
        group.properties.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    properties.insert(PROVISIONING_STATE.into(), group_state(group.state).into());
    if let Some(scope) = &group.aws_scope {
        let providers = properties.entry("providers").or_insert_with(|| Value::Object(Map::new()));
        providers["aws"] = json!({ "scope": scope.to_string() });
    }
    if !group.secrets.is_empty() {
        let names: Map<String, Value> =
            group.secrets.keys().map(|name| (name.clone(), Value::Null)).collect();
        let config = properties.entry(RECIPE_CONFIG).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(config) = config {
            config.insert("secrets".into(), Value::Object(names));
        }
    }
    let mut body = Map::new();
    body.insert("id".into(), group.name.id().into());
    body.insert("name".into(), group.name.group.as_str().into());
    body.insert("type".into(), "System.Resources/resourceGroups".into());
    if let Some(location) = &group.location {
        body.insert("location".into(), location.as_str().into());
    }
    if !group.tags.is_empty() {
        body.insert("tags".into(), json!(group.tags));
    }
    body.insert("etag".into(), ETag::of_group(group).as_str().into());
    body.insert("properties".into(), Value::Object(properties));
    body.insert("systemData".into(), system_data(group.created_at, group.updated_at));
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use hangar_ids::{AccountId, Region};
    use hangar_plan::Timestamp;
    use hangar_plan::record::{AwsScope, GroupName, GroupState, Version};

    #[test]
    fn a_group_shows_what_its_caller_gave() {
        let stored = Group {
            name: GroupName { plane: "local".into(), group: "Rg".into() },
            state: GroupState::Ready,
            operation: None,
            location: None,
            tags: [("a".to_owned(), "b".to_owned())].into(),
            aws_scope: Some(AwsScope {
                plane: "aws".into(),
                account: AccountId::parse("1").unwrap(),
                region: Region::parse("us-east-1").unwrap(),
            }),
            properties: [("providers".to_owned(), json!({"azure": {"scope": "/x"}}))].into(),
            secrets: [].into(),
            created_at: Timestamp::from_micros(0),
            updated_at: Timestamp::from_micros(0),
            version: Version(3),
        };
        let mut shown = Value::Object(group(&stored));
        let tag = shown["etag"].take();
        assert_eq!(tag, ETag::of_group(&stored).as_str());
        assert_eq!(
            shown,
            json!({
                "id": "/planes/radius/local/resourceGroups/Rg", "name": "Rg",
                "type": "System.Resources/resourceGroups", "tags": {"a": "b"}, "etag": null,
                "properties": {"provisioningState": "Succeeded", "providers": {
                    "azure": {"scope": "/x"},
                    "aws": {"scope": "/planes/aws/aws/accounts/1/regions/us-east-1"}}},
                "systemData": {"createdAt": "1970-01-01T00:00:00Z", "lastModifiedAt": "1970-01-01T00:00:00Z"},
            })
        );
        let later = Group { version: Version(9), updated_at: Timestamp::from_micros(9), ..stored };
        assert_eq!(
            group(&later)["etag"],
            tag,
            "a tag is of what is in it, not of how often it was written"
        );
    }
}
