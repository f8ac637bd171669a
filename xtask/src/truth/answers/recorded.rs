//! The recorded answers: those of AWS, with placeholders for values that differ between runs.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::calls::Calls;
use crate::workspace::Root;

const FILE: &str = "../shared/fixtures/aws-reads/cloudcontrol-recorded-answers.json";

/// The answers by test and name.
pub(super) struct RecordedAnswers {
    answers: BTreeMap<(String, String), Value>,
}

impl RecordedAnswers {
    /// The answers next to the repository, if they are there.
    pub(super) fn read(root: &Root) -> Result<Option<Self>> {
        let file = root.join(FILE);
        if !file.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        let tests: BTreeMap<String, Value> = serde_json::from_str(&text)
            .with_context(|| format!("{} is not JSON", file.display()))?;
        let mut answers = BTreeMap::new();
        for (name, test) in tests {
            // The name begins with the file of the test.
            let name = name.split_once("::").map_or(name.as_str(), |(_, name)| name);
            let content = test["recorded-content"].as_object();
            let content = content.with_context(|| format!("{name}: no `recorded-content`"))?;
            for (answer, value) in content {
                answers.insert((name.to_owned(), answer.clone()), value.clone());
            }
        }
        Ok(Some(Self { answers }))
    }

    /// Checks that each recorded answer has its call. [`Self::find`] checks the reverse.
    pub(super) fn check_names(&self, calls: &Calls) -> Result<()> {
        let has_call = |(test, answer): &&(String, String)| calls.has_answer(test, answer);
        match self.answers.keys().find(|key| !has_call(key)) {
            Some((test, answer)) => bail!("no call for the recorded answer {test} {answer}"),
            None => Ok(()),
        }
    }

    pub(super) fn find(&self, test: &str, answer: &str) -> Result<&Value> {
        let found = self.answers.get(&(test.to_owned(), answer.to_owned()));
        found.with_context(|| format!("no recorded answer {test} {answer}"))
    }
}
