//! What a soak has left: the simulator's resources beside the server's references.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use hangar_simulation::history::collect::{CallLog, existing};
use hangar_simulation::history::{History, Violation, check};
use serde_json::Value;

use super::super::flight::running;
use super::super::server::{Server, Simulator};
use super::super::store::Place;
use super::references;

/// What is not as it should be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) references: u64,
    /// Resources for an alias that has another.
    pub(super) duplicates: usize,
    /// Resources that no reference maps.
    pub(super) orphans: usize,
    /// References that map a resource that is not there.
    pub(super) missing: usize,
    /// References whose resource is not known.
    pub(super) unknown: u64,
    /// Operations that do not end.
    pub(super) stuck: u64,
}

/// Waits until nothing runs, then compares.
pub(super) async fn found(
    server: &Server,
    simulator: &Simulator,
    patience: Duration,
) -> Result<Found> {
    let mut connection = server.caller.connect().await?;
    let began = Instant::now();
    let stuck = loop {
        let running = running(&mut connection, &server.caller).await?;
        if running == 0 || began.elapsed() > patience {
            break running;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    let references = references(&server.caller).await?;
    let mapped: BTreeSet<&str> = references.iter().filter_map(identifier).collect();
    let resources = resources(simulator).await?;
    let mut by_alias: BTreeMap<&str, usize> = BTreeMap::new();
    for alias in resources.values() {
        *by_alias.entry(alias.as_str()).or_default() += 1;
    }
    let orphans: Vec<_> =
        resources.iter().filter(|(id, _)| !mapped.contains(id.as_str())).collect();
    let missing: Vec<_> = mapped.iter().filter(|id| !resources.contains_key(**id)).collect();
    if !orphans.is_empty() || !missing.is_empty() {
        println!("-- soak: orphans {orphans:?}, missing {missing:?}");
    }
    let unknown = references.iter().filter(|it| it["state"] == "unknown").count() as u64;
    Ok(Found {
        references: references.len() as u64,
        duplicates: by_alias.values().map(|count| count - 1).sum(),
        orphans: orphans.len(),
        missing: missing.len(),
        unknown,
        stuck,
    })
}

/// The calls that AWS got, where the soak is so short that all of them can be kept.
pub(super) struct Calls(Option<CallLog>);

/// The longest soak of which all calls are kept: a few hundred thousand.
const KEPT_FOR: Duration = Duration::from_mins(15);

/// The simulator forgets calls after the ten thousandth.
const HEAR_EVERY: Duration = Duration::from_secs(3);

impl Calls {
    pub(super) fn begin(span: Duration) -> Self {
        Self((span <= KEPT_FOR).then(CallLog::default))
    }

    /// Lets so much time pass, and keeps what is called meanwhile.
    pub(super) async fn heard_for(&mut self, span: Duration, simulator: &Simulator) -> Result<()> {
        let until = Instant::now() + span;
        loop {
            if let Some(log) = &mut self.0 {
                while log.add(&simulator.control(&log.path()).await?) {}
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            tokio::time::sleep(left.min(HEAR_EVERY)).await;
        }
    }
}

/// The invariants that do not hold of what happened.
pub(super) async fn violations(
    place: &Place,
    calls: Calls,
    simulator: &Simulator,
    kills: u64,
) -> Result<Vec<Violation>> {
    let mut resources = Vec::new();
    let mut after = String::new();
    loop {
        let page = simulator.control(&format!("resources?limit=10000{after}")).await?;
        resources.extend(page["resources"].as_array().into_iter().flatten().cloned());
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    let requests = simulator.control("requests?limit=100000").await?;
    let calls = calls.0.map_or_else(|| Ok(Vec::new()), CallLog::whole);
    let calls = calls.map_err(|lost| anyhow!("{} calls were forgotten too early", lost.0))?;
    let history = History {
        calls,
        resources: existing(&resources, &requests),
        // Each cuts off whatever is under way, and a busy machine adds its own.
        mishaps: if kills > 0 { u64::MAX } else { 0 },
        ..place.history().await?
    };
    Ok(check(&history))
}

fn identifier(reference: &Value) -> Option<&str> {
    reference["mapsTo"]["primaryIdentifier"].as_str()
}

/// The identifier of every resource of the simulator, with the alias that it carries.
async fn resources(simulator: &Simulator) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut after = String::new();
    loop {
        let page = simulator.control(&format!("resources?type=AWS::EC2::VPC{after}")).await?;
        for resource in page["resources"].as_array().into_iter().flatten() {
            let id = resource["identifier"].as_str().unwrap_or_default();
            found.insert(id.to_owned(), alias_of(resource));
        }
        let Some(next) = page["next"].as_str() else { return Ok(found) };
        after = format!("&after={next}");
    }
}

fn alias_of(resource: &Value) -> String {
    let tags = resource["properties"]["Tags"].as_array();
    let name = tags.into_iter().flatten().find(|tag| tag["Key"] == "Name");
    name.and_then(|tag| tag["Value"].as_str()).unwrap_or_default().to_owned()
}
