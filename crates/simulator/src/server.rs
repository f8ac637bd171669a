//! The shell: a socket, the clock, the state file. It decides nothing.
//!
//! What answers a request is [`Front`], which a caller in the same process can have without the rest.

mod aws;
mod front;
mod kept;

pub use front::{Dropped, Front, Reply, Wall};

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hangar_schema::Catalog;
use http_body_util::{BodyExt, Full, Limited};
use hyper::Request;
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::core::fault::Fault;
use crate::core::settings::Settings;
use crate::core::time::Timestamp;
use crate::core::world::World;
use crate::journal::{Journal, JournalError};
use front::json_reply;
use kept::Kept;

/// A body may be this long: a document of 256 Ki characters, escaped twice.
const MAX_BODY: usize = 4 << 20;

/// How long a caller may take to send a body.
const BODY_WITHIN: Duration = Duration::from_secs(30);

/// How long open connections get at the end.
const GRACE: Duration = Duration::from_secs(2);

/// How to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Whether others than this machine may call.
    pub exposure: Exposure,
    /// Where the state is kept; in memory only where none is given.
    pub state: Option<PathBuf>,
    /// How it behaves.
    pub settings: Settings,
    /// Whether signatures are checked.
    pub signatures: Signatures,
    /// Faults that are armed from the start.
    pub faults: Vec<Fault>,
}

/// Who may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exposure {
    /// This machine only.
    Loopback,
    /// Whoever reaches the address.
    Anyone,
}

/// Whether signatures are checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signatures {
    /// They are read for the account and the region only.
    Read,
    /// They must be right for the secret of their access key; where no key is listed, any key
    /// with [`DEFAULT_SECRET`].
    Verified(HashMap<String, String>),
}

/// The secret of every access key where none is listed.
pub const DEFAULT_SECRET: &str = "simulator";

/// Why it does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address can be reached from elsewhere, and nobody said that it may.
    #[error("{listen} can be reached from other machines")]
    NotLoopback {
        /// The address.
        listen: SocketAddr,
    },
    /// The address cannot be taken.
    #[error("cannot listen on {listen}")]
    Listen {
        /// The address.
        listen: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The state cannot be used.
    #[error(transparent)]
    State(#[from] JournalError),
}

/// A simulator that runs.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    accepting: JoinHandle<()>,
    front: Arc<Front>,
}

impl Running {
    /// What an unfinished write left at the end of the state file, in bytes; it was taken off.
    pub fn dropped(&self) -> u64 {
        self.front.kept().dropped()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What clients are given as endpoint.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Ends it: no new connection, open calls are answered, the state is brought to disk.
    pub async fn stop(self) -> Result<(), JournalError> {
        let _ = self.stop.send(true);
        let _ = self.accepting.await;
        self.front.kept().finish()
    }
}

fn wall() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Starts a simulator; it serves until it is stopped or dropped with its runtime.
pub async fn start(options: Options) -> Result<Running, StartError> {
    let listen = options.listen;
    if options.exposure == Exposure::Loopback && !is_loopback(listen.ip()) {
        return Err(StartError::NotLoopback { listen });
    }
    // The address first: where that fails no state file is made.
    let listener =
        TcpListener::bind(listen).await.map_err(|source| StartError::Listen { listen, source })?;
    let address = listener.local_addr().map_err(|source| StartError::Listen { listen, source })?;
    let catalog = Catalog::bundled();
    let (journal, state) = match &options.state {
        Some(path) => {
            let (journal, state) = Journal::open(path)?;
            (Some(journal), state)
        }
        None => (None, crate::core::state::State::default()),
    };
    let world = World::restored(catalog, options.settings, state);
    let kept = Kept::new(world, journal);
    let front = Arc::new(Front::new(kept, options.signatures, options.exposure, Arc::new(wall)));
    // A state that cannot be written is told by the first call that needs it.
    let _ = front.perform(|world, _| {
        for fault in options.faults {
            // One that was kept from the last run with the same flags is not armed twice.
            let is_armed = world.state().faults.iter().any(|armed| armed.is_like(&fault));
            if !is_armed {
                world.arm(fault);
            }
        }
    });
    let (stop, stopped) = watch::channel(false);
    let accepting = tokio::spawn(accept(listener, Arc::clone(&front), stopped));
    Ok(Running { address, stop, accepting, front })
}

fn is_loopback(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_loopback(),
        IpAddr::V6(ip) => {
            ip.is_loopback() || ip.to_ipv4_mapped().is_some_and(|it| it.is_loopback())
        }
    }
}

async fn accept(listener: TcpListener, front: Arc<Front>, mut stopped: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let (front, stopped) = (Arc::clone(&front), stopped.clone());
                    connections.spawn(connection(stream, front, stopped));
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
    let _ = tokio::time::timeout(GRACE, all).await;
}

async fn connection(stream: TcpStream, front: Arc<Front>, mut stopped: watch::Receiver<bool>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let front = Arc::clone(&front);
        async move {
            let answered = serve(&front, request).await;
            answered.map(|reply| reply.map(|body| Full::new(Bytes::from(body))))
        }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        // A caller that goes away, or whose reply is dropped, is no concern of ours.
        _ = connection.as_mut() => return,
        _ = stopped.changed() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

async fn serve(front: &Front, request: Request<Incoming>) -> Result<Reply, Dropped> {
    let (head, body) = request.into_parts();
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Ok(too_large());
    }
    let collected = tokio::time::timeout(BODY_WITHIN, Limited::new(body, MAX_BODY).collect());
    let Ok(collected) = collected.await else {
        return Ok(json_reply(
            408,
            r#"{"__type":"com.amazon.coral.service#RequestTimeoutException"}"#,
        ));
    };
    let body = match collected {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            return Ok(too_large());
        }
        // The caller went away in the middle of its request.
        Err(_) => return Err(Dropped),
    };
    front.answer(&head, &body).await
}

fn too_large() -> Reply {
    let document = serde_json::json!({
        "__type": "com.amazon.coral.service#RequestEntityTooLargeException",
        "Message": format!("the body is longer than {MAX_BODY} bytes"),
    });
    json_reply(413, &document.to_string())
}
