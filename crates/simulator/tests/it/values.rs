//! What the service makes up: identifiers, ARNs, endpoints and defaults in the shape that AWS gives
//! them.

use hangar_schema::Catalog;
use hangar_schema::sample::{Sampler, Size};
use serde_json::{Value, json};

use crate::caller::Caller;

fn made(caller: &mut Caller, type_name: &str, desired: &Value) -> Value {
    let create = json!({"TypeName": type_name, "DesiredState": desired.to_string()});
    let identifier = caller.succeed("CreateResource", &create).unwrap();
    caller.read(type_name, &identifier).unwrap()
}

/// Whether a text is made like `pattern`: `#` is a lower-case hexadecimal digit, `?` a letter or a
/// digit, the rest stands for itself.
fn is_like(text: &Value, pattern: &str) -> bool {
    let Some(text) = text.as_str() else { return false };
    text.chars().count() == pattern.chars().count()
        && text.chars().zip(pattern.chars()).all(|(found, wanted)| match wanted {
            '#' => found.is_ascii_digit() || ('a'..='f').contains(&found),
            '?' => found.is_ascii_alphanumeric(),
            _ => found == wanted,
        })
}

#[test]
fn well_known_values_look_as_on_aws() {
    let mut caller = Caller::new();
    for (type_name, desired, pointer, pattern) in [
        ("AWS::EC2::VPC", json!({"CidrBlock": "10.0.0.0/16"}), "/VpcId", "vpc-#################"),
        (
            "AWS::SQS::Queue",
            json!({"QueueName": "q"}),
            "/QueueUrl",
            "https://sqs.eu-west-1.amazonaws.com/123456789012/q",
        ),
        (
            "AWS::SQS::Queue",
            json!({"QueueName": "r"}),
            "/Arn",
            "arn:aws:sqs:eu-west-1:123456789012:r",
        ),
        ("AWS::S3::Bucket", json!({"BucketName": "bkt"}), "/Arn", "arn:aws:s3:::bkt"),
        (
            "AWS::IAM::Role",
            json!({"RoleName": "r", "Path": "/app/", "AssumeRolePolicyDocument": {}}),
            "/Arn",
            "arn:aws:iam::123456789012:role/app/r",
        ),
        (
            "AWS::RDS::DBInstance",
            json!({"DBInstanceIdentifier": "Ledger", "Engine": "postgres"}),
            "/Endpoint/Address",
            "ledger.????????????.eu-west-1.rds.amazonaws.com",
        ),
        (
            "AWS::RDS::DBInstance",
            json!({"DBInstanceIdentifier": "other", "Engine": "postgres"}),
            "/Endpoint/Port",
            "5432",
        ),
        (
            "AWS::ElasticLoadBalancingV2::LoadBalancer",
            json!({"Name": "web", "Type": "network"}),
            "/LoadBalancerArn",
            "arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/net/web/################",
        ),
        (
            "AWS::ECS::Service",
            json!({"ServiceName": "s", "Cluster": "arn:aws:ecs:eu-west-1:1:cluster/prod"}),
            "/ServiceArn",
            "arn:aws:ecs:eu-west-1:123456789012:service/prod/s",
        ),
        (
            "AWS::Lambda::Url",
            json!({"AuthType": "NONE", "TargetFunctionArn": "arn:aws:lambda:eu-west-1:123456789012:function:f"}),
            "/FunctionArn",
            "arn:aws:lambda:eu-west-1:123456789012:function:f",
        ),
    ] {
        let live = made(&mut caller, type_name, &desired);
        let value = live.pointer(pointer).cloned().unwrap_or_default();
        assert!(is_like(&value, pattern), "{type_name} {pointer}: {value} in {live}");
    }
}

#[test]
fn revisions_count_for_each_family_and_names_do_not_stand_in_for_ids() {
    let mut caller = Caller::new();
    let mut revision = |family: &str| {
        let live = made(&mut caller, "AWS::ECS::TaskDefinition", &json!({"Family": family}));
        let arn = live["TaskDefinitionArn"].as_str().unwrap().to_owned();
        arn.rsplit('/').next().unwrap().to_owned()
    };
    assert_eq!([revision("f"), revision("f"), revision("g")], ["f:1", "f:2", "g:1"]);
    let version = made(&mut caller, "AWS::Lambda::Version", &json!({"FunctionName": "fn"}));
    assert_eq!(version["Version"], "1", "{version}");
    for gateway in [json!({"InternetGatewayId": "igw-1"}), json!({"VpnGatewayId": "vgw-1"})] {
        let mut desired = gateway;
        desired["VpcId"] = "vpc-1".into();
        made(&mut caller, "AWS::EC2::VPCGatewayAttachment", &desired);
    }
    // Two projects of one name are two projects.
    for _ in 0..2 {
        made(&mut caller, "AWS::DeviceFarm::Project", &json!({"Name": "p"}));
    }
}

#[test]
fn a_port_is_the_one_that_was_chosen() {
    let mut caller = Caller::new();
    let desired = json!({"ClusterName": "m", "NodeType": "t", "ACLName": "a", "Port": 6390});
    let live = made(&mut caller, "AWS::MemoryDB::Cluster", &desired);
    assert_eq!(live["ClusterEndpoint"]["Port"], 6390);
}

#[test]
fn what_hangs_on_a_feature_is_not_made_up_without_it() {
    let mut caller = Caller::new();
    let desired = json!({
        "Name": "k", "RoleArn": "r", "ResourcesVpcConfig": {"SubnetIds": ["a", "b"]},
        "KubernetesNetworkConfig": {"IpFamily": "ipv4", "ServiceIpv4Cidr": "10.0.0.0/16"}
    });
    let live = made(&mut caller, "AWS::EKS::Cluster", &desired);
    assert_eq!(live["KubernetesNetworkConfig"], desired["KubernetesNetworkConfig"]);
    let table = json!({
        "TableName": "t", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}]
    });
    assert!(made(&mut caller, "AWS::DynamoDB::Table", &table).get("StreamArn").is_none());
}

#[test]
fn stated_defaults_are_filled_in_and_remarks_are_not() {
    let mut caller = Caller::new();
    let queue = made(&mut caller, "AWS::KMS::Key", &json!({}));
    assert_eq!(queue["KeySpec"], "SYMMETRIC_DEFAULT");
    assert!(queue.get("KeyPolicy").is_none(), "{queue}");
}

#[test]
fn every_arn_of_every_type_is_the_callers_own() {
    let catalog = Catalog::bundled();
    let mut caller = Caller::new();
    let (mut count, mut wrong) = (0, Vec::new());
    for name in catalog.names() {
        let schema = catalog.get(name).unwrap();
        if schema.handlers().create.is_none() || schema.handlers().read.is_none() {
            continue;
        }
        let desired = Sampler::new(&schema).desired(1, Size::Small);
        let live = made(&mut caller, name, &desired);
        for (pointer, text) in texts(&live, String::new()) {
            // One that is stated, or that goes on from one that is.
            let is_stated =
                texts(&desired, String::new()).iter().any(|(_, stated)| text.starts_with(stated));
            if !text.starts_with("arn:") || is_stated {
                continue;
            }
            count += 1;
            let parts: Vec<&str> = text.splitn(6, ':').collect();
            let is_own = matches!(
                parts.as_slice(),
                ["arn", "aws", service, "" | "eu-west-1", "" | "123456789012" | "aws", resource]
                    if !service.is_empty() && !resource.is_empty()
            );
            // Their own patterns want another form.
            let is_odd = ["AWS::SCN::", "AWS::S3Files::", "AWS::RDS::Deployment"]
                .iter()
                .any(|odd| name.starts_with(odd));
            if !is_own && !is_odd {
                wrong.push(format!("{name} {pointer} {text}"));
            }
        }
    }
    println!("counted: {count} made-up ARNs");
    assert!(wrong.is_empty(), "{} of {count}: {}", wrong.len(), wrong.join("\n"));
}

fn texts(value: &Value, pointer: String) -> Vec<(String, &str)> {
    match value {
        Value::String(text) => vec![(pointer, text)],
        Value::Array(items) => {
            items.iter().flat_map(|item| texts(item, format!("{pointer}/*"))).collect()
        }
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, member)| texts(member, format!("{pointer}/{name}")))
            .collect(),
        _ => Vec::new(),
    }
}
