//! Walks from the root of a model along the pointer of a row.

use serde_json::{Map, Value};

/// Calls `act` with each value that the steps lead to. `*` is any element of an array or any member
/// of a map.
pub(super) fn visit(value: &mut Value, steps: &[String], act: &mut dyn FnMut(&mut Value)) {
    let Some((step, rest)) = steps.split_first() else { return act(value) };
    match value {
        Value::Array(items) if step == "*" => {
            for item in items {
                visit(item, rest, act);
            }
        }
        Value::Object(members) if step == "*" => {
            for member in members.values_mut() {
                visit(member, rest, act);
            }
        }
        Value::Object(members) => {
            if let Some(member) = members.get_mut(step) {
                visit(member, rest, act);
            }
        }
        _ => {}
    }
}

/// Calls `act` with each object that can hold the last step, and the name of that step.
pub(super) fn visit_holders(
    value: &mut Value,
    steps: &[String],
    act: &mut dyn FnMut(&mut Map<String, Value>, &str),
) {
    let Some((last, holders)) = steps.split_last() else { return };
    visit(value, holders, &mut |holder| {
        if let Value::Object(members) = holder {
            act(members, last);
        }
    });
}
