//! From a credential that was chosen to keys that sign: as they are, or for a role's session.

use std::path::Path;

use aws_credential_types::Credentials;
use hangar_provider::{AccessKey, Credential, ErrorClass, Place, ProviderError, SecretText};
use tokio::io::AsyncReadExt;

use super::{Observer, Own, before_the_call};
use crate::call::{Call, CallName};
use crate::failure::{error, without};
use crate::query::{QueryClient, RoleSession, Signer};

/// What our sessions are called where the credential does not say.
const SESSION_NAME: &str = "hangar";

/// STS takes tokens of 20,000 characters; a longer file is something else.
const LONGEST_TOKEN: u64 = 20_000;

/// Keys that sign as the credential says. One question to STS at most, never asked again here, and
/// no other credential is tried.
pub(super) async fn keys(
    credential: &Credential,
    place: &Place,
    own: &Own,
    query: &QueryClient,
    observer: &Observer,
) -> Result<Credentials, ProviderError> {
    let region = &place.region;
    match credential {
        Credential::AccessKey(key) => Ok(of_access_key(key)),
        Credential::WebIdentity { role_arn, token_file, session_name } => {
            let token = token_in(token_file).await?;
            let session = session(role_arn, session_name.as_deref());
            let asked = query.assume_role_with_web_identity(region, session, token.expose());
            Call::for_place(CallName::AssumeRoleWithWebIdentity, place)
                .observed(observer.0.as_ref(), asked)
                .await
                .map_err(|failed| without(token.expose(), "«the token»", before_the_call(failed)))
        }
        Credential::AssumeRole { role_arn, external_id, session_name, source } => {
            let session = session(role_arn, session_name.as_deref());
            let session = RoleSession { external_id: external_id.as_deref(), ..session };
            let signing = match source {
                Some(key) => of_access_key(key),
                None => own.signature(place).await?.credentials.clone(),
            };
            let signer = Signer { credentials: &signing, region };
            let assumed = Call::for_place(CallName::AssumeRole, place)
                .observed(observer.0.as_ref(), query.assume_role(signer, session))
                .await;
            if let (Err(failed), None) = (&assumed, source) {
                own.hear(failed);
            }
            assumed.map_err(before_the_call)
        }
    }
}

fn session<'a>(role_arn: &'a str, name: Option<&'a str>) -> RoleSession<'a> {
    RoleSession { role_arn, name: name.unwrap_or(SESSION_NAME), external_id: None }
}

fn of_access_key(key: &AccessKey) -> Credentials {
    let token = key.session_token.as_ref().map(|token| token.expose().to_owned());
    let (id, secret) = (key.access_key_id.as_str(), key.secret_access_key.expose());
    Credentials::new(id, secret, token, None, "hangar")
}

/// The token in a file. An error names the file and nothing of what is in it.
async fn token_in(file: &Path) -> Result<SecretText, ProviderError> {
    let unreadable = |why: &str| {
        let message = format!("the token file {} {why}", file.display());
        error(ErrorClass::Forbidden, "TokenFileUnreadable", message)
    };
    let cannot = |failed: std::io::Error| unreadable(&format!("cannot be read: {failed}"));
    // A pipe would be waited on for ever.
    let found = tokio::fs::metadata(file).await.map_err(cannot)?;
    if !found.is_file() {
        return Err(unreadable("is not a file"));
    }
    let open = tokio::fs::File::open(file).await.map_err(cannot)?;
    let mut text = String::new();
    // The system's words for what is no text do not quote it.
    open.take(LONGEST_TOKEN + 1).read_to_string(&mut text).await.map_err(cannot)?;
    let is_too_long = text.len() as u64 > LONGEST_TOKEN;
    let text = SecretText::new(text);
    match SecretText::new(text.expose().trim()) {
        _ if is_too_long => Err(unreadable("is too long for a token")),
        token if token.expose().is_empty() => Err(unreadable("is empty")),
        token => Ok(token),
    }
}
