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

use crate::dispatch::Crowded;
use crate::doors::{Doors, Ticket, TicketKind};
use crate::limits::Limits;
use crate::patience::{Impatient, Patience};
use crate::settings::{ServeError, Settings};
use crate::shared::Shared;
use crate::shell::respond;

/// How long running requests get at the end.
const GRACE: Duration = Duration::from_secs(5);

/// The line and the headers of a request together are no longer (431).
const HEAD_BYTES: usize = 32 << 10;

/// As much of a connection is kept in memory, each way; an answer that is longer is kept once.
const BUFFER_BYTES: usize = 64 << 10;

/// How soon a connection that there is no place for must say what it wants.
const STANDING_HEAD: Duration = Duration::from_secs(1);

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
    serve_with(settings, Patience::default(), Limits::of_process(), engine)
}

/// Starts a server that waits for its callers as long, and takes on as much, as it is told. Must be
/// called within a tokio runtime.
pub fn serve_with(
    settings: Settings,
    patience: Patience,
    limits: Limits,
    engine: Engine,
) -> Result<Serving, ServeError> {
    let (stop, stopped) = watch::channel(false);
    let (shared, listener, address) =
        Shared::new(settings, patience, limits, engine, stopped.clone())?;
    let doors = Doors::new(limits.connections);
    let accepting = tokio::spawn(accept(listener, doors, router(shared), patience, stopped));
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
    doors: Doors,
    router: Router,
    patience: Patience,
    mut stopped: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            let ticket = doors.ticket().await;
            listener.accept().await.map(|(stream, _)| (ticket, stream))
        };
        tokio::select! {
            accepted = next => match accepted {
                Ok((ticket, stream)) => {
                    let (router, stopped) = (router.clone(), stopped.clone());
                    connections.spawn(connection(ticket, stream, router, patience, stopped));
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
    ticket: Ticket,
    stream: TcpStream,
    router: Router,
    patience: Patience,
    mut stopped: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let is_served = ticket.kind == TicketKind::Seat;
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        if !is_served {
            request.extensions_mut().insert(Crowded);
        }
        router.clone().oneshot(request)
    });
    let head = if is_served { patience.head } else { patience.head.min(STANDING_HEAD) };
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_header_size(HEAD_BYTES)
        .max_buf_size(BUFFER_BYTES)
        .keep_alive(is_served)
        .serve_connection(TokioIo::new(Impatient::new(stream, patience.answer)), service);
    tokio::pin!(connection);
    tokio::select! {
        // A caller that goes away is no concern of ours.
        _ = connection.as_mut() => return,
        _ = stopped.changed() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
