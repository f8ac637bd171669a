//! The body of a group's `PUT` and `PATCH`: `{location, tags, properties: {providers: {aws: {scope}}}}`.

use std::collections::BTreeMap;

use hangar_engine::RECIPE_CONFIG;
use hangar_plan::record::{AwsScope, Group};
use serde_json::{Map, Value, json};

use super::recipe_config::SECRETS;
use super::{Members, PROVISIONING_STATE, RecipeConfig, merged_with_tags};
use crate::error::{ApiError, Code};
use crate::names;

/// What a caller wants of a group.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct GroupBody {
    pub(crate) location: Option<String>,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) aws_scope: Option<AwsScope>,
    pub(crate) recipe_config: RecipeConfig,
    /// The rest of the properties.
    pub(crate) properties: BTreeMap<String, Value>,
    pub(crate) provisioning_state: Option<String>,
}

impl GroupBody {
    /// All of a group: what is left out is removed.
    pub(crate) fn of(body: Option<Value>) -> Result<Self, ApiError> {
        let Some(body) = body else { return Ok(Self::default()) };
        let mut members = Members::of(body)?;
        let mut group = Self { location: members.take_text("location")?, ..Self::default() };
        if let Some(tags) = members.take_object("tags")? {
            group.tags = tags_of(tags)?;
        }
        if let Some(mut properties) = members.take_members("properties")? {
            group.provisioning_state = properties.take_text(PROVISIONING_STATE)?;
            let providers = properties.take_members("providers")?;
            group.recipe_config = RecipeConfig::of(properties.take(RECIPE_CONFIG))?;
            group.properties = properties.rest().into_iter().collect();
            if let Some(providers) = providers {
                let rest = group.take_providers(providers)?;
                if !rest.is_empty() {
                    group.properties.insert("providers".into(), Value::Object(rest));
                }
            }
        }
        members.ignore(&[
            "id",
            "name",
            "type",
            "etag",
            "systemData",
            "resources",
            "resourcesNextLink",
        ]);
        members.end()?;
        Ok(group)
    }

    /// A group with some of it changed.
    pub(crate) fn patched(group: &Group, patch: Option<Value>) -> Result<Self, ApiError> {
        let mut properties: Map<String, Value> =
            group.properties.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        // What is there is named, so that a patch can keep it, add to it, or take it away.
        let names = group.secrets.keys().map(|name| (name.clone(), Value::Null)).collect();
        set_secrets(&mut properties, || Value::Object(names));
        let mut whole = json!({ "tags": group.tags, "properties": properties });
        if let Some(location) = &group.location {
            whole["location"] = location.as_str().into();
        }
        if let Some(scope) = &group.aws_scope {
            whole["properties"]["providers"]["aws"] = json!({ "scope": scope.to_string() });
        }
        let mut merged = merged_with_tags(whole, patch)?;
        // A patch that takes the member away takes what is in it away.
        if let Some(Value::Object(properties)) = merged.get_mut("properties") {
            set_secrets(properties, || Value::Object(Map::new()));
        }
        Self::of(Some(merged))
    }

    /// Reads what is ours of the providers, and gives the others.
    fn take_providers(&mut self, mut providers: Members) -> Result<Map<String, Value>, ApiError> {
        if let Some(mut aws) = providers.take_members("aws")? {
            if let Some(scope) = aws.take_text("scope")? {
                self.aws_scope = Some(scope_of(&scope)?);
            }
            aws.end()?;
        }
        Ok(providers.rest())
    }
}

/// Says of the secrets what is to become of them, where nothing is said.
fn set_secrets(properties: &mut Map<String, Value>, what: impl FnOnce() -> Value) {
    let config = properties.entry(RECIPE_CONFIG).or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(config) = config {
        config.entry(SECRETS).or_insert_with(what);
    }
}

pub(super) fn tags_of(tags: Map<String, Value>) -> Result<BTreeMap<String, String>, ApiError> {
    let wrong = |message: String| {
        Err(ApiError::new(Code::InvalidRequestContent, message).with_target("/tags"))
    };
    if tags.len() > 50 {
        return wrong(String::from("at most 50 tags are allowed"));
    }
    let mut read = BTreeMap::new();
    for (name, value) in tags {
        let Value::String(value) = value else {
            return wrong(format!("the tag `{name}` is not a string"));
        };
        if name.chars().count() > 512 || value.chars().count() > 256 {
            return wrong(format!(
                "the tag `{name}` is too long: a name has at most 512 characters, a value 256"
            ));
        }
        read.insert(name, value);
    }
    Ok(read)
}

fn scope_of(text: &str) -> Result<AwsScope, ApiError> {
    let target = "/properties/providers/aws/scope";
    let id = names::parse_id(text)?;
    if !id.types().is_empty() {
        let message =
            format!("`{text}` names a type; the scope of a group must end with its region");
        return Err(ApiError::new(Code::InvalidScope, message).with_target(target));
    }
    names::aws_scope(&id).map_err(|error| error.with_target(target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_body_may_be_empty_or_say_all() {
        assert_eq!(GroupBody::of(None).unwrap(), GroupBody::default());
        let scope = "/planes/aws/aws/accounts/1/regions/us-east-1";
        let group = GroupBody::of(Some(json!({
            "id": "x", "etag": "y", "location": "here", "tags": {"a": "b"},
            "properties": {"provisioningState": "Succeeded", "x": 1,
                "providers": {"aws": {"scope": scope}, "azure": {"scope": "/subscriptions/s"}}},
        })))
        .unwrap();
        assert_eq!(group.aws_scope.unwrap().to_string(), scope);
        assert_eq!(group.tags["a"], "b");
        assert_eq!(group.provisioning_state.as_deref(), Some("Succeeded"));
        assert_eq!(
            serde_json::to_value(group.properties).unwrap(),
            json!({"x": 1, "providers": {"azure": {"scope": "/subscriptions/s"}}})
        );
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        for body in [
            json!([]),
            json!({"tags": {"a": 1}}),
            json!({"locaton": "x"}),
            json!({"properties": {"providers": {"aws": {"scop": "x"}}}}),
            json!({"properties": {"providers": {"aws": {"scope": "/planes/aws/aws"}}}}),
            json!({"properties": {"providers": {"aws": {"scope":
                "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.EC2/VPC"}}}}),
        ] {
            assert_eq!(GroupBody::of(Some(body.clone())).unwrap_err().status(), 400, "{body}");
        }
    }
}
