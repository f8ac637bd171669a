//! Values as the columns of a database hold them, whichever it is.

use hangar_plan::Timestamp;
use hangar_plan::record::OperationRecord;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::rules::{self, Keeping};

/// What tells the machines of operations on many resources apart: each of these has a member of its own.
#[derive(Deserialize)]
pub(crate) struct Probe {
    deployment: Option<IgnoredAny>,
    recipe: Option<IgnoredAny>,
}

/// What such an operation is about.
pub(crate) enum About {
    Group,
    Deployment,
    Recipe,
}

impl Probe {
    pub(crate) const fn about(&self) -> About {
        match (&self.deployment, &self.recipe) {
            (Some(_), _) => About::Deployment,
            (None, Some(_)) => About::Recipe,
            (None, None) => About::Group,
        }
    }
}

/// A value as JSON text.
pub(crate) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a stored type has text for keys and cannot fail to print")
}

/// The word that a state is stored as.
pub(crate) fn to_word(state: &impl Serialize) -> String {
    match serde_json::to_value(state) {
        Ok(serde_json::Value::String(word)) => word,
        other => unreachable!("a state is stored as one word, not as {other:?}"),
    }
}

/// The word for what may become of an operation's row.
pub(crate) fn to_keeping(record: &OperationRecord) -> &'static str {
    match rules::keeping(record) {
        Keeping::Running => "running",
        // Both are looked at before they go.
        Keeping::Parked | Keeping::Unknown => "parked",
        Keeping::Ended => "ended",
    }
}

/// A count, for a database whose integers are signed.
pub(crate) fn to_integer(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A limit.
pub(crate) fn to_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// An instant, if there is one.
pub(crate) fn to_micros(instant: Option<Timestamp>) -> Option<i64> {
    instant.map(Timestamp::as_micros)
}
