//! STS's calls for a role's session.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;
use hangar_ids::Region;
use hangar_provider::ProviderError;

use super::xml::Element;
use super::{Proof, QueryClient, Service, Signer};
use crate::call::CallName;
use crate::failure::unreadable;

/// A session that is asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoleSession<'a> {
    pub(crate) role_arn: &'a str,
    pub(crate) name: &'a str,
    pub(crate) external_id: Option<&'a str>,
}

impl RoleSession<'_> {
    fn parameters(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let external_id = self.external_id.map(|id| ("ExternalId", id));
        let always = [("RoleArn", self.role_arn), ("RoleSessionName", self.name)];
        always.into_iter().chain(external_id)
    }
}

impl QueryClient {
    /// A session of a role, for whoever signs.
    pub(crate) async fn assume_role(
        &self,
        signer: Signer<'_>,
        session: RoleSession<'_>,
    ) -> Result<Credentials, ProviderError> {
        let parameters: Vec<_> = session.parameters().collect();
        let (call, proof) = (CallName::AssumeRole, Proof::Signature(signer));
        let answer = self.send(call, Service::Sts, proof, &parameters).await?;
        credentials(call, &answer)
    }

    /// A session of a role, for whoever has a token. Nothing signs this call.
    pub(crate) async fn assume_role_with_web_identity(
        &self,
        region: &Region,
        session: RoleSession<'_>,
        token: &str,
    ) -> Result<Credentials, ProviderError> {
        let token = ("WebIdentityToken", token);
        let parameters: Vec<_> = session.parameters().chain([token]).collect();
        let (call, proof) = (CallName::AssumeRoleWithWebIdentity, Proof::Content(region));
        let answer = self.send(call, Service::Sts, proof, &parameters).await?;
        credentials(call, &answer)
    }
}

/// The keys of a session. An answer without one of them is none, and is not quoted.
fn credentials(call: CallName, answer: &Element) -> Result<Credentials, ProviderError> {
    let given = answer.find("Credentials");
    let member = |name| {
        let text = given.and_then(|given| given.text_of(name)).filter(|text| !text.is_empty());
        text.ok_or_else(|| unreadable(format!("the response to {call} has no {name}")))
    };
    let ends_at = DateTime::from_str(member("Expiration")?, Format::DateTimeWithOffset).ok();
    let ends_at = ends_at.and_then(|ends_at| SystemTime::try_from(ends_at).ok());
    let ends_at = ends_at.ok_or_else(|| {
        unreadable(format!("the response to {call} does not state when the session ends"))
    })?;
    let (id, secret) = (member("AccessKeyId")?, member("SecretAccessKey")?);
    let token = member("SessionToken")?.to_owned();
    Ok(Credentials::new(id, secret, Some(token), Some(ends_at), "hangar"))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    const ANSWER: &str = "<AssumeRoleResponse><AssumeRoleResult><AssumedRoleUser><Arn>a</Arn>\
        </AssumedRoleUser><Credentials><AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>s\
        </SecretAccessKey><SessionToken>t+/=</SessionToken><Expiration>2026-11-15T06:27:40Z\
        </Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>";

    fn read(answer: &str) -> Result<Credentials, ProviderError> {
        credentials(CallName::AssumeRole, &Element::parse(answer).unwrap())
    }

    #[test]
    fn the_keys_of_a_session_are_read() {
        let keys = read(ANSWER).unwrap();
        let told = (keys.access_key_id(), keys.secret_access_key(), keys.session_token());
        assert_eq!(told, ("ASIA1", "s", Some("t+/=")));
        let ends_at = UNIX_EPOCH + Duration::from_secs(1_794_724_060);
        assert_eq!(keys.expiry(), Some(ends_at));
        // As AWS's documentation writes it.
        let keys = read(&ANSWER.replace("40Z", "40.359Z")).unwrap();
        assert_eq!(keys.expiry(), Some(ends_at + Duration::from_millis(359)));
    }

    #[test]
    fn an_answer_without_one_of_them_is_none() {
        for (part, without) in [
            ("<AccessKeyId>ASIA1</AccessKeyId>", ""),
            ("<SecretAccessKey>s</SecretAccessKey>", "<SecretAccessKey/>"),
            ("<SessionToken>t+/=</SessionToken>", ""),
            ("<Expiration>2026-11-15T06:27:40Z</Expiration>", ""),
            ("2026-11-15T06:27:40Z", "soon"),
            ("Credentials>", "Other>"),
        ] {
            let error = read(&ANSWER.replace(part, without)).unwrap_err();
            assert_eq!(error.code, "UnreadableAnswer", "{part}");
            assert!(!error.message.contains("t+/="), "{error}");
        }
    }
}
