//! The state of an operation: all that the machine knows, kept whole in one row.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::attempt::{Attempt, Verb};
use super::ending::{Ending, Failure, Success};
use super::held::Held;
use super::id::OperationId;
use crate::{Timestamp, Waiting};

/// What an operation is for. A replacement is a put whose attempts delete and create in turn; a put
/// that takes in what has the name already goes on as an import.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Make it so: create, update, or nothing.
    Put,
    /// Delete the resource, and the reference to it.
    Delete,
    /// Remove the reference, leave the resource.
    Unlink,
    /// Take in a resource that exists; then, with properties, make it so.
    Import {
        /// Whether deleting the reference will delete the resource.
        owned: bool,
        /// Whether properties are to be applied after.
        apply: bool,
    },
}

impl Kind {
    /// The word used in answers, logs and metrics.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Delete => "delete",
            Self::Unlink => "unlink",
            Self::Import { .. } => "import",
        }
    }
}

/// In which order a replacement deletes and creates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Delete, see that it is gone, create; the alias stays reserved.
    DeleteFirst,
    /// Create, move the alias and note the old one as retiring in one step, delete the old one.
    CreateFirst,
}

/// What is taken in when a create finds its name taken.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Adoption {
    /// The name that the properties give, where they do; else the one that the cloud tells.
    pub identifier: Option<String>,
    /// Whether deleting the reference will delete it.
    pub owned: bool,
}

/// What of the type and of the request the machine has to know.
// Four independent facts, each with its own meaning.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Policy {
    /// Whether there is a reference.
    pub tracked: bool,
    /// Whether the type can be read.
    pub readable: bool,
    /// Whether a resource that is not there may be made: the type can be created, and its name is
    /// not one that only the cloud can give.
    pub may_create: bool,
    /// Whether creates carry the marker tag.
    pub marker: bool,
    /// How long one request may take.
    pub handler_timeout: Duration,
    /// Whether, and in which order, a resource may be replaced where only that makes it so.
    #[serde(default)]
    pub replace: Option<Strategy>,
    /// Whether what has the name already is taken in.
    #[serde(default)]
    pub adopt: Option<Adoption>,
    /// What a plan says that may be done, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    /// Where values were applied of which only hashes are stored: a create from what was applied lacks them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unstored: Vec<String>,
}

/// What an operation does after a look-up that found nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Then {
    /// Goes on with what was asked, if all attempts are settled.
    GoOn,
    /// Ends with this failure.
    Fail(Failure),
}

/// Where an operation stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Live is to be read, to decide what to do.
    Observe {
        /// How often in a row the resource was not there.
        absences: u8,
    },
    /// The last attempt is to be sent, or sent again.
    Call,
    /// The last attempt was accepted and runs.
    Poll,
    /// The write is done; live is to be read to see its effect.
    Verify {
        /// Since when.
        since: Timestamp,
    },
    /// A call may have made something; it is to be looked for.
    LookUp {
        /// What comes after.
        then: Then,
    },
    /// Ended, with an unknown create: looked for once more when the quarantine is over.
    Parked,
    /// Ended, and nothing is left to do.
    Done,
}

/// What an operation has come to, while it still deletes what was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Closing {
    /// How it will end if nothing is left, or if what is left does not matter to its caller.
    pub success: Success,
    /// Why something is left: the first delete of it that failed.
    pub failure: Option<Failure>,
}

/// One asynchronous write.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operation {
    /// Its name.
    pub id: OperationId,
    /// What it is for.
    pub kind: Kind,
    /// What of type and request matters.
    pub policy: Policy,
    /// Where it stands.
    pub stage: Stage,
    /// The resource it works on, once known.
    pub identifier: Option<String>,
    /// Its calls, in order; creates of earlier operations that are still unsettled come first.
    pub attempts: Vec<Attempt>,
    /// Waits in a row without progress; makes the next one longer.
    pub tries: u32,
    /// When the last read or look-up was begun: what it finds is true of then, not of when it is heard.
    #[serde(default)]
    pub looked_at: Option<Timestamp>,
    /// Since when it waits for the cloud without progress.
    pub waiting_since: Option<Timestamp>,
    /// Why it waits, for callers; kept while a try is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// Whether its caller wants it stopped.
    pub cancel_requested: bool,
    /// Whether the cloud was asked to stop the request.
    pub cancel_sent: bool,
    /// When it was accepted.
    pub started_at: Timestamp,
    /// Why its create made nothing: the name was taken, and what has it is about to be taken in. The
    /// failure stands if there is nothing to take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopting: Option<Failure>,
    /// Its own work is done, and what was replaced is being deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Closing>,
    /// What its updates were to change, as RFC 6901 pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Whether a read around its write may show another write: the reference was written shortly before with no read
    /// that shows it, or no worker attended to this write for long. No form of a value that can be updated is learned
    /// then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub doubtful_reads: bool,
    /// How it ended.
    pub ending: Option<Ending>,
}

impl Operation {
    /// Whether its caller has been told the end.
    pub fn is_ended(&self) -> bool {
        self.ending.is_some()
    }

    /// The attempt that is being made.
    pub fn current(&self) -> Option<&Attempt> {
        self.attempts.last().filter(|attempt| attempt.operation == self.id)
    }

    /// Whether it waits, and no call of it that writes can be under way.
    pub fn waits_without_a_call(&self) -> bool {
        self.waiting.is_some() && !self.attempts.iter().any(Attempt::may_be_under_way)
    }

    /// Whether a call of it that writes was begun.
    pub fn has_sent(&self) -> bool {
        self.attempts
            .iter()
            .any(|attempt| attempt.operation == self.id && attempt.sent_at.is_some())
    }

    /// How many calls that write were begun or may have been, by what they ask for.
    pub fn sent(&self, verb: Verb) -> usize {
        let own = self.attempts.iter().filter(|attempt| attempt.operation == self.id);
        own.filter(|attempt| attempt.verb == verb && attempt.sent_at.is_some()).count()
    }
}
