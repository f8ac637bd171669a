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

/// What a resource of the type has, that is the only one.
async fn only(plane: &Plane, type_name: &str) -> Value {
    let all = plane.existing(type_name).await;
    assert_eq!(all.len(), 1);
    all[0]["properties"].clone()
}

#[tokio::test]
async fn a_list_with_a_secret_goes_when_it_is_stated_no_more() {
    let plane = Plane::start().await;
    let ask = |properties: Value, secret_paths: &[&str]| Ask::Put {
        identifier: None,
        properties,
        secret_paths: secret_paths.iter().map(|it| (*it).to_owned()).collect(),
        replace: false,
        adopt: None,
    };
    let tag = |key: &str, value: &str| json!({"Key": key, "Value": value});
    let logs = |tags: Value| json!({"LogGroupName": "logs", "RetentionInDays": 7, "Tags": tags});
    let bare = json!({"LogGroupName": "logs", "RetentionInDays": 7});
    let run = async |properties: Value, secret_paths: &[&str]| {
        let accepted = plane.submit(LOGS, "logs", ask(properties, secret_paths)).await.unwrap();
        done(&plane.finish(accepted).await)
    };
    let two = logs(json!([tag("b", "plain"), tag("a", CANARY)]));
    assert_eq!(run(two.clone(), &["/Tags/1/Value"]).await, SuccessKind::Created);
    assert_eq!(run(two, &["/Tags/1/Value"]).await, SuccessKind::Noop);
    // The item with the secret goes; the list is then too short for the path.
    assert_eq!(run(logs(json!([tag("b", "plain")])), &[]).await, SuccessKind::Updated);
    let shown = only(&plane, "AWS::Logs::LogGroup").await;
    assert!(
        !shown.to_string().contains("canary") && shown.to_string().contains("plain"),
        "{shown}"
    );
    assert_eq!(run(bare.clone(), &[]).await, SuccessKind::Updated);
    let shown = only(&plane, "AWS::Logs::LogGroup").await;
    assert!(!shown.to_string().contains("plain"), "{shown}");
    assert_eq!(run(bare.clone(), &[]).await, SuccessKind::Noop);

    let one = logs(json!([tag("a", CANARY)]));
    assert_eq!(run(one.clone(), &["/Tags/0/Value"]).await, SuccessKind::Updated);
    // A change of something else leaves it.
    let patch = Ask::Patch {
        identifier: None,
        properties: json!({"RetentionInDays": 14}),
        secret_paths: Vec::new(),
    };
    let accepted = plane.submit(LOGS, "logs", patch).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Updated);
    assert!(only(&plane, "AWS::Logs::LogGroup").await.to_string().contains(CANARY));
    assert_eq!(run(bare, &[]).await, SuccessKind::Updated);
    let shown = only(&plane, "AWS::Logs::LogGroup").await;
    assert!(!shown.to_string().contains("canary"), "{shown}");
}
