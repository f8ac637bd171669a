//! Twelve types through their whole life: create, poll, read, update, read, list, delete, gone.

use serde_json::{Value, json};

use super::{Cloud, REGION, refused, set, succeeded};

/// One type's life.
struct Life {
    type_name: &'static str,
    desired: Value,
    /// A value among them that no read shows.
    secret: Option<&'static str>,
    identifier: Identifier,
    patch: Value,
    /// What the patch makes of the properties.
    changed: Value,
    listing: Listing,
}

enum Identifier {
    /// The caller chose it.
    Chosen(String),
    /// The service made it, beginning so.
    Made(String),
}

enum Listing {
    Plain,
    /// Only below a parent.
    Below(Value),
    /// The type has no list handler.
    Unsupported,
}

impl Life {
    fn new(type_name: &'static str, identifier: Identifier, desired: Value) -> Self {
        let (patch, changed) = (json!([]), json!({}));
        let listing = Listing::Plain;
        Self { type_name, desired, secret: None, identifier, patch, changed, listing }
    }

    fn sets(mut self, name: &str, value: Value) -> Self {
        self.patch = set(name, &value);
        self.changed[name] = value;
        self
    }

    fn hides(mut self, secret: &'static str) -> Self {
        self.secret = Some(secret);
        self
    }

    fn listed(mut self, listing: Listing) -> Self {
        self.listing = listing;
        self
    }
}

fn chosen(name: &str) -> Identifier {
    Identifier::Chosen(name.to_owned())
}

fn made(start: &str) -> Identifier {
    Identifier::Made(start.to_owned())
}

fn lives() -> Vec<Life> {
    let queue = format!("https://sqs.{REGION}.amazonaws.com/123456789012/orders");
    let trust = json!({"Version": "2012-10-17", "Statement": []});
    let code = json!({"ZipFile": "exports.handler = async () => 'zipped'"});
    let mut lambda = Life::new(
        "AWS::Lambda::Function",
        chosen("echo"),
        json!({
            "FunctionName": "echo", "Runtime": "nodejs22.x", "Handler": "index.handler",
            "Role": "arn:aws:iam::123456789012:role/runner", "MemorySize": 128, "Code": code,
        }),
    )
    .sets("MemorySize", json!(256))
    .hides("zipped");
    // What is required and never read must be in every patch again.
    let again = json!({"op": "add", "path": "/Code", "value": code});
    lambda.patch.as_array_mut().unwrap().insert(0, again);
    vec![
        Life::new("AWS::EC2::VPC", made("vpc-"), super::vpc())
            .sets("EnableDnsSupport", json!(false)),
        Life::new(
            "AWS::EC2::Subnet",
            made("subnet-"),
            json!({"VpcId": "vpc-0123456789abcdef0", "CidrBlock": "10.0.1.0/24"}),
        )
        .sets("MapPublicIpOnLaunch", json!(true)),
        Life::new(
            "AWS::S3::Bucket",
            chosen("hangar-sdk-life"),
            json!({"BucketName": "hangar-sdk-life"}),
        )
        .sets("VersioningConfiguration", json!({"Status": "Enabled"})),
        Life::new(
            "AWS::SQS::Queue",
            made(&queue),
            json!({"QueueName": "orders", "DelaySeconds": 5}),
        )
        .sets("DelaySeconds", json!(10)),
        Life::new("AWS::Logs::LogGroup", chosen("/hangar/life"), super::log_group("/hangar/life"))
            .sets("RetentionInDays", json!(180)),
        Life::new(
            "AWS::Kinesis::Stream",
            chosen("clicks"),
            json!({"Name": "clicks", "ShardCount": 1, "RetentionPeriodHours": 24}),
        )
        .sets("RetentionPeriodHours", json!(48)),
        Life::new(
            "AWS::MemoryDB::Cluster",
            chosen("cache"),
            json!({"ClusterName": "cache", "ACLName": "open-access", "NodeType": "db.t4g.small"}),
        )
        .sets("Description", json!("sessions")),
        Life::new(
            "AWS::ApiGateway::Stage",
            chosen("a1b2c3d4e5|prod"),
            json!({"RestApiId": "a1b2c3d4e5", "StageName": "prod", "Description": "first"}),
        )
        .sets("Description", json!("second"))
        .listed(Listing::Below(json!({"RestApiId": "a1b2c3d4e5"}))),
        Life::new(
            "AWS::RDS::DBInstance",
            chosen("ledger"),
            json!({
                "DBInstanceIdentifier": "ledger", "DBInstanceClass": "db.t4g.micro",
                "Engine": "postgres", "AllocatedStorage": "20", "MasterUsername": "ledger",
                "MasterUserPassword": "correct-horse",
            }),
        )
        .sets("AllocatedStorage", json!("30"))
        .hides("correct-horse"),
        Life::new(
            "AWS::IAM::Role",
            chosen("runner"),
            json!({"RoleName": "runner", "AssumeRolePolicyDocument": trust}),
        )
        .sets("Description", json!("runs")),
        lambda,
        Life::new(
            "AWS::ECS::TaskSet",
            made("blue|web|"),
            json!({"Cluster": "blue", "Service": "web", "TaskDefinition": "web:1"}),
        )
        .sets("Scale", json!({"Unit": "PERCENT", "Value": 50}))
        .listed(Listing::Unsupported),
    ]
}

#[tokio::test]
async fn twelve_types_live_from_their_create_until_they_are_gone() {
    let cloud = Cloud::start(&[]);
    for life in lives() {
        live(&cloud, &life).await;
    }
}

async fn live(cloud: &Cloud, life: &Life) {
    let type_name = life.type_name;
    let identifier = begin(cloud, life).await;
    let text = cloud.read(type_name, &identifier).await.unwrap();
    let before: Value = serde_json::from_str(&text).unwrap();
    for (name, value) in life.desired.as_object().unwrap() {
        let is_hidden = life.secret.is_some_and(|secret| value.to_string().contains(secret));
        assert!(is_hidden || before[name] == *value, "{type_name}: {name} in {before}");
    }
    if let Some(secret) = life.secret {
        assert!(!text.contains(secret), "{type_name}: {text}");
        assert!(cloud.stored(type_name)[0].to_string().contains(secret), "{type_name}");
    }

    let event = cloud.update(type_name, &identifier, &life.patch).await;
    assert_eq!(succeeded(&event), identifier);
    let mut expected = before.clone();
    for (name, value) in life.changed.as_object().unwrap() {
        assert_ne!(before[name], *value, "{type_name}: the patch says nothing new");
        expected[name] = value.clone();
    }
    assert_eq!(cloud.get(type_name, &identifier).await, expected, "{type_name}");

    assert_eq!(
        listed(cloud, life).await,
        Some(vec![identifier.clone()]).filter(|_| is_listed(life))
    );
    assert_eq!(succeeded(&cloud.delete(type_name, &identifier).await), identifier);
    cloud.assert_gone(type_name, &identifier).await;
    assert_eq!(listed(cloud, life).await, Some(Vec::new()).filter(|_| is_listed(life)));
}

/// Creates it; the identifier comes with the first answer where the caller chose it, and else with
/// the last.
async fn begin(cloud: &Cloud, life: &Life) -> String {
    let begun = cloud.begin(life.type_name, &life.desired).await.unwrap();
    assert_eq!(begun.type_name(), Some(life.type_name));
    let is_said = begun.identifier().is_some();
    let identifier = succeeded(&cloud.ended(&begun).await);
    match &life.identifier {
        Identifier::Chosen(name) => assert!(is_said && identifier == *name, "{identifier}"),
        Identifier::Made(start) => {
            assert!(!is_said && identifier.starts_with(start), "{identifier}");
        }
    }
    identifier
}

fn is_listed(life: &Life) -> bool {
    !matches!(life.listing, Listing::Unsupported)
}

/// All resources of the type, where they can be listed.
async fn listed(cloud: &Cloud, life: &Life) -> Option<Vec<String>> {
    match &life.listing {
        Listing::Plain => Some(cloud.list(life.type_name, None).await),
        Listing::Below(parent) => Some(cloud.list(life.type_name, Some(parent)).await),
        Listing::Unsupported => {
            let answer = cloud.client.list_resources().type_name(life.type_name).send().await;
            assert!(refused(answer).0.is_unsupported_action_exception());
            None
        }
    }
}
