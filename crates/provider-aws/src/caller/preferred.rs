//! The machine's credentials on an endpoint that is not AWS: they sign for the account that they belong
//! to there. Any other account signs as itself, so that one simulator can have many accounts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hangar_provider::{ErrorClass, Identity, Place, ProviderError};

use super::{Chain, Signature, account_signature};

/// Prefers the machine's credentials to the account.
#[derive(Debug)]
pub(crate) struct Preferred {
    chain: Chain,
    /// Set once the endpoint or the machine refused them; they are not tried again.
    is_unusable: AtomicBool,
}

impl Preferred {
    pub(crate) fn new(chain: Chain) -> Self {
        Self { chain, is_unusable: AtomicBool::new(false) }
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The machine's credentials if they are of the place's account, else the account itself.
    pub(super) async fn signature(&self, place: &Place) -> Arc<Signature> {
        let identity = self.identity(place).await;
        if identity.is_some_and(|identity| identity.account == place.account.padded())
            && let Ok(signature) = self.chain.in_time(self.chain.signature(&place.region)).await
        {
            return signature;
        }
        account_signature(place)
    }

    /// Who the endpoint says that the machine's credentials are of.
    pub(crate) async fn identity(&self, place: &Place) -> Option<Identity> {
        if self.is_unusable.load(Ordering::Relaxed) {
            return None;
        }
        let identity = self.chain.in_time(self.chain.whoever(place)).await;
        if identity.as_ref().is_err_and(is_lasting) {
            self.is_unusable.store(true, Ordering::Relaxed);
        }
        identity.ok()
    }
}

/// Whether the same question would be answered the same a moment later.
fn is_lasting(failed: &ProviderError) -> bool {
    !matches!(
        failed.class,
        ErrorClass::Throttled | ErrorClass::Unreachable | ErrorClass::Unanswered
    )
}
