//! The one test command: every suite in turn, all failures seen, skips counted by name.

mod output;

use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use clap::ValueEnum;

use self::output::Summary;
use crate::setup::{Tool, Tools};
use crate::workspace::{Root, shown, stream};
use crate::{edges, licences, purity, schemas, words};

/// Run the suites: formatting, lints, the map of crates, tests, docs, licences
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask test\n  cargo xtask test --only edges\n  \
                        cargo xtask test --full")]
pub(crate) struct Options {
    /// Also run what takes long: ignored tests, and many more cases of each property
    #[arg(long)]
    full: bool,
    /// Run one suite
    #[arg(long, value_name = "SUITE")]
    only: Option<Suite>,
    /// Do not print the table of tools
    #[arg(long)]
    no_setup: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Suite {
    Fmt,
    Clippy,
    Edges,
    Purity,
    Tests,
    Docs,
    Catalog,
    Licences,
    Deny,
    Words,
}

/// How a suite ended.
enum Outcome {
    /// What it looked at, and the tests that skipped themselves by name.
    Passed(String, Vec<String>),
    /// Why it could not run here.
    Skipped(String),
    /// Why, and the tests that skipped themselves all the same.
    Failed(anyhow::Error, Vec<String>),
}

struct Ended {
    suite: Suite,
    outcome: Outcome,
    took: Duration,
}

pub(crate) fn run(options: &Options, root: &Root) -> ExitCode {
    let tools = Tools::look(root);
    if !options.no_setup {
        tools.print();
    }
    let wanted = |suite: &&Suite| options.only.is_none_or(|only| only == **suite);
    let mut ended = Vec::new();
    for &suite in Suite::value_variants().iter().filter(wanted) {
        println!("\n== {}", suite.name());
        let started = Instant::now();
        let outcome = suite.perform(options, root, &tools);
        if let Outcome::Failed(error, _) = &outcome {
            println!("{error:#}");
        }
        ended.push(Ended { suite, outcome, took: started.elapsed() });
    }
    conclude(&ended)
}

/// One line per suite, then the failures and the skips by name.
fn conclude(ended: &[Ended]) -> ExitCode {
    println!();
    let mut skips = Vec::new();
    let mut failures = Vec::new();
    for Ended { suite, outcome, took } in ended {
        let name = suite.name();
        let (word, note) = match outcome {
            Outcome::Passed(note, by_tests) => {
                skips.extend(by_tests.iter().cloned());
                ("ok", note.as_str())
            }
            Outcome::Skipped(why) => {
                skips.push(format!("{name} ({why})"));
                ("skipped", why.as_str())
            }
            Outcome::Failed(_, by_tests) => {
                skips.extend(by_tests.iter().cloned());
                failures.push(name.clone());
                ("FAILED", "see above")
            }
        };
        println!("{name:<10} {word:<8} {:>7.1} s  {note}", took.as_secs_f64());
    }
    if !failures.is_empty() {
        println!("failed: {}", failures.join(", "));
    }
    match skips.len() {
        0 => println!("skipped: none"),
        count => println!("skipped: {count}: {}", skips.join("; ")),
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Suite {
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// What it cannot run without.
    fn needs(self) -> Option<Tool> {
        match self {
            Self::Fmt => Some(Tool::Rustfmt),
            Self::Clippy => Some(Tool::Clippy),
            Self::Catalog => Some(Tool::Schemas),
            Self::Deny => Some(Tool::CargoDeny),
            _ => None,
        }
    }

    fn perform(self, options: &Options, root: &Root, tools: &Tools) -> Outcome {
        if let Some(tool) = self.needs().filter(|tool| !tools.has(*tool)) {
            return Outcome::Skipped(format!("{} is missing", tool.describe().0));
        }
        let cargo = |arguments: &[&str]| stream(root.cargo(arguments)).map(|()| String::new());
        let result = match self {
            Self::Fmt => cargo(&["fmt", "--all", "--check"]),
            Self::Clippy => cargo(&[
                "clippy",
                "--workspace",
                "--all-targets",
                "--quiet",
                "--",
                "-D",
                "warnings",
            ]),
            Self::Edges => edges::check(root),
            Self::Purity => purity::check(root),
            Self::Tests => return tests(options, root),
            Self::Docs => docs(root),
            Self::Catalog => schemas::check(root),
            Self::Licences => licences::check(root),
            Self::Deny => {
                cargo(&["deny", "--all-features", "check", "licenses", "sources", "bans"])
            }
            Self::Words => words::check(root),
        };
        match result {
            Ok(note) => Outcome::Passed(note, Vec::new()),
            Err(error) => Outcome::Failed(error, Vec::new()),
        }
    }
}

fn docs(root: &Root) -> Result<String> {
    let mut command = root.cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    stream(command).map(|()| String::new())
}

/// Cargo's own progress and compile errors reach the terminal; of what the tests write only
/// failures are shown.
fn tests(options: &Options, root: &Root) -> Outcome {
    let mut command = root.cargo(&["test", "--workspace", "--no-fail-fast", "--", "--show-output"]);
    if options.full {
        command
            .arg("--include-ignored")
            .env("PROPTEST_CASES", "20000")
            .env("HANGAR_TEST_FULL", "1");
    } else {
        // The same inputs each time: what a random run finds becomes an example, not a surprise.
        command.env("PROPTEST_RNG_SEED", "20261115");
    }
    let output = match command.stderr(Stdio::inherit()).output() {
        Ok(output) => output,
        Err(error) => {
            let error = anyhow!(error).context(format!("cannot start {}", shown(&command)));
            return Outcome::Failed(error, Vec::new());
        }
    };
    let summary = Summary::read(&String::from_utf8_lossy(&output.stdout));
    let counts = summary.counts();
    for counted in &summary.counted {
        println!("  {counted}");
    }
    if output.status.success() {
        Outcome::Passed(counts, summary.skipped)
    } else {
        let error = anyhow!("{}{counts} ({})", summary.failures, output.status);
        Outcome::Failed(error, summary.skipped)
    }
}
