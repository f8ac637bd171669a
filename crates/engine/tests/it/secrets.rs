//! A secret is sealed while its operation runs, and afterwards nowhere.

use hangar_engine::Ask;
use hangar_plan::operation::SuccessKind;
use serde_json::{Value, json};

use crate::plane::{Plane, done, failure};
use crate::team::LOGS;

const CANARY: &str = "canary-5f1d0c-password";
const DATABASE: &str = "AWS.RDS/DBInstance";

fn database(password: &str) -> Value {
    json!({"DBInstanceIdentifier": "db", "DBInstanceClass": "db.t3.micro", "Engine": "postgres",
           "AllocatedStorage": "20", "MasterUsername": "admin", "MasterUserPassword": password})
}

#[tokio::test]
async fn a_password_is_in_no_file_and_its_change_is_seen() {
    let plane = Plane::start().await;
    let created = plane.put_of(DATABASE, "db", database(CANARY)).await;
    assert_eq!(done(&created), SuccessKind::Created);
    plane.forget_calls().await;
    assert_eq!(done(&plane.put_of(DATABASE, "db", database(CANARY)).await), SuccessKind::Noop);
    assert_eq!(plane.writes().await, 0);
    let changed = plane.put_of(DATABASE, "db", database("canary-5f1d0c-other")).await;
    assert_eq!(done(&changed), SuccessKind::Updated);
    let reference = plane.reference(DATABASE, "db").await.unwrap();
    assert_eq!(reference.documents.secrets.len(), 1);
    for (path, bytes) in plane.files() {
        let found = bytes.windows(13).any(|window| window == b"canary-5f1d0c");
        assert!(!found, "{}", path.display());
    }
}

#[tokio::test]
async fn what_was_once_called_secret_is_not_quoted_by_a_later_put_that_does_not_say_so() {
    let plane = Plane::start().await;
    let logs = |key: &str| {
        let key = format!("arn:aws:kms:eu-central-1:000000000042:key/{key}");
        json!({"LogGroupName": "logs", "KmsKeyId": key})
    };
    let first = Ask::Put {
        identifier: None,
        properties: logs("first"),
        secret_paths: vec!["/KmsKeyId".to_owned()],
        replace: false,
        adopt: None,
    };
    let accepted = plane.submit(LOGS, "logs", first).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Created);
    let quoted = format!("no key {}", logs(CANARY)["KmsKeyId"].as_str().unwrap());
    plane
        .arm(json!({"operation": "UpdateResource", "effect": "exception",
                    "exception": "InvalidRequestException", "message": quoted}))
        .await;
    let refused = plane.put_of(LOGS, "logs", logs(CANARY)).await;
    let message = &failure(&refused).message;
    assert!(message.contains("«secret»") && !message.contains("canary"), "{message}");
}
