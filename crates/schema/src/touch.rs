//! Which of a list of properties differ between two documents: what a service looks at before it
//! takes an update of a resource whose read-only and create-only values must stay.

use serde_json::Value;

use crate::class::Class;
use crate::fingerprint;
use crate::pointer::{PropertyPointer, Step};
use crate::same::same;
use crate::secret::holds_secrets;
use crate::spot::Spot;
use crate::type_schema::TypeSchema;

/// The pointers among `list` whose values `before` and `after` disagree on.
///
/// Below an array a value counts as changed only where nothing else of its element did: elements
/// that came, went or moved are no change of the properties that they hold.
///
/// ```
/// # use hangar_schema::{Catalog, touched};
/// # use serde_json::json;
/// let vpc = Catalog::bundled().get("AWS::EC2::VPC")?;
/// let before = json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true});
/// let after = json!({"CidrBlock": "10.1.0.0/16", "EnableDnsSupport": false});
/// let changed = touched(&vpc.lists().create_only, &before, &after);
/// assert_eq!(changed.iter().map(ToString::to_string).collect::<Vec<_>>(), ["/CidrBlock"]);
/// # Ok::<(), hangar_schema::CatalogError>(())
/// ```
pub fn touched<'l>(
    list: &'l [PropertyPointer],
    before: &Value,
    after: &Value,
) -> Vec<&'l PropertyPointer> {
    list.iter().filter(|pointer| differ(pointer.steps(), Some(before), Some(after))).collect()
}

fn differ(steps: &[Step], before: Option<&Value>, after: Option<&Value>) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        return match (stated(before), stated(after)) {
            (None, None) => false,
            (Some(before), Some(after)) => !same(before, after),
            _ => true,
        };
    };
    match step {
        Step::Member(name) => {
            let before = before.and_then(|value| value.get(&**name));
            differ(rest, before, after.and_then(|value| value.get(&**name)))
        }
        Step::Each => match (before, after) {
            (Some(Value::Array(before)), Some(Value::Array(after))) => {
                before.len() == after.len()
                    && !are_the_same_elements(before, after)
                    && before.iter().zip(after).any(|(before, after)| {
                        same(&without(rest, before), &without(rest, after))
                            && differ(rest, Some(before), Some(after))
                    })
            }
            (Some(Value::Object(before)), Some(Value::Object(after))) => {
                before.iter().any(|(name, member)| {
                    after.get(name).is_some_and(|after| differ(rest, Some(member), Some(after)))
                })
            }
            _ => false,
        },
    }
}

/// Whether two arrays hold the same elements, in whatever order.
fn are_the_same_elements(before: &[Value], after: &[Value]) -> bool {
    let mut left: Vec<&Value> = after.iter().collect();
    before.iter().all(|element| match left.iter().position(|other| same(element, other)) {
        Some(at) => {
            left.swap_remove(at);
            true
        }
        None => false,
    })
}

fn stated(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| !value.is_null())
}

/// The value without what `steps` lead to.
fn without(steps: &[Step], value: &Value) -> Value {
    let mut value = value.clone();
    remove(steps, &mut value);
    value
}

fn remove(steps: &[Step], value: &mut Value) {
    match steps {
        [] => *value = Value::Null,
        [Step::Member(name)] => {
            if let Value::Object(members) = value {
                members.remove(&**name);
            }
        }
        [Step::Member(name), rest @ ..] => {
            if let Some(next) = value.get_mut(&**name) {
                remove(rest, next);
            }
        }
        [Step::Each, rest @ ..] => match value {
            Value::Array(items) => items.iter_mut().for_each(|item| remove(rest, item)),
            Value::Object(members) => members.values_mut().for_each(|item| remove(rest, item)),
            _ => {}
        },
    }
}

/// `document` without its read-only values: what a caller could state to get the same.
pub fn without_read_only(schema: &TypeSchema, document: &Value) -> Value {
    strip(schema, schema.root(), document).unwrap_or(Value::Null)
}

fn strip(schema: &TypeSchema, spot: Spot, value: &Value) -> Option<Value> {
    if schema.is_read_only(spot) {
        return None;
    }
    if !schema.below(spot).has(Class::ReadOnly) {
        return Some(value.clone());
    }
    Some(match value {
        Value::Object(members) => {
            let kept = members.iter().filter_map(|(name, member)| {
                let kept = strip(schema, schema.member(spot, name), member)?;
                // An object of which only the service spoke was not stated.
                let is_hollow = matches!(&kept, Value::Object(rest) if rest.is_empty())
                    && matches!(member, Value::Object(all) if !all.is_empty())
                    && !schema.shape(spot).requires(name);
                (!is_hollow).then(|| (name.clone(), kept))
            });
            Value::Object(kept.collect())
        }
        Value::Array(items) => {
            let element = schema.element(spot);
            Value::Array(items.iter().filter_map(|item| strip(schema, element, item)).collect())
        }
        scalar => scalar.clone(),
    })
}

/// Puts back what an update took away and the service keeps all the same: the removals that the
/// overrides know to be ignored.
pub fn keep_ignored_removals(schema: &TypeSchema, before: &Value, after: &mut Value) {
    keep(schema, schema.root(), before, after);
}

fn keep(schema: &TypeSchema, spot: Spot, before: &Value, after: &mut Value) {
    let (Value::Object(before), Value::Object(after)) = (before, after) else { return };
    for (name, value) in before {
        let next = schema.member(spot, name);
        match after.get_mut(name) {
            Some(after) => keep(schema, next, value, after),
            None if schema.removal_value(next).is_some() => {
                after.insert(name.clone(), value.clone());
            }
            None => {}
        }
    }
}

/// Puts back the write-only values that can only be set at creation: no update can repeat them, so
/// a service that forgot them could not be updated at all.
pub fn keep_create_only_secrets(schema: &TypeSchema, before: &Value, after: &mut Value) {
    keep_secrets(schema, schema.root(), before, after);
}

fn keep_secrets(schema: &TypeSchema, spot: Spot, before: &Value, after: &mut Value) {
    if !holds_secrets(schema, spot) {
        return;
    }
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            for (name, value) in before {
                let next = schema.member(spot, name);
                let is_kept = schema.at(next).is_hidden() && schema.is_create_only(next);
                match after.get_mut(name) {
                    Some(after) => keep_secrets(schema, next, value, after),
                    None if is_kept => {
                        after.insert(name.clone(), value.clone());
                    }
                    None => {}
                }
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            // Elements are known by what can be read of them, wherever they stand now.
            let element = schema.element(spot);
            for after in after {
                let print = fingerprint::of_readable(schema, element, after);
                let known = |it: &&Value| fingerprint::of_readable(schema, element, it) == print;
                if let Some(before) = before.iter().find(known) {
                    keep_secrets(schema, element, before, after);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::type_schema::Source;
    use serde_json::json;

    fn schema() -> TypeSchema {
        let document = json!({
            "typeName": "A::B::C",
            "properties": {
                "Name": {"type": "string"},
                "Box": {"type": "object", "properties": {
                    "Arn": {"type": "string"}, "Size": {"type": "integer"}}},
                "List": {"type": "array", "items": {"type": "object", "properties": {
                    "Id": {"type": "string"}, "Port": {"type": "integer"}}}}
            },
            "readOnlyProperties": ["/properties/Box/Arn", "/properties/List/*/Id"],
            "createOnlyProperties": ["/properties/Name", "/properties/List/*/Port"]
        });
        TypeSchema::compile(&document, Source::File).unwrap()
    }

    fn changed(before: &Value, after: &Value) -> Vec<String> {
        let schema = schema();
        let lists = [&schema.lists().read_only, &schema.lists().create_only];
        lists
            .iter()
            .flat_map(|list| touched(list, before, after))
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn a_value_that_came_went_or_changed_is_touched_and_null_is_none() {
        assert_eq!(changed(&json!({"Name": "a"}), &json!({"Name": "b"})), ["/Name"]);
        assert_eq!(changed(&json!({"Name": "a"}), &json!({})), ["/Name"]);
        assert_eq!(changed(&json!({}), &json!({"Box": {"Arn": "x"}})), ["/Box/Arn"]);
        assert!(changed(&json!({"Name": null}), &json!({})).is_empty());
        assert!(changed(&json!({"Box": {"Size": 1.0}}), &json!({"Box": {"Size": 2}})).is_empty());
    }

    #[test]
    fn elements_that_come_and_go_are_no_change_of_what_they_hold() {
        let one = json!({"List": [{"Id": "a", "Port": 1}]});
        let two = json!({"List": [{"Id": "a", "Port": 1}, {"Port": 2}]});
        assert!(changed(&one, &two).is_empty());
        assert!(changed(&two, &one).is_empty());
        let swapped = json!({"List": [{"Port": 2}, {"Id": "a", "Port": 1}]});
        assert!(changed(&two, &swapped).is_empty());
        let other = json!({"List": [{"Id": "a", "Port": 3}]});
        assert_eq!(changed(&one, &other), ["/List/*/Port"]);
    }

    #[test]
    fn what_the_service_said_is_taken_out_and_what_the_caller_said_stays() {
        let schema = schema();
        let document = json!({"Name": "a", "Box": {"Arn": "x"}, "List": [{"Id": "a", "Port": 1}]});
        assert_eq!(
            without_read_only(&schema, &document),
            json!({"Name": "a", "List": [{"Port": 1}]})
        );
        let kept = without_read_only(&schema, &json!({"Box": {"Arn": "x", "Size": 1}}));
        assert_eq!(kept, json!({"Box": {"Size": 1}}));
    }
}
