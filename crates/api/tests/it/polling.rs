//! What pollers rely on: URLs, words, whole seconds, ends that stay, refusals that are not repeated.

use hangar_plan::operation::OperationId;
use serde_json::{Value, json};

use crate::contract::assert_final;
use crate::server::{GROUP, Reply, Server, VERSION, alias, collection, tracked_by, vpc};

/// All strings of a value that are URLs, and all headers that are.
fn urls(reply: &Reply) -> Vec<String> {
    fn find(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) if text.contains("://") => found.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|it| find(it, found)),
            Value::Object(members) => members.values().for_each(|it| find(it, found)),
            _ => {}
        }
    }
    let mut found: Vec<String> = ["location", "azure-asyncoperation"]
        .iter()
        .map(|name| reply.header(name).to_owned())
        .filter(|url| !url.is_empty())
        .collect();
    if let Ok(body) = serde_json::from_str(&reply.text) {
        find(&body, &mut found);
    }
    found
}

#[tokio::test]
async fn no_url_is_made_of_what_a_request_says() {
    let server = Server::start_slow().await;
    for name in ["a", "b"] {
        let asked = [("prefer", "respond-async")];
        server.call_with("PUT", &alias(name), vpc(true), &asked).await.ok(201);
    }
    for (count, forged) in [
        ("referer", "http://evil.example/x"),
        ("x-forwarded-host", "evil.example"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-prefix", "/evil"),
        ("forwarded", "host=evil.example;proto=https"),
        ("x-original-url", "/evil"),
        ("x-rewrite-url", "/evil"),
        ("host", "localhost:9"),
        ("host", "[::1]"),
    ]
    .into_iter()
    .enumerate()
    {
        let asked = [("prefer", "respond-async"), forged];
        let own = alias(&format!("n-{count}"));
        let begun = server.call_with("PUT", &own, vpc(true), &asked).await;
        let status = begun.header("azure-asyncoperation").strip_prefix(&server.url()).unwrap();
        let status = status.split('?').next().unwrap();
        for (method, path, body) in [
            ("POST", format!("{}/:put", collection("AWS.EC2/VPC")), vpc(true)),
            ("DELETE", format!("{}/b-{count}", collection("AWS.S3/Bucket")), Value::Null),
            ("GET", format!("{GROUP}/resources?$top=1"), Value::Null),
            ("GET", status.replace("Statuses", "Results"), Value::Null),
            ("POST", format!("{status}/cancel"), Value::Null),
        ] {
            let reply = server.call_with(method, &path, body, &asked).await;
            assert!(reply.status < 300, "{forged:?} {method} {path}: {reply:#?}");
            let found = urls(&reply);
            assert!(!found.is_empty(), "{method} {path}: {reply:#?}");
            for url in found {
                assert!(url.starts_with(&format!("{}/planes/", server.url())), "{forged:?} {url}");
            }
        }
    }
}

#[tokio::test]
async fn whatever_is_under_way_says_so_with_both_urls_and_whole_seconds() {
    let server = Server::start_slow().await;
    let asked = [("prefer", "respond-async")];
    let path = format!("{}/:put", collection("AWS.EC2/VPC"));
    let by_id = format!("{}/b-1", collection("AWS.S3/Bucket"));
    let tracked = json!({"trackedBy": tracked_by("b"), "properties": {"CidrBlock": "10.0.0.0/16"}});
    let mut statuses = Vec::new();
    for (method, path, body, status) in [
        ("PUT", alias("a"), vpc(true), 201),
        ("POST", path.clone(), tracked, 202),
        ("POST", path, vpc(true), 202),
        ("PUT", by_id, json!({"properties": {}}), 201),
        ("DELETE", format!("{}/b-2", collection("AWS.S3/Bucket")), Value::Null, 202),
        ("POST", format!("{GROUP}/:drift?{VERSION}"), Value::Null, 202),
        ("DELETE", format!("{GROUP}?{VERSION}"), Value::Null, 202),
    ] {
        let begun = server.call_with(method, &path, body, &asked).await;
        assert_eq!(begun.status, status, "{method} {path}: {begun:#?}");
        assert_eq!(begun.text.is_empty(), status == 202, "{method} {path}");
        let seconds = begun.header("retry-after");
        assert!(seconds.parse().is_ok_and(|it: u8| (1..=10).contains(&it)), "{seconds}");
        let status_url = begun.header("azure-asyncoperation").to_owned();
        let result_url = begun.header("location").to_owned();
        // The status is 200 whatever the operation does.
        let running = server.follow(&status_url).await;
        let body = running.ok(200);
        assert_eq!(body["name"], body["id"].as_str().unwrap().rsplit('/').next().unwrap());
        assert!(body["startTime"].is_string() && body["percentComplete"].is_number());
        let word = body["status"].as_str().unwrap();
        if ["Accepted", "Creating", "Updating", "Deleting"].contains(&word) {
            assert_eq!((body.get("properties"), body.get("error")), (None, None));
            assert!((1..=10).contains(&running.header("retry-after").parse::<u8>().unwrap()));
        } else {
            assert_eq!(word, "Succeeded", "{method} {path}: {body:#}");
        }
        let result = server.follow(&result_url).await;
        if result.status == 202 {
            assert_eq!(
                (result.text.as_str(), result.header("location")),
                ("", result_url.as_str())
            );
            assert!((1..=10).contains(&result.header("retry-after").parse::<u8>().unwrap()));
        }
        statuses.push((method, path, status_url));
    }
}

#[tokio::test]
async fn an_end_is_told_in_one_of_three_words_and_never_changes() {
    let server = Server::start().await;
    let taken = json!({"properties": {"BucketName": "taken"}});
    let buckets = collection("AWS.S3/Bucket");
    server.put(&format!("{buckets}/taken"), taken.clone()).await.ok(201);
    let bucket = |name: &str| alias(name).replace("AWS.EC2/VPC", "AWS.S3/Bucket");
    assert_eq!(server.put(&bucket("one"), taken).await.status, 409);
    server.put(&alias("net"), vpc(true)).await.ok(201);
    server.call("DELETE", &alias("net"), Value::Null).await.ok(200);
    let list = "/planes/radius/local/providers/System.Resources/operationStatuses";
    let listed = server.get(list).await.ok(200);
    let operations = listed["value"].as_array().unwrap();
    assert_eq!(operations.len(), 4);
    for operation in operations {
        let id = operation["id"].as_str().unwrap();
        let first = server.get(id).await;
        let body = first.ok(200);
        let failed = match body["status"].as_str().unwrap() {
            "Succeeded" => false,
            "Failed" | "Canceled" => true,
            other => panic!("{other}"),
        };
        assert_eq!((body["error"].is_object(), body["properties"].is_object()), (failed, !failed));
        assert_eq!(body["percentComplete"], 100);
        assert!(body["endTime"].as_str() >= body["startTime"].as_str());
        assert_eq!(first.header("retry-after"), "");
        let result = server.get(&id.replace("Statuses", "Results")).await;
        assert_eq!(result.status >= 400, failed, "{result:#?}");
        if failed {
            assert_eq!(result.json()["error"], body["error"]);
        }
        if body["kind"] == "put" && !failed {
            // What it made may be gone since; it succeeded all the same.
            assert_eq!(result.ok(201)["name"], body["properties"]["identifier"]);
            let shaped = format!("{}?shape=reference", id.replace("Statuses", "Results"));
            let result = server.get(&shaped).await.ok(201);
            assert_eq!(result["properties"]["provisioningState"], "Succeeded");
        }
        server.put(&bucket("other"), json!({"properties": {"BucketName": "other"}})).await;
        assert_eq!(server.get(id).await.text, first.text, "a terminal body is immutable");
    }
    let none = OperationId::from_u128(1);
    for kind in ["operationStatuses", "operationResults"] {
        let path = format!("/planes/radius/local/providers/System.Resources/{kind}/{none}");
        assert_eq!(server.get(&path).await.refused(404), "OperationNotFound");
    }
}

#[tokio::test]
async fn a_conflict_never_says_when_to_come_back() {
    let server = Server::start_slow().await;
    let asked = [("prefer", "respond-async")];
    let begun = server.call_with("PUT", &alias("net"), vpc(true), &asked).await;
    begun.ok(201);
    let status = begun.header("azure-asyncoperation");
    while server.follow(status).await.ok(200)["attempts"][0]["requestToken"].is_null() {
        tokio::task::yield_now().await;
    }
    let act = |action: &str| alias("net").replace('?', &format!("/:{action}?"));
    for (method, path, body) in [
        ("PUT", alias("net"), vpc(false)),
        ("PATCH", alias("net"), vpc(false)),
        ("DELETE", alias("net"), Value::Null),
        ("POST", act("repair"), Value::Null),
        ("POST", act("rename"), json!({"alias": "x"})),
        (
            "POST",
            format!("{}/:put", collection("AWS.EC2/VPC")),
            json!({"trackedBy": tracked_by("net"), "properties": {}}),
        ),
        (
            "POST",
            format!("{}/:delete", collection("AWS.EC2/VPC")),
            json!({"trackedBy": tracked_by("net")}),
        ),
        ("DELETE", format!("/planes/radius/local?{VERSION}"), Value::Null),
    ] {
        let writes = server.writes().await;
        let refused = server.call(method, &path, body).await;
        assert_eq!(refused.status, 409, "{method} {path}: {refused:#?}");
        assert_final(&refused);
        assert_ne!(refused.refused(409), "MissingSubscriptionRegistration");
        assert_eq!(server.writes().await, writes, "{method} {path}");
    }
}

#[tokio::test]
async fn a_throttled_or_unreachable_cloud_is_429_or_503_with_a_time() {
    let server = Server::start().await;
    let path = format!("{}/vpc-1", collection("AWS.EC2/VPC"));
    for (exception, status) in
        [("ThrottlingException", 429), ("ServiceInternalErrorException", 503)]
    {
        let fault = json!({"operation": "GetResource", "effect": "exception",
            "exception": exception, "message": "m", "times": 1});
        server.control("POST", "faults", fault).await;
        let refused = server.get(&path).await;
        assert_eq!(refused.status, status, "{refused:#?}");
        let says = refused.header("retry-after").parse::<u8>();
        assert!(says.is_ok_and(|it| (1..=10).contains(&it)), "{refused:#?}");
        assert_eq!(server.get(&path).await.status, 404, "and then it works again");
    }
    let fault = json!({"operation": "GetResource", "effect": "drop-reply", "when": "before"});
    server.control("POST", "faults", fault).await;
    let refused = server.get(&path).await;
    assert_eq!(refused.status, 503, "{refused:#?}");
    assert!((1..=10).contains(&refused.header("retry-after").parse::<u8>().unwrap()));
}
