//! Settings that change what a caller meets: the rate, the delay of reads, empty patches, pages.

use std::time::{Duration, Instant};

use aws_sdk_cloudcontrol::error::SdkError;
use aws_sdk_cloudcontrol::operation::list_resources::ListResourcesError;
use aws_sdk_cloudcontrol::types::OperationStatus;
use serde_json::{Value, json};

use super::{Cloud, LOG_GROUP, VPC, log_group, refused, set, succeeded, vpc};

async fn call(cloud: &Cloud) -> Result<(), SdkError<ListResourcesError>> {
    cloud.client.list_resources().type_name(VPC).send().await.map(|_| ())
}

#[tokio::test]
async fn the_sixth_call_within_a_second_is_throttled_at_a_rate_of_five() {
    let cloud = Cloud::start(&["--rate", "5"]);
    // Time gives back a call each 200 ms: a run that took longer says nothing and is repeated.
    for _ in 0..50 {
        // A second later, the whole second's calls may be made.
        cloud.advance("1s");
        let begun = Instant::now();
        let mut answers = Vec::new();
        for _ in 0..6 {
            answers.push(call(&cloud).await);
        }
        if begun.elapsed() >= Duration::from_millis(190) {
            continue;
        }
        let last = answers.pop().unwrap();
        assert!(answers.iter().all(Result::is_ok), "{answers:?}");
        let (error, message) = refused(last);
        assert!(matches!(&error, ListResourcesError::ThrottlingException(_)), "{error:?}");
        assert_eq!(message, "Rate exceeded");
        cloud.advance("1s");
        call(&cloud).await.unwrap();
        return;
    }
    panic!("this machine never made six calls within 190 ms");
}

#[tokio::test]
async fn a_read_does_not_show_a_write_before_its_delay_is_over() {
    let cloud = Cloud::start(&["--read-delay", "30s"]);
    let group = cloud.made(LOG_GROUP, &log_group("late")).await;
    cloud.assert_gone(LOG_GROUP, &group).await;
    assert_eq!(cloud.list(LOG_GROUP, None).await, [""; 0]);
    cloud.advance("31s");
    assert_eq!(cloud.get(LOG_GROUP, &group).await["RetentionInDays"], 30);
    assert_eq!(cloud.list(LOG_GROUP, None).await, [&*group]);

    succeeded(&cloud.update(LOG_GROUP, &group, &set("RetentionInDays", &json!(60))).await);
    assert_eq!(cloud.get(LOG_GROUP, &group).await["RetentionInDays"], 30);
    cloud.advance("31s");
    assert_eq!(cloud.get(LOG_GROUP, &group).await["RetentionInDays"], 60);

    succeeded(&cloud.delete(LOG_GROUP, &group).await);
    assert_eq!(cloud.get(LOG_GROUP, &group).await["RetentionInDays"], 60);
    cloud.advance("31s");
    cloud.assert_gone(LOG_GROUP, &group).await;
}

#[tokio::test]
async fn an_empty_patch_stays_pending_for_ever() {
    let cloud = Cloud::start(&[]);
    let group = cloud.made(LOG_GROUP, &log_group("waits")).await;
    let call = cloud.client.update_resource().type_name(LOG_GROUP).identifier(&group);
    let begun = call.patch_document("[]").send().await.unwrap().progress_event.unwrap();
    cloud.advance("144h");
    let event = cloud.status(&begun).await;
    assert_eq!(event.operation_status(), Some(&OperationStatus::Pending));
    // Until somebody cancels it, nothing else can be done to the resource.
    let delete = || cloud.client.delete_resource().type_name(LOG_GROUP).identifier(&group);
    assert!(refused(delete().send().await).0.is_concurrent_operation_exception());
    let token = begun.request_token().unwrap();
    cloud.client.cancel_resource_request().request_token(token).send().await.unwrap();
    let event = cloud.ended(&begun).await;
    assert_eq!(event.operation_status(), Some(&OperationStatus::CancelComplete));
    delete().send().await.unwrap();
}

#[tokio::test]
async fn an_empty_patch_succeeds_where_that_was_asked_for() {
    let cloud = Cloud::start(&["--empty-patch", "succeeds"]);
    let group = cloud.made(LOG_GROUP, &log_group("stays")).await;
    let before = cloud.get(LOG_GROUP, &group).await;
    assert_eq!(succeeded(&cloud.update(LOG_GROUP, &group, &json!([])).await), group);
    assert_eq!(cloud.get(LOG_GROUP, &group).await, before);
}

#[tokio::test]
async fn the_sdk_reads_all_pages_of_a_list() {
    let cloud = Cloud::start(&["--page-size", "3"]);
    let mut made = Vec::new();
    for _ in 0..8 {
        made.push(cloud.made(VPC, &vpc()).await);
    }
    made.sort_unstable();
    assert_eq!(cloud.list(VPC, None).await, made);
    let counters = cloud.control("GET", "counters", &Value::Null);
    assert_eq!(counters["total"]["lists"], 3);
}

#[tokio::test]
async fn a_request_goes_through_its_states_as_time_passes() {
    let cloud = Cloud::start(&[]);
    cloud.control("POST", "settings", &json!({"latency": "1h..1h"}));
    let begun = cloud.begin(VPC, &vpc()).await.unwrap();
    let open = [OperationStatus::Pending, OperationStatus::InProgress];
    assert!(open.contains(begun.operation_status().unwrap()), "{begun:?}");
    assert_eq!(cloud.list(VPC, None).await, [""; 0]);
    let mut seen = vec![begun.operation_status.clone().unwrap()];
    for _ in 0..12 {
        cloud.advance("5m");
        let event = cloud.status(&begun).await;
        assert!(event.event_time() >= begun.event_time(), "{event:?}");
        seen.push(event.operation_status.unwrap());
    }
    seen.dedup();
    seen.retain(|status| *status != OperationStatus::Pending);
    assert_eq!(seen, [OperationStatus::InProgress, OperationStatus::Success]);
    assert_eq!(cloud.list(VPC, None).await.len(), 1);
}
