//! One seed is one run: how many replicas, what is asked when, what befalls which call. The same seed is the
//! same run again.

mod actor;
mod deeds;
mod mishaps;
mod plan;

use std::sync::Arc;
use std::time::Duration;

use hangar_plan::operation::Rules;
use hangar_provider::Provider;
use hangar_schema::Catalog;
use hangar_store::memory::{self, Memory};
use hangar_store::{Store, StoreError};

use crate::history::{Violation, check};
use crate::rig::aws::Aws;
use crate::rig::clock::RunClock;
use crate::rig::process::Run;
use crate::rig::stage::{Parts, Stage};

use mishaps::Mishaps;
use plan::Plan;

/// What is not looked at in a run, in tests of the tests.
#[derive(Debug, Clone, Copy)]
pub struct Lacking {
    /// The rules that engines keep.
    pub rules: Rules,
    /// What the store does not look at.
    pub unchecked: Option<memory::Check>,
}

impl Lacking {
    /// Nothing is lacking.
    pub const NOTHING: Self = Self { rules: Rules::ALL, unchecked: None };
}

/// What came of a seed.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The seed.
    pub seed: u64,
    /// Operations that were accepted.
    pub operations: usize,
    /// Calls that had another fate than to be made and answered.
    pub mishaps: u64,
    /// Aliases that are still unknown at the end.
    pub unknown: usize,
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
pub fn play(seed: u64, lacking: Lacking, keep: bool) -> Result<Outcome, StoreError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .map_err(|error| StoreError::Unavailable(format!("no runtime: {error}")))?;
    let outcome = runtime.block_on(play_on(seed, lacking, keep));
    // Those that died wait for ever.
    runtime.shutdown_background();
    outcome
}

async fn play_on(seed: u64, lacking: Lacking, keep: bool) -> Result<Outcome, StoreError> {
    let mut plan = Plan::of(seed);
    let clock = RunClock::new();
    let options = memory::Options {
        clock: clock.for_store(),
        sync: memory::Sync::Manual,
        #[cfg(debug_assertions)]
        unchecked: lacking.unchecked,
    };
    let memory = Arc::new(Memory::with(options));
    let aws = Aws::new(Catalog::bundled(), plan.settings(), clock.clone());
    let mishaps = Mishaps::of(&mut plan.dice);
    let run = Run::new(clock, Box::new(mishaps), Some(memory.clone()));
    let parts = Parts {
        run: run.clone(),
        store: memory as Arc<dyn Store>,
        provider: Arc::new(aws.clone()) as Arc<dyn Provider>,
        aws,
        replicas: plan.replicas,
        seed,
        rules: lacking.rules,
    };
    let stage = Stage::start(parts).await?;
    let hands = actor::act(&stage, &mut plan).await?;
    stage.calm(CALM).await?;
    // What lands late lands; what is unknown is looked for again.
    tokio::time::sleep(LATE).await;
    stage.until_quiet(CALM).await?;
    let mut history = stage.history().await?;
    history.hands = hands;
    let violations = check(&history);
    let unknown = history
        .references
        .iter()
        .filter(|it| it.entry.state == hangar_plan::operation::EntryState::Unknown)
        .count();
    let trace = if keep || !violations.is_empty() { run.trace() } else { Vec::new() };
    Ok(Outcome {
        seed,
        operations: history.operations.len(),
        mishaps: history.mishaps,
        unknown,
        violations,
        trace,
        fingerprint: run.fingerprint(),
    })
}
