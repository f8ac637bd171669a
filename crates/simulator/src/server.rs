//! The shell: a socket, the clock, the state file. It decides nothing.
//!
//! One lock holds the world and its file, and no one else's answer is awaited under it: a call is
//! decided, what it changed is written, and only then is it answered.

mod aws;

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hangar_schema::Catalog;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::admin;
use crate::core::fault::Fault;
use crate::core::random::Random;
use crate::core::settings::Settings;
use crate::core::state::Change;
use crate::core::time::Timestamp;
use crate::core::world::World;
use crate::journal::{Journal, JournalError};
use crate::wire::query::TypeIndex;

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
    shared: Arc<Shared>,
}

impl Running {
    /// What an unfinished write left at the end of the state file, in bytes; it was taken off.
    pub fn dropped(&self) -> u64 {
        self.shared.guarded().journal.as_ref().map_or(0, Journal::dropped)
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
        let mut guarded = self.shared.guarded();
        let Guarded { world, journal, unwritten } = &mut *guarded;
        let Some(journal) = journal else { return Ok(()) };
        journal.append(unwritten)?;
        unwritten.clear();
        if journal.is_mostly_past(world.state()) {
            let _ = journal.rewrite(world.state());
        }
        journal.sync()
    }
}

struct Guarded {
    world: World,
    journal: Option<Journal>,
    /// Changes that could not be written yet, because the disk is full or worse.
    unwritten: Vec<Change>,
}

struct Shared {
    guarded: Mutex<Guarded>,
    index: TypeIndex,
    signatures: Signatures,
    exposure: Exposure,
    seed: u64,
    requests: AtomicU64,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Shared {
    fn guarded(&self) -> MutexGuard<'_, Guarded> {
        self.guarded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An id for an answer, as AWS gives each one.
    fn request_id(&self) -> String {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        Random::new(self.seed, &["answer", &number.to_string()]).uuid()
    }
}

impl Guarded {
    /// Does something to the world and keeps what it changed. What cannot be kept is tried again
    /// before anything else is done: nothing is shown or decided that a crash could take back.
    fn perform<T>(&mut self, deed: impl FnOnce(&mut World, Timestamp) -> T) -> Result<T, String> {
        self.keep()?;
        let result = deed(&mut self.world, wall());
        let changes = self.world.take_changes();
        if self.journal.is_some() {
            self.unwritten = changes;
            self.keep()?;
        }
        Ok(result)
    }

    fn keep(&mut self) -> Result<(), String> {
        let Some(journal) = self.journal.as_mut().filter(|_| !self.unwritten.is_empty()) else {
            return Ok(());
        };
        journal.append(&self.unwritten).map_err(|error| {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            let source = source.unwrap_or_default();
            format!("{error}: {source}; nothing is answered until it can be, each call tries again")
        })?;
        self.unwritten.clear();
        if journal.wants_rewrite() {
            // The old file is as good; only longer.
            let _ = journal.rewrite(self.world.state());
        }
        Ok(())
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
    let mut guarded = Guarded { world, journal, unwritten: Vec::new() };
    let (faults, seed) = (options.faults, guarded.world.settings().seed);
    // A state that cannot be written is told by the first call that needs it.
    let _ = guarded.perform(|world, _| {
        for fault in faults {
            // One that was kept from the last run with the same flags is not armed twice.
            let is_armed = world.state().faults.iter().any(|armed| armed.is_like(&fault));
            if !is_armed {
                world.arm(fault);
            }
        }
    });
    let shared = Arc::new(Shared {
        guarded: Mutex::new(guarded),
        index: TypeIndex::new(catalog),
        signatures: options.signatures,
        exposure: options.exposure,
        seed,
        requests: AtomicU64::new(0),
    });
    let (stop, stopped) = watch::channel(false);
    let accepting = tokio::spawn(accept(listener, Arc::clone(&shared), stopped));
    Ok(Running { address, stop, accepting, shared })
}

fn is_loopback(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_loopback(),
        IpAddr::V6(ip) => {
            ip.is_loopback() || ip.to_ipv4_mapped().is_some_and(|it| it.is_loopback())
        }
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let (shared, stopped) = (Arc::clone(&shared), stopped.clone());
                    connections.spawn(connection(stream, shared, stopped));
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

async fn connection(stream: TcpStream, shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move { serve(&shared, request).await }
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

/// The connection is to end without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the reply is dropped on order")]
struct Dropped;

type Reply = Response<Full<Bytes>>;

async fn serve(shared: &Shared, request: Request<Incoming>) -> Result<Reply, Dropped> {
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
    let path = head.uri.path();
    let below = path.strip_prefix(admin::PREFIX).filter(|it| it.is_empty() || it.starts_with('/'));
    match below {
        Some(below) => Ok(control(shared, &head, below, &body)),
        None => aws::serve(shared, &head, &body).await,
    }
}

/// The control API. A page of some web site must not reach it through a browser.
fn control(shared: &Shared, head: &hyper::http::request::Parts, below: &str, body: &[u8]) -> Reply {
    let is_named_locally = shared.exposure == Exposure::Anyone || has_local_host(head);
    if head.headers.contains_key(hyper::header::ORIGIN) || !is_named_locally {
        let document = serde_json::json!({"error": {"message": "not for web pages"}});
        return json_reply(403, &document.to_string());
    }
    let Some(query) = aws::parameters(head.uri.query().unwrap_or_default()) else {
        let document = serde_json::json!({"error": {"message": "the query cannot be decoded"}});
        return json_reply(400, &document.to_string());
    };
    let request = admin::Request {
        // What HEAD asks is what GET answers, without its body.
        method: if head.method == hyper::Method::HEAD { "GET" } else { head.method.as_str() },
        path: below.trim_start_matches('/'),
        query: &query,
        body,
    };
    let answered = shared.guarded().perform(|world, wall| admin::answer(world, &request, wall));
    match answered {
        Ok(answer) => json_reply(answer.status, &format!("{:#}\n", answer.body)),
        Err(why) => {
            let document = serde_json::json!({"error": {"message": why}});
            json_reply(500, &document.to_string())
        }
    }
}

/// Whether the caller means this machine by its address or as `localhost`: a page whose name was
/// made to lead here does not.
fn has_local_host(head: &hyper::http::request::Parts) -> bool {
    let host = head.headers.get(hyper::header::HOST).and_then(|host| host.to_str().ok());
    let Some(host) = host else { return true };
    let name = host.rsplit_once(':').map_or(host, |(name, port)| {
        if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host }
    });
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
}

fn too_large() -> Reply {
    let document = serde_json::json!({
        "__type": "com.amazon.coral.service#RequestEntityTooLargeException",
        "Message": format!("the body is longer than {MAX_BODY} bytes"),
    });
    json_reply(413, &document.to_string())
}

fn json_reply(status: u16, body: &str) -> Reply {
    reply(status, "application/json", body.to_owned())
}

fn reply(status: u16, content_type: &'static str, body: String) -> Reply {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
