//! Lost answers, refusals and failures: what is certain is done, what is not is looked for.

use hangar_plan::operation::{EntryState, FailureKind, SuccessKind};
use serde_json::json;

use crate::plane::{Plane, VPC, done, failure, vpc};

#[tokio::test]
async fn a_lost_answer_is_asked_for_again_and_makes_one_resource() {
    let plane = Plane::start().await;
    plane
        .arm(json!({"operation": "CreateResource", "effect": "drop-reply", "when": "after"}))
        .await;
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Created);
    assert_eq!(plane.calls("CreateResource").await, 2);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1);
}

#[tokio::test]
async fn a_throttled_create_is_tried_again() {
    let plane = Plane::start().await;
    plane
        .arm(json!({"operation": "CreateResource", "times": 2, "effect": "exception",
                    "exception": "ThrottlingException"}))
        .await;
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Created);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1);
}

#[tokio::test]
async fn a_refused_create_frees_the_alias() {
    let plane = Plane::start().await;
    plane
        .arm(json!({"operation": "CreateResource", "effect": "exception",
                    "exception": "InvalidRequestException", "message": "no"}))
        .await;
    let record = plane.put("net", vpc(true)).await;
    assert_eq!(failure(&record).code, "InvalidRequestException");
    assert!(plane.reference(VPC, "net").await.is_none());
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Created);
}

#[tokio::test]
async fn a_refusal_after_a_lost_answer_is_settled_by_look_up() {
    let plane = Plane::start().await;
    plane
        .arm(json!({"operation": "CreateResource", "effect": "drop-reply", "when": "after"}))
        .await;
    plane
        .arm(json!({"operation": "CreateResource", "nth": 1, "effect": "exception",
                    "exception": "InvalidCredentialsException", "message": "revoked"}))
        .await;
    // The first call was accepted, the second refused: the marker tag tells which resource it is.
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Created);
    let existing = plane.existing("AWS::EC2::VPC").await;
    assert_eq!(existing.len(), 1);
    assert_eq!(json!(plane.identifier("net").await), existing[0]["identifier"]);
}

#[tokio::test]
async fn what_cannot_be_told_parks_the_alias_and_refuses_the_next_write() {
    let plane = Plane::start().await;
    // Never accepted, but nobody can know for twenty minutes.
    plane
        .arm(json!({"operation": "CreateResource", "effect": "drop-reply", "when": "before"}))
        .await;
    plane
        .arm(json!({"operation": "CreateResource", "effect": "exception",
                    "exception": "InvalidCredentialsException", "message": "revoked"}))
        .await;
    let record = plane.put("net", vpc(true)).await;
    assert_eq!(failure(&record).kind, FailureKind::Unknown);
    assert_eq!(failure(&record).code, "AliasUnknown");
    let reference = plane.reference(VPC, "net").await.unwrap();
    assert_eq!(reference.entry.state, EntryState::Unknown);
    assert_eq!(reference.entry.unsettled.len(), 1);
    let again = plane.put("net", vpc(true)).await;
    assert_eq!(failure(&again).code, "AliasUnknown");
    assert!(plane.existing("AWS::EC2::VPC").await.is_empty());
}

#[tokio::test]
async fn a_create_that_failed_and_names_a_resource_keeps_it() {
    let plane = Plane::start().await;
    plane
        .arm(json!({"operation": "CreateResource", "effect": "fail", "code": "NotStabilized",
                    "withIdentifier": true}))
        .await;
    let record = plane.put("net", vpc(true)).await;
    assert_eq!(failure(&record).code, "NotStabilized");
    let reference = plane.reference(VPC, "net").await.unwrap();
    assert_eq!(reference.entry.state, EntryState::Failed);
    assert!(reference.entry.identifier.is_some());
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Noop);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1);
}

#[tokio::test]
async fn a_transient_failure_is_tried_anew_with_a_new_token() {
    let plane = Plane::start().await;
    plane
        .arm(
            json!({"operation": "CreateResource", "effect": "fail", "code": "ServiceInternalError",
                    "withIdentifier": false}),
        )
        .await;
    let record = plane.put("net", vpc(true)).await;
    assert_eq!(done(&record), SuccessKind::Created);
    assert_eq!(record.attempts().len(), 2);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1);
}

#[tokio::test]
async fn a_tag_that_is_not_allowed_is_left_out() {
    let plane = Plane::start().await;
    plane
        .arm(json!({"operation": "CreateResource", "effect": "fail",
                    "code": "UnauthorizedTaggingOperation", "withIdentifier": false}))
        .await;
    let record = plane.put("net", vpc(true)).await;
    assert_eq!(done(&record), SuccessKind::Created);
    assert_eq!(record.warnings.len(), 1);
    let existing = plane.existing("AWS::EC2::VPC").await;
    assert!(!existing[0].to_string().contains("hangar:operation"), "{}", existing[0]);
}

#[tokio::test]
async fn a_failed_update_keeps_reference_and_applied_document() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    plane
        .arm(json!({"operation": "UpdateResource", "effect": "fail", "code": "ResourceConflict",
                    "message": "in use"}))
        .await;
    let record = plane.put("net", vpc(false)).await;
    assert_eq!(failure(&record).code, "ResourceConflict");
    assert_eq!(failure(&record).message, "in use");
    let reference = plane.reference(VPC, "net").await.unwrap();
    assert_eq!(reference.entry.state, EntryState::Failed);
    assert_eq!(reference.documents.applied, Some(vpc(true)));
    assert_eq!(done(&plane.put("net", vpc(false)).await), SuccessKind::Updated);
}

#[tokio::test]
async fn what_took_the_name_of_a_failed_create_is_neither_changed_nor_deleted() {
    let plane = Plane::start().await;
    let name = "AWS.Logs/LogGroup";
    for alias in ["changed", "deleted"] {
        plane
            .arm(json!({"operation": "CreateResource", "effect": "fail", "code": "GeneralServiceException",
                        "withIdentifier": true}))
            .await;
        let group = json!({"LogGroupName": alias});
        let record = plane.put_of(name, alias, group.clone()).await;
        assert_eq!(failure(&record).code, "GeneralServiceException");
        // It was there though its create failed; it goes, and a stranger takes the name.
        let path = format!(
            "resources?type=AWS::Logs::LogGroup&identifier={alias}&account=42&region=eu-central-1"
        );
        plane.control("DELETE", &path, serde_json::Value::Null).await;
        let theirs = json!({"account": "42", "region": "eu-central-1", "type": "AWS::Logs::LogGroup",
                            "properties": group});
        plane.control("POST", "resources", theirs).await;
    }
    plane.forget_calls().await;
    let ask = hangar_engine::Ask::Delete {
        identifier: None,
        mode: hangar_engine::DeleteMode::ByOwnership,
    };
    let accepted = plane.submit(name, "deleted", ask).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Unlinked);
    assert_eq!(plane.calls("DeleteResource").await, 0);
    let wanted = json!({"LogGroupName": "changed", "RetentionInDays": 7});
    let accepted = plane.submit(name, "changed", crate::plane::put(wanted)).await.unwrap();
    plane.pass(0, 2).await;
    assert_eq!(failure(&plane.finish(accepted).await).code, "AlreadyExists");
    assert_eq!(plane.calls("UpdateResource").await, 0);
    assert_eq!(plane.existing("AWS::Logs::LogGroup").await.len(), 2);
}

#[tokio::test]
async fn what_was_never_made_is_nobodys_to_delete() {
    let plane = Plane::start().await;
    let name = "AWS.Logs/LogGroup";
    plane
        .arm(json!({"operation": "CreateResource", "effect": "fail", "code": "AccessDenied"}))
        .await;
    let group = json!({"LogGroupName": "x", "RetentionInDays": 3});
    let record = plane.put_of(name, "x", group.clone()).await;
    assert_eq!(failure(&record).code, "AccessDenied");
    let theirs = json!({"account": "42", "region": "eu-central-1", "type": "AWS::Logs::LogGroup",
                        "properties": {"LogGroupName": "x", "RetentionInDays": 365}});
    plane.control("POST", "resources", theirs).await;
    plane.pass(0, 2).await;
    let record = plane.put_of(name, "x", group).await;
    assert_eq!(failure(&record).code, "AlreadyExists");
    if plane.reference(name, "x").await.is_some() {
        let ask = hangar_engine::Ask::Delete {
            identifier: None,
            mode: hangar_engine::DeleteMode::ByOwnership,
        };
        let accepted = plane.submit(name, "x", ask).await.unwrap();
        assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Unlinked);
    }
    assert_eq!(plane.calls("DeleteResource").await, 0);
    assert_eq!(plane.existing("AWS::Logs::LogGroup").await.len(), 1);
}
