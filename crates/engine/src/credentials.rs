//! Which credential signs the calls for an account: kept sealed in the store, opened here and nowhere else.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hangar_plan::record::{CredentialName, CredentialRecord, Version};
use hangar_provider::{
    AccessKey, Answer, Chosen, Credential, CredentialSource, ErrorClass, Place, ProviderError,
    SecretText,
};
use hangar_store::keys::Keys;
use hangar_store::{CredentialError, Expect, Store};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::engine::Shared;

/// For how long an answer is believed: another process may write the store.
const BELIEVED_FOR: Duration = Duration::from_secs(1);

/// The name of a plane's credential for every account that has none of its own.
pub const DEFAULT: &str = "default";

/// A credential, as it is asked to be kept.
#[derive(Debug, Clone)]
pub struct CredentialAsk {
    /// Its name.
    pub name: CredentialName,
    /// The caller's own.
    pub location: Option<String>,
    /// The caller's own.
    pub tags: BTreeMap<String, String>,
    /// The credential itself.
    pub credential: Credential,
}

/// Keeps a credential; gives it as it is kept.
pub(crate) async fn put(
    shared: &Shared,
    ask: CredentialAsk,
    expect: Expect,
) -> Result<CredentialRecord, CredentialError> {
    let now = shared.store.now().await?;
    let CredentialAsk { name, location, tags, credential } = ask;
    let whole = content_of(&credential);
    let record = CredentialRecord {
        shown: shown(&credential),
        sealed: shared.keys.seal(name.key().as_bytes(), whole.to_string().as_bytes()),
        name,
        location,
        tags,
        created_at: now,
        updated_at: now,
        version: Version(0),
    };
    shared.store.credential_put(&record, expect).await
}

/// What may be shown of a credential.
fn shown(credential: &Credential) -> Value {
    let mut value = content_of(credential);
    if let Some(members) = value.as_object_mut() {
        members.remove("secretAccessKey");
        members.remove("sessionToken");
    }
    value
}

/// All of a credential, as it is sealed: the members of the API's document.
fn content_of(credential: &Credential) -> Value {
    match credential {
        Credential::AccessKey(key) => {
            let mut value = json!({"kind": "AccessKey"});
            add_key(&mut value, key);
            value
        }
        Credential::WebIdentity { role_arn, token_file, session_name } => json!({
            "kind": "IRSA", "roleARN": role_arn, "tokenFile": token_file.to_string_lossy(),
            "sessionName": session_name,
        }),
        Credential::AssumeRole { role_arn, external_id, session_name, source } => {
            let mut value = json!({"kind": "AssumeRole", "roleARN": role_arn,
                                   "externalId": external_id, "sessionName": session_name});
            if let Some(key) = source {
                add_key(&mut value, key);
            }
            value
        }
    }
}

fn add_key(value: &mut Value, key: &AccessKey) {
    value["accessKeyId"] = key.access_key_id.as_str().into();
    value["secretAccessKey"] = key.secret_access_key.expose().into();
    if let Some(token) = &key.session_token {
        value["sessionToken"] = token.expose().into();
    }
}

/// The credential that was sealed; nothing where it is none of ours.
fn read_content(content: &Value) -> Option<Credential> {
    let text = |name: &str| content.get(name).and_then(Value::as_str).map(str::to_owned);
    let secret = |name: &str| text(name).map(SecretText::new);
    let key = || {
        Some(AccessKey {
            access_key_id: text("accessKeyId")?,
            secret_access_key: secret("secretAccessKey")?,
            session_token: secret("sessionToken"),
        })
    };
    match content.get("kind")?.as_str()? {
        "AccessKey" => Some(Credential::AccessKey(key()?)),
        "IRSA" => Some(Credential::WebIdentity {
            role_arn: text("roleARN")?,
            token_file: PathBuf::from(text("tokenFile")?),
            session_name: text("sessionName"),
        }),
        "AssumeRole" => Some(Credential::AssumeRole {
            role_arn: text("roleARN")?,
            external_id: text("externalId"),
            session_name: text("sessionName"),
            source: key(),
        }),
        _ => None,
    }
}

/// Tells a provider which credential is meant, from what the store keeps.
#[derive(Debug)]
pub struct StoredCredentials {
    store: Arc<dyn Store>,
    keys: Arc<Keys>,
    known: Mutex<HashMap<(String, String), Known>>,
}

/// An answer that was given a moment ago.
#[derive(Debug, Clone)]
struct Known {
    chosen: Option<Chosen>,
    asked_at: Instant,
}

impl StoredCredentials {
    /// The credentials of a store.
    pub fn new(store: Arc<dyn Store>, keys: Arc<Keys>) -> Self {
        Self { store, keys, known: Mutex::default() }
    }

    async fn choose(&self, place: &Place) -> Result<Option<Chosen>, ProviderError> {
        let at = (place.plane.to_ascii_lowercase(), place.account.padded());
        let fresh = |known: &Known| known.asked_at.elapsed() < BELIEVED_FOR;
        if let Some(known) = self.known().get(&at).filter(|it| fresh(it)) {
            return Ok(known.chosen.clone());
        }
        let chosen = match self.find(&at.0, &at.1).await? {
            Some(own) => Some(own),
            None => self.find(&at.0, DEFAULT).await?,
        };
        self.known().insert(at, Known { chosen: chosen.clone(), asked_at: Instant::now() });
        Ok(chosen)
    }

    async fn find(&self, plane: &str, name: &str) -> Result<Option<Chosen>, ProviderError> {
        let name = CredentialName { plane: plane.to_owned(), name: name.to_owned() };
        let found = self.store.credential_find(&name).await;
        let Some(record) = found.map_err(|error| {
            failed(ErrorClass::Unreachable, "StoreUnavailable", error.to_string())
        })?
        else {
            return Ok(None);
        };
        let opened = self.keys.open(record.name.key().as_bytes(), &record.sealed);
        let content = opened.ok().and_then(|it| serde_json::from_slice(it.expose()).ok());
        // Never another credential in its place: that could be another account's.
        let credential = content.as_ref().and_then(read_content).ok_or_else(|| {
            let id = record.name.id();
            let message = format!("{id} cannot be opened with this key; put it again");
            failed(ErrorClass::Forbidden, "CredentialUnreadable", message)
        })?;
        let (version, at) = (record.version.0, record.updated_at.as_micros());
        let revision = format!("{}/{version}.{at}", record.name.key());
        Ok(Some(Chosen { credential, revision }))
    }

    // What a panic left under the lock is at worst an old answer.
    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CredentialSource for StoredCredentials {
    fn credential<'a>(&'a self, place: &'a Place) -> Answer<'a, Option<Chosen>> {
        Box::pin(self.choose(place))
    }
}

fn failed(class: ErrorClass, code: &str, message: String) -> ProviderError {
    ProviderError { class, code: code.to_owned(), message, retry_after: None, blocked_by: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_read_back_and_what_is_shown_holds_no_secret() {
        let key = || AccessKey {
            access_key_id: "AKIAX".into(),
            secret_access_key: SecretText::new("canary-secret"),
            session_token: Some(SecretText::new("canary-token")),
        };
        let role_arn = String::from("arn:aws:iam::123456789012:role/deploy");
        let all = [
            Credential::AccessKey(key()),
            Credential::WebIdentity {
                role_arn: role_arn.clone(),
                token_file: PathBuf::from("/var/token"),
                session_name: None,
            },
            Credential::AssumeRole {
                role_arn,
                external_id: Some("x-1".into()),
                session_name: Some("ci".into()),
                source: Some(key()),
            },
        ];
        for credential in all {
            let content = content_of(&credential);
            assert_eq!(content_of(&read_content(&content).unwrap()), content);
            assert!(!shown(&credential).to_string().contains("canary"));
        }
        assert!(read_content(&json!({"kind": "Other"})).is_none());
    }
}
