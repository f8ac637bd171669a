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

/// Waits until AWS has taken what is asked for, and its answer is on record.
async fn sent(server: &Server, status_url: &str) {
    while server.follow(status_url).await.ok(200)["attempts"][0]["requestToken"].is_null() {
        tokio::task::yield_now().await;
    }
}

/// Lets AWS finish, and waits until the operation has ended.
async fn end(server: &Server, status_url: &str) {
    // The answer says when to ask again, so it is there before time passes.
    sent(server, status_url).await;
    server.pass_hours(2).await;
    let id = status_url.split('?').next().unwrap().rsplit('/').next().unwrap();
    let id = OperationId::parse(id).unwrap();
    let record = server.engine.wait(id, Duration::from_secs(30)).await.unwrap().unwrap();
    assert!(record.is_ended(), "{record:#?}");
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
    assert_eq!(body["properties"]["provisioningState"], "Creating");
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
    assert_eq!(status["events"][0]["message"], "accepted");
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
    let shown = made.ok(201);
    assert_eq!(shown["id"], path);
    assert!(!made.text.contains("hidden"));
    let shown = &shown["properties"];
    assert_eq!(shown, &json!({"AssumeRolePolicyDocument": {}, "provisioningState": "Accepted"}));
    poll_urls(&server, &made);
}

#[tokio::test]
async fn a_failed_operation_says_the_same_everywhere() {
    let server = Server::start().await;
    let bucket = json!({"properties": {"BucketName": "taken"}});
    let path = |alias: &str| alias_of_bucket(alias);
    let by_id = format!("{}/taken", collection("AWS.S3/Bucket"));
    server.put(&by_id, bucket.clone()).await.ok(201);
    let failed = server.put(&path("two"), bucket).await;
    let code = failed.refused(409);
    assert_eq!(code, "AlreadyExists");
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
    let list = "/planes/radius/local/providers/System.Resources/operationStatuses";
    let running = server.get(&format!("{list}?running=true&group=team")).await.ok(200);
    let running = running["value"].as_array().unwrap();
    assert_eq!(running.iter().map(|it| &it["id"]).collect::<Vec<_>>(), [&json!(path)]);
    let none = server.get(&format!("{list}?running=true&group=other")).await.ok(200);
    assert_eq!(none["value"], json!([]));
    let noted = server.call("POST", &format!("{path}/cancel"), Value::Null).await;
    assert_eq!(noted.ok(202)["name"], path.rsplit('/').next().unwrap());
    poll_urls(&server, &noted);
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
    assert_eq!(other.refused(400), "RepeatabilityMismatch");
    let next = server.call_with("POST", &path, vpc(true), &named("r-2")).await.ok(201);
    assert_ne!(first["id"], next["id"]);
    // Deletes too: the second finds nothing, and answers as the first did.
    server.put(&alias("net"), vpc(true)).await.ok(201);
    server.call_with("DELETE", &alias("net"), Value::Null, &named("r-3")).await.ok(200);
    server.call_with("DELETE", &alias("net"), Value::Null, &named("r-3")).await.ok(200);
}

#[tokio::test]
async fn a_repeated_request_says_again_whether_it_creates() {
    let server = Server::start_slow().await;
    let named = |id: &'static str| [("repeatability-request-id", id), ASYNC];
    let put = async |dns: bool, id: &'static str| {
        server.call_with("PUT", &alias("net"), vpc(dns), &named(id)).await
    };
    for (dns, id, status) in [(true, "r-create", 201), (false, "r-update", 200)] {
        let first = put(dns, id).await;
        let (status_url, result_url) = poll_urls(&server, &first);
        sent(&server, &status_url).await;
        let running = put(dns, id).await;
        assert_eq!(poll_urls(&server, &running), (status_url.clone(), result_url.clone()));
        assert_eq!((first.status, running.status), (status, status), "{id}, first and under way");
        end(&server, &status_url).await;
        let ended = put(dns, id).await;
        assert_eq!(ended.ok(status)["properties"]["EnableDnsSupport"], dns, "{id}, at its end");
        assert_eq!(ended.text, server.follow(&result_url).await.text);
    }
    assert_eq!(server.writes().await, 2);
}

#[tokio::test]
async fn a_handlers_code_decides_the_status() {
    let mut tasks = tokio::task::JoinSet::new();
    for (code, status) in [
        ("ServiceLimitExceeded", 409),
        ("ServiceTimeout", 504),
        ("NotStabilized", 504),
        ("NetworkFailure", 502),
        ("ServiceInternalError", 502),
        ("InternalFailure", 502),
        ("GeneralServiceException", 502),
        ("InvalidRequest", 400),
        ("NotUpdatable", 400),
        ("AccessDenied", 403),
        ("InvalidCredentials", 403),
        ("ResourceConflict", 409),
    ] {
        tasks.spawn(a_create_that_fails(code, status));
    }
    tasks.join_all().await;
}

/// Puts an alias where AWS takes the create and its handler fails with a code, as often as it is tried.
async fn a_create_that_fails(code: &'static str, status: u16) {
    let server = Server::start().await;
    let fault = json!({"operation": "CreateResource", "effect": "fail", "code": code, "times": 20});
    server.control("POST", "faults", fault).await;
    let wait = [("prefer", "wait=30")];
    let failed = server.call_with("PUT", &alias("net"), vpc(true), &wait).await;
    assert_eq!(failed.status, status, "{code}: {failed:#?}");
    assert_eq!(failed.refused(status), code);
    assert_eq!(failed.header("retry-after"), "", "{code}");
    let list = "/planes/radius/local/providers/System.Resources/operationStatuses";
    let listed = server.get(list).await.ok(200);
    let [operation] = &listed["value"].as_array().unwrap()[..] else { panic!("{listed:#}") };
    assert_eq!(
        (&operation["status"], &operation["error"]["code"]),
        (&json!("Failed"), &json!(code))
    );
    let result = operation["id"].as_str().unwrap().replace("Statuses", "Results");
    let result = server.get(&result).await;
    assert_eq!((result.status, result.text), (status, failed.text), "{code}");
}

#[tokio::test]
async fn a_status_has_the_last_of_many_events() {
    let server = Server::start().await;
    let made = server.put(&alias("net"), vpc(true)).await.ok(201);
    server.tamper(
        "WITH RECURSIVE more(n) AS (SELECT 1001 UNION ALL SELECT n + 1 FROM more WHERE n < 1600)
         INSERT INTO event (operation, sequence, at, message)
         SELECT operation.id, n, 0, 'event ' || n FROM operation, more",
    )
    .await;
    let path = format!(
        "/planes/radius/local/providers/System.Resources/operationStatuses/{}",
        made["lastOperation"]["id"].as_str().unwrap()
    );
    let status = server.get(&path).await.ok(200);
    let events = status["events"].as_array().unwrap();
    let sequences: Vec<u64> = events.iter().map(|it| it["sequence"].as_u64().unwrap()).collect();
    assert_eq!(sequences, (1101..=1600).collect::<Vec<_>>());
    assert_eq!(events[499]["message"], "event 1600");
}

#[tokio::test]
async fn an_event_of_a_wait_keeps_why_the_operation_waited() {
    let server = Server::start().await;
    let fault = json!({"operation": "CreateResource", "effect": "exception", "times": 1_000_000,
                       "exception": "ThrottlingException", "message": "slow down"});
    server.control("POST", "faults", fault).await;
    let made = server.call_with("PUT", &alias("net"), vpc(true), &[ASYNC]).await;
    made.ok(201);
    let (status_url, _) = poll_urls(&server, &made);
    let event = loop {
        let status = server.follow(&status_url).await.ok(200);
        let events = status["events"].as_array().unwrap();
        if let Some(event) = events.iter().find(|event| event.get("waiting").is_some()) {
            break event.clone();
        }
        tokio::task::yield_now().await;
    };
    let waiting = &event["waiting"];
    assert_eq!(waiting["code"], "AwsThrottled", "{event}");
    assert_eq!(event["message"], format!("waiting: {}", waiting["message"].as_str().unwrap()));
    assert!(waiting["since"].is_string() && waiting["retryAt"].is_string(), "{event}");

    // The entry stays as it is after the wait; entries of progress have no wait.
    server.control("DELETE", "faults", Value::Null).await;
    end(&server, &status_url).await;
    let status = server.follow(&status_url).await.ok(200);
    let events = status["events"].as_array().unwrap();
    assert!(events.contains(&event), "{status}");
    assert_eq!(events[0].get("waiting"), None, "{status}");
    assert_eq!(events.last().unwrap().get("waiting"), None, "{status}");
}
