//! The body of `:get`, `:put` and `:delete`: properties, or the reference that they are tracked by.

use hangar_ids::TypeName;
use hangar_plan::record::ReferenceName;
use serde_json::Value;

use super::permit::{self, ADOPT, DEPENDS_ON, REPLACE};
use super::{Members, Permits, Wanted, secret};
use crate::error::{ApiError, Code};
use crate::names;

/// What a caller of an action says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ActionBody {
    pub(crate) wanted: Option<Wanted>,
    pub(crate) tracking: Option<Tracking>,
    pub(crate) secret_paths: Vec<String>,
}

/// The reference that a resource is tracked by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tracking {
    pub(crate) name: ReferenceName,
    /// What to tell a caller whose `alias` is not the reference's name.
    pub(crate) warning: Option<String>,
    pub(crate) permits: Permits,
    /// What must be there before this one; nothing where the caller does not say.
    pub(crate) depends_on: Option<Vec<ReferenceName>>,
}

impl ActionBody {
    pub(crate) fn of(body: Option<Value>, type_name: &TypeName) -> Result<Self, ApiError> {
        let mut members =
            Members::of(body.unwrap_or_else(|| Value::Object(serde_json::Map::new())))?;
        let wanted = Wanted::take(&mut members)?;
        let tracked_by = members.take_text("trackedBy")?;
        let alias = members.take_text("alias")?;
        let secret_paths = secret::take(&mut members, wanted.as_ref())?;
        members.ignore(&["id", "name", "type"]);
        let needing = [REPLACE, ADOPT, DEPENDS_ON].into_iter().find(|name| members.has(name));
        let permits = Permits::take(&mut members)?;
        let ids = permit::take_ids(&mut members)?;
        members.end()?;
        let tracking = match (tracked_by, alias) {
            (Some(id), alias) => {
                let mut tracking = tracking(&id, alias.as_deref(), type_name)?;
                tracking.permits = permits;
                let depends_on = ids.map(|ids| permit::depends_on(&ids, &tracking.name));
                tracking.depends_on = depends_on.transpose()?;
                Some(tracking)
            }
            (None, Some(alias)) => return Err(alias_alone(&alias, type_name)),
            (None, None) => match needing {
                Some(member) => return Err(needs_tracking(member)),
                None => None,
            },
        };
        Ok(Self { wanted, tracking, secret_paths })
    }
}

fn needs_tracking(member: &str) -> ApiError {
    let message = format!("`{member}` requires `trackedBy`");
    ApiError::new(Code::InvalidRequestContent, message).with_target(format!("/{member}"))
}

fn tracking(id: &str, alias: Option<&str>, type_name: &TypeName) -> Result<Tracking, ApiError> {
    let refused =
        |message: String| ApiError::new(Code::InvalidTrackedBy, message).with_target("/trackedBy");
    let parsed = names::parse_id(id).map_err(|error| refused(error.message().to_owned()))?;
    let found =
        names::find_reference(&parsed).map_err(|error| refused(error.message().to_owned()))?;
    let Some(name) = found else {
        return Err(refused(format!(
            "`{id}` is not the id of a reference; write \
             `/planes/radius/local/resourceGroups/<group>/providers/{type_name}:reference/<alias>`"
        )));
    };
    if name.type_name != *type_name {
        return Err(refused(format!(
            "`trackedBy` is a reference to {}, but this is a collection of {type_name}",
            name.type_name
        )));
    }
    names::check_alias(&name.alias).map_err(|error| refused(error.message().to_owned()))?;
    let warning = alias.filter(|alias| !names::is(alias, &name.alias)).map(|alias| {
        format!("the alias `{alias}` is ignored: `trackedBy` names the alias `{}`", name.alias)
    });
    Ok(Tracking { name, warning, permits: Permits::default(), depends_on: None })
}

fn alias_alone(alias: &str, type_name: &TypeName) -> ApiError {
    let message = format!(
        "`alias` requires `trackedBy`, which names its group; add `\"trackedBy\": \
         \"/planes/radius/local/resourceGroups/<group>/providers/{type_name}:reference/{alias}\"`"
    );
    ApiError::new(Code::AliasWithoutTrackedBy, message).with_target("/alias")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const VPC: &str = "/planes/radius/local/resourceGroups/rg/providers/AWS.EC2/VPC:reference/net";

    fn of(body: Value) -> Result<ActionBody, ApiError> {
        ActionBody::of(Some(body), &TypeName::parse("AWS.EC2/VPC").unwrap())
    }

    #[test]
    fn tracked_by_is_the_key_and_another_alias_only_a_warning() {
        let plain = of(json!({"trackedBy": VPC})).unwrap().tracking.unwrap();
        assert_eq!((plain.name.id().as_str(), plain.warning), (VPC, None));
        let same = of(json!({"trackedBy": VPC, "alias": "NET"})).unwrap().tracking.unwrap();
        assert_eq!(same.warning, None);
        // The seed's own example does this.
        let other = of(json!({"trackedBy": VPC, "alias": "vpc-myuniquealias"})).unwrap();
        assert!(other.tracking.unwrap().warning.unwrap().contains("`net`"));
    }

    #[test]
    fn what_cannot_track_is_refused() {
        for id in [
            "net",
            "/planes/radius/local/resourceGroups/rg",
            "/planes/radius/local/resourceGroups/rg/providers/AWS.S3/Bucket:reference/b",
            "/planes/radius/local/resourceGroups/rg/providers/AWS.EC2/VPC/net",
            "/planes/radius/local/resourceGroups/rg/providers/AWS.EC2/VPC:reference/a%252Fb",
            "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.EC2/VPC/vpc-1",
        ] {
            assert_eq!(
                of(json!({"trackedBy": id})).unwrap_err().code(),
                "InvalidTrackedBy",
                "{id}"
            );
        }
    }

    #[test]
    fn what_only_a_tracked_put_may_do_needs_tracked_by() {
        let topic = "/planes/radius/local/resourceGroups/rg/providers/AWS.SNS/Topic:reference/t";
        for (member, value) in
            [("replace", json!("allow")), ("adopt", json!(true)), ("dependsOn", json!([topic]))]
        {
            let error = of(json!({"properties": {}, member: value.clone()})).unwrap_err();
            assert_eq!(error.value()["target"], format!("/{member}"));
            let tracked = of(json!({"trackedBy": VPC, "properties": {}, member: value}));
            assert!(tracked.unwrap().tracking.is_some(), "{member}");
        }
        let body = of(json!({"trackedBy": VPC, "replace": "allow", "dependsOn": [topic]})).unwrap();
        let tracking = body.tracking.unwrap();
        assert_eq!(tracking.permits, Permits { replace: true, adopt: false });
        assert_eq!(tracking.depends_on.unwrap()[0].id(), topic);
    }

    #[test]
    fn an_alias_alone_says_what_to_add() {
        let error = of(json!({"alias": "net", "properties": {}})).unwrap_err();
        assert_eq!(error.code(), "AliasWithoutTrackedBy");
        assert!(error.message().contains("AWS.EC2/VPC:reference/net"));
    }
}
