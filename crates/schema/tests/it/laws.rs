//! The laws of the patch (design: "applying the patch to live gives the target" and the rest), held
//! over every type of the catalog.

mod arbitrary;
mod check;
mod documents;
mod examples;
mod inspect;
mod places;
mod shrink;
mod total;
mod world;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{Catalog, Outcome, TypeSchema, without_secrets};
use serde_json::Value;

use check::{Case, Violation};

/// What the sweep went through; printed, so that a sweep over nothing is seen.
#[derive(Debug, Default)]
struct Counts {
    types: usize,
    without_handlers: usize,
    immutable: usize,
    unreadable: usize,
    documents: usize,
    updates: usize,
    noops: usize,
    replacements: usize,
    operations: usize,
    misfits: usize,
    ambiguous: usize,
}

/// Violations by law, with how often each was seen and the smallest example.
type Findings = BTreeMap<String, (usize, String)>;

#[test]
fn the_laws_hold_for_every_type() {
    let catalog = Catalog::bundled();
    let names: Vec<&str> = match std::env::var("HANGAR_TEST_TYPE") {
        Ok(wanted) => catalog.names().filter(|name| name.contains(&wanted)).collect(),
        Err(_) => catalog.names().collect(),
    };
    let rounds = if std::env::var_os("HANGAR_TEST_FULL").is_some() { 24 } else { 4 };
    let next = AtomicUsize::new(0);
    let total = Mutex::new((Counts::default(), Findings::new()));
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(4);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let (mut counts, mut findings) = (Counts::default(), Findings::new());
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let schema = catalog.get(name).unwrap();
                    sweep(&schema, rounds, &mut counts, &mut findings);
                }
                let mut total = total.lock().unwrap();
                total.0.absorb(&counts);
                for (law, (times, example)) in findings {
                    let entry = total.1.entry(law).or_insert((0, example.clone()));
                    entry.0 += times;
                    if example.len() < entry.1.len() {
                        entry.1 = example;
                    }
                }
            });
        }
    });
    let (counts, findings) = total.into_inner().unwrap();
    println!("counted: laws of the patch: {counts:?}");
    for (law, (times, example)) in &findings {
        println!("\n{law}: {times} times, for example\n{example}");
    }
    assert!(findings.is_empty(), "{} laws are broken", findings.len());
    assert_eq!(counts.types, names.len());
}

fn sweep(schema: &TypeSchema, rounds: u64, counts: &mut Counts, findings: &mut Findings) {
    counts.types += 1;
    if schema.handlers().is_empty() {
        counts.without_handlers += 1;
        if let Some(found) = check::refused(schema) {
            note(findings, schema, None, &found);
        }
        return;
    }
    counts.immutable += usize::from(schema.handlers().update.is_none());
    counts.unreadable += usize::from(schema.handlers().read.is_none());
    let mut sampler = Sampler::new(schema);
    for round in 0..rounds {
        for (offset, size) in [Size::Small, Size::Medium, Size::Large].into_iter().enumerate() {
            let seed = round * 3 + offset as u64;
            let before = sampler.desired(seed, size);
            let live = live(schema, &mut sampler, &before, seed);
            counts.documents += 1;
            for step in 0..2 {
                let (after, changes) = sampler.changed(&before, seed * 2 + step);
                let case =
                    Case { live: live.clone(), before: before.clone(), after, changes, seed };
                let report = check::check(schema, &case);
                counts.add(&report);
                for violation in report.violations {
                    note(findings, schema, Some(&case), &violation);
                }
            }
        }
    }
    counts.misfits += sampler.misfits();
}

/// A type that cannot be read is compared with what was applied, so that is what live is.
fn live(schema: &TypeSchema, sampler: &mut Sampler<'_>, desired: &Value, seed: u64) -> Value {
    if schema.handlers().read.is_none() {
        without_secrets(schema, desired)
    } else {
        sampler.live(desired, seed)
    }
}

fn note(findings: &mut Findings, schema: &TypeSchema, case: Option<&Case>, violation: &Violation) {
    // Shrinking costs many patches; a few examples of each law are enough.
    let seen = findings.get(violation.law).map_or(0, |(times, _)| *times);
    let example = match case {
        Some(case) if seen < 40 => shrink::smallest(schema, case, violation),
        _ => format!("{}: {}", schema.name(), violation.what),
    };
    let entry = findings.entry(violation.law.to_owned()).or_insert((0, example.clone()));
    entry.0 += 1;
    if seen < 40 && example.len() < entry.1.len() {
        entry.1 = example;
    }
}

impl Counts {
    fn add(&mut self, report: &check::Report) {
        match report.outcome {
            Some(Outcome::Update) => self.updates += 1,
            Some(Outcome::Noop) => self.noops += 1,
            Some(Outcome::ReplaceRequired) => self.replacements += 1,
            None => {}
        }
        self.operations += report.operations;
        self.ambiguous += report.ambiguous;
    }

    fn absorb(&mut self, other: &Self) {
        self.types += other.types;
        self.without_handlers += other.without_handlers;
        self.immutable += other.immutable;
        self.unreadable += other.unreadable;
        self.documents += other.documents;
        self.updates += other.updates;
        self.noops += other.noops;
        self.replacements += other.replacements;
        self.operations += other.operations;
        self.misfits += other.misfits;
        self.ambiguous += other.ambiguous;
    }
}
