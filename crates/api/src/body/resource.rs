//! The body of a `PUT` on an AWS resource by its identifier.

use serde_json::Value;

use super::{Members, Wanted, required, secret};
use crate::error::ApiError;

/// What a caller wants of a resource.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResourceBody {
    pub(crate) wanted: Wanted,
    pub(crate) secret_paths: Vec<String>,
}

impl ResourceBody {
    pub(crate) fn of(body: Option<Value>) -> Result<Self, ApiError> {
        let mut members =
            Members::of(body.unwrap_or_else(|| Value::Object(serde_json::Map::new())))?;
        let wanted = required(Wanted::take(&mut members)?, "properties")?;
        let secret_paths = secret::take(&mut members, Some(&wanted))?;
        members.ignore(&["id", "name", "type", "location", "alias", "trackedBy"]);
        members.end()?;
        Ok(Self { wanted, secret_paths })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn properties_must_be_said_even_if_there_are_none() {
        assert_eq!(ResourceBody::of(None).unwrap_err().code(), "InvalidRequestContent");
        assert!(ResourceBody::of(Some(json!({"id": "x"}))).is_err());
        assert!(ResourceBody::of(Some(json!({"properties": {}}))).is_ok());
    }
}
