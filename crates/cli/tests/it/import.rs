//! `hangar resource import` and `discover`: what exists is taken in, one by one or all at once.

use std::fs;

use serde_json::{Value, json};

use crate::place::{Running, put};
use crate::world::World;

const VPC: &str = "AWS.EC2/VPC";
const AWS_VPC: &str = "AWS::EC2::VPC";

fn vpc(world: &World) -> String {
    world.make(AWS_VPC, &json!({"CidrBlock": "10.0.0.0/16"}))
}

#[test]
fn what_aws_does_not_have_cannot_be_imported() {
    let world = World::new();
    let import = ["resource", "import", VPC, "vpc-0000", "--alias", "net"];
    let said = world.refused(&import);
    assert!(said.contains("cannot import AWS.EC2/VPC `net`: "), "{said}");
    assert!(said.contains("vpc-0000"), "{said}");
    assert!(said.contains("`hangar resource discover TYPE`"), "{said}");
    assert_eq!(world.error(&import)["cause"]["code"], "ResourceNotFound");
    assert_eq!(world.stdout(&["resource", "list"]), "no resources in group default\n");
}

#[test]
fn an_alias_that_is_taken_is_not_given_to_another() {
    let world = World::new();
    let (one, other) = (vpc(&world), vpc(&world));
    world.stdout(&["resource", "import", VPC, &one, "--alias", "net"]);
    let import = ["resource", "import", VPC, &other, "--alias", "net"];
    let said = world.refused(&import);
    assert!(said.contains(&format!("already maps to {one} (AliasMapped)")), "{said}");
    assert!(said.contains("`hangar resource detach AWS.EC2/VPC net`"), "{said}");
    assert_eq!(world.shown(VPC, "net")["mapsTo"]["primaryIdentifier"], *one);
}

#[test]
fn a_resource_that_an_alias_stands_for_gets_no_second_one() {
    let world = World::new();
    world.stdout(&["group", "create", "prod"]);
    let one = vpc(&world);
    world.stdout(&["resource", "import", VPC, &one, "--alias", "net", "-g", "prod"]);
    let said = world.refused(&["resource", "import", VPC, &one, "--alias", "other"]);
    assert!(said.contains("(ResourceMapped)"), "{said}");
    assert!(said.contains("`hangar resource rename AWS.EC2/VPC net -g prod NEW`"), "{said}");
}

#[test]
fn the_same_import_again_changes_nothing_and_may_take_ownership() {
    let world = World::new();
    let one = vpc(&world);
    let import = ["resource", "import", VPC, &one, "--alias", "net"];
    assert!(world.stdout(&import).starts_with("imported "));
    assert!(world.stdout(&import).starts_with("unchanged "));
    assert_eq!(world.shown(VPC, "net")["ownedResource"], false);
    world.stdout(&[&import[..], &["--owned"]].concat());
    assert_eq!(world.shown(VPC, "net")["ownedResource"], true);
    world.stdout(&["resource", "delete", VPC, "net", "--yes"]);
    assert_eq!(world.existing(AWS_VPC).len(), 0);
}

#[test]
fn properties_are_applied_after_the_import() {
    let world = World::new();
    let one = vpc(&world);
    let import = ["resource", "import", VPC, &one, "--alias", "net"];
    let applied = ["--properties", "CidrBlock=10.0.0.0/16", "EnableDnsHostnames=true"];
    world.stdout(&[&import[..], &applied].concat());
    assert_eq!(world.live(AWS_VPC, &one)["EnableDnsHostnames"], true);
    fs::write(world.place.path().join("p.json"), r#"{"EnableDnsHostnames": false}"#).unwrap();
    world.stdout(&[&import[..], &["--from", "p.json"]].concat());
    assert_eq!(world.live(AWS_VPC, &one)["EnableDnsHostnames"], false);
}

#[test]
fn an_identifier_is_taken_in_every_form() {
    let world = World::new();
    let api = world.make("AWS::ApiGateway::RestApi", &json!({"Name": "api"}));
    let stage = json!({"RestApiId": api, "StageName": "prod"});
    assert_eq!(world.make("AWS::ApiGateway::Stage", &stage), format!("{api}|prod"));
    for (alias, text) in [
        ("joined", format!("{api}|prod")),
        ("fields", format!("StageName=prod,RestApiId={api}")),
        ("object", stage.to_string()),
    ] {
        let import = ["resource", "import", "AWS.ApiGateway/Stage", &text, "--alias", alias];
        let imported = world.stdout(&import);
        assert!(imported.ends_with(&format!(": {api}|prod\n")), "{imported}");
        world.stdout(&["resource", "detach", "AWS.ApiGateway/Stage", alias]);
    }
    let said = world.refused(&["resource", "import", "AWS.ApiGateway/Stage", "x", "--alias", "s"]);
    assert!(said.contains("`RestApiId|StageName`"), "{said}");

    let one = vpc(&world);
    let arn = format!("arn:aws:ec2:us-east-1:000000000000:vpc/{one}");
    let imported = world.stdout(&["resource", "import", VPC, &arn, "--alias", "net"]);
    assert_eq!(imported, format!("imported AWS.EC2/VPC `net`: {one}\n"));
}

#[test]
fn another_name_than_the_primary_one_finds_the_resource() {
    let world = World::new();
    let app = world.make("AWS::AppConfig::Application", &json!({"Name": "shop"}));
    let import =
        ["resource", "import", "AWS.AppConfig/Application", "Name=shop", "--alias", "shop"];
    let imported = world.stdout(&import);
    assert_eq!(imported, format!("imported AWS.AppConfig/Application `shop`: {app}\n"));
    let other = ["resource", "import", "AWS.AppConfig/Application", "Name=none", "--alias", "none"];
    assert_eq!(world.error(&other)["cause"]["code"], "ResourceNotFound");
    let list =
        json!([{"type": "AWS.AppConfig/Application", "identifier": "Name=shop", "alias": "shop"}]);
    fs::write(world.place.path().join("list.json"), list.to_string()).unwrap();
    let again = world.stdout(&["resource", "import", "--from", "list.json"]);
    assert_eq!(again, format!("unchanged AWS.AppConfig/Application `shop`: {app}\n"));
}

#[test]
fn what_is_discovered_is_imported_and_then_nothing_is_left() {
    let world = World::new();
    let named = json!({"CidrBlock": "10.1.0.0/16", "Tags": [{"Key": "Name", "Value": "main net"}]});
    let (plain, named) = (vpc(&world), world.make(AWS_VPC, &named));
    world.make("AWS::S3::Bucket", &json!({"BucketName": "logs"}));
    world.put(VPC, "ours", &["CidrBlock=10.2.0.0/16"]);
    let types = [VPC, "AWS.S3/Bucket"];
    let discover = [&["resource", "discover"][..], &types].concat();

    let found = world.json(&discover);
    let rows: Vec<(&str, &str)> = found["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["identifier"].as_str().unwrap(), it["alias"].as_str().unwrap()))
        .collect();
    let mut expected = [(plain.as_str(), plain.as_str()), (&named, "main-net")];
    expected.sort_unstable();
    assert_eq!(rows, [&expected[..], &[("logs", "logs")]].concat());
    let table = world.stdout(&discover);
    assert!(table.starts_with("TYPE") && table.contains("main-net"), "{table}");
    let all = world.stdout(&[&discover[..], &["--mapped"]].concat());
    assert!(all.lines().any(|line| line.contains("ours") && line.ends_with("default")), "{all}");

    fs::write(world.place.path().join("found.json"), found.to_string()).unwrap();
    let import = ["resource", "import", "--from", "found.json"];
    let dry = world.stdout(&[&import[..], &["--dry-run"]].concat());
    assert_eq!(dry.lines().filter(|line| line.starts_with("would import ")).count(), 3, "{dry}");
    assert_eq!(world.json(&["resource", "list"]).as_array().unwrap().len(), 1);

    let told = world.stdout(&import);
    assert_eq!(told.lines().filter(|line| line.starts_with("imported ")).count(), 3, "{told}");
    let again = world.stdout(&import);
    assert_eq!(again.lines().filter(|line| line.starts_with("unchanged ")).count(), 3, "{again}");
    assert_eq!(world.json(&discover)["resources"], json!([]));
    let none = world.stdout(&discover);
    assert_eq!(
        none,
        "no resources without an alias in account 000000000000, us-east-1; 4 resources have an alias\n"
    );
    assert_eq!(world.shown(VPC, "main-net")["ownedResource"], false);
}

#[test]
fn one_import_that_fails_does_not_stop_the_others() {
    let world = World::new();
    let (one, other) = (vpc(&world), vpc(&world));
    let list = json!([
        {"type": VPC, "identifier": one, "alias": "one"},
        {"type": VPC, "identifier": "vpc-none", "alias": "none"},
        {"type": VPC, "identifier": one, "alias": "twin"},
        {"type": VPC, "identifier": other, "alias": "other", "owned": true},
    ]);
    fs::write(world.place.path().join("list.json"), list.to_string()).unwrap();
    let import = ["resource", "import", "--from", "list.json"];
    let output = world.run(&import);
    let (told, said) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(told.lines().count(), 4, "{told}");
    assert!(told.contains("failed AWS.EC2/VPC `none`: vpc-none: "), "{told}");
    assert!(said.contains("error[CLI0020]: 2 of 4 resources were not imported"), "{said}");
    assert!(said.contains("note: 2 imported, 2 failed"), "{said}");
    let owned = |alias: &str| world.shown(VPC, alias)["ownedResource"].clone();
    let mapped =
        if world.run(&["resource", "show", VPC, "one"]).status.success() { "one" } else { "twin" };
    assert_eq!((owned(mapped), owned("other")), (json!(false), json!(true)));

    let output = world.run(&[&import[..], &["-o", "json"]].concat());
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let outcomes: Vec<_> = told.as_array().unwrap().iter().map(|it| &it["outcome"]).collect();
    assert_eq!((outcomes[1], outcomes[3]), (&json!("failed"), &json!("noop")));
    assert_eq!(told[1]["error"]["code"], "ResourceNotFound");
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["error"]["code"], "CLI0020");
}

#[test]
fn every_type_that_can_be_listed_is_looked_at_and_the_others_are_counted() {
    let world = World::new();
    vpc(&world);
    world.fault(
        &json!({"operation": "ListResources", "type": "AWS::S3::Bucket", "effect": "exception",
                        "exception": "InvalidRequestException", "message": "not today"}),
    );
    let output = world.run(&["resource", "discover", "--all"]);
    let (told, said) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{said}");
    assert_eq!(told.lines().count(), 2, "{told}");
    assert!(said.contains("warning[CLI0022]: cannot list AWS.S3/Bucket: not today"), "{said}");
    assert!(said.contains(" types can only be listed below a parent"), "{said}");
    assert!(said.contains("listing types: "), "{said}");
}

#[test]
fn a_type_below_a_parent_is_listed_with_it() {
    let world = World::new();
    let api = world.make("AWS::ApiGateway::RestApi", &json!({"Name": "api"}));
    world.make("AWS::ApiGateway::Stage", &json!({"RestApiId": api, "StageName": "prod"}));
    let discover = ["resource", "discover", "AWS.ApiGateway/Stage"];
    let said = world.refused(&discover);
    assert!(said.contains("--parent RestApiId=…"), "{said}");
    let parent = format!("RestApiId={api}");
    let found = world.json(&[&discover[..], &["--parent", &parent]].concat());
    assert_eq!(found["resources"][0]["identifier"], format!("{api}|prod"));
}

#[test]
fn what_is_listed_through_another_command_goes_on_when_that_one_ends() {
    let world = World::new();
    vpc(&world);
    // It runs the control plane for both, and ends first.
    let put = put("net", &[]);
    world.fault(&json!({"operation": "CreateResource", "effect": "delay", "millis": 1500}));
    let mut host = Running::start(&mut world.place.command(&put));
    host.until("create sent");
    let guest = Running::start(&mut world.place.command(&["resource", "discover", "--all"]));
    let (code, said) = host.end();
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = guest.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1305 of 1305") || said.contains("note: 381 types"), "{said}");
}
