//! Stopping an operation: what was sent is followed to its end.

use hangar_plan::operation::{AttemptOutcome, Ending, EntryState, SuccessKind};
use hangar_simulator::core::settings::Settings;

use crate::plane::{Plane, VPC, done, eventually, failure, put, vpc};

async fn slow() -> Plane {
    let settings = Settings { latency: "20s..20s".parse().unwrap(), ..Settings::default() };
    Plane::start_with(settings).await
}

#[tokio::test]
async fn a_create_that_aws_stopped_before_it_named_anything_is_unknown() {
    let plane = slow().await;
    let accepted = plane.submit(VPC, "net", put(vpc(true))).await.unwrap();
    let id = accepted.record.id();
    eventually("AWS has accepted the create", async || {
        let record = plane.store.operation_find(id).await.unwrap().unwrap();
        record.attempts()[0].request_token.is_some()
    })
    .await;
    plane.engine.cancel(id).await.unwrap();
    let record = plane.finish(accepted).await;
    assert_eq!(plane.calls("CancelResourceRequest").await, 1);
    assert_eq!(record.attempts()[0].outcome, AttemptOutcome::Canceled);
    // What a stopped create made is not told: the alias waits for its look-up.
    assert_eq!(failure(&record).code, "AliasUnknown");
    let reference = plane.reference(VPC, "net").await.unwrap();
    assert_eq!(reference.entry.state, EntryState::Unknown);
    assert!(plane.existing("AWS::EC2::VPC").await.is_empty());
}

#[tokio::test]
async fn an_update_that_aws_stopped_keeps_reference_and_resource() {
    let plane = Plane::start().await;
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Created);
    let latency = serde_json::json!({"latency": "20s..20s"});
    plane.control("POST", "settings", latency).await;
    let accepted = plane.submit(VPC, "net", put(vpc(false))).await.unwrap();
    let id = accepted.record.id();
    eventually("AWS has accepted the update", async || {
        let record = plane.store.operation_find(id).await.unwrap().unwrap();
        record.attempts().iter().any(|attempt| attempt.request_token.is_some())
    })
    .await;
    plane.engine.cancel(id).await.unwrap();
    let record = plane.finish(accepted).await;
    assert!(matches!(record.ending(), Some(Ending::Canceled(_))));
    let reference = plane.reference(VPC, "net").await.unwrap();
    assert_eq!(reference.documents.applied, Some(vpc(true)));
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1);
}
