//! What a put may do beside creating and updating, and what it depends on: `replace`, `adopt`,
//! `dependsOn`.

use hangar_plan::record::ReferenceName;

use super::Members;
use crate::error::{ApiError, Code};
use crate::names;

/// What a put may do beside creating and updating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Permits {
    /// Make another resource in the place of the one that is there.
    pub(crate) replace: bool,
    /// Take in what has the name already.
    pub(crate) adopt: bool,
}

impl Permits {
    pub(super) fn take(members: &mut Members) -> Result<Self, ApiError> {
        let replace = match members.take_text(REPLACE)?.as_deref() {
            None => false,
            Some("allow") => true,
            Some(_) => {
                let why = "is not known; send `\"allow\"` to allow replacements, or remove it";
                return Err(members.refuse(REPLACE, why));
            }
        };
        Ok(Self { replace, adopt: members.take_flag(ADOPT)?.unwrap_or(false) })
    }
}

/// The members that only a put through a reference may have.
pub(super) const REPLACE: &str = "replace";
pub(super) const ADOPT: &str = "adopt";
pub(super) const DEPENDS_ON: &str = "dependsOn";

/// More than this many nobody can have meant.
const MOST: usize = 1000;

/// The ids of `dependsOn` as they were written; nothing where the body does not say.
pub(super) fn take_ids(members: &mut Members) -> Result<Option<Vec<String>>, ApiError> {
    let is_given = members.has(DEPENDS_ON);
    let ids = members.take_texts(DEPENDS_ON)?;
    Ok(is_given.then_some(ids))
}

/// What a reference depends on: others of its own group, each once.
pub(super) fn depends_on(
    ids: &[String],
    own: &ReferenceName,
) -> Result<Vec<ReferenceName>, ApiError> {
    if ids.len() > MOST {
        return Err(refused("`/dependsOn` has more than 1000 ids", DEPENDS_ON));
    }
    let mut found: Vec<ReferenceName> = Vec::new();
    for (index, id) in ids.iter().enumerate() {
        let place = format!("{DEPENDS_ON}/{index}");
        let name = names::parse_id(id).and_then(|id| names::find_reference(&id));
        let name = name.map_err(|error| refused(error.message(), &place))?;
        let Some(name) = name else {
            let message = format!("`{id}` is not the id of a reference");
            return Err(refused(&message, &place));
        };
        if name.key() == own.key() {
            return Err(refused("a reference cannot depend on itself", &place));
        }
        if name.group.key() != own.group.key() {
            let message = format!(
                "`{id}` is in another group; a reference can depend only on references of its own \
                 group"
            );
            return Err(refused(&message, &place));
        }
        if !found.iter().any(|other| other.key() == name.key()) {
            found.push(name);
        }
    }
    Ok(found)
}

fn refused(message: &str, place: &str) -> ApiError {
    ApiError::new(Code::InvalidRequestContent, message).with_target(format!("/{place}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const GROUP: &str = "/planes/radius/local/resourceGroups/rg";

    fn own() -> ReferenceName {
        let id = format!("{GROUP}/providers/AWS.EC2/VPC:reference/net");
        names::find_reference(&names::parse_id(&id).unwrap()).unwrap().unwrap()
    }

    #[test]
    fn permits_are_said_or_not_given() {
        let of = |body| Permits::take(&mut Members::of(body).unwrap());
        assert_eq!(of(json!({})).unwrap(), Permits::default());
        let all = Permits { replace: true, adopt: true };
        assert_eq!(of(json!({"replace": "allow", "adopt": true})).unwrap(), all);
        for body in [json!({"replace": "yes"}), json!({"replace": true}), json!({"adopt": "x"})] {
            assert_eq!(of(body.clone()).unwrap_err().code(), "InvalidRequestContent", "{body}");
        }
    }

    #[test]
    fn what_is_depended_on_is_another_reference_of_the_group() {
        let topic = format!("{GROUP}/providers/aws.sns/topic:reference/t");
        let twice = depends_on(&[topic.clone(), topic.to_uppercase()], &own()).unwrap();
        assert_eq!(twice.len(), 1);
        assert_eq!(twice[0].id(), format!("{GROUP}/providers/AWS.SNS/Topic:reference/t"));
        for id in [
            "t".to_owned(),
            GROUP.to_owned(),
            own().id(),
            topic.replace("/rg/", "/other/"),
            topic.replace("topic", "topics"),
        ] {
            let error = depends_on(std::slice::from_ref(&id), &own()).unwrap_err();
            assert_eq!(error.value()["target"], "/dependsOn/0", "{id}");
        }
    }

    #[test]
    fn nothing_said_is_not_the_same_as_no_dependency() {
        let of = |body| take_ids(&mut Members::of(body).unwrap()).unwrap();
        assert_eq!(of(json!({})), None);
        assert_eq!(of(json!({"dependsOn": null})), None);
        assert_eq!(of(json!({"dependsOn": []})), Some(vec![]));
    }
}
