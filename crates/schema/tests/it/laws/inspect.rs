//! Looks at the target with eyes of its own: nothing here asks the code under test how it pairs,
//! compares or classifies, beyond the pointers that the schema lists.

use hangar_schema::{
    Explanation, Operation, Patch, PropertyPointer, Rule, Step, TypeSchema, without_secrets,
};
use serde_json::{Map, Value};

use super::check::{Case, Report, told};

/// No operation at or below a protected pointer, and every protected value as it was.
pub(crate) fn protected(
    schema: &TypeSchema,
    case: &Case,
    patch: &Patch,
    reached: &Value,
    report: &mut Report,
) {
    let lists = schema.lists();
    for pointer in lists.read_only.iter().chain(&lists.create_only) {
        for operation in &patch.operations {
            if lies_at_or_below(operation, pointer) {
                let what = format!("{pointer}: {}", told(patch));
                report.breaks("L5 no operation at or below a protected pointer", what);
            }
        }
    }
    for pointer in &lists.read_only {
        let is_create_only = lists.create_only.contains(pointer);
        unchanged(pointer, is_create_only, case, patch, reached, report);
    }
    // The create-only part of a secret is sent with it again, unchanged, though live shows neither.
    let is_part_of_secret = |pointer: &PropertyPointer| {
        let steps = pointer.steps();
        lists
            .write_only
            .iter()
            .any(|secret| secret.steps().len() < steps.len() && steps.starts_with(secret.steps()))
    };
    for pointer in lists.create_only.iter().filter(|pointer| !is_part_of_secret(pointer)) {
        unchanged(pointer, true, case, patch, reached, report);
    }
}

fn lies_at_or_below(operation: &Operation, pointer: &PropertyPointer) -> bool {
    let path: Vec<&str> = operation.path().split('/').skip(1).collect();
    let steps = pointer.steps();
    path.len() >= steps.len()
        && steps.iter().zip(&path).all(|(step, segment)| match step {
            Step::Each => true,
            Step::Member(name) => {
                name.as_ref() == segment.replace("~1", "/").replace("~0", "~").as_str()
            }
        })
}

/// Outside arrays and maps a value stays exactly; inside, no value appears that was not there,
/// and a create-only one does not go either.
fn unchanged(
    pointer: &PropertyPointer,
    is_create_only: bool,
    case: &Case,
    patch: &Patch,
    reached: &Value,
    report: &mut Report,
) {
    let (mut was, mut is) = (Vec::new(), Vec::new());
    gather(&case.live, pointer.steps(), &mut was);
    gather(reached, pointer.steps(), &mut is);
    let crosses = pointer.steps().contains(&Step::Each);
    if !crosses && was != is {
        let what = format!("{pointer}: {was:?} became {is:?} by {}", told(patch));
        report.breaks("L5 protected values stay", what);
    }
    if !crosses {
        return;
    }
    report.ambiguous += usize::from(was.len() > 1);
    let mut left = was.clone();
    for value in &is {
        if let Some(at) = left.iter().position(|other| other == value) {
            left.swap_remove(at);
        } else {
            let what = format!("{pointer}: {value} is new, by {}", told(patch));
            report.breaks("L5 no protected value appears in an element", what);
        }
    }
    if is_create_only && !left.is_empty() {
        let what = format!("{pointer}: {left:?} is gone, by {}", told(patch));
        report.breaks("L5 no create-only value goes with its element", what);
    }
}

fn gather<'a>(value: &'a Value, steps: &[Step], found: &mut Vec<&'a Value>) {
    let Some((step, rest)) = steps.split_first() else { return found.push(value) };
    match (step, value) {
        (Step::Member(name), Value::Object(members)) => {
            if let Some(member) = members.get(name.as_ref()) {
                gather(member, rest, found);
            }
        }
        (Step::Each, Value::Array(items)) => {
            for item in items {
                gather(item, rest, found);
            }
        }
        (Step::Each, Value::Object(members)) => {
            for member in members.values() {
                gather(member, rest, found);
            }
        }
        _ => {}
    }
}

/// The target shows what desired states.
pub(crate) fn stated(
    schema: &TypeSchema,
    desired: &Value,
    patch: &Patch,
    reached: &Value,
    report: &mut Report,
) {
    let mut readable = without_secrets(schema, desired);
    // What is deprecated may be accepted and never shown.
    for pointer in &schema.lists().deprecated {
        forget(&mut readable, pointer.steps());
    }
    let is_rewritten = |path: &str| {
        let by_transform = |one: &&Explanation| one.rule == Rule::SameByTransform;
        patch.explanations.iter().filter(by_transform).any(|one| one.path.starts_with(path))
    };
    if let Some(path) = missing(&readable, reached, String::new())
        && !is_rewritten(&path)
    {
        report.breaks("L11 the target shows what is stated", format!("{path} in {reached}"));
    }
}

fn forget(value: &mut Value, steps: &[Step]) {
    let Some((step, rest)) = steps.split_first() else { return };
    match (step, value) {
        (Step::Member(name), Value::Object(members)) => {
            if rest.is_empty() {
                members.remove(name.as_ref());
            } else if let Some(member) = members.get_mut(name.as_ref()) {
                forget(member, rest);
            }
        }
        (Step::Each, Value::Array(items)) => {
            for item in items {
                forget(item, rest);
            }
        }
        (Step::Each, Value::Object(members)) => {
            for member in members.values_mut() {
                forget(member, rest);
            }
        }
        _ => {}
    }
}

/// Whether `live` shows all that `desired` states.
pub(crate) fn shows(live: &Value, desired: &Value) -> bool {
    missing(desired, live, String::new()).is_none()
}

/// The first place where `reached` does not show `stated`.
fn missing(stated: &Value, reached: &Value, path: String) -> Option<String> {
    let is_shown = match (stated, reached) {
        (a, b) if a == b => true,
        (Value::Object(stated), Value::Object(reached)) => {
            return stated.iter().find_map(|(name, value)| {
                let path = format!("{path}/{name}");
                match reached.get(name) {
                    Some(shown) => missing(value, shown, path),
                    None if is_hollow(value) => None,
                    None => Some(path),
                }
            });
        }
        (Value::Array(stated), Value::Array(reached)) => covers(stated, reached),
        (Value::Number(number), Value::String(text))
        | (Value::String(text), Value::Number(number)) => number.to_string() == *text,
        (Value::Bool(flag), Value::String(text)) => flag.to_string() == *text,
        (Value::String(a), b) if a.starts_with('{') => {
            let parsed: Option<Value> = serde_json::from_str(a).ok();
            let other = b.as_str().and_then(|b| serde_json::from_str(b).ok());
            parsed.as_ref() == Some(other.as_ref().unwrap_or(b))
        }
        (a, Value::String(text)) if text.starts_with('{') => {
            serde_json::from_str::<Value>(text).ok().as_ref() == Some(a)
        }
        _ => false,
    };
    (!is_shown).then_some(path)
}

/// Whether each stated element has an element of its own that shows it.
fn covers(stated: &[Value], reached: &[Value]) -> bool {
    let shows = |item: &Value, shown: &Value| missing(item, shown, String::new()).is_none();
    let mut owner: Vec<Option<usize>> = vec![None; reached.len()];
    (0..stated.len()).all(|item| {
        let mut tried = vec![false; reached.len()];
        place(item, &|item, at| shows(&stated[item], &reached[at]), &mut owner, &mut tried)
    })
}

/// Finds a place for `item`, moving others if need be.
fn place(
    item: usize,
    fits: &dyn Fn(usize, usize) -> bool,
    owner: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for at in 0..owner.len() {
        if tried[at] || !fits(item, at) {
            continue;
        }
        tried[at] = true;
        if owner[at].is_none_or(|other| place(other, fits, owner, tried)) {
            owner[at] = Some(item);
            return true;
        }
    }
    false
}

/// Whether a value says nothing but its being there.
pub(crate) fn is_hollow(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(is_hollow),
        Value::Object(members) => members.values().all(is_hollow),
        Value::Null => true,
        _ => false,
    }
}

/// Outside arrays, a value stays if the user never stated it. Values that AWS refuses may go: empty ones, and those that
/// its handler does not accept again.
pub(crate) fn unowned(case: &Case, patch: &Patch, reached: &Value, report: &mut Report) {
    let mut live = case.live.clone();
    for refused in patch.explanations.iter().filter(|one| one.rule == Rule::RepeatRefused) {
        let Some((holder, name)) = refused.path.rsplit_once('/') else { continue };
        if let Some(Value::Object(members)) = live.pointer_mut(holder) {
            members.remove(name);
        }
    }
    let lost = lost(&live, &case.before, &case.after, reached, "");
    if let Some(path) = lost {
        report.breaks("L12 what nobody stated stays", format!("{path} in {reached}"));
    }
}

/// A value without what says nothing and without AWS's own tags; nothing where nothing is left.
fn pruned(value: Option<&Value>) -> Option<Value> {
    let is_tag_of_aws =
        |item: &Value| item["Key"].as_str().is_some_and(|key| key.starts_with("aws:"));
    match value? {
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        Value::Array(items) => {
            let kept: Vec<Value> = items
                .iter()
                .filter(|item| !is_tag_of_aws(item))
                .filter_map(|item| pruned(Some(item)))
                .collect();
            (!kept.is_empty()).then_some(Value::Array(kept))
        }
        Value::Object(members) => {
            let kept: Map<String, Value> = members
                .iter()
                .filter_map(|(name, member)| Some((name.clone(), pruned(Some(member))?)))
                .collect();
            (!kept.is_empty()).then_some(Value::Object(kept))
        }
        scalar => Some(scalar.clone()),
    }
}

fn lost(
    live: &Value,
    before: &Value,
    after: &Value,
    reached: &Value,
    path: &str,
) -> Option<String> {
    let (Value::Object(live), Value::Object(reached)) = (live, reached) else { return None };
    live.iter().find_map(|(name, value)| {
        let path = format!("{path}/{name}");
        match (before.get(name), after.get(name)) {
            (None, None) => (pruned(reached.get(name)) != pruned(Some(value))).then_some(path),
            (Some(before), Some(after)) => lost(value, before, after, reached.get(name)?, &path),
            // Stated once: whoever drops an object drops what it holds.
            _ => None,
        }
    })
}

/// Whether a secret's path, which names elements, lies at or below a create-only pointer.
pub(crate) fn is_create_only_path(schema: &TypeSchema, path: &str) -> bool {
    let mut steps = Vec::new();
    for segment in path.split('/').skip(1) {
        let (name, elements) = segment.split_once('[').unwrap_or((segment, ""));
        steps.push(Some(name));
        steps.extend(elements.matches(']').map(|_| None));
    }
    schema.lists().create_only.iter().any(|pointer| {
        pointer.steps().len() <= steps.len()
            && pointer.steps().iter().zip(&steps).all(|(step, segment)| match (step, segment) {
                (Step::Each, _) => true,
                (Step::Member(name), Some(segment)) => name.as_ref() == *segment,
                (Step::Member(_), None) => false,
            })
    })
}
