//! Eight puts on one alias at the same time, four at each replica: one makes the resource, however they fall.

use std::sync::{Arc, Barrier};

use serde_json::{Value, json};

use crate::deployment::{Deployment, Kind, has_postgres};
use crate::http::Connection;
use crate::serve::load::settle;
use crate::serve::{VERSION, reference};
use crate::simulator::Simulator;

const PUTS: usize = 8;
const VPC: &str = "AWS.EC2/VPC";
const SCOPE: &str = "/planes/aws/aws/accounts/000000000000/regions/us-east-1/providers/AWS.EC2/VPC";

#[test]
fn simultaneous_puts_on_one_alias_over_two_replicas_create_once() {
    if !has_postgres("simultaneous_puts_on_one_alias_over_two_replicas_create_once") {
        return;
    }
    let full = std::env::var_os("HANGAR_TEST_FULL").is_some();
    let rounds: usize = if full { 10_000 } else { 150 };
    let simulator = Simulator::start(&[]);
    let deployment = Deployment::start(Kind::Replicas, simulator.url());
    let group = format!("/planes/radius/local/resourceGroups/race?{VERSION}");
    assert_eq!(deployment.client().must("PUT", &group, &json!({})).status, 201);
    let start = Arc::new(Barrier::new(PUTS));
    let racers: Vec<_> = (0..PUTS)
        .map(|racer| {
            let mut client = deployment.servers[racer % 2].client();
            let start = start.clone();
            std::thread::spawn(move || {
                let mut statuses = Vec::with_capacity(rounds);
                for round in 0..rounds {
                    let body = json!({"mapsTo": {"scope": SCOPE}, "properties": {
                        "CidrBlock": "10.0.0.0/16",
                        "Tags": [{"Key": "Name", "Value": format!("a{round}")}],
                    }});
                    let path = reference("race", VPC, &format!("a{round}"));
                    start.wait();
                    let prefer = [("prefer", "respond-async")];
                    let answer = client.call("PUT", &path, &prefer, &body).unwrap();
                    assert!(matches!(answer.status, 200 | 201 | 409), "{:?}", answer.body);
                    statuses.push(answer.status);
                }
                statuses
            })
        })
        .collect();
    let statuses: Vec<Vec<u16>> = racers.into_iter().map(|racer| racer.join().unwrap()).collect();
    for round in 0..rounds {
        let created = statuses.iter().filter(|racer| racer[round] == 201).count();
        assert_eq!(created, 1, "round {round}: {created} were told that theirs is new");
    }
    settle(&mut deployment.client());
    let mut connection = Connection::open(simulator.address()).unwrap();
    let counters = connection.control("GET", "counters", &Value::Null).unwrap().body;
    assert_eq!(counters["byOperation"]["CreateResource"], rounds);
    let found = connection.control("GET", "resources?limit=100000", &Value::Null).unwrap().body;
    assert_eq!(found["resources"].as_array().unwrap().len(), rounds);
    let refused = statuses.iter().flatten().filter(|status| **status == 409).count();
    println!(
        "counted: {rounds} rounds of {PUTS} puts at once over two replicas: {rounds} creates, {refused} told \
         409"
    );
}
