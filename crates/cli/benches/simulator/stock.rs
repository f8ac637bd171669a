//! What the simulator is filled with: types in common use, with the properties that people state.

use serde_json::{Value, json};

/// Five types that most accounts have many of.
pub(crate) const COMMON: [&str; 5] = [
    "AWS::EC2::VPC",
    "AWS::S3::Bucket",
    "AWS::IAM::Role",
    "AWS::Logs::LogGroup",
    "AWS::SQS::Queue",
];

/// What somebody asks for when they make the resource of this number.
pub(crate) fn desired(type_name: &str, number: u64) -> Value {
    match type_name {
        "AWS::EC2::VPC" => json!({
            "CidrBlock": format!("10.{}.0.0/16", number % 256),
            "EnableDnsHostnames": true,
            "EnableDnsSupport": true,
            "Tags": tags(number),
        }),
        "AWS::S3::Bucket" => bucket(number),
        "AWS::IAM::Role" => json!({
            "RoleName": format!("service-role-{number}"),
            "Description": "Lets the service write its logs and read its queue",
            "MaxSessionDuration": 3600,
            "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [{
                "Effect": "Allow", "Action": "sts:AssumeRole",
                "Principal": {"Service": "lambda.amazonaws.com"}}]},
            "ManagedPolicyArns":
                ["arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"],
            "Tags": tags(number),
        }),
        "AWS::Logs::LogGroup" => json!({
            "LogGroupName": format!("/aws/lambda/service-{number}"),
            "RetentionInDays": 30,
            "Tags": tags(number),
        }),
        "AWS::SQS::Queue" => json!({
            "QueueName": format!("service-queue-{number}"),
            "VisibilityTimeout": 60,
            "MessageRetentionPeriod": 345_600,
            "SqsManagedSseEnabled": true,
            "RedrivePolicy": {
                "deadLetterTargetArn": "arn:aws:sqs:us-east-1:123456789012:dead-letters",
                "maxReceiveCount": 5},
            "Tags": tags(number),
        }),
        "AWS::ECS::Service" => service(number),
        "AWS::QuickSight::Dashboard" => dashboard(number),
        _ => json!({}),
    }
}

fn bucket(number: u64) -> Value {
    json!({
        "BucketName": format!("team-artifacts-{number}"),
        "VersioningConfiguration": {"Status": "Enabled"},
        "BucketEncryption": {"ServerSideEncryptionConfiguration": [
            {"BucketKeyEnabled": true, "ServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms"}}]},
        "PublicAccessBlockConfiguration": {
            "BlockPublicAcls": true, "BlockPublicPolicy": true,
            "IgnorePublicAcls": true, "RestrictPublicBuckets": true},
        "LifecycleConfiguration": {"Rules": [
            {"Id": "expire", "Status": "Enabled", "ExpirationInDays": 90}]},
        "Tags": tags(number),
    })
}

fn service(number: u64) -> Value {
    json!({
        "ServiceName": format!("orders-{number}"),
        "Cluster": "production",
        "TaskDefinition": "arn:aws:ecs:us-east-1:123456789012:task-definition/orders:7",
        "DesiredCount": 3,
        "LaunchType": "FARGATE",
        "NetworkConfiguration": {"AwsvpcConfiguration": {
            "AssignPublicIp": "DISABLED",
            "Subnets": ["subnet-0a1b2c3d4e5f6a7b8", "subnet-0b1b2c3d4e5f6a7b8"],
            "SecurityGroups": ["sg-0a1b2c3d4e5f6a7b8"]}},
        "DeploymentConfiguration": {
            "MaximumPercent": 200, "MinimumHealthyPercent": 100,
            "DeploymentCircuitBreaker": {"Enable": true, "Rollback": true}},
        "LoadBalancers": [{"ContainerName": "orders", "ContainerPort": 8080, "TargetGroupArn":
            "arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/orders/0123456789abcdef"}],
        "Tags": tags(number),
    })
}

fn dashboard(number: u64) -> Value {
    json!({
        "AwsAccountId": "123456789012",
        "DashboardId": format!("orders-{number}"),
        "Name": "Orders by region",
        "SourceEntity": {"SourceTemplate": {
            "Arn": "arn:aws:quicksight:us-east-1:123456789012:template/orders",
            "DataSetReferences": [{
                "DataSetArn": "arn:aws:quicksight:us-east-1:123456789012:dataset/orders",
                "DataSetPlaceholder": "orders"}]}},
        "DashboardPublishOptions": {
            "AdHocFilteringOption": {"AvailabilityStatus": "ENABLED"},
            "SheetControlsOption": {"VisibilityState": "EXPANDED"}},
        "Tags": tags(number),
    })
}

fn tags(number: u64) -> Value {
    json!([
        {"Key": "team", "Value": format!("team-{}", number % 40)},
        {"Key": "stage", "Value": if number.is_multiple_of(3) { "production" } else { "test" }},
        {"Key": "owner", "Value": "platform@example.com"},
    ])
}
