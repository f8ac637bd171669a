//! Why each operation is in a patch, and why each difference is not.

use crate::equal::Spelling;

/// The rule behind an operation or a suppressed difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Desired states another value.
    Set,
    /// Desired states an object that live lacks.
    ObjectAdded,
    /// The array differs, and arrays are written whole.
    ArrayWritten,
    /// Desired states an element that live lacks.
    ElementAdded,
    /// Live has elements that desired does not state.
    ElementsRemoved,
    /// The elements stand in another order, and order means something here.
    Reordered,
    /// The array is too large to be matched element by element.
    ArrayTooLarge,
    /// The policy document differs, and policies are written whole.
    PolicyWritten,
    /// It was applied before and is no longer stated.
    NoLongerStated,
    /// Desired says null.
    StatedNull,
    /// A map that is stated is owned whole.
    NotInStatedMap,
    /// The service ignores removals here, so its default is written.
    DefaultWritten,
    /// A write-only value that changed.
    WriteOnlyChanged,
    /// A write-only value of which nothing is on record.
    WriteOnlyFirstSent,
    /// An unchanged write-only value, repeated because AWS loses what an update does not repeat.
    WriteOnlyRepeated,
    /// The update may turn into a replacement (`conditionalCreateOnlyProperties`).
    MayReplace,
    /// Live has it, nobody stated it.
    NotStated,
    /// Live has it, and only the service can set it.
    ReadOnlyKept,
    /// A read-only value was stated and equals live.
    ReadOnlyEqual,
    /// It can only be set at creation, and desired does not state it.
    CreateOnlyKept,
    /// Live does not return the create-only value; it equals what was applied.
    CreateOnlyNotReturned,
    /// The service rewrites this create-only value in a way that cannot be evaluated; it equals
    /// what was applied.
    CreateOnlyRewritten,
    /// A create-and-write-only value of which nothing is on record.
    CreateOnlySecretRecorded,
    /// A create-and-write-only value that equals what was applied.
    CreateOnlySecretSame,
    /// An unchanged write-only value and nothing else to do.
    WriteOnlySame,
    /// An unchanged write-only value that must not be repeated.
    WriteOnlyNotRepeated,
    /// A write-only value whose record cannot be compared.
    WriteOnlyIncomparable,
    /// A write-only value that desired no longer states.
    WriteOnlyDropped,
    /// Live does not return the deprecated property; it equals what was applied.
    DeprecatedNotReturned,
    /// A deprecated property is stated.
    DeprecatedStated,
    /// An empty array or map where live has nothing.
    EmptyIsAbsent,
    /// Unordered elements in another order.
    OrderIgnored,
    /// `1` and `1.0`.
    SameNumber,
    /// `8080` and `"8080"`.
    SameNumberAsText,
    /// `true` and `"true"`.
    SameBooleanAsText,
    /// The same JSON inside a string.
    SameJson,
    /// Policies that allow the same.
    SamePolicy,
    /// The schema says that the service rewrites the value so.
    SameByTransform,
    /// A tag of AWS's or of Hangar's.
    HiddenTag,
    /// An attribute that was never stated.
    AttributeNotOwned,
    /// The type has no read handler: the applied document stands in for live.
    NoReadHandler,
}

impl Rule {
    /// The stable name used in JSON output.
    pub const fn name(self) -> &'static str {
        self.entry().0
    }

    /// One sentence for people.
    pub const fn text(self) -> &'static str {
        self.entry().1
    }

    const fn entry(self) -> (&'static str, &'static str) {
        match self {
            Self::Set => ("set", "desired states another value than live has"),
            Self::ObjectAdded => ("object-added", "desired states an object that live lacks"),
            Self::ArrayWritten => {
                ("array-written", "the array differs; arrays are written whole, never by index")
            }
            Self::ElementAdded => ("element-added", "live has no such element"),
            Self::ElementsRemoved => {
                ("elements-removed", "live has elements that desired does not state")
            }
            Self::Reordered => {
                ("reordered", "the elements stand in another order, which counts here")
            }
            Self::ArrayTooLarge => (
                "array-too-large",
                "the unordered array is too large to match element by element, so it counts as changed",
            ),
            Self::PolicyWritten => (
                "policy-written",
                "the policy documents differ in meaning; a policy is written whole",
            ),
            Self::NoLongerStated => {
                ("no-longer-stated", "it was applied before and desired no longer states it")
            }
            Self::StatedNull => ("stated-null", "desired says null, which means remove"),
            Self::NotInStatedMap => (
                "not-in-stated-map",
                "desired states this map, which makes it the owner of every key",
            ),
            Self::DefaultWritten => (
                "default-written",
                "the service ignores a removal here, so its default is written instead",
            ),
            Self::WriteOnlyChanged => {
                ("write-only-changed", "the write-only value differs from what was applied")
            }
            Self::WriteOnlyFirstSent => (
                "write-only-first-sent",
                "no record of this write-only value exists, so it is sent once",
            ),
            Self::WriteOnlyRepeated => (
                "write-only-repeated",
                "unchanged, but AWS loses write-only values that an update does not repeat",
            ),
            Self::MayReplace => (
                "may-replace",
                "the service decides whether it can update this or must replace the resource",
            ),
            Self::NotStated => {
                ("not-stated", "only live has it; neither desired nor applied states it")
            }
            Self::ReadOnlyKept => ("read-only-kept", "read-only: kept as live has it"),
            Self::ReadOnlyEqual => {
                ("read-only-equal", "read-only and stated as live has it: dropped")
            }
            Self::CreateOnlyKept => {
                ("create-only-kept", "create-only and not stated: kept as live has it")
            }
            Self::CreateOnlyNotReturned => (
                "create-only-not-returned",
                "live does not return this create-only value; it equals what was applied",
            ),
            Self::CreateOnlyRewritten => (
                "create-only-rewritten",
                "the service rewrites this create-only value in a way that cannot be evaluated; it equals what was applied",
            ),
            Self::CreateOnlySecretRecorded => (
                "create-only-secret-recorded",
                "create-only and write-only with no record: not sent, kept as the base for the next comparison",
            ),
            Self::CreateOnlySecretSame => (
                "create-only-secret-same",
                "create-only and write-only, and equal to what was applied: never sent again",
            ),
            Self::WriteOnlySame => (
                "write-only-same",
                "the write-only value equals what was applied, and nothing else changes",
            ),
            Self::WriteOnlyNotRepeated => (
                "write-only-not-repeated",
                "unchanged, and sending this write-only value again would have an effect",
            ),
            Self::WriteOnlyIncomparable => (
                "write-only-incomparable",
                "the record of this write-only value cannot be read, which is never a change",
            ),
            Self::WriteOnlyDropped => (
                "write-only-dropped",
                "desired no longer states this write-only value: it is no longer sent, and its record goes",
            ),
            Self::DeprecatedNotReturned => (
                "deprecated-not-returned",
                "live does not return this deprecated property; it equals what was applied",
            ),
            Self::DeprecatedStated => {
                ("deprecated", "the property is deprecated; the service may ignore it")
            }
            Self::EmptyIsAbsent => {
                ("empty-is-absent", "an empty array or map equals an absent one")
            }
            Self::OrderIgnored => {
                ("order-ignored", "the same elements in another order; order means nothing here")
            }
            Self::SameNumber => ("same-number", "the same number, spelled otherwise"),
            Self::SameNumberAsText => ("same-number-as-text", "the same number, once as text"),
            Self::SameBooleanAsText => ("same-boolean-as-text", "the same boolean, once as text"),
            Self::SameJson => ("same-json", "the same JSON document inside a string"),
            Self::SamePolicy => ("same-policy", "the policy documents mean the same"),
            Self::SameByTransform => {
                ("same-by-transform", "the schema's propertyTransform turns desired into live")
            }
            Self::HiddenTag => ("hidden-tag", "a tag of AWS or of Hangar itself"),
            Self::AttributeNotOwned => {
                ("attribute-not-owned", "an attribute that neither desired nor applied states")
            }
            Self::NoReadHandler => (
                "no-read-handler",
                "the type cannot be read; desired is compared with what was applied",
            ),
        }
    }

    pub(crate) const fn of_spelling(spelling: Spelling) -> Self {
        match spelling {
            Spelling::Number => Self::SameNumber,
            Spelling::NumberAsText => Self::SameNumberAsText,
            Spelling::BooleanAsText => Self::SameBooleanAsText,
            Spelling::JsonInString => Self::SameJson,
            Spelling::Policy => Self::SamePolicy,
            Spelling::Transform => Self::SameByTransform,
        }
    }
}

/// What an explanation speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// An `add` in the patch.
    Add,
    /// A `remove` in the patch.
    Remove,
    /// A change inside an array that is written whole: part of the `add` of that array.
    Within,
    /// A difference that is not in the patch, or a remark.
    Suppressed,
}

/// Why one operation, or one missing operation, is as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// RFC 6901 pointer; elements are counted as desired has them.
    pub path: String,
    /// What it speaks of.
    pub subject: Subject,
    /// Which rule decided.
    pub rule: Rule,
}
