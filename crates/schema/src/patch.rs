//! The exact difference between what a user wants and what exists, as a patch with reasons.
//!
//! Walks desired, applied and live together, led by the schema. Pure and total: the same input
//! gives the same bytes, and no input panics. `walk` decides on objects and scalars, `array` on
//! arrays, `removal` on what is no longer stated.

mod array;
mod elements;
mod explain;
mod invalid_reads;
mod leaf;
mod operation;
mod refused_repeats;
mod removal;
mod report;
mod sendable;
mod walk;

use hangar_diag::Diagnostic;
use serde_json::Value;

pub use explain::{Explanation, Rule, Subject};
pub use leaf::{Documents, Leaf, Origin, leaves};
pub use operation::Operation;

use crate::codes;
use crate::secret::{PlainSecrets, SecretRecord, without_secrets};
use crate::type_schema::{Source, TypeSchema};

/// What is compared.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// What AWS says now.
    pub live: &'a Value,
    /// What the user asks now; a null member means remove.
    pub desired: &'a Value,
    /// What was applied last; absent for an untracked put or a fresh import.
    pub applied: Option<&'a Value>,
}

/// What has to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing: no call is made.
    Noop,
    /// An update with the patch.
    Update,
    /// The change can only be made on a new resource.
    ReplaceRequired,
}

impl Outcome {
    /// The word used in JSON output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Noop => "noop",
            Self::Update => "update",
            Self::ReplaceRequired => "replace-required",
        }
    }
}

/// Why a resource has to be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// RFC 6901 pointer of the property that changed.
    pub path: String,
    /// Which rule stands in the way.
    pub cause: Cause,
}

/// The rule that makes a replacement necessary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A create-only property changed.
    CreateOnly,
    /// An element with a create-only member in it came or went.
    CreateOnlyInElement,
    /// A create-and-write-only value changed.
    CreateOnlySecret,
    /// A create-and-write-only value was added after the first put.
    CreateOnlySecretAdded,
    /// The type has no update handler.
    Immutable,
}

impl Cause {
    /// One clause for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::CreateOnly => "the property can only be set at creation",
            Self::CreateOnlyInElement => {
                "an array element with a create-only property would be added or removed"
            }
            Self::CreateOnlySecret => {
                "the write-only value can only be set at creation, and differs from the applied value"
            }
            Self::CreateOnlySecretAdded => {
                "the write-only value can only be set at creation, and was not applied before"
            }
            Self::Immutable => "the type is immutable: it has no update handler",
        }
    }
}

/// The answer: what to do, how, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// What has to be done.
    pub outcome: Outcome,
    /// The operations of an update; empty otherwise.
    pub operations: Vec<Operation>,
    /// What else would change where only a new resource will do; empty otherwise.
    pub besides: Vec<Operation>,
    /// Why a replacement is required; empty otherwise.
    pub reasons: Vec<Reason>,
    /// Why each operation is there, and why each other difference is not.
    pub explanations: Vec<Explanation>,
}

impl Patch {
    /// The patch document of RFC 6902.
    pub fn to_json(&self) -> Value {
        Value::Array(self.operations.iter().map(Operation::to_json).collect())
    }

    /// Properties whose update the service may turn into a replacement.
    pub fn may_replace(&self) -> impl Iterator<Item = &str> {
        self.explanations
            .iter()
            .filter(|explanation| explanation.rule == Rule::MayReplace)
            .map(|explanation| explanation.path.as_str())
    }
}

/// Compares with the applied document's own write-only values as their record.
///
/// ```
/// use hangar_schema::{Catalog, Inputs, Outcome, patch};
/// use serde_json::json;
///
/// let vpc = Catalog::bundled().get("AWS::EC2::VPC")?;
/// let inputs = Inputs {
///     live: &json!({"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true}),
///     desired: &json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": false}),
///     applied: None,
/// };
/// let patch = patch(&vpc, &inputs).unwrap();
/// assert_eq!(patch.outcome, Outcome::Update);
/// assert_eq!(patch.to_json(), json!([{"op": "add", "path": "/EnableDnsSupport", "value": false}]));
/// # Ok::<(), hangar_schema::CatalogError>(())
/// ```
pub fn patch(schema: &TypeSchema, inputs: &Inputs<'_>) -> Result<Patch, Vec<Diagnostic>> {
    patch_with(schema, inputs, &PlainSecrets::of(schema, inputs.applied))
}

/// Compares, asking `record` about write-only values.
pub fn patch_with(
    schema: &TypeSchema,
    inputs: &Inputs<'_>,
    record: &dyn SecretRecord,
) -> Result<Patch, Vec<Diagnostic>> {
    check(schema, inputs)?;
    // A type that cannot be read is compared with what was applied.
    let stand_in = match inputs.applied {
        Some(applied) if cannot_be_read(schema) => Some(without_secrets(schema, applied)),
        _ => None,
    };
    let mut walk = walk::Walk::new(schema, inputs.desired, record);
    if stand_in.is_some() {
        walk.remark(Rule::NoReadHandler);
    }
    walk.is_applied = inputs.applied.is_some();
    walk.document(inputs.desired, inputs.applied, stand_in.as_ref().unwrap_or(inputs.live));
    let mut patch = walk.finish(is_immutable(schema))?;
    if patch.outcome == Outcome::Update {
        refused_repeats::drop_refused_repeats(schema, inputs, &mut patch);
        invalid_reads::drop_invalid_reads(schema, inputs, &mut patch);
    }
    Ok(patch)
}

/// What live becomes when `patch` is applied to it.
pub fn target(live: &Value, patch: &Patch) -> Value {
    let mut document = live.clone();
    for step in &patch.operations {
        operation::perform(&mut document, step);
    }
    document
}

/// What live would have to become: as [`target`], and where only a new resource will do, with what
/// `desired` states there.
pub fn goal(live: &Value, desired: &Value, patch: &Patch) -> Value {
    let mut document = target(live, patch);
    for step in &patch.besides {
        operation::perform(&mut document, step);
    }
    for reason in &patch.reasons {
        // Of an array the whole: an index means another element on each side.
        let path = through_objects(&reason.path, desired);
        let stated = desired.pointer(path).filter(|value| !value.is_null());
        let path = path.to_owned();
        let step = match stated {
            Some(value) => Operation::Add { path, value: value.clone() },
            None => Operation::Remove { path },
        };
        operation::perform(&mut document, &step);
    }
    document
}

/// As much of a pointer as leads through objects.
fn through_objects<'a>(path: &'a str, document: &Value) -> &'a str {
    let ends = path.match_indices('/').skip(1).map(|(end, _)| end);
    let is_array = |end: &usize| document.pointer(&path[..*end]).is_some_and(Value::is_array);
    ends.into_iter().find(is_array).map_or(path, |end| &path[..end])
}

/// Documents deeper than this are refused: a walk must not exhaust the stack.
const MAX_DEPTH: usize = 128;

fn check(schema: &TypeSchema, inputs: &Inputs<'_>) -> Result<(), Vec<Diagnostic>> {
    if schema.handlers().is_empty() && schema.source() != Source::File {
        let message = format!("Cloud Control cannot manage {}: it has no handlers", schema.name());
        let hint = "use CloudFormation or the service's own API for this type";
        return Err(vec![Diagnostic::error(codes::NO_HANDLERS, message).hint(hint)]);
    }
    let documents = [
        ("live", Some(inputs.live)),
        ("desired", Some(inputs.desired)),
        ("applied", inputs.applied),
    ];
    let mut problems = Vec::new();
    for (name, document) in documents {
        let Some(document) = document else { continue };
        if !document.is_object() {
            let message = format!("the {name} document must be a JSON object of properties");
            problems.push(Diagnostic::error(codes::NOT_AN_OBJECT, message).pointer(""));
        } else if is_deeper_than(document, MAX_DEPTH) {
            let message = format!("the {name} document is nested deeper than {MAX_DEPTH} levels");
            problems.push(Diagnostic::error(codes::TOO_DEEP, message).pointer(""));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn is_deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => {
            levels == 0 || items.iter().any(|item| is_deeper_than(item, levels - 1))
        }
        Value::Object(members) => {
            levels == 0 || members.values().any(|member| is_deeper_than(member, levels - 1))
        }
        _ => false,
    }
}

/// A schema file may leave handlers out altogether; only a schema that lists some can lack one.
fn is_immutable(schema: &TypeSchema) -> bool {
    !schema.handlers().is_empty() && schema.handlers().update.is_none()
}

fn cannot_be_read(schema: &TypeSchema) -> bool {
    !schema.handlers().is_empty() && schema.handlers().read.is_none()
}
