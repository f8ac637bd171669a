//! An identifier from an ARN, by the shape that the type's ARNs have.

use hangar_ids::{AccountId, Arn, ArnTemplate, Identifier, Region};
use hangar_schema::TypeSchema;

use super::last_name;
use crate::client::shape::AwsPlace;

/// The account and the region of an ARN that has both.
pub(super) fn place(arn: &Arn) -> Option<AwsPlace> {
    let account = AccountId::parse(arn.account()).ok()?;
    let region = Region::parse(arn.region()).ok()?;
    Some(AwsPlace { account: account.as_str().to_owned(), region: region.as_str().to_owned() })
}

/// The primary identifier that an ARN of the type holds; nothing where the type's ARNs have another
/// shape, or a part of the identifier is not in them for certain.
pub(super) fn identifier(schema: &TypeSchema, arn: &Arn) -> Option<String> {
    let held = ArnTemplate::new(schema.arn_template()?).taken_apart(arn.as_str())?;
    let thing = schema.name().rsplit("::").next()?.to_ascii_lowercase();
    let parts: Option<Vec<String>> = schema
        .primary_identifier()
        .iter()
        .map(|pointer| {
            let wanted = last_name(pointer)?.to_ascii_lowercase();
            held.iter().find_map(|(name, value)| fitting(name, value, &wanted, &thing))
        })
        .collect();
    Some(Identifier::from_parts(&parts?).ok()?.to_string())
}

/// The value of a placeholder, if it is for a part of an identifier: names differ in the type's own
/// name at their front (`GraphQLAPIId`, `ApiId`), and in nothing else that can be told.
fn fitting(name: &str, value: &str, wanted: &str, thing: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    if value.is_empty() || matches!(name.as_str(), "partition" | "region" | "account") {
        return None;
    }
    let (name, value) = match name.strip_suffix("withpath") {
        Some(name) => (name.to_owned(), value.rsplit('/').next().unwrap_or(value)),
        None => (name, value),
    };
    let is_same = name == wanted
        || name.ends_with(wanted)
        || (wanted.ends_with(&name) && wanted.starts_with(thing));
    is_same.then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use hangar_schema::Catalog;

    use super::*;

    fn of(type_name: &str, arn: &str) -> Option<String> {
        let schema = Catalog::bundled().get(type_name).unwrap();
        identifier(&schema, &Arn::parse(arn).unwrap())
    }

    #[test]
    fn the_part_that_names_the_resource_is_found() {
        for (type_name, arn, expected) in [
            ("AWS::EC2::VPC", "arn:aws:ec2:us-east-1:1:vpc/vpc-1", "vpc-1"),
            ("AWS::S3::Bucket", "arn:aws-cn:s3:::logs", "logs"),
            ("AWS::ApiGateway::RestApi", "arn:aws:apigateway:us-east-1::/restapis/a1", "a1"),
            ("AWS::IAM::Role", "arn:aws:iam::1:role/team/svc", "svc"),
            ("AWS::AppSync::GraphQLApi", "arn:aws:appsync:us-east-1:1:apis/x", "x"),
        ] {
            assert_eq!(of(type_name, arn).as_deref(), Some(expected), "{arn}");
        }
    }

    #[test]
    fn what_is_not_in_the_arn_is_not_guessed() {
        assert_eq!(of("AWS::EC2::VPC", "arn:aws:ec2:us-east-1:1:subnet/subnet-1"), None);
        // Its identifier is a URL, and the ARN has a name.
        assert_eq!(of("AWS::SQS::Queue", "arn:aws:sqs:us-east-1:1:q"), None);
    }
}
