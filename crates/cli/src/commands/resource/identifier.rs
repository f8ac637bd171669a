//! What a person writes for a resource that exists: `a|b`, a JSON object, named fields, an ARN.

mod arn;

use hangar_diag::Diagnostic;
use hangar_ids::{Arn, IdentifierSet, TypeName, encode_identifier};
use hangar_schema::{PropertyPointer, TypeSchema, read_identifier};
use serde_json::{Map, Value};

use crate::client::request::Request;
use crate::client::shape::{AwsPlace, Named as Shown};
use crate::commands::types;
use crate::failure::Failure;
use crate::input::Source;
use crate::session::Session;

/// A resource that exists, by whatever of its names was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    by: By,
    /// Where it is, as far as the name tells.
    pub(super) place: Option<AwsPlace>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum By {
    /// As Cloud Control spells it.
    Primary(String),
    /// Another name, as JSON; AWS must be asked for the primary one.
    Additional(String),
}

/// Reads what was typed for a resource of a type.
pub(super) fn read(type_name: &TypeName, text: &str) -> Result<Named, Failure> {
    let schema = types::bundled(&type_name.cloud_formation())?;
    read_by(&schema, text)
        .map_err(|mistake| Failure::in_source(Source::argument(text), vec![mistake]))
}

/// The same, with the schema at hand.
pub(super) fn read_by(schema: &TypeSchema, text: &str) -> Result<Named, Diagnostic> {
    if let Some(arn) = text.starts_with("arn:").then(|| Arn::parse(text)).and_then(Result::ok)
        && let Some(by) = of_arn(schema, &arn)
    {
        return Ok(Named { by, place: arn::place(&arn) });
    }
    let named = read_identifier(schema, text)?;
    let by = match named.set {
        IdentifierSet::Primary => By::Primary(named.identifier.to_string()),
        IdentifierSet::Additional(index) => {
            let sets = schema.additional_identifiers();
            let set = sets.get(index).map(Vec::as_slice).unwrap_or_default();
            let parts = named.identifier.parts(set.len())?;
            By::Additional(object(set, &parts))
        }
    };
    Ok(Named { by, place: None })
}

/// What AWS calls a resource, written so that it is read as that: an ARN that is an identifier is an object where it
/// could be taken for a longer name of one.
pub(super) fn unmistakable(schema: &TypeSchema, identifier: &str) -> Value {
    let is_clear = !identifier.starts_with("arn:")
        || read_by(schema, identifier).is_ok_and(|named| named.known() == Some(identifier));
    match schema.primary_identifier() {
        set @ [_] if !is_clear => Value::Object(members(set, &[identifier])),
        _ => identifier.into(),
    }
}

/// Types whose identifier is their ARN although it is not called so.
const KNOWN_BY_ARN: [&str; 1] = ["AWS::SecretsManager::Secret"];

/// What an ARN says of a resource of the type, if it says enough.
fn of_arn(schema: &TypeSchema, arn: &Arn) -> Option<By> {
    let is_arn = |set: &[PropertyPointer]| match set {
        [one] => last_name(one).is_some_and(|name| name.to_ascii_lowercase().ends_with("arn")),
        _ => false,
    };
    if is_arn(schema.primary_identifier()) || KNOWN_BY_ARN.contains(&schema.name()) {
        return Some(By::Primary(arn.as_str().to_owned()));
    }
    if let Some(identifier) = arn::identifier(schema, arn) {
        return Some(By::Primary(identifier));
    }
    let by_arn = schema.additional_identifiers().iter().find(|set| is_arn(set))?;
    Some(By::Additional(object(by_arn, &[arn.as_str()])))
}

/// The parts of an identifier by name, as Cloud Control takes one that is not the primary one.
fn object(set: &[PropertyPointer], parts: &[&str]) -> String {
    Value::Object(members(set, parts)).to_string()
}

fn members(set: &[PropertyPointer], parts: &[&str]) -> Map<String, Value> {
    let members = set.iter().zip(parts).filter_map(|(pointer, part)| {
        Some((last_name(pointer)?, Value::String((*part).to_owned())))
    });
    members.collect()
}

fn last_name(pointer: &PropertyPointer) -> Option<String> {
    pointer.member_names()?.last().map(|name| (*name).to_owned())
}

impl Named {
    /// As Cloud Control spells it, where AWS need not be asked.
    pub(super) fn known(&self) -> Option<&str> {
        match &self.by {
            By::Primary(identifier) => Some(identifier),
            By::Additional(_) => None,
        }
    }

    /// The read of the resource in a collection by this name.
    pub(super) fn request(&self, collection: &str) -> Request {
        let (By::Primary(text) | By::Additional(text)) = &self.by;
        Request::get(format!("{collection}/{}", encode_identifier(text)))
    }

    /// As Cloud Control spells it; AWS is asked where only another name is known.
    pub(super) async fn primary(
        &self,
        session: &mut Session<'_>,
        collection: &str,
        doing: &str,
    ) -> Result<String, Failure> {
        if let Some(identifier) = self.known() {
            return Ok(identifier.to_owned());
        }
        let read = session.read::<Shown>(&self.request(collection)).await;
        Ok(read.map_err(|error| error.while_doing(doing))?.1.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(type_name: &str, text: &str) -> (String, Option<String>) {
        let read = read(&TypeName::parse(type_name).unwrap(), text).unwrap();
        let (By::Primary(name) | By::Additional(name)) = read.by;
        (name, read.place.map(|place| place.to_scope()))
    }

    #[test]
    fn every_form_of_an_identifier_is_read() {
        let stage = "AWS.ApiGateway/Stage";
        for text in ["a|b", r#"{"StageName": "b", "RestApiId": "a"}"#, "RestApiId=a,StageName=b"] {
            assert_eq!(named(stage, text), ("a|b".to_owned(), None), "{text}");
        }
        assert_eq!(named("AWS.EC2/VPC", "vpc-1").0, "vpc-1");
        assert!(read(&TypeName::parse(stage).unwrap(), "a").is_err());
    }

    #[test]
    fn an_arn_is_the_identifier_or_gives_it_or_names_the_resource_otherwise() {
        let place = |account: &str, region: &str| {
            Some(format!("/planes/aws/aws/accounts/{account}/regions/{region}"))
        };
        let topic = "arn:aws:sns:eu-west-1:123456789012:t";
        assert_eq!(
            named("AWS.SNS/Topic", topic),
            (topic.to_owned(), place("123456789012", "eu-west-1"))
        );
        assert_eq!(
            named("AWS.EC2/VPC", "arn:aws:ec2:us-west-2:123456789012:vpc/vpc-1"),
            ("vpc-1".to_owned(), place("123456789012", "us-west-2"))
        );
        assert_eq!(named("AWS.S3/Bucket", "arn:aws:s3:::logs"), ("logs".to_owned(), None));
    }

    #[test]
    fn what_aws_calls_a_resource_is_read_back_as_that() {
        for (type_name, identifier) in [
            (
                "AWS::SecretsManager::Secret",
                "arn:aws:secretsmanager:us-east-1:123456789012:secret:s-XZO3PM",
            ),
            ("AWS::SNS::Topic", "arn:aws:sns:eu-west-1:123456789012:t"),
            ("AWS::EC2::VPC", "arn:aws:ec2:us-west-2:123456789012:vpc/vpc-1"),
            ("AWS::EC2::VPC", "vpc-1"),
            ("AWS::ApiGateway::Stage", "a|b"),
        ] {
            let schema = types::bundled(type_name).unwrap();
            let written = match unmistakable(&schema, identifier) {
                Value::String(text) => text,
                object => object.to_string(),
            };
            assert_eq!(read_by(&schema, &written).unwrap().known(), Some(identifier), "{written}");
        }
    }

    #[test]
    fn another_name_than_the_primary_one_is_given_to_aws_as_json() {
        let schema = hangar_schema::TypeSchema::compile(
            &serde_json::json!({
                "typeName": "Test::Small::Type",
                "properties": {"Id": {"type": "string"}, "TheArn": {"type": "string"}},
                "primaryIdentifier": ["/properties/Id"],
                "additionalIdentifiers": [["/properties/TheArn"]],
            }),
            hangar_schema::Source::File,
        )
        .unwrap();
        let by = |text: &str| read_by(&schema, text).unwrap().by;
        let arn = "arn:aws:test:us-east-1:1:x";
        assert_eq!(by(arn), By::Additional(format!("{{\"TheArn\":\"{arn}\"}}")));
        assert_eq!(by("TheArn=x"), By::Additional("{\"TheArn\":\"x\"}".to_owned()));
        assert_eq!(by("x"), By::Primary("x".to_owned()));
    }
}
