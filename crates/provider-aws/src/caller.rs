//! Whose credentials sign a call, and the check that they are of the account the caller named.

mod assigned;
mod chain;
mod exchange;
mod preferred;
mod role;

use std::sync::Arc;
use std::time::Duration;

use aws_credential_types::Credentials;
use hangar_provider::{CredentialSource, ErrorClass, Place, ProviderError};

use crate::call::CallObserver;
use crate::failure::error;
use crate::options::Timeouts;
use crate::query::QueryClient;
use assigned::Assigned;
pub(crate) use chain::Chain;
pub(crate) use preferred::Preferred;
pub(crate) use role::RoleForAll;

/// A credential that ends sooner than this is got anew.
const SPARE: Duration = Duration::from_mins(5);

/// The secret of every account on an endpoint of our own: what the simulator expects where it
/// checks signatures at all.
const SECRET: &str = "simulator";

/// What signs a call. One value stays the same until its credential is got anew.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) credentials: Credentials,
}

/// Gives the credentials for a place.
#[derive(Debug)]
pub(crate) struct Caller {
    /// Those that were chosen for accounts, where somebody chooses.
    assigned: Option<Assigned>,
    /// Those of all others.
    own: Own,
}

/// What signs where no credential was chosen.
#[derive(Debug, Clone)]
pub(crate) enum Own {
    /// The place's account is the access key.
    Account,
    /// The machine's credentials, which must be of the place's account.
    Chain(Arc<Chain>),
    /// The machine's credentials where they are of the place's account, else the account.
    Preferred(Arc<Preferred>),
}

impl Caller {
    pub(crate) fn new(
        own: Own,
        source: Option<Arc<dyn CredentialSource>>,
        timeouts: Timeouts,
        query: QueryClient,
        observer: Observer,
    ) -> Self {
        let assigned = source.map(|source| Assigned::new(source, timeouts, query, observer));
        Self { assigned, own }
    }

    /// What signs where no credential was chosen.
    pub(crate) fn own(&self) -> &Own {
        &self.own
    }

    /// The credentials for a place; an error where they are of another account.
    pub(crate) async fn signature(&self, place: &Place) -> Result<Arc<Signature>, ProviderError> {
        if let Some(assigned) = &self.assigned
            && let Some(signature) = Box::pin(assigned.checked(place, &self.own)).await?
        {
            return Ok(signature);
        }
        match &self.own {
            Own::Account => Ok(account_signature(place)),
            Own::Preferred(preferred) => Box::pin(preferred.signature(place)).await,
            Own::Chain(chain) => Box::pin(chain.in_time(chain.checked(place))).await,
        }
    }

    /// The credentials for a place, whomever they belong to: only to ask who that is.
    pub(crate) async fn any_signature(
        &self,
        place: &Place,
    ) -> Result<Arc<Signature>, ProviderError> {
        if let Some(assigned) = &self.assigned
            && let Some(signature) = Box::pin(assigned.signature(place, &self.own)).await?
        {
            return Ok(signature);
        }
        Box::pin(self.own.signature(place)).await
    }

    /// Hears how a call for a place failed. Where AWS does not take the credentials they are got
    /// anew by the next call, as a person may have logged in again meanwhile.
    pub(crate) fn hear(&self, place: &Place, failed: &ProviderError) {
        let is_assigned = self.assigned.as_ref().is_some_and(|it| it.hear(place, failed));
        if !is_assigned {
            self.own.hear(failed);
        }
    }
}

impl Own {
    /// The process's own credentials, whomever they belong to.
    async fn signature(&self, place: &Place) -> Result<Arc<Signature>, ProviderError> {
        match self {
            Self::Account => Ok(account_signature(place)),
            Self::Preferred(preferred) => preferred.signature(place).await,
            Self::Chain(chain) => chain.in_time(chain.signature(&place.region)).await,
        }
    }

    fn hear(&self, failed: &ProviderError) {
        match self {
            Self::Account => {}
            Self::Chain(chain) => chain.hear(failed),
            Self::Preferred(preferred) => preferred.chain().hear(failed),
        }
    }

    /// Whether only accounts of twelve digits can be meant.
    fn is_real(&self) -> bool {
        matches!(self, Self::Chain(_))
    }
}

fn account_signature(place: &Place) -> Arc<Signature> {
    let key = place.account.as_str();
    let credentials = Credentials::new(key, SECRET, None, None, "hangar");
    Arc::new(Signature { credentials })
}

/// An observer that can be shown.
#[derive(Clone)]
pub(crate) struct Observer(pub(crate) Option<CallObserver>);

impl std::fmt::Debug for Observer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Observer").field(&self.0.is_some()).finish()
    }
}

/// Whether AWS does not take the credentials themselves, whatever they are used for.
fn is_refused_credential(failed: &ProviderError) -> bool {
    let codes = ["ExpiredToken", "InvalidClientTokenId", "UnrecognizedClient"];
    failed.class == ErrorClass::Forbidden && codes.iter().any(|code| failed.code.starts_with(code))
}

fn check_real(place: &Place) -> Result<(), ProviderError> {
    let account = &place.account;
    if account.is_real() {
        return Ok(());
    }
    let message = format!("account `{account}` is not an AWS account, which has 12 digits");
    Err(error(ErrorClass::Forbidden, MISMATCH, message))
}

const MISMATCH: &str = "AccountMismatch";

/// `what` is of another account than the place's.
fn mismatch(what: &str, account: &str, place: &Place) -> ProviderError {
    let message = format!("{what} of account {account}, not of {}", place.account);
    error(ErrorClass::Forbidden, MISMATCH, message)
}

/// What went wrong before the call itself was made: that one was not accepted, whatever became of
/// the question to STS. What STS refuses says nothing of the resource that the call is about.
fn before_the_call(mut failed: ProviderError) -> ProviderError {
    failed.class = match failed.class {
        ErrorClass::Throttled => ErrorClass::Throttled,
        ErrorClass::Unreachable | ErrorClass::Unanswered => ErrorClass::Unreachable,
        _ => ErrorClass::Forbidden,
    };
    failed.blocked_by = None;
    failed
}

#[cfg(test)]
mod tests;
