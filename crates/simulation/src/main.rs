//! Plays seeds and sweeps crashes from the command line: `cargo xtask simulate`.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "what it prints is its result")]

mod crew;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use hangar_simulation::rig::tier::{Lacking, Tier};
use hangar_simulation::seeds::{self, Outcome};
use hangar_simulation::sweep::{self, Crash, Swept, scenario, scenario::Scenario, schedules};

use crew::Crew;

/// Search for crashes, races and lost responses that break an invariant
///
/// Runs the real engine on one thread, either with seeded schedules or with every crash of every scenario.
/// Each violation is printed with its trace. The same seed repeats the same run.
#[derive(Parser)]
#[command(
    name = "cargo xtask simulate",
    after_help = "Examples:\n  cargo xtask simulate --seeds 10000\n  cargo xtask simulate --seed 4711\n  \
                  cargo xtask simulate --sweep pairs"
)]
struct Options {
    /// Number of seeds to run
    #[arg(long, value_name = "N", default_value_t = 1000)]
    seeds: u64,
    /// First seed
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    from: u64,
    /// Run only this seed, twice, and print its complete trace
    #[arg(long, value_name = "SEED", conflicts_with_all = ["seeds", "from", "sweep"])]
    seed: Option<u64>,
    /// Run every crash of every scenario instead of seeds
    #[arg(long, value_name = "HOW")]
    sweep: Option<Sweep>,
    /// Run only this scenario
    #[arg(long, value_name = "NAME", requires = "sweep")]
    scenario: Option<String>,
    /// Store and AWS transport of the runs
    #[arg(long, value_enum, default_value_t = TierName::A)]
    tier: TierName,
    /// Number of parallel runs [default: number of cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Maximum number of trace lines to print for each violation
    #[arg(long, value_name = "N", default_value_t = 120)]
    lines: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum Sweep {
    /// One crash in each run
    Singles,
    /// One crash, then two crashes in each run
    Pairs,
}

#[derive(Clone, Copy, ValueEnum)]
enum TierName {
    /// Store in memory, AWS calls without HTTP
    A,
    /// Store in an SQLite file, AWS calls through the AWS SDK
    B,
}

impl From<TierName> for Tier {
    fn from(name: TierName) -> Self {
        match name {
            TierName::A => Self::A,
            TierName::B => Self::B,
        }
    }
}

/// So many that are broken are enough to look at.
const ENOUGH: usize = 20;

/// Of so many it is printed what happened.
const SHOWN: usize = 2;

fn main() -> ExitCode {
    let options = Options::parse();
    let cores = || std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let crew = Crew::new(options.threads.unwrap_or_else(cores), ENOUGH);
    let tier = options.tier.into();
    match (options.seed, options.sweep) {
        (Some(seed), _) => replay(seed, tier),
        (None, Some(how)) => swept(&options, &crew, tier, how),
        (None, None) => searched(&options, &crew, tier),
    }
}

#[derive(Default)]
struct Sum {
    seeds: u64,
    operations: usize,
    mishaps: u64,
    unknown: BTreeMap<String, usize>,
    endings: BTreeMap<String, usize>,
}

fn searched(options: &Options, crew: &Crew, tier: Tier) -> ExitCode {
    let began = Instant::now();
    let mut sum = Sum::default();
    let all = options.from..options.from.saturating_add(options.seeds);
    let broken = crew.go_through(
        all,
        options.seeds,
        "seeds",
        |seed| seeds::play(seed, tier, Lacking::NOTHING, false),
        |outcome: Outcome| {
            sum.seeds += 1;
            sum.operations += outcome.operations;
            sum.mishaps += outcome.mishaps;
            for type_name in &outcome.unknown {
                *sum.unknown.entry(type_name.clone()).or_default() += 1;
            }
            for (ending, count) in &outcome.endings {
                *sum.endings.entry(ending.clone()).or_default() += count;
            }
            (!outcome.violations.is_empty()).then_some(outcome)
        },
    );
    println!(
        "{} seeds in tier {tier:?}, {} operations, {} injected faults, {} aliases unknown at the end \
         {:?}, {} seeds with violations, {:.1} s",
        sum.seeds,
        sum.operations,
        sum.mishaps,
        sum.unknown.values().sum::<usize>(),
        sum.unknown,
        broken.len(),
        began.elapsed().as_secs_f64()
    );
    let endings = sum.endings.iter().map(|(ending, count)| format!("{ending} {count}"));
    println!("{}", endings.collect::<Vec<_>>().join(", "));
    for outcome in &broken {
        let first = outcome.violations.first().map(ToString::to_string).unwrap_or_default();
        println!("seed {}: {first}", outcome.seed);
    }
    for outcome in broken.iter().take(SHOWN) {
        print_outcome(outcome, options.lines);
    }
    code(broken.is_empty() && !crew.has_failed())
}

fn swept(options: &Options, crew: &Crew, tier: Tier, how: Sweep) -> ExitCode {
    let wanted = |it: &&Scenario| options.scenario.as_deref().is_none_or(|name| name == it.name);
    let (mut all_well, mut total) = (true, 0);
    let began = Instant::now();
    for scenario in scenario::ALL.iter().filter(wanted) {
        for replicas in [1, 2] {
            let (well, schedules) = swept_one(options, crew, tier, how, scenario, replicas);
            (all_well, total) = (all_well && well, total + schedules);
        }
    }
    if total == 0 {
        let names: Vec<&str> = scenario::ALL.iter().map(|it| it.name).collect();
        eprintln!("error: unknown scenario; available: {}", names.join("; "));
        return ExitCode::FAILURE;
    }
    println!("{total} schedules in {:.1} s", began.elapsed().as_secs_f64());
    code(all_well && !crew.has_failed())
}

/// Sweeps one scenario; tells whether all is well, and how many schedules that were.
fn swept_one(
    options: &Options,
    crew: &Crew,
    tier: Tier,
    how: Sweep,
    scenario: &Scenario,
    replicas: usize,
) -> (bool, u64) {
    let play = |crashes: &[Crash]| sweep::play(scenario, tier, replicas, crashes);
    let fair = match play(&[]) {
        Ok(fair) => fair,
        Err(error) => {
            eprintln!("error: {scenario:?} without a crash: {error}");
            return (false, 1);
        }
    };
    if !fair.wrong.is_empty() {
        print_swept(scenario, &[], &fair, options.lines);
        return (false, 1);
    }
    let mut played = 1;
    let mut pairs = Vec::new();
    let singles: Vec<Vec<Crash>> = schedules(fair.calls).map(|crash| vec![crash]).collect();
    let mut round = |all: Vec<Vec<Crash>>, pairs: &mut Vec<Vec<Crash>>| {
        let count = u64::try_from(all.len()).unwrap_or(u64::MAX);
        crew.go_through(
            all,
            count,
            scenario.name,
            |crashes| play(&crashes).map(|swept| (crashes, swept)),
            |(crashes, swept): (Vec<Crash>, Swept)| {
                played += 1;
                let further = crashes.len() == 1 && swept.wrong.is_empty();
                if further {
                    let second = schedules(swept.calls);
                    pairs.extend(second.map(|second| vec![crashes[0], second]));
                }
                (!swept.wrong.is_empty()).then_some((crashes, swept))
            },
        )
    };
    let mut broken = round(singles, &mut pairs);
    if matches!(how, Sweep::Pairs) {
        broken.extend(round(std::mem::take(&mut pairs), &mut Vec::new()));
    }
    println!(
        "{:<28} {replicas} process{}: {:>3} calls, {played:>6} schedules, {} with violations",
        scenario.name,
        if replicas == 1 { "  " } else { "es" },
        fair.calls,
        broken.len()
    );
    for (crashes, swept) in broken.iter().take(SHOWN) {
        print_swept(scenario, crashes, swept, options.lines);
    }
    (broken.is_empty(), played)
}

fn replay(seed: u64, tier: Tier) -> ExitCode {
    let again = || seeds::play(seed, tier, Lacking::NOTHING, true);
    let (outcome, other) = match (again(), again()) {
        (Ok(outcome), Ok(other)) => (outcome, other),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("error: seed {seed}: {error}");
            return ExitCode::FAILURE;
        }
    };
    print_outcome(&outcome, usize::MAX);
    let same = outcome.fingerprint == other.fingerprint;
    println!(
        "seed {seed}: {} operations, {} injected faults, {}",
        outcome.operations,
        outcome.mishaps,
        if same { "identical when repeated" } else { "NOT identical when repeated" }
    );
    code(outcome.violations.is_empty() && same)
}

fn code(is_well: bool) -> ExitCode {
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print_outcome(outcome: &Outcome, lines: usize) {
    println!("seed {}:", outcome.seed);
    print_trace(&outcome.trace, lines, &format!("--seed {}", outcome.seed));
    for violation in &outcome.violations {
        println!("  {violation}");
    }
}

fn print_swept(scenario: &Scenario, crashes: &[Crash], swept: &Swept, lines: usize) {
    println!("{scenario:?} with crashes {crashes:?}:");
    print_trace(&swept.trace, lines, "--lines");
    for wrong in &swept.wrong {
        println!("  {wrong}");
    }
}

/// A short trace leaves out what was only read.
fn print_trace(trace: &[String], lines: usize, more: &str) {
    const READS: [&str; 4] = ["_find", "_list", " now", "operation_claim"];
    let is_read =
        |line: &&String| line.contains(" store ") && READS.iter().any(|it| line.contains(it));
    let told: Vec<&String> =
        trace.iter().filter(|line| lines == usize::MAX || !is_read(line)).collect();
    for line in told.iter().take(lines) {
        println!("  {line}");
    }
    if told.len() > lines {
        println!("  … {} more lines: {more}", told.len() - lines);
    }
}
