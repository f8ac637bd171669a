//! What every request is answered with: made once, when the server starts.

use std::net::SocketAddr;

use hangar_engine::Engine;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::access::{Reads, Writes};
use crate::admission::Admission;
use crate::guard::Guard;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::patience::Patience;
use crate::seal::Seal;
use crate::settings::{self, ServeError, Settings};
use crate::urls::Urls;

/// What every request is answered with.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) reads: Reads,
    pub(crate) writes: Writes,
    pub(crate) urls: Urls,
    pub(crate) seal: Seal,
    pub(crate) guard: Guard,
    pub(crate) admission: Admission,
    /// Becomes true when the server stops: what goes on for ever ends then.
    pub(crate) stopping: watch::Receiver<bool>,
    pub(crate) metrics: Metrics,
    pub(crate) patience: Patience,
    pub(crate) base_path: String,
    pub(crate) instance: String,
    pub(crate) version: String,
}

impl Shared {
    /// Takes the settings apart; the listener is for the one who accepts.
    pub(crate) fn new(
        settings: Settings,
        patience: Patience,
        limits: Limits,
        engine: Engine,
        stopping: watch::Receiver<bool>,
    ) -> Result<(Self, TcpListener, SocketAddr), ServeError> {
        let address = settings.listener.local_addr().map_err(ServeError::Address)?;
        let base_path = settings::base_path(&settings.base_path)?;
        let urls = Urls::new(settings.public_url.as_deref(), &base_path, address)?;
        let shared = Self {
            guard: Guard::new(settings.token.as_deref(), &urls, address.port()),
            reads: Reads::new(engine.clone()),
            writes: Writes::new(engine),
            admission: Admission::new(limits),
            stopping,
            urls,
            seal: Seal::new(settings.keys),
            metrics: Metrics::new(settings.registry),
            patience,
            base_path,
            instance: settings.instance,
            version: settings.version,
        };
        Ok((shared, settings.listener, address))
    }
}
