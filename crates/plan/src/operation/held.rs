//! What a plan says that an operation may do. One that is held to it does that, or ends before it writes.
//!
//! What is written is known by keyed hashes only: whoever has the key says what the hash of a value is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ending::{Failure, FailureKind, Finding};
use super::event::ChangeKind;
use super::state::{Kind, Operation};

/// The code of whatever is not as it was planned.
pub const PLAN_MOVED: &str = "PlanMoved";

/// What was planned of one resource.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Held {
    /// What may be done.
    pub deed: HeldDeed,
    /// The resource that the alias stood for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// What an update was to change, by path; nothing where not all of it was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<BTreeMap<String, Mark>>,
}

/// What may be done with a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeldDeed {
    /// Made, because it is not there.
    Create,
    /// Changed.
    Update,
    /// Made anew.
    Replace,
    /// Taken in, and changed where that is needed.
    Adopt,
    /// Nothing.
    Nothing,
    /// Changed or not: that was not known.
    Open,
    /// Deleted.
    Delete,
    /// Left alone, without its alias.
    Detach,
    /// Nothing; what was replaced is deleted.
    Tidy,
}

impl HeldDeed {
    /// What it is, as people read it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "to be created",
            Self::Update => "to be updated",
            Self::Replace => "to be replaced",
            Self::Adopt => "to be adopted",
            Self::Nothing | Self::Tidy => "to stay unchanged",
            Self::Open => "to be updated if needed",
            Self::Delete => "to be deleted",
            Self::Detach => "to be detached",
        }
    }
}

/// Keyed hashes of what is at a path before and what is written there.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mark {
    /// Of what is there.
    pub before: String,
    /// Of what is written.
    pub after: String,
}

/// What a patch (RFC 6902) does to a document, by path; `mark` is the keyed hash of a value at a path.
pub fn marks_of(
    patch: &Value,
    live: &Value,
    mark: impl Fn(&str, &Value) -> String,
) -> BTreeMap<String, Mark> {
    let operations = patch.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut marks = BTreeMap::new();
    for operation in operations {
        let path = operation.get("path").and_then(Value::as_str).unwrap_or_default();
        // A value that is not there is no value: not the same as null.
        let before = live.pointer(path).map_or_else(|| json!([]), |value| json!([value]));
        let (before, after) = (mark(path, &before), mark(path, operation));
        marks.insert(path.to_owned(), Mark { before, after });
    }
    marks
}

impl Held {
    /// Why what a read found is not what was planned; `found` is what the patch of an update does.
    pub fn moved(
        &self,
        operation: &Operation,
        change: &ChangeKind,
        found: &BTreeMap<String, Mark>,
    ) -> Option<Vec<Finding>> {
        let has_written = has_written(operation);
        let is_allowed = match (self.deed, change) {
            // What was refused ends it before it writes, for reasons of its own.
            (_, ChangeKind::Invalid(_) | ChangeKind::SecretsRequired(_))
            | (HeldDeed::Replace, ChangeKind::Replace(_))
            | (HeldDeed::Open | HeldDeed::Adopt, ChangeKind::None | ChangeKind::Update { .. })
            | (HeldDeed::Nothing | HeldDeed::Tidy, ChangeKind::None)
            | (HeldDeed::Delete | HeldDeed::Detach, _) => true,
            // What it has written itself it goes on with.
            (HeldDeed::Create, _)
            | (HeldDeed::Replace, ChangeKind::None | ChangeKind::Update { .. })
            | (HeldDeed::Update, ChangeKind::None) => has_written,
            (HeldDeed::Update, ChangeKind::Update { .. }) => self.is_as_marked(found, has_written),
            (_, ChangeKind::Replace(_))
            | (HeldDeed::Nothing | HeldDeed::Tidy, ChangeKind::Update { .. }) => false,
        };
        if is_allowed {
            return None;
        }
        let (now, paths): (_, Vec<&str>) = match change {
            ChangeKind::None => ("needs no change", Vec::new()),
            ChangeKind::Update { paths } => {
                ("would be updated", paths.iter().map(String::as_str).collect())
            }
            ChangeKind::Replace(findings)
            | ChangeKind::Invalid(findings)
            | ChangeKind::SecretsRequired(findings) => {
                ("would have to be replaced", findings.iter().map(|it| it.path.as_str()).collect())
            }
        };
        let finding = |path: &str| Finding {
            code: PLAN_MOVED.to_owned(),
            path: path.to_owned(),
            message: format!("it was planned {}, but now {now}", self.deed.as_str()),
        };
        Some(match paths.as_slice() {
            [] => vec![finding("")],
            paths => paths.iter().map(|path| finding(path)).collect(),
        })
    }

    /// Whether an update is the planned one; the rest of it where some of it was written already.
    fn is_as_marked(&self, found: &BTreeMap<String, Mark>, has_written: bool) -> bool {
        match &self.marks {
            None => true,
            Some(marks) if has_written => found
                .iter()
                .all(|(path, mark)| marks.get(path).is_some_and(|it| it.after == mark.after)),
            Some(marks) => marks == found,
        }
    }

    /// Whether a resource that is not there may be made.
    pub fn may_make(&self, operation: &Operation) -> bool {
        match self.deed {
            HeldDeed::Create => true,
            // Only what it deleted itself.
            HeldDeed::Replace => has_written(operation),
            _ => false,
        }
    }

    /// Whether an operation may begin on what an alias stands for now.
    pub fn fits(&self, kind: &Kind, mapped: Option<&str>) -> bool {
        let is_planned_one = mapped == self.identifier.as_deref();
        match self.deed {
            // What was replaced is deleted by whatever the alias stands for.
            HeldDeed::Create | HeldDeed::Tidy => *kind == Kind::Put,
            HeldDeed::Adopt => matches!(kind, Kind::Import { .. }) && mapped.is_none(),
            HeldDeed::Update | HeldDeed::Replace | HeldDeed::Nothing | HeldDeed::Open => {
                *kind == Kind::Put && is_planned_one
            }
            HeldDeed::Delete => *kind == Kind::Delete && is_planned_one,
            HeldDeed::Detach => *kind == Kind::Unlink && is_planned_one,
        }
    }

    /// The failure of what was not done because it is not what was planned.
    pub fn failure(&self, now: &str, findings: Vec<Finding>) -> Failure {
        let message = format!(
            "it was planned {}, but now {now}; it was not written; plan again",
            self.deed.as_str()
        );
        Failure { kind: FailureKind::Conflict, code: PLAN_MOVED.to_owned(), message, findings }
    }
}

/// Whether a call of the operation itself was made, or may have been.
fn has_written(operation: &Operation) -> bool {
    let mut own = operation.attempts.iter().filter(|it| it.operation == operation.id);
    own.any(|it| it.sent_at.is_some())
}
