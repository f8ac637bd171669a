//! What an operation costs beside the calls that it makes: `cargo xtask bench operations`.
//!
//! SQLite on a real file, the real AWS SDK, the simulator behind a socket, all in this process on the
//! same cores. Each line stands beside a baseline of the same run, because only a ratio says much on
//! a shared machine. Prints; never fails for being slow.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a benchmark's answer is what it prints")]
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on has nothing to say")]

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hangar_engine::{Ask, Config, Engine, Submission};
use hangar_ids::TypeName;
use hangar_plan::record::{
    AwsScope, Group, GroupName, GroupState, ReferenceName, Subject, Version,
};
use hangar_provider::{Place, Provider, Target};
use hangar_provider_aws::{AwsProvider, Endpoint, Options, Timeouts};
use hangar_simulator::core::settings::Settings;
use hangar_simulator::server::{self, Exposure, Running, Signatures};
use hangar_store::keys::Keys;
use hangar_store::sqlite::Sqlite;
use hangar_store::{Expect, Store};
use serde_json::{Value, json};

const SPAN: Duration = Duration::from_secs(3);
const AT_ONCE: [usize; 3] = [1, 16, 64];

#[tokio::main(worker_threads = 2)]
async fn main() {
    // `cargo test --all-targets` runs benchmarks too, without this word: there is nothing to test.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load average {}", load.split(' ').next().unwrap_or("unknown"));
    let folder = tempfile::tempdir().unwrap();
    let simulator = simulator().await;
    let provider = Arc::new(AwsProvider::new(Options {
        endpoint: Endpoint::Custom(simulator.url().parse().unwrap()),
        timeouts: Timeouts::default(),
        ..Options::default()
    }));
    for at_once in AT_ONCE {
        accept(&folder.path().join(format!("accept-{at_once}")), &provider, at_once).await;
    }
    for at_once in AT_ONCE {
        unchanged(&folder.path().join(format!("same-{at_once}")), &provider, at_once).await;
    }
}

/// Accepted puts a second with the workers at rest, beside one small row a transaction.
async fn accept(folder: &Path, provider: &Arc<AwsProvider>, at_once: usize) {
    std::fs::create_dir(folder).unwrap();
    let config = Config { concurrency: 0, ..Config::default() };
    let engine = start(folder, provider, config).await;
    let asked = engine.clone();
    let ours = rate(at_once, move |number| {
        let engine = asked.clone();
        async move {
            engine.submit(put(&format!("a{number}"))).await.unwrap();
        }
    })
    .await;
    engine.stop().await;
    let baseline = single_rows(&folder.join("baseline.db"));
    line(
        &format!("accept, {at_once} at once"),
        ours,
        "one row a transaction, one caller",
        baseline,
    );
}

/// Puts of what is there already, beside the one read that each must make.
async fn unchanged(folder: &Path, provider: &Arc<AwsProvider>, at_once: usize) {
    std::fs::create_dir(folder).unwrap();
    let engine = start(folder, provider, Config::default()).await;
    let aliases = u64::try_from(at_once).unwrap();
    for number in 0..aliases {
        let accepted = engine.submit(put(&format!("a{number}"))).await.unwrap();
        engine.wait(accepted.record.id(), Duration::from_secs(30)).await.unwrap();
    }
    let name = subject("a0").reference.unwrap();
    let identifier = engine.reader().reference_find(&name).await.unwrap().unwrap();
    let identifier = identifier.entry.identifier.unwrap();
    let asked = engine.clone();
    let ours = rate(at_once, move |number| {
        let engine = asked.clone();
        async move {
            // One put at a time on an alias: each caller has its own.
            let alias = format!("a{}", number % aliases);
            if let Ok(accepted) = engine.submit(put(&alias)).await {
                let id = accepted.record.id();
                let ended = engine.wait(id, Duration::from_secs(30)).await.unwrap().unwrap();
                assert!(ended.is_ended());
            }
        }
    })
    .await;
    engine.stop().await;
    let provider = provider.clone();
    let baseline = rate(at_once, move |_| {
        let (provider, identifier) = (provider.clone(), identifier.clone());
        async move {
            provider.observe(&target(), &identifier).await.unwrap();
        }
    })
    .await;
    line(&format!("put of the same, {at_once} at once"), ours, "the read alone", baseline);
}

fn line(what: &str, ours: f64, against: &str, baseline: f64) {
    println!(
        "{what:<28} {ours:>8.0}/s   {against:<34} {baseline:>8.0}/s   ratio {:.2}",
        ours / baseline
    );
}

/// How often a second `deed` is done by so many callers, each after its own.
async fn rate<F: Future<Output = ()> + Send + 'static>(
    callers: usize,
    deed: impl Fn(u64) -> F + Clone + Send + 'static,
) -> f64 {
    let done = Arc::new(AtomicU64::new(0));
    let begun = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for caller in 0..u64::try_from(callers).unwrap() {
        let (deed, done) = (deed.clone(), done.clone());
        let step = u64::try_from(callers).unwrap();
        tasks.spawn(async move {
            let mut number = caller;
            while begun.elapsed() < SPAN {
                deed(number).await;
                done.fetch_add(1, Ordering::Relaxed);
                number += step;
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap();
    }
    let done = u32::try_from(done.load(Ordering::Relaxed)).unwrap();
    f64::from(done) / begun.elapsed().as_secs_f64()
}

/// Durable transactions a second of one small row each, on a file with the same settings.
fn single_rows(path: &Path) -> f64 {
    let connection = rusqlite::Connection::open(path).unwrap();
    let set_up = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
                  CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;";
    connection.execute_batch(set_up).unwrap();
    let text = "x".repeat(500);
    let begun = Instant::now();
    let mut done = 0u32;
    while begun.elapsed() < SPAN {
        connection.execute("INSERT INTO row (text) VALUES (?1)", [&text]).unwrap();
        done += 1;
    }
    f64::from(done) / begun.elapsed().as_secs_f64()
}

async fn simulator() -> Running {
    server::start(server::Options {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        exposure: Exposure::Loopback,
        state: None,
        settings: Settings { latency: "0..0".parse().unwrap(), ..Settings::default() },
        signatures: Signatures::Read,
        faults: Vec::new(),
    })
    .await
    .unwrap()
}

async fn start(folder: &Path, provider: &Arc<AwsProvider>, config: Config) -> Engine {
    let store: Arc<dyn Store> = Arc::new(Sqlite::open(&folder.join("hangar.db")).unwrap());
    let now = store.now().await.unwrap();
    let provider: Arc<dyn Provider> = provider.clone();
    let engine = Engine::start(config, store, provider, Arc::new(Keys::generate()));
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
    engine.group_put(&group, Expect::Any).await.unwrap();
    engine
}

fn put(alias: &str) -> Submission {
    let properties: Value = json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true,
                                   "Tags": [{"Key": "Name", "Value": "bench"}]});
    Submission::new(
        subject(alias),
        Ask::Put {
            identifier: None,
            properties,
            secret_paths: Vec::new(),
            replace: false,
            adopt: None,
        },
    )
}

fn group() -> GroupName {
    GroupName { plane: "local".to_owned(), group: "bench".to_owned() }
}

fn subject(alias: &str) -> Subject {
    let type_name = TypeName::parse("AWS.EC2/VPC").unwrap();
    Subject {
        scope: AwsScope {
            plane: "aws".to_owned(),
            account: "1".parse().unwrap(),
            region: "us-east-1".parse().unwrap(),
        },
        type_name: type_name.clone(),
        reference: Some(ReferenceName { group: group(), type_name, alias: alias.to_owned() }),
        secret_paths: Vec::new(),
    }
}

fn target() -> Target {
    Target {
        place: Place {
            plane: "aws".to_owned(),
            account: "1".parse().unwrap(),
            region: "us-east-1".parse().unwrap(),
        },
        type_name: TypeName::parse("AWS.EC2/VPC").unwrap(),
    }
}
