//! One budget for both replicas: the simulator's log shows that they keep to it together.

use serde_json::{Value, json};

use crate::deployment::{Deployment, Kind, has_postgres};
use crate::http::Connection;
use crate::serve::load::settle;
use crate::serve::{VERSION, reference};
use crate::simulator::Simulator;

const VPC: &str = "AWS.EC2/VPC";
const SCOPE: &str = "/planes/aws/aws/accounts/000000000000/regions/us-east-1/providers/AWS.EC2/VPC";

#[test]
fn two_replicas_keep_to_one_budget() {
    if !has_postgres("two_replicas_keep_to_one_budget") {
        return;
    }
    let full = std::env::var_os("HANGAR_TEST_FULL").is_some();
    // At 25 calls a second 500 operations take a minute.
    let operations = if full { 500 } else { 120 };
    let simulator = Simulator::start(&["--latency", "200ms..1s"]);
    let deployment = Deployment::start_with(Kind::Replicas, simulator.url(), &["--aws-rate", "25"]);
    let group = format!("/planes/radius/local/resourceGroups/team?{VERSION}");
    assert_eq!(deployment.client().must("PUT", &group, &json!({})).status, 201);
    for number in 0..operations {
        let body = json!({"mapsTo": {"scope": SCOPE}, "properties": {"CidrBlock": "10.0.0.0/16"}});
        let path = reference("team", VPC, &format!("a{number}"));
        let mut client = deployment.servers[number % 2].client();
        let answer = client.call("PUT", &path, &[("prefer", "respond-async")], &body).unwrap();
        assert_eq!(answer.status, 201, "{:?}", answer.body);
    }
    settle(&mut deployment.client());
    let mut connection = Connection::open(simulator.address()).unwrap();
    let found = connection.control("GET", "resources?limit=100000", &Value::Null).unwrap().body;
    assert_eq!(found["resources"].as_array().unwrap().len(), operations);
    let log = connection.control("GET", "calls?after=0&limit=10000", &Value::Null).unwrap().body;
    let calls = log["calls"].as_array().unwrap();
    assert_eq!(log["made"], calls.len(), "the log is whole");
    let at = |call: &Value| call["at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    let arrivals: Vec<i64> = calls.iter().map(|call| at(call).as_millisecond()).collect();
    let busiest = |span: i64| {
        let within =
            |from: &i64| arrivals.iter().filter(|at| (*from..*from + span).contains(*at)).count();
        arrivals.iter().map(within).max().unwrap_or(0)
    };
    let (second, ten) = (busiest(1000), busiest(10_000));
    println!(
        "counted: {operations} operations by two replicas at 25 calls a second: {} calls, at most {second} in a \
         second and {ten} in ten",
        calls.len()
    );
    assert!(second <= 35, "{second} calls in a second");
    assert!(ten <= 260, "{ten} calls in ten seconds");
}
