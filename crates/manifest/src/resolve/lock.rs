//! A lock: the values that references had, to resolve the same manifests again without asking anybody.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::codes;
use super::evaluate::{Evaluation, Resolved, Secrecy};
use super::link::Link;
use super::problem::Problem;
use super::references::{Use, Values};
use crate::reference::Reference;

/// The version of the file that is written and read.
const VERSION: u32 = 1;

/// What references stood for. Secrets are not in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    version: u32,
    values: BTreeMap<String, Value>,
}

/// Why a text is no lock.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// It is not what we write.
    #[error("it is not a Hangar lock file: {0}")]
    Json(#[from] serde_json::Error),
    /// It is of another version.
    #[error("it has version {0}, but this version of Hangar reads version {VERSION}")]
    Version(u32),
}

/// How a value differs from the lock.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// The reference.
    pub reference: String,
    /// What the lock had.
    pub from: Value,
    /// What it is now.
    pub to: Value,
}

impl Lock {
    /// The values of references that were resolved, but secrets.
    pub fn of(uses: &[Use]) -> Self {
        let open = uses.iter().filter(|it| it.secrecy == Secrecy::Open);
        let values = open.map(|it| (it.reference.clone(), it.value.clone())).collect();
        Self { version: VERSION, values }
    }

    /// Reads a lock.
    pub fn read(text: &str) -> Result<Self, LockError> {
        let lock: Self = serde_json::from_str(text)?;
        if lock.version == VERSION { Ok(lock) } else { Err(LockError::Version(lock.version)) }
    }

    /// The text of the lock, in one order.
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        text + "\n"
    }

    /// How many values it has.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether it has no value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The same with the values of an older lock for references that this one does not have.
    #[must_use]
    pub fn with_others_of(mut self, older: &Self) -> Self {
        for (reference, value) in &older.values {
            self.values.entry(reference.clone()).or_insert_with(|| value.clone());
        }
        self
    }

    /// What is another value now than in an older lock.
    pub fn moved_from(&self, older: &Self) -> Vec<Moved> {
        let moved = self.values.iter().filter_map(|(reference, to)| {
            let from = older.values.get(reference).filter(|from| *from != to)?;
            Some(Moved { reference: reference.clone(), from: from.clone(), to: to.clone() })
        });
        moved.collect()
    }
}

impl Values for &Lock {
    fn value(&mut self, text: &str, _reference: &Reference) -> Evaluation {
        let links = vec![Link::new("lock", text)];
        let outcome = match self.values.get(text) {
            Some(value) => Ok(Resolved { value: value.clone(), secrecy: Secrecy::Open }),
            None => Err(Problem::new(codes::NOT_LOCKED, "the lock file has no value for it")
                .hint("run once without `--offline` to write it; lock files never contain secrets")
                .into()),
        };
        Evaluation { outcome, links }
    }
}
