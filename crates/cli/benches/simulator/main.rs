//! The simulator under load, in one run: `cargo xtask bench simulator`.
//!
//! The release binary runs as a child on a core of its own, and each line stands beside a baseline
//! of the same run, because only a ratio says much on a shared machine. Prints; never fails for
//! being slow.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a benchmark's answer is what it prints")]

mod client;
mod load;
mod request;
mod server;
mod stock;
mod within;

use std::path::Path;
use std::time::Duration;

use client::Client;
use load::{Amount, Load, load};
use request::{Signer, greeting};
use serde_json::Value;
use server::{Pinning, Server};

/// How long each load lasts.
const SPAN: Amount = Amount::For(Duration::from_secs(3));

/// How many creates are timed of each type.
const CREATES: Amount = Amount::Count(2000);

/// How many connections carry a load of reads.
const CONNECTIONS: [usize; 3] = [1, 4, 16];

const FEW: u64 = 1_000;
const MANY: u64 = 100_000;

fn main() {
    // `cargo test --all-targets` runs benchmarks too, without this word: there is nothing to test.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let filter = arguments.iter().find(|argument| !argument.starts_with("--"));
    let wanted = |name: &str| filter.is_none_or(|filter| name.contains(filter.as_str()));
    let pinning = Pinning::arrange();
    println!("{}; load average {}", pinning.words(), load_average());
    let folder = tempfile::tempdir().expect("a temporary folder");
    if wanted("core") {
        core();
    }
    if wanted("create") {
        creates(pinning, folder.path());
    }
    if wanted("few") {
        let state = folder.path().join("few");
        let server = Server::start(pinning, Some(&state), &[]);
        fill(&server, FEW);
        reads(&server, FEW);
        server.stop();
    }
    if wanted("many") {
        many(pinning, &folder.path().join("many"));
    }
    println!("load average {}", load_average());
}

/// Everything that needs a full state, so that it is filled once.
fn many(pinning: Pinning, state: &Path) {
    let server = Server::start(pinning, Some(state), &[]);
    let before = server.memory("VmRSS");
    let filled = fill(&server, MANY);
    println!("-- memory and disk, {MANY} resources of five types and as many requests");
    println!("empty                  VmRSS {before:>7.1} MiB");
    memory("after filling", &server);
    println!("filled in {:.1} s, file {:.1} MiB", filled.took().as_secs_f64(), mebibytes(state));
    lists(&server);
    server.stop();
    starts(pinning, state);
    let server = Server::start(pinning, Some(state), &[]);
    memory("after a restart", &server);
    let read = reads(&server, MANY);
    server.stop();
    let server = Server::start(pinning, Some(state), &["--verify-signatures"]);
    println!("-- the same, signatures verified; baseline: not verified");
    head();
    let pool = pool(MANY);
    for (connections, unverified) in CONNECTIONS.into_iter().zip(&read) {
        let got = load(&server, connections, SPAN, &|number| from_pool(&pool, number));
        line(&format!("GetResource, {}", over(connections)), &got, Some(unverified));
    }
    server.stop();
}

fn memory(when: &str, server: &Server) {
    let (now, most) = (server.memory("VmRSS"), server.memory("VmHWM"));
    println!("{when:<22} VmRSS {now:>7.1} MiB, VmHWM {most:>7.1} MiB");
}

#[allow(clippy::cast_precision_loss, reason = "a file is far below 2^52 bytes")]
fn mebibytes(path: &Path) -> f64 {
    path.metadata().map_or(f64::NAN, |it| it.len() as f64 / f64::from(1 << 20))
}

/// Fills a server over HTTP with common types in turn, and says what that took.
fn fill(server: &Server, count: u64) -> Load {
    let signer = Signer::now();
    let filled = load(server, 8, Amount::Count(count), &|number| creation(&signer, number));
    println!("-- filling: {count} creates of five types in turn, 8 connections");
    head();
    line("CreateResource, mixed", &filled, None);
    filled
}

fn creation(signer: &Signer, number: u64) -> Vec<u8> {
    let kinds = stock::COMMON.len() as u64;
    let type_name = stock::COMMON[usize::try_from(number % kinds).unwrap_or(0)];
    signer.create(type_name, &stock::desired(type_name, number))
}

fn head() {
    println!(
        "{:<50} {:>7} {:>7} {:>7} {:>7} {:>5} {:>6} {:>6}",
        "what", "per s", "p50 µs", "p99 µs", "CPU µs", "core", "rate ×", "CPU ×"
    );
}

/// One load, then its rate and its CPU time as multiples of the baseline's.
fn line(what: &str, load: &Load, baseline: Option<&Load>) {
    let ratios = baseline.map_or_else(String::new, |baseline| {
        let (rate, cpu) = (load.rate() / baseline.rate(), load.cpu_each() / baseline.cpu_each());
        format!("{rate:>6.2} {cpu:>6.2}")
    });
    println!(
        "{what:<50} {:>7.0} {:>7.0} {:>7.0} {:>7.1} {:>4.0}% {ratios}",
        load.rate(),
        load.within(50),
        load.within(99),
        load.cpu_each(),
        load.cpu_share() * 100.0
    );
}

/// Reads of resources all over the state, beside the greeting; gives the reads.
fn reads(server: &Server, count: u64) -> Vec<Load> {
    println!("-- GetResource with {count} resources; baseline: the greeting, which reads no state");
    head();
    let (pool, greeting) = (pool(count), greeting());
    let measure = |connections| {
        let baseline = load(server, connections, SPAN, &|_| greeting.as_slice());
        line(&format!("greeting, {}", over(connections)), &baseline, None);
        let got = load(server, connections, SPAN, &|number| from_pool(&pool, number));
        line(&format!("GetResource, {}", over(connections)), &got, Some(&baseline));
        got
    };
    CONNECTIONS.into_iter().map(measure).collect()
}

fn over(connections: usize) -> String {
    format!("{connections} connection{}", if connections == 1 { "" } else { "s" })
}

/// Signed reads of buckets, whose callers name them, so that nobody need ask for identifiers.
fn pool(count: u64) -> Vec<Vec<u8>> {
    let signer = Signer::now();
    let kinds = stock::COMMON.len() as u64;
    (0..1000_u64)
        .map(|at| {
            let number = (at * 7919 % (count / kinds)) * kinds + 1;
            signer.get("AWS::S3::Bucket", &format!("team-artifacts-{number}"))
        })
        .collect()
}

fn from_pool(pool: &[Vec<u8>], number: u64) -> &[u8] {
    &pool[usize::try_from(number % pool.len() as u64).unwrap_or(0)]
}

/// Pages and polls in a full state, beside one read.
fn lists(server: &Server) {
    println!("-- lists and polls with {MANY} resources, 4 connections; baseline: GetResource");
    head();
    let signer = Signer::now();
    let mut client = Client::connect(server.address());
    let answer = client.expect_ok(&creation(&signer, MANY));
    let answer: Value = serde_json::from_slice(answer).expect("an answer is JSON");
    let token = answer["ProgressEvent"]["RequestToken"].as_str().unwrap_or_default();
    let one = signer.get("AWS::S3::Bucket", "team-artifacts-1");
    let baseline = load(server, 4, SPAN, &|_| one.as_slice());
    line("GetResource", &baseline, None);
    for (what, request) in [
        ("GetResourceRequestStatus", signer.status(token)),
        ("ListResources, page of 100", signer.list("AWS::S3::Bucket")),
        ("ListResourceRequests, page of 100", signer.requests()),
    ] {
        let listed = load(server, 4, SPAN, &|_| request.as_slice());
        line(what, &listed, Some(&baseline));
    }
}

/// Creates of one type at a time: kept in a file against kept in memory only.
fn creates(pinning: Pinning, folder: &Path) {
    println!("-- CreateResource, 2000 of a type; baseline: the same without a state file");
    head();
    let types =
        ["AWS::EC2::VPC", "AWS::S3::Bucket", "AWS::ECS::Service", "AWS::QuickSight::Dashboard"];
    for type_name in types {
        for connections in [1, 8] {
            let measured = |state: Option<&Path>| {
                let server = Server::start(pinning, state, &[]);
                let signer = Signer::now();
                let request = |number| signer.create(type_name, &stock::desired(type_name, number));
                let load = load(&server, connections, CREATES, &request);
                server.stop();
                load
            };
            let in_memory = measured(None);
            let kept = measured(Some(&folder.join(format!("{connections}{type_name}"))));
            let what = format!("{type_name}, {}", over(connections));
            line(&format!("{what}, memory"), &in_memory, None);
            line(&format!("{what}, file"), &kept, Some(&in_memory));
        }
    }
}

/// From the start of the process to its first answer, medians of ten.
fn starts(pinning: Pinning, state: &Path) {
    println!("-- start, from spawn to the first answer, median of 10");
    let start = |state: Option<&Path>| {
        let (mut times, mut cpus) = (Vec::new(), Vec::new());
        for _ in 0..10 {
            let server = Server::start(pinning, state, &[]);
            times.push(server.started_in);
            cpus.push(server.started_with);
            server.stop();
        }
        (median(times), median(cpus))
    };
    let ((empty, _), (full, cpu)) = (start(None), start(Some(state)));
    println!("empty                  {empty:>6.1} ms");
    println!(
        "{MANY} resources       {full:>6.1} ms, {cpu:.1} ms of CPU; ratio {:.1}",
        full / empty
    );
    let opened = median(within::open(state));
    println!("Journal::open, warm    {opened:>6.1} ms, in this process");
}

/// In milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(f64::NAN, |it| it.as_secs_f64() * 1e3)
}

/// The core alone: what HTTP and the file do not take.
fn core() {
    println!("-- the core in this process, µs a call; ratio: create to get");
    println!("{:<44} {:>9} {:>9} {:>9} {:>7}", "type", "get", "create", "update", "ratio");
    let heavy = ["AWS::ECS::Service", "AWS::QuickSight::Dashboard"];
    for type_name in stock::COMMON.into_iter().chain(heavy) {
        let it = within::calls(type_name);
        let ratio = it.create / it.get;
        println!(
            "{type_name:<44} {:>9.1} {:>9.1} {:>9.1} {ratio:>7.0}",
            it.get, it.create, it.update
        );
    }
}

fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}
