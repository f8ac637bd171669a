//! Operations that have not ended: headers, words, results, conflicts, cancels, repetitions.

use std::time::Duration;

use hangar_plan::operation::OperationId;
use serde_json::{Value, json};

use crate::server::{Reply, Server, alias, collection, tracked_by, vpc};

const ASYNC: (&str, &str) = ("prefer", "respond-async");

fn poll_urls(server: &Server, reply: &Reply) -> (String, String) {
    let status = reply.header("azure-asyncoperation").to_owned();
    let result = reply.header("location").to_owned();
    for url in [&status, &result] {
        assert!(url.starts_with(&server.url()), "{reply:#?}");
    }
    let seconds: u16 = reply.header("retry-after").parse().unwrap();
    assert!((1..=10).contains(&seconds));
    (status, result)
}

/// Lets AWS finish, and waits until the operation has ended.
async fn end(server: &Server, status_url: &str) {
    // Its answer must be on record before time passes: it says when to ask again.
    while server.follow(status_url).await.ok(200)["attempts"][0]["requestToken"].is_null() {
        tokio::task::yield_now().await;
    }
    server.pass_hours(2).await;
    let id = status_url.split('?').next().unwrap().rsplit('/').next().unwrap();
    let id = OperationId::parse(id).unwrap();
    let record = server.engine.wait(id, Duration::from_secs(30)).await.unwrap().unwrap();
    assert!(record.operation.is_ended(), "{record:#?}");
}

#[tokio::test]
async fn an_unfinished_put_answers_the_reference_and_where_to_ask() {
    let server = Server::start_slow().await;
    let forged =
        [ASYNC, ("referer", "http://evil.example/x"), ("x-forwarded-host", "evil.example")];
    let made = server.call_with("PUT", &alias("net"), vpc(true), &forged).await;
    let body = made.ok(201);
    let (status_url, result_url) = poll_urls(&server, &made);
    assert!(status_url.ends_with("?api-version=2023-10-01-preview"), "{status_url}");
    let state = body["properties"]["provisioningState"].as_str().unwrap();
    assert!(["Accepted", "Creating"].contains(&state), "{state}");
    assert_eq!(body["operation"], status_url.split(['/', '?']).nth_back(1).unwrap());

    let status = server.follow(&status_url).await.ok(200);
    assert_eq!(status["status"], "Creating");
    assert_eq!(status["reference"], tracked_by("net"));
    assert_eq!((status.get("properties"), status.get("error")), (None, None));
    let running = server.follow(&result_url).await;
    assert_eq!((running.status, running.text.as_str()), (202, ""));
    assert_eq!(running.header("location"), result_url);
    assert_eq!(
        server.get(&alias("net")).await.ok(200)["properties"]["provisioningState"],
        "Creating"
    );
    assert_eq!(server.get(&alias("net")).await.ok(200)["state"], "reserved");

    // A second write meets the first.
    let refused = server.put(&alias("net"), vpc(false)).await;
    assert_eq!(refused.refused(409), "Conflict");
    assert_eq!(refused.header("retry-after"), "");

    end(&server, &status_url).await;
    let ended = server.follow(&result_url).await;
    assert_eq!(ended.ok(201)["id"], tracked_by("net"), "the shape is the PUT's own");
    assert_eq!(ended.header("retry-after"), "");
    let status = server.follow(&status_url).await.ok(200);
    assert_eq!((&status["status"], &status["percentComplete"]), (&json!("Succeeded"), &json!(100)));
    assert_eq!(status["properties"]["outcome"], "created");
    assert!(status["resourceId"].as_str().unwrap().contains("/AWS.EC2/VPC/vpc-"));
    assert!(!status["events"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn unfinished_actions_and_deletes_are_202() {
    let server = Server::start_slow().await;
    let body = json!({"trackedBy": tracked_by("net"), "properties": {"CidrBlock": "10.0.0.0/16"}});
    let path = format!("{}/:put", collection("AWS.EC2/VPC"));
    let put = server.call_with("POST", &path, body, &[ASYNC]).await;
    assert_eq!((put.status, put.text.as_str()), (202, ""));
    let (status_url, result_url) = poll_urls(&server, &put);
    assert!(!result_url.contains('?'), "no version was given");
    end(&server, &status_url).await;
    let made = server.follow(&result_url).await.ok(201);
    assert_eq!((&made["type"], &made["alias"]), (&json!("AWS.EC2/VPC"), &json!("net")));

    let delete = server.call_with("DELETE", &alias("net"), Value::Null, &[ASYNC]).await;
    assert_eq!(delete.status, 202);
    let (status_url, result_url) = poll_urls(&server, &delete);
    assert_eq!(
        server.get(&alias("net")).await.ok(200)["properties"]["provisioningState"],
        "Deleting"
    );
    end(&server, &status_url).await;
    server.follow(&result_url).await.ok(200);
}

#[tokio::test]
async fn a_put_by_id_that_has_not_ended_shows_what_was_asked_without_secrets() {
    let server = Server::start_slow().await;
    let path = format!("{}/r-1", collection("AWS.IAM/Role"));
    let body = json!({"properties": {"AssumeRolePolicyDocument": {}, "Description": "hidden"},
        "secretPaths": ["/Description"]});
    let made = server.call_with("PUT", &path, body, &[ASYNC]).await;
    let shown = made.ok(if made.status == 200 { 200 } else { 201 });
    assert_eq!(shown["id"], path);
    assert!(!made.text.contains("hidden"));
    assert_ne!(shown["properties"]["provisioningState"], "Succeeded");
    poll_urls(&server, &made);
}

#[tokio::test]
async fn a_failed_operation_says_the_same_everywhere() {
    let server = Server::start().await;
    let bucket = json!({"properties": {"BucketName": "taken"}});
    let path = |alias: &str| alias_of_bucket(alias);
    server.put(&path("one"), bucket.clone()).await.ok(201);
    let failed = server.put(&path("two"), bucket).await;
    let code = failed.refused(409);
    let list = "/planes/radius/local/providers/System.Resources/operationStatuses";
    let listed = server.get(list).await.ok(200);
    let newest = &listed["value"][0];
    assert_eq!(newest["status"], "Failed");
    assert_eq!(newest["error"]["code"], code.as_str());
    assert_eq!(newest.get("events"), None);
    let result = server.get(&newest["id"].as_str().unwrap().replace("Statuses", "Results")).await;
    assert_eq!((result.status, &result.text), (failed.status, &failed.text));
    let cancel = format!("{}/cancel", newest["id"].as_str().unwrap());
    assert_eq!(server.call("POST", &cancel, Value::Null).await.refused(409), "OperationEnded");
}

fn alias_of_bucket(alias: &str) -> String {
    crate::server::alias(alias).replace("AWS.EC2/VPC", "AWS.S3/Bucket")
}

#[tokio::test]
async fn a_running_operation_can_be_cancelled() {
    let server = Server::start_slow().await;
    let made = server.call_with("PUT", &alias("net"), vpc(true), &[ASYNC]).await;
    let (status_url, _) = poll_urls(&server, &made);
    let path =
        status_url.strip_prefix(&server.url()).unwrap().split('?').next().unwrap().to_owned();
    let noted = server.call("POST", &format!("{path}/cancel"), Value::Null).await;
    assert_eq!(noted.ok(202)["name"], path.rsplit('/').next().unwrap());
    poll_urls(&server, &noted);
    let running = server.get("/planes/radius/local/providers/System.Resources/operationStatuses?running=true&group=team").await;
    assert!(running.ok(200)["value"].as_array().unwrap().len() <= 1);
    let none = path.replace(|c: char| c.is_ascii_digit(), "0");
    assert_eq!(
        server.call("POST", &format!("{none}/cancel"), Value::Null).await.refused(404),
        "OperationNotFound"
    );
}

#[tokio::test]
async fn a_named_request_is_the_same_when_it_is_repeated() {
    let server = Server::start().await;
    let named = |id: &'static str| [("repeatability-request-id", id)];
    let path = format!("{}/:put", collection("AWS.EC2/VPC"));
    let first = server.call_with("POST", &path, vpc(true), &named("r-1")).await.ok(201);
    let again = server.call_with("POST", &path, vpc(true), &named("r-1")).await.ok(201);
    assert_eq!(first["id"], again["id"]);
    let other = server.call_with("POST", &path, vpc(false), &named("r-1")).await;
    other.refused(400);
    let next = server.call_with("POST", &path, vpc(true), &named("r-2")).await.ok(201);
    assert_ne!(first["id"], next["id"]);
    // Deletes too: the second finds nothing, and answers as the first did.
    server.put(&alias("net"), vpc(true)).await.ok(201);
    server.call_with("DELETE", &alias("net"), Value::Null, &named("r-3")).await.ok(200);
    server.call_with("DELETE", &alias("net"), Value::Null, &named("r-3")).await.ok(200);
}
