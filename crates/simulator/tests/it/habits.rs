//! AWS's habits through the calls of Cloud Control: what a read shows of what was written.

use std::collections::BTreeSet;

use hangar_diag::Diagnostic;
use hangar_schema::outline::Outline;
use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{Catalog, Inputs, Kind, Outcome, Purpose, TypeSchema, patch, validate};
use hangar_simulator::core::settings::{Fidelity, Settings};
use serde_json::{Value, json};

use crate::caller::Caller;

fn plain() -> Caller {
    let latency = "0..0".parse().unwrap();
    Caller::with(Settings { latency, fidelity: Fidelity::Plain, ..Settings::default() })
}

fn create(caller: &mut Caller, type_name: &str, desired: &Value) -> String {
    let body = json!({"TypeName": type_name, "DesiredState": desired.to_string()});
    caller.succeed("CreateResource", &body).unwrap()
}

fn update(caller: &mut Caller, type_name: &str, identifier: &str, patch: &Value) {
    let body = json!({"TypeName": type_name, "Identifier": identifier,
        "PatchDocument": patch.to_string()});
    caller.succeed("UpdateResource", &body).unwrap();
}

#[test]
fn a_read_shows_defaults_order_and_spelling_of_the_service() {
    let table = json!({
        "TableName": "t",
        "AttributeDefinitions": [
            {"AttributeName": "z", "AttributeType": "S"}, {"AttributeName": "a", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "z", "KeyType": "HASH"}],
        "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
    });
    let mut caller = Caller::new();
    let identifier = create(&mut caller, "AWS::DynamoDB::Table", &table);
    let read = caller.read("AWS::DynamoDB::Table", &identifier).unwrap();
    assert_eq!(read["AttributeDefinitions"][0]["AttributeName"], "a");
    assert_eq!(read["DeletionProtectionEnabled"], false);
    let family = json!({"DBParameterGroupName": "Mixed", "Family": "MySQL8.4", "Description": "d"});
    let identifier = create(&mut caller, "AWS::RDS::DBParameterGroup", &family);
    assert_eq!(identifier, "mixed");
    let read = caller.read("AWS::RDS::DBParameterGroup", &identifier).unwrap();
    assert_eq!(read["Family"], "mysql8.4");
}

#[test]
fn plain_fidelity_returns_what_was_written() {
    let family = json!({"DBParameterGroupName": "Mixed", "Family": "MySQL8.4", "Description": "d"});
    let mut caller = plain();
    let identifier = create(
        &mut caller,
        "AWS::RDS::OptionGroup",
        &json!({"OptionGroupName": "og",
        "EngineName": "MySQL", "MajorEngineVersion": "8.0", "OptionGroupDescription": "d"}),
    );
    let read = caller.read("AWS::RDS::OptionGroup", &identifier).unwrap();
    assert_eq!(read["EngineName"], "MySQL");
    let identifier = create(&mut caller, "AWS::RDS::DBParameterGroup", &family);
    assert_eq!(
        caller.read("AWS::RDS::DBParameterGroup", &identifier).unwrap()["Family"],
        "MySQL8.4"
    );
}

#[test]
fn an_ignored_removal_keeps_the_value() {
    let mut caller = Caller::new();
    let repository = json!({"RepositoryName": "repo", "ImageTagMutability": "IMMUTABLE"});
    let identifier = create(&mut caller, "AWS::ECR::Repository", &repository);
    let patch = json!([{"op": "remove", "path": "/ImageTagMutability"}]);
    update(&mut caller, "AWS::ECR::Repository", &identifier, &patch);
    let read = caller.read("AWS::ECR::Repository", &identifier).unwrap();
    assert_eq!(read["ImageTagMutability"], "IMMUTABLE");
}

#[test]
fn a_security_group_shows_the_rules_of_its_siblings_and_does_not_keep_them() {
    let mut caller = Caller::new();
    let own = json!({"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80, "CidrIp": "10.0.0.0/8"});
    let group = json!({"GroupDescription": "d", "SecurityGroupIngress": [own]});
    let identifier = create(&mut caller, "AWS::EC2::SecurityGroup", &group);
    let rule = json!({"GroupId": identifier, "IpProtocol": "tcp", "FromPort": 22, "ToPort": 22,
        "CidrIp": "10.0.0.0/8"});
    let sibling = create(&mut caller, "AWS::EC2::SecurityGroupIngress", &rule);
    let ports = |caller: &mut Caller| -> Vec<i64> {
        let read = caller.read("AWS::EC2::SecurityGroup", &identifier).unwrap();
        let rules = read["SecurityGroupIngress"].as_array().unwrap();
        let mut ports: Vec<i64> = rules.iter().map(|it| it["FromPort"].as_i64().unwrap()).collect();
        ports.sort_unstable();
        ports
    };
    assert_eq!(ports(&mut caller), [22, 80]);
    let patch = json!([{"op": "add", "path": "/Tags", "value": [{"Key": "a", "Value": "b"}]}]);
    update(&mut caller, "AWS::EC2::SecurityGroup", &identifier, &patch);
    assert_eq!(ports(&mut caller), [22, 80]);
    let body = json!({"TypeName": "AWS::EC2::SecurityGroupIngress", "Identifier": sibling});
    caller.succeed("DeleteResource", &body).unwrap();
    assert_eq!(ports(&mut caller), [80]);
}

#[test]
fn a_role_shows_the_policies_that_other_resources_attach() {
    let mut caller = Caller::new();
    let document = json!({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]});
    let role = json!({"RoleName": "r", "AssumeRolePolicyDocument": {"Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole",
            "Principal": {"Service": "lambda.amazonaws.com"}}]}});
    let identifier = create(&mut caller, "AWS::IAM::Role", &role);
    let inline = json!({"RoleName": "r", "PolicyName": "p", "PolicyDocument": document});
    create(&mut caller, "AWS::IAM::RolePolicy", &inline);
    let managed = json!({"PolicyDocument": document, "Roles": ["r"]});
    let arn = create(&mut caller, "AWS::IAM::ManagedPolicy", &managed);
    let read = caller.read("AWS::IAM::Role", &identifier).unwrap();
    assert_eq!(read["Policies"][0]["PolicyName"], "p");
    assert_eq!(read["ManagedPolicyArns"], json!([arn]));
}

#[test]
fn the_same_calls_give_the_same_reads() {
    let group = json!({"GroupDescription": "d", "SecurityGroupIngress": [
        {"IpProtocol": "TCP", "FromPort": 1, "ToPort": 1}, {"IpProtocol": "tcp", "FromPort": 2, "ToPort": 2}]});
    let read = || {
        let mut caller = Caller::new();
        let identifier = create(&mut caller, "AWS::EC2::SecurityGroup", &group);
        caller.read("AWS::EC2::SecurityGroup", &identifier).unwrap()
    };
    assert_eq!(read(), read());
    assert!(
        read()["SecurityGroupIngress"]
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["IpProtocol"] == "tcp")
    );
}

#[test]
fn properties_are_replaced_out_of_band_and_the_identifier_and_secrets_stay() {
    let mut caller = Caller::new();
    let user = json!({"UserName": "u", "LoginProfile": {"Password": "Secret-123"}});
    let identifier = create(&mut caller, "AWS::IAM::User", &user);
    let (place, wall) = (caller.place.clone(), caller.wall());
    let recorded = json!({"UserName": "other", "Path": "/x/"});
    let replaced = caller
        .world
        .replace_out_of_band(&place, "AWS::IAM::User", &identifier, &recorded, wall)
        .unwrap();
    assert!(replaced);
    let read = caller.read("AWS::IAM::User", &identifier).unwrap();
    assert_eq!((&read["UserName"], &read["Path"]), (&json!("u"), &json!("/x/")));
    let region = &caller.world.state().regions[&place];
    let whole = region.document("AWS::IAM::User", &identifier).unwrap().whole().to_owned();
    assert!(whole.contains("Secret-123"), "{whole}");
}

/// Types with rows of their own in the table of habits.
fn types_with_rows() -> BTreeSet<&'static str> {
    let table = include_str!("../../data/habits.tsv");
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split('\t').next()).collect()
}

/// States a policy, in words that services change, wherever a document of any form is taken.
fn state_policies(outline: Outline<'_>, value: &mut Value) {
    let is_free = outline.members().next().is_none() && outline.others().is_none();
    match value {
        _ if outline.classes().is_hidden() => {}
        Value::Object(_) | Value::String(_) if is_free && outline.kinds().has(Kind::Object) => {
            let policy = json!({"Version": "2012-10-17", "Statement": {"Effect": "Allow",
                "Action": ["s3:GetObject"], "Resource": "*", "Principal": {"AWS": "123456789012"}}});
            let is_text = outline.kinds().has(Kind::String);
            *value = if is_text { format!("{policy:#}").into() } else { policy };
        }
        Value::Object(members) => {
            for (name, member) in members {
                if let Some(next) = outline.find_member(name).or_else(|| outline.others()) {
                    state_policies(next, member);
                }
            }
        }
        Value::Array(items) => {
            if let Some(element) = outline.element() {
                for item in items {
                    state_policies(element, item);
                }
            }
        }
        _ => {}
    }
}

/// Documents of a type: what is required, much of the rest, and the same with policies.
fn documents(schema: &TypeSchema) -> Vec<Value> {
    let is_sound =
        |it: &Value| !validate(schema, it, Purpose::Desired).iter().any(Diagnostic::is_error);
    let mut sampler = Sampler::new(schema);
    let mut documents = Vec::new();
    for size in [Size::Small, Size::Large] {
        let mut samples = (0..10).map(|seed| sampler.desired(1000 * seed + 7, size));
        documents.extend(samples.find(is_sound));
    }
    let mut stated = documents.last().cloned().unwrap_or_default();
    state_policies(schema.outline(), &mut stated);
    if is_sound(&stated) && !documents.contains(&stated) {
        documents.push(stated);
    }
    documents
}

#[test]
fn a_put_of_every_type_asks_for_nothing_when_it_is_repeated() {
    let catalog = Catalog::bundled();
    let with_rows = types_with_rows();
    let (mut types, mut puts, mut writes) = (0, 0, Vec::new());
    let mut changed = BTreeSet::new();
    for name in catalog.names() {
        let schema = catalog.get(name).unwrap();
        if schema.handlers().create.is_none() || schema.handlers().read.is_none() {
            continue;
        }
        types += 1;
        for desired in documents(&schema) {
            // A world for each: some samples have the same name.
            let read = |mut caller: Caller| {
                let identifier = create(&mut caller, name, &desired);
                caller.read(name, &identifier).unwrap()
            };
            let (live, as_written) = (read(Caller::new()), read(plain()));
            puts += 1;
            if live != as_written {
                changed.insert(name);
            }
            let inputs = Inputs { live: &live, desired: &desired, applied: Some(&desired) };
            let again = patch(&schema, &inputs).unwrap();
            if again.outcome != Outcome::Noop {
                writes.push(format!("{name}: {:?} {:?}", again.operations, again.reasons));
            }
        }
    }
    println!(
        "counted: put twice with AWS's habits: {types} types, {puts} puts, {} types read otherwise than \
         written ({} with rows of their own), {} writes of the second put",
        changed.len(),
        changed.iter().filter(|name| with_rows.contains(*name)).count(),
        writes.len()
    );
    for write in &writes {
        println!("{write}");
    }
    assert!(writes.is_empty());
    assert!(changed.len() > 300, "the sweep meets the habits: {}", changed.len());
}

#[test]
fn an_update_leaves_the_spelling_of_values_that_it_does_not_change() {
    let mut caller = Caller::new();
    let instance = json!({"DBInstanceIdentifier": "ledger", "DBInstanceClass": "db.t4g.micro",
        "Engine": "postgres", "AllocatedStorage": "20", "ManageMasterUserPassword": true});
    let identifier = create(&mut caller, "AWS::RDS::DBInstance", &instance);
    let before = caller.read("AWS::RDS::DBInstance", &identifier).unwrap();
    let patch = json!([{"op": "replace", "path": "/AllocatedStorage", "value": "30"}]);
    update(&mut caller, "AWS::RDS::DBInstance", &identifier, &patch);
    let after = caller.read("AWS::RDS::DBInstance", &identifier).unwrap();
    assert_eq!((&before["NetworkType"], &after["NetworkType"]), (&json!("IPV4"), &json!("IPV4")));
}
