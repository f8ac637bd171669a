//! The one test command: every suite in turn, all failures seen, skips counted by name.

mod binaries;
mod cdk8s;
mod output;

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use clap::ValueEnum;

use self::binaries::Which;
use self::output::Summary;
use crate::setup::{Tool, Tools};
use crate::workspace::{Root, shown, stream};
use crate::{book, conformance, edges, licences, purity, schemas, truth, words};

/// Run the test suites
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask test\n  cargo xtask test --only edges\n  \
                        cargo xtask test --full")]
pub(crate) struct Options {
    /// Also run ignored tests, and more cases of each property test
    #[arg(long)]
    full: bool,
    /// Run only this suite
    #[arg(long, value_name = "SUITE")]
    only: Option<Suite>,
    /// Do not install or list tools
    #[arg(long)]
    no_setup: bool,
    /// Succeed even if a suite is skipped because a tool from apt, PyPI or npm is missing
    #[arg(long)]
    allow_skips: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Suite {
    Fmt,
    Clippy,
    Edges,
    Purity,
    Tests,
    Replicas,
    Clients,
    Azure,
    Cdk8s,
    Docs,
    Catalog,
    Conformance,
    Truth,
    Licences,
    Deny,
    Words,
    Book,
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
    let wanted = |suite: &&Suite| options.only.is_none_or(|only| only == **suite);
    let with_tools = [Suite::Tests, Suite::Replicas, Suite::Clients, Suite::Azure, Suite::Cdk8s];
    let needs_tools = with_tools.iter().any(|it| wanted(&it));
    let tools =
        if needs_tools && !options.no_setup { Tools::set_up(root) } else { Tools::look(root) };
    if !options.no_setup {
        tools.print();
    }
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
    fn needs(self) -> &'static [Tool] {
        match self {
            Self::Fmt => &[Tool::Rustfmt],
            Self::Clippy => &[Tool::Clippy],
            Self::Replicas => &[Tool::Postgresql],
            Self::Clients => &[Tool::PythonClients],
            Self::Azure => &[Tool::PythonClients, Tool::NodeClients],
            Self::Cdk8s => &[Tool::Cdk8s, Tool::PythonClients],
            Self::Catalog => &[Tool::Schemas],
            Self::Deny => &[Tool::CargoDeny],
            _ => &[],
        }
    }

    fn perform(self, options: &Options, root: &Root, tools: &Tools) -> Outcome {
        if let Some(tool) = self.needs().iter().find(|tool| !tools.has(**tool)) {
            return self.without(*tool, options);
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
            // The clients' own suites run them; all else is `tests`.
            Self::Tests => {
                let others = ["--skip", CLIENTS, "--skip", AZURE];
                let outcome = binaries::run(options, root, Which::All, &others, &[]);
                let wanted =
                    [Tool::Postgresql, Tool::PythonClients, Tool::Cdk8s, Tool::AwsProvider];
                return needing(&wanted, outcome, options, tools);
            }
            // Those of engine and API once more, with two replicas on PostgreSQL; every type of the catalog is one
            // server's business.
            Self::Replicas => {
                let (which, skips) = (&["crates/engine", "crates/api"], ["--skip", "sweep"]);
                let environment = [("HANGAR_TEST_STORE", "postgres")];
                let which = Which::Integration(which);
                return binaries::run(options, root, which, &skips, &environment);
            }
            Self::Clients => return binaries::run(options, root, BINARY, &[CLIENTS], &[]),
            Self::Azure => return binaries::run(options, root, BINARY, &[AZURE], &[]),
            Self::Cdk8s => return cdk8s::run(root),
            Self::Docs => docs(root),
            Self::Catalog => schemas::check(root),
            Self::Conformance => match conformance::check(root) {
                Ok(None) => return Outcome::Skipped("no ../shared".to_owned()),
                Ok(Some(note)) => Ok(note),
                Err(error) => Err(error),
            },
            Self::Truth => truth::check(root),
            Self::Licences => licences::check(root),
            Self::Deny => {
                cargo(&["deny", "--all-features", "check", "licenses", "sources", "bans"])
            }
            Self::Words => words::check(root),
            Self::Book => book::check(root),
        };
        match result {
            Ok(note) => Outcome::Passed(note, Vec::new()),
            Err(error) => Outcome::Failed(error, Vec::new()),
        }
    }

    /// A skip, and a failure too where nobody need go without the tool.
    fn without(self, tool: Tool, options: &Options) -> Outcome {
        let ((_, how), why) = (tool.describe(), tool.lack());
        if options.allow_skips || !tool.is_installable() {
            return Outcome::Skipped(why);
        }
        let skip = format!("{} ({why})", self.name());
        let error = anyhow!("{why}: {how}; pass `--allow-skips` to ignore this");
        Outcome::Failed(error, vec![skip])
    }
}

/// What came of tests of which some skip themselves without one of these tools: a failure where nobody need go without.
fn needing(wanted: &[Tool], outcome: Outcome, options: &Options, tools: &Tools) -> Outcome {
    let is_lacking = |tool: &&Tool| tool.is_installable() && !tools.has(**tool);
    match (wanted.iter().find(is_lacking), outcome) {
        (Some(tool), Outcome::Passed(_, skips)) if !options.allow_skips => {
            let (name, how) = tool.describe();
            let error = anyhow!("{name} is missing: {how}; pass `--allow-skips` to ignore this");
            Outcome::Failed(error, skips)
        }
        (_, outcome) => outcome,
    }
}

/// The modules of the tests that need foreign clients: AWS's and Azure's.
const CLIENTS: &str = "clients::";
const AZURE: &str = "azure::";
/// Where they are.
const BINARY: Which<'static> = Which::Integration(&["crates/cli"]);

fn docs(root: &Root) -> Result<String> {
    let mut command = root.cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    stream(command).map(|()| String::new())
}

/// Runs tests; gives what they said and whether all passed.
fn run_tests(options: &Options, mut command: Command) -> Result<(Summary, bool)> {
    if options.full {
        command
            .arg("--include-ignored")
            .env("PROPTEST_CASES", "20000")
            .env("HANGAR_TEST_FULL", "1");
    } else {
        // The same inputs each time: what a random run finds becomes an example, not a surprise.
        command.env("PROPTEST_RNG_SEED", "20261115");
    }
    let started = command.stderr(Stdio::inherit()).output();
    let output = started.with_context(|| format!("cannot start {}", shown(&command)))?;
    let summary = Summary::read(&String::from_utf8_lossy(&output.stdout));
    for counted in &summary.counted {
        println!("  {counted}");
    }
    Ok((summary, output.status.success()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of tests that all passed but one, which skipped itself for lack of this tool.
    fn lacking(tool: Tool, allow_skips: bool) -> Outcome {
        let options = Options { full: false, only: None, no_setup: true, allow_skips };
        let passed = Outcome::Passed(String::new(), vec!["one".to_owned()]);
        let wanted = [Tool::Postgresql, Tool::PythonClients, Tool::Terraform];
        needing(&wanted, passed, &options, &Tools::all_but(tool))
    }

    #[test]
    fn a_skip_for_lack_of_what_anybody_can_install_fails_the_run_unless_it_is_allowed() {
        for tool in [Tool::Postgresql, Tool::PythonClients] {
            let Outcome::Failed(error, skips) = lacking(tool, false) else { panic!("{tool:?}") };
            assert!(error.to_string().contains(tool.describe().0), "{error}");
            assert_eq!(skips, ["one"]);
            assert!(matches!(lacking(tool, true), Outcome::Passed(..)), "{tool:?}");
        }
    }

    #[test]
    fn a_skip_for_lack_of_what_no_registry_has_is_only_counted() {
        assert!(
            matches!(lacking(Tool::Terraform, false), Outcome::Passed(_, skips) if skips == ["one"])
        );
    }
}
