//! Whose credentials sign a call, and the check that they are of the account the caller named.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use aws_config::BehaviorVersion;
use aws_config::timeout::TimeoutConfig;
use aws_credential_types::Credentials;
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_types::region::Region as SdkRegion;
use hangar_ids::Region;
use hangar_provider::{ErrorClass, Identity, Place, ProviderError};

use crate::call::{Call, CallName, CallObserver};
use crate::failure::{causes, error};
use crate::options::Timeouts;
use crate::query::{QueryClient, Signer};
use crate::transport::Transport;

/// So long the word of STS for a credential is taken.
const CHECKED_FOR: Duration = Duration::from_mins(15);

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
pub(crate) enum Caller {
    /// The place's account is the access key.
    Account,
    /// The machine's credentials, which must be of the place's account.
    Chain(Box<Chain>),
}

impl Caller {
    /// The credentials for a place; an error where they are of another account.
    pub(crate) async fn signature(&self, place: &Place) -> Result<Arc<Signature>, ProviderError> {
        match self {
            Self::Account => Ok(account_signature(place)),
            Self::Chain(chain) => Box::pin(chain.in_time(chain.checked(place))).await,
        }
    }

    /// The credentials for a place, whomever they belong to: only to ask who that is.
    pub(crate) async fn any_signature(
        &self,
        place: &Place,
    ) -> Result<Arc<Signature>, ProviderError> {
        match self {
            Self::Account => Ok(account_signature(place)),
            Self::Chain(chain) => Box::pin(chain.in_time(chain.signature(&place.region))).await,
        }
    }

    /// Hears how a call failed. Where AWS does not take the credentials they are looked up anew by
    /// the next call, as a person may have logged in again meanwhile.
    pub(crate) fn hear(&self, failed: &ProviderError) {
        if let Self::Chain(chain) = self {
            chain.hear(failed);
        }
    }
}

fn account_signature(place: &Place) -> Arc<Signature> {
    let key = place.account.as_str();
    let credentials = Credentials::new(key, SECRET, None, None, "hangar");
    Arc::new(Signature { credentials })
}

/// The default credential chain, read at the first call and kept.
#[derive(Debug)]
pub(crate) struct Chain {
    transport: Transport,
    timeouts: Timeouts,
    query: QueryClient,
    observer: Observer,
    known: Mutex<Known>,
    /// One caller at a time asks the outside; the others find its answer. It guards no data.
    asking: tokio::sync::Mutex<()>,
}

/// An observer that can be shown.
#[derive(Clone)]
pub(crate) struct Observer(pub(crate) Option<CallObserver>);

impl std::fmt::Debug for Observer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Observer").field(&self.0.is_some()).finish()
    }
}

#[derive(Debug, Clone, Default)]
struct Known {
    provider: Option<SharedCredentialsProvider>,
    signature: Option<(Arc<Signature>, Instant)>,
    /// Who a credential is by the word of STS, and since when we know.
    identity: Option<(Arc<Signature>, Identity, Instant)>,
}

impl Chain {
    pub(crate) fn new(
        transport: Transport,
        timeouts: Timeouts,
        query: QueryClient,
        observer: Observer,
    ) -> Self {
        let (known, asking) = (Mutex::default(), tokio::sync::Mutex::default());
        Self { transport, timeouts, query, observer, known, asking }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, failed: &ProviderError) {
        let codes = ["ExpiredToken", "InvalidClientTokenId", "UnrecognizedClient"];
        let is_of_the_credentials = failed.class == ErrorClass::Forbidden
            && codes.iter().any(|code| failed.code.starts_with(code));
        if is_of_the_credentials {
            *self.known() = Known::default();
        }
    }

    /// All of it within the time of one call, however many wait for their turn.
    async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        let within = self.timeouts.operation;
        tokio::time::timeout(within, work)
            .await
            .unwrap_or_else(|_| Err(no_credentials(&CredentialsError::provider_timed_out(within))))
    }

    async fn checked(&self, place: &Place) -> Result<Arc<Signature>, ProviderError> {
        if !place.account.is_real() {
            let account = &place.account;
            let message = format!("account `{account}` is not one of AWS, which have 12 digits");
            return Err(mismatch(message));
        }
        let signature = self.signature(&place.region).await?;
        let identity = self.identity(&signature, place).await?;
        if identity.account == place.account.as_str() {
            return Ok(signature);
        }
        Err(mismatch(format!(
            "the credentials are of account {}, and not of {}",
            identity.account, place.account
        )))
    }

    /// The credential, fresh enough to be used.
    async fn signature(&self, region: &Region) -> Result<Arc<Signature>, ProviderError> {
        if let Some(signature) = self.known().fresh_signature() {
            return Ok(signature);
        }
        let _turn = self.asking.lock().await;
        if let Some(signature) = self.known().fresh_signature() {
            return Ok(signature);
        }
        let credentials = self.load(region).await.map_err(|failed| no_credentials(&failed))?;
        let mut known = self.known();
        // The same keys keep what STS said of them.
        let same = known.identity.as_ref().map(|(signature, ..)| signature);
        let same = same.filter(|same| same.credentials == credentials).cloned();
        let signature = same.unwrap_or_else(|| Arc::new(Signature { credentials }));
        known.signature = Some((Arc::clone(&signature), Instant::now()));
        Ok(signature)
    }

    async fn load(&self, region: &Region) -> Result<Credentials, CredentialsError> {
        let kept = self.known().provider.clone();
        let provider = match kept {
            Some(provider) => provider,
            // Large, and seldom needed.
            None => Box::pin(self.open(region)).await?,
        };
        let credentials = provider.provide_credentials().await?;
        self.known().provider = Some(provider);
        Ok(credentials)
    }

    /// Reads the environment and the profile. The region is given, so that no metadata service is
    /// asked for one.
    async fn open(&self, region: &Region) -> Result<SharedCredentialsProvider, CredentialsError> {
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(self.timeouts.connect)
            .operation_timeout(self.timeouts.operation)
            .build();
        let config = aws_config::defaults(BehaviorVersion::latest())
            .http_client(self.transport.http_client())
            .region(SdkRegion::new(region.as_str().to_owned()))
            .timeout_config(timeouts)
            .load()
            .await;
        config.credentials_provider().ok_or_else(CredentialsError::not_loaded_no_source)
    }

    async fn identity(
        &self,
        signature: &Arc<Signature>,
        place: &Place,
    ) -> Result<Identity, ProviderError> {
        if let Some(identity) = self.known().identity_of(signature) {
            return Ok(identity);
        }
        let _turn = self.asking.lock().await;
        if let Some(identity) = self.known().identity_of(signature) {
            return Ok(identity);
        }
        let signer = Signer { credentials: &signature.credentials, region: &place.region };
        let identity = Call::for_place(CallName::GetCallerIdentity, place)
            .observed(self.observer.0.as_ref(), self.query.caller_identity(signer))
            .await
            .inspect_err(|failed| self.hear(failed))
            .map_err(as_unsent)?;
        let now = Instant::now();
        self.known().identity = Some((Arc::clone(signature), identity.clone(), now));
        Ok(identity)
    }
}

impl Known {
    fn fresh_signature(&self) -> Option<Arc<Signature>> {
        let (signature, since) = self.signature.as_ref()?;
        let is_fresh = match signature.credentials.expiry() {
            Some(ends_at) => ends_at > SystemTime::now() + SPARE,
            // Keys of a file have no end, but files change.
            None => since.elapsed() < CHECKED_FOR,
        };
        is_fresh.then(|| Arc::clone(signature))
    }

    fn identity_of(&self, signature: &Arc<Signature>) -> Option<Identity> {
        let (of, identity, since) = self.identity.as_ref()?;
        let is_known = Arc::ptr_eq(of, signature) && since.elapsed() < CHECKED_FOR;
        is_known.then(|| identity.clone())
    }
}

fn mismatch(message: String) -> ProviderError {
    error(ErrorClass::Forbidden, "AccountMismatch", message)
}

/// The check failed before the call itself was made: that one was not accepted, whatever became of
/// the question to STS.
fn as_unsent(mut failed: ProviderError) -> ProviderError {
    if failed.class == ErrorClass::Unanswered {
        failed.class = ErrorClass::Unreachable;
    }
    failed
}

fn no_credentials(failed: &CredentialsError) -> ProviderError {
    let (class, code) = match failed {
        CredentialsError::ProviderTimedOut(_) => (ErrorClass::Unreachable, "CredentialsTimeout"),
        CredentialsError::CredentialsNotLoaded(_) => (ErrorClass::Forbidden, "CredentialsNotFound"),
        // A metadata service or a login page that cannot be reached now may be later.
        _ if is_of_the_network(failed) => (ErrorClass::Unreachable, "CredentialsUnreachable"),
        _ => (ErrorClass::Forbidden, "CredentialsInvalid"),
    };
    error(class, code, causes(failed))
}

fn is_of_the_network(failed: &CredentialsError) -> bool {
    let outermost: &(dyn std::error::Error + 'static) = failed;
    std::iter::successors(Some(outermost), |&error| error.source())
        .any(<dyn std::error::Error>::is::<ConnectorError>)
}

#[cfg(test)]
mod tests;
