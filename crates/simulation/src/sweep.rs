//! Every crash of a scenario, one by one and two by two: its calls of the store and of AWS are numbered, and
//! the process dies before and after each.
//!
//! A scenario is one small file in `scenario`; what must hold at its end is said there, on top of the
//! invariants of every history.

mod crashes;
pub mod scenario;

use std::time::Duration;

use hangar_schema::Catalog;
use hangar_simulator::core::settings::Settings;
use hangar_store::StoreError;

use crate::history::check;
use crate::rig::clock::RunClock;
use crate::rig::fate::When;
use crate::rig::tier::{self, Lacking, Tier};
use crate::rig::{runtime, stage::Stage};

use crashes::{Count, Crashes};
use scenario::{Ended, Scenario};

/// A crash: before or after the call of this number, counted from the start or from the crash before.
pub type Crash = (usize, When);

/// What came of one schedule.
#[derive(Debug, Clone, Default)]
pub struct Swept {
    /// Calls from the last crash, or from the start, to the end.
    pub calls: usize,
    /// Whether every crash of the schedule came about.
    pub crashed: bool,
    /// What does not hold.
    pub wrong: Vec<String>,
    /// What happened, where something does not hold.
    pub trace: Vec<String>,
}

/// How long everything may take.
const PATIENCE: Duration = Duration::from_hours(3);

/// Plays a scenario with these crashes.
pub fn play(
    scenario: &Scenario,
    tier: Tier,
    replicas: usize,
    crashes: &[Crash],
) -> Result<Swept, StoreError> {
    let runtime = runtime()?;
    let swept = runtime.block_on(play_on(scenario, tier, replicas, crashes));
    // Those that died wait for ever.
    runtime.shutdown_background();
    swept
}

async fn play_on(
    scenario: &Scenario,
    tier: Tier,
    replicas: usize,
    crashes: &[Crash],
) -> Result<Swept, StoreError> {
    let settings = Settings {
        latency: hangar_simulator::core::time::SpanRange {
            least: Duration::from_millis(100),
            most: Duration::from_millis(700),
        },
        ..Settings::default()
    };
    let clock = RunClock::new();
    let made = tier::make(tier, &clock, Catalog::bundled(), settings, Lacking::NOTHING)?;
    let parts = made.parts(clock, replicas, 0);
    let run = parts.run.clone();
    let stage = Stage::start(parts).await?;
    (scenario.prepare)(&stage).await?;
    stage.until_quiet(PATIENCE).await?;
    let count = Count::default();
    stage.set_fates(Box::new(Crashes::new(crashes, count.clone())));
    run.tell("act");
    (scenario.act)(&stage).await?;
    stage.until_quiet(PATIENCE).await?;
    let calls = count.since_the_last();
    let crashed = count.crashes() == crashes.len();
    stage.calm(PATIENCE).await?;
    let history = stage.history().await?;
    let mut wrong: Vec<String> = check(&history).iter().map(ToString::to_string).collect();
    wrong.extend((scenario.end)(&Ended { history: &history }).err());
    let trace = if wrong.is_empty() { Vec::new() } else { run.trace() };
    Ok(Swept { calls, crashed, wrong, trace })
}

/// The schedules of a scenario with one crash, or with a first crash and all of a second one.
pub fn schedules(calls: usize) -> impl Iterator<Item = Crash> {
    (0..calls).flat_map(|call| [(call, When::Before), (call, When::After)])
}

/// What came of a sweep.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Calls of the scenario without a crash.
    pub points: usize,
    /// Schedules that were played.
    pub schedules: usize,
    /// Those after which something does not hold.
    pub broken: Vec<(Vec<Crash>, Swept)>,
}

/// Sweeps a scenario: every single crash, and of those with two every so-many-th; 1 is all of them.
pub fn sweep(
    scenario: &Scenario,
    tier: Tier,
    replicas: usize,
    every: usize,
) -> Result<Report, StoreError> {
    let fair = play(scenario, tier, replicas, &[])?;
    let mut report = Report { points: fair.calls, schedules: 1, broken: Vec::new() };
    if !fair.wrong.is_empty() {
        report.broken.push((Vec::new(), fair));
        return Ok(report);
    }
    let mut number = 0;
    for first in schedules(fair.calls) {
        let swept = play(scenario, tier, replicas, &[first])?;
        report.schedules += 1;
        let calls = swept.calls;
        if !swept.wrong.is_empty() {
            report.broken.push((vec![first], swept));
            continue;
        }
        for second in schedules(calls) {
            number += 1;
            if number % every.max(1) != 0 {
                continue;
            }
            let crashes = [first, second];
            let swept = play(scenario, tier, replicas, &crashes)?;
            report.schedules += 1;
            if !swept.wrong.is_empty() {
                report.broken.push((crashes.to_vec(), swept));
            }
        }
    }
    Ok(report)
}
