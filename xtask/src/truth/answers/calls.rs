//! The calls whose answers were recorded, test by test.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};
use hangar_simulator::wire::json;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::workspace::Root;

const FILE: &str = "crates/simulator/tests/answers/calls.json";

/// The content of the file of calls.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Calls {
    /// How the calls are known.
    source: String,
    pub(super) tests: Vec<RecordedTest>,
}

/// The calls of one test, in order, on an empty account.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedTest {
    /// Class and function of the test that recorded the answers.
    #[serde(rename = "test")]
    pub(super) name: String,
    /// Values that the caller chose, by their placeholders.
    pub(super) given: BTreeMap<String, String>,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Step {
    Pause(Pause),
    Call(CallStep),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Pause {
    /// Wait until all requests have ended.
    Wait,
}

/// One call of Cloud Control.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallStep {
    /// The name of the recorded answer, if the answer was recorded.
    pub(super) answer: Option<String>,
    /// The operation.
    #[serde(rename = "call")]
    pub(super) operation: String,
    /// The arguments, with placeholders; documents are values, not text.
    pub(super) with: Map<String, Value>,
    /// The placeholder of the request token in the answer.
    pub(super) request: Option<String>,
}

impl Calls {
    pub(super) fn read(root: &Root) -> Result<Self> {
        let text = std::fs::read_to_string(root.join(FILE))
            .with_context(|| format!("cannot read {FILE}"))?;
        let calls = Self::parse(&text).with_context(|| format!("{FILE} is not well-formed"))?;
        Ok(calls)
    }

    fn parse(text: &str) -> Result<Self> {
        let calls: Self = serde_json::from_str(text)?;
        ensure!(!calls.source.is_empty(), "no source");
        let mut tests = BTreeSet::new();
        for test in &calls.tests {
            ensure!(tests.insert(&test.name), "two tests `{}`", test.name);
            let mut answers = BTreeSet::new();
            for step in test.calls() {
                let CallStep { operation, answer, .. } = step;
                if json::read_target(&format!("CloudApiService.{operation}")).is_err() {
                    bail!("{}: `{operation}` is not an operation of Cloud Control", test.name);
                }
                if let Some(answer) = answer {
                    ensure!(answers.insert(answer), "{}: two answers `{answer}`", test.name);
                }
            }
            ensure!(!answers.is_empty(), "{}: no call has an answer", test.name);
        }
        Ok(calls)
    }

    /// The number of recorded answers.
    pub(super) fn answer_count(&self) -> usize {
        self.tests.iter().map(|test| test.answers().count()).sum()
    }

    pub(super) fn has_answer(&self, test: &str, answer: &str) -> bool {
        let of_test = self.tests.iter().find(|one| one.name == test);
        of_test.is_some_and(|test| test.answers().any(|one| one == answer))
    }
}

impl RecordedTest {
    fn calls(&self) -> impl Iterator<Item = &CallStep> {
        self.steps.iter().filter_map(|step| match step {
            Step::Call(step) => Some(step),
            Step::Pause(Pause::Wait) => None,
        })
    }

    /// The names of the recorded answers.
    pub(super) fn answers(&self) -> impl Iterator<Item = &str> {
        self.calls().filter_map(|step| step.answer.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_steps(steps: &str) -> String {
        format!(r#"{{"source":"s","tests":[{{"test":"t","given":{{}},"steps":[{steps}]}}]}}"#)
    }

    #[test]
    fn a_file_of_calls_is_checked() {
        let call = r#"{"answer":"a","call":"GetResource","with":{}}"#;
        assert!(Calls::parse(&with_steps(&format!(r#"{call},"wait""#))).is_ok());
        for steps in [
            String::new(),
            format!("{call},{call}"),
            call.replace("GetResource", "PutResource"),
            call.replace("answer", "reply"),
        ] {
            assert!(Calls::parse(&with_steps(&steps)).is_err(), "{steps}");
        }
    }
}
