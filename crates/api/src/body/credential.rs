//! The body of a credential's `PUT`. Its secrets go into the engine and into no answer.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hangar_engine::{AccessKey, Credential, SecretText};
use serde_json::Value;

use super::group::tags_of;
use super::{Members, PROVISIONING_STATE};
use crate::error::{ApiError, Code};

/// Where the platform puts a token for a pod, unless it says otherwise.
const TOKEN_FILE: &str = "/var/run/secrets/eks.amazonaws.com/serviceaccount/token";

/// What a caller wants of a credential.
#[derive(Debug, Clone)]
pub(crate) struct CredentialBody {
    pub(crate) location: Option<String>,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) credential: Credential,
    /// What the caller sent back of ARM's own member.
    pub(crate) provisioning_state: Option<String>,
}

impl CredentialBody {
    pub(crate) fn of(body: Option<Value>) -> Result<Self, ApiError> {
        let mut members =
            Members::of(body.unwrap_or_else(|| Value::Object(serde_json::Map::new())))?;
        let location = members.take_text("location")?;
        let tags = members.take_object("tags")?.map(tags_of).transpose()?.unwrap_or_default();
        let properties = members.take_members("properties")?;
        members.ignore(&["id", "name", "type", "etag", "systemData"]);
        members.end()?;
        let Some(mut properties) = properties else {
            return Err(refused(
                "/properties",
                "the body has no `properties`, which name the kind of the credential",
            ));
        };
        let kind = properties.take_text("kind")?;
        storage(&mut properties)?;
        let provisioning_state = properties.take_text(PROVISIONING_STATE)?;
        let credential = match kind.as_deref() {
            Some("AccessKey") => Credential::AccessKey(required_key(&mut properties)?),
            Some("IRSA" | "WebIdentity") => Credential::WebIdentity {
                role_arn: required(&mut properties, "roleARN")?,
                token_file: PathBuf::from(
                    properties.take_text("tokenFile")?.unwrap_or_else(|| TOKEN_FILE.to_owned()),
                ),
                session_name: properties.take_text("sessionName")?,
            },
            Some("AssumeRole") => Credential::AssumeRole {
                role_arn: required(&mut properties, "roleARN")?,
                external_id: properties.take_text("externalId")?,
                session_name: properties.take_text("sessionName")?,
                source: key(&mut properties)?,
            },
            _ => {
                return Err(refused(
                    "/properties/kind",
                    "`properties.kind` is not `AccessKey`, `IRSA` or `AssumeRole`",
                ));
            }
        };
        properties.end()?;
        credential.check().map_err(|wrong| {
            let member = if wrong.member() == "roleArn" { "roleARN" } else { wrong.member() };
            refused(&format!("/properties/{member}"), &wrong.to_string())
        })?;
        Ok(Self { location, tags, credential, provisioning_state })
    }
}

/// The one place where credentials are kept; others are accepted by name elsewhere, and not here.
fn storage(properties: &mut Members) -> Result<(), ApiError> {
    let Some(mut storage) = properties.take_members("storage")? else { return Ok(()) };
    let kind = storage.take_text("kind")?;
    storage.take_text("secretName")?;
    storage.end()?;
    if kind.as_deref().is_none_or(|kind| kind.eq_ignore_ascii_case("internal")) {
        return Ok(());
    }
    Err(refused(
        "/properties/storage/kind",
        "credentials are stored in the store, encrypted: `Internal` is the only kind",
    ))
}

fn key(properties: &mut Members) -> Result<Option<AccessKey>, ApiError> {
    let access_key_id = properties.take_text("accessKeyId")?;
    let secret = properties.take_text("secretAccessKey")?;
    let session_token = properties.take_text("sessionToken")?.map(SecretText::new);
    match (access_key_id, secret) {
        (None, None) if session_token.is_none() => Ok(None),
        (Some(access_key_id), Some(secret)) => Ok(Some(AccessKey {
            access_key_id,
            secret_access_key: SecretText::new(secret),
            session_token,
        })),
        (None, _) => Err(missing("accessKeyId")),
        (_, None) => Err(missing("secretAccessKey")),
    }
}

fn required_key(properties: &mut Members) -> Result<AccessKey, ApiError> {
    key(properties)?.ok_or_else(|| missing("accessKeyId"))
}

fn required(properties: &mut Members, name: &'static str) -> Result<String, ApiError> {
    properties.take_text(name)?.ok_or_else(|| missing(name))
}

fn missing(name: &str) -> ApiError {
    refused(&format!("/properties/{name}"), &format!("`properties.{name}` is missing"))
}

fn refused(target: &str, message: &str) -> ApiError {
    ApiError::new(Code::InvalidRequestContent, message).with_target(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ROLE: &str = "arn:aws:iam::123456789012:role/deploy";

    #[test]
    fn each_kind_is_read_and_a_wrong_one_is_told_without_its_secret() {
        let of = |properties: Value| CredentialBody::of(Some(json!({ "properties": properties })));
        for good in [
            json!({"kind": "AccessKey", "accessKeyId": "AKIAIOSFODNN7EXAMPLE", "secretAccessKey": "s", "storage": {"kind": "Internal"}}),
            json!({"kind": "IRSA", "roleARN": ROLE}),
            json!({"kind": "AssumeRole", "roleARN": ROLE, "externalId": "ab", "accessKeyId": "1", "secretAccessKey": "s"}),
        ] {
            assert!(of(good.clone()).is_ok(), "{good}");
        }
        for (bad, target) in [
            (json!({"kind": "Other"}), "/properties/kind"),
            (json!({"kind": "AccessKey", "secretAccessKey": "canary"}), "/properties/accessKeyId"),
            (
                json!({"kind": "AccessKey", "accessKeyId": "AKIA", "secretAccessKey": "can ary"}),
                "/properties/secretAccessKey",
            ),
            (json!({"kind": "IRSA", "roleARN": "arn:aws:iam::1:user/x"}), "/properties/roleARN"),
            (json!({"kind": "IRSA"}), "/properties/roleARN"),
            (
                json!({"kind": "AssumeRole", "roleARN": ROLE, "sessionName": "x y"}),
                "/properties/sessionName",
            ),
            (
                json!({"kind": "IRSA", "roleARN": ROLE, "storage": {"kind": "Vault"}}),
                "/properties/storage/kind",
            ),
            (
                json!({"kind": "IRSA", "roleARN": ROLE, "secretAccessKey": "canary"}),
                "/properties/secretAccessKey",
            ),
        ] {
            let error = of(bad.clone()).unwrap_err();
            assert_eq!(error.status(), 400, "{bad}");
            let said = error.value().to_string();
            assert!(said.contains(target), "{said}");
            assert!(!said.contains("canary") && !said.contains("can ary"), "{said}");
        }
        assert_eq!(CredentialBody::of(None).unwrap_err().status(), 400);
    }
}
