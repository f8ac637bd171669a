//! What is ours and what is another's: only what certainly is another's is treated so.

use hangar_engine::Ask;
use hangar_plan::group::GroupTask;
use hangar_plan::operation::{EntryState, OperationId, SuccessKind};
use hangar_plan::record::DriftState;
use serde_json::{Value, json};

use crate::plane::{Plane, done, eventually, name, put};
use crate::team::{
    LOGS, change_elsewhere, delete_elsewhere, found, make_elsewhere, make_logs, run,
};

const LOG_GROUP: &str = "AWS::Logs::LogGroup";

async fn state(plane: &Plane) -> (DriftState, EntryState) {
    let seen = plane.engine.reference_check(&name(LOGS, "logs")).await.unwrap();
    (seen.drift.unwrap().state, seen.entry.state)
}

async fn last_operation(plane: &Plane) -> OperationId {
    plane.reference(LOGS, "logs").await.unwrap().last_operation.unwrap().0
}

fn marked(operation: OperationId) -> Value {
    json!({"LogGroupName": "logs",
           "Tags": [{"Key": "hangar:operation", "Value": operation.to_string()}]})
}

#[tokio::test]
async fn what_comes_back_is_ours_though_the_operation_that_made_it_is_forgotten() {
    let mut plane = Plane::start().await;
    make_logs(&plane, "logs", &[]).await;
    let made_by = last_operation(&plane).await;
    delete_elsewhere(&plane, LOG_GROUP, "logs").await;
    assert_eq!(state(&plane).await, (DriftState::Missing, EntryState::Missing));
    plane.pass(8 * 24, 0).await;
    plane.restart().await;
    eventually("the operation is forgotten", async || {
        plane.store.operation_find(made_by).await.unwrap().is_none()
    })
    .await;
    make_elsewhere(&plane, LOG_GROUP, marked(made_by)).await;
    assert_eq!(state(&plane).await, (DriftState::InSync, EntryState::Ready));
}

#[tokio::test]
async fn what_was_imported_and_comes_back_without_a_tag_is_ours_and_goes_with_the_group() {
    let plane = Plane::start().await;
    make_elsewhere(&plane, LOG_GROUP, json!({"LogGroupName": "logs"})).await;
    let import = Ask::Import {
        identifier: "logs".to_owned(),
        owned: true,
        properties: None,
        secret_paths: Vec::new(),
    };
    let accepted = plane.submit(LOGS, "logs", import).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Imported);
    delete_elsewhere(&plane, LOG_GROUP, "logs").await;
    assert_eq!(state(&plane).await, (DriftState::Missing, EntryState::Missing));
    make_elsewhere(&plane, LOG_GROUP, json!({"LogGroupName": "logs"})).await;
    assert_eq!(done(&run(&plane, GroupTask::Delete).await), SuccessKind::Deleted);
    assert!(found(&plane).await.is_none());
    assert!(plane.existing(LOG_GROUP).await.is_empty());
}

#[tokio::test]
async fn what_another_alias_made_and_this_one_took_in_is_ours_when_it_comes_back() {
    let plane = Plane::start().await;
    let made = plane.put_of(LOGS, "first", json!({"LogGroupName": "logs"})).await;
    let detach = Ask::Delete { identifier: None, mode: hangar_engine::DeleteMode::Detach };
    let accepted = plane.submit(LOGS, "first", detach).await.unwrap();
    plane.finish(accepted).await;
    crate::team::import(&plane, LOGS, "logs", "logs").await;
    delete_elsewhere(&plane, LOG_GROUP, "logs").await;
    assert_eq!(state(&plane).await.1, EntryState::Missing);
    make_elsewhere(&plane, LOG_GROUP, marked(made.id())).await;
    assert_eq!(state(&plane).await.1, EntryState::Ready);
}

#[tokio::test]
async fn after_an_update_the_lack_of_a_tag_proves_nothing() {
    let plane = Plane::start().await;
    make_logs(&plane, "logs", &[]).await;
    let kept = json!({"LogGroupName": "logs", "RetentionInDays": 7});
    assert_eq!(done(&plane.put_of(LOGS, "logs", kept.clone()).await), SuccessKind::Updated);
    delete_elsewhere(&plane, LOG_GROUP, "logs").await;
    assert_eq!(state(&plane).await.1, EntryState::Missing);
    make_elsewhere(&plane, LOG_GROUP, kept.clone()).await;
    plane.forget_calls().await;
    assert_eq!(done(&plane.put_of(LOGS, "logs", kept).await), SuccessKind::Noop);
    assert_eq!(plane.writes().await, 0);
}

#[tokio::test]
async fn what_is_adopted_loses_nothing_that_was_applied_to_another_of_its_name() {
    let plane = Plane::start().await;
    let ours = json!({"LogGroupName": "logs", "RetentionInDays": 7});
    assert_eq!(done(&plane.put_of(LOGS, "logs", ours).await), SuccessKind::Created);
    delete_elsewhere(&plane, LOG_GROUP, "logs").await;
    assert_eq!(state(&plane).await.1, EntryState::Missing);
    let theirs = json!({"LogGroupName": "logs", "RetentionInDays": 30});
    make_elsewhere(&plane, LOG_GROUP, theirs).await;
    let adopt = match put(json!({"LogGroupName": "logs"})) {
        Ask::Put { identifier, properties, secret_paths, replace, .. } => {
            Ask::Put { identifier, properties, secret_paths, replace, adopt: Some(false) }
        }
        other => other,
    };
    let accepted = plane.submit(LOGS, "logs", adopt).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Imported);
    let existing = plane.existing(LOG_GROUP).await;
    assert_eq!(existing[0]["properties"]["RetentionInDays"], json!(30));
    let documents = plane.reference(LOGS, "logs").await.unwrap().documents;
    assert_eq!(documents.applied, Some(json!({"LogGroupName": "logs"})));
    assert_eq!(documents.observed.unwrap()["RetentionInDays"], json!(30));
    // Nothing of the one before is known of this one: what differs now is what was applied to this one.
    change_elsewhere(&plane, LOG_GROUP, "logs", json!({"RetentionInDays": 60})).await;
    assert_eq!(state(&plane).await.0, DriftState::InSync);
}
