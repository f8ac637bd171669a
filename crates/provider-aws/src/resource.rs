//! Cloud Control's resource descriptions as the contract has them.

use aws_sdk_cloudcontrol::types::ResourceDescription;
use hangar_provider::{ErrorClass, Listed, Observation, ProviderError};
use serde_json::Value;

use crate::failure::{error, unreadable};

/// What a read found.
pub(crate) fn present(
    description: Option<&ResourceDescription>,
    asked: &str,
) -> Result<Observation, ProviderError> {
    let identifier = description.and_then(ResourceDescription::identifier).unwrap_or(asked);
    Ok(Observation::Present {
        identifier: identifier.to_owned(),
        properties: properties(description, identifier)?,
    })
}

/// One resource of a list.
pub(crate) fn listed(description: &ResourceDescription) -> Result<Listed, ProviderError> {
    let identifier = description
        .identifier()
        .ok_or_else(|| unreadable("a resource in the list has no identifier"))?;
    Ok(Listed {
        identifier: identifier.to_owned(),
        properties: properties(Some(description), identifier)?,
    })
}

/// The properties, their numbers exactly as they are written.
fn properties(
    description: Option<&ResourceDescription>,
    identifier: &str,
) -> Result<Value, ProviderError> {
    let unread = |why: String| {
        let message = format!("the properties of `{identifier}` cannot be read: {why}");
        error(ErrorClass::Unanswered, "UnreadableProperties", message)
    };
    let text = description.and_then(ResourceDescription::properties);
    let text = text.ok_or_else(|| unread("the response has none".to_owned()))?;
    let document: Value = serde_json::from_str(text).map_err(|wrong| {
        // Only where: the text of the error could quote a value.
        unread(format!("not JSON at line {} column {}", wrong.line(), wrong.column()))
    })?;
    if document.is_object() { Ok(document) } else { Err(unread("not an object".to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(properties: &str) -> ResourceDescription {
        ResourceDescription::builder().identifier("a").properties(properties).build()
    }

    #[test]
    fn numbers_of_properties_stay_as_written() {
        let text = r#"{"A":12345678901234567890123,"B":1.10}"#;
        let Observation::Present { identifier, properties } =
            present(Some(&described(text)), "asked").unwrap()
        else {
            panic!("it is there");
        };
        assert_eq!((identifier.as_str(), properties.to_string().as_str()), ("a", text));
    }

    #[test]
    fn properties_that_are_no_object_are_no_absence() {
        for text in ["", "{", "[]", "\"secret\"", "{\"a\": secret}"] {
            let error = present(Some(&described(text)), "a").unwrap_err();
            assert_eq!(error.code, "UnreadableProperties");
            assert_eq!(error.class, ErrorClass::Unanswered);
            assert!(!error.message.contains("secret"), "{error}");
        }
        assert!(present(None, "a").is_err());
    }
}
