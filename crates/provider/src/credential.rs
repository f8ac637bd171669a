//! How calls are signed: the credential that is meant for a place, and who says which it is.
//!
//! Nothing here asks a cloud whether a credential is any good: [`Credential::check`] tells what no
//! cloud would take, so that it can be refused where it is written down.

use std::fmt;
use std::path::{Path, PathBuf};

use hangar_ids::Arn;

use crate::{Answer, Place, SecretText};

/// How calls for an account are signed. `Debug` shows no secret.
#[derive(Debug, Clone)]
pub enum Credential {
    /// With these keys.
    AccessKey(AccessKey),
    /// As a role that is assumed with the token in a file which the platform keeps fresh (IRSA).
    WebIdentity {
        /// The role, in the account that the calls are for.
        role_arn: String,
        /// Read anew each time that the role is assumed.
        token_file: PathBuf,
        /// How the calls are named in the account's trail; ours where there is none.
        session_name: Option<String>,
    },
    /// As a role that is assumed with other credentials.
    AssumeRole {
        /// The role, in the account that the calls are for.
        role_arn: String,
        /// What the role's owner wants to hear; not a secret, by AWS's word.
        external_id: Option<String>,
        /// How the calls are named in the account's trail; ours where there is none.
        session_name: Option<String>,
        /// Who assumes the role; without one it is whatever the process finds by itself.
        source: Option<AccessKey>,
    },
}

/// An access key, and the session token that goes with a temporary one.
#[derive(Debug, Clone)]
pub struct AccessKey {
    /// Names the key; not a secret.
    pub access_key_id: String,
    /// Signs.
    pub secret_access_key: SecretText,
    /// Only with temporary keys.
    pub session_token: Option<SecretText>,
}

/// A credential, and its revision.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// How calls are signed.
    pub credential: Credential,
    /// Another whenever the stored credential is: what is derived from a credential is kept under it.
    /// It is shown, so nothing of a secret may be in it.
    pub revision: String,
}

/// Where a provider asks, before every call, which credential is meant for a place; it should answer
/// from memory.
pub trait CredentialSource: Send + Sync + fmt::Debug {
    /// The credential for a place; `None` is the process's own.
    fn credential<'a>(&'a self, place: &'a Place) -> Answer<'a, Option<Chosen>>;
}

/// What of a credential no cloud would take. Nothing of a key or an external id is quoted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CredentialError {
    /// The role.
    #[error("`{0}` is not the ARN of a role, such as arn:aws:iam::123456789012:role/deploy")]
    RoleArn(String),
    /// The session name.
    #[error("`{0}` is not a valid session name; use 2 to 64 letters, digits or any of `_+=,.@-`")]
    SessionName(String),
    /// The external id.
    #[error("the external id must be 2 to 1224 letters, digits or any of `_+=,.@:/-`")]
    ExternalId,
    /// The access key id.
    #[error("the access key id must be 1 to 128 letters, digits or `_`")]
    AccessKeyId,
    /// The secret access key.
    #[error("the secret access key is empty, or contains a space or a control character")]
    SecretAccessKey,
    /// The session token.
    #[error("the session token is empty, or contains a character that is not visible ASCII")]
    SessionToken,
    /// The token file.
    #[error("the path of the token file is empty")]
    TokenFile,
}

impl CredentialError {
    /// The member of a credential that is wrong, as AWS's and our own documents name it.
    pub const fn member(&self) -> &'static str {
        match self {
            Self::RoleArn(_) => "roleArn",
            Self::SessionName(_) => "sessionName",
            Self::ExternalId => "externalId",
            Self::AccessKeyId => "accessKeyId",
            Self::SecretAccessKey => "secretAccessKey",
            Self::SessionToken => "sessionToken",
            Self::TokenFile => "tokenFile",
        }
    }
}

impl Credential {
    /// Whether a cloud could take it at all.
    pub fn check(&self) -> Result<(), CredentialError> {
        match self {
            Self::AccessKey(key) => key.check(),
            Self::WebIdentity { role_arn, token_file, session_name } => {
                check_role(role_arn, session_name.as_deref())?;
                let is_named = *token_file != Path::new("");
                if is_named { Ok(()) } else { Err(CredentialError::TokenFile) }
            }
            Self::AssumeRole { role_arn, external_id, session_name, source } => {
                check_role(role_arn, session_name.as_deref())?;
                let is_external_id = |text: &String| is_of(text, 2..=1224, "_+=,.@:/-");
                if !external_id.as_ref().is_none_or(is_external_id) {
                    return Err(CredentialError::ExternalId);
                }
                source.as_ref().map_or(Ok(()), AccessKey::check)
            }
        }
    }

    /// The role that is assumed, where one is.
    pub fn role_arn(&self) -> Option<&str> {
        match self {
            Self::AccessKey(_) => None,
            Self::WebIdentity { role_arn, .. } | Self::AssumeRole { role_arn, .. } => {
                Some(role_arn)
            }
        }
    }

    /// The account of the role that is assumed: the one account that the calls can be for. Of an
    /// access key only the cloud knows it.
    pub fn role_account(&self) -> Option<String> {
        account_of(self.role_arn()?)
    }
}

impl AccessKey {
    fn check(&self) -> Result<(), CredentialError> {
        // AWS's own have 16 and more; the simulator takes an account's digits.
        if !is_of(&self.access_key_id, 1..=128, "_") {
            return Err(CredentialError::AccessKeyId);
        }
        let secret = self.secret_access_key.expose();
        if secret.is_empty() || secret.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(CredentialError::SecretAccessKey);
        }
        // It becomes a header.
        let is_token = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        let token = self.session_token.as_ref().map(SecretText::expose);
        if token.is_none_or(is_token) { Ok(()) } else { Err(CredentialError::SessionToken) }
    }
}

fn check_role(role_arn: &str, session_name: Option<&str>) -> Result<(), CredentialError> {
    if account_of(role_arn).is_none() {
        return Err(CredentialError::RoleArn(role_arn.to_owned()));
    }
    match session_name {
        Some(name) if !is_of(name, 2..=64, "_+=,.@-") => {
            Err(CredentialError::SessionName(name.to_owned()))
        }
        _ => Ok(()),
    }
}

/// The account of a role, if it is one.
fn account_of(role_arn: &str) -> Option<String> {
    Arn::parse(role_arn).ok()?.role().map(|role| role.account.to_owned())
}

/// Whether a text is so long, and of letters, digits and these.
fn is_of(text: &str, length: std::ops::RangeInclusive<usize>, others: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || others.contains(c);
    length.contains(&text.len()) && text.chars().all(is_allowed)
}

#[cfg(test)]
mod tests;
