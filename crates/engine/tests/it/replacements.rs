//! One resource in the place of another: what is refused before anything is deleted, what is known after.

use hangar_engine::Ask;
use hangar_plan::operation::{EntryState, SuccessKind};
use serde_json::{Value, json};

use crate::plane::{Plane, done, failure};
use crate::team::{LOGS, make_logs};

const LOG_GROUP: &str = "AWS::Logs::LogGroup";

pub(crate) fn replacing(properties: Value) -> Ask {
    Ask::Put { identifier: None, properties, secret_paths: Vec::new(), replace: true, adopt: None }
}

#[tokio::test]
async fn a_new_name_that_another_alias_has_is_refused_before_the_old_one_is_deleted() {
    let plane = Plane::start().await;
    make_logs(&plane, "one", &[]).await;
    make_logs(&plane, "two", &[]).await;
    plane.forget_calls().await;
    let taken = replacing(json!({"LogGroupName": "two"}));
    let refused = plane.submit(LOGS, "one", taken).await.unwrap_err();
    assert_eq!(refused.code, "ResourceMapped");
    assert_eq!(plane.writes().await, 0);
    assert_eq!(plane.existing(LOG_GROUP).await.len(), 2);
    let free = replacing(json!({"LogGroupName": "three"}));
    let accepted = plane.submit(LOGS, "one", free).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Replaced);
}

#[tokio::test]
async fn what_is_known_of_the_old_one_is_not_told_of_a_new_one_that_failed() {
    let plane = Plane::start().await;
    let old = json!({"LogGroupName": "old", "RetentionInDays": 7});
    assert_eq!(done(&plane.put_of(LOGS, "logs", old).await), SuccessKind::Created);
    plane
        .arm(json!({"operation": "CreateResource", "effect": "fail", "code": "NotStabilized",
                    "withIdentifier": true}))
        .await;
    let accepted =
        plane.submit(LOGS, "logs", replacing(json!({"LogGroupName": "new"}))).await.unwrap();
    assert_eq!(failure(&plane.finish(accepted).await).code, "NotStabilized");
    let reference = plane.reference(LOGS, "logs").await.unwrap();
    assert_eq!(reference.entry.identifier.as_deref(), Some("new"));
    assert_eq!(reference.entry.state, EntryState::Failed);
    assert_eq!(reference.documents.applied, None);
    assert_eq!(reference.documents.observed, None);
    assert_eq!(reference.documents.observed_at, None);
}
