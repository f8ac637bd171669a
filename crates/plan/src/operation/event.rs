//! What can happen to an operation: what a worker tells the machine.

use std::time::Duration;

use super::ending::Finding;

/// What has to be done to make live what is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// Nothing.
    None,
    /// An update; the worker holds the patch.
    Update {
        /// Where it changes something, as RFC 6901 pointers.
        paths: Vec<String>,
    },
    /// Only a replacement could do it.
    Replace(Vec<Finding>),
    /// What is wanted is not acceptable.
    Invalid(Vec<Finding>),
    /// An update would lose write-only values that were applied and that the request does not carry.
    SecretsRequired(Vec<Finding>),
}

impl ChangeKind {
    /// Where something differs, as RFC 6901 pointers.
    pub fn paths(&self) -> Vec<String> {
        match self {
            Self::None => Vec::new(),
            Self::Update { paths } => paths.clone(),
            Self::Replace(findings) | Self::Invalid(findings) | Self::SecretsRequired(findings) => {
                findings.iter().map(|finding| finding.path.clone()).collect()
            }
        }
    }
}

/// What a read found.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Observed {
    /// No such resource.
    Absent,
    /// The resource.
    Present {
        /// As the cloud spells it.
        identifier: String,
        /// How it compares with what is wanted.
        change: ChangeKind,
        /// After a write: AWS's forms of what was sent.
        forms: NewForms,
    },
    /// The type cannot be read: compared with what was applied.
    Unreadable {
        /// How that compares with what is wanted.
        change: ChangeKind,
    },
    /// What is to be done is not what was planned.
    Moved {
        /// Why.
        findings: Vec<Finding>,
    },
}

/// The forms of values that a read after a write shows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NewForms {
    /// None.
    None,
    /// Some.
    At {
        /// The paths at which the read shows AWS's form of what was sent.
        paths: Vec<String>,
        /// How the read compares with what is wanted once these forms are known.
        change: ChangeKind,
    },
}

/// How far a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProgressState {
    /// Accepted, not begun.
    Pending,
    /// Begun, or being stopped.
    InProgress,
    /// Ended well.
    Success,
    /// Ended badly.
    Failed,
    /// Stopped.
    Canceled,
}

/// What the cloud says of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Progress {
    /// Names the request.
    pub request_token: String,
    /// How far it is.
    pub state: ProgressState,
    /// The resource, once named.
    pub identifier: Option<String>,
    /// The handler's error code.
    pub code: Option<String>,
    /// What the handler says.
    pub message: Option<String>,
    /// When the cloud wants to be asked again.
    pub retry_after: Option<Duration>,
}

/// What a failed call means; see `hangar_provider::ErrorClass`, which it mirrors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalClass {
    /// Not accepted, and never will be.
    Refused,
    /// Not accepted: asked too often.
    Throttled,
    /// Not accepted: another request works on the resource.
    Busy,
    /// Not sent.
    Unreachable,
    /// May or may not have been accepted.
    Unanswered,
    /// Not accepted: not allowed.
    Forbidden,
    /// The resource is not there.
    NotFound,
    /// The request is not known.
    UnknownRequest,
    /// The token was used with other parameters.
    TokenConflict,
    /// The cloud cannot do that with the type.
    Unsupported,
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Refusal {
    /// What it means.
    pub class: RefusalClass,
    /// The cloud's own code.
    pub code: String,
    /// What the cloud says.
    pub message: String,
    /// When the cloud wants to be asked again.
    pub retry_after: Option<Duration>,
    /// Whether the cloud names the request that stands in the way.
    pub names_request: bool,
}

/// What a look-up found.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Found {
    /// The resource that one of the attempts made; a read shows it.
    One(String),
    /// No attempt made a resource that exists, and no request that may be theirs is under way; as of
    /// when the look-up was begun.
    Nothing,
    /// It cannot be told, or not yet: a request that may be theirs is under way.
    Undecided {
        /// Resources that may be the one.
        candidates: Vec<String>,
    },
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Event {
    /// A worker has the lease, and begins or goes on.
    Claimed,
    /// The call that was committed was not made: its worker slept in between, and let it be.
    NotSent,
    /// A read was answered.
    Observed(Observed),
    /// A read failed.
    ReadFailed(Refusal),
    /// A write, a poll or a cancel was answered.
    Progressed(Progress),
    /// Nothing is known of the request that was not known before: it was not asked for.
    NothingNew {
        /// When it is worth asking.
        again_after: Duration,
    },
    /// A write failed.
    CallFailed(Refusal),
    /// A poll or a cancel failed.
    PollFailed(Refusal),
    /// A look-up was answered.
    LookedUp(Found),
    /// A look-up failed.
    LookUpFailed(Refusal),
    /// Another reference names the resource; the step that said so was not written.
    MappedElsewhere {
        /// That reference.
        reference: String,
    },
}
