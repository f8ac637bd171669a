//! Why a reference has no value.

use std::collections::BTreeSet;

use hangar_diag::Code;

use super::Need;

/// Why a reference has no value: what, in what, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which kind of thing.
    pub code: Code,
    /// What happened, to what.
    pub message: String,
    /// What to do next.
    pub hints: Vec<String>,
    /// The stack or state that it is about.
    pub stack: Option<String>,
    /// The reference that it is about, as it is written.
    pub written: Option<String>,
    /// Whether what was asked for does not exist, so that something else may stand for it.
    pub is_absence: bool,
    /// What other references may lack for the same reason; without it the message is the reason.
    pub reason: Option<Box<Reason>>,
}

/// A reason that many references may share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// Equal for the same reason.
    pub key: String,
    /// What happened, without the reference.
    pub message: String,
    /// The same in words that hold for every reference with this reason.
    pub general: String,
    /// What differs between these references, such as a name.
    pub detail: Option<String>,
}

impl Reason {
    /// A reason that its message tells in full.
    pub fn of(message: &str) -> Self {
        let own = || message.to_owned();
        Self { key: own(), message: own(), general: own(), detail: None }
    }
}

impl Problem {
    /// Something that is wrong, or could not be asked.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let (message, hints) = (message.into(), Vec::new());
        Self { code, message, hints, stack: None, written: None, is_absence: false, reason: None }
    }

    /// Something that does not exist.
    pub fn absent(code: Code, message: impl Into<String>) -> Self {
        Self { is_absence: true, ..Self::new(code, message) }
    }

    /// With what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// For a reason that others may share: what it is told by, and words that hold for all of them.
    #[must_use]
    pub fn shared(mut self, key: impl Into<String>, general: impl Into<String>) -> Self {
        let (key, general, message) = (key.into(), general.into(), self.message.clone());
        self.reason = Some(Box::new(Reason { key, message, general, detail: None }));
        self
    }

    /// The same with what differs between those that share the reason.
    #[must_use]
    pub fn differing(mut self, detail: impl Into<String>) -> Self {
        if let Some(reason) = &mut self.reason {
            reason.detail = Some(detail.into());
        }
        self
    }

    /// About this stack.
    #[must_use]
    pub fn of(mut self, stack: impl Into<String>) -> Self {
        self.stack = Some(stack.into());
        self
    }
}

/// Why an evaluation stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// Something must be asked first.
    Needs(BTreeSet<Need>),
    /// There is no value.
    Problem(Box<Problem>),
}

impl Stop {
    /// One question.
    pub fn need(need: Need) -> Self {
        Self::Needs(BTreeSet::from([need]))
    }
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}
