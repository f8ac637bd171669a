//! What is said of types, and of existing resources.

use super::fixture::{NOTHING, said, thing};

fn resource(kind: &str, rest: &str) -> Vec<String> {
    said(&format!("resource it '{kind}@default' {rest}\n"))
}

#[test]
fn a_type_that_there_is_not_is_an_error_with_what_was_perhaps_meant() {
    assert_eq!(
        resource("AWS.EC2/VCP", "= { alias: 'it' }"),
        [
            "error BCP081 1:10 «it» there is no resource type AWS.EC2/VCP",
            "  did you mean `AWS.EC2/VPC`?"
        ]
    );
    assert_eq!(
        resource("AWS.EC2/Bucket", "= { alias: 'it' }"),
        [
            "error BCP081 1:10 «it» there is no resource type AWS.EC2/Bucket",
            "  types with this name: `AWS.Lightsail/Bucket`, `AWS.S3/Bucket` and \
             `AWS.S3Outposts/Bucket`"
        ]
    );
    assert_eq!(
        resource("AWS.ECR/Zebra", "= { alias: 'it' }"),
        [
            "error BCP081 1:10 «it» there is no resource type AWS.ECR/Zebra",
            "  types of this service: `AWS.ECR/PublicRepository`, `AWS.ECR/PullThroughCacheRule`, \
             `AWS.ECR/PullTimeUpdateExclusion`, `AWS.ECR/RegistryPolicy`, \
             `AWS.ECR/RegistryScanningConfiguration`, `AWS.ECR/ReplicationConfiguration`, \
             `AWS.ECR/Repository`, `AWS.ECR/RepositoryCreationTemplate` and 1 more"
        ]
    );
}

#[test]
fn a_type_that_cloud_control_cannot_create_or_read_is_refused() {
    assert_eq!(
        said(&thing("Bare", "")),
        [
            "error TMPL0201 1:10 «it» Cloud Control cannot create AWS.Test/Bare: the type has no create handler",
            "  create it by other means"
        ]
    );
    assert_eq!(
        said(&thing("Fixed", "")),
        [
            "error TMPL0201 1:10 «it» Cloud Control cannot create AWS.Test/Fixed: the type has no create handler",
            "  create it by other means and refer to it as `existing`"
        ]
    );
    assert_eq!(
        resource("AWS.Test/Bare", "existing = { alias: 'it' }"),
        [
            "error TMPL0202 1:10 «it» Cloud Control cannot read AWS.Test/Bare: the type has no read handler",
            "  pass the needed values as parameters"
        ]
    );
    assert_eq!(resource("AWS.Test/Fixed", "existing = { alias: 'it' }"), NOTHING);
}

#[test]
fn an_existing_resource_is_told_by_parts_of_an_identifier_only() {
    assert_eq!(resource("AWS.Test/Strict", "existing = { properties: { Id: 'x' } }"), NOTHING);
    assert_eq!(resource("AWS.Test/Strict", "existing = { properties: { Name: 'x' } }"), NOTHING);
    assert_eq!(
        resource("AWS.Test/Strict", "existing = { properties: { Nme: 'x' } }"),
        [
            "error BCP089 1:66 «Nme» `Nme` is not a property of AWS.Test/Strict",
            "  did you mean `Name`?"
        ]
    );
    assert_eq!(
        resource("AWS.Test/Strict", "existing = { properties: { Count: 1 } }"),
        [
            "error BCP037 1:66 «Count» `Count` does not identify a resource of type AWS.Test/Strict",
            "  identify an existing resource by `Id` and `Name`, by its `name` or by its `alias`"
        ]
    );
    assert_eq!(
        resource("AWS.Test/Strict", "existing = { properties: { Zebra: 1 } }"),
        [
            "error BCP037 1:66 «Zebra» `Zebra` is not a property of AWS.Test/Strict",
            "  identify an existing resource by `Id` and `Name`, by its `name` or by its `alias`"
        ]
    );
}
