//! A simulator in this process, and providers that talk to it.

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hangar_provider::{CredentialSource, ErrorClass, Place, Target};
use hangar_provider_aws::{AwsProvider, CallName, Endpoint, Options, Timeouts};
use hangar_simulator::core::settings::Settings;
use hangar_simulator::server::{self, Exposure, Running, Signatures};
use serde_json::Value;

pub(crate) const VPC: &str = "AWS::EC2::VPC";
pub(crate) const LOG_GROUP: &str = "AWS::Logs::LogGroup";

/// The calls that were made.
pub(crate) type Calls = Arc<Mutex<Vec<(CallName, Result<(), ErrorClass>)>>>;

/// A simulator that answers at once, with faults that wait for their calls, and a page of two.
pub(crate) async fn simulator(faults: &[Value]) -> Running {
    // The right secret is part of the bargain.
    simulator_of(HashMap::new(), faults).await
}

/// The same, which knows these keys and their secrets only.
pub(crate) async fn simulator_of(keys: HashMap<String, String>, faults: &[Value]) -> Running {
    let faults = faults.iter().map(|it| serde_json::from_value(it.clone()).unwrap()).collect();
    let latency = "0..0".parse().unwrap();
    server::start(server::Options {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        exposure: Exposure::Loopback,
        state: None,
        settings: Settings { latency, page_size: 2, ..Settings::default() },
        signatures: Signatures::Verified(keys),
        faults,
    })
    .await
    .unwrap()
}

/// A provider and the calls that it makes.
pub(crate) fn provider(url: &str) -> (AwsProvider, Calls) {
    provider_within(url, Timeouts::default(), None)
}

/// The same with credentials that somebody chooses.
pub(crate) fn provider_with(
    url: &str,
    credentials: Arc<dyn CredentialSource>,
) -> (AwsProvider, Calls) {
    provider_within(url, Timeouts::default(), Some(credentials))
}

/// A provider that does not wait for long: for tests in which nothing comes.
pub(crate) fn hasty_provider(url: &str) -> AwsProvider {
    let (connect, operation) = (Duration::from_millis(300), Duration::from_millis(600));
    provider_within(url, Timeouts { connect, operation }, None).0
}

fn provider_within(
    url: &str,
    timeouts: Timeouts,
    credentials: Option<Arc<dyn CredentialSource>>,
) -> (AwsProvider, Calls) {
    let calls = Calls::default();
    let heard = Arc::clone(&calls);
    let options = Options {
        endpoint: Endpoint::Custom(url.parse().unwrap()),
        timeouts,
        on_call: Some(Arc::new(move |record| {
            heard.lock().unwrap().push((record.call, record.outcome));
        })),
        credentials,
        ..Options::default()
    };
    (AwsProvider::new(options), calls)
}

/// A URL where nobody listens.
pub(crate) fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

pub(crate) fn place() -> Place {
    Place {
        plane: "aws".to_owned(),
        account: "42".parse().unwrap(),
        region: "eu-central-1".parse().unwrap(),
    }
}

pub(crate) fn target(type_name: &str) -> Target {
    Target { place: place(), type_name: type_name.parse().unwrap() }
}
