//! A whole control plane in this process, and a client that hides nothing of the wire. It is one server on
//! SQLite, or, where `HANGAR_TEST_STORE` is `postgres`, two replicas that get the requests in turn.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use hangar_api::{DEFAULT_BASE_PATH, Limits, Patience, Serving, Settings, serve_with};
use hangar_engine::{Config, Engine, StoredCredentials};
use hangar_plan::Timestamp;
use hangar_provider_aws::{AwsProvider, Endpoint, Options, Timeouts};
use hangar_simulator::core::settings::Settings as Simulated;
use hangar_simulator::server::{self, Exposure, Running, Signatures};
use hangar_store::Store;
use hangar_store::clock::Clock;
use hangar_store::keys::Keys;
use hangar_store::postgres::cluster::Cluster;
use hangar_store::postgres::{self, Postgres};
use hangar_store::sqlite::{self, Sqlite};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use prometheus_client::registry::Registry;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

pub(crate) const TOKEN: &str = "a-token-of-tests";
pub(crate) const VERSION: &str = "api-version=2023-10-01-preview";
pub(crate) const GROUP: &str = "/planes/radius/local/resourceGroups/Team";
pub(crate) const SCOPE: &str = "/planes/aws/aws/accounts/42/regions/eu-central-1";

const DATABASE: &str = "hangar.db";

pub(crate) struct Server {
    pub(crate) serving: Serving,
    pub(crate) engine: Engine,
    pub(crate) simulator: Running,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<Keys>,
    peer: Option<Peer>,
    /// How many requests were sent.
    sent: AtomicUsize,
    database: Database,
    /// How far the store's clock is ahead of the wall's, in microseconds.
    ahead: Arc<AtomicI64>,
}

/// How many servers there are.
enum Count {
    /// What is tried is one server's own.
    One,
    /// Two where the store takes two.
    AsTheStoreHas,
}

/// The other replica.
struct Peer {
    serving: Serving,
    /// It works on operations too.
    _engine: Engine,
}

/// Where the store is.
enum Database {
    Sqlite(tempfile::TempDir),
    Postgres(String),
}

/// An answer as it came.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The error's code, after checking that it came with this status.
    pub(crate) fn refused(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:#?}");
        self.json()["error"]["code"].as_str().unwrap().to_owned()
    }

    /// The body, after checking that it came with this status.
    pub(crate) fn ok(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:#?}");
        if self.text.is_empty() { Value::Null } else { self.json() }
    }
}

impl Server {
    /// One with a group, whose AWS answers at once.
    pub(crate) async fn start() -> Self {
        Self::start_with(Simulated { latency: "0..0".parse().unwrap(), ..Simulated::default() })
            .await
    }

    /// One whose writes take longer than any test.
    pub(crate) async fn start_slow() -> Self {
        Self::start_with(Simulated { latency: "1h..1h".parse().unwrap(), ..Simulated::default() })
            .await
    }

    /// One that waits for its callers no longer than this.
    pub(crate) async fn start_impatient(patience: Patience) -> Self {
        let settings = Simulated { latency: "0..0".parse().unwrap(), ..Simulated::default() };
        Self::start_all(settings, patience, Limits::default(), Count::One).await
    }

    /// One without another beside it, whatever the store.
    pub(crate) async fn start_alone() -> Self {
        let settings = Simulated { latency: "0..0".parse().unwrap(), ..Simulated::default() };
        Self::start_all(settings, Patience::default(), Limits::default(), Count::One).await
    }

    /// One that takes on no more than this at once, and whose writes take longer than any test.
    pub(crate) async fn start_small(limits: Limits) -> Self {
        let settings = Simulated { latency: "1h..1h".parse().unwrap(), ..Simulated::default() };
        Self::start_all(settings, Patience::default(), limits, Count::One).await
    }

    pub(crate) async fn start_with(settings: Simulated) -> Self {
        Self::start_all(settings, Patience::default(), Limits::default(), Count::AsTheStoreHas)
            .await
    }

    async fn start_all(
        settings: Simulated,
        patience: Patience,
        limits: Limits,
        count: Count,
    ) -> Self {
        let simulator = server::start(server::Options {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            exposure: Exposure::Loopback,
            state: None,
            settings,
            signatures: Signatures::Verified(std::collections::HashMap::new()),
            faults: Vec::new(),
        })
        .await
        .unwrap();
        let ahead = Arc::new(AtomicI64::new(0));
        let database = Database::make().await;
        let keys = Arc::new(Keys::generate());
        let store = database.open(&ahead).await;
        let (serving, engine) = serve_on(&store, &keys, &simulator, patience, limits, SHUT).await;
        let public_url = format!("http://{}", serving.address);
        let peer = match (&database, count) {
            (Database::Sqlite(_), _) | (_, Count::One) => None,
            (Database::Postgres(_), Count::AsTheStoreHas) => {
                let store = database.open(&ahead).await;
                let door = Door { public_url: Some(public_url), ..SHUT };
                let (serving, engine) =
                    serve_on(&store, &keys, &simulator, patience, limits, door).await;
                Some(Peer { serving, _engine: engine })
            }
        };
        let sent = AtomicUsize::new(0);
        let server = Self { serving, engine, simulator, store, keys, peer, sent, database, ahead };
        let scope = json!({"properties": {"providers": {"aws": {"scope": SCOPE}}}});
        server.put(&format!("{GROUP}?{VERSION}"), scope).await.ok(201);
        server
    }

    /// Another server with workers of its own, on the same store.
    pub(crate) async fn beside(&self) -> (Serving, Engine) {
        let (patience, limits) = (Patience::default(), Limits::default());
        serve_on(&self.store, &self.keys, &self.simulator, patience, limits, SHUT).await
    }

    /// Another server on the same store, which asks nobody for a token.
    pub(crate) async fn open_beside(&self) -> (Serving, Engine) {
        let (patience, limits) = (Patience::default(), Limits::default());
        let door = Door { token: None, ..SHUT };
        serve_on(&self.store, &self.keys, &self.simulator, patience, limits, door).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}{DEFAULT_BASE_PATH}", self.serving.address)
    }

    /// A request with all that it needs, to be changed before it is sent.
    pub(crate) fn request(&self, method: &str, path: &str, body: &Value) -> Request<Full<Bytes>> {
        let bytes = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        Request::builder()
            .method(Method::from_bytes(method.as_bytes()).unwrap())
            .uri(format!("{DEFAULT_BASE_PATH}{path}"))
            .header("host", self.serving.address.to_string())
            .header("authorization", format!("Bearer {TOKEN}"))
            .header("content-type", "application/json")
            .body(Full::new(bytes))
            .unwrap()
    }

    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Reply {
        let turn = self.sent.fetch_add(1, Ordering::Relaxed);
        let peer = self.peer.as_ref().filter(|_| !turn.is_multiple_of(2));
        exchange(peer.map_or(self.serving.address, |peer| peer.serving.address), request).await
    }

    pub(crate) async fn call(&self, method: &str, path: &str, body: Value) -> Reply {
        self.send(self.request(method, path, &body)).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.call("GET", path, Value::Null).await
    }

    /// Follows an absolute URL that the server gave out.
    pub(crate) async fn follow(&self, url: &str) -> Reply {
        let path = url.strip_prefix(&self.url()).unwrap_or_else(|| panic!("{url} is not ours"));
        self.get(path).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Reply {
        self.call("PUT", path, body).await
    }

    /// Sends text as it is.
    pub(crate) async fn put_text(&self, method: &str, path: &str, text: &str) -> Reply {
        let (parts, _) = self.request(method, path, &Value::Null).into_parts();
        let body = Full::new(Bytes::from(text.to_owned()));
        self.send(Request::from_parts(parts, body)).await
    }

    /// All bytes that the store's files hold; nothing on PostgreSQL, which keeps them elsewhere.
    pub(crate) fn stored_bytes(&self) -> Vec<u8> {
        let Database::Sqlite(directory) = &self.database else { return Vec::new() };
        let files = std::fs::read_dir(directory.path()).unwrap().map(|it| it.unwrap().path());
        files.filter(|path| path.is_file()).flat_map(|path| std::fs::read(path).unwrap()).collect()
    }

    /// Sends with more headers.
    pub(crate) async fn call_with(
        &self,
        method: &str,
        path: &str,
        body: Value,
        headers: &[(&'static str, &str)],
    ) -> Reply {
        let mut request = self.request(method, path, &body);
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        self.send(request).await
    }

    /// A call of the simulator's control API.
    pub(crate) async fn control(&self, method: &str, path: &str, body: Value) -> Value {
        let bytes = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let address = self.simulator.address();
        let request = Request::builder()
            .method(method)
            .uri(format!("/_simulator/{path}"))
            .header("host", address.to_string())
            .header("content-type", "application/json")
            .body(Full::new(bytes))
            .unwrap();
        let reply = exchange(address, request).await;
        assert!(StatusCode::from_u16(reply.status).unwrap().is_success(), "{reply:#?}");
        if reply.text.is_empty() { Value::Null } else { reply.json() }
    }

    /// Changes the store's file behind the server's back.
    pub(crate) async fn tamper(&self, statements: &str) {
        match &self.database {
            Database::Sqlite(directory) => {
                let file = rusqlite::Connection::open(directory.path().join(DATABASE)).unwrap();
                file.execute_batch(statements).unwrap();
            }
            Database::Postgres(url) => {
                let (client, connection) =
                    tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
                let speaking = tokio::spawn(connection);
                client.batch_execute(statements).await.unwrap();
                speaking.abort();
            }
        }
    }

    /// Keeps the store from being written until it is dropped; there is no such lock on PostgreSQL.
    pub(crate) fn lock_store(&self) -> Option<rusqlite::Connection> {
        let Database::Sqlite(directory) = &self.database else { return None };
        let file = rusqlite::Connection::open(directory.path().join(DATABASE)).unwrap();
        file.execute_batch("BEGIN IMMEDIATE").unwrap();
        Some(file)
    }

    /// Lets time pass, for the store and for AWS.
    pub(crate) async fn pass_hours(&self, hours: i64) {
        self.ahead.fetch_add(hours * 3_600_000_000, Ordering::Relaxed);
        self.control("POST", "clock", json!({"advance": format!("{hours}h")})).await;
    }

    /// How many writes AWS was asked for.
    pub(crate) async fn writes(&self) -> u64 {
        let counters = self.control("GET", "counters", Value::Null).await;
        ["CreateResource", "UpdateResource", "DeleteResource"]
            .iter()
            .map(|call| counters["byOperation"][*call].as_u64().unwrap_or(0))
            .sum()
    }
}

/// How a server is come to.
struct Door {
    token: Option<&'static str>,
    public_url: Option<String>,
}

/// At its own address, with the token.
const SHUT: Door = Door { token: Some(TOKEN), public_url: None };

/// One server on a store.
async fn serve_on(
    store: &Arc<dyn Store>,
    keys: &Arc<Keys>,
    simulator: &Running,
    patience: Patience,
    limits: Limits,
    door: Door,
) -> (Serving, Engine) {
    let credentials = StoredCredentials::new(store.clone(), keys.clone());
    let provider = AwsProvider::new(Options {
        endpoint: Endpoint::Custom(simulator.url().parse().unwrap()),
        timeouts: Timeouts::default(),
        credentials: Some(Arc::new(credentials)),
        ..Options::default()
    });
    let engine = Engine::start(Config::default(), store.clone(), Arc::new(provider), keys.clone());
    let mut registry = Registry::default();
    engine.register_metrics(&mut registry);
    let settings = Settings {
        listener: TcpListener::bind("127.0.0.1:0").await.unwrap(),
        base_path: DEFAULT_BASE_PATH.to_owned(),
        public_url: door.public_url,
        token: door.token.map(str::to_owned),
        instance: "instance-1".to_owned(),
        version: "0.0.0".to_owned(),
        keys: keys.clone(),
        registry,
    };
    let serving = serve_with(settings, patience, limits, engine.clone()).unwrap();
    (serving, engine)
}

impl Database {
    async fn make() -> Self {
        if std::env::var_os("HANGAR_TEST_STORE").is_some_and(|it| it == "postgres") {
            let made = || Cluster::shared().unwrap().create_database().unwrap();
            Self::Postgres(tokio::task::spawn_blocking(made).await.unwrap())
        } else {
            Self::Sqlite(tempfile::tempdir().unwrap())
        }
    }

    async fn open(&self, ahead: &Arc<AtomicI64>) -> Arc<dyn Store> {
        let clock = clock(ahead);
        match self {
            Self::Sqlite(directory) => {
                let options = sqlite::Options { clock, ..sqlite::Options::default() };
                let path = directory.path().join(DATABASE);
                Arc::new(Sqlite::open_with(&path, options).unwrap())
            }
            Self::Postgres(url) => {
                let options = postgres::Options {
                    clock: Some(clock),
                    connections: 8,
                    ..postgres::Options::default()
                };
                Arc::new(Postgres::connect(url, options).await.unwrap())
            }
        }
    }
}

fn clock(ahead: &Arc<AtomicI64>) -> Clock {
    let ahead = Arc::clone(ahead);
    Clock::from_fn(move || {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
        Timestamp::from_micros(i64::try_from(wall).unwrap() + ahead.load(Ordering::Relaxed))
    })
}

pub(crate) async fn exchange(address: SocketAddr, request: Request<Full<Bytes>>) -> Reply {
    let stream = TcpStream::connect(address).await.unwrap();
    let io = hyper_util::rt::TokioIo::new(stream);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
    let serving = tokio::spawn(connection);
    let reply = sender.send_request(request).await.unwrap();
    let (status, headers) = (reply.status().as_u16(), reply.headers().clone());
    let bytes = reply.into_body().collect().await.unwrap().to_bytes();
    serving.abort();
    Reply { status, headers, text: String::from_utf8(bytes.to_vec()).unwrap() }
}

/// The path of a reference, with the version that its writes need.
pub(crate) fn alias(name: &str) -> String {
    format!("{GROUP}/providers/AWS.EC2/VPC:reference/{name}?{VERSION}")
}

/// The id of a reference.
pub(crate) fn tracked_by(name: &str) -> String {
    format!("{GROUP}/providers/AWS.EC2/VPC:reference/{name}")
}

pub(crate) fn collection(type_name: &str) -> String {
    format!("{SCOPE}/providers/{type_name}")
}

pub(crate) fn vpc(dns: bool) -> Value {
    json!({"properties": {"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": dns}})
}
