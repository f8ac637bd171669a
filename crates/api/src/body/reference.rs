//! The body of a reference's `PUT`: what is wanted, where, and what is to be taken in.

use hangar_ids::{IdentifierSet, TypeName};
use hangar_plan::record::{AwsScope, ReferenceName};
use hangar_schema::{TypeSchema, read_identifier};
use serde_json::Value;

use super::{Members, Permits, Wanted, permit, secret};
use crate::error::{ApiError, Code};
use crate::names;

/// What a caller wants of a reference.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReferenceBody {
    pub(crate) wanted: Option<Wanted>,
    pub(crate) scope: Option<AwsScope>,
    pub(crate) identifier: Option<GivenIdentifier>,
    pub(crate) owned: Option<bool>,
    pub(crate) permits: Permits,
    /// What must be there before this one; nothing where the caller does not say.
    pub(crate) depends_on: Option<Vec<ReferenceName>>,
    pub(crate) secret_paths: Vec<String>,
}

/// An identifier as the caller wrote it; the schema reads it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GivenIdentifier(Value);

impl ReferenceBody {
    pub(crate) fn of(body: Option<Value>, name: &ReferenceName) -> Result<Self, ApiError> {
        let mut members =
            Members::of(body.unwrap_or_else(|| Value::Object(serde_json::Map::new())))?;
        let wanted = Wanted::take(&mut members)?;
        let (scope, identifier) = take_maps_to(&mut members, &name.type_name)?;
        let owned = members.take_flag("ownedResource")?;
        let permits = Permits::take(&mut members)?;
        let ids = permit::take_ids(&mut members)?;
        let depends_on = ids.map(|ids| permit::depends_on(&ids, name)).transpose()?;
        let secret_paths = secret::take(&mut members, wanted.as_ref())?;
        members.ignore(&OUR_OWN);
        members.end()?;
        Ok(Self { wanted, scope, identifier, owned, permits, depends_on, secret_paths })
    }
}

/// What we ourselves put into a reference's answer: callers send it back.
pub(super) const OUR_OWN: [&str; 14] = [
    "id",
    "name",
    "type",
    "location",
    "etag",
    "observedAt",
    "appliedProperties",
    "state",
    "retiring",
    "drift",
    "unsettled",
    "operation",
    "lastOperation",
    "systemData",
];

/// Takes `mapsTo` out of a body: where the resource is, and which it is.
pub(super) fn take_maps_to(
    members: &mut Members,
    type_name: &TypeName,
) -> Result<(Option<AwsScope>, Option<GivenIdentifier>), ApiError> {
    let Some(mut maps_to) = members.take_members("mapsTo")? else { return Ok((None, None)) };
    let scope = maps_to.take_text("scope")?.map(|text| scope_of(&text, type_name)).transpose()?;
    let identifier = maps_to.take("primaryIdentifier").map(GivenIdentifier);
    maps_to.end()?;
    Ok((scope, identifier))
}

impl GivenIdentifier {
    /// The identifier as Cloud Control spells it.
    pub(crate) fn read(&self, schema: &TypeSchema) -> Result<String, ApiError> {
        let refused = |error: ApiError| error.with_target("/mapsTo/primaryIdentifier");
        let text = match &self.0 {
            Value::String(text) => text.clone(),
            Value::Object(_) => self.0.to_string(),
            _ => {
                let message =
                    "`mapsTo.primaryIdentifier` is neither a string nor an object of parts";
                return Err(refused(ApiError::new(Code::InvalidIdentifier, message)));
            }
        };
        let named = read_identifier(schema, &text)
            .map_err(|found| refused(ApiError::diagnosed(Code::InvalidIdentifier, &found)))?;
        match named.set {
            IdentifierSet::Primary => Ok(named.identifier.as_str().to_owned()),
            IdentifierSet::Additional(_) => {
                let parts = schema.primary_identifier();
                let parts = parts.iter().map(ToString::to_string).collect::<Vec<_>>().join("|");
                let message = format!(
                    "`mapsTo.primaryIdentifier` is an additional identifier; send the primary one, \
                     which consists of `{parts}`"
                );
                Err(refused(ApiError::new(Code::InvalidIdentifier, message)))
            }
        }
    }
}

/// Reads `mapsTo.scope`: a collection of the reference's type, or only its account and region.
fn scope_of(text: &str, type_name: &TypeName) -> Result<AwsScope, ApiError> {
    let refused = |error: ApiError| error.with_target("/mapsTo/scope");
    let id = names::parse_id(text).map_err(refused)?;
    let scope = names::aws_scope(&id).map_err(refused)?;
    let named = id.resource_type().map(|text| names::known_type(&text)).transpose();
    let is_other = named.map_err(refused)?.is_some_and(|named| named != *type_name);
    if is_other || id.name().is_some() && !id.types().is_empty() {
        let message = format!("`mapsTo.scope` is not a collection of {type_name}");
        return Err(refused(ApiError::new(Code::InvalidScope, message)));
    }
    Ok(scope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hangar_schema::Catalog;
    use serde_json::json;

    const SCOPE: &str = "/planes/aws/aws/accounts/1/regions/us-east-1";

    fn of(body: Value) -> Result<ReferenceBody, ApiError> {
        let id = "/planes/radius/local/resourceGroups/rg/providers/AWS.EC2/VPC:reference/net";
        let name = names::find_reference(&names::parse_id(id).unwrap()).unwrap().unwrap();
        ReferenceBody::of(Some(body), &name)
    }

    #[test]
    fn what_a_get_answered_can_be_put_back() {
        let body = of(json!({
            "id": "i", "name": "n", "type": "t", "etag": "e", "state": "ready", "retiring": [],
            "lastOperation": {"id": "x"}, "systemData": {}, "observedAt": "o", "appliedProperties": {},
            "mapsTo": {"scope": format!("{SCOPE}/providers/aws.ec2/vpc"), "primaryIdentifier": "vpc-1"},
            "ownedResource": true,
            "properties": {"CidrBlock": "10.0.0.0/16", "provisioningState": "Succeeded"},
        }))
        .unwrap();
        assert_eq!(body.scope.unwrap().to_string(), SCOPE);
        assert_eq!(body.owned, Some(true));
        let wanted = body.wanted.unwrap();
        assert_eq!(wanted.provisioning_state.as_deref(), Some("Succeeded"));
        assert_eq!(wanted.value(), json!({"CidrBlock": "10.0.0.0/16"}));
    }

    #[test]
    fn a_scope_is_the_types_collection_or_its_place() {
        assert!(of(json!({"mapsTo": {"scope": SCOPE}})).is_ok());
        for scope in [
            format!("{SCOPE}/providers/AWS.S3/Bucket"),
            format!("{SCOPE}/providers/AWS.EC2/VPC/vpc-1"),
            "/planes/radius/local/resourceGroups/rg".to_owned(),
            "x".to_owned(),
        ] {
            assert_eq!(
                of(json!({"mapsTo": {"scope": scope}})).unwrap_err().status(),
                400,
                "{scope}"
            );
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for body in [
            json!({"replace": "always"}),
            json!({"adopt": "yes"}),
            json!({"dependsOn": ["net"]}),
            json!({"secretPaths": ["Password"]}),
            json!({"ownedResource": "yes"}),
            json!({"properties": []}),
            json!({"properties": {"provisioningState": 1}}),
        ] {
            assert_eq!(of(body.clone()).unwrap_err().status(), 400, "{body}");
        }
    }

    #[test]
    fn an_identifier_is_a_string_or_an_object_of_parts() {
        let stage = Catalog::bundled().get("AWS::ApiGateway::Stage").unwrap();
        for given in [json!("a1|prod"), json!({"StageName": "prod", "RestApiId": "a1"})] {
            assert_eq!(GivenIdentifier(given).read(&stage).unwrap(), "a1|prod");
        }
        for given in [json!("a1"), json!({"RestApiId": "a1"}), json!(5), json!("")] {
            let error = GivenIdentifier(given.clone()).read(&stage).unwrap_err();
            assert_eq!(error.code(), "InvalidIdentifier", "{given}");
        }
    }
}
