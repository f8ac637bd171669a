//! What was measured: lines for people while it runs, one document for programs at the end.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::drive::Load;
use super::options::Options;
use super::process::load_average;

/// All that was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    references: u64,
    seconds: f64,
    cores: usize,
    load_average: f64,
    notes: Vec<String>,
    lines: Vec<Line>,
}

/// One measurement.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Line {
    store: &'static str,
    what: String,
    figures: Vec<Figure>,
    checks: Vec<Check>,
}

#[derive(Debug, Clone, Serialize)]
struct Figure {
    name: &'static str,
    value: f64,
    unit: &'static str,
}

/// What a figure is held to.
#[derive(Debug, Clone, Serialize)]
struct Check {
    what: String,
    weight: Weight,
    passed: bool,
}

/// What it means when a check fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Weight {
    /// A figure to reach on a quiet machine: told.
    Target,
    /// A ratio within this run: fails it.
    Gate,
    /// Something that must be so on any machine: fails the run too.
    Must,
}

/// What a figure is compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Report {
    pub(crate) fn begin(options: &Options) -> Self {
        let report = Self {
            references: options.references,
            seconds: options.seconds,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            load_average: load_average(),
            notes: Vec::new(),
            lines: Vec::new(),
        };
        let (cores, load) = (report.cores, report.load_average);
        println!(
            "{cores} cores shared by clients, server, store and simulator; load average {load}"
        );
        report
    }

    /// Tells how far it is.
    pub(crate) fn note(&mut self, text: &str) {
        println!("-- {text}");
        self.notes.push(text.to_owned());
    }

    pub(crate) fn add(&mut self, line: Line) {
        println!("{}", line.text());
        self.lines.push(line);
    }

    /// What is not as it should be.
    pub(crate) fn failed(&self, weight: Weight) -> Vec<String> {
        let mut failed = Vec::new();
        for line in &self.lines {
            let missed = line.checks.iter().filter(|it| !it.passed && it.weight == weight);
            failed.extend(missed.map(|it| format!("{} {}: {}", line.store, line.what, it.what)));
        }
        failed
    }

    /// Says what was missed, and writes the document.
    pub(crate) fn conclude(&self, options: &Options) -> Result<()> {
        println!("load average {} at the end", load_average());
        for missed in self.failed(Weight::Target) {
            println!("target missed: {missed}");
        }
        for weight in [Weight::Gate, Weight::Must] {
            for failed in self.failed(weight) {
                println!("FAILED: {failed}");
            }
        }
        if let Some(path) = &options.out {
            let text = serde_json::to_string_pretty(self).context("cannot write the figures")?;
            std::fs::write(Options::rooted(path), text)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }
}

impl Line {
    pub(crate) fn new(store: &'static str, what: impl Into<String>) -> Self {
        Self { store, what: what.into(), figures: Vec::new(), checks: Vec::new() }
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: f64, unit: &'static str) -> Self {
        self.figures.push(Figure { name, value, unit });
        self
    }

    /// All that a load tells: how fast, how late, at whose cost.
    #[must_use]
    pub(crate) fn with_load(self, load: &Load) -> Self {
        self.with("rate", load.rate(), "/s")
            .with("p50", load.within(500), "ms")
            .with("p99", load.within(990), "ms")
            .with("CPU each", load.cpu_each(), "µs")
            .with("client", load.client_share() * 100.0, "%")
            .with("RSS", load.memory, "MiB")
            .with("load", load.machine, "")
    }

    /// Holds a figure to a bound.
    #[must_use]
    pub(crate) fn held(mut self, name: &str, value: f64, bound: Bound, weight: Weight) -> Self {
        let (word, limit, passed) = match bound {
            Bound::AtLeast(limit) => ("≥", limit, value >= limit),
            Bound::AtMost(limit) => ("≤", limit, value <= limit),
        };
        let what = format!("{name} {} {word} {}", shown(value), shown(limit));
        self.checks.push(Check { what, weight, passed });
        self
    }

    /// Holds the run to something that must be so.
    #[must_use]
    pub(crate) fn must(mut self, what: impl Into<String>, passed: bool) -> Self {
        self.checks.push(Check { what: what.into(), weight: Weight::Must, passed });
        self
    }

    fn text(&self) -> String {
        let mut text = format!("{:<8} {:<44}", self.store, self.what);
        for Figure { name, value, unit } in &self.figures {
            let _ = write!(text, " {name} {}{unit};", shown(*value));
        }
        for Check { what, weight, passed } in &self.checks {
            let (kind, missed) = match weight {
                Weight::Target => ("target", "MISSED"),
                Weight::Gate => ("gate", "FAILED"),
                Weight::Must => ("must", "FAILED"),
            };
            let word = if *passed { "pass" } else { missed };
            let _ = write!(text, "\n         {kind:<6} {word:<6} {what}");
        }
        text
    }
}

/// With as many digits as say something.
fn shown(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
