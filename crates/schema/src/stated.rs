//! What was stated where a secret was taken out of what was applied: what is stated no more has to go, secret or not.

use serde_json::{Map, Value};

use crate::node::ArrayType;
use crate::patch::Inputs;
use crate::pointer;
use crate::secret::{Recorded, SecretRecord};
use crate::type_schema::TypeSchema;

/// The applied document of `inputs` with a mark wherever it lacks what lies at the RFC 6901 pointers `paths`, or the
/// array around it, and live has something: what live has there was stated.
///
/// What is still stated needs no mark, but for attributes: of these only what was stated is owned, and what `record`
/// knows was. In an array to which others add, all that live has counts as stated: who added it is not on record.
pub fn with_marks(
    schema: &TypeSchema,
    inputs: &Inputs<'_>,
    paths: &[&str],
    record: &dyn SecretRecord,
) -> Option<Value> {
    let mut marked = inputs.applied?.clone();
    for path in paths {
        mark(schema, inputs, &mut marked, path, record);
    }
    Some(marked)
}

fn mark(
    schema: &TypeSchema,
    inputs: &Inputs<'_>,
    applied: &mut Value,
    path: &str,
    record: &dyn SecretRecord,
) {
    let mut spot = schema.root();
    let (mut at, mut live, mut desired) = (applied, inputs.live, Some(inputs.desired));
    let mut rest = path;
    while let Some(below) = rest.strip_prefix('/') {
        let end = below.find('/').unwrap_or(below.len());
        let name = pointer::unescape(&below[..end]);
        rest = &below[end..];
        let Value::Object(members) = at else { return };
        let Some(shown) = live.get(&*name).filter(|it| !it.is_null()) else { return };
        spot = schema.member(spot, &name);
        desired = desired.and_then(|it| it.get(&*name));
        if let Value::Array(items) = shown
            && schema.shape(spot).array_type == ArrayType::AttributeList
        {
            return mark_attributes(members, &name, items, rest, |value| {
                record.compare(path, value) == Recorded::Same
            });
        }
        if !members.contains_key(&*name) {
            if desired.is_none() || schema.is_shared(spot) {
                members.insert(name.into_owned(), shown.clone());
            }
            return;
        }
        let Some(next) = members.get_mut(&*name) else { return };
        (at, live) = (next, shown);
    }
}

/// Marks the attributes that hold a secret which was applied.
fn mark_attributes(
    members: &mut Map<String, Value>,
    name: &str,
    items: &[Value],
    rest: &str,
    was_applied: impl Fn(&Value) -> bool,
) {
    // The first step of the rest counts the element.
    let inner = rest.get(1..).and_then(|it| it.find('/').map(|end| &it[end..])).unwrap_or_default();
    let holds = |item: &&Value| item.pointer(inner).is_some_and(&was_applied);
    let found: Vec<Value> = items.iter().filter(holds).cloned().collect();
    if found.is_empty() {
        return;
    }
    let marks = members.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(marks) = marks {
        marks.extend(found);
    }
}
