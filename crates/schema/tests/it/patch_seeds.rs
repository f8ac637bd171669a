//! The examples of the documents that the product comes from.

use hangar_schema::{Inputs, patch};
use serde_json::{Value, json};

use crate::verdict::{add, bundled, diff, noop, update, verdict};

fn memory_db() -> Value {
    json!({
        "ClusterName": "orders", "NodeType": "db.r6g.large", "ACLName": "open-access", "NumShards": 1,
        "ARN": "arn:aws:memorydb:us-east-1:123456789012:cluster/orders",
        "Status": "available",
        "ClusterEndpoint": {"Address": "clustercfg.orders.memorydb.us-east-1.amazonaws.com", "Port": 6379}
    })
}

fn stated() -> Value {
    json!({"ClusterName": "orders", "NodeType": "db.r6g.large", "ACLName": "open-access", "NumShards": 1})
}

#[test]
fn memory_db_without_endpoint_and_arn_gives_no_operation_on_them() {
    let cluster = bundled("AWS::MemoryDB::Cluster");
    assert_eq!(verdict(&cluster, memory_db(), stated(), None), noop());
    assert_eq!(verdict(&cluster, memory_db(), stated(), stated()), noop());
}

#[test]
fn memory_db_with_another_shard_count_gives_exactly_one_operation() {
    let cluster = bundled("AWS::MemoryDB::Cluster");
    let mut desired = stated();
    desired["NumShards"] = json!(2);
    assert_eq!(
        verdict(&cluster, memory_db(), desired, stated()),
        update(json!([add("/NumShards", json!(2))]))
    );
}

#[test]
fn memory_db_with_another_endpoint_is_an_error_naming_both_pointers() {
    let cluster = bundled("AWS::MemoryDB::Cluster");
    let mut desired = stated();
    desired["ClusterEndpoint"] = json!({"Address": "elsewhere", "Port": 1});
    let live = memory_db();
    let problems =
        patch(&cluster, &Inputs { live: &live, desired: &desired, applied: None }).unwrap_err();
    let pointers: Vec<_> =
        problems.iter().filter_map(|problem| problem.pointer.as_deref()).collect();
    assert_eq!(pointers, ["/ClusterEndpoint/Address", "/ClusterEndpoint/Port"]);
}

fn actions(redirect_path: &str) -> Value {
    json!([
        {"Type": "authenticate-oidc", "Order": 1, "AuthenticateOidcConfig": {
            "Issuer": "https://id.example", "AuthorizationEndpoint": "https://id.example/a",
            "TokenEndpoint": "https://id.example/t", "UserInfoEndpoint": "https://id.example/u",
            "ClientId": "app", "ClientSecret": "hush"
        }},
        {"Type": "redirect", "Order": 2, "RedirectConfig": {"StatusCode": "HTTP_301", "Path": redirect_path}}
    ])
}

fn listener(redirect_path: &str) -> Value {
    json!({"LoadBalancerArn": "arn:lb", "Port": 443, "Protocol": "HTTPS", "DefaultActions": actions(redirect_path)})
}

fn live_listener(redirect_path: &str) -> Value {
    let mut live = listener(redirect_path);
    live["ListenerArn"] = json!("arn:listener");
    live["DefaultActions"][0]["AuthenticateOidcConfig"]
        .as_object_mut()
        .unwrap()
        .remove("ClientSecret");
    // The service fills in what the user never stated.
    live["DefaultActions"][0]["AuthenticateOidcConfig"]["Scope"] = json!("openid");
    live
}

#[test]
fn updating_one_action_of_a_listener_keeps_the_secret_of_another() {
    let schema = bundled("AWS::ElasticLoadBalancingV2::Listener");
    assert_eq!(verdict(&schema, live_listener("/old"), listener("/old"), listener("/old")), noop());
    let patch = diff(&schema, &live_listener("/old"), &listener("/new"), Some(&listener("/old")));
    assert_eq!(patch.operations.len(), 1);
    assert_eq!(patch.operations[0].path(), "/DefaultActions");
    let sent = &patch.to_json()[0]["value"];
    assert_eq!(sent[0]["AuthenticateOidcConfig"]["ClientSecret"], "hush");
    assert_eq!(sent[0]["AuthenticateOidcConfig"]["Scope"], "openid");
    assert_eq!(sent[1]["RedirectConfig"]["Path"], "/new");
}

#[test]
fn a_changed_port_of_a_listener_repeats_the_actions_with_their_secret() {
    let schema = bundled("AWS::ElasticLoadBalancingV2::Listener");
    let mut desired = listener("/old");
    desired["Port"] = json!(8443);
    let patch = diff(&schema, &live_listener("/old"), &desired, Some(&listener("/old")));
    let paths: Vec<_> = patch.operations.iter().map(hangar_schema::Operation::path).collect();
    assert_eq!(paths, ["/Port", "/DefaultActions"]);
    assert_eq!(patch.to_json()[1]["value"][0]["AuthenticateOidcConfig"]["ClientSecret"], "hush");
}

#[test]
fn a_changed_secret_of_a_listener_is_sent_with_its_array() {
    let schema = bundled("AWS::ElasticLoadBalancingV2::Listener");
    let mut desired = listener("/old");
    desired["DefaultActions"][0]["AuthenticateOidcConfig"]["ClientSecret"] = json!("new");
    let patch = diff(&schema, &live_listener("/old"), &desired, Some(&listener("/old")));
    assert_eq!(patch.operations.len(), 1);
    assert_eq!(patch.to_json()[0]["value"][0]["AuthenticateOidcConfig"]["ClientSecret"], "new");
}
