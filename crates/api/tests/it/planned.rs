//! A plan that is applied: what `whatIf` answered is sent along, and the run does that or nothing.

use serde_json::{Value, json};

use crate::server::{GROUP, Reply, Server, VERSION};

const WAIT: (&str, &str) = ("prefer", "wait=30");

const NET: &str = "extension aws
param dns bool = true
resource net 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: { CidrBlock: '10.0.0.0/16', EnableDnsSupport: dns }
}
output vpcId string = net.properties.VpcId
";

fn url(word: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Resources/deployments/app{word}?{VERSION}")
}

fn body(dns: bool) -> Value {
    json!({"properties": {"sources": {"main.bicep": NET}, "entry": "main.bicep",
        "parameters": {"dns": {"value": dns}}}})
}

async fn plan(server: &Server, dns: bool) -> Value {
    let looked = server.call_with("POST", &url("/whatIf"), body(dns), &[WAIT]).await.ok(200);
    let properties = &looked["properties"];
    json!({"seal": properties["seal"], "changes": properties["changes"]})
}

async fn apply(server: &Server, dns: bool, plan: &Value) -> Reply {
    let mut body = body(dns);
    body["properties"]["plan"] = plan.clone();
    server.call_with("PUT", &url(""), body, &[WAIT]).await
}

#[tokio::test]
async fn a_plan_is_applied_or_refused_with_each_difference_and_the_last_good_state_stays() {
    let server = Server::start().await;
    let first = plan(&server, true).await;
    apply(&server, true, &first).await.ok(201);
    assert_eq!(server.writes().await, 1);
    let good = server.get(&url("")).await.ok(200);

    let refused = apply(&server, false, &first).await;
    assert_eq!(refused.refused(409), "PlanMoved");
    let error = refused.json()["error"].clone();
    assert_eq!(error["details"][0]["target"], "net");
    let message = error["details"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("planned: create; now: update"), "{message}");
    assert_eq!(server.writes().await, 1);

    let shown = server.get(&url("")).await.ok(200);
    assert_eq!(shown["properties"]["provisioningState"], "Failed");
    assert_eq!(shown["properties"]["error"], error);
    for kept in ["outputs", "resources", "managedResources", "outputResources"] {
        assert_eq!(shown["properties"][kept], good["properties"][kept], "{kept}");
    }
    assert_ne!(shown["properties"]["operation"], good["properties"]["operation"]);
}

#[tokio::test]
async fn a_plan_that_is_none_and_a_look_at_a_plan_are_refused() {
    let server = Server::start().await;
    let plan = plan(&server, true).await;
    let mut looked = body(true);
    looked["properties"]["plan"] = plan.clone();
    let reply = server.call_with("POST", &url("/whatIf"), looked, &[WAIT]).await;
    assert_eq!(reply.refused(400), "InvalidRequestContent");
    for odd in [json!([]), json!({}), json!({"changes": [1]}), json!({"seal": "s"})] {
        assert_eq!(apply(&server, true, &odd).await.refused(400), "InvalidRequestContent");
    }
    // A seal that nobody made is of nothing, whatever it looks like.
    for seal in ["", "x", ":", "00000000:00"] {
        let forged = json!({"seal": seal, "changes": plan["changes"]});
        assert_eq!(apply(&server, true, &forged).await.refused(409), "PlanMoved", "{seal}");
    }
    assert_eq!(server.writes().await, 0);
}
