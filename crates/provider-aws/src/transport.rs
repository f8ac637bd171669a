//! The one HTTP client: connections kept alive, TLS by ring, every request watched on its way.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aws_smithy_http_client::proxy::ProxyConfig;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use aws_smithy_http_client::{Connector, ConnectorBuilder};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;

use crate::delivery::Delivery;
use crate::options::{Endpoint, Timeouts};

/// A connection that nobody used for so long is closed by us: one that the far side closes first
/// can swallow a write.
const IDLE_FOR: Duration = Duration::from_secs(20);

/// Gives the same connections to the SDK's clients and to our own.
#[derive(Debug, Clone)]
pub(crate) struct Transport(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    route: Route,
    connect_within: Duration,
    connector: OnceLock<SharedHttpConnector>,
}

/// How the endpoint is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    /// Without TLS, and past any proxy: the endpoint is next door.
    Plain,
    /// With TLS, past any proxy.
    Encrypted,
    /// With TLS, and through the proxy that the environment names.
    Internet,
}

impl Transport {
    /// Nothing is loaded or opened before the first call.
    pub(crate) fn new(endpoint: &Endpoint, timeouts: &Timeouts) -> Self {
        let route = match endpoint {
            Endpoint::Real => Route::Internet,
            Endpoint::Custom(url) if url.is_encrypted() => Route::Encrypted,
            Endpoint::Custom(_) => Route::Plain,
        };
        let connector = OnceLock::new();
        Self(Arc::new(Inner { route, connect_within: timeouts.connect, connector }))
    }

    pub(crate) fn connector(&self) -> SharedHttpConnector {
        self.0.connector.get_or_init(|| SharedHttpConnector::new(self.0.connect())).clone()
    }

    /// The same for the SDK; its own settings of timeouts are ours already.
    pub(crate) fn http_client(&self) -> SharedHttpClient {
        let transport = self.clone();
        http_client_fn(move |_, _| transport.connector())
    }
}

impl Inner {
    fn connect(&self) -> Watched {
        let settings =
            HttpConnectorSettings::builder().connect_timeout(self.connect_within).build();
        let builder: ConnectorBuilder = Connector::builder();
        let builder = builder.connector_settings(settings).pool_idle_timeout(IDLE_FOR);
        let ring = Provider::Rustls(CryptoMode::Ring);
        Watched(match self.route {
            Route::Plain => builder.proxy_config(ProxyConfig::disabled()).build_http(),
            Route::Encrypted => {
                builder.proxy_config(ProxyConfig::disabled()).tls_provider(ring).build()
            }
            Route::Internet => {
                builder.proxy_config(ProxyConfig::from_env()).tls_provider(ring).build()
            }
        })
    }
}

/// A connector that lets each request's [`Delivery`] know of its connection.
#[derive(Debug)]
struct Watched(Connector);

impl HttpConnector for Watched {
    fn call(&self, mut request: HttpRequest) -> HttpConnectorFuture {
        Delivery::watch(&mut request);
        self.0.call(request)
    }
}
