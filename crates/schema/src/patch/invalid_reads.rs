//! Values that AWS returns and then refuses: an update repeats what a read showed, and AWS validates
//! the whole document, so one such value makes every update fail. A patch leaves out those that the user did not set.

use serde_json::Value;

use super::operation::{Operation, perform};
use super::{Explanation, Inputs, Patch, Rule, Subject, target};
use crate::class::Class;
use crate::pointer::unescape;
use crate::tagging::{self, TagOwner};
use crate::type_schema::TypeSchema;
use crate::validate::{Holes, Purpose, findings};

/// Dropping one value may show another refusal; no read of AWS needs more than three rounds.
const MAX_ROUNDS: usize = 8;

/// Extends an update so that the document it produces contains no refused value that the user did not set.
pub(super) fn drop_invalid_reads(schema: &TypeSchema, inputs: &Inputs<'_>, patch: &mut Patch) {
    for _ in 0..MAX_ROUNDS {
        let sent = target(inputs.live, patch);
        if !holds_droppable(schema, &sent) {
            return;
        }
        let refused: Vec<String> = findings(schema, &sent, Purpose::Merged, Holes::NONE)
            .iter()
            .filter(|found| found.is_error() && !found.is_unknown_name())
            .map(|found| found.pointer().to_owned())
            .collect();
        let dropped = refused.iter().find_map(|pointer| droppable(schema, inputs, &sent, pointer));
        let Some(pointer) = dropped else { return };
        let step = step_without(&sent, &pointer);
        put(patch, step, pointer, Rule::InvalidReadDropped);
    }
}

/// Whether a document holds anything that [`droppable`] can find: a look that costs less than a
/// validation, which most updates are spared.
fn holds_droppable(schema: &TypeSchema, document: &Value) -> bool {
    schema.below(schema.root()).has(Class::DropIfInvalid) || holds_blank(document)
}

fn holds_blank(value: &Value) -> bool {
    match value {
        Value::Array(items) => {
            items.is_empty()
                || items.iter().any(|item| {
                    tagging::owner_of_element(item) == TagOwner::Aws || holds_blank(item)
                })
        }
        Value::Object(members) => members.is_empty() || members.values().any(holds_blank),
        scalar => is_blank(scalar),
    }
}

/// The pointer of the value to leave out, so that AWS no longer refuses `pointer`.
fn droppable(
    schema: &TypeSchema,
    inputs: &Inputs<'_>,
    sent: &Value,
    pointer: &str,
) -> Option<String> {
    let is_ours = |at: &str| {
        is_stated(inputs.desired, at)
            || inputs.applied.is_some_and(|applied| is_stated(applied, at))
    };
    // From the top: the highest value that is as good as nothing.
    let ends = pointer.match_indices('/').skip(1).map(|(end, _)| end).chain([pointer.len()]);
    for at in ends.map(|end| &pointer[..end]).filter(|at| !at.is_empty()) {
        let value = sent.pointer(at)?;
        if is_ours(at) && !is_tag_of_aws(sent, at) {
            continue;
        }
        let is_known = at == pointer && spot_class(schema, at, Class::DropIfInvalid);
        if is_blank(value) || is_tag_of_aws(sent, at) || is_known {
            return Some(at.to_owned());
        }
    }
    None
}

/// Whether a value says nothing: empty texts, arrays, objects, and what holds only such.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.iter().all(is_blank),
        Value::Object(members) => members.values().all(is_blank),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether the pointer leads to an element of an array that is a tag of AWS's own.
fn is_tag_of_aws(document: &Value, pointer: &str) -> bool {
    let Some((holder, _)) = pointer.rsplit_once('/') else { return false };
    document.pointer(holder).is_some_and(Value::is_array)
        && document
            .pointer(pointer)
            .is_some_and(|element| tagging::owner_of_element(element) == TagOwner::Aws)
}

/// Whether a document states a value at the pointer; of an array, whether any element does.
pub(super) fn is_stated(document: &Value, pointer: &str) -> bool {
    let Some(rest) = pointer.strip_prefix('/') else { return !document.is_null() };
    let (step, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    match document {
        Value::Object(members) => {
            members.get(unescape(step).as_ref()).is_some_and(|member| is_stated(member, rest))
        }
        Value::Array(items) => items.iter().any(|item| is_stated(item, rest)),
        _ => false,
    }
}

fn spot_class(schema: &TypeSchema, pointer: &str, class: Class) -> bool {
    let steps = pointer.split('/').skip(1);
    let spot = steps.fold(schema.root(), |spot, step| schema.member(spot, &unescape(step)));
    schema.own(spot).has(class)
}

/// The operation that leaves a value out: a removal, or the whole array where an array holds it.
pub(super) fn step_without(sent: &Value, pointer: &str) -> Operation {
    let ends = pointer.match_indices('/').skip(1).map(|(end, _)| end);
    let array =
        ends.map(|end| &pointer[..end]).find(|at| sent.pointer(at).is_some_and(Value::is_array));
    let Some(array) = array else { return Operation::Remove { path: pointer.to_owned() } };
    let mut value = sent.pointer(array).cloned().unwrap_or_default();
    remove_at(&mut value, &pointer[array.len()..]);
    if value.as_array().is_some_and(Vec::is_empty) {
        return Operation::Remove { path: array.to_owned() };
    }
    Operation::Add { path: array.to_owned(), value }
}

fn remove_at(document: &mut Value, pointer: &str) {
    let Some((holder, last)) = pointer.rsplit_once('/') else { return };
    match document.pointer_mut(holder) {
        Some(Value::Array(items)) => {
            if let Some(index) = last.parse().ok().filter(|index| *index < items.len()) {
                items.remove(index);
            }
        }
        Some(Value::Object(members)) => {
            members.remove(unescape(last).as_ref());
        }
        _ => {}
    }
}

/// Adds the operation that leaves out `dropped`: into the one that writes a value around it, else
/// in place of those at or below its path.
pub(super) fn put(patch: &mut Patch, step: Operation, dropped: String, rule: Rule) {
    let explain = |path, subject| Explanation { path, subject, rule };
    for existing in &mut patch.operations {
        if let Operation::Add { path: outer, value } = existing
            && let Some(inner) = below(step.path(), outer)
        {
            perform_within(value, &step, inner);
            patch.explanations.push(explain(dropped, Subject::Within));
            return;
        }
    }
    let path = step.path().to_owned();
    let is_below = |other: &str| other == path || below(other, &path).is_some();
    patch.operations.retain(|it| !is_below(it.path()));
    for explanation in &mut patch.explanations {
        let is_operation = matches!(explanation.subject, Subject::Add | Subject::Remove);
        if is_operation && is_below(&explanation.path) {
            explanation.subject = Subject::Within;
        }
    }
    let subject = match step {
        Operation::Add { .. } => Subject::Add,
        Operation::Remove { .. } => Subject::Remove,
    };
    if dropped != path {
        patch.explanations.push(explain(dropped, Subject::Within));
    }
    patch.explanations.push(explain(path, subject));
    patch.operations.push(step);
}

/// The rest of a pointer that leads below another.
fn below<'p>(pointer: &'p str, outer: &str) -> Option<&'p str> {
    pointer.strip_prefix(outer).filter(|rest| rest.starts_with('/'))
}

fn perform_within(value: &mut Value, step: &Operation, inner: &str) {
    let path = inner.to_owned();
    let within = match step {
        Operation::Add { value, .. } => Operation::Add { path, value: value.clone() },
        Operation::Remove { .. } => Operation::Remove { path },
    };
    perform(value, &within);
}
