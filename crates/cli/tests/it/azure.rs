//! Azure's own SDKs against `hangar serve`: for Python and for JavaScript, unchanged, over loopback.
//!
//! The claims are in `tests/azure`; here each file of them gets a server and a simulator of its own,
//! so that latencies, faults and counts of one are not seen by another. `cargo xtask setup` makes
//! what they run with.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped or counted")]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use crate::clients::{PYTHON, STAMP as PYTHON_STAMP};
use crate::deployment::{Deployment, Kind, kinds};
use crate::simulator::Simulator;

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/azure");
const PACKAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/node/node_modules");
/// Written when all of it has been installed.
const NODE_STAMP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/node/installed.json");
/// The files of claims, in each language.
const FILES: [&str; 5] = ["failures", "groups", "polling", "resources", "writes"];

/// A language that Azure has an SDK for.
struct Language {
    name: &'static str,
    program: &'static str,
    /// Where the files of claims are, and what their names end with.
    folder: &'static str,
    extension: &'static str,
    environment: &'static [(&'static str, &'static str)],
}

const IN_PYTHON: Language = Language {
    name: "Python",
    program: PYTHON,
    folder: "python",
    extension: "py",
    environment: &[("PYTHONUTF8", "1"), ("PYTHONDONTWRITEBYTECODE", "1")],
};

const IN_JAVASCRIPT: Language = Language {
    name: "JavaScript",
    program: "node",
    folder: "javascript",
    extension: "js",
    environment: &[("NODE_PATH", PACKAGES)],
};

#[test]
fn azures_sdk_for_python_can_trust_the_api() {
    if Path::new(PYTHON_STAMP).exists() {
        for kind in kinds("azures_sdk_for_python_can_trust_the_api") {
            claims(&IN_PYTHON, kind);
        }
    } else {
        println!(
            "skipped: azures_sdk_for_python_can_trust_the_api (no .tools/python; `cargo xtask setup` \
             makes it)"
        );
    }
}

#[test]
fn azures_sdk_for_javascript_can_trust_the_api() {
    if Path::new(NODE_STAMP).exists() {
        for kind in kinds("azures_sdk_for_javascript_can_trust_the_api") {
            claims(&IN_JAVASCRIPT, kind);
        }
    } else {
        println!(
            "skipped: azures_sdk_for_javascript_can_trust_the_api (no .tools/node; `cargo xtask setup` \
             makes it)"
        );
    }
}

/// Runs all files of a language at once, and tells what came of them together.
fn claims(language: &Language, kind: Kind) {
    let ended: Vec<Ended> = thread::scope(|scope| {
        let running = FILES.map(|file| scope.spawn(move || Ended::of(language, kind, file)));
        running.into_iter().map(|running| running.join().unwrap()).collect()
    });
    let failed: Vec<&str> = ended.iter().filter_map(|one| one.failure.as_deref()).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    let name = language.name;
    let (mut held, mut broken) = (0, 0);
    for Ended { file, said, .. } in &ended {
        let tally = Tally::read(said).unwrap_or_else(|| panic!("{file} ran no claim:\n{said}"));
        assert_ne!(tally.held, 0, "{file} ran no claim");
        held += tally.held;
        broken += tally.broken;
        for (claim, why) in &tally.off {
            println!("skipped: {claim} of Azure's SDK for {name} ({why})");
        }
    }
    println!(
        "counted: {held} claims of Azure's SDK for {name} hold on {kind:?}, {broken} are known not to"
    );
}

/// How a file of claims ended.
struct Ended {
    file: &'static str,
    said: String,
    /// All that is to be seen, where a claim failed.
    failure: Option<String>,
}

impl Ended {
    fn of(language: &Language, kind: Kind, file: &'static str) -> Self {
        // The claims count writes and compare what was put with what is got.
        let simulator = Simulator::start(&["--fidelity", "plain"]);
        let server = Deployment::start(kind, simulator.url());
        let script = Path::new(SCRIPTS).join(language.folder).join(file);
        // It finds this server and nothing else: no configuration and no proxy of the machine.
        let mut command = Command::new(language.program);
        command
            .arg(script.with_extension(language.extension))
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .envs(language.environment.iter().copied())
            .env("HOME", simulator.folder())
            .env("HANGAR_API_URL", server.url())
            .env("HANGAR_API_TOKEN", server.token())
            .env("HANGAR_SIMULATOR_URL", simulator.url())
            .stdin(Stdio::null());
        let Output { status, stdout, stderr } = command.output().unwrap();
        let said = String::from_utf8_lossy(&stderr).into_owned();
        let failure = (!status.success()).then(|| {
            let stdout = String::from_utf8_lossy(&stdout);
            // What went as it should is too much to read.
            let log = server.said();
            let log: Vec<&str> = log.lines().filter(|line| !line.contains(" INFO ")).collect();
            let (log, aws) = (log.join("\n"), simulator.said());
            format!("{command:?}: {status}\n{stdout}{said}--- the server\n{log}\n--- AWS\n{aws}")
        });
        Self { file, said, failure }
    }
}

/// What a file says of its claims, in the words of Python's unittest.
#[derive(Debug, PartialEq, Eq)]
struct Tally {
    held: usize,
    /// Claims that fail because of a defect that is known.
    broken: usize,
    /// Claims about what is not there yet, and why.
    off: Vec<(String, String)>,
}

impl Tally {
    fn read(said: &str) -> Option<Self> {
        let ran: usize = said
            .lines()
            .find_map(|line| line.strip_prefix("Ran ")?.split_once(" test")?.0.parse().ok())?;
        let broken = said.lines().filter(|line| line.ends_with(" ... expected failure")).count();
        let off = said.lines().filter_map(|line| {
            let (claim, why) = line.split_once(" ... skipped '")?;
            // Python says the name twice.
            let claim = claim.split(" (__main__.").next()?;
            Some((claim.to_owned(), why.trim_end_matches('\'').to_owned()))
        });
        let off: Vec<_> = off.collect();
        Some(Self { held: ran.checked_sub(broken + off.len())?, broken, off })
    }
}

#[test]
fn claims_that_are_off_or_broken_are_not_counted_as_held() {
    let said = "test_a (__main__.A.test_a) ... ok\ntest_b (__main__.A.test_b) ... skipped 'not yet'\n\
                a claim in words ... expected failure\n\nRan 3 tests in 0.1s\n\nOK (skipped=1)\n";
    let off = vec![("test_b".to_owned(), "not yet".to_owned())];
    assert_eq!(Tally::read(said), Some(Tally { held: 1, broken: 1, off }));
    assert_eq!(Tally::read("no such module"), None);
}
