//! What a run would do, as callers are told it: by property, with causes, places and parts; and what it then does.

use serde_json::{Value, json};

use crate::server::{GROUP, Reply, Server, VERSION, alias};

const WAIT: (&str, &str) = ("prefer", "wait=30");

const MAIN: &str = "extension aws
param dns bool = true
param tags array = []
@secure()
param note string = 'canary-1'
module net 'net.bicep' = {
  name: 'net'
  params: { dns: dns, tags: tags }
}
resource kept 'AWS.SecretsManager/Secret@default' = {
  alias: 'kept'
  properties: {
    Name: 'kept'
    Description: note
  }
}
output vpcId string = net.outputs.vpcId
output dns bool = dns
@secure()
output note string = note
";

const NET: &str = "extension aws
param dns bool
param tags array
resource vpc 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: {
    CidrBlock: '10.0.0.0/16'
    EnableDnsSupport: dns
    Tags: tags
  }
}
output vpcId string = vpc.properties.VpcId
";

fn path(action: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Resources/deployments/app{action}?{VERSION}")
}

fn body(parameters: &[(&str, Value)]) -> Value {
    let parameters = parameters.iter().map(|(name, value)| (*name, json!({ "value": value })));
    let parameters: serde_json::Map<String, Value> =
        parameters.map(|(name, value)| (name.to_owned(), value)).collect();
    json!({"properties": {"sources": {"main.bicep": MAIN, "net.bicep": NET}, "entry": "main.bicep",
                          "parameters": parameters}})
}

async fn look(server: &Server, parameters: &[(&str, Value)]) -> Value {
    let reply: Reply = server.call_with("POST", &path("/whatIf"), body(parameters), &[WAIT]).await;
    assert!(!reply.text.contains("canary"), "{}", reply.text);
    reply.ok(200)["properties"].clone()
}

fn tags(tags: &[(&str, &str)]) -> Value {
    tags.iter().map(|(key, value)| json!({"Key": key, "Value": value})).collect()
}

#[tokio::test]
async fn a_look_tells_why_and_where_and_a_run_writes_the_same_paths() {
    let server = Server::start().await;
    let before = ("tags", tags(&[("a", "1"), ("b", "2")]));
    let fresh = look(&server, std::slice::from_ref(&before)).await;
    assert_eq!(fresh["outputs"]["vpcId"]["unknown"], "known after net/vpc", "{fresh:#}");
    assert_eq!(
        fresh["outputs"]["note"],
        json!({"type": "string", "secret": true, "change": "create"})
    );
    let made = body(std::slice::from_ref(&before));
    server.call_with("PUT", &path(""), made, &[WAIT]).await.ok(201);
    let quiet = look(&server, std::slice::from_ref(&before)).await;
    let actions: Vec<&Value> =
        quiet["changes"].as_array().unwrap().iter().map(|it| &it["action"]).collect();
    assert_eq!(actions, ["no-op", "no-op"]);
    assert_eq!(quiet["outputs"]["dns"]["change"], "no-op");
    assert_eq!(quiet["outputs"]["note"].get("change"), None, "nobody knows");

    let vpc = server.get(&alias("net")).await.ok(200)["mapsTo"]["primaryIdentifier"].clone();
    let hands = json!({"account": "42", "region": "eu-central-1", "type": "AWS::EC2::VPC", "identifier": vpc,
                       "properties": {"Tags": tags(&[("b", "two"), ("a", "1")])}});
    server.control("PATCH", "resources", hands).await;
    let given = [
        ("dns", json!(false)),
        ("tags", tags(&[("c", "3"), ("b", "2")])),
        ("note", json!("canary-2")),
    ];
    let told = look(&server, &given).await;
    let of = |address: &str| {
        let all = told["changes"].as_array().unwrap();
        all.iter().find(|it| it["address"] == address).unwrap().clone()
    };
    let net = of("net/vpc");
    let [dns, list] = net["changed"].as_array().unwrap().as_slice() else { panic!("{net:#}") };
    let source = |told: &Value| (told["source"]["file"].clone(), told["source"]["line"].clone());
    assert_eq!((&dns["path"], &dns["cause"]), (&json!("/EnableDnsSupport"), &json!("stated")));
    assert_eq!(source(dns), (json!("net.bicep"), json!(8)));
    assert_eq!(source(&net), (json!("net.bicep"), json!(4)));
    let parts = list["parts"].as_array().unwrap().iter();
    let parts: Vec<(&str, &str)> =
        parts.map(|it| (it["keyed"].as_str().unwrap(), it["cause"].as_str().unwrap())).collect();
    assert_eq!(
        parts,
        [
            ("/Tags/[Key=c]", "first-stated"),
            ("/Tags/[Key=b]/Value", "drifted"),
            ("/Tags/[Key=a]", "no-longer-stated")
        ]
    );
    let kept = of("kept");
    let [note] = kept["changed"].as_array().unwrap().as_slice() else { panic!("{kept:#}") };
    assert_eq!((&note["secret"], &note["cause"]), (&json!(true), &json!("stated")));
    assert_eq!((note.get("before"), note.get("after")), (None, None));
    assert_eq!(told["outputs"]["dns"]["before"], true);

    let run = server.call_with("PUT", &path(""), body(&given), &[WAIT]).await.ok(200);
    for row in run["properties"]["resources"].as_array().unwrap() {
        let foretold = of(row["address"].as_str().unwrap());
        let paths = foretold["changed"].as_array().unwrap().iter().map(|it| it["path"].clone());
        assert_eq!(row["changed"], paths.collect::<Value>(), "{run:#}");
    }
}

#[tokio::test]
async fn outputs_that_cannot_be_are_told_with_their_place() {
    let server = Server::start().await;
    let text = "extension aws
resource net 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: { CidrBlock: '10.0.0.0/16' }
}
";
    let of = |text: &str| json!({"properties": {"sources": {"main.bicep": text}, "entry": "main.bicep"}});
    server.call_with("PUT", &path(""), of(text), &[WAIT]).await.ok(201);
    let bad = format!("{text}output id string = substring(net.properties.VpcId, 0, 999)\n");
    let told = server.call_with("POST", &path("/whatIf"), of(&bad), &[WAIT]).await.ok(200);
    let problem = &told["properties"]["outputProblem"];
    assert_eq!(problem["source"]["line"], 6, "{told:#}");
    assert!(told["properties"].get("outputs").is_none());
}
