//! The simulator's account of the calls agrees with what a caller did.

use aws_sdk_cloudcontrol::error::SdkError;
use serde_json::{Value, json};

use super::{Cloud, LOG_GROUP, VPC, log_group, set, vpc};

#[tokio::test]
async fn every_call_is_logged_and_counted_as_it_was_answered() {
    let cloud = Cloud::start(&[]);
    let client = &cloud.client;
    let create = client.create_resource().type_name(LOG_GROUP).client_token("first");
    let create = create.desired_state(log_group("logs").to_string());
    let event = create.clone().send().await.unwrap().progress_event.unwrap();
    let made_by = event.request_token().unwrap();
    cloud.status(&event).await;
    create.send().await.unwrap();
    cloud.get(LOG_GROUP, "logs").await;
    cloud.assert_gone(LOG_GROUP, "other").await;
    cloud.list(LOG_GROUP, None).await;
    client.list_resource_requests().send().await.unwrap();
    cloud.arm(&json!({"operation": "UpdateResource", "effect": "drop-reply"}));
    let update = client.update_resource().type_name(LOG_GROUP).identifier("logs");
    let update = update.patch_document(set("RetentionInDays", &json!(60)).to_string());
    let dropped = update.client_token("second").send().await.unwrap_err();
    assert!(matches!(dropped, SdkError::DispatchFailure(_)), "{dropped:?}");
    client.cancel_resource_request().request_token(made_by).send().await.unwrap_err();
    let delete = client.delete_resource().type_name(LOG_GROUP).identifier("logs");
    delete.client_token("third").send().await.unwrap();

    let log = cloud.control("GET", "calls", &Value::Null);
    let calls: Vec<_> = log["calls"].as_array().unwrap().iter().map(told).collect();
    assert_eq!(
        calls,
        [
            "1 CreateResource logs first ok",
            "2 GetResourceRequestStatus - - ok",
            "3 CreateResource logs first ok",
            "4 GetResource logs - ok",
            "5 GetResource other - ResourceNotFoundException",
            "6 ListResources - - ok",
            "7 ListResourceRequests - - ok",
            "8 UpdateResource logs second dropped",
            "9 CancelResourceRequest - - ValidationException",
            "10 DeleteResource logs third ok",
        ]
    );
    let counters = cloud.control("GET", "counters", &Value::Null);
    let totals = json!({
        "writes": 4, "reads": 2, "lists": 1, "polls": 2, "cancels": 1, "others": 0,
    });
    assert_eq!(counters["total"], totals);
    assert_eq!(
        counters["byOperation"],
        json!({
            "CreateResource": 2, "UpdateResource": 1, "DeleteResource": 1, "GetResource": 2,
            "ListResources": 1, "GetResourceRequestStatus": 1, "ListResourceRequests": 1,
            "CancelResourceRequest": 1,
        })
    );
    let of_type = &counters["byType"][LOG_GROUP];
    assert_eq!([&of_type["writes"], &of_type["reads"], &of_type["lists"]], [4, 2, 1]);
    let of_request = &counters["byRequestToken"][made_by];
    assert_eq!([&of_request["writes"], &of_request["polls"], &of_request["cancels"]], [2, 1, 1]);
    let writes = |token: &str| counters["byClientToken"][token]["writes"].clone();
    assert_eq!([writes("first"), writes("second"), writes("third")], [2, 1, 1]);
    let refused = json!({"ResourceNotFoundException": 1, "ValidationException": 1});
    assert_eq!(counters["refused"], refused);
    assert_eq!(counters["dropped"], 1);
}

/// A logged call in one line. The identifier of a status is told by the answer, not by the call.
fn told(call: &Value) -> String {
    assert_eq!([&call["account"], &call["region"]], [super::ACCOUNT, super::REGION]);
    let operation = call["operation"].as_str().unwrap();
    let is_about_a_request = operation.contains("Request");
    let text = |name: &str| call[name].as_str().unwrap_or("-").to_owned();
    let identifier = if is_about_a_request { "-".to_owned() } else { text("identifier") };
    let (token, outcome) = (text("clientToken"), text("outcome"));
    format!("{} {operation} {identifier} {token} {outcome}", call["sequence"])
}

#[tokio::test]
async fn the_log_is_read_from_where_the_reader_was_and_forgotten_on_order() {
    let cloud = Cloud::start(&[]);
    for _ in 0..3 {
        cloud.list(VPC, None).await;
    }
    let numbers = |path: &str| {
        let log = cloud.control("GET", path, &Value::Null);
        log["calls"].as_array().unwrap().iter().map(|it| it["sequence"].as_u64().unwrap()).collect()
    };
    let read: Vec<u64> = numbers("calls?after=1&limit=1");
    assert_eq!(read, [2]);
    cloud.control("DELETE", "calls", &Value::Null);
    let read: Vec<u64> = numbers("calls");
    assert_eq!(read, [0u64; 0]);
    let counters = cloud.control("GET", "counters", &Value::Null);
    assert_eq!(counters["byOperation"], json!({}));
    cloud.made(VPC, &vpc()).await;
    let read: Vec<u64> = numbers("calls");
    assert_eq!(read, [4, 5]);
}
