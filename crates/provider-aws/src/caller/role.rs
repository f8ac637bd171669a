//! One role for every place: what a caller gets who names the role in the call itself.

use hangar_provider::{
    Answer, Chosen, Credential, CredentialSource, ErrorClass, Place, ProviderError,
};

use crate::failure::error;

/// One role for every place, assumed with what the process has.
#[derive(Debug)]
pub(crate) struct RoleForAll(Chosen);

impl RoleForAll {
    /// A role by its ARN; what is none is refused before anything is asked.
    pub(crate) fn new(role_arn: &str) -> Result<Self, ProviderError> {
        let credential = Credential::AssumeRole {
            role_arn: role_arn.to_owned(),
            external_id: None,
            session_name: None,
            source: None,
        };
        credential.check().map_err(|wrong| {
            error(ErrorClass::Forbidden, "CredentialsInvalid", wrong.to_string())
        })?;
        // It never changes.
        Ok(Self(Chosen { credential, revision: String::new() }))
    }
}

impl CredentialSource for RoleForAll {
    fn credential<'a>(&'a self, _: &'a Place) -> Answer<'a, Option<Chosen>> {
        let chosen = self.0.clone();
        Box::pin(async { Ok(Some(chosen)) })
    }
}
