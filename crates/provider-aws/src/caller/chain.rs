//! The machine's own credentials: the default credential chain, read at the first call and kept.

use std::borrow::Cow;
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use aws_config::environment::EnvironmentVariableRegionProvider;
use aws_config::imds::client::error::ImdsError;
use aws_config::meta::region::RegionProviderChain;
use aws_config::profile::{self, ProfileFileRegionProvider};
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, ConfigLoader};
use aws_credential_types::Credentials;
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_types::os_shim_internal::{Env, Fs};
use aws_types::region::Region as SdkRegion;
use hangar_ids::Region;
use hangar_provider::{ErrorClass, Identity, Place, ProviderError};

use super::{
    Observer, SPARE, Signature, before_the_call, check_real, is_refused_credential, mismatch,
};
use crate::call::{Call, CallName};
use crate::failure::{causes, error};
use crate::options::Timeouts;
use crate::query::{QueryClient, Signer};
use crate::transport::Transport;

/// So long the word of STS for a credential is taken.
const CHECKED_FOR: Duration = Duration::from_mins(15);

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

#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub(super) provider: Option<SharedCredentialsProvider>,
    pub(super) signature: Option<(Arc<Signature>, Instant)>,
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

    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn hear(&self, failed: &ProviderError) {
        if is_refused_credential(failed) {
            *self.known() = Known::default();
        }
    }

    /// All of it within the time of one call, however many wait for their turn.
    pub(crate) async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        let within = self.timeouts.operation;
        let Ok(done) = tokio::time::timeout(within, work).await else {
            // With a credential at hand it is STS that has not answered.
            return Err(if self.known().fresh_signature().is_some() {
                let message = format!("no response of STS within {}s", within.as_secs_f32());
                error(ErrorClass::Unreachable, "AnswerTimeout", message)
            } else {
                no_credentials(&CredentialsError::provider_timed_out(within))
            });
        };
        done
    }

    pub(super) async fn checked(&self, place: &Place) -> Result<Arc<Signature>, ProviderError> {
        check_real(place)?;
        let signature = self.signature(&place.region).await?;
        let identity = self.identity(&signature, place).await?;
        if identity.account == place.account.as_str() {
            return Ok(signature);
        }
        Err(mismatch("the credentials are", &identity.account, place))
    }

    /// The credential, fresh enough to be used.
    pub(super) async fn signature(&self, region: &Region) -> Result<Arc<Signature>, ProviderError> {
        if let Some(signature) = self.known().fresh_signature() {
            return Ok(signature);
        }
        let _turn = self.asking.lock().await;
        if let Some(signature) = self.known().fresh_signature() {
            return Ok(signature);
        }
        let credentials = match self.load(region).await {
            Ok(credentials) => credentials,
            // The chain goes on to the metadata service, and its error does not name the profile.
            Err(failed) => {
                return Err(match Box::pin(missing_profile()).await {
                    Some(name) => no_profile(&name),
                    None => no_credentials(&failed),
                });
            }
        };
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
        let region = SdkRegion::new(region.as_str().to_owned());
        let config = self.loader().region(region).load().await;
        config.credentials_provider().ok_or_else(CredentialsError::not_loaded_no_source)
    }

    fn loader(&self) -> ConfigLoader {
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(self.timeouts.connect)
            .operation_timeout(self.timeouts.operation)
            .build();
        aws_config::defaults(BehaviorVersion::latest())
            .http_client(self.transport.http_client())
            .timeout_config(timeouts)
    }

    /// The region that the machine is set up for: the environment's, the profile's, or that of the
    /// machine itself where AWS runs it.
    pub(crate) async fn region(&self) -> Option<String> {
        let config = self.loader().load().await;
        config.region().map(|region| region.as_ref().to_owned())
    }

    /// The region of the environment or of the profile; no metadata service is asked.
    pub(crate) async fn configured_region(&self) -> Option<String> {
        let environment = EnvironmentVariableRegionProvider::new();
        let profile = ProfileFileRegionProvider::new();
        let region = RegionProviderChain::first_try(environment).or_else(profile).region().await;
        region.map(|region| region.as_ref().to_owned())
    }

    /// Whom the credentials belong to, whoever that is. Of the place only the region counts.
    pub(crate) async fn whoever(&self, place: &Place) -> Result<Identity, ProviderError> {
        let signature = self.signature(&place.region).await?;
        self.identity(&signature, place).await
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
            .map_err(before_the_call)?;
        let now = Instant::now();
        self.known().identity = Some((Arc::clone(signature), identity.clone(), now));
        Ok(identity)
    }
}

impl Known {
    pub(super) fn fresh_signature(&self) -> Option<Arc<Signature>> {
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

fn no_credentials(failed: &CredentialsError) -> ProviderError {
    let (class, code) = match failed {
        CredentialsError::ProviderTimedOut(_) => (ErrorClass::Unreachable, "CredentialsTimeout"),
        CredentialsError::CredentialsNotLoaded(_) => (ErrorClass::Forbidden, "CredentialsNotFound"),
        // A metadata service or a login page that cannot be reached now may be later.
        _ if is_of_the_network(failed) => (ErrorClass::Unreachable, "CredentialsUnreachable"),
        _ => match metadata_status(failed) {
            Some(500..) => (ErrorClass::Unreachable, "CredentialsUnreachable"),
            // The last source of the chain: a metadata service that is turned off, or has no role, refuses.
            Some(_) => (ErrorClass::Forbidden, "CredentialsNotFound"),
            None => (ErrorClass::Forbidden, "CredentialsInvalid"),
        },
    };
    error(class, code, causes(failed))
}

/// The profile that `AWS_PROFILE` names, if no file has it.
async fn missing_profile() -> Option<String> {
    let name = std::env::var("AWS_PROFILE").ok().filter(|name| !name.is_empty())?;
    let (files, other): (_, Option<Cow<'_, str>>) = Default::default();
    let profiles = profile::load(&Fs::real(), &Env::real(), &files, other).await.ok()?;
    profiles.get_profile(&name).is_none().then_some(name)
}

fn no_profile(name: &str) -> ProviderError {
    let message = format!(
        "AWS_PROFILE names the profile `{name}`, which is not in the AWS config and credentials \
         files"
    );
    error(ErrorClass::Forbidden, "ProfileNotFound", message)
}

fn is_of_the_network(failed: &CredentialsError) -> bool {
    chain_of(failed).any(<dyn Error>::is::<ConnectorError>)
}

/// The status with which the machine's metadata service refused credentials; 0 if only the fact is known.
fn metadata_status(failed: &CredentialsError) -> Option<u16> {
    match chain_of(failed).find_map(<dyn Error>::downcast_ref::<ImdsError>)? {
        ImdsError::ErrorResponse(answer) => Some(answer.response().status().as_u16()),
        _ => Some(0),
    }
}

/// An error and its causes.
fn chain_of(failed: &CredentialsError) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let outermost: &(dyn Error + 'static) = failed;
    std::iter::successors(Some(outermost), |&error| error.source())
}
