//! The package for cdk8s apps: its lints, its build, the copy of it that the binary carries, and its own tests.

use std::process::Stdio;

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::Value;

use super::Outcome;
use super::binaries::INTEGRATION;
use crate::python::PYTHON;
use crate::workspace::{Root, capture, shown, stream};

/// Where the package is.
const FOLDER: &str = "npm";

pub(crate) fn run(root: &Root) -> Outcome {
    match perform(root) {
        Ok(Report { passed, failed: 0, skipped, .. }) if passed > 0 => Outcome::Passed(
            format!("{passed} passed, 0 failed, {} skipped", skipped.len()),
            skipped,
        ),
        Ok(Report { passed, failed, skipped, failures }) => {
            let counts = format!("{passed} passed, {failed} failed, {} skipped", skipped.len());
            Outcome::Failed(anyhow!("{failures}{counts}"), skipped)
        }
        Err(error) => Outcome::Failed(error, Vec::new()),
    }
}

fn perform(root: &Root) -> Result<Report> {
    for chore in ["lint", "build", "bundle:check"] {
        let mut command = root.command("npm", &["run", "--silent", chore]);
        command.current_dir(root.join(FOLDER));
        stream(command)?;
    }
    let mut tests = root.command("npm", &["test", "--silent"]);
    tests.current_dir(root.join(FOLDER)).env("HANGAR_BIN", binary(root)?);
    tests.env("HANGAR_TEST_PYTHON", root.join(PYTHON)).stderr(Stdio::inherit());
    let output = tests.output().with_context(|| format!("cannot start {}", shown(&tests)))?;
    let told = String::from_utf8_lossy(&output.stdout);
    let mut report = Report::read(&told);
    if !output.status.success() {
        // A file that does not even load may be missing in the counts.
        report.failed = report.failed.max(1);
        report.failures = told.into_owned();
    }
    Ok(report)
}

/// The program, as the other tests have built it.
fn binary(root: &Root) -> Result<String> {
    let told = capture(root.cargo(&INTEGRATION))?;
    let messages = told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = messages.filter(|message| {
        message["target"]["name"] == "hangar" && message["target"]["kind"][0] == "bin"
    });
    match programs.find_map(|message| message["executable"].as_str().map(str::to_owned)) {
        Some(program) => Ok(program),
        None => bail!("cargo did not report the path of the binary `hangar`"),
    }
}

/// What Node's test runner says, in either of its two ways: TAP, or the one for people.
#[derive(Debug, Default, PartialEq, Eq)]
struct Report {
    passed: usize,
    failed: usize,
    /// By name, with the reason.
    skipped: Vec<String>,
    failures: String,
}

impl Report {
    fn read(output: &str) -> Self {
        let mut report = Self::default();
        for line in output.lines() {
            let count = |word: &str| {
                let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))?;
                rest.strip_prefix(word)?.strip_prefix(' ')?.trim().parse::<usize>().ok()
            };
            report.passed += count("pass").unwrap_or(0);
            report.failed += ["fail", "cancelled"].into_iter().filter_map(count).sum::<usize>();
            report.skipped.extend(skipped(line));
        }
        report
    }
}

/// The test that a line says was skipped, and why.
fn skipped(line: &str) -> Option<String> {
    let line = line.trim_start();
    if let Some((name, why)) = line.split_once(" # SKIP") {
        let name = name.strip_prefix("ok ")?.split_once(" - ")?.1;
        return Some(format!("{name} ({})", why.trim()));
    }
    // `﹣ name (0.1ms) # why`
    let (name, why) = line.strip_prefix("﹣ ")?.rsplit_once(" # ")?;
    let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
    Some(format!("{name} ({why})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAP: &str = "TAP version 13
# Subtest: a
ok 1 - a
  ---
  duration_ms: 1.2
  ...
ok 2 - b, which is - odd # SKIP HANGAR_BIN is not set
not ok 3 - c
1..3
# tests 3
# suites 0
# pass 1
# fail 1
# cancelled 1
# skipped 1
# todo 0
";
    const SPEC: &str = "✔ a (1.2ms)
﹣ b, which is - odd (0.3ms) # HANGAR_BIN is not set
✖ c (2ms)
ℹ tests 3
ℹ suites 0
ℹ pass 1
ℹ fail 1
ℹ cancelled 1
ℹ skipped 1
ℹ todo 0
";

    #[test]
    fn both_ways_of_nodes_test_runner_give_the_same_counts() {
        let expected = Report {
            passed: 1,
            failed: 2,
            skipped: vec!["b, which is - odd (HANGAR_BIN is not set)".to_owned()],
            failures: String::new(),
        };
        assert_eq!(Report::read(TAP), expected);
        assert_eq!(Report::read(SPEC), expected);
    }
}
