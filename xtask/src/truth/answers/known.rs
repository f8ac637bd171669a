//! The known differences between AWS's answers and the simulator's, each with its reason and source.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};

use super::calls::Calls;
use super::compare::Difference;
use crate::workspace::Root;

const FILE: &str = "crates/simulator/tests/answers/differences.tsv";

pub(super) struct KnownDifferences {
    lines: BTreeSet<Difference>,
}

impl KnownDifferences {
    pub(super) fn read(root: &Root) -> Result<Self> {
        let text = std::fs::read_to_string(root.join(FILE))
            .with_context(|| format!("cannot read {FILE}"))?;
        let mut lines = BTreeSet::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let at = || format!("{FILE}:{}", index + 1);
            ensure!(lines.insert(read_line(line).with_context(at)?), "{}: a second time", at());
        }
        Ok(Self { lines })
    }

    /// Checks that each line names a call.
    pub(super) fn check_names(&self, calls: &Calls) -> Result<()> {
        match self.lines.iter().find(|line| !calls.has_answer(&line.test, &line.answer)) {
            Some(line) => bail!("{FILE}: no call {} {}", line.test, line.answer),
            None => Ok(()),
        }
    }

    /// New differences, and lines that no longer occur.
    pub(super) fn unexplained(&self, found: &BTreeSet<Difference>) -> Vec<String> {
        let new = found.difference(&self.lines).map(|one| format!("new difference: {one}"));
        let old = self.lines.difference(found);
        let old = old.map(|one| format!("no longer occurs, remove from {FILE}: {one}"));
        new.chain(old).collect()
    }
}

fn read_line(line: &str) -> Result<Difference> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [test, answer, pointer, aws, simulator, reason, source] = fields[..] else {
        bail!("a line has seven fields: test, answer, pointer, AWS, simulator, reason, source");
    };
    ensure!(!reason.is_empty() && !source.is_empty(), "a reason and a source are required");
    let [test, answer, pointer, aws, simulator] =
        [test, answer, pointer, aws, simulator].map(str::to_owned);
    Ok(Difference { test, answer, pointer, aws, simulator })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_difference_and_one_that_no_longer_occurs_are_reported() {
        let line = |pointer: &str| read_line(&format!("t\ta\t{pointer}\t-\t1\tr\ts")).unwrap();
        let known = KnownDifferences { lines: BTreeSet::from([line("/kept"), line("/gone")]) };
        let found = BTreeSet::from([line("/kept"), line("/new")]);
        let reported = known.unexplained(&found);
        assert_eq!(reported.len(), 2, "{reported:?}");
        assert!(reported[0].starts_with("new difference: t\ta\t/new"), "{reported:?}");
        assert!(reported[1].starts_with("no longer occurs"), "{reported:?}");
        assert!(read_line("t\ta\t/p\t-\t1\tr\t").is_err());
    }
}
