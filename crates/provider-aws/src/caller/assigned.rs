//! Credentials that were chosen for accounts: what is made of each is kept until it is over, or until
//! another is chosen.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use hangar_ids::AccountId;
use hangar_provider::{Chosen, CredentialSource, ErrorClass, Place, ProviderError};

use super::{
    Observer, Own, SPARE, Signature, before_the_call, check_real, exchange, is_refused_credential,
    mismatch,
};
use crate::call::{Call, CallName};
use crate::clock::Clock;
use crate::failure::error;
use crate::options::Timeouts;
use crate::query::{QueryClient, Signer};

/// For so many accounts something is kept: callers name them, and a source may have an answer for all.
const MAX_KEPT: usize = 1024;

/// An account of a plane: planes may have different credentials for the same one.
type Account = (String, AccountId);

fn account_of(place: &Place) -> Account {
    (place.plane.clone(), place.account.clone())
}

/// Asks which credential is meant for a place, and keeps what it is good for.
#[derive(Debug)]
pub(super) struct Assigned {
    source: Arc<dyn CredentialSource>,
    timeouts: Timeouts,
    query: QueryClient,
    observer: Observer,
    clock: Clock,
    // Invariant: one for an account. A session is good in every region of it.
    kept: Mutex<HashMap<Account, Arc<Kept>>>,
}

/// What was made of one revision of a credential.
#[derive(Debug)]
struct Kept {
    revision: String,
    known: Mutex<Known>,
    /// One caller at a time asks STS; the others find its answer. It guards no data.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Known {
    signature: Option<Arc<Signature>>,
    /// Whose it is by the word of STS: the same for all sessions of one revision.
    account: Option<String>,
}

impl Assigned {
    pub(super) fn new(
        source: Arc<dyn CredentialSource>,
        timeouts: Timeouts,
        query: QueryClient,
        observer: Observer,
    ) -> Self {
        let clock = query.clock().clone();
        Self { source, timeouts, query, observer, clock, kept: Mutex::default() }
    }

    /// What signs for a place, if a credential was chosen for it: of its account, by its role and by
    /// the word of STS.
    pub(super) async fn checked(
        &self,
        place: &Place,
        own: &Own,
    ) -> Result<Option<Arc<Signature>>, ProviderError> {
        self.in_time(async {
            let Some(chosen) = self.chosen(place, own).await? else { return Ok(None) };
            let kept = self.kept_for(place, &chosen);
            let signature = self.fresh(&kept, &chosen, place, own).await?;
            let account = self.account(&kept, &signature, place).await?;
            if account == place.account.padded() {
                return Ok(Some(signature));
            }
            Err(mismatch("the chosen credential is", &account, place))
        })
        .await
    }

    /// The same, whomever STS says that it belongs to.
    pub(super) async fn signature(
        &self,
        place: &Place,
        own: &Own,
    ) -> Result<Option<Arc<Signature>>, ProviderError> {
        self.in_time(async {
            let Some(chosen) = self.chosen(place, own).await? else { return Ok(None) };
            let kept = self.kept_for(place, &chosen);
            self.fresh(&kept, &chosen, place, own).await.map(Some)
        })
        .await
    }

    /// Hears how a call for a place failed; says whether a credential was chosen for it.
    pub(super) fn hear(&self, place: &Place, failed: &ProviderError) -> bool {
        let kept = self.all().get(&account_of(place)).cloned();
        if let Some(kept) = &kept {
            kept.hear(failed);
        }
        kept.is_some()
    }

    /// All of it within the time of one call, however many wait for their turn.
    async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        let within = self.timeouts.operation;
        tokio::time::timeout(within, work).await.unwrap_or_else(|_| {
            let message = format!("got no credentials within {}s", within.as_secs_f32());
            Err(error(ErrorClass::Unreachable, "CredentialsTimeout", message))
        })
    }

    /// The credential for a place, as far as it can be judged without a call.
    async fn chosen(&self, place: &Place, own: &Own) -> Result<Option<Chosen>, ProviderError> {
        let chosen = self.source.credential(place).await.map_err(before_the_call)?;
        let Some(chosen) = chosen else {
            self.all().remove(&account_of(place));
            return Ok(None);
        };
        if own.is_real() {
            check_real(place)?;
        }
        chosen.credential.check().map_err(|wrong| {
            error(ErrorClass::Forbidden, "CredentialsInvalid", wrong.to_string())
        })?;
        match chosen.credential.role_account() {
            Some(account) if account != place.account.padded() => {
                Err(mismatch("the chosen role is", &account, place))
            }
            _ => Ok(Some(chosen)),
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Account, Arc<Kept>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept_for(&self, place: &Place, chosen: &Chosen) -> Arc<Kept> {
        let mut all = self.all();
        if let Some(kept) = all.get(&account_of(place))
            && kept.revision == chosen.revision
        {
            return Arc::clone(kept);
        }
        let kept = Arc::new(Kept {
            revision: chosen.revision.clone(),
            known: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
        });
        if all.len() >= MAX_KEPT {
            all.clear();
        }
        all.insert(account_of(place), Arc::clone(&kept));
        kept
    }

    /// What signs, fresh enough to be used.
    async fn fresh(
        &self,
        kept: &Kept,
        chosen: &Chosen,
        place: &Place,
        own: &Own,
    ) -> Result<Arc<Signature>, ProviderError> {
        if let Some(signature) = kept.fresh(self.clock.now()) {
            return Ok(signature);
        }
        let _turn = kept.asking.lock().await;
        if let Some(signature) = kept.fresh(self.clock.now()) {
            return Ok(signature);
        }
        let (query, observer) = (&self.query, &self.observer);
        let credentials = exchange::keys(&chosen.credential, place, own, query, observer).await?;
        let signature = Arc::new(Signature { credentials });
        kept.known().signature = Some(Arc::clone(&signature));
        Ok(signature)
    }

    /// The account that a credential is of.
    async fn account(
        &self,
        kept: &Kept,
        signature: &Signature,
        place: &Place,
    ) -> Result<String, ProviderError> {
        if let Some(account) = kept.known().account.clone() {
            return Ok(account);
        }
        let _turn = kept.asking.lock().await;
        if let Some(account) = kept.known().account.clone() {
            return Ok(account);
        }
        let signer = Signer { credentials: &signature.credentials, region: &place.region };
        let identity = Call::for_place(CallName::GetCallerIdentity, place)
            .observed(self.observer.0.as_ref(), self.query.caller_identity(signer))
            .await
            .inspect_err(|failed| kept.hear(failed))
            .map_err(before_the_call)?;
        kept.known().account = Some(identity.account.clone());
        Ok(identity.account)
    }
}

impl Kept {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fresh(&self, now: SystemTime) -> Option<Arc<Signature>> {
        let signature = self.known().signature.clone()?;
        let ends_at = signature.credentials.expiry();
        ends_at.is_none_or(|ends_at| ends_at > now + SPARE).then_some(signature)
    }

    /// Credentials that are not taken are got anew, and asked about anew.
    fn hear(&self, failed: &ProviderError) {
        if is_refused_credential(failed) {
            *self.known() = Known::default();
        }
    }
}

#[cfg(test)]
mod tests;
