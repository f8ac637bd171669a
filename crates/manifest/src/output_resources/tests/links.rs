//! Links to Cloud Control: which type, which identifier, how sure.

use serde_json::json;

use super::super::Confidence;
use super::*;

const AWS: &str = "hashicorp/aws";

fn link(type_name: &str, attributes: &Value) -> Option<(String, String, Confidence)> {
    let link = one(AWS, type_name, attributes).cloud_control?;
    Some((link.type_name, link.identifier, link.confidence))
}

#[test]
fn identifiers_are_made_by_rules_of_types_and_by_names_that_are_the_same() {
    use Confidence::{High, Likely};
    for (type_name, attributes, wanted, identifier, confidence) in [
        (
            "aws_sqs_queue",
            json!({"id": "https://sqs.r/1/q", "name": "q"}),
            "AWS.SQS/Queue",
            "https://sqs.r/1/q",
            High,
        ),
        (
            "aws_db_instance",
            json!({"id": "db-ABC", "identifier": "main"}),
            "AWS.RDS/DBInstance",
            "main",
            High,
        ),
        (
            "aws_iam_role_policy",
            json!({"id": "r:p", "name": "p", "role": "r"}),
            "AWS.IAM/RolePolicy",
            "p|r",
            High,
        ),
        (
            "aws_iam_policy",
            json!({"arn": "arn:aws:iam::1:policy/p", "name": "p"}),
            "AWS.IAM/ManagedPolicy",
            "arn:aws:iam::1:policy/p",
            High,
        ),
        (
            "aws_eks_node_group",
            json!({"id": "c:n", "cluster_name": "c", "node_group_name": "n"}),
            "AWS.EKS/Nodegroup",
            "c/n",
            High,
        ),
        ("aws_nat_gateway", json!({"id": "nat-1"}), "AWS.EC2/NatGateway", "nat-1", High),
        (
            "aws_api_gateway_stage",
            json!({"id": "ags-a-s", "rest_api_id": "a", "stage_name": "s"}),
            "AWS.ApiGateway/Stage",
            "a|s",
            High,
        ),
        (
            "aws_api_gateway_resource",
            json!({"id": "r1", "rest_api_id": "a"}),
            "AWS.ApiGateway/Resource",
            "a|r1",
            High,
        ),
        (
            "aws_eip",
            json!({"id": "eipalloc-1", "allocation_id": "eipalloc-1", "public_ip": "1.2.3.4"}),
            "AWS.EC2/EIP",
            "1.2.3.4|eipalloc-1",
            High,
        ),
        ("aws_iot_topic_rule", json!({"id": "r", "name": "r"}), "AWS.IoT/TopicRule", "r", Likely),
    ] {
        let wanted = (wanted.to_owned(), identifier.to_owned(), confidence);
        assert_eq!(link(type_name, &attributes), Some(wanted), "{type_name}");
    }
}

#[test]
fn what_is_not_known_is_not_guessed() {
    for (type_name, attributes) in [
        ("aws_security_group_rule", json!({"id": "sgrule-1"})),
        ("aws_unheard_of", json!({"id": "x", "arn": "arn:aws:x:r:1:y/z"})),
        ("aws_sns_topic", json!({"id": "t", "arn": "t"})),
        ("aws_nat_gateway", json!({"id": "a/b"})),
        ("aws_iam_role_policy", json!({"id": "r:p", "name": "p"})),
        ("aws_vpc", json!({})),
    ] {
        assert_eq!(link(type_name, &attributes), None, "{type_name}");
    }
}

#[test]
fn a_link_is_an_id_where_account_and_region_are_known() {
    let role = resource(AWS, "aws_iam_role", &json!({"name": "r", "arn": "arn:aws:iam::1:role/r"}));
    let id = |region| {
        let ask = Ask { aws_region: region, ..Ask::default() };
        reported_with(std::slice::from_ref(&role), &ask)
            .instances
            .remove(0)
            .cloud_control
            .unwrap()
            .id
    };
    assert_eq!(id(None), None);
    let wanted = "/planes/aws/aws/accounts/1/regions/eu-west-1/providers/AWS.IAM/Role/r";
    assert_eq!(id(Some("eu-west-1")).as_deref(), Some(wanted));
    let masked =
        one(AWS, "aws_vpc", &json!({"id": "vpc-1", "arn": "arn:aws:ec2:us-east-1:xxxx:vpc/vpc-1"}));
    assert_eq!(masked.cloud_control.unwrap().id, None);
}

#[test]
fn awscc_ids_are_the_identifiers_of_cloud_control() {
    let bucket = resource(
        "hashicorp/awscc",
        "awscc_s3_bucket",
        &json!({"id": "logs", "arn": "arn:aws:s3:::logs"}),
    );
    let stage = resource("hashicorp/awscc", "awscc_apigateway_stage", &json!({"id": "a|prod"}));
    let ask = Ask {
        aws_account: Some("1"),
        aws_region: Some("us-east-1"),
        all_providers: true,
        ..Ask::default()
    };
    let report = reported_with(&[bucket, stage.clone()], &ask);
    assert_eq!(
        report.resources,
        [
            "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.S3/Bucket/logs",
            "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.ApiGateway/Stage/a|prod",
        ]
    );
    assert_eq!(report.instances[0].id, None);
    let link = report.instances[0].cloud_control.as_ref().unwrap();
    assert_eq!((link.type_name.as_str(), link.confidence), ("AWS.S3/Bucket", Confidence::Exact));
    let unplaced = reported_with(&[stage], &Ask::default());
    assert_eq!(unplaced.instances[0].beyond_id, None);
    assert_eq!(unplaced.instances[0].cloud_control.as_ref().unwrap().identifier, "a|prod");
}
