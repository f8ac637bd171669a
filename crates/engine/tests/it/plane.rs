//! A whole control plane in this process, short of its HTTP surface: one engine on SQLite, or, where
//! `HANGAR_TEST_STORE` is `postgres`, two replicas on PostgreSQL.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hangar_engine::{Accepted, Ask, Config, DeleteMode, Engine, StoredCredentials, Submission};
use hangar_ids::TypeName;
use hangar_plan::Timestamp;
use hangar_plan::operation::{Ending, Failure, Success, SuccessKind};
use hangar_plan::record::{
    AwsScope, Group, GroupName, GroupState, OperationRecord, Reference, ReferenceName, Subject,
    Version,
};
use hangar_provider_aws::{AwsProvider, Endpoint, Options, Timeouts};
use hangar_simulator::core::settings::Settings;
use hangar_simulator::server::{self, Exposure, Running, Signatures};
use hangar_store::clock::Clock;
use hangar_store::keys::Keys;
use hangar_store::postgres::cluster::Cluster;
use hangar_store::postgres::{self, Postgres};
use hangar_store::sqlite::{self, Sqlite};
use hangar_store::{Expect, Store};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

pub(crate) struct Plane {
    pub(crate) engine: Engine,
    /// The other replica, which works on the same store.
    peer: Option<Engine>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) simulator: Running,
    pub(crate) directory: tempfile::TempDir,
    config: Config,
    keys: Arc<Keys>,
    /// How far the store's clock is ahead of the wall's, in microseconds.
    ahead: Arc<AtomicI64>,
}

pub(crate) const VPC: &str = "AWS.EC2/VPC";

impl Plane {
    pub(crate) async fn start() -> Self {
        Self::start_with(Settings { latency: "0..0".parse().unwrap(), ..Settings::default() }).await
    }

    pub(crate) async fn start_with(settings: Settings) -> Self {
        Self::start_as(settings, Config::default()).await
    }

    pub(crate) async fn start_as(settings: Settings, config: Config) -> Self {
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
        let directory = tempfile::tempdir().unwrap();
        let ahead = Arc::new(AtomicI64::new(0));
        let keys = Arc::new(Keys::generate());
        let (store, other) = stores(directory.path(), &clock(&ahead)).await;
        let engine = start(&config, &store, &simulator, &keys);
        let peer = other.map(|other| start(&config, &other, &simulator, &keys));
        let plane = Self { engine, peer, store, simulator, directory, config, keys, ahead };
        let now = plane.store.now().await.unwrap();
        let group = Group {
            name: group(),
            state: GroupState::Ready,
            operation: None,
            location: None,
            tags: std::collections::BTreeMap::new(),
            aws_scope: None,
            properties: std::collections::BTreeMap::new(),
            secrets: std::collections::BTreeMap::new(),
            created_at: now,
            updated_at: now,
            version: Version(0),
        };
        plane.engine.group_put(&group, Expect::Any).await.unwrap();
        plane
    }

    /// Stops the engine as a shutdown does, and starts another on the same store.
    pub(crate) async fn restart(&mut self) {
        self.engine.stop().await;
        if let Some(peer) = &self.peer {
            peer.stop().await;
        }
        self.store.lease_end_all().await.unwrap();
        self.engine = start(&self.config, &self.store, &self.simulator, &self.keys);
        self.peer =
            self.peer.take().map(|_| start(&self.config, &self.store, &self.simulator, &self.keys));
    }

    pub(crate) async fn submit(
        &self,
        type_name: &str,
        alias: &str,
        ask: Ask,
    ) -> Result<Accepted, Failure> {
        let submission = Submission::new(subject(type_name, alias), ask);
        self.engine.submit(submission).await
    }

    pub(crate) async fn finish(&self, accepted: Accepted) -> OperationRecord {
        let id = accepted.record.id();
        let record = self.engine.wait(id, Duration::from_secs(30)).await.unwrap().unwrap();
        assert!(record.is_ended(), "{record:#?}");
        record
    }

    pub(crate) async fn put(&self, alias: &str, properties: Value) -> OperationRecord {
        self.put_of(VPC, alias, properties).await
    }

    pub(crate) async fn put_of(
        &self,
        type_name: &str,
        alias: &str,
        properties: Value,
    ) -> OperationRecord {
        let accepted = self.submit(type_name, alias, put(properties)).await.unwrap();
        self.finish(accepted).await
    }

    pub(crate) async fn delete(&self, alias: &str) -> OperationRecord {
        let ask = Ask::Delete { identifier: None, mode: DeleteMode::ByOwnership };
        let accepted = self.submit(VPC, alias, ask).await.unwrap();
        self.finish(accepted).await
    }

    pub(crate) async fn reference(&self, type_name: &str, alias: &str) -> Option<Reference> {
        self.store.reference_find(&name(type_name, alias)).await.unwrap()
    }

    pub(crate) async fn identifier(&self, alias: &str) -> String {
        self.reference(VPC, alias).await.unwrap().entry.identifier.unwrap()
    }

    /// A call of the simulator's control API.
    pub(crate) async fn control(&self, method: &str, path: &str, body: Value) -> Value {
        let url: hyper::Uri =
            format!("{}/_simulator/{path}", self.simulator.url()).parse().unwrap();
        let address = self.simulator.address();
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let io = hyper_util::rt::TokioIo::new(stream);
        let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
        let serving = tokio::spawn(connection);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = hyper::Request::builder()
            .method(method)
            .uri(url.path_and_query().unwrap().as_str())
            .header("host", address.to_string())
            .header("content-type", "application/json")
            .body(Full::new(bytes::Bytes::from(body)))
            .unwrap();
        let reply = sender.send_request(request).await.unwrap();
        let status = reply.status();
        let bytes = reply.into_body().collect().await.unwrap().to_bytes();
        serving.abort();
        let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        assert!(status.is_success(), "{method} {path}: {status} {answer}");
        answer
    }

    /// How often each call was made since the last time that counts were forgotten.
    pub(crate) async fn calls(&self, call: &str) -> u64 {
        let counters = self.control("GET", "counters", Value::Null).await;
        counters["byOperation"][call].as_u64().unwrap_or(0)
    }

    pub(crate) async fn writes(&self) -> u64 {
        let mut writes = 0;
        for call in ["CreateResource", "UpdateResource", "DeleteResource"] {
            writes += self.calls(call).await;
        }
        writes
    }

    pub(crate) async fn forget_calls(&self) {
        self.control("DELETE", "calls", Value::Null).await;
    }

    pub(crate) async fn arm(&self, fault: Value) {
        self.control("POST", "faults", fault).await;
    }

    /// What exists at the simulator of a type.
    pub(crate) async fn existing(&self, type_name: &str) -> Vec<Value> {
        let path = format!("resources?type={type_name}&account=42&region=eu-central-1");
        let listed = self.control("GET", &path, Value::Null).await;
        listed["resources"].as_array().unwrap().clone()
    }

    /// Lets time pass, for the store and for AWS.
    pub(crate) async fn pass(&self, hours: i64, minutes: i64) {
        self.ahead.fetch_add((hours * 60 + minutes) * 60_000_000, Ordering::Relaxed);
        let span = format!("{}m", hours * 60 + minutes);
        self.control("POST", "clock", json!({"advance": span})).await;
    }

    /// Every file that the store has written; panics where there is none.
    pub(crate) fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let of_postgres = is_postgres().then(|| Cluster::shared().unwrap().directory());
        let mut folders = vec![of_postgres.unwrap_or(self.directory.path()).to_owned()];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for file in std::fs::read_dir(folder).unwrap() {
                let file = file.unwrap();
                match file.file_type().unwrap() {
                    kind if kind.is_dir() => folders.push(file.path()),
                    // One that is gone by now holds nothing.
                    kind if kind.is_file() => {
                        files.extend(std::fs::read(file.path()).ok().map(|it| (file.path(), it)));
                    }
                    _ => {}
                }
            }
        }
        assert!(!files.is_empty());
        files
    }
}

fn clock(ahead: &Arc<AtomicI64>) -> Clock {
    let ahead = ahead.clone();
    Clock::from_fn(move || {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
        Timestamp::from_micros(i64::try_from(wall).unwrap() + ahead.load(Ordering::Relaxed))
    })
}

fn is_postgres() -> bool {
    std::env::var_os("HANGAR_TEST_STORE").is_some_and(|it| it == "postgres")
}

/// The store, and as another replica sees it.
async fn stores(
    directory: &std::path::Path,
    clock: &Clock,
) -> (Arc<dyn Store>, Option<Arc<dyn Store>>) {
    if !is_postgres() {
        let options = sqlite::Options { clock: clock.clone(), ..sqlite::Options::default() };
        let path = directory.join("hangar.db");
        return (Arc::new(Sqlite::open_with(&path, options).unwrap()), None);
    }
    let made = || Cluster::shared().unwrap().create_database().unwrap();
    let url = tokio::task::spawn_blocking(made).await.unwrap();
    let connect = async || {
        let options = postgres::Options {
            clock: Some(clock.clone()),
            connections: 8,
            ..postgres::Options::default()
        };
        Arc::new(Postgres::connect(&url, options).await.unwrap())
    };
    (connect().await, Some(connect().await))
}

fn start(config: &Config, store: &Arc<dyn Store>, simulator: &Running, keys: &Arc<Keys>) -> Engine {
    let store = store.clone();
    let credentials = StoredCredentials::new(store.clone(), keys.clone());
    let provider = AwsProvider::new(Options {
        endpoint: Endpoint::Custom(simulator.url().parse().unwrap()),
        timeouts: Timeouts::default(),
        credentials: Some(Arc::new(credentials)),
        ..Options::default()
    });
    Engine::start(config.clone(), store, Arc::new(provider), keys.clone())
}

pub(crate) fn put(properties: Value) -> Ask {
    Ask::Put { identifier: None, properties, secret_paths: Vec::new(), replace: false, adopt: None }
}

pub(crate) fn group() -> GroupName {
    GroupName { plane: "local".to_owned(), group: "Team".to_owned() }
}

pub(crate) fn name(type_name: &str, alias: &str) -> ReferenceName {
    ReferenceName {
        group: group(),
        type_name: TypeName::parse(type_name).unwrap(),
        alias: alias.to_owned(),
    }
}

pub(crate) fn subject(type_name: &str, alias: &str) -> Subject {
    Subject {
        scope: AwsScope {
            plane: "aws".to_owned(),
            account: "42".parse().unwrap(),
            region: "eu-central-1".parse().unwrap(),
        },
        type_name: TypeName::parse(type_name).unwrap(),
        reference: Some(name(type_name, alias)),
        secret_paths: Vec::new(),
    }
}

/// What a successful operation did.
pub(crate) fn done(record: &OperationRecord) -> SuccessKind {
    success(record).kind
}

pub(crate) fn success(record: &OperationRecord) -> &Success {
    match record.ending().unwrap() {
        Ending::Succeeded(success) => success,
        other => panic!("{other:#?}"),
    }
}

pub(crate) fn failure(record: &OperationRecord) -> &Failure {
    match record.ending().unwrap() {
        Ending::Failed(failure) | Ending::Canceled(failure) => failure,
        other @ Ending::Succeeded(_) => panic!("{other:#?}"),
    }
}

pub(crate) fn vpc(dns: bool) -> Value {
    json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": dns})
}

/// Waits until `check` holds: workers do what is due by themselves, and say so nowhere else.
pub(crate) async fn eventually(what: &str, check: impl AsyncFn() -> bool) {
    let watched = async {
        while !check().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), watched).await.expect(what);
}
