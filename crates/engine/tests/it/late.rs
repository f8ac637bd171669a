//! What is settled later: parked aliases after the quarantine, creates that are too old to send.

use hangar_plan::operation::{EntryState, SuccessKind};
use hangar_plan::record::Reference;
use serde_json::{Value, json};

use crate::plane::{Plane, VPC, done, eventually, failure, put, vpc};

/// Waits until the reference is so.
async fn until(plane: &Plane, is_so: impl Fn(Option<&Reference>) -> bool) {
    eventually("the reference becomes so", async || {
        is_so(plane.reference(VPC, "net").await.as_ref())
    })
    .await;
}

async fn park(plane: &Plane) {
    plane
        .arm(json!({"operation": "CreateResource", "effect": "drop-reply", "when": "before"}))
        .await;
    plane
        .arm(json!({"operation": "CreateResource", "effect": "exception",
                    "exception": "InvalidCredentialsException", "message": "revoked"}))
        .await;
    assert_eq!(failure(&plane.put("net", vpc(true)).await).code, "AliasUnknown");
    let reference = plane.reference(VPC, "net").await.unwrap();
    assert_eq!(reference.entry.state, EntryState::Unknown);
}

#[tokio::test]
async fn an_unknown_alias_is_free_when_no_old_call_can_arrive_any_more() {
    let plane = Plane::start().await;
    park(&plane).await;
    plane.pass(0, 21).await;
    until(&plane, |reference| reference.is_none()).await;
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Created);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1);
}

#[tokio::test]
async fn a_write_after_the_quarantine_settles_the_alias_itself() {
    let plane = Plane::start().await;
    park(&plane).await;
    // The write comes first: its own look-up finds nothing, and it goes on.
    plane.pass(0, 21).await;
    let record = match plane.submit(VPC, "net", put(vpc(true))).await {
        Ok(accepted) => plane.finish(accepted).await,
        Err(failure) => panic!("{failure:?}"),
    };
    assert_eq!(done(&record), SuccessKind::Created);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1);
}

#[tokio::test]
async fn what_landed_late_is_found_after_the_quarantine() {
    let plane = Plane::start().await;
    park(&plane).await;
    let reference = plane.reference(VPC, "net").await.unwrap();
    let operation = reference.entry.unsettled[0].operation;
    // The call that nobody heard of arrives after all: it leaves a resource with its marker tag.
    let made = json!({"account": "42", "region": "eu-central-1", "type": "AWS::EC2::VPC",
        "properties": {"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true,
                       "Tags": [{"Key": "hangar:operation", "Value": operation.to_string()}]}});
    plane.control("POST", "resources", made).await;
    plane.pass(0, 21).await;
    until(&plane, |it| it.is_some_and(|it| it.entry.state == EntryState::Ready)).await;
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Noop);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1);
}

#[tokio::test]
async fn a_create_is_not_sent_again_after_a_day() {
    let mut plane = Plane::start().await;
    // Nobody answers for a day.
    plane
        .arm(json!({"operation": "CreateResource", "times": 1_000_000, "effect": "drop-reply",
                    "when": "before"}))
        .await;
    let accepted = plane.submit(VPC, "net", put(vpc(true))).await.unwrap();
    eventually("the create is sent", async || plane.calls("CreateResource").await > 0).await;
    plane.engine.stop().await;
    plane.forget_calls().await;
    plane.pass(25, 0).await;
    plane.restart().await;
    let record = plane.finish(accepted).await;
    assert_eq!(failure(&record).code, "CreateTooOld");
    assert_eq!(plane.calls("CreateResource").await, 0);
    // A day later nothing can arrive, and look-up found nothing: the alias is free.
    assert!(plane.reference(VPC, "net").await.is_none());
    plane.control("DELETE", "faults", Value::Null).await;
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Created);
}
