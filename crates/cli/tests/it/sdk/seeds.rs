//! The same seed and the same calls give the same answers, in whatever process and at whatever
//! time.

use serde_json::{Value, json};

use super::{Cloud, LOG_GROUP, VPC, log_group, set, vpc};

/// What two processes must agree in: every identifier, token and property, instants apart.
#[derive(Debug, PartialEq, Eq)]
struct Transcript(Vec<String>);

impl Transcript {
    async fn of(cloud: &Cloud) -> Self {
        let mut lines = Vec::new();
        for (number, (type_name, desired)) in resources().iter().enumerate() {
            let call = cloud.client.create_resource().type_name(*type_name);
            let call = call.client_token(format!("create-{number}"));
            let begun = call.desired_state(desired.to_string()).send().await.unwrap();
            let event = cloud.ended(&begun.progress_event.unwrap()).await;
            let identifier = event.identifier().unwrap().to_owned();
            lines.push(format!("{} {identifier}", event.request_token().unwrap()));
            lines.push(timeless(&cloud.read(type_name, &identifier).await.unwrap()));
        }
        for type_name in [VPC, LOG_GROUP] {
            let listed = cloud.list(type_name, None).await;
            let identifier = &listed[0];
            let tags = json!([{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]);
            let event = cloud.update(type_name, identifier, &set("Tags", &tags)).await;
            lines.push(format!("{} {listed:?}", event.request_token().unwrap()));
            lines.push(timeless(&cloud.read(type_name, identifier).await.unwrap()));
            let event = cloud.delete(type_name, identifier).await;
            lines.push(event.request_token().unwrap().to_owned());
        }
        Self(lines)
    }
}

fn resources() -> Vec<(&'static str, Value)> {
    let trust = json!({"Version": "2012-10-17", "Statement": []});
    let role = "arn:aws:iam::123456789012:role/runner";
    let code = json!({"ZipFile": "zipped"});
    vec![
        (VPC, vpc()),
        (VPC, vpc()),
        (LOG_GROUP, log_group("named")),
        (LOG_GROUP, json!({})),
        ("AWS::S3::Bucket", json!({})),
        ("AWS::SQS::Queue", json!({})),
        ("AWS::SNS::Topic", json!({})),
        ("AWS::KMS::Key", json!({"KeyPolicy": {"Version": "2012-10-17"}})),
        ("AWS::IAM::Role", json!({"AssumeRolePolicyDocument": trust})),
        ("AWS::Kinesis::Stream", json!({"ShardCount": 1})),
        ("AWS::ApiGateway::RestApi", json!({"Name": "api"})),
        (
            "AWS::DynamoDB::Table",
            json!({
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            }),
        ),
        ("AWS::Lambda::Function", json!({"Role": role, "Code": code})),
        (
            "AWS::ECS::TaskSet",
            json!({
                "Cluster": "blue", "Service": "web", "TaskDefinition": "web:1",
            }),
        ),
    ]
}

/// The properties with every instant taken out, in the order in which they came. An instant is a
/// whole string, or the last part of an ARN.
fn timeless(properties: &str) -> String {
    let parts = properties.split_inclusive(['"', '/']).map(|part| {
        let content = part.trim_end_matches(['"', '/']);
        if is_instant(content) { part.replace(content, "«instant»") } else { part.to_owned() }
    });
    parts.collect()
}

/// Whether a text is an instant as AWS prints it: `2026-10-20T00:00:00Z` and its variants.
fn is_instant(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    text.as_bytes().get(10) == Some(&b'T')
        && digits >= 14
        && text.bytes().all(|byte| byte.is_ascii_digit() || b"-:.TZ+".contains(&byte))
}

#[tokio::test]
async fn two_processes_of_one_seed_answer_the_same_calls_alike() {
    let first = Cloud::start(&["--seed", "7"]);
    let second = Cloud::start(&["--seed", "7"]);
    // At another time of its clock, so that what hangs on time shows.
    second.advance("100h");
    assert_eq!(Transcript::of(&first).await, Transcript::of(&second).await);
}

#[tokio::test]
async fn another_seed_gives_other_identifiers_and_tokens() {
    let first = Cloud::start(&["--seed", "7"]);
    let second = Cloud::start(&["--seed", "8"]);
    let (first, second) = (Transcript::of(&first).await, Transcript::of(&second).await);
    assert!(first.0[0] != second.0[0] && first.0[1] != second.0[1]);
}
