//! A template is deployed, and the server dies at every call of AWS that this makes, and at calls of the store.

#[cfg(debug_assertions)]
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{GROUP, SCOPE, Scenario, VPC, World, sweep};
#[cfg(debug_assertions)]
use super::{send, until};
#[cfg(debug_assertions)]
use crate::serve::Server;
use crate::serve::VERSION;

#[test]
fn a_deployment_ends_with_one_of_each_and_nothing_left_to_do_whenever_it_is_killed() {
    sweep(&DEPLOY);
}

/// The writes of the store that a run and its parts make, and so many of each at the least.
#[cfg(debug_assertions)]
const WRITES: [(&str, u64); 3] =
    [("operation_reserve", 4), ("operation_claim", 4), ("operation_commit", 8)];

#[test]
#[cfg(debug_assertions)]
fn a_deployment_whose_server_dies_at_a_write_of_the_store_ends_with_one_of_each() {
    let full = std::env::var_os("HANGAR_TEST_FULL").is_some();
    let mut deaths = 0;
    for (call, least) in WRITES {
        for nth in 1.. {
            // The first ones are the run's own, those of its parts come after.
            if !full && nth > least {
                break;
            }
            // In a short run it dies before every other one, and after those between.
            let sides = ["before", "after"].into_iter().zip([1, 0]);
            let sides = sides.filter(|(_, odd)| full || nth % 2 == *odd);
            let died =
                sides.filter(|(side, _)| dies_at(&format!("store.{call}.{side}.{nth}"))).count();
            assert!(nth > least || died > 0, "{call} was made fewer than {nth} times");
            if died == 0 {
                break;
            }
            deaths += died;
        }
    }
    println!("counted: deploy: died at its writes of the store, {deaths} deaths, no complaint");
}

/// Whether the server came to where it dies before the run had ended.
#[cfg(debug_assertions)]
fn dies_at(place: &str) -> bool {
    let mut world = World::start();
    world.server.kill();
    world.server = Server::start_to_die(world.folder.path(), world.simulator.url(), place);
    let sent = send(&world, &DEPLOY);
    let mut died = false;
    let patience = Instant::now() + Duration::from_mins(1);
    loop {
        died |= world.server.has_ended();
        let state = world.server.client().call("GET", &deployment(), &[], &Value::Null);
        let state = state.map(|it| it.body["properties"]["provisioningState"] == "Succeeded");
        if died || matches!(state, Ok(true)) {
            break;
        }
        assert!(
            Instant::now() < patience,
            "{place}: neither dead nor done\n{}",
            world.server.said()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    sent.join().unwrap();
    // It may have come there after the end, which is as good.
    world.restart();
    send(&world, &DEPLOY).join().unwrap();
    until("stuck", &world, || world.running() == 0);
    let complaints = deployed(&world);
    let said = world.server.said();
    assert!(complaints.is_empty(), "{place}: {complaints:#?}\n{said}");
    died
}

const DEPLOY: Scenario = Scenario {
    name: "deploy",
    prepare: |_| {},
    begin: || ("PUT", deployment(), template()),
    complaints: deployed,
};

fn deployment() -> String {
    format!("{GROUP}/providers/Microsoft.Resources/deployments/app?{VERSION}")
}

fn template() -> Value {
    let text = "extension aws
resource net 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: { CidrBlock: '10.0.0.0/16' }
}
resource part 'AWS.EC2/Subnet@default' = {
  alias: 'part'
  properties: { VpcId: net.properties.VpcId, CidrBlock: '10.0.1.0/24' }
}
resource logs 'AWS.S3/Bucket@default' = {
  alias: 'logs'
  properties: { BucketName: 'logs-of-net' }
}
output where string = part.properties.SubnetId
";
    json!({"properties": {"sources": {"main.bicep": text}, "entry": "main.bicep",
                          "providerConfig": {"aws": {"value": {"scope": SCOPE}}}}})
}

/// There is one of each resource, which its alias and its row name; and the same again writes nothing.
fn deployed(world: &World) -> Vec<String> {
    let mut complaints = Vec::new();
    let (_, first) = world.call("GET", &deployment(), &Value::Null);
    let writes = world.writes();
    let (status, again) = world.call("PUT", &deployment(), &template());
    let written = world.writes() - writes;
    if status != 200 || written > 0 {
        complaints.push(format!("again: {status}, {written} writes, {again}"));
    }
    let mut subnet = Value::Null;
    for (type_name, alias, cloud_name) in [
        (VPC, "net", "AWS::EC2::VPC"),
        ("AWS.EC2/Subnet", "part", "AWS::EC2::Subnet"),
        ("AWS.S3/Bucket", "logs", "AWS::S3::Bucket"),
    ] {
        let found = world.existing(cloud_name);
        let (_, shown) = world.show(type_name, alias);
        let identifier = &shown["mapsTo"]["primaryIdentifier"];
        let is_one = matches!(&found[..], [(one, _)] if identifier == one);
        // Cut short and begun again, the second one has created it; any later one finds it.
        let actions = [(&first, "created"), (&again, "unchanged")];
        let is_told = actions.iter().all(|(run, action)| {
            let mut rows = run["properties"]["resources"].as_array().into_iter().flatten();
            rows.any(|row| {
                row["alias"] == alias
                    && row["action"] == *action
                    && row["identifier"] == *identifier
            })
        });
        if !is_one || !is_told || shown["state"] != "ready" {
            complaints.push(format!("AWS has {found:?}; {shown}"));
        }
        if alias == "part" {
            subnet = identifier.clone();
        }
    }
    for run in [&first, &again] {
        let properties = &run["properties"];
        let (state, output) =
            (&properties["provisioningState"], &properties["outputs"]["where"]["value"]);
        if state != "Succeeded" || *output != subnet {
            complaints.push(format!("the deployment is {run:#}"));
        }
    }
    complaints
}
