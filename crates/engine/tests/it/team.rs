//! The group of a [`Plane`] as a whole: what is asked of it, and what is left of it.

use std::time::Duration;

use hangar_engine::{Accepted, Ask, Condition, GroupAsk, Submission};
use hangar_plan::group::{GroupTask, GroupWork, Tally};
use hangar_plan::operation::{Failure, SuccessKind};
use hangar_plan::record::{Group, OperationRecord, Reference, Work};
use hangar_store::ReferenceFilter;
use serde_json::{Value, json};

use crate::plane::{Plane, done, group, name, put, subject};

pub(crate) const LOGS: &str = "AWS.Logs/LogGroup";

pub(crate) const LOOK: GroupTask = GroupTask::Drift { repair: false, prune: false };
pub(crate) const REPAIR: GroupTask = GroupTask::Drift { repair: true, prune: false };
pub(crate) const PRUNE: GroupTask = GroupTask::Drift { repair: false, prune: true };

pub(crate) fn asking(task: GroupTask) -> GroupAsk {
    GroupAsk {
        group: group(),
        task,
        condition: Condition::None,
        repeatability: None,
        correlation_id: None,
    }
}

pub(crate) async fn ask(plane: &Plane, task: GroupTask) -> Result<Accepted, Failure> {
    plane.engine.group_submit(asking(task)).await
}

/// Asks, and waits for the end.
pub(crate) async fn run(plane: &Plane, task: GroupTask) -> OperationRecord {
    let accepted = ask(plane, task).await.unwrap();
    plane.finish(accepted).await
}

pub(crate) async fn found(plane: &Plane) -> Option<Group> {
    plane.store.group_find(&group()).await.unwrap()
}

/// All references of the group.
pub(crate) async fn left(plane: &Plane) -> Vec<Reference> {
    let filter = ReferenceFilter { group: Some(group()), ..ReferenceFilter::default() };
    plane.store.reference_list(&filter, None, 10_000).await.unwrap()
}

pub(crate) fn work(record: &OperationRecord) -> &GroupWork {
    match &record.work {
        Work::Group(work) => work,
        Work::Resource(_) | Work::Deployment(_) | Work::Recipe(_) => {
            panic!("not an operation on a group")
        }
    }
}

pub(crate) fn tally(record: &OperationRecord) -> Tally {
    work(record).tally
}

/// A log group of the same name as its alias, that depends on others.
pub(crate) async fn make_logs(plane: &Plane, alias: &str, depends_on: &[&str]) {
    let ask = put(json!({"LogGroupName": alias}));
    let below = depends_on.iter().map(|it| name(LOGS, it)).collect();
    let submission =
        Submission { depends_on: Some(below), ..Submission::new(subject(LOGS, alias), ask) };
    let accepted = plane.engine.submit(submission).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Created);
}

/// Many log groups at once.
pub(crate) async fn make_many(plane: &Plane, count: usize) {
    let mut accepted = Vec::new();
    for index in 0..count {
        let ask = put(json!({"LogGroupName": format!("logs-{index:03}"), "RetentionInDays": 7}));
        accepted.push(plane.submit(LOGS, &format!("logs-{index:03}"), ask).await.unwrap());
    }
    for accepted in accepted {
        let id = accepted.record.id();
        let ended = plane.engine.wait(id, Duration::from_mins(1)).await.unwrap().unwrap();
        assert_eq!(done(&ended), SuccessKind::Created);
    }
}

/// Imports what exists.
pub(crate) async fn import(plane: &Plane, type_name: &str, alias: &str, identifier: &str) {
    let ask = Ask::Import {
        identifier: identifier.to_owned(),
        owned: false,
        properties: None,
        secret_paths: Vec::new(),
    };
    let accepted = plane.submit(type_name, alias, ask).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Imported);
}

/// Makes a resource behind the engine's back.
pub(crate) async fn make_elsewhere(plane: &Plane, type_name: &str, properties: Value) -> String {
    let made = json!({"account": "42", "region": "eu-central-1", "type": type_name,
                      "properties": properties});
    let made = plane.control("POST", "resources", made).await;
    made["identifier"].as_str().unwrap().to_owned()
}

/// Changes a resource behind the engine's back.
pub(crate) async fn change_elsewhere(plane: &Plane, kind: &str, identifier: &str, to: Value) {
    let change = json!({"account": "42", "region": "eu-central-1", "type": kind,
                        "identifier": identifier, "properties": to});
    plane.control("PATCH", "resources", change).await;
}

/// Deletes a resource behind the engine's back.
pub(crate) async fn delete_elsewhere(plane: &Plane, kind: &str, identifier: &str) {
    let path =
        format!("resources?type={kind}&identifier={identifier}&account=42&region=eu-central-1");
    plane.control("DELETE", &path, Value::Null).await;
}

/// The identifiers that a call named, in the order of the calls.
pub(crate) async fn called(plane: &Plane, operation: &str) -> Vec<String> {
    let log = plane.control("GET", "calls?after=0&limit=10000", Value::Null).await;
    let calls = log["calls"].as_array().unwrap().iter();
    calls
        .filter(|call| call["operation"] == operation)
        .map(|call| call["identifier"].as_str().unwrap_or_default().to_owned())
        .collect()
}

pub(crate) async fn messages(plane: &Plane, record: &OperationRecord) -> Vec<String> {
    let events = plane.store.event_list(record.id(), 0, 1000).await.unwrap();
    events.into_iter().map(|event| event.message).collect()
}
