//! A stack is changed and deleted.

use hangar_simulator::core::settings::Settings;
use serde_json::{Value, json};

use super::{SHOP, create, outputs, physical_id, status};
use crate::caller::{Caller, Refused, text, texts};

fn update(caller: &mut Caller, name: &str, template: &Value) -> Result<String, Refused> {
    let body = template.to_string();
    caller.stacks("UpdateStack", &[("StackName", name), ("TemplateBody", &body)])
}

fn delete(caller: &mut Caller, name: &str) -> Result<String, Refused> {
    caller.stacks("DeleteStack", &[("StackName", name)])
}

fn queue(properties: &Value) -> Value {
    json!({
        "Resources": {"Q": {"Type": "AWS::SQS::Queue", "Properties": properties}},
        "Outputs": {"Url": {"Value": {"Ref": "Q"}, "Export": {"Name": "url"}}},
    })
}

fn names(caller: &mut Caller, stack: &str) -> Vec<String> {
    let xml = caller.stacks("DescribeStackResources", &[("StackName", stack)]).unwrap();
    texts(&xml, "LogicalResourceId")
}

#[test]
fn a_property_that_can_change_is_changed_in_place() {
    let mut caller = Caller::new();
    create(
        &mut caller,
        "S",
        &queue(&json!({"DelaySeconds": 5, "ReceiveMessageWaitTimeSeconds": 3})).to_string(),
    )
    .unwrap();
    let before = physical_id(&mut caller, "S", "Q");
    update(&mut caller, "S", &queue(&json!({"DelaySeconds": "7"}))).unwrap();
    assert_eq!(status(&mut caller, "S").0, "UPDATE_COMPLETE");
    assert_eq!(physical_id(&mut caller, "S", "Q"), before);
    let read = caller.read("AWS::SQS::Queue", &before).unwrap();
    assert_eq!(read["DelaySeconds"], 7);
    assert_ne!(read["ReceiveMessageWaitTimeSeconds"], 3, "{read}");
}

#[test]
fn what_can_only_be_set_at_creation_makes_a_new_resource() {
    let mut caller = Caller::new();
    create(&mut caller, "S", &queue(&json!({"FifoQueue": true})).to_string()).unwrap();
    let before = physical_id(&mut caller, "S", "Q");
    assert_eq!(before.rsplit_once('.').unwrap().1, "fifo");
    update(&mut caller, "S", &queue(&json!({"FifoQueue": false}))).unwrap();
    let after = physical_id(&mut caller, "S", "Q");
    assert_ne!(before, after);
    assert_eq!(outputs(&mut caller, "S")["Url"], json!(after));
    assert!(caller.read("AWS::SQS::Queue", &before).is_err());
    assert!(caller.read("AWS::SQS::Queue", &after).is_ok());
    // A name that the template states stands in the way.
    let named =
        |is_fifo| queue(&json!({"QueueName": "q.fifo", "FifoQueue": is_fifo}))["Resources"].clone();
    create(&mut caller, "T", &json!({"Resources": named(true)}).to_string()).unwrap();
    update(&mut caller, "T", &json!({"Resources": named(false)})).unwrap();
    assert_eq!(status(&mut caller, "T").0, "UPDATE_ROLLBACK_COMPLETE");
    let xml = caller.stacks("DescribeStackEvents", &[("StackName", "T")]).unwrap();
    assert!(xml.contains("Rename q.fifo and update the stack again"), "{xml}");
}

#[test]
fn what_leaves_the_template_is_deleted_unless_it_is_to_stay() {
    let mut caller = Caller::new();
    create(&mut caller, "Shop", SHOP).unwrap();
    let [bucket, queue, log] =
        ["Bucket", "Queue", "Log"].map(|name| physical_id(&mut caller, "Shop", name));
    let topic = json!({"Resources": {"New": {"Type": "AWS::SNS::Topic"}}});
    update(&mut caller, "Shop", &topic).unwrap();
    assert_eq!(status(&mut caller, "Shop").0, "UPDATE_COMPLETE");
    assert_eq!(names(&mut caller, "Shop"), ["New"]);
    assert!(caller.read("AWS::S3::Bucket", &bucket).is_ok());
    assert!(caller.read("AWS::SQS::Queue", &queue).is_err());
    assert!(caller.read("AWS::Logs::LogGroup", &log).is_err());
    assert_eq!(outputs(&mut caller, "Shop"), json!({}));
    let xml = caller.stacks("GetTemplate", &[("StackName", "Shop")]).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text(&xml, "TemplateBody")).unwrap(), topic);
}

#[test]
fn an_update_that_changes_nothing_is_refused() {
    let mut caller = Caller::new();
    create(&mut caller, "Shop", SHOP).unwrap();
    let words = "No updates are to be performed.";
    let parameters = [("StackName", "Shop"), ("TemplateBody", SHOP)];
    assert_eq!(caller.stacks("UpdateStack", &parameters).unwrap_err().1, words);
    let kept = [("StackName", "Shop"), ("UsePreviousTemplate", "true")];
    assert_eq!(caller.stacks("UpdateStack", &kept).unwrap_err().1, words);
    let other = [
        ("StackName", "Shop"),
        ("UsePreviousTemplate", "true"),
        ("Parameters.member.1.ParameterKey", "Stage"),
        ("Parameters.member.1.ParameterValue", "prod"),
        ("Parameters.member.2.ParameterKey", "Delay"),
        ("Parameters.member.2.UsePreviousValue", "true"),
    ];
    caller.stacks("UpdateStack", &other).unwrap();
    let topic = physical_id(&mut caller, "Shop", "Alarm");
    assert_eq!(outputs(&mut caller, "Shop")["Topic"], json!(topic));
    let bucket = physical_id(&mut caller, "Shop", "Bucket");
    // Its name is made of the parameter and can only be set at creation.
    assert_eq!(physical_id(&mut caller, "Shop", "Log"), format!("/shop/prod/{bucket}"));
    assert!(caller.read("AWS::Logs::LogGroup", &format!("/shop/test/{bucket}")).is_err());
    let (_, message) =
        update(&mut caller, "Shop", &json!({"Resources": {"Queue": {"Type": "AWS::SNS::Topic"}}}))
            .unwrap_err();
    assert!(message.contains("Update of resource type is not permitted"), "{message}");
}

#[test]
fn a_deleted_stack_is_found_by_its_arn_only() {
    let mut caller = Caller::new();
    let id = create(&mut caller, "Shop", SHOP).unwrap();
    let queue = physical_id(&mut caller, "Shop", "Queue");
    let bucket = physical_id(&mut caller, "Shop", "Bucket");
    delete(&mut caller, "Shop").unwrap();
    let (_, message) = caller.stacks("DescribeStacks", &[("StackName", "Shop")]).unwrap_err();
    assert_eq!(message, "Stack with id Shop does not exist");
    assert_eq!(status(&mut caller, &id).0, "DELETE_COMPLETE");
    assert!(caller.read("AWS::SQS::Queue", &queue).is_err());
    assert!(caller.read("AWS::S3::Bucket", &bucket).is_ok());
    let xml = caller.stacks("ListStackResources", &[("StackName", &id)]).unwrap();
    assert!(xml.contains("DELETE_SKIPPED") && xml.contains("DELETE_COMPLETE"), "{xml}");
    assert!(texts(&caller.stacks("DescribeStacks", &[]).unwrap(), "StackName").is_empty());
    let gone = [("StackStatusFilter.member.1", "DELETE_COMPLETE")];
    let xml = caller.stacks("ListStacks", &gone).unwrap();
    assert_eq!(texts(&xml, "StackId"), [id.as_str()]);
    // What is not there is deleted without a word, and its name is free.
    delete(&mut caller, "Shop").unwrap();
    let again = create(&mut caller, "Shop", SHOP).unwrap();
    assert_ne!(again, id);
    caller.now += 90 * 24 * 3_600_000;
    assert!(caller.stacks("DescribeStacks", &[("StackName", &id)]).is_err());
    assert_eq!(status(&mut caller, "Shop").0, "CREATE_COMPLETE");
}

#[test]
fn a_stack_is_seen_in_progress_while_it_changes_and_goes() {
    let latency = "10s..10s".parse().unwrap();
    let mut caller = Caller::with(Settings { latency, ..Settings::default() });
    create(&mut caller, "S", &queue(&json!({"FifoQueue": true})).to_string()).unwrap();
    let (_, message) = update(&mut caller, "S", &queue(&json!({}))).unwrap_err();
    assert!(message.contains("is in CREATE_IN_PROGRESS state and can not be updated"), "{message}");
    caller.now += 10_000;
    let before = physical_id(&mut caller, "S", "Q");
    update(&mut caller, "S", &queue(&json!({}))).unwrap();
    let mut seen = Vec::new();
    for _ in 0..25 {
        let (now, _) = status(&mut caller, "S");
        let told = outputs(&mut caller, "S")["Url"] == json!(before);
        if seen.last() != Some(&(now.clone(), told)) {
            seen.push((now, told));
        }
        caller.now += 1000;
    }
    assert_eq!(
        seen,
        [
            ("UPDATE_IN_PROGRESS".to_owned(), true),
            ("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS".to_owned(), false),
            ("UPDATE_COMPLETE".to_owned(), false),
        ]
    );
    let id = physical_id(&mut caller, "S", "Q");
    delete(&mut caller, "S").unwrap();
    assert_eq!(status(&mut caller, "S").0, "DELETE_IN_PROGRESS");
    assert!(caller.read("AWS::SQS::Queue", &id).is_ok());
    caller.now += 10_000;
    assert!(caller.stacks("DescribeStacks", &[("StackName", "S")]).is_err());
    assert!(caller.read("AWS::SQS::Queue", &id).is_err());
}

#[test]
fn a_stack_that_is_being_made_can_be_deleted() {
    let latency = "10s..10s".parse().unwrap();
    let mut caller = Caller::with(Settings { latency, ..Settings::default() });
    create(&mut caller, "S", &queue(&json!({})).to_string()).unwrap();
    caller.now += 5_000;
    delete(&mut caller, "S").unwrap();
    assert_eq!(status(&mut caller, "S").0, "DELETE_IN_PROGRESS");
    caller.now += 20_000;
    assert!(caller.stacks("DescribeStacks", &[("StackName", "S")]).is_err());
    let listed = caller.call("ListResources", &json!({"TypeName": "AWS::SQS::Queue"})).unwrap();
    assert_eq!(listed["ResourceDescriptions"], json!([]));
}

#[test]
fn an_export_in_use_can_neither_go_nor_change() {
    let mut caller = Caller::new();
    create(&mut caller, "Maker", &queue(&json!({"FifoQueue": true})).to_string()).unwrap();
    let user = json!({"Resources": {"P": {"Type": "AWS::SSM::Parameter", "Properties": {
        "Type": "String", "Value": {"Fn::ImportValue": "url"},
    }}}});
    create(&mut caller, "User", &user.to_string()).unwrap();
    let words = "Export url cannot be deleted as it is in use by User";
    assert_eq!(delete(&mut caller, "Maker").unwrap_err().1, words);
    update(&mut caller, "Maker", &queue(&json!({"FifoQueue": false}))).unwrap();
    let (now, _) = status(&mut caller, "Maker");
    assert_eq!(now, "UPDATE_ROLLBACK_COMPLETE");
    let xml = caller.stacks("DescribeStackEvents", &[("StackName", "Maker")]).unwrap();
    assert!(xml.contains("Export url cannot be updated as it is in use by User"), "{xml}");
    let xml = caller.stacks("ListImports", &[("ExportName", "url")]).unwrap();
    assert_eq!(texts(&xml, "member"), ["User"]);
    delete(&mut caller, "User").unwrap();
    delete(&mut caller, "Maker").unwrap();
    assert!(texts(&caller.stacks("ListExports", &[]).unwrap(), "Name").is_empty());
}

#[test]
fn nested_stacks_change_and_go_with_their_parent() {
    let mut caller = Caller::new();
    let child = |delay: u8| {
        json!({
            "Parameters": {"Names": {"Type": "CommaDelimitedList"}},
            "Resources": {"Q": {"Type": "AWS::SQS::Queue", "Properties": {
                "DelaySeconds": delay,
                "QueueName": {"Fn::Join": ["-", {"Ref": "Names"}]},
            }}},
            "Outputs": {"Arn": {"Value": {"Fn::GetAtt": ["Q", "Arn"]}}},
        })
        .to_string()
    };
    let parent = |key: &str| {
        json!({
            "Resources": {"N": {"Type": "AWS::CloudFormation::Stack", "Properties": {
                "TemplateURL": format!("https://assets.s3.eu-west-1.amazonaws.com/{key}"),
                "Parameters": {"Names": ["a", "b"]},
            }}},
            "Outputs": {"Arn": {"Value": {"Fn::GetAtt": ["N", "Outputs.Arn"]}}},
        })
    };
    create(&mut caller, "P", &parent("1.json").to_string()).unwrap();
    assert_eq!(status(&mut caller, "P").0, "ROLLBACK_COMPLETE");
    let xml = caller.stacks("DescribeStackEvents", &[("StackName", "P")]).unwrap();
    assert!(xml.contains("The specified key does not exist"), "{xml}");
    delete(&mut caller, "P").unwrap();
    caller.world.put_asset("assets", "1.json", Some(&child(1)));
    caller.world.put_asset("assets", "2.json", Some(&child(2)));
    create(&mut caller, "P", &parent("1.json").to_string()).unwrap();
    let arn = outputs(&mut caller, "P")["Arn"].clone();
    assert!(arn.as_str().unwrap().ends_with(":a-b"), "{arn}");
    let inner = physical_id(&mut caller, "P", "N");
    let queue = physical_id(&mut caller, &inner, "Q");
    update(&mut caller, "P", &parent("2.json")).unwrap();
    assert_eq!(status(&mut caller, "P").0, "UPDATE_COMPLETE");
    assert_eq!(status(&mut caller, &inner).0, "UPDATE_COMPLETE");
    assert_eq!(caller.read("AWS::SQS::Queue", &queue).unwrap()["DelaySeconds"], 2);
    delete(&mut caller, "P").unwrap();
    assert_eq!(status(&mut caller, &inner).0, "DELETE_COMPLETE");
    assert!(caller.read("AWS::SQS::Queue", &queue).is_err());
}
