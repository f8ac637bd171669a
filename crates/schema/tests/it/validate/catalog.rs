//! Laws over every public type.

use std::collections::BTreeMap;

use hangar_schema::{Catalog, Purpose, TypeSchema, validate};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn every_type() -> impl Iterator<Item = TypeSchema> {
    let catalog = Catalog::bundled();
    catalog.names().map(move |name| catalog.get(name).unwrap())
}

#[test]
fn an_empty_document_lacks_things_and_has_no_other_error_in_every_type() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for schema in every_type() {
        for diagnostic in validate(&schema, &json!({}), Purpose::Desired) {
            let code = diagnostic.code.as_str();
            let name = schema.name();
            let is_lack = ["SCHEMA0103", "SCHEMA0110", "SCHEMA0114"].contains(&code);
            assert!(is_lack || !diagnostic.is_error(), "{name}: {diagnostic}");
            *counts.entry(format!("{} {code}", diagnostic.severity.as_str())).or_default() += 1;
        }
    }
    println!("counted: diagnostics of empty documents by code: {counts:?}");
    assert!(counts["error SCHEMA0103"] > 1000);
}

/// Documents of real types that AWS takes: none may have an error.
fn accepted() -> Vec<(&'static str, Value)> {
    let trust = json!({"Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}]});
    vec![
        (
            "AWS::EC2::VPC",
            json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true, "InstanceTenancy": "default", "Tags": [{"Key": "Name", "Value": "main"}]}),
        ),
        ("AWS::EC2::VPC", json!({"Ipv4IpamPoolId": "ipam-pool-1", "Ipv4NetmaskLength": 16})),
        (
            "AWS::EC2::Subnet",
            json!({"VpcId": "vpc-1", "CidrBlock": "10.0.1.0/24", "AvailabilityZone": "us-east-1a"}),
        ),
        (
            "AWS::EC2::SecurityGroup",
            json!({"GroupDescription": "web", "SecurityGroupIngress": [{"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "0.0.0.0/0"}]}),
        ),
        (
            "AWS::EC2::Instance",
            json!({"ImageId": "ami-1", "InstanceType": "t3.micro", "LaunchTemplate": {"LaunchTemplateId": "lt-1", "Version": "1"}}),
        ),
        (
            "AWS::S3::Bucket",
            json!({"BucketName": "my.logs-1", "VersioningConfiguration": {"Status": "Enabled"}, "BucketEncryption": {"ServerSideEncryptionConfiguration": [{"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]}, "LifecycleConfiguration": {"Rules": [{"Status": "Enabled", "ExpirationInDays": 30}]}}),
        ),
        ("AWS::S3::Bucket", json!({})),
        (
            "AWS::IAM::Role",
            json!({"AssumeRolePolicyDocument": trust, "ManagedPolicyArns": ["arn:aws:iam::aws:policy/ReadOnlyAccess"]}),
        ),
        (
            "AWS::IAM::Role",
            json!({"AssumeRolePolicyDocument": trust.to_string(), "MaxSessionDuration": 3600}),
        ),
        (
            "AWS::Lambda::Function",
            json!({"Code": {"ZipFile": "exports.handler = 1"}, "Role": "arn:aws:iam::123456789012:role/r", "Runtime": "nodejs20.x", "Handler": "index.handler", "Environment": {"Variables": {"STAGE": "1"}}}),
        ),
        (
            "AWS::DynamoDB::Table",
            json!({"TableName": "users", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}], "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]}),
        ),
        (
            "AWS::SQS::Queue",
            json!({"QueueName": "jobs.fifo", "FifoQueue": true, "RedrivePolicy": {"deadLetterTargetArn": "arn:aws:sqs:us-east-1:123456789012:dead.fifo", "maxReceiveCount": 3}}),
        ),
        (
            "AWS::SNS::Topic",
            json!({"TopicName": "alerts", "Subscription": [{"Endpoint": "a@example.com", "Protocol": "email"}]}),
        ),
        ("AWS::Logs::LogGroup", json!({"LogGroupName": "/aws/lambda/x", "RetentionInDays": 14})),
        (
            "AWS::MemoryDB::Cluster",
            json!({"ClusterName": "cache", "NodeType": "db.t4g.small", "ACLName": "open-access", "NumShards": 1}),
        ),
        (
            "AWS::ECS::Cluster",
            json!({"ClusterName": "c", "CapacityProviders": ["FARGATE"], "ClusterSettings": [{"Name": "containerInsights", "Value": "enabled"}]}),
        ),
        (
            "AWS::ECS::TaskDefinition",
            json!({"Family": "web", "Cpu": "256", "Memory": "512", "NetworkMode": "awsvpc", "RequiresCompatibilities": ["FARGATE"], "ContainerDefinitions": [{"Name": "web", "Image": "nginx:latest", "PortMappings": [{"ContainerPort": 80}]}]}),
        ),
        (
            "AWS::RDS::DBInstance",
            json!({"DBInstanceClass": "db.t3.micro", "Engine": "postgres", "AllocatedStorage": "20", "MasterUsername": "root", "MasterUserPassword": "not-a-secret"}),
        ),
        (
            "AWS::ApiGateway::Stage",
            json!({"RestApiId": "a1", "StageName": "prod", "DeploymentId": "d1"}),
        ),
        (
            "AWS::KMS::Key",
            json!({"KeyPolicy": {"Version": "2012-10-17", "Statement": []}, "EnableKeyRotation": true}),
        ),
        (
            "AWS::ElasticLoadBalancingV2::TargetGroup",
            json!({"Name": "web", "Port": 80, "Protocol": "HTTP", "VpcId": "vpc-1", "TargetGroupAttributes": [{"Key": "stickiness.enabled", "Value": "false"}]}),
        ),
        (
            "AWS::CloudWatch::Alarm",
            json!({"ComparisonOperator": "GreaterThanThreshold", "EvaluationPeriods": 1, "MetricName": "CPUUtilization", "Namespace": "AWS/EC2", "Period": 60, "Statistic": "Average", "Threshold": 80}),
        ),
        (
            "AWS::Events::Rule",
            json!({"ScheduleExpression": "rate(5 minutes)", "State": "ENABLED", "Targets": [{"Id": "t", "Arn": "arn:aws:lambda:us-east-1:123456789012:function:f"}]}),
        ),
        ("AWS::Kinesis::Stream", json!({"Name": "s", "ShardCount": 1})),
        (
            "AWS::ECR::Repository",
            json!({"RepositoryName": "team/app", "ImageScanningConfiguration": {"ScanOnPush": true}}),
        ),
        ("AWS::SSM::Parameter", json!({"Name": "/app/x", "Type": "String", "Value": "v"})),
        (
            "AWS::Route53::HostedZone",
            json!({"Name": "example.com", "HostedZoneConfig": {"Comment": "c"}}),
        ),
        (
            "AWS::CloudWatch::MetricStream",
            json!({"FirehoseArn": "arn:aws:firehose:us-east-1:123456789012:deliverystream/x", "RoleArn": "arn:aws:iam::123456789012:role/r", "OutputFormat": "json"}),
        ),
        (
            "AWS::WAFv2::WebACL",
            json!({"Scope": "REGIONAL", "DefaultAction": {"Allow": {}}, "VisibilityConfig": {"SampledRequestsEnabled": true, "CloudWatchMetricsEnabled": true, "MetricName": "m"}, "Rules": [{"Name": "r", "Priority": 0, "Action": {"Block": {}}, "Statement": {"NotStatement": {"Statement": {"GeoMatchStatement": {"CountryCodes": ["US"]}}}}, "VisibilityConfig": {"SampledRequestsEnabled": true, "CloudWatchMetricsEnabled": true, "MetricName": "r"}}]}),
        ),
    ]
}

#[test]
fn documents_that_aws_takes_have_no_error() {
    for (name, document) in accepted() {
        let schema = Catalog::bundled().get(name).unwrap();
        for purpose in [Purpose::Desired, Purpose::Merged] {
            let found = validate(&schema, &document, purpose);
            assert!(found.is_empty(), "{name} {purpose:?} {document}: {found:#?}");
        }
    }
}

#[test]
fn null_members_change_nothing_in_any_type() {
    for schema in every_type() {
        let nulls: Map<String, Value> =
            schema.property_names().map(|name| (name.to_owned(), Value::Null)).collect();
        let found = validate(&schema, &Value::Object(nulls), Purpose::Desired);
        assert_eq!(found, validate(&schema, &json!({}), Purpose::Desired), "{}", schema.name());
    }
}

#[test]
fn stating_every_read_only_property_is_refused_as_desired_and_not_once_merged() {
    let (mut stated, mut refused) = (0, 0);
    for schema in every_type() {
        let mut document = Map::new();
        for pointer in &schema.lists().read_only {
            let is_both = schema.lists().create_only.contains(pointer);
            if let (Some([name]), false) = (pointer.member_names().as_deref(), is_both) {
                document.insert((*name).to_owned(), json!({"odd": [1]}));
            }
        }
        stated += document.len();
        let document = Value::Object(document);
        let is_read_only = |it: &&hangar_diag::Diagnostic| it.code.as_str() == "SCHEMA0102";
        let desired = validate(&schema, &document, Purpose::Desired);
        refused += desired.iter().filter(is_read_only).count();
        for diagnostic in validate(&schema, &document, Purpose::Merged) {
            let pointer = diagnostic.pointer.clone().unwrap();
            assert_eq!(pointer, "", "{}: {diagnostic} {pointer}", schema.name());
        }
    }
    println!("counted: {stated} read-only properties stated, {refused} refused");
    assert!(stated > 2000 && refused * 100 > stated * 99);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-zA-Z0-9:/*é😀\"{}|-]{0,12}".prop_map(Value::from),
        prop::sample::select(&["true", "80", "{}", "[]", "arn:aws:s3:::b"][..])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let name = prop_oneof![
            4 => prop::sample::select(&["Key", "Value", "Name", "Id", "Type", "Arn", "Rules", "Statement", "Tags", "Enabled", "Ref"][..]).prop_map(str::to_owned),
            1 => "[A-Za-z/~]{0,8}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_document_makes_validation_panic_and_every_pointer_leads_somewhere(
        index in any::<prop::sample::Index>(),
        values in prop::collection::vec((any::<prop::sample::Index>(), any_value()), 0..6),
        odd in any_value(),
    ) {
        let catalog = Catalog::bundled();
        let names: Vec<&str> = catalog.names().collect();
        let schema = catalog.get(names[index.index(names.len())]).unwrap();
        let properties: Vec<&str> = schema.property_names().collect();
        let mut document = Map::new();
        for (at, value) in values {
            if !properties.is_empty() {
                document.insert(properties[at.index(properties.len())].to_owned(), value);
            }
        }
        for document in [Value::Object(document), odd] {
            for purpose in [Purpose::Desired, Purpose::Merged] {
                let found = validate(&schema, &document, purpose);
                for diagnostic in &found {
                    let pointer = diagnostic.pointer.as_deref().unwrap();
                    prop_assert!(document.pointer(pointer).is_some(), "{pointer} {document}");
                    prop_assert!(!diagnostic.hints.is_empty());
                }
                prop_assert_eq!(&found, &validate(&schema, &document, purpose));
            }
        }
    }
}

#[test]
fn what_only_cfn_lint_restricts_is_a_warning_of_its_own() {
    let schema = Catalog::bundled().get("AWS::DynamoDB::Table").unwrap();
    let document = json!({"BillingMode": "ON_DEMAND", "KeySchema": [{"AttributeName": "id", "KeyType": "hash"}]});
    let found = validate(&schema, &document, Purpose::Desired);
    let said: Vec<_> = found
        .iter()
        .map(|it| (it.is_error(), it.code.as_str(), it.pointer.as_deref().unwrap_or_default()))
        .collect();
    let expected =
        [(false, "SCHEMA0122", "/BillingMode"), (false, "SCHEMA0122", "/KeySchema/0/KeyType")];
    assert_eq!(said, expected);
}
