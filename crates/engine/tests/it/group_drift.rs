//! Looking through a group for drift: what is counted, what is mended, and where it goes on.

use std::time::Duration;

use hangar_engine::Config;
use hangar_plan::group::Tally;
use hangar_plan::operation::{Ending, SuccessKind};
use hangar_plan::record::DriftState;
use hangar_simulator::core::settings::Settings;
use hangar_store::OperationFilter;
use serde_json::json;

use crate::plane::{Plane, VPC, done, eventually, failure, group, vpc};
use crate::team::{
    LOGS, LOOK, PRUNE, REPAIR, ask, change_elsewhere, delete_elsewhere, import, left,
    make_elsewhere, make_logs, make_many, messages, run, tally, work,
};

const LOG_GROUP: &str = "AWS::Logs::LogGroup";
const DATABASE: &str = "AWS.RDS/DBInstance";

async fn drift_of(plane: &Plane, type_name: &str, alias: &str) -> DriftState {
    plane.reference(type_name, alias).await.unwrap().drift.unwrap().state
}

#[tokio::test]
async fn every_reference_is_looked_at_and_counted() {
    let plane = Plane::start().await;
    make_many(&plane, 20).await;
    change_elsewhere(&plane, LOG_GROUP, "logs-003", json!({"RetentionInDays": 30})).await;
    delete_elsewhere(&plane, LOG_GROUP, "logs-004").await;
    let theirs = make_elsewhere(&plane, "AWS::EC2::VPC", vpc(true)).await;
    import(&plane, VPC, "theirs", &theirs).await;
    plane.forget_calls().await;

    let record = run(&plane, LOOK).await;
    assert_eq!(done(&record), SuccessKind::Checked);
    let expected =
        Tally { done: 21, in_sync: 18, drifted: 1, missing: 1, unknown: 1, ..Tally::default() };
    assert_eq!(tally(&record), expected);
    assert_eq!(drift_of(&plane, LOGS, "logs-003").await, DriftState::Drifted);
    assert_eq!(drift_of(&plane, LOGS, "logs-004").await, DriftState::Missing);
    assert_eq!(drift_of(&plane, LOGS, "logs-005").await, DriftState::InSync);
    assert_eq!(drift_of(&plane, VPC, "theirs").await, DriftState::Unknown);
    assert_eq!((plane.calls("GetResource").await, plane.writes().await), (22, 0));
    let said = messages(&plane, &record).await;
    assert!(said.last().unwrap().starts_with("checked 21: 18 in sync"), "{said:?}");
    assert_eq!(done(&run(&plane, LOOK).await), SuccessKind::Checked);
}

#[tokio::test]
async fn an_empty_group_is_looked_through_at_once() {
    let plane = Plane::start().await;
    let record = run(&plane, LOOK).await;
    assert_eq!((done(&record), tally(&record)), (SuccessKind::Checked, Tally::default()));
}

#[tokio::test]
async fn a_repair_applies_again_and_refuses_what_would_lose_a_secret() {
    let plane = Plane::start().await;
    make_many(&plane, 3).await;
    let database = json!({"DBInstanceIdentifier": "db", "DBInstanceClass": "db.t3.micro",
        "Engine": "postgres", "AllocatedStorage": "20", "MasterUsername": "admin",
        "MasterUserPassword": "hunter2hunter2"});
    plane.put_of(DATABASE, "db", database).await;
    change_elsewhere(&plane, LOG_GROUP, "logs-001", json!({"RetentionInDays": 30})).await;
    change_elsewhere(&plane, "AWS::RDS::DBInstance", "db", json!({"AllocatedStorage": "40"})).await;
    delete_elsewhere(&plane, LOG_GROUP, "logs-002").await;
    plane.forget_calls().await;

    let record = run(&plane, REPAIR).await;
    assert_eq!(done(&record), SuccessKind::Checked);
    let expected = Tally {
        done: 4,
        in_sync: 3,
        drifted: 1,
        repaired: 1,
        recreated: 1,
        refused: 1,
        ..Tally::default()
    };
    assert_eq!(tally(&record), expected);
    assert!(work(&record).looking.mends.is_empty());
    assert_eq!(plane.calls("UpdateResource").await, 1);
    assert_eq!(plane.calls("CreateResource").await, 1);
    assert_eq!(drift_of(&plane, LOGS, "logs-002").await, DriftState::InSync);
    let existing = plane.existing(LOG_GROUP).await;
    assert!(existing.iter().all(|it| it["properties"]["RetentionInDays"] == json!(7)));
    assert_eq!(drift_of(&plane, LOGS, "logs-001").await, DriftState::InSync);
    assert_eq!(drift_of(&plane, DATABASE, "db").await, DriftState::Drifted);
    let said = messages(&plane, &record).await;
    let refusal = said.iter().find(|it| it.contains("refused")).unwrap();
    assert!(refusal.contains("DBInstance:reference/db"), "{refusal}");
    assert!(refusal.contains("WriteOnlyValuesRequired"), "{refusal}");
    assert!(said.iter().any(|it| it.starts_with("repaired") && it.contains("logs-001")));
    assert!(said.iter().any(|it| it.starts_with("recreated") && it.contains("logs-002")));

    let filter = OperationFilter { parent: Some(record.id()), ..OperationFilter::default() };
    let children = plane.store.operation_list(&filter, None, 10).await.unwrap();
    assert_eq!(children.len(), 3);
    assert!(children.iter().all(|child| child.kind() == "put"));
}

#[tokio::test]
async fn a_prune_forgets_only_what_is_gone() {
    let plane = Plane::start().await;
    make_many(&plane, 4).await;
    delete_elsewhere(&plane, LOG_GROUP, "logs-000").await;
    delete_elsewhere(&plane, LOG_GROUP, "logs-003").await;
    change_elsewhere(&plane, LOG_GROUP, "logs-001", json!({"RetentionInDays": 30})).await;
    plane.forget_calls().await;
    let record = run(&plane, PRUNE).await;
    let counted = tally(&record);
    assert_eq!((counted.done, counted.in_sync, counted.drifted), (4, 1, 1));
    assert_eq!((counted.missing, counted.pruned, counted.refused), (0, 2, 0));
    let aliases: Vec<String> = left(&plane).await.into_iter().map(|it| it.name.alias).collect();
    assert_eq!(aliases, ["logs-001", "logs-002"]);
    assert_eq!(plane.writes().await, 0);
}

#[tokio::test]
async fn a_repair_recreates_nothing_that_it_does_not_own_or_lacks_values_of() {
    let plane = Plane::start().await;
    let theirs = make_elsewhere(&plane, "AWS::EC2::VPC", vpc(true)).await;
    import(&plane, VPC, "theirs", &theirs).await;
    delete_elsewhere(&plane, "AWS::EC2::VPC", &theirs).await;
    let database = json!({"DBInstanceIdentifier": "db", "DBInstanceClass": "db.t3.micro",
        "Engine": "postgres", "AllocatedStorage": "20", "MasterUsername": "admin",
        "MasterUserPassword": "hunter2hunter2"});
    plane.put_of(DATABASE, "db", database).await;
    delete_elsewhere(&plane, "AWS::RDS::DBInstance", "db").await;
    plane.forget_calls().await;
    let record = run(&plane, REPAIR).await;
    let expected = Tally { done: 2, missing: 2, refused: 1, ..Tally::default() };
    assert_eq!(tally(&record), expected);
    assert_eq!(plane.writes().await, 0);
    let said = messages(&plane, &record).await;
    let refusal = said.iter().find(|it| it.contains("refused")).unwrap();
    assert!(refusal.contains("WriteOnlyValuesRequired"), "{refusal}");
    assert!(refusal.contains("without /MasterUserPassword"), "{refusal}");
    assert!(refusal.contains("deploy its template again"), "{refusal}");
    assert_eq!(left(&plane).await.len(), 2, "no alias is given up");
}

#[tokio::test]
async fn another_engine_goes_on_from_where_it_was_left_and_mends_nothing_twice() {
    let mut plane = Plane::start().await;
    make_many(&plane, 60).await;
    for index in (0..60).step_by(3) {
        let name = format!("logs-{index:03}");
        change_elsewhere(&plane, LOG_GROUP, &name, json!({"RetentionInDays": 30})).await;
    }
    plane
        .arm(json!({"operation": "GetResource", "times": 100_000, "effect": "delay", "millis": 60}))
        .await;
    plane.forget_calls().await;
    let accepted = ask(&plane, REPAIR).await.unwrap();
    let id = accepted.record.id();
    for further_than in [0, 20, 40] {
        eventually("it has gone on", async || {
            let record = plane.store.operation_find(id).await.unwrap().unwrap();
            tally(&record).done > further_than
        })
        .await;
        plane.restart().await;
    }
    let record = plane.finish(accepted).await;
    assert_eq!(done(&record), SuccessKind::Checked);
    let counted = tally(&record);
    assert_eq!((counted.done, counted.drifted, counted.in_sync), (60, 0, 60));
    assert_eq!((counted.repaired, counted.refused), (20, 0));
    assert_eq!(plane.calls("UpdateResource").await, 20);
    let filter = OperationFilter { parent: Some(id), ..OperationFilter::default() };
    assert_eq!(plane.store.operation_list(&filter, None, 100).await.unwrap().len(), 20);
}

#[tokio::test]
async fn a_stop_ends_it_where_it_is() {
    let plane = Plane::start().await;
    make_many(&plane, 60).await;
    plane
        .arm(
            json!({"operation": "GetResource", "times": 100_000, "effect": "delay", "millis": 100}),
        )
        .await;
    let accepted = ask(&plane, LOOK).await.unwrap();
    let id = accepted.record.id();
    eventually("it has begun", async || {
        let record = plane.store.operation_find(id).await.unwrap().unwrap();
        tally(&record).done > 0
    })
    .await;
    plane.engine.cancel(id).await.unwrap();
    let record = plane.finish(accepted).await;
    assert!(matches!(record.ending(), Some(Ending::Canceled(_))), "{record:?}");
    assert!(tally(&record).done < 60);
}

#[tokio::test]
async fn a_cloud_that_is_asked_too_often_is_asked_again() {
    let plane = Plane::start().await;
    make_many(&plane, 12).await;
    plane
        .arm(json!({"operation": "GetResource", "nth": 6, "times": 3, "effect": "exception",
                    "exception": "ThrottlingException"}))
        .await;
    let record = run(&plane, LOOK).await;
    assert_eq!(done(&record), SuccessKind::Checked);
    assert_eq!((tally(&record).done, tally(&record).in_sync), (12, 12));
    let said = messages(&plane, &record).await;
    assert!(said.iter().any(|it| it.starts_with("waiting: Throttling")), "{said:?}");
}

#[tokio::test]
async fn a_cloud_that_stays_away_is_given_up() {
    let plane = Plane::start().await;
    make_logs(&plane, "logs", &[]).await;
    plane
        .arm(json!({"operation": "GetResource", "times": 1000, "effect": "exception",
                    "exception": "ThrottlingException"}))
        .await;
    let accepted = ask(&plane, LOOK).await.unwrap();
    let id = accepted.record.id();
    eventually("it waits", async || {
        let record = plane.store.operation_find(id).await.unwrap().unwrap();
        work(&record).looking.waiting_since.is_some()
    })
    .await;
    plane.pass(0, 11).await;
    let record = plane.finish(accepted).await;
    assert_eq!(failure(&record).code, "ThrottlingException");
    assert_eq!(tally(&record).done, 0);
}

#[tokio::test]
async fn a_group_that_is_deleted_meanwhile_ends_it() {
    let plane = Plane::start().await;
    make_many(&plane, 40).await;
    plane
        .arm(
            json!({"operation": "GetResource", "times": 100_000, "effect": "delay", "millis": 100}),
        )
        .await;
    let looking = ask(&plane, REPAIR).await.unwrap();
    let id = looking.record.id();
    eventually("it has begun", async || {
        let record = plane.store.operation_find(id).await.unwrap().unwrap();
        tally(&record).done > 0
    })
    .await;
    let deleted = run(&plane, hangar_plan::group::GroupTask::Delete).await;
    assert_eq!(done(&deleted), SuccessKind::Deleted);
    assert_eq!(failure(&plane.finish(looking).await).code, "GroupDeleting");
}

#[tokio::test]
async fn every_group_is_looked_through_once_a_slot_whoever_asks() {
    let settings = Settings { latency: "0..0".parse().unwrap(), ..Settings::default() };
    // Long, so that the test itself is not in two of them.
    let every = Some(Duration::from_hours(48));
    let config = Config { drift_every: every, ..Config::default() };
    let mut plane = Plane::start_as(settings, config).await;
    make_logs(&plane, "logs", &[]).await;
    let looks = async |plane: &Plane| {
        let filter = OperationFilter { group: Some(group()), ..OperationFilter::default() };
        let all = plane.store.operation_list(&filter, None, 100).await.unwrap();
        all.iter().filter(|it| it.kind() == "drift" && it.is_ended()).count()
    };
    // Each start is another process that wants the same.
    for slots in 1..=3 {
        plane.restart().await;
        eventually("it is looked through", async || looks(&plane).await == slots).await;
        plane.restart().await;
        plane.restart().await;
        make_logs(&plane, &format!("more-{slots}"), &[]).await;
        assert_eq!(looks(&plane).await, slots);
        plane.pass(48, 0).await;
    }
    assert_eq!(drift_of(&plane, LOGS, "logs").await, DriftState::InSync);
}

#[tokio::test]
async fn what_is_there_again_is_not_pruned() {
    let plane = Plane::start().await;
    make_logs(&plane, "logs", &[]).await;
    // Both reads of the first look miss it.
    plane
        .arm(json!({"operation": "GetResource", "times": 2, "effect": "exception",
                    "exception": "ResourceNotFoundException"}))
        .await;
    let record = run(&plane, PRUNE).await;
    let counted = tally(&record);
    assert_eq!((counted.in_sync, counted.missing, counted.pruned), (1, 0, 0));
    assert_eq!(drift_of(&plane, LOGS, "logs").await, DriftState::InSync);
    let said = messages(&plane, &record).await;
    assert!(said.iter().any(|it| it.contains("exists again")), "{said:?}");
}

#[tokio::test]
async fn what_somebody_found_again_in_the_last_instant_is_not_pruned() {
    let plane = Plane::start().await;
    make_logs(&plane, "logs", &[]).await;
    let before = plane.reference(LOGS, "logs").await.unwrap();
    let made_by = before.last_operation.unwrap().0.to_string();
    delete_elsewhere(&plane, LOG_GROUP, "logs").await;
    plane.forget_calls().await;
    // The last read before the prune answers late what was true when it was asked.
    plane
        .arm(json!({"operation": "GetResource", "nth": 4, "effect": "delay", "millis": 3000}))
        .await;
    let accepted = ask(&plane, PRUNE).await.unwrap();
    eventually("it looks for the last time", async || plane.calls("GetResource").await == 4).await;
    let again = json!({"LogGroupName": "logs",
                       "Tags": [{"Key": "hangar:operation", "Value": made_by}]});
    make_elsewhere(&plane, LOG_GROUP, again).await;
    let seen = plane.engine.reference_check(&crate::plane::name(LOGS, "logs")).await.unwrap();
    assert_eq!(seen.drift.unwrap().state, DriftState::InSync);
    let record = plane.finish(accepted).await;
    assert_eq!((tally(&record).pruned, tally(&record).refused), (0, 1));
    assert_eq!(left(&plane).await.len(), 1);
}

#[tokio::test]
async fn a_reference_with_something_left_to_delete_is_not_pruned() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    plane
        .arm(json!({"operation": "DeleteResource", "times": 100, "effect": "exception",
                    "exception": "InvalidRequestException", "message": "in use"}))
        .await;
    let other = crate::replacements::replacing(json!({"CidrBlock": "10.9.0.0/16"}));
    let accepted = plane.submit(VPC, "net", other).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Replaced);
    let reference = plane.reference(VPC, "net").await.unwrap();
    assert_eq!(reference.entry.retiring.len(), 1);
    delete_elsewhere(&plane, "AWS::EC2::VPC", &reference.entry.identifier.unwrap()).await;
    let record = run(&plane, PRUNE).await;
    let counted = tally(&record);
    assert_eq!((counted.missing, counted.pruned, counted.refused), (1, 0, 1));
    assert_eq!(left(&plane).await.len(), 1);
    let said = messages(&plane, &record).await;
    assert!(said.iter().any(|it| it.contains("StillRetiring")), "{said:?}");
}
