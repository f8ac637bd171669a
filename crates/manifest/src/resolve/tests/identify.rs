//! How a resource is identified, over answers that are written down.

use serde_json::json;

use super::*;

#[test]
fn a_part_that_the_physical_id_lacks_is_in_the_template() {
    let mut world = World {
        resources: vec![
            ("Stage", "AWS::ApiGateway::Stage", "prod"),
            ("Api", "AWS::S3::Bucket", "api-1"),
        ],
        template: json!({"Resources": {"Stage": {"Properties": {"RestApiId": {"Ref": "Api"}}}}}),
        models: vec![(
            r#"{"RestApiId":"api-1","StageName":"prod"}"#,
            json!({"StageName": "prod", "Note": "x"}),
        )],
        ..World::default()
    };
    assert_eq!(world.resolve("${cfn:App/Stage#Note}").unwrap(), "x");
    assert_eq!(world.asked.len(), 4, "{:?}", world.asked);
}

#[test]
fn an_arn_is_made_by_its_template_where_the_physical_id_is_a_name() {
    let arn = "arn:aws:events:eu-west-1:111122223333:rule/nightly";
    let mut world = World {
        resources: vec![("Rule", "AWS::Events::Rule", "nightly")],
        models: vec![(arn, json!({"Arn": arn}))],
        ..World::default()
    };
    assert_eq!(world.resolve("${cfn:App/Rule#Arn}").unwrap(), arn);
}

#[test]
fn the_arn_of_a_rule_has_the_name_of_its_bus_however_the_bus_is_stated() {
    for (physical, name) in [
        ("orders|nightly", "orders/nightly"),
        ("arn:aws:events:eu-west-1:111122223333:event-bus/orders|nightly", "orders/nightly"),
        (
            "arn:aws:events:eu-west-1:999:event-bus/aws.partner/x/y|nightly",
            "aws.partner/x/y/nightly",
        ),
        ("default|nightly", "nightly"),
        ("arn:aws:events:eu-west-1:111122223333:event-bus/default|nightly", "nightly"),
    ] {
        let arn = format!("arn:aws:events:eu-west-1:111122223333:rule/{name}");
        let mut world = World {
            resources: vec![("Rule", "AWS::Events::Rule", physical)],
            models: vec![(&*arn, json!({"Arn": arn}))],
            ..World::default()
        };
        assert_eq!(world.resolve("${cfn:App/Rule#Arn}").unwrap(), arn.as_str(), "{physical}");
        assert_eq!(world.resolve("${cfn:App/Rule}").unwrap(), physical);
    }
}

#[test]
fn what_cannot_be_told_is_looked_for_in_the_list() {
    let entry =
        |identifier: &str| ListEntry { identifier: identifier.to_owned(), properties: json!({}) };
    let mut world = World {
        resources: vec![("Ip", "AWS::EC2::EIP", "1.2.3.4")],
        list: vec![entry("1.2.3.4|eipalloc-1"), entry("5.6.7.8|eipalloc-2")],
        models: vec![("1.2.3.4|eipalloc-1", json!({"AllocationId": "eipalloc-1"}))],
        ..World::default()
    };
    assert_eq!(world.resolve("${cfn:App/Ip#AllocationId}").unwrap(), "eipalloc-1");
    world.list.push(entry("1.2.3.4|eipalloc-3"));
    let (code, told) = world.refused("${cfn:App/Ip#AllocationId}");
    assert_eq!(code, "REF0008");
    assert!(told.contains("2 listed resources match"), "{told}");
}

#[test]
fn a_list_is_asked_below_what_the_template_states() {
    let properties = json!({"DomainIdentifier": {"Fn::Sub": "dzd-${Replicas}"}});
    let mut world = World {
        resources: vec![("Unit", "AWS::DataZone::DomainUnit", "unit-1")],
        template: json!({"Resources": {"Unit": {"Properties": properties}}}),
        list: vec![ListEntry { identifier: "dzd-2|unit-1".to_owned(), properties: json!({}) }],
        models: vec![("dzd-2|unit-1", json!({"Name": "n"}))],
        ..World::default()
    };
    assert_eq!(world.resolve("${cfn:App/Unit#Name}").unwrap(), "n");
    let parents = world.asked.iter().find_map(|need| match need {
        Need::List { parent, .. } => parent.clone(),
        _ => None,
    });
    assert_eq!(parents.as_deref(), Some(r#"{"DomainIdentifier":"dzd-2"}"#));
}

#[test]
fn a_part_that_was_guessed_of_an_arn_gives_way_to_the_list() {
    let identifier = "arn:x:agent/1|assistant";
    let mut world = World {
        resources: vec![("Agent", "AWS::Wisdom::AIAgent", "arn:x:agent/1")],
        template: json!({"Resources": {"Agent": {"Properties": {"AssistantId": "assistant"}}}}),
        list: vec![ListEntry { identifier: identifier.to_owned(), properties: json!({}) }],
        models: vec![(identifier, json!({"Name": "n"}))],
        ..World::default()
    };
    assert_eq!(world.resolve("${cfn:App/Agent#Name}").unwrap(), "n");
}

#[test]
fn the_revision_in_an_arn_is_no_part_of_the_name() {
    let arn = "arn:aws:batch:eu-west-1:111122223333:job-definition/nightly:7";
    let mut world = World {
        resources: vec![("Job", "AWS::Batch::JobDefinition", arn)],
        models: vec![("nightly", json!({"Type": "container"}))],
        ..World::default()
    };
    assert_eq!(world.resolve("${cfn:App/Job#Type}").unwrap(), "container");
}

#[test]
fn a_whole_identifier_is_taken_as_one_though_the_table_knows_another_form() {
    let mut world = World {
        resources: vec![("Stage", "AWS::ApiGateway::Stage", "api-1|prod")],
        models: vec![(r#"{"RestApiId":"api-1","StageName":"prod"}"#, json!({"Note": "x"}))],
        ..World::default()
    };
    assert_eq!(world.resolve("${cfn:App/Stage#Note}").unwrap(), "x");
}
