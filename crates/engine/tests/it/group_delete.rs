//! Deleting a group: what is owned goes in order, what is imported stays, and what refuses is told.

use std::collections::BTreeSet;
use std::time::Duration;

use hangar_engine::{Ask, Condition, DeleteMode, Parent, Submission, etag_of_group};
use hangar_plan::group::GroupTask;
use hangar_plan::operation::{Ending, FailureKind, SuccessKind};
use hangar_plan::record::{GroupState, OperationRecord, Repeatability};
use hangar_simulator::core::settings::Settings;
use hangar_store::OperationFilter;
use serde_json::{Value, json};

use crate::deployments;
use crate::plane::{Plane, VPC, done, eventually, failure, group, name, put, subject, vpc};
use crate::team::{
    LOGS, ask, asking, called, found, import, left, make_elsewhere, make_logs, make_many, messages,
    run, tally,
};

const DELETE: GroupTask = GroupTask::Delete;

async fn slow(latency: &str) -> Plane {
    let settings = Settings { latency: latency.parse().unwrap(), ..Settings::default() };
    Plane::start_with(settings).await
}

async fn latency(plane: &Plane, latency: &str) {
    plane.control("POST", "settings", json!({"latency": latency})).await;
}

/// A delete of one log group that AWS refuses, so many times.
async fn refuse(plane: &Plane, identifier: &str, times: u32) {
    plane
        .arm(json!({"operation": "DeleteResource", "identifier": identifier, "times": times,
                    "effect": "fail", "code": "InvalidRequest", "message": "in use"}))
        .await;
}

#[tokio::test]
async fn what_is_owned_goes_and_what_is_imported_stays() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    make_logs(&plane, "logs", &[]).await;
    let theirs = make_elsewhere(&plane, "AWS::EC2::VPC", vpc(true)).await;
    import(&plane, VPC, "theirs", &theirs).await;

    let record = run(&plane, DELETE).await;
    assert_eq!(done(&record), SuccessKind::Deleted);
    assert_eq!((tally(&record).done, tally(&record).refused), (3, 0));
    assert!(found(&plane).await.is_none());
    assert!(left(&plane).await.is_empty());
    let existing = plane.existing("AWS::EC2::VPC").await;
    assert_eq!(existing.len(), 1);
    assert_eq!(existing[0]["identifier"], json!(theirs));
    assert!(plane.existing("AWS::Logs::LogGroup").await.is_empty());

    let filter = OperationFilter { parent: Some(record.id()), ..OperationFilter::default() };
    let children = plane.store.operation_list(&filter, None, 10).await.unwrap();
    let kinds: BTreeSet<&str> = children.iter().map(OperationRecord::kind).collect();
    assert_eq!((children.len(), kinds), (3, BTreeSet::from(["delete", "unlink"])));
    assert_eq!(ask(&plane, DELETE).await.unwrap_err().code, "ResourceGroupNotFound");
}

#[tokio::test]
async fn an_empty_group_goes() {
    let plane = Plane::start().await;
    assert_eq!(done(&run(&plane, DELETE).await), SuccessKind::Deleted);
    assert!(found(&plane).await.is_none());
}

#[tokio::test]
async fn what_depends_on_others_goes_before_them() {
    let plane = Plane::start().await;
    make_logs(&plane, "c", &[]).await;
    make_logs(&plane, "B", &["c"]).await;
    make_logs(&plane, "a", &["b"]).await;
    make_logs(&plane, "d", &["C"]).await;
    assert_eq!(done(&run(&plane, DELETE).await), SuccessKind::Deleted);
    let order = called(&plane, "DeleteResource").await;
    assert_eq!(order.len(), 4);
    let place = |identifier: &str| order.iter().position(|it| it == identifier).unwrap();
    assert!(place("a") < place("B") && place("B") < place("c") && place("d") < place("c"));
}

#[tokio::test]
async fn references_that_depend_on_each_other_go_all_the_same() {
    let plane = Plane::start().await;
    make_logs(&plane, "a", &["b"]).await;
    make_logs(&plane, "b", &["a"]).await;
    make_logs(&plane, "c", &["c"]).await;
    assert_eq!(done(&run(&plane, DELETE).await), SuccessKind::Deleted);
}

#[tokio::test]
async fn what_aws_refuses_is_tried_again_when_others_are_gone() {
    let plane = Plane::start().await;
    make_logs(&plane, "a", &[]).await;
    make_logs(&plane, "b", &[]).await;
    refuse(&plane, "a", 1).await;
    let record = run(&plane, DELETE).await;
    assert_eq!(done(&record), SuccessKind::Deleted);
    let said = messages(&plane, &record).await;
    assert!(said.iter().any(|it| it.starts_with("round 1: 1 deleted, 1 refused")), "{said:?}");
    assert_eq!(plane.calls("DeleteResource").await, 3);
}

#[tokio::test]
async fn what_will_not_go_is_told_and_the_group_takes_writes_again() {
    let plane = Plane::start().await;
    for alias in ["a", "b", "c"] {
        make_logs(&plane, alias, &[]).await;
    }
    refuse(&plane, "b", 1000).await;
    let record = run(&plane, DELETE).await;
    let refused = failure(&record);
    assert_eq!((refused.code.as_str(), refused.kind), ("GroupNotEmpty", FailureKind::Conflict));
    assert!(refused.message.contains("1 resource "), "{}", refused.message);
    assert_eq!(refused.findings.len(), 1);
    assert_eq!(refused.findings[0].path, name(LOGS, "b").id());
    assert_eq!(refused.findings[0].code, "InvalidRequest");
    assert_eq!(refused.findings[0].message, "in use");
    assert_eq!((tally(&record).done, tally(&record).refused), (2, 1));
    let group = found(&plane).await.unwrap();
    assert_eq!((group.state, group.operation), (GroupState::Ready, None));

    make_logs(&plane, "d", &[]).await;
    plane.control("DELETE", "faults", Value::Null).await;
    assert_eq!(done(&run(&plane, DELETE).await), SuccessKind::Deleted);
    assert!(plane.existing("AWS::Logs::LogGroup").await.is_empty());
}

#[tokio::test]
async fn a_part_of_a_deletion_that_comes_late_deletes_nothing() {
    let plane = Plane::start().await;
    make_logs(&plane, "a", &[]).await;
    refuse(&plane, "a", 1000).await;
    let record = run(&plane, DELETE).await;
    assert_eq!(failure(&record).code, "GroupNotEmpty");
    plane.control("DELETE", "faults", Value::Null).await;
    let late = |parent| Submission {
        parent,
        ..Submission::new(
            subject(LOGS, "a"),
            Ask::Delete { identifier: None, mode: DeleteMode::ByOwnership },
        )
    };
    let refused = plane.engine.submit(late(Some(Parent::Deletion(record.id())))).await.unwrap_err();
    assert_eq!((refused.code.as_str(), refused.kind), ("GroupReopened", FailureKind::Conflict));
    assert_eq!(plane.existing("AWS::Logs::LogGroup").await.len(), 1);
    let accepted = plane.engine.submit(late(None)).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Deleted);
}

#[tokio::test]
async fn a_group_that_goes_takes_no_writes_and_a_second_delete_is_the_first() {
    let plane = Plane::start().await;
    make_logs(&plane, "logs", &[]).await;
    latency(&plane, "1s..1s").await;
    let accepted = ask(&plane, DELETE).await.unwrap();
    assert_eq!(found(&plane).await.unwrap().state, GroupState::Deleting);
    let refused = plane.submit(VPC, "net", put(vpc(true))).await.unwrap_err();
    assert_eq!((refused.code.as_str(), refused.kind), ("GroupDeleting", FailureKind::Conflict));
    let detach = Ask::Delete { identifier: None, mode: DeleteMode::Detach };
    assert_eq!(plane.submit(LOGS, "logs", detach).await.unwrap_err().code, "GroupDeleting");
    let look = ask(&plane, GroupTask::Drift { repair: false, prune: false }).await;
    assert_eq!(look.unwrap_err().code, "GroupDeleting");

    let again = ask(&plane, DELETE).await.unwrap();
    assert_eq!(again.record.id(), accepted.record.id());
    assert!(again.existed);
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Deleted);
    assert_eq!(plane.calls("CreateResource").await, 1);
}

#[tokio::test]
async fn a_put_that_is_under_way_is_waited_for() {
    let plane = slow("700ms..700ms").await;
    let create = plane.submit(VPC, "net", put(vpc(true))).await.unwrap();
    let delete = ask(&plane, DELETE).await.unwrap();
    let record = plane.finish(delete).await;
    assert_eq!(done(&record), SuccessKind::Deleted);
    let said = messages(&plane, &record).await;
    assert!(said.iter().any(|it| it.starts_with("waiting for running operations")), "{said:?}");
    assert_eq!(done(&plane.finish(create).await), SuccessKind::Created);
    assert_eq!(plane.calls("CreateResource").await, 1);
    assert_eq!(plane.calls("DeleteResource").await, 1);
    assert!(plane.existing("AWS::EC2::VPC").await.is_empty());
}

/// An alias behind which nobody knows whether there is a resource.
async fn make_unknown(plane: &Plane) {
    plane
        .arm(json!({"operation": "CreateResource", "effect": "drop-reply", "when": "before"}))
        .await;
    plane
        .arm(json!({"operation": "CreateResource", "effect": "exception",
                    "exception": "InvalidCredentialsException", "message": "revoked"}))
        .await;
    let record = plane.put("net", vpc(true)).await;
    assert_eq!(failure(&record).code, "AliasUnknown");
}

#[tokio::test]
async fn an_unknown_alias_stops_it_before_anything_goes() {
    let plane = Plane::start().await;
    make_logs(&plane, "logs", &[]).await;
    make_unknown(&plane).await;
    let record = run(&plane, DELETE).await;
    let refused = failure(&record);
    assert_eq!((refused.code.as_str(), refused.kind), ("AliasUnknown", FailureKind::Conflict));
    let paths: Vec<&str> = refused.findings.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, [name(VPC, "net").id()]);
    assert_eq!(plane.calls("DeleteResource").await, 0);
    assert_eq!(left(&plane).await.len(), 2);
    assert_eq!(found(&plane).await.unwrap().state, GroupState::Ready);

    let detach = Ask::Delete { identifier: None, mode: DeleteMode::Detach };
    let accepted = plane.submit(VPC, "net", detach).await.unwrap();
    plane.finish(accepted).await;
    assert_eq!(done(&run(&plane, DELETE).await), SuccessKind::Deleted);
}

#[tokio::test]
async fn an_unknown_alias_that_is_settled_by_now_goes_with_the_rest() {
    let plane = Plane::start().await;
    make_logs(&plane, "logs", &[]).await;
    make_unknown(&plane).await;
    plane.pass(0, 25).await;
    assert_eq!(done(&run(&plane, DELETE).await), SuccessKind::Deleted);
    assert!(left(&plane).await.is_empty());
}

#[tokio::test]
async fn what_was_replaced_and_could_not_be_deleted_goes_too() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    let old = plane.identifier("net").await;
    plane
        .arm(json!({"operation": "DeleteResource", "identifier": old, "effect": "fail",
                    "code": "InvalidRequest", "message": "in use"}))
        .await;
    let replace = Ask::Put {
        identifier: None,
        properties: json!({"CidrBlock": "10.9.0.0/16"}),
        secret_paths: Vec::new(),
        replace: true,
        adopt: None,
    };
    let accepted = plane.submit(VPC, "net", replace).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Replaced);
    assert_eq!(plane.reference(VPC, "net").await.unwrap().entry.retiring, [old]);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 2);
    assert_eq!(done(&run(&plane, DELETE).await), SuccessKind::Deleted);
    assert!(plane.existing("AWS::EC2::VPC").await.is_empty());
}

#[tokio::test]
async fn another_engine_finishes_it_and_deletes_nothing_twice() {
    let mut plane = Plane::start().await;
    make_many(&plane, 60).await;
    latency(&plane, "300ms..600ms").await;
    let accepted = ask(&plane, DELETE).await.unwrap();
    for fewer_than in [60, 25] {
        eventually("some are gone", async || left(&plane).await.len() < fewer_than).await;
        plane.restart().await;
    }
    let record = plane.finish(accepted).await;
    assert_eq!(done(&record), SuccessKind::Deleted);
    assert_eq!(tally(&record).done, 60);
    assert!(found(&plane).await.is_none());
    let deletes = called(&plane, "DeleteResource").await;
    assert_eq!(deletes.iter().collect::<BTreeSet<_>>().len(), 60);
    let filter = OperationFilter { parent: Some(record.id()), ..OperationFilter::default() };
    let children = plane.store.operation_list(&filter, None, 1000).await.unwrap();
    assert_eq!(children.len(), 60);
}

#[tokio::test]
async fn a_stop_reaches_what_runs_and_leaves_the_rest() {
    let plane = Plane::start().await;
    make_many(&plane, 50).await;
    latency(&plane, "500ms..500ms").await;
    let accepted = ask(&plane, DELETE).await.unwrap();
    eventually("AWS deletes", async || plane.calls("DeleteResource").await > 0).await;
    plane.engine.cancel(accepted.record.id()).await.unwrap();
    let record = plane.finish(accepted).await;
    assert!(matches!(record.ending(), Some(Ending::Canceled(_))), "{record:?}");
    let left = left(&plane).await;
    assert!(!left.is_empty());
    assert!(left.iter().all(|it| it.entry.operation.is_none()));
    assert_eq!(plane.existing("AWS::Logs::LogGroup").await.len(), left.len());
    assert_eq!(found(&plane).await.unwrap().state, GroupState::Ready);
    assert_eq!(usize::try_from(tally(&record).done).unwrap(), 50 - left.len());
    latency(&plane, "0..0").await;
    assert_eq!(done(&run(&plane, DELETE).await), SuccessKind::Deleted);
}

#[tokio::test]
async fn a_stop_reaches_a_delete_that_hangs_at_aws() {
    let plane = Plane::start().await;
    make_many(&plane, 1).await;
    plane.arm(json!({"operation": "DeleteResource", "effect": "hang"})).await;
    let accepted = ask(&plane, DELETE).await.unwrap();
    eventually("AWS is asked", async || plane.calls("DeleteResource").await > 0).await;
    plane.engine.cancel(accepted.record.id()).await.unwrap();
    let record = plane.finish(accepted).await;
    assert!(matches!(record.ending(), Some(Ending::Canceled(_))), "{record:?}");
    assert_eq!(plane.existing("AWS::Logs::LogGroup").await.len(), 1);
    assert_eq!(found(&plane).await.unwrap().state, GroupState::Ready);
    assert_eq!(done(&run(&plane, DELETE).await), SuccessKind::Deleted);
}

#[tokio::test]
async fn the_same_request_is_the_same_deletion() {
    let plane = Plane::start().await;
    let named = |body: &str| hangar_engine::GroupAsk {
        repeatability: Some(Repeatability {
            request_id: "one".to_owned(),
            body_hash: body.to_owned(),
        }),
        ..asking(DELETE)
    };
    let first = plane.engine.group_submit(named("x")).await.unwrap();
    assert_eq!(done(&plane.finish(first.clone()).await), SuccessKind::Deleted);
    let again = plane.engine.group_submit(named("x")).await.unwrap();
    assert_eq!(again.record.id(), first.record.id());
    let other = plane.engine.group_submit(named("y")).await.unwrap_err();
    assert_eq!((other.code.as_str(), other.kind), ("RepeatabilityMismatch", FailureKind::Invalid));
}

#[tokio::test]
async fn a_condition_is_of_the_group_as_it_is() {
    let plane = Plane::start().await;
    let etag = etag_of_group(&found(&plane).await.unwrap());
    let on = |condition| hangar_engine::GroupAsk { condition, ..asking(DELETE) };
    for condition in [Condition::Absent, Condition::Matches(vec!["\"other\"".to_owned()])] {
        let refused = plane.engine.group_submit(on(condition)).await.unwrap_err();
        assert_eq!(refused.code, "PreconditionFailed");
    }
    let accepted = plane.engine.group_submit(on(Condition::Matches(vec![etag]))).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Deleted);
    assert!(plane.store.group_find(&group()).await.unwrap().is_none());
}

#[tokio::test]
async fn three_hundred_references_go() {
    let plane = Plane::start().await;
    make_many(&plane, 300).await;
    let accepted = ask(&plane, DELETE).await.unwrap();
    let id = accepted.record.id();
    let record = plane.engine.wait(id, Duration::from_mins(5)).await.unwrap().unwrap();
    assert_eq!(done(&record), SuccessKind::Deleted);
    assert_eq!(tally(&record).done, 300);
    assert_eq!(plane.calls("DeleteResource").await, 300);
}

#[tokio::test]
async fn a_run_of_a_template_ends_before_its_group_is_gone() {
    let plane = Plane::start().await;
    make_elsewhere(&plane, "AWS::S3::Bucket", json!({"BucketName": "theirs"})).await;
    plane.arm(json!({"operation": "GetResource", "effect": "delay", "millis": 1500})).await;
    let text = "
extension aws
resource theirs 'AWS.S3/Bucket@default' existing = { name: 'theirs' }
resource logs 'AWS.Logs/LogGroup@default' = {
  alias: 'logs'
  properties: { LogGroupName: '/of/${theirs.name}' }
}
";
    let begun = deployments::submit(&plane, deployments::asking(text, json!({}))).await;
    let deleted = run(&plane, DELETE).await;
    assert_eq!(done(&deleted), SuccessKind::Deleted);
    let of_template = plane.store.operation_find(begun.record.id()).await.unwrap().unwrap();
    assert!(of_template.is_ended(), "it would go on in the next group of that name");
    assert!(of_template.ended_at <= deleted.ended_at);
    assert!(plane.existing("AWS::Logs::LogGroup").await.is_empty());
}
