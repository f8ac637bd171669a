//! Properties as CloudFormation hands them to a type: texts made into numbers and the other way, and tags.

use hangar_schema::{Kind, PropertyPointer, Step, TypeSchema};
use serde_json::{Map, Value, json};

use crate::core::json_patch::MAX_DEPTH;
use crate::core::violation::violations;

/// Whether a document has no mistake that another has not.
pub(super) fn fits(schema: &TypeSchema, before: &Value, after: &Value) -> bool {
    let found = violations(schema, after);
    if found.is_empty() {
        return true;
    }
    let known = violations(schema, before);
    found.iter().all(|line| known.contains(line))
}

/// The properties with scalars of the kinds that the schema wants, as CloudFormation converts them.
pub(super) fn coerced(schema: &TypeSchema, properties: &Value) -> Value {
    let mut steps = Vec::new();
    coerce(schema, properties, &mut steps)
}

fn coerce(schema: &TypeSchema, value: &Value, steps: &mut Vec<Step>) -> Value {
    if steps.len() > MAX_DEPTH {
        return value.clone();
    }
    let mut within = |step: Step, inner: &Value| {
        steps.push(step);
        let coerced = coerce(schema, inner, steps);
        steps.pop();
        coerced
    };
    match value {
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, member)| {
                    (name.clone(), within(Step::Member(name.as_str().into()), member))
                })
                .collect::<Map<_, _>>(),
        ),
        Value::Array(items) => items.iter().map(|item| within(Step::Each, item)).collect(),
        Value::String(_) | Value::Number(_) | Value::Bool(_) => {
            let pointer: PropertyPointer = steps.iter().cloned().collect();
            scalar(value, &schema.kinds_at(&pointer).iter().collect::<Vec<_>>())
        }
        Value::Null => Value::Null,
    }
}

fn scalar(value: &Value, kinds: &[Kind]) -> Value {
    let wants = |kind: Kind| kinds.contains(&kind);
    match value {
        Value::String(text) if !kinds.is_empty() && !wants(Kind::String) => {
            if wants(Kind::Boolean) && (text == "true" || text == "false") {
                return Value::Bool(text == "true");
            }
            if (wants(Kind::Number) || wants(Kind::Integer))
                && let Some(number) = hangar_schema::number::parse(text)
            {
                return Value::Number(number);
            }
            value.clone()
        }
        Value::Number(_) | Value::Bool(_) if wants(Kind::String) && kinds.len() == 1 => {
            Value::String(value.to_string())
        }
        _ => value.clone(),
    }
}

/// The properties with the stack's tags, where the type takes them: with CloudFormation's own too where
/// its schema lets them.
pub(super) fn tagged(schema: &TypeSchema, stated: &Value, tags: &[(String, String)]) -> Value {
    let tagging = schema.tagging();
    let property = schema.tag_property().and_then(|it| match it.member_names()?.as_slice() {
        [name] => Some((*name).to_owned()),
        _ => None,
    });
    let Some(property) = property.filter(|_| tagging.on_create) else { return stated.clone() };
    let is_own = |(key, _): &&(String, String)| key.starts_with("aws:");
    let given: Vec<_> = tags.iter().filter(|tag| !is_own(tag)).cloned().collect();
    let choices = [tags, given.as_slice()];
    for tags in choices.into_iter().skip(usize::from(!tagging.system_tags)) {
        if tags.is_empty() {
            break;
        }
        for form in [list_of(tags), map_of(tags)] {
            let Some(whole) = with_tags(stated, &property, form) else { continue };
            if fits(schema, stated, &whole) {
                return whole;
            }
        }
    }
    stated.clone()
}

fn list_of(tags: &[(String, String)]) -> Value {
    tags.iter().map(|(key, value)| json!({"Key": key, "Value": value})).collect()
}

fn map_of(tags: &[(String, String)]) -> Value {
    Value::Object(tags.iter().map(|(key, value)| (key.clone(), json!(value))).collect())
}

/// Tags of the template come before those of the stack, and take their place where they have one name.
fn with_tags(stated: &Value, property: &str, tags: Value) -> Option<Value> {
    let mut whole = stated.clone();
    let members = whole.as_object_mut()?;
    let joined = match (members.get(property), tags) {
        (Some(Value::Array(own)), Value::Array(tags)) => {
            let is_new = |tag: &Value| !own.iter().any(|it| it.get("Key") == tag.get("Key"));
            let new: Vec<Value> = tags.into_iter().filter(is_new).collect();
            own.iter().cloned().chain(new).collect()
        }
        (Some(Value::Object(own)), Value::Object(tags)) => {
            Value::Object(tags.into_iter().chain(own.clone()).collect())
        }
        (None, tags) => tags,
        _ => return None,
    };
    members.insert(property.to_owned(), joined);
    Some(whole)
}

#[cfg(test)]
mod tests {
    use hangar_schema::Catalog;

    use super::*;

    #[test]
    fn texts_become_numbers_where_the_schema_wants_them_and_the_other_way() {
        let queue = Catalog::bundled().get("AWS::SQS::Queue").unwrap();
        let stated = json!({"DelaySeconds": "5", "FifoQueue": "true", "QueueName": 12});
        assert_eq!(
            coerced(&queue, &stated),
            json!({"DelaySeconds": 5, "FifoQueue": true, "QueueName": "12"})
        );
        let odd = json!({"DelaySeconds": "five"});
        assert_eq!(coerced(&queue, &odd), odd);
    }

    #[test]
    fn tags_of_the_stack_stand_behind_those_of_the_template() {
        let bucket = Catalog::bundled().get("AWS::S3::Bucket").unwrap();
        let tags = [("aws:cloudformation:stack-name".to_owned(), "s".to_owned())];
        let stated = json!({"Tags": [{"Key": "a", "Value": "b"}]});
        assert_eq!(
            tagged(&bucket, &stated, &tags)["Tags"],
            json!([{"Key": "a", "Value": "b"}, {"Key": "aws:cloudformation:stack-name", "Value": "s"}])
        );
    }
}
