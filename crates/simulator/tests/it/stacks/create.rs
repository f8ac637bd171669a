//! A stack is made and looked at.

use hangar_simulator::core::settings::Settings;
use serde_json::json;

use super::{SHOP, create, outputs, physical_id, status};
use crate::caller::{Caller, text, texts};

#[test]
fn a_stack_is_made_with_its_resources_and_outputs() {
    let mut caller = Caller::new();
    let id = create(&mut caller, "Shop", SHOP).unwrap();
    assert!(id.starts_with("arn:aws:cloudformation:eu-west-1:123456789012:stack/Shop/"), "{id}");
    assert_eq!(status(&mut caller, "Shop").0, "CREATE_COMPLETE");
    assert_eq!(status(&mut caller, &id).0, "CREATE_COMPLETE");

    let bucket = physical_id(&mut caller, "Shop", "Bucket");
    assert!(bucket.starts_with("shop-bucket-"), "{bucket}");
    let queue = physical_id(&mut caller, "Shop", "Queue");
    assert!(queue.starts_with("https://sqs.eu-west-1.amazonaws.com/"), "{queue}");
    let read = caller.read("AWS::SQS::Queue", &queue).unwrap();
    assert_eq!(read["DelaySeconds"], 5);
    assert_eq!(read["Tags"], json!([{"Key": "stage", "Value": "test"}]));
    let tags = caller.read("AWS::S3::Bucket", &bucket).unwrap()["Tags"].clone();
    let tags = tags.as_array().unwrap();
    for tag in [
        json!({"Key": "aws:cloudformation:stack-name", "Value": "Shop"}),
        json!({"Key": "aws:cloudformation:logical-id", "Value": "Bucket"}),
        json!({"Key": "aws:cloudformation:stack-id", "Value": id}),
    ] {
        assert!(tags.contains(&tag), "{tag} in {tags:?}");
    }
    let log = physical_id(&mut caller, "Shop", "Log");
    assert_eq!(log, format!("/shop/test/{bucket}"));
    assert_eq!(caller.read("AWS::Logs::LogGroup", &log).unwrap()["RetentionInDays"], 1);

    let told = outputs(&mut caller, "Shop");
    assert_eq!(told["BucketName"], json!(bucket));
    assert_eq!(told["QueueArn"], read["Arn"]);
    assert!(told.get("Topic").is_none());
    assert!(told["Word"].as_str().unwrap().starts_with("word-"), "{told}");

    // A type without handlers is part of the stack, and nothing that Cloud Control reads.
    let policy = physical_id(&mut caller, "Shop", "Policy");
    assert!(caller.read("AWS::SQS::QueuePolicy", &policy).is_err());
    let xml = caller.stacks("ListStackResources", &[("StackName", "Shop")]).unwrap();
    assert_eq!(texts(&xml, "LogicalResourceId"), ["Answer", "Bucket", "Log", "Policy", "Queue"]);
    let xml = caller.stacks("ListExports", &[]).unwrap();
    assert_eq!(text(&xml, "Name"), "Shop-queue");
    assert_eq!(text(&xml, "ExportingStackId"), id);
    let xml = caller.stacks("GetTemplate", &[("StackName", "Shop")]).unwrap();
    assert_eq!(text(&xml, "TemplateBody"), SHOP);
    let xml = caller.stacks("DescribeStacks", &[]).unwrap();
    assert_eq!(text(&xml, "ResolvedValue"), "999");
    assert!(xml.contains("****") && !xml.contains("hidden"), "{xml}");
}

#[test]
fn a_stack_is_seen_in_progress_before_it_is_complete() {
    let latency = "10s..20s".parse().unwrap();
    let mut caller = Caller::with(Settings { latency, ..Settings::default() });
    create(&mut caller, "Shop", SHOP).unwrap();
    assert_eq!(status(&mut caller, "Shop").0, "CREATE_IN_PROGRESS");
    assert_eq!(outputs(&mut caller, "Shop"), json!({}));
    let listed = |caller: &mut Caller| {
        let body = json!({"TypeName": "AWS::SQS::Queue"});
        let listed = caller.call("ListResources", &body).unwrap();
        listed["ResourceDescriptions"].as_array().unwrap().len()
    };
    assert_eq!(listed(&mut caller), 0);
    let mut seen = Vec::new();
    for _ in 0..60 {
        caller.now += 1000;
        let xml = caller.stacks("ListStackResources", &[("StackName", "Shop")]).unwrap();
        let complete = xml.matches("<ResourceStatus>CREATE_COMPLETE").count();
        if seen.last() != Some(&complete) {
            seen.push(complete);
        }
    }
    assert!(seen.len() > 3 && seen.is_sorted(), "{seen:?}");
    assert_eq!(status(&mut caller, "Shop").0, "CREATE_COMPLETE");
    assert_eq!(listed(&mut caller), 1);
    let xml = caller.stacks("DescribeStackEvents", &[("StackName", "Shop")]).unwrap();
    let statuses = texts(&xml, "ResourceStatus");
    assert_eq!(statuses.first().map(String::as_str), Some("CREATE_COMPLETE"));
    assert_eq!(statuses.last().map(String::as_str), Some("CREATE_IN_PROGRESS"));
    assert_eq!(statuses.len(), 12);
}

#[test]
fn parameters_decide_what_is_there() {
    let mut caller = Caller::new();
    let parameters = [
        ("StackName", "Prod"),
        ("TemplateBody", SHOP),
        ("Parameters.member.1.ParameterKey", "Stage"),
        ("Parameters.member.1.ParameterValue", "prod"),
        ("Parameters.member.2.ParameterKey", "Delay"),
        ("Parameters.member.2.ParameterValue", "9"),
        ("Tags.member.1.Key", "team"),
        ("Tags.member.1.Value", "a&b"),
    ];
    caller.stacks("CreateStack", &parameters).unwrap();
    let topic = physical_id(&mut caller, "Prod", "Alarm");
    assert!(topic.starts_with("arn:aws:sns:eu-west-1:123456789012:Prod-Alarm-"), "{topic}");
    assert_eq!(outputs(&mut caller, "Prod")["Topic"], json!(topic));
    let queue = physical_id(&mut caller, "Prod", "Queue");
    let read = caller.read("AWS::SQS::Queue", &queue).unwrap();
    assert_eq!(read["DelaySeconds"], 9);
    assert!(read["Tags"].as_array().unwrap().contains(&json!({"Key": "team", "Value": "a&b"})));
}

#[test]
fn what_is_wrong_with_a_call_is_refused_at_once_and_leaves_nothing() {
    let mut caller = Caller::new();
    let template = |resources: &serde_json::Value| json!({"Resources": resources}).to_string();
    let bucket = json!({"Type": "AWS::S3::Bucket"});
    for (body, words) in [
        ("{".to_owned(), "JSON not well-formed"),
        ("Resources: {A: !Ref".to_owned(), "YAML not well-formed"),
        ("a text".to_owned(), "unsupported structure"),
        ("{}".to_owned(), "At least one Resources member must be defined"),
        (template(&json!({"A": {"Type": "AWS::S3::Bukket"}})), "Unrecognized resource types: [AWS::S3::Bukket]"),
        (template(&json!({"A": {"Type": "AWS::S3::Bucket", "DependsOn": "B"}})), "Unresolved resource dependencies [B]"),
        (
            template(&json!({
                "A": {"Type": "AWS::S3::Bucket", "DependsOn": "B"},
                "B": {"Type": "AWS::S3::Bucket", "DependsOn": "A"},
            })),
            "Circular dependency between resources: [A, B]",
        ),
        (
            json!({"Resources": {"A": bucket}, "Outputs": {"O": {"Value": {"Fn::GetAtt": ["A", "Nope"]}}}}).to_string(),
            "does not support attribute type Nope",
        ),
        (
            json!({"Resources": {"A": bucket}, "Parameters": {"P": {"Type": "String"}}}).to_string(),
            "Parameters: [P] must have values",
        ),
        (
            json!({"Resources": {"A": bucket}, "Transform": "AWS::Serverless-2016-10-31"}).to_string(),
            "AWS::Serverless-2016-10-31",
        ),
    ] {
        let (code, message) = create(&mut caller, "S", &body).unwrap_err();
        assert_eq!(code, "ValidationException", "{message}");
        assert!(message.contains(words), "{body}: {message}");
    }
    let (_, message) =
        caller.stacks("CreateStack", &[("StackName", "1x"), ("TemplateBody", "{}")]).unwrap_err();
    assert!(message.contains("'stackName'"), "{message}");
    let (_, message) = caller.stacks("CreateStack", &[("StackName", "x")]).unwrap_err();
    assert!(message.contains("Template"), "{message}");
    let (_, message) = caller.stacks("DescribeStacks", &[("StackName", "S")]).unwrap_err();
    assert_eq!(message, "Stack with id S does not exist");
    assert!(caller.world.state().regions.get(&caller.place).is_none_or(|it| it.stacks.is_empty()));

    create(&mut caller, "S", &template(&json!({"A": bucket}))).unwrap();
    let (code, message) = create(&mut caller, "S", SHOP).unwrap_err();
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("AlreadyExistsException", "Stack [S] already exists")
    );
    let (_, message) = caller
        .stacks("DescribeStackResource", &[("StackName", "S"), ("LogicalResourceId", "Z")])
        .unwrap_err();
    assert_eq!(message, "Resource Z does not exist for stack S");
}

#[test]
fn a_retry_with_the_same_token_is_the_same_stack() {
    let mut caller = Caller::new();
    let parameters =
        [("StackName", "S"), ("TemplateBody", SHOP), ("ClientRequestToken", "token-1")];
    let first = caller.stacks("CreateStack", &parameters).unwrap();
    assert_eq!(caller.stacks("CreateStack", &parameters).unwrap(), first);
}
