//! One seed is one run: how many replicas, what is asked when, what befalls which call. The same seed is the
//! same run again.

mod actor;
mod deeds;
mod mishaps;
mod plan;

use std::collections::BTreeMap;
use std::time::Duration;

use hangar_plan::operation::{Ending, EntryState, FailureKind};
use hangar_plan::record::OperationRecord;
use hangar_schema::Catalog;
use hangar_store::StoreError;

use crate::history::{Invariant, Violation, check};
use crate::rig::clock::RunClock;
use crate::rig::runtime;
use crate::rig::stage::Stage;
use crate::rig::tier::{self, Lacking, Tier};

use mishaps::Mishaps;
use plan::Plan;

/// What came of a seed.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The seed.
    pub seed: u64,
    /// Operations that were accepted.
    pub operations: usize,
    /// Calls that had another fate than to be made and answered.
    pub mishaps: u64,
    /// The types of aliases that are still unknown at the end.
    pub unknown: Vec<String>,
    /// How many operations of which kind ended how.
    pub endings: BTreeMap<String, usize>,
    /// What does not hold.
    pub violations: Vec<Violation>,
    /// What happened, where something does not hold or it was asked for.
    pub trace: Vec<String>,
    /// The same for the same seed.
    pub fingerprint: u64,
}

/// How long everything may take once nothing happens any more: a request that hangs is given two hours.
const CALM: Duration = Duration::from_hours(5);

/// What is on its way lands within this, and is looked for after it.
const LATE: Duration = Duration::from_mins(45);

/// Plays a seed. `keep` has the trace kept even if all is well.
pub fn play(seed: u64, tier: Tier, lacking: Lacking, keep: bool) -> Result<Outcome, StoreError> {
    let runtime = runtime()?;
    let outcome = runtime.block_on(play_on(seed, tier, lacking, keep));
    // Those that died wait for ever.
    runtime.shutdown_background();
    outcome
}

async fn play_on(
    seed: u64,
    tier: Tier,
    lacking: Lacking,
    keep: bool,
) -> Result<Outcome, StoreError> {
    let mut plan = Plan::of(seed);
    let clock = RunClock::new();
    let ground = tier::make(tier, &clock, Catalog::bundled(), plan.settings(), lacking)?;
    let mishaps = Box::new(Mishaps::of(&mut plan.dice));
    let parts = ground.parts_with(clock, plan.replicas, seed, mishaps);
    let run = parts.run.clone();
    let stage = Stage::start(parts).await?;
    let hands = actor::act(&stage, &mut plan).await?;
    stage.calm(CALM).await?;
    // What lands late lands; what is unknown is looked for again.
    tokio::time::sleep(LATE).await;
    stage.until_quiet(CALM).await?;
    stage.check_references().await?;
    let mut history = stage.history().await?;
    history.hands = hands;
    history.spellings = deeds::spellings();
    let mut violations = check(&history);
    let mut endings = BTreeMap::new();
    for record in &history.operations {
        *endings.entry(ending(record)).or_default() += 1;
    }
    let unknown: Vec<String> = history
        .references
        .iter()
        .filter(|it| it.entry.state == EntryState::Unknown)
        .map(|it| it.name.type_name.to_string())
        .collect();
    if !run.has_hung() {
        let unsettled = unknown.iter().filter(|it| *it != plan::UNMARKED);
        violations.extend(unsettled.map(|type_name| Violation {
            invariant: Invariant(4),
            what: format!("an alias of {type_name} is unknown, although AWS was available"),
        }));
    }
    let trace = if keep || !violations.is_empty() { run.trace() } else { Vec::new() };
    Ok(Outcome {
        seed,
        operations: history.operations.len(),
        mishaps: history.mishaps,
        unknown,
        endings,
        violations,
        trace,
        fingerprint: run.fingerprint(),
    })
}

/// An operation's kind and end, in words.
fn ending(record: &OperationRecord) -> String {
    let outcome = match record.ending() {
        None => "running",
        Some(Ending::Succeeded(success)) => success.kind.as_str(),
        Some(Ending::Failed(failure)) if failure.kind == FailureKind::Unknown => "unknown",
        Some(Ending::Failed(_)) => "failed",
        Some(Ending::Canceled(_)) => "canceled",
    };
    format!("{} {outcome}", record.kind())
}
