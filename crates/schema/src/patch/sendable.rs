//! A stated value as it may be sent: without what only the service sets, without nulls, and
//! without write-only values that can only be set at creation.

use serde_json::Value;

use super::walk::Walk;
use crate::secret::is_create_only_secret;
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
        return (!is_create_only_secret(schema, spot)).then(|| value.clone());
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

/// Puts the read-only values that `live` has into `value`, at any depth of objects.
pub(super) fn restore_read_only(schema: &TypeSchema, spot: Spot, value: &mut Value, live: &Value) {
    let (Value::Object(members), Value::Object(shown)) = (value, live) else { return };
    for (name, live_member) in shown {
        let next = schema.member(spot, name);
        if schema.is_read_only(next) {
            members.insert(name.clone(), live_member.clone());
        } else if schema.below(next).has(crate::class::Class::ReadOnly)
            && let Some(member) = members.get_mut(name)
        {
            restore_read_only(schema, next, member, live_member);
        }
    }
}
