//! `:get`, `:put` and `:delete`: by properties, and through a reference.

use serde_json::{Value, json};

use crate::server::{GROUP, Server, alias, collection, tracked_by, vpc};

const VPC: &str = "AWS.EC2/VPC";

async fn act(server: &Server, type_name: &str, action: &str, body: Value) -> crate::server::Reply {
    server.call("POST", &format!("{}/:{action}", collection(type_name)), body).await
}

#[tokio::test]
async fn the_seeds_payload_works_twice() {
    let server = Server::start().await;
    let body = json!({
        "alias": "vpc-myuniquealias",
        "trackedBy": tracked_by("my-vpc-alias"),
        "properties": {"CidrBlock": "10.0.0.0/24"},
    });
    let made = act(&server, VPC, "put", body.clone()).await;
    let first = made.ok(201);
    assert_eq!(first["alias"], "my-vpc-alias");
    assert_eq!(first["trackedBy"], tracked_by("my-vpc-alias"));
    assert_eq!(first["type"], VPC);
    assert_eq!(first["properties"]["provisioningState"], "Succeeded");
    assert!(made.header("warning").contains("my-vpc-alias"), "{made:#?}");
    let writes = server.writes().await;
    let again = act(&server, VPC, "put", body).await.ok(200);
    assert_eq!(again["id"], first["id"]);
    assert_eq!(server.writes().await, writes);
    let got = act(&server, VPC, "get", json!({"trackedBy": tracked_by("my-vpc-alias")})).await;
    assert_eq!(got.ok(200)["id"], first["id"]);
    let by_id = server.get(first["id"].as_str().unwrap()).await.ok(200);
    assert_eq!(by_id["alias"], "my-vpc-alias");
}

#[tokio::test]
async fn an_untracked_put_creates_each_time_and_says_so() {
    let server = Server::start().await;
    let one = act(&server, VPC, "put", vpc(true)).await;
    assert!(one.header("warning").contains(":reference/<alias>"), "{one:#?}");
    let two = act(&server, VPC, "put", vpc(true)).await;
    assert_ne!(one.ok(201)["id"], two.ok(201)["id"]);
    // With its identifier among the properties it is found.
    let same = json!({"properties": {"VpcId": one.json()["name"], "CidrBlock": "10.0.0.0/16"}});
    let found = act(&server, VPC, "put", same).await;
    assert_eq!(found.ok(200)["id"], one.json()["id"]);
    assert_eq!(found.header("warning"), "");
}

#[tokio::test]
async fn a_name_that_the_caller_chooses_is_found_by_properties() {
    let server = Server::start().await;
    let bucket = json!({"properties": {"BucketName": "b-1"}});
    assert_eq!(
        act(&server, "AWS.S3/Bucket", "get", bucket.clone()).await.refused(404),
        "ResourceNotFound"
    );
    let made = act(&server, "AWS.S3/Bucket", "put", bucket.clone()).await;
    assert_eq!(made.ok(201)["name"], "b-1");
    assert_eq!(made.header("warning"), "");
    act(&server, "AWS.S3/Bucket", "put", bucket.clone()).await.ok(200);
    assert_eq!(act(&server, "AWS.S3/Bucket", "get", bucket.clone()).await.ok(200)["name"], "b-1");
    act(&server, "AWS.S3/Bucket", "delete", bucket.clone()).await.ok(200);
    assert_eq!(act(&server, "AWS.S3/Bucket", "delete", bucket).await.status, 204);
}

#[tokio::test]
async fn missing_parts_are_named() {
    let server = Server::start().await;
    for action in ["get", "delete"] {
        let part = json!({"properties": {"RestApiId": "a"}});
        let refused = act(&server, "AWS.ApiGateway/Stage", action, part).await;
        assert_eq!(refused.refused(400), "IdentifierRequired");
        assert!(refused.text.contains("StageName"), "{refused:#?}");
        assert_eq!(act(&server, VPC, action, json!({})).await.refused(400), "IdentifierRequired");
    }
    assert_eq!(act(&server, VPC, "put", json!({})).await.refused(400), "InvalidRequestContent");
}

#[tokio::test]
async fn what_cannot_track_is_refused_before_any_call() {
    let server = Server::start().await;
    let with = |id: &str| json!({"trackedBy": id, "properties": {"CidrBlock": "10.0.0.0/16"}});
    let bucket = format!("{GROUP}/providers/AWS.S3/Bucket:reference/b");
    assert_eq!(act(&server, VPC, "put", with(&bucket)).await.refused(400), "InvalidTrackedBy");
    let none = tracked_by("net").replace("/Team/", "/none/");
    assert_eq!(act(&server, VPC, "put", with(&none)).await.refused(404), "ResourceGroupNotFound");
    let alone = json!({"alias": "net", "properties": {}});
    assert_eq!(act(&server, VPC, "put", alone).await.refused(400), "AliasWithoutTrackedBy");
    assert_eq!(server.writes().await, 0);
}

#[tokio::test]
async fn a_tracked_delete_follows_ownership() {
    let server = Server::start().await;
    let made = server.put(&alias("net"), vpc(true)).await.ok(201);
    let identifier = made["mapsTo"]["primaryIdentifier"].as_str().unwrap();
    act(&server, VPC, "delete", json!({"trackedBy": tracked_by("net")})).await.ok(200);
    assert_eq!(server.get(&format!("{}/{identifier}", collection(VPC))).await.status, 404);
    let again = act(&server, VPC, "delete", json!({"trackedBy": tracked_by("net")})).await;
    assert_eq!(again.status, 204);
}
