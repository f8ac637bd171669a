//! Faults on order, and what they mean to a caller: what happened, and what can be found out.

use std::time::{Duration, Instant};

use aws_sdk_cloudcontrol::error::SdkError;
use aws_sdk_cloudcontrol::types::OperationStatus;
use serde_json::{Value, json};

use super::{Cloud, LOG_GROUP, VPC, failed, log_group, refused, set, succeeded, vpc};

const CREATE: &str = "CreateResource";

#[tokio::test]
async fn a_reply_dropped_after_the_deed_is_found_by_its_client_token() {
    let cloud = Cloud::start(&[]);
    cloud.arm(&json!({"operation": CREATE, "effect": "drop-reply", "when": "after"}));
    let call = cloud.client.create_resource().type_name(VPC).desired_state(vpc().to_string());
    let call = call.client_token("lost");
    let error = call.clone().send().await.unwrap_err();
    assert!(matches!(error, SdkError::DispatchFailure(_)), "{error:?}");

    let requests = cloud.requests();
    assert_eq!(requests.len(), 1, "{requests:?}");
    let made = requests[0]["identifier"].as_str().unwrap();
    cloud.get(VPC, made).await;
    let repeated = call.send().await.unwrap().progress_event.unwrap();
    assert_eq!(repeated.request_token(), requests[0]["requestToken"].as_str());
    assert_eq!(succeeded(&repeated), made);
    assert_eq!(cloud.list(VPC, None).await, [made]);
}

#[tokio::test]
async fn a_reply_dropped_before_the_deed_leaves_nothing() {
    let cloud = Cloud::start(&[]);
    cloud.arm(&json!({"operation": CREATE, "effect": "drop-reply", "when": "before"}));
    let error = cloud.begin(VPC, &vpc()).await.unwrap_err();
    assert!(matches!(error, SdkError::DispatchFailure(_)), "{error:?}");
    assert_eq!(cloud.requests(), [Value::Null; 0]);
    assert_eq!(cloud.list(VPC, None).await, [""; 0]);
}

#[tokio::test]
async fn the_sdk_repeats_a_create_whose_reply_was_lost_and_one_resource_is_made() {
    let cloud = Cloud::start(&[]);
    let fault = json!({"operation": CREATE, "times": 2, "effect": "drop-reply", "when": "after"});
    cloud.arm(&fault);
    let call = cloud.patient_client(3).create_resource().type_name(VPC);
    let event = call.desired_state(vpc().to_string()).send().await.unwrap().progress_event.unwrap();
    let made = succeeded(&cloud.ended(&event).await);
    assert_eq!(cloud.list(VPC, None).await, [made]);
    let counters = cloud.control("GET", "counters", &Value::Null);
    assert_eq!(counters["byOperation"][CREATE], 3);
    assert_eq!(counters["dropped"], 2);
}

#[tokio::test]
async fn the_sdk_repeats_a_call_that_was_throttled() {
    let cloud = Cloud::start(&[]);
    let throttled = json!({"effect": "exception", "exception": "ThrottlingException", "times": 2});
    cloud.arm(&throttled);
    cloud.patient_client(3).list_resources().type_name(VPC).send().await.unwrap();
    let counters = cloud.control("GET", "counters", &Value::Null);
    assert_eq!(counters["refused"], json!({"ThrottlingException": 2}));
}

#[tokio::test]
async fn an_exception_before_the_deed_leaves_nothing() {
    let cloud = Cloud::start(&[]);
    let exception = "ServiceInternalErrorException";
    cloud.arm(&json!({
        "operation": CREATE, "effect": "exception", "exception": exception, "when": "before",
        "message": "Try another day",
    }));
    let (error, message) = refused(cloud.begin(VPC, &vpc()).await);
    assert!(error.is_service_internal_error_exception(), "{error:?}");
    assert_eq!(message, "Try another day");
    assert_eq!(cloud.requests(), [Value::Null; 0]);
    assert_eq!(cloud.list(VPC, None).await, [""; 0]);
}

#[tokio::test]
async fn an_exception_after_the_deed_hides_what_was_done() {
    let cloud = Cloud::start(&[]);
    let exception = "NetworkFailureException";
    cloud.arm(&json!({
        "operation": CREATE, "effect": "exception", "exception": exception, "when": "after",
    }));
    let (error, _) = refused(cloud.begin(LOG_GROUP, &log_group("there")).await);
    assert!(error.is_network_failure_exception(), "{error:?}");
    assert_eq!(cloud.get(LOG_GROUP, "there").await["RetentionInDays"], 30);
}

#[tokio::test]
async fn a_create_that_fails_with_an_identifier_leaves_a_resource() {
    let cloud = Cloud::start(&[]);
    cloud.arm(&json!({
        "operation": CREATE, "effect": "fail", "code": "NotStabilized", "withIdentifier": true,
    }));
    let event = cloud.create(VPC, &vpc()).await;
    assert_eq!(failed(&event).0, "NotStabilized");
    let made = event.identifier().unwrap();
    assert_eq!(cloud.get(VPC, made).await["CidrBlock"], "10.0.0.0/16");
    assert_eq!(cloud.list(VPC, None).await, [made]);
}

#[tokio::test]
async fn a_create_that_fails_without_an_identifier_names_and_leaves_nothing() {
    let cloud = Cloud::start(&[]);
    cloud.arm(&json!({
        "operation": CREATE, "effect": "fail", "code": "ServiceLimitExceeded",
        "message": "You have enough of them", "withIdentifier": false,
    }));
    let event = cloud.create(VPC, &vpc()).await;
    assert_eq!(failed(&event), ("ServiceLimitExceeded", "You have enough of them"));
    assert_eq!(cloud.list(VPC, None).await, [""; 0]);
    assert_eq!(event.identifier(), None);
}

#[tokio::test]
async fn an_update_that_fails_does_or_does_not_change_the_resource_as_ordered() {
    let cloud = Cloud::start(&[]);
    let group = cloud.made(LOG_GROUP, &log_group("logs")).await;
    for (has_effect, days) in [(false, 30), (true, 60)] {
        cloud.arm(&json!({
            "operation": "UpdateResource", "type": LOG_GROUP, "identifier": group,
            "effect": "fail", "code": "GeneralServiceException", "withIdentifier": has_effect,
        }));
        let event = cloud.update(LOG_GROUP, &group, &set("RetentionInDays", &json!(60))).await;
        assert_eq!(failed(&event).0, "GeneralServiceException");
        assert_eq!(event.identifier(), Some(&*group));
        assert_eq!(cloud.get(LOG_GROUP, &group).await["RetentionInDays"], days);
    }
}

#[tokio::test]
async fn a_request_that_hangs_ends_only_by_its_cancel() {
    let cloud = Cloud::start(&[]);
    cloud.arm(&json!({"operation": CREATE, "effect": "hang"}));
    let begun = cloud.begin(VPC, &vpc()).await.unwrap();
    cloud.advance("24h");
    let event = cloud.status(&begun).await;
    let open = [OperationStatus::Pending, OperationStatus::InProgress];
    assert!(open.contains(event.operation_status().unwrap()), "{event:?}");

    let token = begun.request_token().unwrap();
    let cancel = cloud.client.cancel_resource_request().request_token(token);
    let event = cancel.send().await.unwrap().progress_event.unwrap();
    assert_eq!(event.operation_status(), Some(&OperationStatus::CancelInProgress));
    let event = cloud.ended(&begun).await;
    assert_eq!(event.operation_status(), Some(&OperationStatus::CancelComplete));
    assert_eq!(cloud.list(VPC, None).await, [""; 0]);
}

#[tokio::test]
async fn a_delay_holds_back_the_answer_of_the_call_that_meets_it_alone() {
    let cloud = Cloud::start(&[]);
    cloud.list(VPC, None).await;
    cloud.arm(&json!({"operation": "ListResources", "nth": 2, "effect": "delay", "millis": 400}));
    let mut took = Vec::new();
    for _ in 0..3 {
        let begun = Instant::now();
        cloud.list(VPC, None).await;
        took.push(begun.elapsed());
    }
    assert!(took[1] >= Duration::from_millis(400), "{took:?}");
    assert!(took[0] < took[1] && took[2] < took[1], "{took:?}");
}

#[tokio::test]
async fn a_call_under_way_does_not_wait_for_one_that_is_held_back() {
    let cloud = Cloud::start(&[]);
    cloud.list(VPC, None).await;
    cloud.arm(&json!({"operation": "ListResources", "effect": "delay", "millis": 2000}));
    let held = cloud.client.list_resources().type_name(VPC).send();
    let other = cloud.assert_gone(VPC, "vpc-none");
    tokio::select! {
        biased;
        answered = held => panic!("the answer was not held back: {answered:?}"),
        () = other => {}
    }
}

#[tokio::test]
async fn a_forgotten_request_is_not_found_and_its_resource_stays() {
    let cloud = Cloud::start(&[]);
    let begun = cloud.begin(LOG_GROUP, &log_group("kept")).await.unwrap();
    cloud.ended(&begun).await;
    let token = begun.request_token().unwrap();
    cloud.control("DELETE", &format!("requests/{token}"), &Value::Null);
    let status = cloud.client.get_resource_request_status().request_token(token);
    let (error, _) = refused(status.send().await);
    assert!(error.is_request_token_not_found_exception(), "{error:?}");
    cloud.get(LOG_GROUP, "kept").await;
    let again = cloud.try_control("DELETE", &format!("requests/{token}"), &Value::Null);
    assert_eq!(again.status, 404);
}

#[tokio::test]
async fn faults_are_seen_while_they_are_armed_and_can_be_disarmed() {
    let cloud = Cloud::start(&["--fault", "operation=GetResource,effect=drop-reply"]);
    cloud.arm(&json!({"effect": "hang", "operation": CREATE}));
    let armed = cloud.control("GET", "faults", &Value::Null);
    let effects = [&armed["faults"][0]["effect"], &armed["faults"][1]["effect"]];
    assert_eq!(effects, ["drop-reply", "hang"]);
    cloud.control("DELETE", "faults/2", &Value::Null);
    cloud.made(VPC, &vpc()).await;
    cloud.read(VPC, "vpc-none").await.unwrap_err();
    assert_eq!(cloud.control("GET", "faults", &Value::Null), json!({"faults": []}));
}
