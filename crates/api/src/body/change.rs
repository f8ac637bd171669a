//! The body of a reference's `PATCH`: what of it is to change.

use hangar_plan::record::{AwsScope, ReferenceName};
use serde_json::{Map, Value};

use super::permit::{ADOPT, REPLACE};
use super::reference::{GivenIdentifier, OUR_OWN, take_maps_to};
use super::{Members, Wanted, permit, secret};
use crate::error::{ApiError, Code};

/// What of a reference is to change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReferenceChange {
    pub(crate) wanted: Option<Wanted>,
    /// Where the resource is: it cannot change, so it must be what it is.
    pub(crate) scope: Option<AwsScope>,
    /// Which the resource is: the same.
    pub(crate) identifier: Option<GivenIdentifier>,
    pub(crate) owned: Option<bool>,
    pub(crate) depends_on: Option<Vec<ReferenceName>>,
    pub(crate) secret_paths: Vec<String>,
}

impl ReferenceChange {
    pub(crate) fn of(body: Option<Value>, name: &ReferenceName) -> Result<Self, ApiError> {
        let mut members = Members::of(body.unwrap_or_else(|| Value::Object(Map::new())))?;
        if let Some(member) = [REPLACE, ADOPT].into_iter().find(|member| members.has(member)) {
            let message = format!("a PATCH does not accept `{member}`; use a PUT");
            let error = ApiError::new(Code::InvalidRequestContent, message);
            return Err(error.with_target(format!("/{member}")));
        }
        let wanted = Wanted::take(&mut members)?;
        let (scope, identifier) = take_maps_to(&mut members, &name.type_name)?;
        let owned = members.take_flag("ownedResource")?;
        let ids = permit::take_ids(&mut members)?;
        let depends_on = ids.map(|ids| permit::depends_on(&ids, name)).transpose()?;
        let secret_paths = secret::take(&mut members, wanted.as_ref())?;
        members.ignore(&OUR_OWN);
        members.end()?;
        Ok(Self { wanted, scope, identifier, owned, depends_on, secret_paths })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names;
    use serde_json::json;

    fn of(body: Value) -> Result<ReferenceChange, ApiError> {
        let id = "/planes/radius/local/resourceGroups/rg/providers/AWS.EC2/VPC:reference/net";
        let name = names::find_reference(&names::parse_id(id).unwrap()).unwrap().unwrap();
        ReferenceChange::of(Some(body), &name)
    }

    #[test]
    fn some_may_be_said_and_the_rest_left_out() {
        let change = of(json!({"ownedResource": false})).unwrap();
        assert_eq!((change.owned, change.wanted, change.depends_on), (Some(false), None, None));
        assert_eq!(of(json!({"dependsOn": []})).unwrap().depends_on, Some(vec![]));
        let change = of(json!({"properties": {"A": null}, "etag": "e", "drift": {}})).unwrap();
        assert_eq!(change.wanted.unwrap().properties["A"], Value::Null);
    }

    #[test]
    fn what_a_patch_does_not_do_is_refused_by_name() {
        for (body, target) in [
            (json!({"properties": {}, "replace": "allow"}), "/replace"),
            (json!({"properties": {}, "adopt": true}), "/adopt"),
            (json!({"mapsTo": {"odd": 1}}), "/mapsTo/odd"),
            (json!({"propertys": {}}), "/propertys"),
        ] {
            let error = of(body.clone()).unwrap_err();
            let said = (error.code(), error.value()["target"].clone());
            assert_eq!(said, ("InvalidRequestContent", json!(target)), "{body}");
        }
    }
}
