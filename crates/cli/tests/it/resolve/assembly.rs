//! Stacks as the AWS CDK makes them: nested, in other accounts, with the same names, exported and in expressions.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::rig::Rig;

const ASSEMBLY: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/fixtures/cdk8s/aws/cdk.out");

/// What `?` says of the stage's place.
const PROD: &str = "account=111122223333&region=eu-west-1";
const NESTED: &str = "NestedNestedStackNestedNestedStackResourceDEFDAA4D";

/// A world of our own, and the one of the fixtures where they are: each a simulator with three stacks, and what was
/// told of them.
fn worlds(test: &str) -> Vec<(Rig, Value)> {
    let mut worlds = vec![own()];
    if Path::new(ASSEMBLY).is_dir() {
        let rig = Rig::new();
        let deploy = ["simulator", "deploy", ASSEMBLY, "--resources", "-o", "json", "--endpoint"];
        let told = told(&rig.run(&[&deploy[..], &[rig.url()]].concat()));
        worlds.push((rig, told));
    } else {
        println!("skipped: {test}, for the assembly of the fixtures (no ../shared)");
    }
    worlds
}

fn told(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Stacks that are named as those of the assembly, and have as little as the tests need.
fn own() -> (Rig, Value) {
    let rig = Rig::new();
    let bucket = json!({"Type": "AWS::S3::Bucket"});
    let queue = json!({"Type": "AWS::SQS::Queue"});
    let domain = json!({"Fn::GetAtt": ["Bucket83908E77", "DomainName"]});
    let storage = json!({
        "Resources": {"Bucket83908E77": bucket, "Queue4A7E3555": queue},
        "Outputs": {
            "BucketName": {"Value": {"Ref": "Bucket83908E77"}},
            "Endpoint": {"Value": {"Fn::Join": ["", ["https://", domain, "/x"]]}, "Export": {"Name": "storage-endpoint"}},
            "Queue": {"Value": {"Fn::GetAtt": ["Queue4A7E3555", "QueueName"]}, "Export": {"Name": "queue"}},
        },
    });
    let consumer = json!({"QueueName": {"Fn::Join": ["", ["c-", {"Fn::ImportValue": "queue"}]]}});
    let compute = json!({"Resources": {
        "Bucket83908E77": bucket,
        "Consumer8D6BE417": {"Type": "AWS::SQS::Queue", "Properties": consumer},
    }});
    rig.control("PUT", "assets/files/nested.json", &json!({"Resources": {"Queue4A7E3555": queue}}));
    let stage =
        json!({"RestApiId": {"Ref": "Api"}, "DeploymentId": {"Ref": "Dep"}, "StageName": "prod"});
    let database = json!({
        "AllocatedStorage": "20", "DBInstanceClass": "db.t3.micro", "Engine": "postgres", "MasterUsername": "u",
        "ManageMasterUserPassword": true,
    });
    let prod = json!({
        "Parameters": {"Replicas": {"Type": "Number", "Default": 2}},
        "Resources": {
            "Bucket83908E77": bucket,
            "Api": {"Type": "AWS::ApiGateway::RestApi", "Properties": {"Name": "a"}},
            "Dep": {"Type": "AWS::ApiGateway::Deployment", "Properties": {"RestApiId": {"Ref": "Api"}}},
            "Stage": {"Type": "AWS::ApiGateway::Stage", "Properties": stage},
            "Zone": {"Type": "AWS::Route53::HostedZone", "Properties": {"Name": "example.com"}},
            "Db": {"Type": "AWS::RDS::DBInstance", "Properties": database},
            NESTED: {"Type": "AWS::CloudFormation::Stack", "Properties": {
                "TemplateURL": "https://s3.eu-west-1.amazonaws.com/files/nested.json"}},
        },
    });
    let mut all = rig.deploy(&[("Storage", &storage), ("Compute", &compute)]);
    let there = ["--account", "111122223333", "--region", "eu-west-1"];
    let more = told(&rig.try_deploy(&[("Prod-App", &prod)], &there));
    all["stacks"].as_array_mut().unwrap().extend(more["stacks"].as_array().unwrap().clone());
    (rig, all)
}

fn physical(told: &Value, stack: &str, logical_id: &str) -> String {
    let of = |list: &Value, name: &str, is: &str| {
        list.as_array().unwrap().iter().find(|it| it[name] == is).unwrap().clone()
    };
    let stack = of(&told["stacks"], "name", stack);
    of(&stack["resources"], "logicalId", logical_id)["physicalId"].as_str().unwrap().to_owned()
}

/// `${expr:…}` of a tree.
pub(super) fn expression(tree: &Value) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for three in tree.to_string().as_bytes().chunks(3) {
        let bits = three
            .iter()
            .enumerate()
            .fold(0, |all, (at, byte)| all | usize::from(*byte) << (16 - 8 * at));
        for at in 0..=three.len() {
            text.push(char::from(SIGNS[bits >> (18 - 6 * at) & 63]));
        }
    }
    format!("${{expr:{text}}}")
}

/// A reference of a tree to something of a stack.
fn of(stack: &str, logical_id: &str, attribute: &str) -> Value {
    json!({"$ref": {"stack": stack, "logicalId": logical_id, "attr": attribute}})
}

#[test]
fn the_same_logical_id_in_two_stacks_is_two_resources() {
    for (rig, told) in worlds("the_same_logical_id_in_two_stacks_is_two_resources") {
        let (one, two) = (
            physical(&told, "Storage", "Bucket83908E77"),
            physical(&told, "Compute", "Bucket83908E77"),
        );
        assert_ne!(one, two);
        assert_eq!(rig.value("${cfn:Storage/Bucket83908E77}"), one.as_str());
        assert_eq!(rig.value("${cfn:Compute/Bucket83908E77#Arn}"), format!("arn:aws:s3:::{two}"));
        assert_eq!(rig.value("${cfn:Storage/BucketName}"), one.as_str());
        // What one imports from the other is in its name.
        let queue =
            physical(&told, "Storage", "Queue4A7E3555").rsplit('/').next().unwrap().to_owned();
        assert_eq!(rig.value("${cfn:Compute/Consumer8D6BE417#QueueName}"), format!("c-{queue}"));
    }
}

#[test]
fn another_account_and_region_are_asked_where_the_reference_says() {
    for (rig, told) in worlds("another_account_and_region_are_asked_where_the_reference_says") {
        let refusal = rig.refusal("${cfn:Prod-App/Bucket83908E77}");
        assert_eq!(refusal.code(), "REF0002");
        assert!(refusal.text().contains("?account=…&region=…"), "{}", refusal.text());
        let bucket = physical(&told, "Prod-App", "Bucket83908E77");
        assert_eq!(rig.value(&format!("${{cfn:Prod-App/Bucket83908E77?{PROD}}}")), bucket.as_str());
        assert_eq!(rig.value(&format!("${{cfn:Prod-App/AWS::Region?{PROD}}}")), "eu-west-1");
        assert_eq!(rig.value(&format!("${{cfn:Prod-App/AWS::AccountId?{PROD}}}")), "111122223333");
        // A type is what the template makes of it, unless a filter says so.
        assert_eq!(rig.value(&format!("${{cfn:Prod-App/Replicas?{PROD}}}")), "2");
        assert_eq!(rig.value(&format!("${{cfn:Prod-App/Replicas|int?{PROD}}}")), 2);
        let stage = physical(&told, "Prod-App", "Dep");
        assert_eq!(
            rig.value(&format!("${{cfn:Prod-App/Stage#DeploymentId?{PROD}}}")),
            stage.as_str()
        );
        assert_eq!(rig.value(&format!("${{cfn:Prod-App/Stage?{PROD}}}")), "prod");
        let servers = rig.value(&format!("${{cfn:Prod-App/Zone#NameServers?{PROD}}}"));
        assert!(servers.as_array().is_some_and(|all| !all.is_empty()), "{servers}");
        assert!(rig.value(&format!("${{cfn:Prod-App/Db#Endpoint.Port?{PROD}}}")).is_string());

        // The ARN of a stack says where it is.
        let arn =
            told["stacks"].as_array().unwrap().iter().find(|it| it["name"] == "Prod-App").unwrap();
        let arn = arn["id"].as_str().unwrap();
        assert_eq!(rig.value(&format!("${{cfn:{arn}/Bucket83908E77}}")), bucket.as_str());
    }
}

#[test]
fn a_role_is_taken_where_the_reference_names_one() {
    for (rig, told) in worlds("a_role_is_taken_where_the_reference_names_one") {
        rig.forget_calls();
        let role = "arn:aws:iam::111122223333:role/lookup";
        let reference = format!("${{cfn:Prod-App/Bucket83908E77?region=eu-west-1&role={role}}}");
        assert_eq!(rig.value(&reference), physical(&told, "Prod-App", "Bucket83908E77").as_str());
        let calls = rig.calls();
        assert_eq!((calls["AssumeRole"], calls["DescribeStacks"]), (1, 1), "{calls:?}");
    }
}

#[test]
fn a_nested_stack_is_found_by_its_way_down() {
    for (rig, _) in worlds("a_nested_stack_is_found_by_its_way_down") {
        let name = rig.value(&format!("${{cfn:Prod-App/{NESTED}/Queue4A7E3555#QueueName?{PROD}}}"));
        let url = rig.value(&format!("${{cfn:Prod-App/{NESTED}/Queue4A7E3555?{PROD}}}"));
        let (name, url) = (name.as_str().unwrap(), url.as_str().unwrap());
        assert!(url.ends_with(&format!("/111122223333/{name}")), "{url} {name}");
        let refusal =
            rig.refusal(&format!("${{cfn:Prod-App/Bucket83908E77/Queue4A7E3555?{PROD}}}"));
        assert!(refusal.text().contains("not a nested stack"), "{}", refusal.text());
        let refusal = rig.refusal(&format!("${{cfn:Prod-App/{NESTED}/Queue?{PROD}}}"));
        assert_eq!(refusal.code(), "REF0005");
        assert!(
            refusal.text().contains(&format!("stack `Prod-App/{NESTED}`")),
            "{}",
            refusal.text()
        );
    }
}

#[test]
fn expressions_have_all_functions() {
    for (rig, told) in worlds("expressions_have_all_functions") {
        let bucket = physical(&told, "Storage", "Bucket83908E77");
        let queue =
            physical(&told, "Storage", "Queue4A7E3555").rsplit('/').next().unwrap().to_owned();
        let name = || of("Storage", "Bucket83908E77", "Ref");
        let arn = || of("Storage", "Queue4A7E3555", "Arn");
        let prod = json!({"$ref": {
            "stack": ["Prod-App", NESTED], "logicalId": "Queue4A7E3555", "attr": "QueueName",
            "account": "111122223333", "region": "eu-west-1",
        }});
        let output = |stack: &str, name: &str| json!({"Fn::GetStackOutput": {"StackName": stack, "OutputName": name}});
        let cases: Vec<(Value, Value)> = vec![
            (name(), json!(bucket)),
            (
                json!({"Fn::Join": ["-", ["pre", name(), "post"]]}),
                json!(format!("pre-{bucket}-post")),
            ),
            (json!({"Fn::Sub": ["x-${A}", {"A": name()}]}), json!(format!("x-{bucket}"))),
            (json!({"Fn::Select": [5, {"Fn::Split": [":", arn()]}]}), json!(queue)),
            (json!({"Fn::Split": [":", {"Fn::Join": ["", ["a:", name()]]}]}), json!(["a", bucket])),
            (json!({"Fn::Base64": "ab"}), json!("YWI=")),
            (json!({"Fn::Cidr": ["10.0.0.0/16", 2, 8]}), json!(["10.0.0.0/24", "10.0.1.0/24"])),
            (
                json!({"Fn::ImportValue": "storage-endpoint"}),
                json!(format!("https://{bucket}.s3.amazonaws.com/x")),
            ),
            (output("Storage", "BucketName"), json!(bucket)),
            (json!({"$output": {"stack": "Storage", "key": "BucketName"}}), json!(bucket)),
            (
                json!({"Fn::Join": ["/", [{"Ref": "AWS::Region"}, name()]]}),
                json!(format!("us-east-1/{bucket}")),
            ),
            (json!({"Fn::Sub": "${AWS::Partition}-${AWS::AccountId}"}), json!("aws-000000000000")),
            (json!({"Fn::Length": {"Fn::Split": [":", arn()]}}), json!(6)),
            (json!({"Fn::ToJsonString": {"b": name()}}), json!(json!({"b": bucket}).to_string())),
            (json!({"b": [name(), 1]}), json!({"b": [bucket, 1]})),
        ];
        let references: Vec<String> = cases.iter().map(|(tree, _)| expression(tree)).collect();
        for ((tree, expected), found) in cases.iter().zip(rig.values(&references)) {
            let found = found.unwrap_or_else(|refusal| panic!("{tree}: {}", refusal.text()));
            assert_eq!(found, *expected, "{tree}");
        }
        let elsewhere = json!({"Fn::GetStackOutput": {
            "StackName": "Told", "OutputName": "Name", "Region": "eu-west-1",
            "RoleArn": "arn:aws:iam::111122223333:role/lookup",
        }});
        let there = ["--account", "111122223333", "--region", "eu-west-1"];
        let template = json!({
            "Resources": {"Queue": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "far"}}},
            "Outputs": {"Name": {"Value": {"Fn::GetAtt": ["Queue", "QueueName"]}}},
        });
        self::told(&rig.try_deploy(&[("Told", &template)], &there));
        assert_eq!(rig.value(&expression(&elsewhere)), "far");
        let nested = rig.value(&expression(&json!({"Fn::Join": ["", [prod, ":", name()]]})));
        assert!(nested.as_str().unwrap().ends_with(&format!(":{bucket}")), "{nested}");
    }
}

#[test]
fn an_expression_that_fails_is_shown_as_what_it_says() {
    for (rig, _) in worlds("an_expression_that_fails_is_shown_as_what_it_says") {
        let cases = [
            (
                json!({"Fn::ImportValue": "storage-endpont"}),
                "REF0016",
                "did you mean `storage-endpoint`?",
            ),
            (
                json!({"Fn::Join": ["", [of("Storag", "Bucket83908E77", "Ref")]]}),
                "REF0002",
                "stack `Storag` does not exist",
            ),
            (json!({"Ref": "Bucket83908E77"}), "REF0011", "names no stack"),
            (json!({"Fn::Select": [9, ["a"]]}), "REF0011", "Fn::Select"),
        ];
        for (tree, code, says) in cases {
            let refusal = rig.refusal(&expression(&tree));
            let said = refusal.text();
            assert_eq!(refusal.code(), code, "{said}");
            assert!(said.contains(says) && !said.contains("${expr:"), "{said}");
        }
    }
}

#[test]
fn a_region_beside_stacks_of_two_regions_is_nobodys() {
    for (rig, _) in worlds("a_region_beside_stacks_of_two_regions_is_nobodys") {
        let here = of("Storage", "Bucket83908E77", "Ref");
        let there = json!({"$ref": {
            "stack": "Prod-App", "account": "111122223333", "region": "eu-west-1", "logicalId": "Bucket83908E77", "attr": "Ref",
        }});
        let region = json!({"Ref": "AWS::Region"});
        let joined = |parts: [&Value; 3]| expression(&json!({"Fn::Join": [" ", parts]}));
        for parts in [[&region, &here, &there], [&there, &region, &here]] {
            let refusal = rig.refusal(&joined(parts));
            let said = refusal.text();
            assert_eq!(refusal.code(), "REF0011", "{said}");
            assert!(said.contains("us-east-1") && said.contains("eu-west-1"), "{said}");
        }
        // Where they agree it is theirs.
        let both = joined([&region, &here, &of("Compute", "Bucket83908E77", "Ref")]);
        assert!(rig.value(&both).as_str().unwrap().starts_with("us-east-1 "));
    }
}
