//! A long steady load while the server is killed again and again, and then: is anything there twice,
//! forgotten, or never ended?

mod check;
mod visitor;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::json;
use tokio::task::JoinSet;

use self::check::Calls;
use self::visitor::{Pace, Tally, visit};
use super::drive::float;
use super::names::group_path;
use super::process::memory;
use super::report::{Line, Report};
use super::server::{Caller, Server, Simulator, ask};
use super::store::{Place, Store};

const GROUP: &str = "soak";

/// How many callers there are; each has aliases of its own.
const VISITORS: u64 = 32;

/// How often a server is killed, where the soak is long enough for that.
const KILL_EVERY: Duration = Duration::from_mins(1);

/// How long all that was accepted may take to end, once nobody asks for more.
const SETTLED_WITHIN: Duration = Duration::from_mins(3);

pub(crate) async fn measure(store: &Store, minutes: f64, report: &mut Report) -> Result<()> {
    let span = Duration::from_secs_f64(minutes * 60.0);
    let place = store.empty()?;
    let state = place.dir().join("simulator-state").display().to_string();
    let simulator = Simulator::start(
        &["--latency", "50ms..250ms", "--state", &state],
        &place.dir().join("simulator.log"),
    )?;
    let mut lives = vec![Life::begin(place, &simulator)?];
    if let Some(replica) = lives[0].place.replica()? {
        lives.push(Life::begin(replica, &simulator)?);
    }
    let caller = lives[0].server()?.caller.clone();
    let group = caller.write("PUT", &group_path(GROUP), "wait=30", &json!({}));
    ask(&mut caller.connect().await?, &group).await?;

    let pace = Arc::new(Pace::default());
    let tally = Arc::new(Tally::default());
    let mut visitors = JoinSet::new();
    for (number, life) in (0..VISITORS).zip((0..lives.len()).cycle()) {
        let caller = lives[life].server()?.caller.clone();
        visitors.spawn(visit(caller, number, pace.clone(), tally.clone()));
    }
    let mut calls = Calls::begin(span);
    let capacity = capacity(&tally, span.min(Duration::from_secs(50)) / 5).await;
    pace.slow_to(VISITORS, capacity / 2.0);
    report.note(&format!("soak: {capacity:.0} calls/s at most, {:.0} asked", capacity / 2.0));

    let (began, kill_every) = (Instant::now(), KILL_EVERY.min(span / 3));
    let (mut residents, mut kills, mut longest) = (Vec::new(), 0_u64, Duration::ZERO);
    while began.elapsed() < span {
        let pause = kill_every.min(span.saturating_sub(began.elapsed()));
        calls.heard_for(pause, &simulator).await?;
        let turn = usize::try_from(kills).unwrap_or(0) % lives.len();
        residents.push((began.elapsed().as_secs_f64() / 3600.0, lives[turn].resident()));
        if began.elapsed() < span {
            let dead = Instant::now();
            lives[turn].again(&simulator)?;
            (kills, longest) = (kills + 1, longest.max(dead.elapsed()));
            println!(
                "-- soak: {:.0} s, {kills} kills, {} calls, RSS {:.1} MiB before the last",
                began.elapsed().as_secs_f64(),
                tally.answered.load(Ordering::Relaxed),
                residents.last().map_or(f64::NAN, |it| it.1)
            );
        }
    }
    pace.stop();
    while visitors.join_next().await.is_some() {}
    let found = check::found(lives[0].server()?, &simulator, SETTLED_WITHIN).await?;
    calls.heard_for(Duration::ZERO, &simulator).await?;
    // Killed, as so often before: what is stored is all that there is.
    for life in &mut lives {
        life.server = None;
    }
    let violations = check::violations(&lives[0].place, calls, &simulator, kills).await?;
    for violation in &violations {
        report.note(&format!("soak: {violation}"));
    }
    let count = |counter: &AtomicU64| float(counter.load(Ordering::Relaxed));
    report.add(
        Line::new(store.name(), format!("soak of {minutes} min, {kills} kills"))
            .with("calls", count(&tally.answered), "")
            .with("done", count(&tally.done), "")
            .with("conflicts", count(&tally.conflicts), "")
            .with("other refusals", count(&tally.refused), "")
            .with("cut off", count(&tally.cut), "")
            .with("longest restart", longest.as_secs_f64() * 1e3, "ms")
            .with("references", float(found.references), "")
            .with("unknown", float(found.unknown), "")
            .with("RSS", residents.last().map_or(f64::NAN, |it| it.1), "MiB")
            .with("RSS slope", slope(&residents), "MiB/h")
            .must(format!("{} duplicates", found.duplicates), found.duplicates == 0)
            .must(format!("{} orphans", found.orphans), found.orphans == 0)
            .must(format!("{} references of nothing", found.missing), found.missing == 0)
            .must(format!("{} operations stuck", found.stuck), found.stuck == 0)
            .must(format!("{} invariants broken", violations.len()), violations.is_empty())
            .must("something was done", tally.done.load(Ordering::Relaxed) > 0),
    );
    if let Some(refusal) = tally.last_refusal() {
        report.note(&format!("soak: the last other refusal was {refusal}"));
    }
    Ok(())
}

/// A server and where it is expected.
struct Life {
    // Invariant: dropped in this order; a server goes before its directory.
    server: Option<Server>,
    place: Place,
    listen: SocketAddr,
}

impl Life {
    fn begin(place: Place, simulator: &Simulator) -> Result<Self> {
        let listen = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let server = place.serve_at(&listen.to_string(), &simulator.url(), &[])?;
        Ok(Self { server: Some(server), place, listen })
    }

    fn server(&self) -> Result<&Server> {
        self.server.as_ref().context("no server runs")
    }

    /// Kills it and starts another in its place.
    fn again(&mut self, simulator: &Simulator) -> Result<()> {
        self.server = None;
        let server = self.place.serve_at(&self.listen.to_string(), &simulator.url(), &[]);
        self.server = Some(server.context("no start after a kill")?);
        Ok(())
    }

    fn resident(&self) -> f64 {
        self.server.as_ref().map_or(f64::NAN, |it| memory(it.pid(), "VmRSS"))
    }
}

/// How many calls a second are done when nobody waits between them.
async fn capacity(tally: &Tally, span: Duration) -> f64 {
    let before = tally.done.load(Ordering::Relaxed);
    let began = Instant::now();
    tokio::time::sleep(span).await;
    float(tally.done.load(Ordering::Relaxed) - before) / began.elapsed().as_secs_f64()
}

/// The slope of the straight line that fits best.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = float(points.len() as u64);
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|it| it.0), mean(&|it| it.1));
    let above: f64 = points.iter().map(|it| (it.0 - x) * (it.1 - y)).sum();
    let below: f64 = points.iter().map(|it| (it.0 - x).powi(2)).sum();
    above / below
}

/// The path of an alias.
fn path(alias: &str) -> String {
    format!("{}/providers/AWS.EC2/VPC:reference/{alias}", group_path(GROUP))
}

/// Every reference of the soak.
async fn references(caller: &Caller) -> Result<Vec<serde_json::Value>> {
    let list = format!("{}/providers/AWS.EC2/VPC:reference", group_path(GROUP));
    super::flight::states(&mut caller.connect().await?, caller, &list).await
}
