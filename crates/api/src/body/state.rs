//! The small bodies about the lock of a Terraform state: Terraform's own words for a lock, and what frees one.

use serde_json::{Map, Value};

use super::Members;
use super::members::wrong;
use crate::error::ApiError;

/// A lock as Terraform tells of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LockBody {
    /// Its name.
    pub(crate) id: String,
    /// All that was told, as it was.
    pub(crate) info: Value,
}

/// Terraform's name of the member.
pub(crate) const ID: &str = "ID";

/// No lock has a longer name.
const LONGEST_ID: usize = 256;

impl LockBody {
    pub(crate) fn of(body: Option<Value>) -> Result<Self, ApiError> {
        let Some(info) = body else {
            return Err(wrong(
                "",
                "is missing; it must be the lock as Terraform describes it; `terraform \
                 force-unlock` sends none: remove such a lock with `POST …/unlock`, or `hangar \
                 recipe unlock`",
            ));
        };
        let Value::Object(members) = &info else { return Err(wrong("", "is not an object")) };
        match members.get(ID).and_then(Value::as_str) {
            Some(id) if (1..=LONGEST_ID).contains(&id.len()) => {
                Ok(Self { id: id.to_owned(), info })
            }
            Some(_) => Err(wrong("/ID", "is not 1 to 256 bytes long")),
            None => Err(wrong("/ID", "is not a string; it must be the id of the lock")),
        }
    }
}

/// What frees a lock that its holder will not free.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct UnlockBody {
    /// Only the lock of this name.
    pub(crate) lock_id: Option<String>,
    /// Also while an operation is under way.
    pub(crate) force: bool,
}

impl UnlockBody {
    pub(crate) fn of(body: Option<Value>) -> Result<Self, ApiError> {
        let mut members = Members::of(body.unwrap_or_else(|| Value::Object(Map::new())))?;
        let lock_id = members.take_text("lockId")?;
        let force = members.take_flag("force")?.unwrap_or(false);
        members.end()?;
        Ok(Self { lock_id, force })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_lock_has_a_name_and_keeps_all_that_was_told() {
        let told = json!({"ID": "l", "Who": "me", "Other": [1]});
        let lock = LockBody::of(Some(told.clone())).unwrap();
        assert_eq!((lock.id.as_str(), lock.info), ("l", told));
        for body in [
            None,
            Some(json!([])),
            Some(json!({})),
            Some(json!({"ID": ""})),
            Some(json!({"ID": 1})),
            Some(json!({"id": "l"})),
            Some(json!({"ID": "x".repeat(257)})),
        ] {
            assert_eq!(LockBody::of(body.clone()).unwrap_err().status(), 400, "{body:?}");
        }
    }

    #[test]
    fn what_frees_a_lock_may_say_which_and_that_it_is_meant() {
        assert_eq!(UnlockBody::of(None).unwrap(), UnlockBody::default());
        let body = UnlockBody::of(Some(json!({"lockId": "l", "force": true}))).unwrap();
        assert_eq!(body, UnlockBody { lock_id: Some("l".into()), force: true });
        for body in [json!({"lockid": "l"}), json!({"force": "yes"}), json!({"lockId": 1})] {
            assert!(UnlockBody::of(Some(body.clone())).is_err(), "{body}");
        }
    }
}
