//! Names and ids that CloudFormation makes up, and the id that a resource has in its stack.

use hangar_manifest::cloudformation::physical_id;
use hangar_schema::{Class, PropertyPointer, TypeSchema};
use serde_json::Value;

use super::fit::fits;
use crate::core::random::Random;

/// The letters at the end of made-up names.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Services that take names in lower case only.
const LOWER: [&str; 8] = [
    "AWS::S3::",
    "AWS::RDS::",
    "AWS::ElastiCache::",
    "AWS::Redshift::",
    "AWS::Neptune::",
    "AWS::DocDB::",
    "AWS::ECR::",
    "AWS::OpenSearchService::",
];

/// `Stack-Logical-A1b2C3d4E5f6`, shortened in the middle to at most `longest` characters.
pub(super) fn made_up(
    stack: &str,
    logical_id: &str,
    random: &mut Random,
    longest: usize,
) -> String {
    let end = random.text(LETTERS, 12);
    let room = longest.saturating_sub(end.len() + 2);
    let logical: String = logical_id.chars().take(room.saturating_sub(room / 2)).collect();
    let stack: String = stack.chars().take(room.saturating_sub(logical.len())).collect();
    let stack = stack.trim_end_matches('-');
    format!("{stack}-{logical}-{end}")
}

/// The properties with a name for the resource, where it has none and CloudFormation would give it one.
pub(super) fn named(
    schema: &TypeSchema,
    stated: &Value,
    stack: &str,
    logical_id: &str,
    random: &mut Random,
) -> Option<Value> {
    let property = name_property(schema)?;
    if stated.get(property).is_some_and(|it| !it.is_null()) {
        return None;
    }
    let is_fifo = ["FifoQueue", "FifoTopic"]
        .iter()
        .any(|it| stated.get(*it).is_some_and(|it| matches!(it, Value::Bool(true))));
    let is_lower = LOWER.iter().any(|service| schema.name().starts_with(service));
    for longest in [63, 40, 32, 24] {
        let name = made_up(stack, logical_id, random, longest);
        let mut name = if is_lower { name.to_lowercase() } else { name };
        if is_fifo {
            name += ".fifo";
        }
        for name in [name.clone(), name.to_lowercase()] {
            let mut whole = stated.clone();
            whole.as_object_mut()?.insert(property.to_owned(), Value::String(name));
            if fits(schema, stated, &whole) {
                return Some(whole);
            }
        }
    }
    None
}

/// The property that names a resource and that callers may leave out: part of its identifier, or called
/// as its type is.
pub(super) fn name_property(schema: &TypeSchema) -> Option<&str> {
    let short = schema.name().rsplit("::").next().unwrap_or_default();
    let own = format!("{short}Name");
    let identifier = schema.primary_identifier();
    let is_free = |name: &str| {
        let pointer = PropertyPointer::of_member(name);
        !schema.is_required(&pointer) && !schema.classes_of(&pointer).has(Class::ReadOnly)
    };
    let is_create_only =
        |name: &str| schema.classes_of(&PropertyPointer::of_member(name)).has(Class::CreateOnly);
    let is_identifier =
        |name: &str| identifier.iter().any(|it| it.member_names().as_deref() == Some(&[name]));
    schema.property_names().find(|name| {
        let ends_so = name.ends_with("Name") || name.ends_with("Identifier");
        let is_only = identifier.len() == 1 && is_identifier(name) && ends_so;
        let is_own = *name == own || *name == "Name";
        is_free(name) && (is_only || (is_own && (is_identifier(name) || is_create_only(name))))
    })
}

/// What `Ref` gives for a resource with this identifier and these values.
pub(super) fn physical_id_of(type_name: &str, identifier: &str, values: &Value) -> String {
    let Some(parts) = physical_id::parts(type_name) else { return identifier.to_owned() };
    let texts: Vec<String> = parts.iter().filter_map(|part| text_at(values, part)).collect();
    if texts.is_empty() { identifier.to_owned() } else { texts.join("|") }
}

fn text_at(values: &Value, part: &str) -> Option<String> {
    match part.split('/').try_fold(values, |at, name| at.get(name))? {
        Value::String(text) => Some(text.clone()),
        value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
        _ => None,
    }
}

/// The value of an attribute: dots lead into objects, and a key with dots of its own comes first.
pub(super) fn attribute_of(values: &Value, attribute: &str) -> Option<Value> {
    if let Some(value) = values.get(attribute) {
        return Some(value.clone());
    }
    let dots: Vec<usize> = attribute.match_indices('.').map(|(at, _)| at).collect();
    dots.into_iter().rev().find_map(|at| {
        let (key, rest) = (&attribute[..at], &attribute[at + 1..]);
        attribute_of(values.get(key)?, rest)
    })
}

#[cfg(test)]
mod tests {
    use hangar_schema::Catalog;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_longest_key_comes_first() {
        let values = json!({"A": {"B": 1, "B.C": 2}, "A.B": {"C": 3}});
        assert_eq!(attribute_of(&values, "A.B.C"), Some(json!(3)));
        assert_eq!(attribute_of(&values, "A.B"), Some(json!({"C": 3})));
        assert_eq!(attribute_of(&json!({"A": {"B.C": 2}}), "A.B.C"), Some(json!(2)));
        assert_eq!(attribute_of(&values, "A.C"), None);
    }

    #[test]
    fn types_are_named_where_their_name_may_be_left_out() {
        let catalog = Catalog::bundled();
        let property = |name: &str| {
            let schema = catalog.get(name).unwrap();
            name_property(&schema).map(str::to_owned)
        };
        for (name, expected) in [
            ("AWS::S3::Bucket", Some("BucketName")),
            ("AWS::SQS::Queue", Some("QueueName")),
            ("AWS::SNS::Topic", Some("TopicName")),
            ("AWS::RDS::DBInstance", Some("DBInstanceIdentifier")),
            ("AWS::Lambda::Function", Some("FunctionName")),
            ("AWS::DynamoDB::Table", Some("TableName")),
            ("AWS::IAM::Role", Some("RoleName")),
            ("AWS::EC2::VPC", None),
            ("AWS::ECS::Service", Some("ServiceName")),
            ("AWS::ApiGateway::RestApi", None),
        ] {
            assert_eq!(property(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_made_up_name_keeps_to_its_length() {
        let mut random = Random::new(7, &["x"]);
        let name = made_up("Storage", "Bucket83908E77", &mut random, 63);
        assert!(name.starts_with("Storage-Bucket83908E77-"), "{name}");
        let name = made_up(&"s".repeat(100), &"l".repeat(100), &mut random, 40);
        assert!(name.len() <= 40, "{name}");
    }

    #[test]
    fn the_physical_id_is_what_the_table_says() {
        let stage = json!({"RestApiId": "r", "StageName": "prod"});
        assert_eq!(physical_id_of("AWS::ApiGateway::Stage", "r|prod", &stage), "prod");
        assert_eq!(physical_id_of("AWS::S3::Bucket", "b", &json!({})), "b");
        let rule = json!({"Name": "r", "Arn": "arn"});
        assert_eq!(physical_id_of("AWS::Events::Rule", "arn", &rule), "r");
    }
}
