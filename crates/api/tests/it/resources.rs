//! AWS resources by identifier.

use serde_json::{Value, json};

use crate::server::{Server, alias, collection, vpc};

#[tokio::test]
async fn a_put_by_id_creates_the_one_that_the_url_names() {
    let server = Server::start().await;
    let path = format!("{}/b-1", collection("AWS.S3/Bucket"));
    assert_eq!(server.get(&path).await.refused(404), "ResourceNotFound");
    assert_eq!(server.call("HEAD", &path, Value::Null).await.status, 404);
    let made = server.put(&path, json!({"properties": {}})).await;
    let body = made.ok(201);
    assert_eq!((&body["id"], &body["name"]), (&json!(path), &json!("b-1")));
    assert_eq!(body["properties"]["BucketName"], "b-1");
    assert_eq!(server.call("HEAD", &path, Value::Null).await.status, 204);
    let writes = server.writes().await;
    let shown = server.get(&path).await.ok(200);
    server.put(&path, shown).await.ok(200);
    assert_eq!(server.writes().await, writes);
    let other = json!({"properties": {"BucketName": "b-2"}});
    assert_eq!(server.put(&path, other).await.refused(400), "InvalidProperties");
    server.call("DELETE", &path, Value::Null).await.ok(200);
    assert_eq!(server.call("DELETE", &path, Value::Null).await.status, 204);
}

#[tokio::test]
async fn identifiers_with_slashes_go_there_and_back() {
    let server = Server::start().await;
    let path = format!("{}/%2Faws%2Fa%20b", collection("AWS.Logs/LogGroup"));
    let made = server.put(&path, json!({"properties": {}})).await;
    // A space is not allowed in a log group's name; what matters is what the server made of the URL.
    assert_eq!(made.refused(400), "ValidationException");
    let path = format!("{}/%2Faws%2Fa", collection("AWS.Logs/LogGroup"));
    let made = server.put(&path, json!({"properties": {}})).await.ok(201);
    assert_eq!((&made["id"], &made["name"]), (&json!(path), &json!("/aws/a")));
    assert_eq!(server.get(made["id"].as_str().unwrap()).await.ok(200)["name"], "/aws/a");
}

#[tokio::test]
async fn a_generated_name_that_is_not_there_cannot_be_put() {
    let server = Server::start().await;
    let path = format!("{}/vpc-0123", collection("AWS.EC2/VPC"));
    let refused = server.put(&path, vpc(true)).await;
    assert_eq!(refused.refused(404), "ResourceNotFound");
    assert_eq!(server.writes().await, 0);
}

#[tokio::test]
async fn a_write_by_id_on_a_mapped_resource_is_its_references() {
    let server = Server::start().await;
    let made = server.put(&alias("net"), vpc(true)).await.ok(201);
    let identifier = made["mapsTo"]["primaryIdentifier"].as_str().unwrap();
    let path = format!("{}/{identifier}", collection("AWS.EC2/VPC"));
    let changed = server.put(&path, vpc(false)).await.ok(200);
    assert_eq!(changed["alias"], "net");
    assert_eq!(server.get(&alias("net")).await.ok(200)["properties"]["EnableDnsSupport"], false);
    server.call("DELETE", &path, Value::Null).await.ok(200);
    assert_eq!(server.get(&alias("net")).await.status, 404);
}

#[tokio::test]
async fn conditions_need_a_reference() {
    let server = Server::start().await;
    let path = format!("{}/b-1", collection("AWS.S3/Bucket"));
    for method in ["PUT", "DELETE"] {
        let body = json!({"properties": {}});
        let refused = server.call_with(method, &path, body, &[("if-match", "*")]).await;
        assert_eq!(refused.refused(400), "ConditionNotSupported");
    }
}

#[tokio::test]
async fn a_list_below_a_parent_says_what_it_needs() {
    let server = Server::start().await;
    let path = collection("AWS.ApiGateway/Stage");
    let refused = server.get(&path).await;
    assert_eq!(refused.refused(400), "ParentRequired");
    assert!(refused.text.contains("parent.RestApiId"), "{refused:#?}");
    let listed = server.get(&format!("{path}?parent.RestApiId=a1")).await;
    assert_eq!(listed.ok(200)["value"], json!([]));
}

#[tokio::test]
async fn what_an_untracked_put_marks_secret_is_in_none_of_its_answers() {
    let server = Server::start().await;
    let logs = collection("AWS.Logs/LogGroup");
    let body = |name: &str, tag: &str| {
        json!({"properties": {"LogGroupName": name, "RetentionInDays": 7,
            "Tags": [{"Key": "k", "Value": tag}]}, "secretPaths": ["/Tags/0/Value"]})
    };
    for (method, path, name) in
        [("PUT", format!("{logs}/by-id"), "by-id"), ("POST", format!("{logs}/:put"), "by-put")]
    {
        // Created, found as it is, and changed.
        for (tag, status) in [("canary-1", 201), ("canary-1", 200), ("canary-2", 200)] {
            let reply = server.call(method, &path, body(name, tag)).await;
            assert_eq!(reply.ok(status)["properties"]["RetentionInDays"], 7);
            assert!(!reply.text.contains("canary"), "{method}: {reply:#?}");
        }
    }
    let list = "/planes/radius/local/providers/System.Resources/operationStatuses";
    let listed = server.get(list).await.ok(200);
    let operations = listed["value"].as_array().unwrap();
    assert_eq!(operations.len(), 6);
    for operation in operations {
        let id = operation["id"].as_str().unwrap();
        for path in [id.to_owned(), id.replace("Statuses", "Results")] {
            let reply = server.get(&path).await;
            assert!(reply.status < 300 && !reply.text.contains("canary"), "{reply:#?}");
        }
    }
}

#[tokio::test]
async fn a_delete_of_nothing_is_204_and_asks_only_once() {
    let server = Server::start().await;
    let path = format!("{}/b-none", collection("AWS.S3/Bucket"));
    let named = [("repeatability-request-id", "r-1")];
    for _ in 0..2 {
        let gone = server.call_with("DELETE", &path, Value::Null, &named).await;
        assert_eq!((gone.status, gone.text.as_str()), (204, ""));
    }
    let counted = server.control("GET", "counters", Value::Null).await;
    let calls = &counted["byOperation"];
    assert_eq!((&calls["GetResource"], &calls["DeleteResource"]), (&Value::Null, &json!(1)));
}

#[tokio::test]
async fn a_delete_of_nothing_that_has_not_ended_is_204_on_its_result_url() {
    let server = Server::start().await;
    let path = format!("{}/vpc-none", collection("AWS.EC2/VPC"));
    let asked = [("prefer", "respond-async")];
    let begun = server.call_with("DELETE", &path, Value::Null, &asked).await;
    assert_eq!(begun.status, 202);
    let mut result = server.follow(begun.header("location")).await;
    while result.status == 202 {
        tokio::task::yield_now().await;
        result = server.follow(begun.header("location")).await;
    }
    assert_eq!((result.status, result.text.as_str()), (204, ""));
    let status = server.follow(begun.header("azure-asyncoperation")).await.ok(200);
    assert_eq!(
        (&status["status"], &status["properties"]["outcome"]),
        (&json!("Succeeded"), &json!("noop"))
    );
}
