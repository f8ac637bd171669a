//! How one resource stands to what was applied: what is found, what is kept of it, and what is not touched.

use hangar_engine::{Ask, DeleteMode, etag_of_reference};
use hangar_plan::operation::{EntryState, FailureKind, SuccessKind};
use hangar_plan::record::{Drift, DriftState, Reference};
use hangar_simulator::core::settings::Settings;
use hangar_store::ReferenceFilter;
use serde_json::{Value, json};

use crate::plane::{Plane, VPC, done, failure, name, put, vpc};
use crate::team::{LOGS, change_elsewhere, delete_elsewhere, import, make_elsewhere, make_logs};

const EC2_VPC: &str = "AWS::EC2::VPC";
const DATABASE: &str = "AWS.RDS/DBInstance";

async fn check(plane: &Plane, type_name: &str, alias: &str) -> Reference {
    let checked = plane.engine.reference_check(&name(type_name, alias)).await.unwrap();
    let kept = plane.reference(type_name, alias).await.unwrap();
    assert_eq!(checked, kept, "what is shown is what is kept");
    checked
}

fn drift(reference: &Reference) -> &Drift {
    reference.drift.as_ref().unwrap()
}

fn database() -> Value {
    json!({"DBInstanceIdentifier": "db", "DBInstanceClass": "db.t3.micro", "Engine": "postgres",
           "AllocatedStorage": "20", "MasterUsername": "admin", "MasterUserPassword": "hunter2hunter2"})
}

#[tokio::test]
async fn what_is_as_it_was_applied_is_in_sync_and_keeps_its_etag() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    let before = plane.reference(VPC, "net").await.unwrap();
    plane.forget_calls().await;
    let after = check(&plane, VPC, "net").await;
    assert_eq!(drift(&after).state, DriftState::InSync);
    assert!(drift(&after).paths.is_empty());
    assert!(after.documents.observed_at > before.documents.observed_at);
    assert_eq!(etag_of_reference(&after), etag_of_reference(&before));
    assert_eq!(after.entry, before.entry);
    assert_eq!((plane.calls("GetResource").await, plane.writes().await), (1, 0));
}

#[tokio::test]
async fn what_was_changed_is_told_by_path_and_nothing_but_what_was_observed_moves() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    let before = plane.reference(VPC, "net").await.unwrap();
    let identifier = plane.identifier("net").await;
    change_elsewhere(&plane, EC2_VPC, &identifier, json!({"EnableDnsSupport": false})).await;
    let after = check(&plane, VPC, "net").await;
    assert_eq!(drift(&after).state, DriftState::Drifted);
    assert_eq!(drift(&after).paths, ["/EnableDnsSupport"]);
    let differences = json!([{"path": "/EnableDnsSupport", "applied": true, "live": false}]);
    assert_eq!(json!(drift(&after).differences), differences);
    assert_eq!(drift(&after).reason, None);
    assert_eq!(after.documents.applied, before.documents.applied);
    assert_eq!(after.documents.secrets, before.documents.secrets);
    assert_eq!(after.documents.observed.as_ref().unwrap()["EnableDnsSupport"], json!(false));
    assert_ne!(etag_of_reference(&after), etag_of_reference(&before));
    let mut as_before = after.clone();
    as_before.documents.observed = before.documents.observed.clone();
    assert_eq!(etag_of_reference(&as_before), etag_of_reference(&before));
    assert_eq!(plane.calls("UpdateResource").await, 0);

    // A repair mends it; what was found before is no longer told.
    let accepted = plane.submit(VPC, "net", Ask::Repair).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Updated);
    assert_eq!(plane.reference(VPC, "net").await.unwrap().drift, None);
    assert_eq!(drift(&check(&plane, VPC, "net").await).state, DriftState::InSync);
}

#[tokio::test]
async fn what_was_never_applied_is_no_drift() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    let identifier = plane.identifier("net").await;
    let tags = json!({"Tags": [{"Key": "by", "Value": "somebody"}], "EnableDnsHostnames": true});
    change_elsewhere(&plane, EC2_VPC, &identifier, tags).await;
    assert_eq!(drift(&check(&plane, VPC, "net").await).state, DriftState::InSync);
}

#[tokio::test]
async fn where_only_a_replacement_mends_it_that_is_the_reason() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    let identifier = plane.identifier("net").await;
    change_elsewhere(&plane, EC2_VPC, &identifier, json!({"CidrBlock": "10.9.0.0/16"})).await;
    let after = check(&plane, VPC, "net").await;
    assert_eq!(drift(&after).state, DriftState::Drifted);
    assert_eq!(drift(&after).paths, ["/CidrBlock"]);
    assert!(drift(&after).reason.as_ref().unwrap().contains("replacement"));
}

#[tokio::test]
async fn write_only_values_are_no_drift_and_other_paths_are_told_beside_them() {
    let plane = Plane::start().await;
    let created = plane.put_of(DATABASE, "db", database()).await;
    assert_eq!(done(&created), SuccessKind::Created);
    assert_eq!(drift(&check(&plane, DATABASE, "db").await).state, DriftState::InSync);
    let grown = json!({"AllocatedStorage": "40", "MasterUserPassword": "another-one"});
    change_elsewhere(&plane, "AWS::RDS::DBInstance", "db", grown).await;
    let after = check(&plane, DATABASE, "db").await;
    assert_eq!(drift(&after).state, DriftState::Drifted);
    assert_eq!(drift(&after).paths, ["/AllocatedStorage"]);
    let differences = json!([{"path": "/AllocatedStorage", "applied": "20", "live": "40"}]);
    assert_eq!(json!(drift(&after).differences), differences);
    let shown = after.documents.observed.as_ref().unwrap().to_string();
    assert!(!shown.contains("another-one") && !shown.contains("hunter2"), "{shown}");
}

#[tokio::test]
async fn an_object_of_which_only_write_only_values_were_stated_is_no_drift() {
    const FUNCTION: &str = "AWS.Lambda/Function";
    let plane = Plane::start().await;
    let function = json!({"FunctionName": "fn", "Role": "arn:aws:iam::000000000042:role/r",
                          "Runtime": "python3.13", "Handler": "index.main", "MemorySize": 128,
                          "Code": {"ZipFile": "x"}});
    let created = plane.put_of(FUNCTION, "fn", function).await;
    assert_eq!(done(&created), SuccessKind::Created);
    let found = check(&plane, FUNCTION, "fn").await;
    assert_eq!(drift(&found).paths, Vec::<String>::new());
    assert_eq!(drift(&found).state, DriftState::InSync);
    change_elsewhere(&plane, "AWS::Lambda::Function", "fn", json!({"MemorySize": 256})).await;
    let found = check(&plane, FUNCTION, "fn").await;
    assert_eq!(drift(&found).paths, ["/MemorySize"]);
}

#[tokio::test]
async fn what_is_gone_is_missing_and_listed_so_until_it_is_back() {
    let plane = Plane::start().await;
    make_logs(&plane, "logs", &[]).await;
    let before = plane.reference(LOGS, "logs").await.unwrap();
    delete_elsewhere(&plane, "AWS::Logs::LogGroup", "logs").await;
    plane.forget_calls().await;
    let after = check(&plane, LOGS, "logs").await;
    assert_eq!(drift(&after).state, DriftState::Missing);
    assert_eq!(after.entry.state, EntryState::Missing);
    assert_eq!(after.documents.observed, before.documents.observed);
    assert_eq!(plane.calls("GetResource").await, 2);
    let filter = ReferenceFilter { state: Some(EntryState::Missing), ..Default::default() };
    assert_eq!(plane.store.reference_list(&filter, None, 10).await.unwrap().len(), 1);

    // Another's resource of that name is not ours.
    make_elsewhere(&plane, "AWS::Logs::LogGroup", json!({"LogGroupName": "logs"})).await;
    assert_eq!(drift(&check(&plane, LOGS, "logs").await).state, DriftState::Missing);
    delete_elsewhere(&plane, "AWS::Logs::LogGroup", "logs").await;
    let again = plane.put_of(LOGS, "logs", json!({"LogGroupName": "logs"})).await;
    assert_eq!(done(&again), SuccessKind::Created);
    assert_eq!(drift(&check(&plane, LOGS, "logs").await).state, DriftState::InSync);
    assert_eq!(plane.reference(LOGS, "logs").await.unwrap().entry.state, EntryState::Ready);
}

#[tokio::test]
async fn a_repair_of_what_is_gone_makes_one_resource_for_the_alias() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    let before = plane.identifier("net").await;
    delete_elsewhere(&plane, EC2_VPC, &before).await;
    plane.forget_calls().await;
    let accepted = plane.submit(VPC, "net", Ask::Repair).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Created);
    assert_eq!(plane.calls("CreateResource").await, 1);
    assert_eq!(plane.existing(EC2_VPC).await.len(), 1);
    assert_ne!(plane.identifier("net").await, before);
    assert_eq!(drift(&check(&plane, VPC, "net").await).state, DriftState::InSync);
}

#[tokio::test]
async fn one_read_that_finds_nothing_is_not_believed() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    plane
        .arm(json!({"operation": "GetResource", "effect": "exception",
                    "exception": "ResourceNotFoundException"}))
        .await;
    plane.forget_calls().await;
    let after = check(&plane, VPC, "net").await;
    assert_eq!(drift(&after).state, DriftState::InSync);
    assert_eq!(plane.calls("GetResource").await, 2);
}

#[tokio::test]
async fn what_was_imported_as_it_is_cannot_be_compared_but_can_be_missed() {
    let plane = Plane::start().await;
    let theirs = make_elsewhere(&plane, EC2_VPC, vpc(true)).await;
    import(&plane, VPC, "theirs", &theirs).await;
    let after = check(&plane, VPC, "theirs").await;
    assert_eq!(drift(&after).state, DriftState::Unknown);
    assert!(drift(&after).reason.as_ref().unwrap().contains("no properties were applied"));
    assert!(after.documents.observed.is_some());
    delete_elsewhere(&plane, EC2_VPC, &theirs).await;
    assert_eq!(drift(&check(&plane, VPC, "theirs").await).state, DriftState::Missing);
}

#[tokio::test]
async fn a_type_that_cannot_be_read_is_unknown_without_a_call() {
    let plane = Plane::start().await;
    let policy = json!({"Topics": ["arn:aws:sns:eu-central-1:000000000042:t"],
        "PolicyDocument": {"Version": "2012-10-17", "Statement": []}});
    let created = plane.put_of("AWS.SNS/TopicPolicy", "policy", policy).await;
    assert_eq!(done(&created), SuccessKind::Created);
    plane.forget_calls().await;
    let after = check(&plane, "AWS.SNS/TopicPolicy", "policy").await;
    assert_eq!(drift(&after).state, DriftState::Unknown);
    assert!(drift(&after).reason.as_ref().unwrap().contains("cannot read"));
    assert_eq!(plane.calls("GetResource").await, 0);
}

#[tokio::test]
async fn an_alias_whose_create_is_not_settled_is_unknown_without_a_call() {
    let plane = Plane::start().await;
    plane
        .arm(json!({"operation": "CreateResource", "effect": "drop-reply", "when": "before"}))
        .await;
    plane
        .arm(json!({"operation": "CreateResource", "effect": "exception",
                    "exception": "InvalidCredentialsException", "message": "revoked"}))
        .await;
    assert_eq!(failure(&plane.put("net", vpc(true)).await).code, "AliasUnknown");
    plane.forget_calls().await;
    let after = check(&plane, VPC, "net").await;
    assert_eq!(drift(&after).state, DriftState::Unknown);
    assert_eq!(after.entry.state, EntryState::Unknown);
    assert!(drift(&after).reason.as_ref().unwrap().contains("the outcome of a create is unknown"));
    assert_eq!(plane.calls("GetResource").await, 0);
}

#[tokio::test]
async fn a_create_that_failed_and_may_have_left_something_is_not_missing_at_once() {
    let plane = Plane::start().await;
    plane
        .arm(json!({"operation": "CreateResource", "effect": "fail", "code": "NotStabilized",
                    "withIdentifier": true}))
        .await;
    plane.put("net", vpc(true)).await;
    let identifier = plane.identifier("net").await;
    delete_elsewhere(&plane, EC2_VPC, &identifier).await;
    assert_eq!(drift(&check(&plane, VPC, "net").await).state, DriftState::Unknown);
    plane.pass(0, 2).await;
    assert_eq!(drift(&check(&plane, VPC, "net").await).state, DriftState::Missing);
}

#[tokio::test]
async fn what_aws_refuses_to_show_is_unknown_with_its_words() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    plane
        .arm(json!({"operation": "GetResource", "effect": "exception",
                    "exception": "AccessDeniedException", "message": "not for you"}))
        .await;
    let after = check(&plane, VPC, "net").await;
    assert_eq!(drift(&after).state, DriftState::Unknown);
    assert!(drift(&after).reason.as_ref().unwrap().contains("not for you"));
    assert_eq!(after.entry.state, EntryState::Ready);
}

#[tokio::test]
async fn a_cloud_that_is_asked_too_often_is_a_failure_and_what_was_found_before_stays() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    let before = check(&plane, VPC, "net").await;
    plane
        .arm(json!({"operation": "GetResource", "effect": "exception",
                    "exception": "ThrottlingException"}))
        .await;
    let refused = plane.engine.reference_check(&name(VPC, "net")).await.unwrap_err();
    assert_eq!(refused.kind, FailureKind::Throttled);
    assert_eq!(plane.reference(VPC, "net").await.unwrap(), before);
}

#[tokio::test]
async fn what_is_being_written_is_left_alone_and_what_is_not_there_is_not_found() {
    let settings = Settings { latency: "20s..20s".parse().unwrap(), ..Settings::default() };
    let plane = Plane::start_with(settings).await;
    plane.submit(VPC, "net", put(vpc(true))).await.unwrap();
    let shown = plane.engine.reference_check(&name(VPC, "net")).await.unwrap();
    assert_eq!(shown.drift, None);
    assert!(shown.entry.operation.is_some());
    assert_eq!(plane.calls("GetResource").await, 0);
    let refused = plane.engine.reference_check(&name(VPC, "other")).await.unwrap_err();
    assert_eq!((refused.code.as_str(), refused.kind), ("ResourceNotFound", FailureKind::NotFound));
}

#[tokio::test]
async fn a_write_in_between_is_seen() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    plane.arm(json!({"operation": "GetResource", "effect": "delay", "millis": 400})).await;
    let (slow, name) = (plane.engine.clone(), name(VPC, "net"));
    let looking = tokio::spawn(async move { slow.reference_check(&name).await });
    crate::plane::eventually("the look has begun", async || plane.calls("GetResource").await >= 1)
        .await;
    let detach = Ask::Delete { identifier: None, mode: DeleteMode::Detach };
    let accepted = plane.submit(VPC, "net", detach).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Unlinked);
    let refused = looking.await.unwrap().unwrap_err();
    assert_eq!(refused.code, "ResourceNotFound");
    assert!(plane.reference(VPC, "net").await.is_none());
}
