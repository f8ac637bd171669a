//! A stack that cannot be made or changed.

use serde_json::{Value, json};

use super::{SHOP, create, physical_id, status};
use crate::caller::{Caller, texts};

/// A queue, and behind it a parameter that its type refuses.
fn bad() -> String {
    json!({
        "Resources": {
            "Q": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "q"}},
            "P": {"Type": "AWS::SSM::Parameter", "DependsOn": "Q", "Properties": {"Type": "Nope", "Value": "1"}},
        },
    })
    .to_string()
}

fn queues(caller: &mut Caller) -> usize {
    let listed = caller.call("ListResources", &json!({"TypeName": "AWS::SQS::Queue"})).unwrap();
    listed["ResourceDescriptions"].as_array().unwrap().len()
}

/// All resources with what is known of them.
fn resources(caller: &Caller) -> Vec<String> {
    let region = &caller.world.state().regions[&caller.place];
    let all = region.resources.iter().flat_map(|(name, of_type)| {
        of_type
            .iter()
            .map(move |(identifier, resource)| format!("{name} {identifier} {resource:?}"))
    });
    all.collect()
}

fn fault(caller: &mut Caller, fault: &Value) {
    caller.world.arm(serde_json::from_value(fault.clone()).unwrap());
}

#[test]
fn a_stack_that_fails_is_rolled_back() {
    let mut caller = Caller::new();
    create(&mut caller, "S", &bad()).unwrap();
    let (now, _) = status(&mut caller, "S");
    assert_eq!(now, "ROLLBACK_COMPLETE");
    assert_eq!(queues(&mut caller), 0);
    let xml = caller.stacks("DescribeStackEvents", &[("StackName", "S")]).unwrap();
    let reasons = texts(&xml, "ResourceStatusReason");
    assert!(
        reasons.iter().any(|it| it
            .starts_with("Properties validation failed for resource P with message:\n#/Type")),
        "{reasons:?}"
    );
    assert!(
        reasons.contains(
            &"The following resource(s) failed to create: [P]. Rollback requested by user."
                .to_owned()
        ),
        "{reasons:?}"
    );
    let (_, message) =
        caller.stacks("UpdateStack", &[("StackName", "S"), ("TemplateBody", SHOP)]).unwrap_err();
    assert!(message.contains("is in ROLLBACK_COMPLETE state and can not be updated"), "{message}");
    caller.stacks("DeleteStack", &[("StackName", "S")]).unwrap();
    create(&mut caller, "S", SHOP).unwrap();
}

#[test]
fn a_stack_that_fails_stays_or_goes_as_was_asked() {
    let mut caller = Caller::new();
    let bad = bad();
    let stays = [("StackName", "A"), ("TemplateBody", bad.as_str()), ("OnFailure", "DO_NOTHING")];
    caller.stacks("CreateStack", &stays).unwrap();
    assert_eq!(status(&mut caller, "A").0, "CREATE_FAILED");
    assert_eq!(queues(&mut caller), 1);
    caller.stacks("DeleteStack", &[("StackName", "A")]).unwrap();
    assert_eq!(queues(&mut caller), 0);
    let goes = [("StackName", "B"), ("TemplateBody", bad.as_str()), ("OnFailure", "DELETE")];
    caller.stacks("CreateStack", &goes).unwrap();
    assert!(caller.stacks("DescribeStacks", &[("StackName", "B")]).is_err());
    assert_eq!(queues(&mut caller), 0);
}

#[test]
fn an_update_that_fails_is_taken_back() {
    let mut caller = Caller::new();
    create(&mut caller, "Shop", SHOP).unwrap();
    let queue = physical_id(&mut caller, "Shop", "Queue");
    let before = resources(&caller);
    let mut template: Value = serde_json::from_str(SHOP).unwrap();
    template["Resources"]["Queue"]["Properties"]["DelaySeconds"] = json!(9);
    template["Resources"]["New"] = json!({"Type": "AWS::SNS::Topic"});
    template["Resources"]["Log"]["Properties"]["RetentionInDays"] = json!(2);
    template["Resources"].as_object_mut().unwrap().remove("Policy");
    let body = template.to_string();
    let parameters = [("StackName", "Shop"), ("TemplateBody", body.as_str())];
    caller.stacks("UpdateStack", &parameters).unwrap();
    assert_eq!(status(&mut caller, "Shop").0, "UPDATE_ROLLBACK_COMPLETE");
    assert_eq!(resources(&caller), before);
    assert_eq!(caller.read("AWS::SQS::Queue", &queue).unwrap()["DelaySeconds"], 5);
    assert!(!physical_id(&mut caller, "Shop", "Policy").is_empty());
    let xml = caller.stacks("DescribeStacks", &[("StackName", "Shop")]).unwrap();
    assert!(xml.contains("<LastUpdatedTime>"), "{xml}");
    let listed = caller.call("ListResources", &json!({"TypeName": "AWS::SNS::Topic"})).unwrap();
    assert_eq!(listed["ResourceDescriptions"], json!([]));
}

#[test]
fn faults_of_cloud_control_meet_stacks_too() {
    let mut caller = Caller::new();
    fault(
        &mut caller,
        &json!({"operation": "CreateResource", "type": "AWS::Logs::LogGroup", "effect": "fail", "code": "ServiceLimitExceeded"}),
    );
    create(&mut caller, "Shop", SHOP).unwrap();
    assert_eq!(status(&mut caller, "Shop").0, "ROLLBACK_COMPLETE");
    let xml = caller.stacks("DescribeStackEvents", &[("StackName", "Shop")]).unwrap();
    assert!(xml.contains("HandlerErrorCode: ServiceLimitExceeded"), "{xml}");
    caller.stacks("DeleteStack", &[("StackName", "Shop")]).unwrap();
    create(&mut caller, "Shop", SHOP).unwrap();
    fault(
        &mut caller,
        &json!({"operation": "DeleteResource", "type": "AWS::SQS::Queue", "effect": "fail", "code": "AccessDenied"}),
    );
    caller.stacks("DeleteStack", &[("StackName", "Shop")]).unwrap();
    let (now, reason) = status(&mut caller, "Shop");
    assert_eq!(now, "DELETE_FAILED");
    assert_eq!(reason.as_deref(), Some("The following resource(s) failed to delete: [Queue]. "));
    caller.stacks("DeleteStack", &[("StackName", "Shop")]).unwrap();
    assert!(caller.stacks("DescribeStacks", &[("StackName", "Shop")]).is_err());
}

#[test]
fn faults_and_counters_are_there_for_the_calls_about_stacks() {
    let mut caller = Caller::new();
    fault(&mut caller, &json!({"operation": "CreateStack", "effect": "drop-reply"}));
    assert_eq!(create(&mut caller, "Shop", SHOP).unwrap_err().0, "dropped");
    assert_eq!(status(&mut caller, "Shop").0, "CREATE_COMPLETE");
    fault(
        &mut caller,
        &json!({"operation": "DescribeStacks", "effect": "exception", "exception": "ThrottlingException"}),
    );
    let (code, _) = caller.stacks("DescribeStacks", &[("StackName", "Shop")]).unwrap_err();
    assert_eq!(code, "ThrottlingException");
    let counters = json!(caller.world.log().counters());
    assert_eq!(counters["byOperation"], json!({"CreateStack": 1, "DescribeStacks": 2}));
    fault(&mut caller, &json!({"operation": "CreateResource", "effect": "hang"}));
    create(
        &mut caller,
        "Hung",
        &json!({"Resources": {"A": {"Type": "AWS::SNS::Topic"}}}).to_string(),
    )
    .unwrap();
    caller.now += 1_000_000_000;
    assert_eq!(status(&mut caller, "Hung").0, "CREATE_IN_PROGRESS");
}

#[test]
fn a_missing_export_stops_the_stack() {
    let mut caller = Caller::new();
    let user = json!({"Resources": {"P": {"Type": "AWS::SSM::Parameter", "Properties": {
        "Type": "String", "Value": {"Fn::ImportValue": "nowhere"},
    }}}});
    create(&mut caller, "User", &user.to_string()).unwrap();
    assert_eq!(status(&mut caller, "User").0, "ROLLBACK_COMPLETE");
    let xml = caller.stacks("DescribeStackEvents", &[("StackName", "User")]).unwrap();
    assert!(xml.contains("No export named nowhere found."), "{xml}");
}
