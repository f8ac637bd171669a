//! Replays AWS's recorded answers of Cloud Control: the simulator must give the same ones.
//!
//! The project has the calls and the known differences. The answers are next to the repository.

mod calls;
mod compare;
mod known;
mod recorded;
mod replay;

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use self::calls::{Calls, RecordedTest};
use self::compare::Difference;
use self::known::KnownDifferences;
use self::recorded::RecordedAnswers;
use self::replay::{Replayed, replay};
use crate::workspace::Root;

/// The simulator draws times and values from its seed: the answers must not depend on it.
const SEEDS: u64 = 8;

/// Replays all calls and returns the line with the counts.
pub(super) fn check(root: &Root) -> Result<String> {
    let calls = Calls::read(root)?;
    let known = KnownDifferences::read(root)?;
    known.check_names(&calls)?;
    let Some(recorded) = RecordedAnswers::read(root)? else {
        for test in &calls.tests {
            replay(test, 0)?;
        }
        let (tests, answers) = (calls.tests.len(), calls.answer_count());
        return Ok(format!(
            "{answers} calls of {tests} tests replayed, nothing compared: no recorded answers in ../shared"
        ));
    };
    recorded.check_names(&calls)?;
    let differences = find_differences(&calls, &recorded)?;
    let summary = summary(&calls, &differences);
    let unexplained = known.unexplained(&differences);
    if unexplained.is_empty() {
        return Ok(summary);
    }
    bail!("{summary}\n{}", unexplained.join("\n"))
}

/// The differences, one line each.
pub(super) fn print(root: &Root) -> Result<()> {
    let calls = Calls::read(root)?;
    let Some(recorded) = RecordedAnswers::read(root)? else { return Ok(()) };
    for difference in find_differences(&calls, &recorded)? {
        println!("answer\t{difference}");
    }
    Ok(())
}

fn find_differences(calls: &Calls, recorded: &RecordedAnswers) -> Result<BTreeSet<Difference>> {
    let mut differences = BTreeSet::new();
    for test in &calls.tests {
        for seed in 0..SEEDS {
            let replayed = replay(test, seed)?;
            differences.extend(differences_of(test, recorded, replayed)?);
        }
    }
    Ok(differences)
}

fn differences_of(
    test: &RecordedTest,
    recorded: &RecordedAnswers,
    replayed: Replayed,
) -> Result<Vec<Difference>> {
    let Replayed { answers, mut placeholders } = replayed;
    let mut found = Vec::new();
    for (answer, simulated) in &answers {
        let aws = recorded.find(&test.name, answer)?;
        for (pointer, aws, simulator) in compare::compare(aws, simulated, &mut placeholders)? {
            let (test, answer) = (test.name.clone(), answer.clone());
            found.push(Difference { test, answer, pointer, aws, simulator });
        }
    }
    Ok(found)
}

fn summary(calls: &Calls, differences: &BTreeSet<Difference>) -> String {
    let different: BTreeSet<_> = differences.iter().map(|one| (&one.test, &one.answer)).collect();
    let answers = calls.answer_count();
    format!(
        "{answers} answers: {} equal, {} with {} named differences",
        answers - different.len(),
        different.len(),
        differences.len()
    )
}
