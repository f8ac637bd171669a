//! Documents of the size and shape that real ones have.

use serde_json::{Value, json};

/// A bucket with `rules` lifecycle rules and what usually goes with them; 8 rules are about 4 KB.
pub(crate) fn bucket(rules: usize) -> Value {
    let lifecycle: Vec<Value> = (0..rules)
        .map(|at| {
            json!({
                "Id": format!("expire-logs-of-team-{at}"),
                "Status": "Enabled",
                "Prefix": format!("teams/{at}/logs/"),
                "ExpirationInDays": 30 + at,
                "NoncurrentVersionExpiration": {"NoncurrentDays": 7, "NewerNoncurrentVersions": 2},
                "Transitions": [
                    {"StorageClass": "STANDARD_IA", "TransitionInDays": 30},
                    {"StorageClass": "GLACIER", "TransitionInDays": 90}
                ],
                "TagFilters": [{"Key": "team", "Value": format!("{at}")}]
            })
        })
        .collect();
    json!({
        "BucketName": "example-logs",
        "LifecycleConfiguration": {"Rules": lifecycle},
        "VersioningConfiguration": {"Status": "Enabled"},
        "BucketEncryption": {"ServerSideEncryptionConfiguration": [
            {"BucketKeyEnabled": true, "ServerSideEncryptionByDefault": {
                "SSEAlgorithm": "aws:kms", "KMSMasterKeyID": "arn:aws:kms:us-east-1:123456789012:key/1234"}}
        ]},
        "PublicAccessBlockConfiguration": {
            "BlockPublicAcls": true, "BlockPublicPolicy": true, "IgnorePublicAcls": true, "RestrictPublicBuckets": true
        },
        "CorsConfiguration": {"CorsRules": [
            {"AllowedMethods": ["GET", "HEAD"], "AllowedOrigins": ["https://example.com"], "MaxAge": 3000}
        ]},
        "Tags": (0..10).map(|at| json!({"Key": format!("tag-{at}"), "Value": format!("value of tag {at}")})).collect::<Vec<_>>()
    })
}

/// What the service returns for a document: read-only values and defaults added, tags shuffled.
pub(crate) fn service_view(desired: &Value) -> Value {
    let mut live = desired.clone();
    live["Arn"] = json!("arn:aws:s3:::example-logs");
    live["DomainName"] = json!("example-logs.s3.amazonaws.com");
    live["RegionalDomainName"] = json!("example-logs.s3.us-east-1.amazonaws.com");
    live["OwnershipControls"] = json!({"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]});
    if let Some(Value::Array(tags)) = live.get_mut("Tags") {
        tags.reverse();
    }
    live
}

/// One rule in the middle with another number.
pub(crate) fn changed(desired: &Value) -> Value {
    let mut changed = desired.clone();
    if let Some(Value::Array(rules)) = changed.pointer_mut("/LifecycleConfiguration/Rules") {
        let middle = rules.len() / 2;
        rules[middle]["ExpirationInDays"] = json!(9999);
    }
    changed
}

/// Tags in another order.
pub(crate) fn keyed_tags(count: usize) -> (Value, Value) {
    let tag = |at: usize| json!({"Key": format!("key-{at}"), "Value": format!("value-{at}")});
    let desired = json!({"Tags": (0..count).map(tag).collect::<Vec<_>>()});
    let live = json!({"VpcId": "vpc-1", "Tags": (0..count).map(|at| tag(at * 7 % count)).collect::<Vec<_>>()});
    (live, desired)
}

fn rule(at: usize) -> Value {
    json!({"IpProtocol": "tcp", "FromPort": at, "ToPort": at + 1, "CidrIp": format!("10.{}.{}.0/24", at / 256, at % 256)})
}

/// Rules that nothing names, in another order.
pub(crate) fn security_group(count: usize) -> (Value, Value) {
    let desired = json!({"GroupDescription": "d", "SecurityGroupIngress": (0..count).map(rule).collect::<Vec<_>>()});
    let shuffled: Vec<Value> = (0..count).map(|at| rule(at * 7 % count)).collect();
    (json!({"GroupDescription": "d", "GroupId": "sg-1", "SecurityGroupIngress": shuffled}), desired)
}

/// The same, and the service has filled in a description that nobody stated.
pub(crate) fn unkeyed_rules(count: usize) -> (Value, Value) {
    let (mut live, desired) = security_group(count);
    if let Some(Value::Array(rules)) = live.get_mut("SecurityGroupIngress") {
        for rule in rules {
            rule["Description"] = json!("");
        }
    }
    (live, desired)
}

/// Ids of the shapes that requests carry.
pub(crate) fn ids() -> [(&'static str, &'static str); 3] {
    [
        (
            "AWS resource",
            "/planes/aws/aws/accounts/123456789012/regions/us-east-1/providers/AWS.EC2/VPC/vpc-0a1b2c3d4e5f6a7b8",
        ),
        (
            "reference",
            "/planes/radius/local/resourceGroups/production/providers/AWS.EC2/VPC:reference/network",
        ),
        (
            "encoded log group",
            "/planes/aws/aws/accounts/123456789012/regions/us-east-1/providers/AWS.Logs/LogGroup/%2Fapp%2Forders",
        ),
    ]
}
