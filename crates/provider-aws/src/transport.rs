//! The one HTTP client: connections kept alive, TLS by ring, every request watched on its way.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aws_smithy_http_client::proxy::ProxyConfig;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_http_client::{Connector, ConnectorBuilder};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;

use crate::ca_bundle::CaBundle;
use crate::clock::Clock;
use crate::delivery::Delivery;
use crate::far_side::{FarSide, Within};
use crate::options::{Endpoint, EndpointUrl, Options, Timeouts};

/// A connection that nobody used for so long is closed by us: one that the far side closes first
/// can swallow a write.
const IDLE_FOR: Duration = Duration::from_secs(20);

/// Gives the same connections to the SDK's clients and to our own.
#[derive(Debug, Clone)]
pub(crate) struct Transport(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    route: Route,
    ca_bundle: Option<CaBundle>,
    clock: Clock,
    connect_within: Duration,
    connector: OnceLock<SharedHttpConnector>,
}

/// How the endpoint is reached.
#[derive(Debug)]
enum Route {
    /// Without TLS, and past any proxy: the endpoint is next door.
    Plain,
    /// With TLS where the URL says so, past any proxy.
    Encrypted,
    /// With TLS, and through the proxy that the environment names.
    Internet,
    /// By nothing at all: it is in this process.
    Within(Arc<dyn FarSide>),
}

impl Transport {
    /// Nothing is loaded or opened before the first call.
    pub(crate) fn new(options: &Options) -> Self {
        let route = match &options.endpoint {
            Endpoint::Real => Route::Internet,
            Endpoint::Custom(url)
                if url.is_encrypted()
                    || options.service_urls.all().any(EndpointUrl::is_encrypted) =>
            {
                Route::Encrypted
            }
            Endpoint::Custom(_) => Route::Plain,
        };
        Self::by(route, options.ca_bundle.clone(), Clock::default(), &options.timeouts)
    }

    /// As to AWS, wherever the endpoint is: what the machine's credentials are fetched with.
    pub(crate) fn internet(options: &Options) -> Self {
        let (bundle, clock) = (options.ca_bundle.clone(), Clock::default());
        Self::by(Route::Internet, bundle, clock, &options.timeouts)
    }

    /// Nothing leaves the process, and the time is the far side's.
    pub(crate) fn within(far_side: Arc<dyn FarSide>, timeouts: &Timeouts) -> Self {
        let clock = Arc::clone(&far_side);
        let clock = Clock::from_fn(move || clock.now());
        Self::by(Route::Within(far_side), None, clock, timeouts)
    }

    fn by(route: Route, ca_bundle: Option<CaBundle>, clock: Clock, timeouts: &Timeouts) -> Self {
        let (connect_within, connector) = (timeouts.connect, OnceLock::new());
        Self(Arc::new(Inner { route, ca_bundle, clock, connect_within, connector }))
    }

    /// The time on this side.
    pub(crate) fn clock(&self) -> &Clock {
        &self.0.clock
    }

    pub(crate) fn connector(&self) -> SharedHttpConnector {
        self.0.connector.get_or_init(|| self.0.connect()).clone()
    }

    /// The same for the SDK; its own settings of timeouts are ours already.
    pub(crate) fn http_client(&self) -> SharedHttpClient {
        let transport = self.clone();
        http_client_fn(move |_, _| transport.connector())
    }
}

impl Inner {
    fn connect(&self) -> SharedHttpConnector {
        let settings =
            HttpConnectorSettings::builder().connect_timeout(self.connect_within).build();
        let builder: ConnectorBuilder = Connector::builder();
        let builder = builder.connector_settings(settings).pool_idle_timeout(IDLE_FOR);
        let ring = Provider::Rustls(CryptoMode::Ring);
        let connector = match &self.route {
            Route::Plain => builder.proxy_config(ProxyConfig::disabled()).build_http(),
            Route::Encrypted => {
                let builder = builder.proxy_config(ProxyConfig::disabled()).tls_provider(ring);
                builder.tls_context(self.trust()).build()
            }
            Route::Internet => {
                let builder = builder.proxy_config(ProxyConfig::from_env()).tls_provider(ring);
                builder.tls_context(self.trust()).build()
            }
            Route::Within(far_side) => {
                return SharedHttpConnector::new(Watched(Within(Arc::clone(far_side))));
            }
        };
        SharedHttpConnector::new(Watched(connector))
    }

    /// Whom TLS trusts: the system's certificate authorities and those of the bundle.
    fn trust(&self) -> TlsContext {
        let Some(bundle) = &self.ca_bundle else { return TlsContext::default() };
        let store = TrustStore::default().with_pem_certificate(bundle.pem());
        TlsContext::builder().with_trust_store(store).build().unwrap_or_default()
    }
}

/// A connector that lets each request's [`Delivery`] know of its connection.
#[derive(Debug)]
struct Watched<C>(C);

impl<C: HttpConnector> HttpConnector for Watched<C> {
    fn call(&self, mut request: HttpRequest) -> HttpConnectorFuture {
        Delivery::watch(&mut request);
        self.0.call(request)
    }
}
