//! Limits that cfn-lint adds to AWS's schemas: where the catalog keeps them and how they get into a schema.
//!
//! They only ever lead to warnings: cfn-lint collects them from AWS's service models and documentation.

use serde_json::Value;

use crate::node::ADVICE;

/// Puts the limits of a catalog entry, by JSON pointer into the schema, beside the keywords that they add to.
///
/// A pointer that leads nowhere is ignored.
pub(crate) fn put_into(schema: &mut Value, advice: &Value) {
    for (pointer, limits) in advice.as_object().into_iter().flatten() {
        if let Some(Value::Object(place)) = schema.pointer_mut(pointer) {
            place.insert(ADVICE.to_owned(), limits.clone());
        }
    }
}
