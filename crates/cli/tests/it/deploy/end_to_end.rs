//! The whole way: the real binary, its control plane and a simulator over HTTP.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::http::Connection;
use crate::place::Running;
use crate::world::{Host, World, hosts};

const TEMPLATE: &str = "extension aws

param dns bool = false
param zones array = ['us-east-1a', 'us-east-1b']

resource vpc 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: {
    CidrBlock: '10.0.0.0/16'
    EnableDnsHostnames: dns
  }
}

resource subnets 'AWS.EC2/Subnet@default' = [for (zone, i) in zones: {
  alias: 'net-${zone}'
  properties: {
    VpcId: vpc.properties.VpcId
    CidrBlock: cidrSubnet('10.0.0.0/16', 24, i)
    AvailabilityZone: zone
  }
}]

output vpcId string = vpc.properties.VpcId
output subnetIds array = [for (zone, i) in zones: subnets[i].properties.SubnetId]
";

fn world(host: Host, simulator: &[&str]) -> World {
    let world = World::with(host, simulator);
    write(&world, "app.bicep", TEMPLATE);
    world
}

fn write(world: &World, name: &str, text: &str) {
    fs::write(world.place.path().join(name), text).unwrap();
}

/// The verbs of all writes that AWS was asked for, sorted.
fn writes(world: &World) -> Vec<String> {
    let mut connection = Connection::open(world.simulator.address()).unwrap();
    let answer = connection.call("ListResourceRequests", &json!({"MaxResults": 100})).unwrap();
    let all = answer.body["ResourceRequestStatusSummaries"].as_array().unwrap().iter();
    let mut verbs: Vec<String> =
        all.map(|request| request["Operation"].as_str().unwrap().to_owned()).collect();
    verbs.sort_unstable();
    verbs
}

/// The lines of JSON that a deployment prints.
fn events(world: &World, arguments: &[&str]) -> Vec<Value> {
    let text = world.stdout(&[arguments, &["-o", "json"]].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_first_run_creates_the_second_writes_nothing_and_a_change_is_one_update() {
    for host in hosts("the_first_run_creates_the_second_writes_nothing_and_a_change_is_one_update")
    {
        let world = world(host, &[]);
        let told = world.stdout(&["deploy", "app.bicep"]);
        assert!(told.contains("app: 3 created in "), "{host:?}: {told}");
        let vpc = world.existing("AWS::EC2::VPC");
        assert!(told.contains(&format!("  vpcId      {}\n", vpc[0])), "{host:?}: {told}");
        assert_eq!(writes(&world), ["CREATE"; 3], "{host:?}");
        let told = world.stdout(&["deploy", "app.bicep"]);
        assert!(told.contains("app: no changes (3 unchanged) in "), "{host:?}: {told}");
        assert_eq!(writes(&world).len(), 3, "{host:?}");
        let told = world.stdout(&["deploy", "app.bicep", "-p", "dns=true"]);
        assert!(told.contains("app: 1 updated, 2 unchanged in "), "{host:?}: {told}");
        assert_eq!(writes(&world), ["CREATE", "CREATE", "CREATE", "UPDATE"], "{host:?}");
        assert_eq!(world.live("AWS::EC2::VPC", &vpc[0])["EnableDnsHostnames"], true);
    }
}

#[test]
fn modules_are_deployed_with_their_template_and_moving_resources_into_one_changes_nothing() {
    for host in hosts(
        "modules_are_deployed_with_their_template_and_moving_resources_into_one_changes_nothing",
    ) {
        let world = world(host, &[]);
        world.stdout(&["deploy", "app.bicep"]);
        let module = TEMPLATE.replace("['us-east-1a', 'us-east-1b']", "[]");
        fs::create_dir(world.place.path().join("parts")).unwrap();
        write(&world, "parts/net.bicep", &module);
        let main = "param dns bool = false
module net 'parts/net.bicep' = {
  params: { dns: dns, zones: ['us-east-1a', 'us-east-1b'] }
}
output vpcId string = net.outputs.vpcId
";
        write(&world, "app.bicep", main);
        let told = world.stdout(&["deploy", "app.bicep"]);
        assert!(told.contains("app: no changes (3 unchanged) in "), "{host:?}: {told}");
        let told = world.stdout(&["deploy", "app.bicep", "-p", "dns=true"]);
        assert!(told.contains("app: 1 updated, 2 unchanged in "), "{host:?}: {told}");
        let shown = world.json(&["deployment", "show", "app"]);
        let rows = shown["properties"]["resources"].as_array().unwrap().iter();
        let addresses: Vec<&str> = rows.map(|row| row["address"].as_str().unwrap()).collect();
        assert_eq!(addresses, ["net/vpc", "net/subnets[0]", "net/subnets[1]"], "{host:?}");
    }
}

#[test]
fn a_plan_is_what_the_next_run_does() {
    let world = world(Host::Server, &[]);
    let plan = |more: &[&str]| {
        let output = world.run(&[&["plan", "app.bicep"][..], more].concat());
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, told) = plan(&[]);
    assert_eq!(code, 2, "{told}");
    assert!(
        told.contains("plan: 3 to create\n") && told.contains("/VpcId: (known after vpc)"),
        "{told}"
    );
    assert!(!world.stdout(&["group", "list"]).contains("default"), "a plan makes no group");
    world.stdout(&["deploy", "app.bicep"]);
    let (code, told) = plan(&[]);
    assert_eq!((code, told.contains("plan: no changes (3 unchanged)\n")), (0, true), "{told}");
    let (code, told) =
        plan(&["-p", "dns=true", "-p", "zones=[\"us-east-1a\", \"us-east-1b\", \"us-east-1c\"]"]);
    assert_eq!(code, 2, "{told}");
    assert!(told.contains("plan: 1 to create, 1 to update, 2 unchanged\n"), "{told}");
    assert!(told.contains("~ /EnableDnsHostnames: false → true"), "{told}");
    assert_eq!(writes(&world).len(), 3);
}

#[test]
fn for_programs_a_run_is_a_stream_of_events_with_the_deployment_at_its_end() {
    let world = world(Host::Server, &[]);
    let lines = events(&world, &["deploy", "app.bicep", "-g", "team", "--create-group"]);
    assert_eq!(lines[0]["event"], "started");
    let ended = lines.iter().filter(|line| line["resource"]["state"] == "Succeeded");
    let mut addresses: Vec<&str> =
        ended.map(|line| line["resource"]["address"].as_str().unwrap()).collect();
    addresses.sort_unstable();
    assert_eq!(addresses, ["subnets[0]", "subnets[1]", "vpc"]);
    let [.., finished, last] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!(
        (&finished["event"], &finished["counts"]),
        (&json!("finished"), &json!({"created": 3}))
    );
    assert_eq!(last["properties"]["provisioningState"], "Succeeded");
    assert_eq!(last["properties"]["outputs"]["vpcId"]["type"], "string");
    let shown = world.json(&["deployment", "show", "app", "-g", "team"]);
    assert_eq!(shown["properties"]["outputs"], last["properties"]["outputs"]);
    assert_eq!(world.json(&["deployment", "list", "-g", "team"])[0]["name"], "app");
}

#[test]
fn what_aws_refuses_is_told_at_its_place_and_the_next_run_goes_on_from_there() {
    let world = world(Host::Server, &[]);
    world.fault(
        &json!({"operation": "CreateResource", "type": "AWS::EC2::Subnet", "effect": "exception",
                        "exception": "InvalidRequestException", "message": "no room"}),
    );
    let said = world.refused(&["deploy", "app.bicep"]);
    assert!(said.contains("error[API0013]: cannot deploy `app`: subnets["), "{said}");
    assert!(said.contains("no room") && said.contains("--> app.bicep:14:10"), "{said}");
    let told = world.stdout(&["deploy", "app.bicep"]);
    assert!(told.contains("app: 1 created, 2 unchanged in "), "{told}");
    assert_eq!(world.existing("AWS::EC2::Subnet").len(), 2);
}

#[test]
fn what_only_a_new_resource_can_have_needs_replace_and_a_yes() {
    let world = world(Host::Server, &[]);
    world.stdout(&["deploy", "app.bicep"]);
    write(
        &world,
        "app.bicep",
        &TEMPLATE.replace("10.0.0.0/16'\n    Enable", "10.1.0.0/16'\n    Enable"),
    );
    let said = world.refused(&["deploy", "app.bicep"]);
    assert!(said.contains("(ReplaceRequired)") && said.contains("deploy with --replace"), "{said}");
    assert!(
        said.contains("--> app.bicep:9:16") && said.contains("only be set at creation"),
        "{said}"
    );
    let said = world.refused(&["deploy", "app.bicep", "--replace"]);
    assert!(said.contains("error[CLI0012]: deploying `app` may replace resources"), "{said}");
    let told = world.stdout(&["deploy", "app.bicep", "--replace", "--yes"]);
    assert!(told.contains("3 replaced"), "{told}");
    assert_eq!(world.existing("AWS::EC2::VPC").len(), 1);
}

#[test]
fn a_run_that_is_killed_goes_on_with_the_next_command_and_nothing_is_made_twice() {
    let world = world(Host::Command, &["--latency", "1s"]);
    let mut deploy = Running::start(&mut world.place.command(&["deploy", "app.bicep"]));
    deploy.until("vpc");
    deploy.signal("-KILL");
    deploy.end();
    let output = world.run(&["deploy", "app.bicep"]);
    let (told, said) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert!(said.contains("a run of `app` is in progress (operation "), "{said}");
    assert!(told.contains("app: no changes (3 unchanged) in "), "{told}");
    assert_eq!(world.existing("AWS::EC2::VPC").len(), 1);
    assert_eq!(world.existing("AWS::EC2::Subnet").len(), 2);
    assert_eq!(writes(&world), ["CREATE"; 3]);
}

#[test]
fn ctrl_c_begins_nothing_new_and_waits_for_what_was_sent() {
    let world = world(Host::Command, &["--latency", "2s"]);
    let mut deploy = Running::start(&mut world.place.command(&["deploy", "app.bicep"]));
    deploy.until("vpc");
    deploy.signal("-INT");
    let (code, said) = deploy.end();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("note: canceling: no new changes are started"), "{said}");
    assert!(said.contains("error[API0007]: deployment `app` was canceled"), "{said}");
    assert_eq!(world.existing("AWS::EC2::VPC").len(), 1);
    assert!(world.existing("AWS::EC2::Subnet").is_empty());
    let shown = world.json(&["deployment", "show", "app"]);
    assert_eq!(shown["properties"]["provisioningState"], "Canceled");
    let told = world.stdout(&["deploy", "app.bicep"]);
    assert!(told.contains("app: 2 created, 1 unchanged in "), "{told}");
}

#[test]
fn every_example_deploys_twice_and_writes_nothing_the_second_time() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let world = World::of(Host::Server);
    let more: [(&str, &[&str]); 3] =
        [("network", &[]), ("service", &[]), ("database", &["-p", "password=not-a-real-one"])];
    for (name, more) in more {
        let file = examples.join(name).join("main.bicep");
        let deploy = [&["deploy", file.to_str().unwrap(), "--name", name][..], more].concat();
        let told = world.stdout(&deploy);
        assert!(told.contains(" created in ") && !told.contains("!   "), "{name}: {told}");
        assert!(!told.contains("not-a-real-one"), "{told}");
        let before = writes(&world).len();
        let told = world.stdout(&deploy);
        assert!(told.contains(": no changes ("), "{name}: {told}");
        assert_eq!(writes(&world).len(), before, "{name}");
    }
}

#[test]
fn every_file_can_name_a_deployment() {
    let world = world(Host::Command, &[]);
    write(&world, "we ird'é.bicep", TEMPLATE);
    world.stdout(&["deploy", "we ird'é.bicep"]);
    assert_eq!(world.json(&["deployment", "list"])[0]["name"], "we-ird-é");
    let said = world.refused(&["deploy", "we ird'é.bicep", "--name", "a b"]);
    assert!(said.contains("(InvalidDeploymentName)\n") && said.contains("--name NAME"), "{said}");
}
