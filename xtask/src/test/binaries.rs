//! The executables that cargo builds of tests: which there are, and a run of some of them, each with its time.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, anyhow};
use serde_json::Value;

use super::output::Summary;
use super::{Options, Outcome, run_tests};
use crate::workspace::{Root, capture};

/// Which of them are run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which<'a> {
    /// Those of units and of integration, of every package, and the examples in the docs.
    All,
    /// Those of integration of some packages, by their folders.
    Integration(&'a [&'a str]),
}

/// One executable.
struct Binary {
    /// The package's folder: what the executable runs in.
    folder: PathBuf,
    /// `it`, or the name of the crate whose units it tests.
    name: String,
    path: PathBuf,
}

impl Binary {
    /// `crates/cli it`, as a reader of the repository would write it.
    fn shown(&self, root: &Root) -> String {
        format!("{} {}", root.relative(&self.folder).display(), self.name)
    }
}

/// Builds the tests of integration, and says where they are. The whole workspace is named, so that nothing is built a
/// second time with other features.
pub(super) const INTEGRATION: [&str; 7] =
    ["test", "--no-run", "--workspace", "--message-format", "json", "--test", "it"];

/// Builds them, then runs each in turn; cargo's own progress and compile errors reach the terminal.
pub(super) fn run(
    options: &Options,
    root: &Root,
    which: Which<'_>,
    filter: &[&str],
    environment: &[(&str, &str)],
) -> Outcome {
    let binaries = match build(root, which) {
        Ok(binaries) => binaries,
        Err(error) => return Outcome::Failed(error, Vec::new()),
    };
    let mut commands: Vec<(String, Command)> = Vec::new();
    for binary in &binaries {
        let mut command = Command::new(&binary.path);
        command.arg("--show-output").args(filter).current_dir(&binary.folder);
        command.envs(environment.iter().copied());
        commands.push((binary.shown(root), command));
    }
    if which == Which::All {
        let examples = root.cargo(&["test", "--doc", "--workspace", "--quiet"]);
        commands.push(("examples in the docs".to_owned(), examples));
    }
    let mut all = Summary::default();
    let mut all_passed = true;
    for (name, command) in commands {
        let started = Instant::now();
        match run_tests(options, command) {
            Ok((summary, passed)) => {
                let took = started.elapsed().as_secs_f64();
                println!("  {name}: {}, {took:.1} s", summary.counts());
                // At once, and not at the end of all: whoever waits can look into it meanwhile.
                if !passed {
                    println!("{}", summary.failures);
                }
                all_passed &= passed;
                all = all.with(summary);
            }
            Err(error) => return Outcome::Failed(error, all.skipped),
        }
    }
    if !all_passed {
        return Outcome::Failed(anyhow!("{}; see above", all.counts()), all.skipped);
    }
    // A filter that fits no test any more.
    if all.is_of_nothing() {
        return Outcome::Failed(anyhow!("no test ran: {}", filter.join(" ")), all.skipped);
    }
    Outcome::Passed(all.counts(), all.skipped)
}

fn build(root: &Root, which: Which<'_>) -> Result<Vec<Binary>> {
    let arguments = if which == Which::All { &INTEGRATION[..5] } else { &INTEGRATION[..] };
    let told = capture(root.cargo(arguments))?;
    let mut found: Vec<Binary> = told.lines().filter_map(read).collect();
    if let Which::Integration(folders) = which {
        found.retain(|binary| folders.iter().any(|folder| binary.folder.ends_with(folder)));
        if found.len() != folders.len() {
            let (named, wanted) = (found.len(), folders.len());
            return Err(anyhow!("cargo reported {named} of {wanted} test executables"));
        }
    }
    found.sort_by(|one, other| (&one.folder, &one.name).cmp(&(&other.folder, &other.name)));
    Ok(found)
}

/// One line of what cargo tells; nothing where it is not about an executable of tests.
fn read(line: &str) -> Option<Binary> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_test = message["profile"]["test"].as_bool()?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let name = message["target"]["name"].as_str()?.to_owned();
    let path = PathBuf::from(message["executable"].as_str()?);
    is_test.then_some(Binary { folder, name, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_executables_of_tests_are_taken() {
        let artifact = |test: bool, executable: &str| {
            format!(
                r#"{{"reason": "compiler-artifact", "manifest_path": "/r/crates/cli/Cargo.toml",
                     "target": {{"name": "it"}}, "profile": {{"test": {test}}}, "executable": {executable}}}"#
            )
        };
        let binary = read(&artifact(true, r#""/r/target/it-1""#)).unwrap();
        assert_eq!(binary.folder, Path::new("/r/crates/cli"));
        assert_eq!(
            (binary.name.as_str(), binary.path.as_path()),
            ("it", Path::new("/r/target/it-1"))
        );
        // The program itself, and a library that tests need.
        assert!(read(&artifact(false, r#""/r/target/hangar""#)).is_none());
        assert!(read(&artifact(true, "null")).is_none());
        assert!(read("   Compiling hangar v0.1.0").is_none());
    }
}
