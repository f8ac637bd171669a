//! The same on the simulator: what is written is what is read.

use hangar_provider::{ErrorClass, Provider};
use hangar_provider_aws::{AwsProvider, StackOutput, StackUpdate, StackWrite, TemplateSource};
use serde_json::{Value, json};

use super::write;
use crate::cloud::{place, provider, simulator, target};

const ROLE: &str = "arn:aws:iam::000000000042:role/lookup";

fn template() -> Value {
    json!({
        "Description": "A queue",
        "Parameters": {
            "Name": {"Type": "String", "Default": "jobs"},
            "Word": {"Type": "String", "NoEcho": true},
        },
        "Resources": {"Queue": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": {"Ref": "Name"}}}},
        "Outputs": {"Arn": {"Value": {"Fn::GetAtt": ["Queue", "Arn"]}, "Export": {"Name": "the-arn"}}},
    })
}

async fn create(provider: &AwsProvider, name: &str, template: &Value) -> String {
    let write = StackWrite {
        name: name.to_owned(),
        template: TemplateSource::Body(template.to_string()),
        tags: vec![("team".to_owned(), "a b".to_owned())],
        ..write()
    };
    let parameters = match template.get("Parameters") {
        Some(_) => vec![("Word".to_owned(), "hunter2".to_owned())],
        None => Vec::new(),
    };
    provider.create_stack(&place(), &StackWrite { parameters, ..write }).await.unwrap()
}

#[tokio::test]
async fn a_stack_is_read_as_it_was_written() {
    let simulator = simulator(&[]).await;
    let (provider, _) = provider(&simulator.url());
    let place = place();
    assert_eq!(provider.stack(&place, "Jobs").await, Ok(None));
    let id = create(&provider, "Jobs", &template()).await;
    let stack = provider.stack(&place, "Jobs").await.unwrap().unwrap();
    assert_eq!((stack.id.as_str(), stack.status.as_str()), (id.as_str(), "CREATE_COMPLETE"));
    assert_eq!(stack.description.as_deref(), Some("A queue"));
    let arn = "arn:aws:sqs:eu-central-1:000000000042:jobs";
    let output = StackOutput {
        key: "Arn".to_owned(),
        value: arn.to_owned(),
        export_name: Some("the-arn".to_owned()),
        description: None,
    };
    assert_eq!(stack.outputs, [output]);
    let parameters: Vec<_> =
        stack.parameters.iter().map(|it| (it.key.as_str(), it.value.as_deref())).collect();
    assert_eq!(parameters, [("Name", Some("jobs")), ("Word", Some("****"))]);
    assert_eq!(stack.tags, [("team".to_owned(), "a b".to_owned())]);
    assert_eq!((stack.parent_id, stack.root_id, stack.deleted_at), (None, None, None));
    assert_eq!(provider.stack(&place, &id).await.unwrap().unwrap().name, "Jobs");
    let resources = provider.stack_resources(&place, "Jobs", None).await.unwrap();
    assert_eq!((resources.resources.len(), resources.next), (1, None));
    let queue = &resources.resources[0];
    assert_eq!((queue.logical_id.as_str(), queue.type_name.as_str()), ("Queue", "AWS::SQS::Queue"));
    // Cloud Control knows it by the same identifier.
    let physical = queue.physical_id.as_deref().unwrap();
    let observed = provider.observe(&target("AWS::SQS::Queue"), physical).await.unwrap();
    assert!(format!("{observed:?}").contains(arn), "{observed:?}");
    let text = provider.stack_template(&place, "Jobs").await.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), template());
    let exports = provider.exports(&place, None).await.unwrap();
    let told: Vec<_> = exports
        .exports
        .iter()
        .map(|it| (it.name.as_str(), it.value.as_str(), it.stack_id.as_str()))
        .collect();
    assert_eq!(told, [("the-arn", arn, id.as_str())]);
    let events = provider.stack_events(&place, "Jobs", None).await.unwrap().events;
    assert_eq!(events[0].status, "CREATE_COMPLETE");
    assert!(events.iter().any(|it| it.logical_id == "Queue" && it.type_name == "AWS::SQS::Queue"));
}

#[tokio::test]
async fn a_deleted_stack_is_found_by_its_arn_only() {
    let simulator = simulator(&[]).await;
    let (provider, _) = provider(&simulator.url());
    let place = place();
    let id = create(&provider, "Jobs", &template()).await;
    provider.delete_stack(&place, "Jobs", Some("t")).await.unwrap();
    assert_eq!(provider.stack(&place, "Jobs").await, Ok(None));
    let deleted = provider.stack(&place, &id).await.unwrap().unwrap();
    assert_eq!(deleted.status, "DELETE_COMPLETE");
    assert!(deleted.deleted_at.is_some());
    assert!(provider.stacks(&place, None).await.unwrap().stacks.is_empty());
    // One that is not there is as good as deleted.
    assert_eq!(provider.delete_stack(&place, "Jobs", None).await, Ok(()));
}

#[tokio::test]
async fn many_resources_come_in_pages() {
    let simulator = simulator(&[]).await;
    let (provider, _) = provider(&simulator.url());
    let resources: serde_json::Map<String, Value> =
        (0..130).map(|at| (format!("Topic{at:03}"), json!({"Type": "AWS::SNS::Topic"}))).collect();
    create(&provider, "Many", &json!({"Resources": resources})).await;
    let (mut names, mut next, mut pages) = (Vec::new(), None::<String>, 0);
    loop {
        let page = provider.stack_resources(&place(), "Many", next.as_deref()).await.unwrap();
        names.extend(page.resources.into_iter().map(|it| it.logical_id));
        pages += 1;
        next = page.next;
        if next.is_none() {
            break;
        }
    }
    names.sort();
    names.dedup();
    assert_eq!((names.len(), pages), (130, 2));
}

#[tokio::test]
async fn a_place_has_stacks_of_its_own_and_a_role_reads_them() {
    let simulator = simulator(&[]).await;
    let (provider, _) = provider(&simulator.url());
    create(&provider, "Jobs", &template()).await;
    let role = provider.as_role(ROLE).unwrap();
    assert!(role.stack(&place(), "Jobs").await.unwrap().is_some());
    let mut elsewhere = place();
    elsewhere.region = "us-east-1".parse().unwrap();
    assert_eq!(role.stack(&elsewhere, "Jobs").await, Ok(None));
    elsewhere = place();
    elsewhere.account = "43".parse().unwrap();
    assert_eq!(provider.stack(&elsewhere, "Jobs").await, Ok(None));
}

#[tokio::test]
async fn what_the_simulator_refuses_keeps_its_words() {
    let simulator = simulator(&[]).await;
    let (provider, _) = provider(&simulator.url());
    create(&provider, "Jobs", &template()).await;
    let again = StackWrite {
        name: "Jobs".to_owned(),
        template: TemplateSource::Body(template().to_string()),
        ..write()
    };
    let error = provider.create_stack(&place(), &again).await.unwrap_err();
    assert_eq!(error.code, "AlreadyExistsException");
    assert_eq!(error.class, ErrorClass::Refused);
    let error = provider.stack_template(&place(), "None").await.unwrap_err();
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::NotFound, "ValidationError"));
    let error = provider.stack_resources(&place(), "None", None).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::NotFound, "{error}");
    let error = provider.stack_events(&place(), "None", None).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::NotFound, "{error}");
}

#[tokio::test]
async fn a_change_is_begun_or_there_is_nothing_to_do() {
    let simulator = simulator(&[]).await;
    let (provider, _) = provider(&simulator.url());
    let id = create(&provider, "Jobs", &template()).await;
    let again = |name: &str, queue: &str| {
        let parameters = [("Word", "hunter2"), ("Name", queue)];
        StackWrite {
            name: name.to_owned(),
            template: TemplateSource::Body(template().to_string()),
            parameters: parameters.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
            tags: vec![("team".to_owned(), "a b".to_owned())],
            ..write()
        }
    };
    let updated = provider.update_stack(&place(), &again("Jobs", "jobs")).await;
    assert_eq!(updated, Ok(StackUpdate::NothingToDo));
    let updated = provider.update_stack(&place(), &again("Jobs", "other")).await;
    assert_eq!(updated, Ok(StackUpdate::Started(id)));
    let stack = provider.stack(&place(), "Jobs").await.unwrap().unwrap();
    assert_eq!(stack.status, "UPDATE_COMPLETE");
    assert_eq!(stack.outputs[0].value, "arn:aws:sqs:eu-central-1:000000000042:other");
    let error = provider.update_stack(&place(), &again("None", "jobs")).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::NotFound, "{error}");
}
