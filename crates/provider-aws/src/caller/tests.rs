//! The account check, with credentials of our own in place of the machine's.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime};

use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider, future};
use hangar_provider::{Provider, Target};
use hangar_simulator::core::settings::Settings;
use hangar_simulator::server::{self, Exposure, Running, Signatures};

use super::*;
use crate::call::CallName;
use crate::endpoints::Endpoints;
use crate::options::{Endpoint, Options};
use crate::provider::AwsProvider;
use crate::transport::Transport;

const ACCOUNT: &str = "111122223333";

/// Gives what it was told to, and counts how often.
#[derive(Debug)]
struct Given {
    credentials: Mutex<Result<Credentials, &'static str>>,
    times: AtomicUsize,
}

impl Given {
    fn new(credentials: Result<Credentials, &'static str>) -> Arc<Self> {
        Arc::new(Self { credentials: Mutex::new(credentials), times: AtomicUsize::new(0) })
    }

    fn key(account: &str) -> Arc<Self> {
        Self::new(Ok(Credentials::new(account, "secret", None, None, "test")))
    }

    fn times(&self) -> usize {
        self.times.load(Ordering::SeqCst)
    }
}

#[derive(Debug)]
struct Shared(Arc<Given>);

impl ProvideCredentials for Shared {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        self.0.times.fetch_add(1, Ordering::SeqCst);
        let given = self.0.credentials.lock().unwrap().clone();
        future::ProvideCredentials::ready(given.map_err(CredentialsError::not_loaded))
    }
}

type Calls = Arc<Mutex<Vec<(CallName, Result<(), ErrorClass>)>>>;

/// A provider with the chain's check, on a simulator.
struct Cloud {
    _simulator: Running,
    provider: AwsProvider,
    calls: Calls,
}

impl Cloud {
    async fn start(given: &Arc<Given>) -> Self {
        let settings = Settings { latency: "0..0".parse().unwrap(), ..Settings::default() };
        let simulator = server::start(server::Options {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            exposure: Exposure::Loopback,
            state: None,
            settings,
            signatures: Signatures::Read,
            faults: Vec::new(),
        })
        .await
        .unwrap();
        let calls = Calls::default();
        let heard = Arc::clone(&calls);
        let on_call: CallObserver =
            Arc::new(move |record| heard.lock().unwrap().push((record.call, record.outcome)));
        let endpoint = Endpoint::Custom(simulator.url().parse().unwrap());
        let options = Options { endpoint, on_call: Some(on_call), ..Options::default() };
        let (timeouts, observer) = (options.timeouts, Observer(options.on_call.clone()));
        let (transport, endpoints) =
            (Transport::new(&options), Endpoints::new(&options.endpoint, &options.service_urls));
        let query = QueryClient::new(transport.clone(), endpoints.clone(), timeouts.operation);
        let chain = Chain::new(transport.clone(), timeouts, query.clone(), observer);
        chain.known().provider = Some(SharedCredentialsProvider::new(Shared(Arc::clone(given))));
        let own = Own::Chain(Arc::new(chain));
        let provider = AwsProvider::assembled(options, transport, endpoints, query, own);
        Self { _simulator: simulator, provider, calls }
    }

    fn calls(&self) -> Vec<(CallName, Result<(), ErrorClass>)> {
        self.calls.lock().unwrap().clone()
    }
}

fn target(account: &str) -> Target {
    let place = Place {
        plane: "aws".to_owned(),
        account: account.parse().unwrap(),
        region: "eu-west-1".parse().unwrap(),
    };
    Target { place, type_name: "AWS::EC2::VPC".parse().unwrap() }
}

#[tokio::test]
async fn the_identity_is_asked_once_and_then_calls_are_made() {
    let given = Given::key(ACCOUNT);
    let cloud = Cloud::start(&given).await;
    for _ in 0..3 {
        cloud.provider.list(&target(ACCOUNT), None, 10, None).await.unwrap();
    }
    cloud.provider.describe_type(&target(ACCOUNT)).await.unwrap();
    let list = (CallName::ListResources, Ok(()));
    let (identity, describe) = (CallName::GetCallerIdentity, CallName::DescribeType);
    assert_eq!(cloud.calls(), [(identity, Ok(())), list, list, list, (describe, Ok(()))]);
    assert_eq!(given.times(), 1);
}

#[tokio::test]
async fn a_place_of_another_account_is_refused_before_any_call_for_it() {
    let cloud = Cloud::start(&Given::key(ACCOUNT)).await;
    let other = target("999999999999");
    let place = &other.place;
    let errors = [
        cloud.provider.observe(&other, "vpc-1").await.unwrap_err(),
        cloud.provider.delete(&other, "vpc-1", "t").await.unwrap_err(),
        cloud.provider.poll(place, "t").await.unwrap_err(),
        cloud.provider.describe_type(&other).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!((error.class, error.code.as_str()), (ErrorClass::Forbidden, "AccountMismatch"));
        assert!(error.message.contains(ACCOUNT) && error.message.contains("999999999999"));
    }
    assert_eq!(cloud.calls(), [(CallName::GetCallerIdentity, Ok(()))]);
    // Who one is may be asked for any place: it is how the account is learnt.
    assert_eq!(cloud.provider.identity(place).await.unwrap().account, ACCOUNT);
}

#[tokio::test]
async fn an_account_that_is_none_of_aws_needs_no_call_to_be_refused() {
    let given = Given::key(ACCOUNT);
    let cloud = Cloud::start(&given).await;
    let error = cloud.provider.observe(&target("42"), "vpc-1").await.unwrap_err();
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::Forbidden, "AccountMismatch"));
    assert!(error.message.contains("`42`"), "{error}");
    assert_eq!((cloud.calls(), given.times()), (Vec::new(), 0));
}

#[tokio::test]
async fn missing_credentials_are_told_and_looked_for_again() {
    let given = Given::new(Err("nobody is logged in"));
    let cloud = Cloud::start(&given).await;
    let error = cloud.provider.observe(&target(ACCOUNT), "vpc-1").await.unwrap_err();
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::Forbidden, "CredentialsNotFound"));
    assert!(error.message.contains("nobody is logged in"), "{error}");
    *given.credentials.lock().unwrap() = Given::key(ACCOUNT).credentials.lock().unwrap().clone();
    cloud.provider.observe(&target(ACCOUNT), "vpc-1").await.unwrap();
}

#[tokio::test]
async fn a_credential_that_ends_soon_is_got_anew_and_checked_anew() {
    let soon = SystemTime::now() + Duration::from_mins(1);
    let ending = |account| Credentials::new(account, "secret", None, Some(soon), "test");
    let given = Given::new(Ok(ending(ACCOUNT)));
    let cloud = Cloud::start(&given).await;
    cloud.provider.observe(&target(ACCOUNT), "vpc-1").await.unwrap();
    // The same keys once more: STS was asked about them already.
    cloud.provider.observe(&target(ACCOUNT), "vpc-1").await.unwrap();
    assert_eq!((given.times(), cloud.calls().len()), (2, 3));
    *given.credentials.lock().unwrap() = Ok(ending("999999999999"));
    let error = cloud.provider.observe(&target(ACCOUNT), "vpc-1").await.unwrap_err();
    assert_eq!(error.code, "AccountMismatch");
}

#[tokio::test]
async fn many_calls_at_once_ask_for_the_identity_once() {
    let given = Given::key(ACCOUNT);
    let cloud = Cloud::start(&given).await;
    let wanted = target(ACCOUNT);
    let observe = || cloud.provider.observe(&wanted, "vpc-1");
    let (a, b, c) = tokio::join!(observe(), observe(), observe());
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    let identity = cloud.calls().iter().filter(|it| it.0 == CallName::GetCallerIdentity).count();
    assert_eq!((given.times(), identity), (1, 1));
}

#[test]
fn credentials_that_aws_does_not_take_are_forgotten() {
    let options = Options::default();
    let (transport, endpoints) =
        (Transport::new(&options), Endpoints::new(&options.endpoint, &options.service_urls));
    let query = QueryClient::new(transport.clone(), endpoints, options.timeouts.operation);
    let chain = Chain::new(transport, options.timeouts, query, Observer(None));
    let credentials = Credentials::new("a", "b", None, None, "test");
    for (code, is_kept) in [("AccessDeniedException", true), ("ExpiredTokenException", false)] {
        let signature = Arc::new(Signature { credentials: credentials.clone() });
        chain.known().signature = Some((signature, Instant::now()));
        chain.hear(&error(ErrorClass::Forbidden, code, ""));
        assert_eq!(chain.known().fresh_signature().is_some(), is_kept, "{code}");
    }
}

#[test]
fn a_secret_is_not_shown() {
    let credentials = Credentials::new("key", "very-secret", Some("tok-en".into()), None, "test");
    let shown = format!("{:?}", Signature { credentials });
    assert!(!shown.contains("very-secret") && !shown.contains("tok-en"), "{shown}");
}
