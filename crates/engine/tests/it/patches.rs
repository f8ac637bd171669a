//! Changing some of what is wanted, and applying again what was applied.

use hangar_engine::{Ask, Submission};
use hangar_plan::operation::SuccessKind;
use hangar_plan::record::Subject;
use serde_json::{Value, json};

use crate::plane::{Plane, VPC, done, failure, subject, vpc};

const DATABASE: &str = "AWS.RDS/DBInstance";

fn patch(properties: Value) -> Ask {
    Ask::Patch { identifier: None, properties, secret_paths: Vec::new() }
}

fn database(password: &str) -> Value {
    json!({"DBInstanceIdentifier": "db", "DBInstanceClass": "db.t3.micro", "Engine": "postgres",
           "AllocatedStorage": "20", "MasterUsername": "admin", "MasterUserPassword": password})
}

async fn patched(
    plane: &Plane,
    type_name: &str,
    alias: &str,
    properties: Value,
) -> hangar_plan::record::OperationRecord {
    let accepted = plane.submit(type_name, alias, patch(properties)).await.unwrap();
    plane.finish(accepted).await
}

async fn change_out_of_band(plane: &Plane, type_name: &str, identifier: &str, properties: Value) {
    let change = json!({"account": "42", "region": "eu-central-1", "type": type_name,
                        "identifier": identifier, "properties": properties});
    plane.control("PATCH", "resources", change).await;
}

#[tokio::test]
async fn a_patch_changes_what_it_states_and_keeps_the_rest() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    plane.forget_calls().await;
    let tags = json!({"Tags": [{"Key": "team", "Value": "web"}]});
    assert_eq!(done(&patched(&plane, VPC, "net", tags.clone()).await), SuccessKind::Updated);
    assert_eq!(plane.calls("UpdateResource").await, 1);
    let applied = plane.reference(VPC, "net").await.unwrap().documents.applied.unwrap();
    let mut whole = vpc(true);
    whole["Tags"] = tags["Tags"].clone();
    assert_eq!(applied, whole);
    // The same again is nothing, and so is a put of the whole.
    plane.forget_calls().await;
    assert_eq!(done(&patched(&plane, VPC, "net", tags).await), SuccessKind::Noop);
    assert_eq!(done(&plane.put("net", whole).await), SuccessKind::Noop);
    // A null removes what was applied.
    assert_eq!(
        done(&patched(&plane, VPC, "net", json!({"Tags": null})).await),
        SuccessKind::Updated
    );
    let applied = plane.reference(VPC, "net").await.unwrap().documents.applied.unwrap();
    assert_eq!(applied, vpc(true));
}

#[tokio::test]
async fn a_patch_makes_nothing_and_replaces_nothing() {
    let plane = Plane::start().await;
    let refused = plane.submit(VPC, "net", patch(json!({"EnableDnsSupport": true}))).await;
    assert_eq!(refused.unwrap_err().code, "ResourceNotFound");
    plane.put("net", vpc(true)).await;
    plane.forget_calls().await;
    let refused = patched(&plane, VPC, "net", json!({"CidrBlock": "10.9.0.0/16"})).await;
    assert_eq!(failure(&refused).code, "ReplaceRequired");
    assert_eq!(plane.writes().await, 0);
    // One whose resource is gone is not made again by a patch.
    let identifier = plane.identifier("net").await;
    let path = format!(
        "resources?type=AWS::EC2::VPC&identifier={identifier}&account=42&region=eu-central-1"
    );
    plane.control("DELETE", &path, Value::Null).await;
    let refused = patched(&plane, VPC, "net", json!({"EnableDnsSupport": false})).await;
    assert_eq!(failure(&refused).code, "ResourceNotFound");
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 0);
}

#[tokio::test]
async fn a_patch_by_id_needs_no_reference() {
    let plane = Plane::start().await;
    let made = json!({"account": "42", "region": "eu-central-1", "type": "AWS::EC2::VPC",
                      "properties": {"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true}});
    let made = plane.control("POST", "resources", made).await;
    let identifier = made["identifier"].as_str().unwrap().to_owned();
    let by_id = |identifier: &str| {
        let ask = Ask::Patch {
            identifier: Some(identifier.to_owned()),
            properties: json!({"EnableDnsSupport": false}),
            secret_paths: Vec::new(),
        };
        Submission::new(Subject { reference: None, ..subject(VPC, "x") }, ask)
    };
    let accepted = plane.engine.submit(by_id(&identifier)).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Updated);
    let accepted = plane.engine.submit(by_id("vpc-0000")).await.unwrap();
    assert_eq!(failure(&plane.finish(accepted).await).code, "ResourceNotFound");
}

#[tokio::test]
async fn a_patch_that_would_lose_a_password_is_refused_unless_it_carries_it() {
    let plane = Plane::start().await;
    plane.put_of(DATABASE, "db", database("first-password")).await;
    plane.forget_calls().await;
    let refused = patched(&plane, DATABASE, "db", json!({"AllocatedStorage": "40"})).await;
    assert_eq!(failure(&refused).code, "WriteOnlyValuesRequired");
    assert_eq!(failure(&refused).findings[0].path, "/MasterUserPassword");
    assert_eq!(plane.writes().await, 0);
    // One that changes nothing loses nothing, and the password is still known as applied.
    let nothing = patched(&plane, DATABASE, "db", json!({"AllocatedStorage": "20"})).await;
    assert_eq!(done(&nothing), SuccessKind::Noop);
    let again = plane.put_of(DATABASE, "db", database("first-password")).await;
    assert_eq!(done(&again), SuccessKind::Noop);
    let carried = json!({"AllocatedStorage": "40", "MasterUserPassword": "first-password"});
    assert_eq!(done(&patched(&plane, DATABASE, "db", carried).await), SuccessKind::Updated);
}

#[tokio::test]
async fn a_repair_applies_again_what_was_applied() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    let identifier = plane.identifier("net").await;
    change_out_of_band(&plane, "AWS::EC2::VPC", &identifier, json!({"EnableDnsSupport": false}))
        .await;
    let accepted = plane.submit(VPC, "net", Ask::Repair).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Updated);
    let existing = plane.existing("AWS::EC2::VPC").await;
    assert_eq!(existing[0]["properties"]["EnableDnsSupport"], json!(true));
    let accepted = plane.submit(VPC, "net", Ask::Repair).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Noop);
}

#[tokio::test]
async fn a_repair_that_would_lose_a_password_is_refused() {
    let plane = Plane::start().await;
    plane.put_of(DATABASE, "db", database("first-password")).await;
    change_out_of_band(&plane, "AWS::RDS::DBInstance", "db", json!({"AllocatedStorage": "99"}))
        .await;
    plane.forget_calls().await;
    let accepted = plane.submit(DATABASE, "db", Ask::Repair).await.unwrap();
    assert_eq!(failure(&plane.finish(accepted).await).code, "WriteOnlyValuesRequired");
    assert_eq!(plane.writes().await, 0);
}

#[tokio::test]
async fn what_was_imported_and_never_applied_has_nothing_to_repair() {
    let plane = Plane::start().await;
    let made = json!({"account": "42", "region": "eu-central-1", "type": "AWS::EC2::VPC",
                      "properties": {"CidrBlock": "10.0.0.0/16"}});
    let made = plane.control("POST", "resources", made).await;
    let import = Ask::Import {
        identifier: made["identifier"].as_str().unwrap().to_owned(),
        owned: false,
        properties: None,
        secret_paths: Vec::new(),
    };
    let accepted = plane.submit(VPC, "net", import).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Imported);
    let refused = plane.submit(VPC, "net", Ask::Repair).await;
    assert_eq!(refused.unwrap_err().code, "NothingApplied");
}

#[tokio::test]
async fn a_patch_that_removes_a_password_is_taken_and_the_password_is_off_the_record() {
    let plane = Plane::start().await;
    plane.put_of(DATABASE, "db", database("first-password")).await;
    assert_eq!(plane.reference(DATABASE, "db").await.unwrap().documents.secrets.len(), 1);
    let without = json!({"AllocatedStorage": "40", "MasterUserPassword": null});
    assert_eq!(done(&patched(&plane, DATABASE, "db", without).await), SuccessKind::Updated);
    assert!(plane.reference(DATABASE, "db").await.unwrap().documents.secrets.is_empty());
    // Nothing is on record that a later change would lose.
    let more = patched(&plane, DATABASE, "db", json!({"AllocatedStorage": "60"})).await;
    assert_eq!(done(&more), SuccessKind::Updated);
}
