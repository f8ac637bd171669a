//! The SDK's clients, one for a place and the credential that was checked for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_cloudcontrol::Client;
use aws_sdk_cloudcontrol::config::retry::RetryConfig;
use aws_sdk_cloudcontrol::config::timeout::TimeoutConfig;
use aws_sdk_cloudcontrol::config::{
    BehaviorVersion, Config, IdentityCache, Region, StalledStreamProtectionConfig,
};
use hangar_provider::Place;

use crate::caller::Signature;
use crate::options::Timeouts;
use crate::transport::Transport;

/// So many clients are kept; one is quickly made anew, and holds no connection.
const MAX_CLIENTS: usize = 1024;

/// Makes clients and keeps them.
#[derive(Debug)]
pub(crate) struct Clients {
    timeouts: Timeouts,
    transport: Transport,
    kept: Mutex<HashMap<Place, (Arc<Signature>, Client)>>,
}

impl Clients {
    pub(crate) fn new(timeouts: Timeouts, transport: Transport) -> Self {
        Self { timeouts, transport, kept: Mutex::default() }
    }

    /// The client for a place, which signs with just that credential. The endpoint URL is the same in
    /// every call; without one it is AWS's own.
    pub(crate) fn get(
        &self,
        place: &Place,
        signature: Arc<Signature>,
        endpoint_url: Option<&str>,
    ) -> Client {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, client)) = kept.get(place)
            && of.credentials == signature.credentials
        {
            return client.clone();
        }
        if kept.len() >= MAX_CLIENTS {
            kept.clear();
        }
        let client = self.make(place, &signature, endpoint_url);
        kept.insert(place.clone(), (signature, client.clone()));
        client
    }

    fn make(&self, place: &Place, signature: &Signature, endpoint_url: Option<&str>) -> Client {
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(self.timeouts.connect)
            .operation_timeout(self.timeouts.operation)
            .build();
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(place.region.as_str().to_owned()))
            .credentials_provider(signature.credentials.clone())
            // The caller keeps credentials; a client has one, and never another.
            .identity_cache(IdentityCache::no_cache())
            .http_client(self.transport.http_client())
            .time_source(self.transport.clock().clone())
            // Every call is counted, and whether it is repeated is decided by the engine.
            .retry_config(RetryConfig::disabled())
            .timeout_config(timeouts)
            // Bodies are small, and the deadline is for the whole call.
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled());
        let config = match endpoint_url {
            Some(url) => config.endpoint_url(url),
            None => config,
        };
        Client::from_conf(config.build())
    }
}

#[cfg(test)]
mod tests {
    use aws_credential_types::Credentials;

    use super::*;
    use crate::options::{Endpoint, Options};

    #[test]
    fn clients_are_kept_up_to_a_bound_and_made_anew_for_another_credential() {
        let endpoint = Endpoint::Custom("http://127.0.0.1:1".parse().unwrap());
        let options = Options { endpoint, ..Options::default() };
        let clients = Clients::new(options.timeouts, Transport::new(&options));
        let count = || clients.kept.lock().unwrap().len();
        let signature = |key: &str| {
            let credentials = Credentials::new(key, "secret", None, None, "test");
            Arc::new(Signature { credentials })
        };
        let place = |account: String| Place {
            plane: "aws".to_owned(),
            account: account.parse().unwrap(),
            region: "us-east-1".parse().unwrap(),
        };
        clients.get(&place("1".to_owned()), signature("a"), None);
        clients.get(&place("1".to_owned()), signature("a"), None);
        clients.get(&place("1".to_owned()), signature("b"), None);
        assert_eq!(count(), 1);
        let key =
            |of: &Place| clients.kept.lock().unwrap()[of].0.credentials.access_key_id().to_owned();
        assert_eq!(key(&place("1".to_owned())), "b");
        for account in 0..=MAX_CLIENTS {
            clients.get(&place(account.to_string()), signature("a"), None);
        }
        assert!(count() <= MAX_CLIENTS);
    }
}
