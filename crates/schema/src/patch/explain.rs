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
    /// The service is known to spell the value so.
    ServiceSpelling,
    /// A create-only value in another spelling.
    CreateOnlyRespelled,
    /// The elements as they were applied, in an order of the service's own.
    OrderOfService,
    /// The service does not return the value; it equals what was applied.
    NotReturned,
    /// An element or a key that AWS or another resource added.
    AddedByOthers,
    /// AWS returned an empty value that its own validation refuses.
    InvalidReadDropped,
    /// A handler returned a value and refuses to be given it.
    RepeatRefused,
    /// The service accepts the removal and keeps the value.
    RemovalIgnored,
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
            Self::Set => ("set", "the desired value differs from the live value"),
            Self::ObjectAdded => {
                ("object-added", "the desired object does not exist in the live properties")
            }
            Self::ArrayWritten => (
                "array-written",
                "the array differs; an array is written as a whole, never by index",
            ),
            Self::ElementAdded => ("element-added", "the live array does not have this element"),
            Self::ElementsRemoved => (
                "elements-removed",
                "the live array has elements that the desired array does not have",
            ),
            Self::Reordered => {
                ("reordered", "the elements are in another order, and the order matters here")
            }
            Self::ArrayTooLarge => (
                "array-too-large",
                "the unordered array is too large to compare element by element, so it counts as changed",
            ),
            Self::PolicyWritten => (
                "policy-written",
                "the policy documents differ in meaning; a policy is written as a whole",
            ),
            Self::NoLongerStated => (
                "no-longer-stated",
                "it was applied before, and the desired properties no longer set it",
            ),
            Self::StatedNull => {
                ("stated-null", "the desired value is null, which removes the property")
            }
            Self::NotInStatedMap => (
                "not-in-stated-map",
                "the desired properties set this map, so they control all of its keys",
            ),
            Self::DefaultWritten => (
                "default-written",
                "the service ignores a removal here, so its default is written instead",
            ),
            Self::WriteOnlyChanged => {
                ("write-only-changed", "the write-only value differs from the applied value")
            }
            Self::WriteOnlyFirstSent => (
                "write-only-first-sent",
                "this write-only value has no record yet, so it is sent once",
            ),
            Self::WriteOnlyRepeated => (
                "write-only-repeated",
                "unchanged, but AWS loses write-only values that an update does not repeat",
            ),
            Self::MayReplace => (
                "may-replace",
                "the service decides whether it can update this or must replace the resource",
            ),
            Self::NotStated => (
                "not-stated",
                "only AWS has it; neither the desired nor the applied properties set it",
            ),
            Self::ReadOnlyKept => ("read-only-kept", "read-only: the live value is kept"),
            Self::ReadOnlyEqual => {
                ("read-only-equal", "read-only and equal to the live value: not sent")
            }
            Self::CreateOnlyKept => {
                ("create-only-kept", "create-only and not set: the live value is kept")
            }
            Self::CreateOnlyNotReturned => (
                "create-only-not-returned",
                "AWS does not return this create-only value; it equals the applied value",
            ),
            Self::CreateOnlyRewritten => (
                "create-only-rewritten",
                "the service rewrites this create-only value in a way that cannot be evaluated; it equals \
                the applied value",
            ),
            Self::CreateOnlySecretRecorded => (
                "create-only-secret-recorded",
                "create-only and write-only without a record: not sent, but recorded for the next comparison",
            ),
            Self::CreateOnlySecretSame => (
                "create-only-secret-same",
                "create-only, write-only and equal to the applied value: never sent again",
            ),
            Self::WriteOnlySame => (
                "write-only-same",
                "the write-only value equals the applied value, and nothing else changes",
            ),
            Self::WriteOnlyNotRepeated => (
                "write-only-not-repeated",
                "unchanged, and not sent again because sending this write-only value has an effect",
            ),
            Self::WriteOnlyIncomparable => (
                "write-only-incomparable",
                "the record of this write-only value cannot be read, so it does not count as a change",
            ),
            Self::WriteOnlyDropped => (
                "write-only-dropped",
                "the desired properties no longer set this write-only value: it is no longer sent, and its \
                record is deleted",
            ),
            Self::DeprecatedNotReturned => (
                "deprecated-not-returned",
                "AWS does not return this deprecated property; it equals the applied value",
            ),
            Self::DeprecatedStated => {
                ("deprecated", "the property is deprecated; the service may ignore it")
            }
            Self::EmptyIsAbsent => {
                ("empty-is-absent", "an empty array or map equals a missing one")
            }
            Self::OrderIgnored => (
                "order-ignored",
                "the same elements in another order; the order does not matter here",
            ),
            Self::SameNumber => ("same-number", "the same number in another notation"),
            Self::SameNumberAsText => {
                ("same-number-as-text", "the same number, one of them as a string")
            }
            Self::SameBooleanAsText => {
                ("same-boolean-as-text", "the same boolean, one of them as a string")
            }
            Self::SameJson => ("same-json", "the same JSON document inside a string"),
            Self::SamePolicy => ("same-policy", "the policy documents have the same meaning"),
            Self::SameByTransform => (
                "same-by-transform",
                "the schema's propertyTransform turns the desired value into the live value",
            ),
            Self::ServiceSpelling => {
                ("service-spelling", "AWS is known to return this value in another spelling")
            }
            Self::CreateOnlyRespelled => (
                "create-only-respelled",
                "create-only, and different only in letter case, white space, a trailing mark, or name and ARN: \
                no reason to replace the resource",
            ),
            Self::OrderOfService => (
                "order-of-service",
                "the applied elements in another order; the schema does not say that the order matters",
            ),
            Self::NotReturned => {
                ("not-returned", "AWS does not return this value; it equals the applied value")
            }
            Self::AddedByOthers => (
                "added-by-others",
                "AWS or another resource added it; neither the desired nor the applied properties have it",
            ),
            Self::InvalidReadDropped => (
                "invalid-read-dropped",
                "AWS returns this value, but refuses an update that repeats it; you never set it, so it is left out",
            ),
            Self::RepeatRefused => (
                "repeat-refused",
                "AWS returned this value and refuses an update that repeats it; you never set it, so it is left out",
            ),
            Self::RemovalIgnored => {
                ("removal-ignored", "AWS is known to accept this removal and to keep the value")
            }
            Self::HiddenTag => ("hidden-tag", "a tag that AWS or Hangar itself sets"),
            Self::AttributeNotOwned => (
                "attribute-not-owned",
                "an attribute that neither the desired nor the applied properties set",
            ),
            Self::NoReadHandler => (
                "no-read-handler",
                "AWS cannot read this type, so the desired properties are compared with the applied properties",
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
            Spelling::Service => Self::ServiceSpelling,
            Spelling::CreateOnly => Self::CreateOnlyRespelled,
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
