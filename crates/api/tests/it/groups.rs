//! Groups: made, changed, kept, guarded by their tags.

use serde_json::{Value, json};

use crate::server::{GROUP, SCOPE, Server, VERSION, alias, vpc};

#[tokio::test]
async fn a_group_is_made_once_and_changed_after() {
    let server = Server::start().await;
    let path = format!("/planes/radius/local/resourceGroups/My-Rg?{VERSION}");
    let made = server.call("PUT", &path, Value::Null).await;
    let body = made.ok(201);
    assert_eq!(body["id"], "/planes/radius/local/resourceGroups/My-Rg");
    assert_eq!(body["properties"]["provisioningState"], "Succeeded");
    assert_eq!(body["etag"], made.header("etag"));

    let same = server.put(&path.replace("My-Rg", "my-rg"), json!({})).await;
    assert_eq!(same.ok(200)["name"], "My-Rg", "the first spelling is kept");
    assert_eq!(same.header("etag"), made.header("etag"));

    let changed = server.put(&path, json!({"tags": {"a": "b"}, "location": "here"})).await;
    assert_eq!(changed.ok(200)["tags"], json!({"a": "b"}));
    assert_ne!(changed.header("etag"), made.header("etag"));
    assert_eq!(server.call("HEAD", &path, Value::Null).await.status, 204);
}

#[tokio::test]
async fn what_a_get_answered_can_be_put_back() {
    let server = Server::start().await;
    let path = format!("{GROUP}?{VERSION}");
    let shown = server.get(&path).await;
    let body = shown.ok(200);
    assert_eq!(body["properties"]["providers"]["aws"]["scope"], SCOPE);
    assert_eq!(body["resources"], json!([]));
    let again = server.put(&path, body).await;
    again.ok(200);
    assert_eq!(again.header("etag"), shown.header("etag"));
}

#[tokio::test]
async fn conditions_guard_a_group() {
    let server = Server::start().await;
    let path = format!("{GROUP}?{VERSION}");
    let etag = server.get(GROUP).await.header("etag").to_owned();
    let put = async |name: &'static str, value: &str, path: &str| {
        server.call_with("PUT", path, json!({"location": "x"}), &[(name, value)]).await
    };
    assert_eq!(put("if-none-match", "*", &path).await.refused(412), "PreconditionFailed");
    assert_eq!(put("if-match", "\"other\"", &path).await.refused(412), "PreconditionFailed");
    let absent = format!("/planes/radius/local/resourceGroups/none?{VERSION}");
    assert_eq!(put("if-match", "*", &absent).await.refused(412), "PreconditionFailed");
    put("if-match", &etag, &path).await.ok(200);
    assert_eq!(put("if-match", &etag, &path).await.refused(412), "PreconditionFailed");
    let now = server.get(GROUP).await.header("etag").to_owned();
    let seen = server.call_with("GET", GROUP, Value::Null, &[("if-none-match", &now)]).await;
    assert_eq!(seen.ok(200)["etag"], now);
}

#[tokio::test]
async fn a_group_shows_its_references_and_one_that_is_not_there_is_404() {
    let server = Server::start().await;
    server.put(&alias("net"), vpc(true)).await.ok(201);
    let body = server.get(GROUP).await.ok(200);
    assert_eq!(body["resources"][0]["name"], "net");
    assert_eq!(body["resources"][0]["type"], "AWS.EC2/VPC:reference");
    for path in [
        "/planes/radius/local/resourceGroups/none",
        "/planes/radius/local/resourceGroups/none/resources",
    ] {
        assert_eq!(server.get(path).await.refused(404), "ResourceGroupNotFound");
    }
    let lists = server.get("/planes/radius/local/resourceGroups").await.ok(200);
    assert_eq!(lists["value"].as_array().unwrap().len(), 1);
    assert_eq!(lists.get("nextLink"), None);
}

#[tokio::test]
async fn a_state_can_be_sent_back_and_not_set() {
    let server = Server::start().await;
    let path = format!("{GROUP}?{VERSION}");
    let with = |state: &str| json!({"properties": {"provisioningState": state}});
    server.put(&path, with("Succeeded")).await.ok(200);
    assert_eq!(server.put(&path, with("Deleting")).await.refused(400), "InvalidRequestContent");
}
