//! Put, put again, change, lose, drift: what a put of an alias does.

use hangar_engine::{Ask, DeleteMode};
use hangar_plan::operation::{Convergence, EntryState, FailureKind, SuccessKind};
use serde_json::{Value, json};

use crate::plane::{Plane, VPC, done, failure, put, success, vpc};

#[tokio::test]
async fn first_create_then_nothing_then_update() {
    let plane = Plane::start().await;
    let created = plane.put("net", vpc(true)).await;
    assert_eq!(done(&created), SuccessKind::Created);
    assert_eq!(success(&created).convergence, Convergence::Converged);
    let identifier = plane.identifier("net").await;
    assert!(identifier.starts_with("vpc-"), "{identifier}");

    plane.forget_calls().await;
    assert_eq!(done(&plane.put("NET", vpc(true)).await), SuccessKind::Noop);
    assert_eq!(plane.writes().await, 0);
    assert_eq!(plane.calls("GetResource").await, 1);

    assert_eq!(done(&plane.put("net", vpc(false)).await), SuccessKind::Updated);
    assert_eq!(plane.calls("UpdateResource").await, 1);
    assert_eq!(plane.writes().await, 1);
    assert_eq!(plane.identifier("net").await, identifier);
    let existing = plane.existing("AWS::EC2::VPC").await;
    assert_eq!(existing.len(), 1);
    assert_eq!(existing[0]["properties"]["EnableDnsSupport"], json!(false));

    plane.forget_calls().await;
    assert_eq!(done(&plane.put("net", vpc(false)).await), SuccessKind::Noop);
    assert_eq!(plane.writes().await, 0);
}

#[tokio::test]
async fn what_was_deleted_out_of_band_is_made_again_under_the_same_alias() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    let first = plane.identifier("net").await;
    let path =
        format!("resources?type=AWS::EC2::VPC&identifier={first}&account=42&region=eu-central-1");
    plane.control("DELETE", &path, Value::Null).await;
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Created);
    let second = plane.identifier("net").await;
    assert_ne!(first, second);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1);
}

#[tokio::test]
async fn what_was_changed_out_of_band_is_patched_back() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    let identifier = plane.identifier("net").await;
    let change = json!({"account": "42", "region": "eu-central-1", "type": "AWS::EC2::VPC",
                        "identifier": identifier, "properties": {"EnableDnsSupport": false}});
    plane.control("PATCH", "resources", change).await;
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Updated);
    let existing = plane.existing("AWS::EC2::VPC").await;
    assert_eq!(existing[0]["properties"]["EnableDnsSupport"], json!(true));
}

#[tokio::test]
async fn a_create_only_change_is_refused_and_nothing_is_touched() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    let before = plane.reference(VPC, "net").await.unwrap();
    plane.forget_calls().await;
    let refused = plane.put("net", json!({"CidrBlock": "10.9.0.0/16"})).await;
    let failure = failure(&refused);
    assert_eq!(failure.kind, FailureKind::ReplaceRequired);
    assert_eq!(failure.findings[0].path, "/CidrBlock");
    assert_eq!(plane.writes().await, 0);
    let after = plane.reference(VPC, "net").await.unwrap();
    assert_eq!(after.entry, before.entry);
    assert_eq!(after.documents.applied, before.documents.applied);
}

#[tokio::test]
async fn what_cannot_be_created_is_refused_before_any_call() {
    let plane = Plane::start().await;
    let refused =
        plane.submit(VPC, "net", put(json!({"CidrBlok": "10.0.0.0/16"}))).await.unwrap_err();
    assert_eq!(refused.kind, FailureKind::Invalid);
    assert_eq!(refused.findings[0].path, "/CidrBlok");
    assert!(plane.reference(VPC, "net").await.is_none());
    assert_eq!(plane.writes().await, 0);
}

#[tokio::test]
async fn a_delete_takes_resource_and_reference_and_the_alias_is_free() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    assert_eq!(done(&plane.delete("net").await), SuccessKind::Deleted);
    assert!(plane.reference(VPC, "net").await.is_none());
    assert!(plane.existing("AWS::EC2::VPC").await.is_empty());
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Created);
}

#[tokio::test]
async fn detaching_leaves_the_resource_and_importing_takes_it_in_again() {
    let plane = Plane::start().await;
    plane.put("net", vpc(true)).await;
    let identifier = plane.identifier("net").await;
    let detach = Ask::Delete { identifier: None, mode: DeleteMode::Detach };
    let accepted = plane.submit(VPC, "net", detach).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Unlinked);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1);

    let import = |identifier: &str| Ask::Import {
        identifier: identifier.to_owned(),
        owned: false,
        properties: None,
        secret_paths: Vec::new(),
    };
    let accepted = plane.submit(VPC, "old", import(&identifier)).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Imported);
    let reference = plane.reference(VPC, "old").await.unwrap();
    assert!(!reference.entry.owned);
    assert_eq!(reference.entry.state, EntryState::Ready);
    let twice = plane.submit(VPC, "other", import(&identifier)).await.unwrap_err();
    assert_eq!(twice.code, "ResourceMapped");
    let accepted = plane.submit(VPC, "none", import("vpc-000000000000")).await.unwrap();
    assert_eq!(failure(&plane.finish(accepted).await).kind, FailureKind::NotFound);
    assert!(plane.reference(VPC, "none").await.is_none());

    // Not owned: deleting the reference leaves the resource.
    assert_eq!(done(&plane.delete("old").await), SuccessKind::Unlinked);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1);
}

#[tokio::test]
async fn eight_puts_at_once_are_one_create_and_seven_conflicts() {
    let settings = hangar_simulator::core::settings::Settings {
        latency: "1s..1s".parse().unwrap(),
        ..Default::default()
    };
    let plane = Plane::start_with(settings).await;
    let (mut accepted, mut conflicts) = (Vec::new(), 0);
    let asked = (0..8).map(|_| plane.submit(VPC, "net", put(vpc(true))));
    for answer in join_all(asked).await {
        match answer {
            Ok(it) => accepted.push(it),
            Err(failure) => {
                assert_eq!(failure.code, "Conflict");
                conflicts += 1;
            }
        }
    }
    assert_eq!((accepted.len(), conflicts), (1, 7));
    assert_eq!(done(&plane.finish(accepted.remove(0)).await), SuccessKind::Created);
    assert_eq!(plane.calls("CreateResource").await, 1);
    assert_eq!(plane.existing("AWS::EC2::VPC").await.len(), 1);
}

/// All at once, on this task.
async fn join_all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut pinned: Vec<_> = futures.map(Box::pin).collect();
    let mut outputs: Vec<Option<F::Output>> = pinned.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, output) in pinned.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let std::task::Poll::Ready(ready) = future.as_mut().poll(context)
            {
                *output = Some(ready);
            }
        }
        if outputs.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    outputs.into_iter().flatten().collect()
}

#[tokio::test]
async fn a_stopped_engine_leaves_its_work_to_the_next() {
    let settings = hangar_simulator::core::settings::Settings {
        latency: "2s..2s".parse().unwrap(),
        ..Default::default()
    };
    let mut plane = Plane::start_with(settings).await;
    let accepted = plane.submit(VPC, "net", put(vpc(true))).await.unwrap();
    plane.restart().await;
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Created);
    assert_eq!(plane.calls("CreateResource").await, 1);
}

#[tokio::test]
async fn what_somebody_else_has_is_not_taken() {
    let plane = Plane::start().await;
    let place = |name: &str| {
        json!({"account": "42", "region": "eu-central-1",
                                    "type": "AWS::Logs::LogGroup", "properties": {"LogGroupName": name}})
    };
    plane.control("POST", "resources", place("theirs")).await;
    let group = json!({"LogGroupName": "theirs"});
    let record = plane.put_of("AWS.Logs/LogGroup", "mine", group).await;
    assert_eq!(failure(&record).code, "AlreadyExists");
    assert!(plane.reference("AWS.Logs/LogGroup", "mine").await.is_none());
    assert_eq!(plane.existing("AWS::Logs::LogGroup").await.len(), 1);
}

#[tokio::test]
async fn a_name_that_another_alias_has_is_refused_before_any_call() {
    let plane = Plane::start().await;
    let group = json!({"LogGroupName": "logs"});
    plane.put_of("AWS.Logs/LogGroup", "one", group.clone()).await;
    plane.forget_calls().await;
    let refused = plane.submit("AWS.Logs/LogGroup", "two", put(group)).await.unwrap_err();
    assert_eq!(refused.code, "ResourceMapped");
    assert_eq!(plane.writes().await, 0);
}

const FIREWALL: &str = "AWS.EC2/SecurityGroup";

#[tokio::test]
async fn a_replacement_that_could_not_be_created_deletes_nothing() {
    let plane = Plane::start().await;
    let firewall = |more: Value| {
        let mut properties = json!({"GroupName": "web", "GroupDescription": "one"});
        properties.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        properties
    };
    plane.put_of(FIREWALL, "web", firewall(json!({}))).await;
    plane.forget_calls().await;
    let ask = |more| Ask::Put {
        identifier: None,
        properties: firewall(more),
        secret_paths: Vec::new(),
        replace: true,
        adopt: None,
    };
    let wrong = json!({"GroupDescription": "two", "Tags": "none"});
    let accepted = plane.submit(FIREWALL, "web", ask(wrong)).await.unwrap();
    assert_eq!(failure(&plane.finish(accepted).await).code, "InvalidProperties");
    assert_eq!(plane.writes().await, 0);
    let right = json!({"GroupDescription": "two"});
    let accepted = plane.submit(FIREWALL, "web", ask(right)).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Replaced);
    let existing = plane.existing("AWS::EC2::SecurityGroup").await;
    assert_eq!(existing.len(), 1);
    assert_eq!(existing[0]["properties"]["GroupDescription"], "two");
}
