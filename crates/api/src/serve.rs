//! The server itself: accepts connections, and lets running requests end when it stops.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hangar_engine::Engine;
use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tower::ServiceExt as _;

use crate::patience::{Impatient, Patience};
use crate::settings::{ServeError, Settings};
use crate::shared::Shared;
use crate::shell::respond;

/// How long running requests get at the end.
const GRACE: Duration = Duration::from_secs(5);

/// The line and the headers of a request together are no longer (431).
const HEAD_BYTES: usize = 32 << 10;

/// A server that runs; dropping it stops it too, without waiting.
#[derive(Debug)]
pub struct Serving {
    /// Where it listens.
    pub address: SocketAddr,
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

impl Serving {
    /// Takes no new connection, lets running requests end for up to 5 seconds, and ends.
    pub async fn stop(self) {
        // Both fail only where it has ended already.
        let _ = self.stop.send(true);
        let _ = self.accepting.await;
    }
}

/// Starts a server. Must be called within a tokio runtime.
pub fn serve(settings: Settings, engine: Engine) -> Result<Serving, ServeError> {
    serve_with(settings, Patience::default(), engine)
}

/// Starts a server that waits for its callers as long as it is told. Must be called within a tokio
/// runtime.
pub fn serve_with(
    settings: Settings,
    patience: Patience,
    engine: Engine,
) -> Result<Serving, ServeError> {
    let (shared, listener, address) = Shared::new(settings, patience, engine)?;
    let (stop, stopped) = watch::channel(false);
    let accepting = tokio::spawn(accept(listener, router(shared), patience, stopped));
    Ok(Serving { address, stop, accepting })
}

/// One route for all: what a path means is decided by `route`, which can be tested without a server.
fn router(shared: Shared) -> Router {
    let shared = Arc::new(shared);
    Router::new().fallback(move |request: Request<Body>| {
        let shared = Arc::clone(&shared);
        async move { respond(&shared, request).await }
    })
}

async fn accept(
    listener: TcpListener,
    router: Router,
    patience: Patience,
    mut stopped: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, router.clone(), patience, stopped.clone()));
                }
                // No more descriptors: those that are open will free some.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            },
            _ = stopped.changed() => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
    drop(listener);
    let all = async { while connections.join_next().await.is_some() {} };
    // What is left after that is ended with the set.
    let _ = tokio::time::timeout(GRACE, all).await;
}

async fn connection(
    stream: TcpStream,
    router: Router,
    patience: Patience,
    mut stopped: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: Request<Incoming>| {
        router.clone().oneshot(request.map(Body::new))
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .max_header_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(Impatient::new(stream, patience.answer)), service);
    tokio::pin!(connection);
    tokio::select! {
        // A caller that goes away is no concern of ours.
        _ = connection.as_mut() => return,
        _ = stopped.changed() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
