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
use hangar_store::keys::{Keys, Secret};
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
    let record = CredentialRecord {
        shown: shown(&credential),
        sealed: shared.keys.seal(name.key().as_bytes(), content_of(&credential).expose()),
        name,
        location,
        tags,
        created_at: now,
        updated_at: now,
        version: Version(0),
    };
    shared.store.credential_put(&record, expect).await
}

/// What may be shown of a credential: the members of the API's document, without its secrets.
fn shown(credential: &Credential) -> Value {
    let mut value = match credential {
        Credential::AccessKey(_) => json!({"kind": "AccessKey"}),
        Credential::WebIdentity { role_arn, token_file, session_name } => json!({
            "kind": "IRSA", "roleARN": role_arn, "tokenFile": token_file.to_string_lossy(),
            "sessionName": session_name,
        }),
        Credential::AssumeRole { role_arn, external_id, session_name, .. } => json!({
            "kind": "AssumeRole", "roleARN": role_arn, "externalId": external_id,
            "sessionName": session_name,
        }),
    };
    if let Some(key) = key_of(credential) {
        value["accessKeyId"] = key.access_key_id.as_str().into();
    }
    value
}

fn key_of(credential: &Credential) -> Option<&AccessKey> {
    match credential {
        Credential::AccessKey(key) => Some(key),
        Credential::AssumeRole { source, .. } => source.as_ref(),
        Credential::WebIdentity { .. } => None,
    }
}

/// All of a credential, as it is sealed: what is shown, and its secrets. They are in this one buffer and in
/// no other, and it is wiped.
fn content_of(credential: &Credential) -> Secret<Vec<u8>> {
    let key = key_of(credential);
    let secrets = [
        ("secretAccessKey", key.map(|key| &key.secret_access_key)),
        ("sessionToken", key.and_then(|key| key.session_token.as_ref())),
    ];
    let shown = shown(credential).to_string();
    // Large enough from the start for whatever JSON makes of them: growing would leave copies behind.
    let written = |text: &SecretText| 6 * text.expose().len() + 32;
    let length: usize = secrets.iter().filter_map(|(_, text)| text.map(written)).sum();
    let mut content = Vec::with_capacity(shown.len() + length);
    content.extend_from_slice(shown.strip_suffix('}').unwrap_or(&shown).as_bytes());
    for (name, text) in secrets {
        let Some(text) = text else { continue };
        content.extend_from_slice(format!(",\"{name}\":").as_bytes());
        // A vector takes whatever is written to it.
        let _ = serde_json::to_writer(&mut content, text.expose());
    }
    content.push(b'}');
    Secret::new(content)
}

/// The credential that was sealed; nothing where it is none of ours. Secrets are moved out of the document and
/// not copied, into what wipes them.
fn read_content(content: &[u8]) -> Option<Credential> {
    let mut content: Value = serde_json::from_slice(content).ok()?;
    let mut secret = |name: &str| match content.get_mut(name).map(Value::take) {
        Some(Value::String(text)) => Some(SecretText::new(text)),
        _ => None,
    };
    let (secret_access_key, session_token) = (secret("secretAccessKey"), secret("sessionToken"));
    let text = |name: &str| content.get(name).and_then(Value::as_str).map(str::to_owned);
    let key = || {
        let (access_key_id, secret_access_key) = (text("accessKeyId")?, secret_access_key?);
        Some(AccessKey { access_key_id, secret_access_key, session_token })
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

/// Answers that are kept at most: a caller can name any account.
const KNOWN: usize = 1024;

fn remember(known: &mut HashMap<(String, String), Known>, at: (String, String), answer: Known) {
    if known.len() >= KNOWN {
        known.clear();
    }
    known.insert(at, answer);
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
        remember(&mut self.known(), at, Known { chosen: chosen.clone(), asked_at: Instant::now() });
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
        // Never another credential in its place: that could be another account's.
        let credential = opened.ok().and_then(|it| read_content(it.expose())).ok_or_else(|| {
            let id = record.name.id();
            let message = format!("{id} cannot be decrypted with this key; put it again");
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
            secret_access_key: SecretText::new("canary-\"\\\u{1}-secret"),
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
            let read = read_content(content.expose()).unwrap();
            assert_eq!(content_of(&read).expose(), content.expose());
            assert!(!shown(&credential).to_string().contains("canary"));
            let whole: Value = serde_json::from_slice(content.expose()).unwrap();
            let secret = key_of(&credential).map(|_| "canary-\"\\\u{1}-secret");
            assert_eq!(whole.get("secretAccessKey").and_then(Value::as_str), secret);
        }
        assert!(read_content(br#"{"kind": "Other"}"#).is_none());
    }

    #[test]
    fn what_is_sealed_is_written_without_growing() {
        let key = AccessKey {
            access_key_id: "AKIAX".into(),
            secret_access_key: SecretText::new("\u{1}".repeat(40)),
            session_token: Some(SecretText::new("\u{1}".repeat(2000))),
        };
        let content = content_of(&Credential::AccessKey(key));
        let shown = json!({"kind": "AccessKey", "accessKeyId": "AKIAX"}).to_string();
        assert_eq!(content.expose().capacity(), shown.len() + 6 * 2040 + 64);
    }

    #[test]
    fn however_many_accounts_are_named_only_so_many_answers_are_kept() {
        let mut known = HashMap::new();
        for account in 0..3000 {
            let at = ("aws".to_owned(), account.to_string());
            remember(&mut known, at.clone(), Known { chosen: None, asked_at: Instant::now() });
            assert!(known.len() <= KNOWN && known.contains_key(&at));
        }
    }
}
