//! Plays seeds from the command line: `cargo xtask simulate`.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "what it prints is its result")]

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use clap::Parser;
use hangar_simulation::rig::tier::{Lacking, Tier};
use hangar_simulation::seeds::{Outcome, play};

/// Search for crashes, races and lost answers that break a promise: seeded runs of the real engine
#[derive(Parser)]
#[command(
    name = "simulate",
    after_help = "A seed that breaks something is printed with what happened; \
    --seed N plays it again."
)]
struct Options {
    /// How many seeds are played
    #[arg(long, default_value_t = 1000)]
    seeds: u64,
    /// The first of them
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Play this one only, and print all that happens in it
    #[arg(long)]
    seed: Option<u64>,
    /// How many are played at once; as many as there are cores where nobody says
    #[arg(long)]
    threads: Option<usize>,
    /// How many lines of what happened are printed of a seed that breaks something
    #[arg(long, default_value_t = 120)]
    lines: usize,
}

#[derive(Default)]
struct Sum {
    seeds: u64,
    operations: usize,
    mishaps: u64,
    unknown: usize,
    broken: Vec<Outcome>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    if let Some(seed) = options.seed {
        return replay(seed);
    }
    let threads = options
        .threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(2, std::num::NonZero::get));
    let (next, stop) = (AtomicU64::new(options.from), AtomicBool::new(false));
    let sum = Mutex::new(Sum::default());
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= options.from + options.seeds {
                        return;
                    }
                    let played = play(seed, Tier::A, Lacking::NOTHING, false);
                    let Ok(mut sum) = sum.lock() else { return };
                    match played {
                        Ok(outcome) => add(&mut sum, outcome, &stop),
                        Err(error) => {
                            println!("seed {seed}: {error}");
                            stop.store(true, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    let sum = sum.into_inner().unwrap_or_default();
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{} seeds, {} operations, {} mishaps, {} aliases unknown at the end, {} seeds broken, {seconds:.1} s",
        sum.seeds,
        sum.operations,
        sum.mishaps,
        sum.unknown,
        sum.broken.len()
    );
    for outcome in sum.broken.iter().take(3) {
        print(outcome, options.lines);
    }
    if sum.broken.is_empty() && !stop.load(Ordering::Relaxed) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn add(sum: &mut Sum, outcome: Outcome, stop: &AtomicBool) {
    sum.seeds += 1;
    sum.operations += outcome.operations;
    sum.mishaps += outcome.mishaps;
    sum.unknown += outcome.unknown;
    if !outcome.violations.is_empty() {
        sum.broken.push(outcome);
        if sum.broken.len() >= 20 {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

fn replay(seed: u64) -> ExitCode {
    let again = || play(seed, Tier::A, Lacking::NOTHING, true);
    let (outcome, other) = match (again(), again()) {
        (Ok(outcome), Ok(other)) => (outcome, other),
        (Err(error), _) | (_, Err(error)) => {
            println!("seed {seed}: {error}");
            return ExitCode::FAILURE;
        }
    };
    print(&outcome, usize::MAX);
    let same = outcome.fingerprint == other.fingerprint;
    println!(
        "seed {seed}: {} operations, {} mishaps, {}",
        outcome.operations,
        outcome.mishaps,
        if same { "the same when played again" } else { "NOT the same when played again" }
    );
    if outcome.violations.is_empty() && same { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print(outcome: &Outcome, lines: usize) {
    println!("seed {}:", outcome.seed);
    let told = outcome.trace.iter().filter(|line| {
        lines == usize::MAX || !line.contains(" store ") || line.contains("operation_")
    });
    let told: Vec<&String> = told.collect();
    for line in told.iter().take(lines) {
        println!("  {line}");
    }
    if told.len() > lines {
        println!("  … {} lines more: --seed {}", told.len() - lines, outcome.seed);
    }
    for violation in &outcome.violations {
        println!("  {violation}");
    }
}
