//! The machine's credentials on an endpoint that is not AWS: they sign for the account that they belong
//! to there. Any other account signs as itself, so that one simulator can have many accounts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hangar_provider::ErrorClass::{Forbidden, NotFound, Refused, Unsupported};
use hangar_provider::{Identity, Place, ProviderError};

use super::{Chain, Signature, account_signature, is_refused_credential};
use crate::call::CallName;
use crate::class::class_of;
use crate::whereabouts::ACCOUNT;

/// Prefers the machine's credentials to the account.
#[derive(Debug)]
pub(crate) struct Preferred {
    chain: Chain,
    /// Set once the endpoint answered that it has no STS; it is not asked again.
    has_no_sts: AtomicBool,
}

impl Preferred {
    pub(crate) fn new(chain: Chain) -> Self {
        Self { chain, has_no_sts: AtomicBool::new(false) }
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The machine's credentials if they are of the place's account, else the account itself. On an endpoint
    /// without STS they sign for the account that is meant when the caller names none.
    ///
    /// # Errors
    ///
    /// There are no credentials, or the endpoint does not say whose they are: another account must not sign
    /// in their place.
    pub(super) async fn signature(&self, place: &Place) -> Result<Arc<Signature>, ProviderError> {
        let is_theirs = match self.identity(place).await? {
            Some(identity) => identity.account == place.account.padded(),
            None => place.account.as_str() == ACCOUNT,
        };
        if is_theirs {
            return self.chain.in_time(self.chain.signature(&place.region)).await;
        }
        Ok(account_signature(place))
    }

    /// Whose the machine's credentials are by the word of the endpoint; `None` if it has no STS.
    pub(crate) async fn identity(&self, place: &Place) -> Result<Option<Identity>, ProviderError> {
        if self.has_no_sts.load(Ordering::Relaxed) {
            return Ok(None);
        }
        match self.chain.in_time(self.chain.whoever(place)).await {
            Ok(identity) => Ok(Some(identity)),
            Err(failed) if says_no_sts(&failed) => {
                self.has_no_sts.store(true, Ordering::Relaxed);
                Ok(None)
            }
            Err(failed) => Err(failed),
        }
    }
}

/// Whether an endpoint answered that it does not know the call: by its status, with something else than an
/// answer of STS, or with an error that is not about the credentials.
fn says_no_sts(failed: &ProviderError) -> bool {
    let code = failed.code.as_str();
    if let Some(status) = code.strip_prefix("Http").and_then(|status| status.parse::<u16>().ok()) {
        return matches!(status, 400 | 402 | 404..=407 | 409..=428 | 430..=499 | 501);
    }
    if code == "UnreadableAnswer" {
        return true;
    }
    // What failed before there was an answer has another class, or is about the credentials.
    let class = class_of(CallName::GetCallerIdentity, 400, Some(code));
    failed.class == Forbidden
        && !is_of_credentials(failed)
        && code != "InvalidCall"
        && matches!(class, Refused | NotFound | Unsupported)
}

/// Whether the credentials are not there, or the endpoint does not take them.
fn is_of_credentials(failed: &ProviderError) -> bool {
    const CODES: [&str; 8] = [
        "AuthFailure",
        "Credentials",
        "IncompleteSignature",
        "InvalidAccessKeyId",
        "InvalidSignature",
        "MissingAuthenticationToken",
        "ProfileNotFound",
        "SignatureDoesNotMatch",
    ];
    is_refused_credential(failed) || CODES.iter().any(|it| failed.code.starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::before_the_call;
    use crate::failure::{error, meaning, unreadable};
    use hangar_provider::ErrorClass;

    #[test]
    fn only_an_answer_that_does_not_know_the_call_says_that_there_is_no_sts() {
        let answer = |status: u16, code: &str| {
            before_the_call(meaning(CallName::GetCallerIdentity, status, code, "no"))
        };
        for no_sts in [
            answer(400, "UnknownOperationException"),
            answer(400, "InvalidAction"),
            answer(404, "Http404"),
            answer(400, "Http400"),
            answer(501, "Http501"),
            before_the_call(unreadable("the response to GetCallerIdentity is not XML")),
        ] {
            assert!(says_no_sts(&no_sts), "{no_sts:?}");
        }
        for other in [
            answer(403, "InvalidClientTokenId"),
            answer(403, "ExpiredToken"),
            answer(403, "SignatureDoesNotMatch"),
            answer(403, "Http403"),
            answer(503, "Http503"),
            answer(500, "InternalFailure"),
            answer(429, "Http429"),
            error(ErrorClass::Unreachable, "ConnectFailed", "refused"),
            error(ErrorClass::Unreachable, "AnswerTimeout", "late"),
            error(ErrorClass::Forbidden, "CredentialsNotFound", "none"),
            error(ErrorClass::Forbidden, "ProfileNotFound", "none"),
        ] {
            assert!(!says_no_sts(&other), "{other:?}");
        }
    }
}
