//! The machine's credentials on an endpoint that is not AWS: they sign for the account that they belong
//! to there. Any other account signs as itself, so that one simulator can have many accounts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hangar_provider::{ErrorClass, Identity, Place, ProviderError};

use super::{Chain, Signature, account_signature, is_refused_credential};
use crate::whereabouts::ACCOUNT;

/// Prefers the machine's credentials to the account.
#[derive(Debug)]
pub(crate) struct Preferred {
    chain: Chain,
    /// Set once the endpoint or the machine refused them; they are not tried again.
    is_refused: AtomicBool,
    /// Set once the endpoint did not tell whose they are, as one without STS; it is not asked again.
    is_unknown: AtomicBool,
}

impl Preferred {
    pub(crate) fn new(chain: Chain) -> Self {
        Self { chain, is_refused: AtomicBool::new(false), is_unknown: AtomicBool::new(false) }
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The machine's credentials if they are of the place's account, else the account itself. Where the endpoint does
    /// not tell whose they are, they sign for the account that is meant when nobody names one.
    pub(super) async fn signature(&self, place: &Place) -> Arc<Signature> {
        let is_theirs = match self.identity(place).await {
            Some(identity) => identity.account == place.account.padded(),
            None => !self.is_refused() && place.account.as_str() == ACCOUNT,
        };
        if is_theirs
            && let Ok(signature) = self.chain.in_time(self.chain.signature(&place.region)).await
        {
            return signature;
        }
        account_signature(place)
    }

    fn is_refused(&self) -> bool {
        self.is_refused.load(Ordering::Relaxed)
    }

    /// Who the endpoint says that the machine's credentials are of.
    pub(crate) async fn identity(&self, place: &Place) -> Option<Identity> {
        if self.is_refused() || self.is_unknown.load(Ordering::Relaxed) {
            return None;
        }
        let identity = self.chain.in_time(self.chain.whoever(place)).await;
        if let Err(failed) = &identity {
            if is_of_credentials(failed) {
                self.is_refused.store(true, Ordering::Relaxed);
            } else if is_lasting(failed) {
                self.is_unknown.store(true, Ordering::Relaxed);
            }
        }
        identity.ok()
    }
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
    failed.class == ErrorClass::Forbidden
        && (is_refused_credential(failed) || CODES.iter().any(|it| failed.code.starts_with(it)))
}

/// Whether the same question would be answered the same a moment later.
fn is_lasting(failed: &ProviderError) -> bool {
    !matches!(
        failed.class,
        ErrorClass::Throttled | ErrorClass::Unreachable | ErrorClass::Unanswered
    )
}
