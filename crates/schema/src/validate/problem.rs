//! What can be wrong with a document, as data; `message` puts it into words.

use hangar_diag::Severity;
use serde_json::{Number, Value};

use super::place::Place;
use crate::kind::Kinds;

/// One thing that is wrong, or may be, at one place.
#[derive(Debug, Clone)]
pub(super) struct Finding<'a> {
    pub(super) place: Place,
    pub(super) severity: Severity,
    pub(super) problem: Problem<'a>,
}

impl Finding<'_> {
    pub(super) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// What is wrong.
#[derive(Debug, Clone)]
pub(super) enum Problem<'a> {
    /// The schema knows no such member here.
    Unknown { name: &'a str, suggestion: Suggestion<'a> },
    /// Only AWS sets the value.
    ReadOnly,
    /// Still accepted.
    Deprecated,
    /// A required member is not stated.
    Missing { name: &'a str },
    /// A member is not stated that another one asks for.
    MissingBeside { name: &'a str, because: &'a str },
    /// The value has another JSON type.
    WrongType { expected: Kinds, found: &'a Value },
    /// Not among the values that the schema lists.
    NotAllowed { found: Shown<'a>, allowed: &'a [Value] },
    /// The text does not match the schema's pattern.
    Pattern { found: Shown<'a>, pattern: &'a str },
    /// Characters, items or members are too many or too few.
    Count { what: Counted, count: u64, limit: Limit<u64> },
    /// Two elements of a set are equal.
    Duplicate { first: usize },
    /// A number is too small or too large.
    Range { found: Shown<'a>, limit: Limit<&'a Number> },
    /// A number is not a multiple.
    Multiple { found: Shown<'a>, step: &'a Number },
    /// The text does not look as its format says.
    Format { found: Shown<'a>, format: &'a str },
    /// The object holds none of these groups of members, or parts of several.
    NoAlternative { groups: Vec<&'a [Box<str>]>, stated: Vec<&'a str>, choice: Choice },
    /// The value fits more alternatives than the one that the schema asks for.
    SeveralAlternatives { groups: Vec<&'a [Box<str>]>, count: usize },
    /// The member belongs to another alternative than the one the object is nearest to.
    OtherAlternative,
    /// Too deep or too large to check wholly.
    InPart,
}

/// What was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    Characters,
    Items,
    Members,
}

/// The bound that is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit<T> {
    AtLeast(T),
    AtMost(T),
    MoreThan(T),
    LessThan(T),
}

/// How many alternatives must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    ExactlyOne,
    AtLeastOne,
}

/// What was perhaps meant by an unknown name.
#[derive(Debug, Clone)]
pub(super) enum Suggestion<'a> {
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
pub(super) enum Shown<'a> {
    Value(&'a Value),
    Hidden,
}
