//! A stated value as it may be sent: without what only the service sets, without nulls, and
//! without write-only values that can only be set at creation.

use serde_json::Value;

use super::walk::Walk;
use crate::secret::without_nulls;
use crate::spot::Spot;
use crate::type_schema::TypeSchema;

impl Walk<'_> {
    pub(super) fn sendable(&self, spot: Spot, value: &Value) -> Value {
        sendable(self.schema, spot, value).unwrap_or(Value::Null)
    }
}

fn sendable(schema: &TypeSchema, spot: Spot, value: &Value) -> Option<Value> {
    if schema.is_read_only(spot) {
        return None;
    }
    if schema.is_secret(spot, value) {
        let is_sent = !schema.is_create_only_secret(spot);
        return is_sent.then(|| without_nulls(value).into_owned());
    }
    Some(match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, member)| !member.is_null()).filter_map(
                |(name, member)| {
                    let member = sendable(schema, schema.member(spot, name), member)?;
                    Some((name.clone(), member))
                },
            );
            Value::Object(kept.collect())
        }
        Value::Array(items) => {
            let element = schema.element(spot);
            Value::Array(items.iter().filter_map(|item| sendable(schema, element, item)).collect())
        }
        scalar => scalar.clone(),
    })
}

/// Takes out of an object what desired does not state, but for what only the service sets.
pub(super) fn keep_stated(schema: &TypeSchema, spot: Spot, value: &mut Value, desired: &Value) {
    let (Value::Object(members), Value::Object(stated)) = (value, desired) else { return };
    members.retain(|name, _| {
        schema.is_read_only(schema.member(spot, name))
            || stated.get(name).is_some_and(|member| !member.is_null())
    });
    for (name, member) in members {
        if let Some(inner) = stated.get(name) {
            keep_stated(schema, schema.member(spot, name), member, inner);
        }
    }
}
