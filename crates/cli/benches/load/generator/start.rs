//! From the start of a process to its first answers, and what it takes while nobody asks.

use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::client::Connection;
use super::fill::Filled;
use super::names::scattered;
use super::options::Options;
use super::process::{memory, spawn};
use super::report::{Bound, Line, Report, Weight};
use super::server::{Caller, NO_AWS, serve};
use super::store::{Place, Store};

/// How often each start is measured; the median is told.
const STARTS: usize = 5;

/// How long nobody asks before the memory is looked at.
const IDLE_FOR: Duration = Duration::from_secs(5);

pub(crate) async fn measure(
    store: &Store,
    filled: &Filled,
    options: &Options,
    report: &mut Report,
) -> Result<()> {
    let empty = store.empty()?;
    let at_first = first_answers(&empty, None).await?;
    report.add(Line::new(store.name(), "first start ever (migrations)").with(
        "to /healthz",
        at_first.health,
        "ms",
    ));
    let idle = options.span().min(IDLE_FOR);
    let (starts, resident) = starts(&empty, None, idle).await?;
    report.add(
        Line::new(store.name(), "start, empty")
            .with("to /healthz", starts.health, "ms")
            .with("idle RSS", resident, "MiB")
            .held("ms", starts.health, Bound::AtMost(100.0), Weight::Target)
            .held("idle RSS MiB", resident, Bound::AtMost(40.0), Weight::Target),
    );
    drop(empty);
    let place = store.filled();
    let path =
        |start: u64| filled.names().reference_path(scattered(start) % filled.names().references);
    let (full, resident) = self::starts(&place, Some(&path), idle).await?;
    let ratio = full.reference / starts.health;
    report.add(
        Line::new(store.name(), format!("start, {} references", options.references))
            .with("to /healthz", full.health, "ms")
            .with("to a reference", full.reference, "ms")
            .with("of empty", ratio, "×")
            .with("idle RSS", resident, "MiB")
            .held("ms", full.reference, Bound::AtMost(1000.0), Weight::Target)
            .held("of empty", ratio, Bound::AtMost(10.0), Weight::Gate)
            .held("idle RSS MiB", resident, Bound::AtMost(40.0), Weight::Target),
    );
    Ok(())
}

/// Milliseconds from the start of the process.
struct Answers {
    health: f64,
    reference: f64,
}

/// Medians of several starts, and the memory after the last.
async fn starts(
    place: &Place,
    path: Option<&(dyn Fn(u64) -> String + Sync)>,
    idle: Duration,
) -> Result<(Answers, f64)> {
    let (mut health, mut reference) = (Vec::new(), Vec::new());
    for start in 0..STARTS {
        let path = path.map(|path| path(start as u64));
        let answers = first_answers(place, path.as_deref()).await?;
        health.push(answers.health);
        reference.push(answers.reference);
    }
    let server = place.serve(NO_AWS, &[])?;
    tokio::time::sleep(idle).await;
    let resident = memory(server.pid(), "VmRSS");
    server.stop()?;
    Ok((Answers { health: median(health), reference: median(reference) }, resident))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// One start, asked from the first moment on.
async fn first_answers(place: &Place, path: Option<&str>) -> Result<Answers> {
    // Let go again before the server takes it: nobody else asks for ports here.
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let started = Instant::now();
    let arguments = serve(&place.arguments(NO_AWS, &[]), &address.to_string());
    let mut child = spawn(&arguments, &place.log())?;
    let answered = answers(address, started, place, path, &mut child).await;
    let id = child.id().to_string();
    Command::new("kill").args(["-TERM", &id]).status().context("cannot run kill")?;
    child.wait().context("cannot wait for a child")?;
    answered
}

async fn answers(
    address: SocketAddr,
    started: Instant,
    place: &Place,
    path: Option<&str>,
    child: &mut Child,
) -> Result<Answers> {
    let mut connection = loop {
        match Connection::open(address).await {
            Ok(connection) => break connection,
            Err(_) if started.elapsed() < Duration::from_mins(1) => {
                if let Some(status) = child.try_wait()? {
                    bail!(
                        "the server ended at its start ({status}); see {}",
                        place.log().display()
                    );
                }
                tokio::time::sleep(Duration::from_micros(500)).await;
            }
            Err(error) => return Err(error).context("the server does not listen"),
        }
    };
    let elapsed = || started.elapsed().as_secs_f64() * 1e3;
    let status = connection.send(&Caller::new(address, "").health()).await?.status;
    let health = elapsed();
    if status != 200 {
        bail!("/healthz answered {status}");
    }
    let Some(path) = path else { return Ok(Answers { health, reference: f64::NAN }) };
    let token = std::fs::read_to_string(place.dir().join("token")).context("no token")?;
    let status = connection.send(&Caller::new(address, &token).get(path)).await?.status;
    if status != 200 {
        bail!("{path} answered {status}");
    }
    Ok(Answers { health, reference: elapsed() })
}
