//! STS's calls for a session of a role, and what they answer.

use std::fmt;
use std::time::Duration;

use super::call::Service;
use super::constraint::{Constraint, Reader};
use super::error::QueryError;
use super::form::Form;
use super::identity;
use super::xml::Document;
use crate::core::assume::Grant;
use crate::core::instant::iso8601;
use crate::core::session::{Assumption, Role};

/// The token of an identity provider, which `Debug` does not show.
#[derive(Clone, PartialEq, Eq)]
pub struct WebToken(String);

impl WebToken {
    /// As it was sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for WebToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebToken")
    }
}

/// Its pattern lets nearly everything pass; what is no role is found afterwards.
const ROLE_ARN: Constraint = Constraint { shortest: 20, longest: 2048, pattern: None };
const SESSION_NAME: Constraint =
    Constraint { shortest: 2, longest: 64, pattern: Some(r"[\w+=,.@-]*") };
const EXTERNAL_ID: Constraint =
    Constraint { shortest: 2, longest: 1224, pattern: Some(r"[\w+=,.@:\/-]*") };
const WEB_TOKEN: Constraint = Constraint { shortest: 4, longest: 20_000, pattern: None };

/// The shortest and the longest session, and the one of a caller who does not say, in seconds.
const SHORTEST: usize = 900;
const LONGEST: usize = 43_200;
const USUAL: usize = 3600;

/// Reads `AssumeRole`. The external id is held to its form and to nothing else: there is no policy
/// that could ask for one.
pub(super) fn read(form: &Form) -> Result<Assumption, QueryError> {
    let mut reader = Reader::new(form, Service::Sts);
    reader.text("ExternalId", "externalId", &EXTERNAL_ID);
    assumption(reader)
}

/// Reads `AssumeRoleWithWebIdentity`.
pub(super) fn read_with_token(form: &Form) -> Result<(Assumption, WebToken), QueryError> {
    let mut reader = Reader::new(form, Service::Sts);
    let token = reader.secret("WebIdentityToken", "webIdentityToken", &WEB_TOKEN);
    let token = WebToken(token.unwrap_or_default().to_owned());
    Ok((assumption(reader)?, token))
}

fn assumption(mut reader: Reader<'_>) -> Result<Assumption, QueryError> {
    let role = reader.required("RoleArn", "roleArn", &ROLE_ARN);
    let session_name = reader.required("RoleSessionName", "roleSessionName", &SESSION_NAME);
    let lasts = reader.number("DurationSeconds", "durationSeconds", SHORTEST, LONGEST);
    reader.finish()?;
    let (role, session_name) = (role.unwrap_or_default(), session_name.unwrap_or_default());
    let lasts = Duration::from_secs(lasts.unwrap_or(USUAL) as u64);
    let role = Role::parse(role).ok_or_else(|| QueryError::NoRole { arn: role.to_owned() })?;
    Ok(Assumption { role, session_name: session_name.to_owned(), lasts })
}

/// Writes the members of `AssumeRoleResult` and `AssumeRoleWithWebIdentityResult`.
pub(super) fn write(grant: &Grant, document: &mut Document) {
    let session = &grant.session;
    if let Some(identity) = &grant.identity {
        for (name, claim) in [
            ("SubjectFromWebIdentityToken", &identity.subject),
            ("Audience", &identity.audience),
            ("Provider", &identity.issuer),
        ] {
            if let Some(claim) = claim {
                document.leaf(name, claim);
            }
        }
    }
    document.open("AssumedRoleUser");
    document.leaf("AssumedRoleId", &identity::id_of(session));
    document.leaf("Arn", &session.arn());
    document.close();
    document.open("Credentials");
    document.leaf("AccessKeyId", &session.access_key);
    document.leaf("SecretAccessKey", &session.secret);
    document.leaf("SessionToken", &session.token);
    document.leaf("Expiration", &iso8601(session.expires_at.millis()));
    document.close();
}
