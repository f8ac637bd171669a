//! What the identifier in a URL says of the properties: they must agree, and what the caller left
//! out is filled in. Without that a create by id could make a resource of another name.

use hangar_ids::Identifier;
use hangar_schema::{Class, Kind, PropertyPointer, TypeSchema};
use serde_json::{Map, Value};

use crate::error::{ApiError, Code};

/// The properties with the parts of the identifier in them.
pub(super) fn named(
    schema: &TypeSchema,
    identifier: &str,
    mut properties: Map<String, Value>,
) -> Result<Map<String, Value>, ApiError> {
    let pointers = schema.primary_identifier();
    if pointers.is_empty() {
        return Ok(properties);
    }
    let refused = |found| ApiError::diagnosed(Code::InvalidIdentifier, &found);
    let identifier = Identifier::parse(identifier).map_err(refused)?;
    let parts = identifier.parts(pointers.len()).map_err(refused)?;
    for (pointer, part) in pointers.iter().zip(parts) {
        let Some(stated) = stated(&properties, pointer) else {
            fill(schema, &mut properties, pointer, part);
            continue;
        };
        if stated != part {
            let message = format!(
                "the URL names `{part}`, and the properties have `{stated}` at `{pointer}`; write \
                 the same, or leave it out"
            );
            let error = ApiError::new(Code::IdentifierMismatch, message);
            return Err(error.with_target(format!("/properties{pointer}")));
        }
    }
    Ok(properties)
}

/// What the properties have at a pointer, as an identifier would spell it.
fn stated(properties: &Map<String, Value>, pointer: &PropertyPointer) -> Option<String> {
    let names = pointer.member_names()?;
    let (first, rest) = names.split_first()?;
    let value = rest.iter().try_fold(properties.get(*first)?, |at, name| at.get(*name))?;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Fills a part in where a caller could have stated it: AWS itself sets read-only ones.
fn fill(
    schema: &TypeSchema,
    properties: &mut Map<String, Value>,
    pointer: &PropertyPointer,
    part: &str,
) {
    let is_settable = !schema.classes_of(pointer).has(Class::ReadOnly)
        && schema.kinds_at(pointer).has(Kind::String);
    let names = pointer.member_names();
    if let Some([name]) = names.as_deref()
        && is_settable
    {
        properties.insert((*name).to_owned(), part.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hangar_schema::Catalog;
    use serde_json::json;

    fn after(type_name: &str, identifier: &str, properties: Value) -> Result<Value, String> {
        let schema = Catalog::bundled().get(type_name).unwrap();
        let Value::Object(properties) = properties else { panic!("an object") };
        named(&schema, identifier, properties)
            .map(Value::Object)
            .map_err(|error| error.code().to_owned())
    }

    #[test]
    fn a_name_that_the_caller_chooses_is_filled_in() {
        assert_eq!(after("AWS::S3::Bucket", "b", json!({})), Ok(json!({"BucketName": "b"})));
        assert_eq!(
            after("AWS::S3::Bucket", "b", json!({"BucketName": "b"})),
            Ok(json!({"BucketName": "b"}))
        );
        assert_eq!(
            after("AWS::ApiGateway::Stage", "a|s", json!({"StageName": "s"})),
            Ok(json!({"RestApiId": "a", "StageName": "s"}))
        );
    }

    #[test]
    fn one_that_aws_chooses_is_not() {
        assert_eq!(after("AWS::EC2::VPC", "vpc-1", json!({})), Ok(json!({})));
        assert_eq!(
            after("AWS::EC2::VPC", "vpc-1", json!({"VpcId": "vpc-1"})),
            Ok(json!({"VpcId": "vpc-1"}))
        );
    }

    #[test]
    fn a_name_that_differs_is_refused() {
        for (type_name, identifier, properties, code) in [
            ("AWS::S3::Bucket", "b", json!({"BucketName": "c"}), "IdentifierMismatch"),
            ("AWS::EC2::VPC", "vpc-1", json!({"VpcId": "vpc-2"}), "IdentifierMismatch"),
            ("AWS::ApiGateway::Stage", "a", json!({}), "InvalidIdentifier"),
        ] {
            assert_eq!(after(type_name, identifier, properties), Err(code.to_owned()));
        }
    }
}
