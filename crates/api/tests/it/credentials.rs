//! Credentials over HTTP: kept, used, never shown.

use serde_json::{Value, json};

use crate::server::Server;

const ALL: &str = "/planes/aws/aws/providers/System.AWS/credentials";
const VERSION: &str = "api-version=2023-10-01-preview";
const SECRET: &str = "canary-0d41-secret";

fn named(name: &str) -> String {
    format!("{ALL}/{name}?{VERSION}")
}

fn key(id: &str) -> Value {
    json!({"properties": {"kind": "AccessKey", "accessKeyId": id, "secretAccessKey": SECRET,
                          "storage": {"kind": "Internal"}}})
}

#[tokio::test]
async fn a_credential_is_kept_changed_and_removed_and_its_secret_is_never_shown() {
    let server = Server::start().await;
    let made = server.put(&named("default"), key("AKIAONE")).await;
    let etag = made.ok(201)["etag"].clone();
    let all = [
        made.text.clone(),
        server.get(&named("Default")).await.text,
        server.get(ALL).await.text,
        server.put(&named("default"), key("AKIATWO")).await.text,
    ];
    for text in all {
        assert!(!text.contains("canary"), "{text}");
        assert!(text.contains("AKIA"), "{text}");
    }
    let shown = server.get(&named("default")).await.ok(200);
    assert_eq!(shown["properties"]["accessKeyId"], "AKIATWO");
    assert_ne!(shown["etag"], etag, "a secret may have changed: so has the tag");
    let stale = [("if-match", etag.as_str().unwrap())];
    let refused = server.call_with("PUT", &named("default"), key("AKIATHREE"), &stale).await;
    assert_eq!(refused.status, 412);
    let fresh = [("if-match", shown["etag"].as_str().unwrap())];
    let gone = server.call_with("DELETE", &named("default"), Value::Null, &fresh).await;
    assert_eq!(gone.status, 200);
    assert_eq!(server.call("DELETE", &named("default"), Value::Null).await.status, 204);
    assert_eq!(server.get(&named("default")).await.status, 404);
}

#[tokio::test]
async fn a_role_signs_for_its_own_account_only() {
    let server = Server::start().await;
    let role = json!({"properties": {"kind": "AssumeRole",
                                     "roleARN": "arn:aws:iam::123456789012:role/hangar"}});
    let refused = server.put(&named("210987654321"), role.clone()).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    server.put(&named("123456789012"), role).await.ok(201);
    let of = |account: &str| {
        format!("/planes/aws/aws/accounts/{account}/regions/us-east-1/providers/AWS.EC2/VPC/:put")
    };
    let body = json!({"properties": {"CidrBlock": "10.0.0.0/16"}});
    server.call("POST", &of("123456789012"), body).await.ok(201);
    let counters = server.control("GET", "counters", Value::Null).await;
    assert_eq!(counters["byOperation"]["AssumeRole"], 1);
    // The default credential is the role's too: for another account it is refused before any call.
    let role = json!({"properties": {"kind": "AssumeRole",
                                     "roleARN": "arn:aws:iam::123456789012:role/hangar"}});
    server.put(&named("default"), role).await.ok(201);
    let writes = server.writes().await;
    let body = json!({"properties": {"CidrBlock": "10.0.0.0/16"}});
    let refused = server.call("POST", &of("555566667777"), body).await;
    assert_eq!(refused.refused(403), "AccountMismatch");
    assert_eq!(server.writes().await, writes);
}

#[tokio::test]
async fn a_plane_that_is_not_there_keeps_no_credential() {
    let server = Server::start().await;
    let path = format!("/planes/aws/other/providers/System.AWS/credentials/default?{VERSION}");
    let refused = server.put(&path, key("AKIAONE")).await;
    assert_eq!(refused.refused(404), "PlaneNotFound");
    server.put(&format!("/planes/aws/other?{VERSION}"), json!({})).await.ok(201);
    server.put(&path, key("AKIAONE")).await.ok(201);
    let held = server.call("DELETE", &format!("/planes/aws/other?{VERSION}"), Value::Null).await;
    assert_eq!(held.refused(409), "PlaneNotEmpty");
}
