//! What a client token promises: one request for 36 hours, however often it is sent.

use std::collections::BTreeSet;

use aws_sdk_cloudcontrol::error::SdkError;
use aws_sdk_cloudcontrol::operation::create_resource::CreateResourceError;
use aws_sdk_cloudcontrol::types::ProgressEvent;
use serde_json::json;
use tokio::task::JoinSet;

use super::{Cloud, VPC, refused, succeeded, vpc};

async fn create(
    cloud: &Cloud,
    token: &str,
    block: &str,
) -> Result<ProgressEvent, SdkError<CreateResourceError>> {
    let desired = json!({"CidrBlock": block}).to_string();
    let call = cloud.client.create_resource().type_name(VPC).desired_state(desired);
    Ok(call.client_token(token).send().await?.progress_event.unwrap())
}

#[tokio::test]
async fn two_creates_with_one_token_make_one_resource() {
    let cloud = Cloud::start(&[]);
    let first = create(&cloud, "once", "10.0.0.0/16").await.unwrap();
    let second = create(&cloud, "once", "10.0.0.0/16").await.unwrap();
    assert_eq!(first.request_token(), second.request_token());
    let made = succeeded(&cloud.ended(&first).await);
    // The second answer tells how far the first request has come by then.
    assert_eq!(succeeded(&second), made);
    assert_eq!(cloud.list(VPC, None).await, [made]);
    assert_eq!(cloud.requests().len(), 1);
}

#[tokio::test]
async fn creates_that_race_under_one_token_make_one_resource() {
    let cloud = Cloud::start(&[]);
    let mut racing = JoinSet::new();
    for _ in 0..8 {
        let call = cloud.client.create_resource().type_name(VPC).client_token("race");
        racing.spawn(call.desired_state(vpc().to_string()).send());
    }
    let mut tokens = BTreeSet::new();
    while let Some(answer) = racing.join_next().await {
        let event = answer.unwrap().unwrap().progress_event.unwrap();
        tokens.insert(event.request_token.unwrap());
    }
    assert_eq!(tokens.len(), 1, "{tokens:?}");
    assert_eq!(cloud.list(VPC, None).await.len(), 1);
}

#[tokio::test]
async fn another_content_under_a_token_is_a_conflict_and_makes_nothing() {
    let cloud = Cloud::start(&[]);
    let first = create(&cloud, "taken", "10.0.0.0/16").await.unwrap();
    let token = first.request_token().unwrap();
    let words = format!(
        "ClientToken taken is already associated with an existing operation \
         with RequestToken {token}"
    );
    let (error, message) = refused(create(&cloud, "taken", "10.9.0.0/16").await);
    assert!(error.is_client_token_conflict_exception(), "{error:?}");
    assert_eq!(message, words);

    let made = succeeded(&cloud.ended(&first).await);
    let delete = cloud.client.delete_resource().type_name(VPC).identifier(&made);
    let (error, message) = refused(delete.client_token("taken").send().await);
    assert!(error.is_client_token_conflict_exception(), "{error:?}");
    assert_eq!(message, words);
    assert_eq!(cloud.list(VPC, None).await, [made]);
}

#[tokio::test]
async fn a_token_is_new_again_after_36_hours() {
    let cloud = Cloud::start(&[]);
    let first = create(&cloud, "old", "10.0.0.0/16").await.unwrap();
    cloud.advance("35h");
    let repeated = create(&cloud, "old", "10.0.0.0/16").await.unwrap();
    assert_eq!(repeated.request_token(), first.request_token());
    assert_eq!(cloud.list(VPC, None).await.len(), 1);
    cloud.advance("2h");
    let second = create(&cloud, "old", "10.0.0.0/16").await.unwrap();
    assert_ne!(second.request_token(), first.request_token());
    cloud.ended(&second).await;
    assert_eq!(cloud.list(VPC, None).await.len(), 2);
}

#[tokio::test]
async fn a_token_that_was_used_again_keeps_its_newer_request() {
    let cloud = Cloud::start(&[]);
    cloud.arm(&json!({"operation": "CreateResource", "effect": "hang"}));
    let old = create(&cloud, "again", "10.0.0.0/16").await.unwrap();
    cloud.advance("37h");
    let new = create(&cloud, "again", "10.0.0.0/16").await.unwrap();
    assert_ne!(new.request_token(), old.request_token());
    // The old request still moves; the token is no longer its own.
    let cancel = cloud.client.cancel_resource_request();
    cancel.request_token(old.request_token().unwrap()).send().await.unwrap();
    let repeated = create(&cloud, "again", "10.0.0.0/16").await.unwrap();
    assert_eq!(repeated.request_token(), new.request_token());
    assert_eq!(cloud.list(VPC, None).await.len(), 1);
}

#[tokio::test]
async fn the_sdk_names_each_of_its_calls_by_itself() {
    let cloud = Cloud::start(&[]);
    for _ in 0..2 {
        cloud.made(VPC, &vpc()).await;
    }
    assert_eq!(cloud.list(VPC, None).await.len(), 2);
    let tokens: Vec<_> = cloud.requests().iter().map(|it| it["clientToken"].clone()).collect();
    assert!(
        tokens.iter().all(serde_json::Value::is_string) && tokens[0] != tokens[1],
        "{tokens:?}"
    );
}
