//! What can be wrong with a document, as data; `validate` puts it into words for JSON, the check of
//! templates into others.

use hangar_diag::Severity;
use serde_json::{Number, Value};

use crate::kind::Kinds;
use crate::validate::Place;

/// One thing that is wrong, or may be, at one place.
#[derive(Debug, Clone)]
pub struct Finding<'a> {
    pub(crate) place: Place,
    /// Whether it stops the work.
    pub severity: Severity,
    /// What it is.
    pub problem: Problem<'a>,
    /// Who states the rule that is broken.
    pub basis: Basis,
}

/// Who states a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The schema of the type.
    Schema,
    /// cfn-lint; AWS's schema of the type does not state it.
    CfnLint,
}

impl Basis {
    /// Where rules of cfn-lint are from.
    pub const CFN_LINT_EDITION: &'static str = "cfn-lint 1.58.0";
}

impl Finding<'_> {
    /// The JSON pointer (RFC 6901) of the value, or of the object that lacks something.
    pub fn pointer(&self) -> &str {
        self.place.pointer()
    }

    /// Whether the schema does not know the name of a member: the schema may be older than AWS.
    pub fn is_unknown_name(&self) -> bool {
        matches!(self.problem, Problem::Unknown { .. })
    }

    /// Whether it stops the work.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// What is wrong.
#[derive(Debug, Clone)]
pub enum Problem<'a> {
    /// The schema knows no such member here.
    Unknown {
        /// The name.
        name: &'a str,
        /// What was perhaps meant by it.
        suggestion: Suggestion<'a>,
    },
    /// Only AWS sets the value.
    ReadOnly,
    /// Still accepted.
    Deprecated,
    /// A required member is not stated.
    Missing {
        /// Its name.
        name: &'a str,
    },
    /// A member is not stated that another one asks for.
    MissingBeside {
        /// The member that is not stated.
        name: &'a str,
        /// The member that asks for it.
        because: &'a str,
    },
    /// The value has another JSON type.
    WrongType {
        /// What the schema wants.
        expected: Kinds,
        /// The value; perhaps a secret.
        found: &'a Value,
    },
    /// Not among the values that the schema lists.
    NotAllowed {
        /// The value.
        found: Shown<'a>,
        /// Those that the schema lists.
        allowed: &'a [Value],
    },
    /// The text does not match the schema's pattern.
    Pattern {
        /// The text.
        found: Shown<'a>,
        /// The pattern as it is written.
        pattern: &'a str,
    },
    /// Characters, items or members are too many or too few.
    Count {
        /// What was counted.
        what: Counted,
        /// How many there are.
        count: u64,
        /// How many there may be.
        limit: Limit<u64>,
    },
    /// Two elements of a set are equal.
    Duplicate {
        /// The index of the first of them.
        first: usize,
    },
    /// A number is too small or too large.
    Range {
        /// The number.
        found: Shown<'a>,
        /// What it may be.
        limit: Limit<&'a Number>,
    },
    /// A number is not a multiple.
    Multiple {
        /// The number.
        found: Shown<'a>,
        /// What it must be a multiple of.
        step: &'a Number,
    },
    /// The text does not look as its format says.
    Format {
        /// The text.
        found: Shown<'a>,
        /// The name of the format.
        format: &'a str,
    },
    /// The object holds none of these groups of members, or parts of several.
    NoAlternative {
        /// The members that belong together, for each alternative.
        groups: Vec<&'a [Box<str>]>,
        /// Those of them that are stated.
        stated: Vec<&'a str>,
        /// How many groups are wanted.
        choice: Choice,
    },
    /// The value fits more alternatives than the one that the schema asks for.
    SeveralAlternatives {
        /// The groups of members that are stated whole; empty where the alternatives are none of members.
        groups: Vec<&'a [Box<str>]>,
        /// How many alternatives fit.
        count: usize,
    },
    /// The member belongs to another alternative than the one the object is nearest to.
    OtherAlternative,
    /// Too deep or too large to check wholly.
    InPart,
}

/// What was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Of a text.
    Characters,
    /// Of an array.
    Items,
    /// Of an object.
    Members,
}

/// The bound that is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit<T> {
    /// This or more.
    AtLeast(T),
    /// This or less.
    AtMost(T),
    /// More, and not this.
    MoreThan(T),
    /// Less, and not this.
    LessThan(T),
}

/// How many alternatives must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// `oneOf`.
    ExactlyOne,
    /// `anyOf`.
    AtLeastOne,
}

/// What was perhaps meant by an unknown name.
#[derive(Debug, Clone)]
pub enum Suggestion<'a> {
    /// A name that is valid at this place.
    Near(&'a str),
    /// A name that is valid at this place, and stated already.
    NearTaken(&'a str),
    /// The same name is valid at another place, given as a pointer.
    Elsewhere(String),
    /// A name must match one of these patterns.
    Matching(Vec<&'a str>),
    /// Nothing is near; these names are valid.
    Valid(Vec<&'a str>),
}

/// A value as a message may show it: a hidden one is never shown.
#[derive(Debug, Clone, Copy)]
pub enum Shown<'a> {
    /// It may be shown.
    Value(&'a Value),
    /// It is write-only.
    Hidden,
}
